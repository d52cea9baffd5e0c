"""`promptpack stubs`: write a typed Python module for each pack."""

import shlex
from pathlib import Path

import click

from promptpack import files
from promptpack.cli.options import open_library
from promptpack.source_names import is_source
from promptpack.stubs.package import find_changes, stale, write_package


@click.command("stubs")
@click.argument("folders", nargs=-1, metavar="[PACKS]...", type=click.Path())
@click.option("-o", "--output", required=True, type=click.Path(file_okay=False), help="The folder of the package.")
@click.option("--check", "only_check", is_flag=True, help="Write nothing; fail if a file is out of date.")
def command(folders: tuple[str, ...], output: str, only_check: bool) -> None:
    """Write a typed Python package with a module for each pack in PACKS, by default ./packs or the shipped packs.

    Inputs become keyword arguments, params become pydantic models and actions become literals, so that type checkers
    find misspelled names. A module refuses a pack that has changed since.
    """
    library = open_library(folders)
    has_own = bool(folders) or files.Folder("packs").is_there
    opened = (folders or ("packs",)) if has_own else ()
    line = shlex.join(["promptpack", "stubs", *folders, "-o", output])
    module = str(Path(output) / "_source.py")
    relative = [name if is_source(name) else files.relative_to_file(name, module) for name in opened]
    written = write_package(library, relative, line)
    changed, left = find_changes(written, _read_existing(Path(output)))
    if only_check and (changed or left):
        raise stale(output, changed, left, line)
    for name, text in changed.items():
        files.write(Path(output) / name, text)
    for name in left:
        files.remove(str(Path(output) / name))
    same = len(written) - len(changed)
    click.echo(f"{output}: {len(changed)} files written, {same} unchanged, {len(left)} removed", err=True)


def _read_existing(output: Path) -> dict[str, str]:
    return {path.name: files.read_text(path) for path in sorted(output.glob("*.py"))}
