"""`promptpack new`: create a pack that lints clean and passes its tests."""

import re
from importlib.resources import files as package_files

import click

from promptpack import files
from promptpack.problem import Problem, UsageError

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*\Z")


@click.command("new")
@click.argument("name")
@click.option("-p", "--packs", "folder", default="packs", show_default=True, type=click.Path(file_okay=False))
def command(name: str, folder: str) -> None:
    """Create a pack that lints clean and passes its tests, in packs/NAME/."""
    if not _NAME.match(name):
        raise UsageError(Problem("PP904", f"invalid pack name {name!r}", None, "use a-z, 0-9 and '-'"))
    path = f"{folder}/{name}/0.1.0-dev.yaml"
    if files.Folder(f"{folder}/{name}").is_there:
        raise UsageError(Problem("PP905", f"{folder}/{name} already exists", None, "choose another name"))
    template = (package_files("promptpack.cli.commands") / "new_pack.yaml").read_text("utf-8")
    files.write(path, template.replace("NAME", name))
    # Editors read the schema; an existing file may be newer or edited, so it stays.
    schema = f"{folder}/pack.schema.json"
    is_new = not files.Folder(folder).exists("pack.schema.json")
    if is_new:
        files.write(schema, files.shipped("schemas").read("pack.schema.json").decode())
    click.echo(f"wrote {path}" + (f" and {schema}, which editors read" if is_new else ""), err=True)
    click.echo(path)
