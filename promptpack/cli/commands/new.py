"""`promptpack new`: create a pack that lints clean and passes its tests, or a locale variant of a pack."""

import re
from importlib.resources import files as package_files

import click

from promptpack import files
from promptpack.cli import new_files
from promptpack.library import Library
from promptpack.problem import Problem, UsageError

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*\Z")
_LOCALE = re.compile(r"[a-z]{2,3}(?:-[A-Za-z0-9]+)*\Z")


@click.command("new")
@click.argument("name")
@click.option("-p", "--packs", "folder", default="packs", show_default=True, type=click.Path())
@click.option("--from", "source", metavar="PACK", help="Copy this pack.")
@click.option("--extends", "parent", metavar="PACK", help="Inherit from this pack.")
@click.option("-l", "--locale", help="The language; for a pack that exists, create a variant in this language.")
def command(name: str, folder: str, source: str | None, parent: str | None, locale: str | None) -> None:
    """Create a pack that lints clean and passes its tests, in packs/NAME/.

    With --locale and the name of a pack that exists, create a variant of its newest version with the texts to
    translate; the variant inherits everything else.
    """
    _check_names(name, source, parent, locale)
    library = Library.open(folder) if files.Folder(folder).is_there else Library.open()
    exists = files.Folder(f"{folder}/{name}").is_there
    if exists and locale and not (source or parent):
        path, text = _variant(library, name, locale)
    elif exists:
        raise UsageError(Problem("PP905", f"{folder}/{name} already exists", None, "choose another name"))
    else:
        path, text = f"{folder}/{name}/0.1.0-dev.yaml", _text(library, name, source, parent, locale)
    files.write(path, text)
    # Editors read the schema; an existing file may be newer or edited, so it stays.
    schema = f"{folder}/pack.schema.json"
    is_new = not files.Folder(folder).exists("pack.schema.json")
    if is_new:
        files.write(schema, files.shipped("schemas").read("pack.schema.json").decode())
    click.echo(f"wrote {path}" + (f" and {schema}, which editors read" if is_new else ""), err=True)
    click.echo(path)


def _check_names(name: str, source: str | None, parent: str | None, locale: str | None) -> None:
    if not _NAME.match(name):
        raise UsageError(Problem("PP904", f"invalid pack name {name!r}", None, "use a-z, 0-9 and '-'"))
    if locale and not _LOCALE.match(locale):
        raise UsageError(Problem("PP904", f"invalid locale {locale!r}", None, "write it as in en or zh-CN"))
    if source and parent:
        raise UsageError(Problem("PP904", "--from and --extends exclude each other", None, "use one of them"))


def _text(library: Library, name: str, source: str | None, parent: str | None, locale: str | None) -> str:
    if source:
        return new_files.write_copy(library._find_entry(source, locale), name)
    if parent:
        entry = library._find_entry(parent, locale)
        owner = library if entry in library.entries else Library.open()
        return new_files.write_child(owner._build_entry(entry), name, locale or "")
    template = (package_files("promptpack.cli.commands") / "new_pack.yaml").read_text("utf-8")
    text = template.replace("NAME", name)
    return text.replace("locale: en", f"locale: {locale}") if locale else text


def _variant(library: Library, name: str, locale: str) -> tuple[str, str]:
    entry = library._find_entry(name)
    if not entry.is_default:
        message = (
            f"{name}@{entry.version} has no default file (one without a locale in its name), so it cannot have variants"
        )
        raise UsageError(Problem("PP904", message, None, f"rename {entry.path}"))
    path = entry.path.removesuffix(".yaml").removesuffix(".yml") + f".{locale}.yaml"
    if any(one.path == path for one in library.entries):
        raise UsageError(Problem("PP905", f"{path} already exists", None, "edit that file"))
    return path, new_files.write_variant(entry, library._compile_sections(entry).sections, locale)
