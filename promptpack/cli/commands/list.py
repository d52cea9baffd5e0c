"""`promptpack list`: list packs, versions and locales."""

import click

from promptpack.cli.console import on_one_line, print_json
from promptpack.cli.options import open_library, packs_option
from promptpack.library import Listed


@click.command("list")
@packs_option
@click.option("--format", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(folders: tuple[str, ...], format: str) -> None:  # noqa: A002 -- the option's name
    """List packs, versions and locales."""
    listed = open_library(folders).list()
    if format == "json":
        rows = [
            {
                "name": entry.name,
                "version": str(entry.version) if entry.version else None,
                "locale": entry.locale,
                "path": entry.path,
                "problems": len(entry.problems),
            }
            for entry in listed
        ]
        print_json(rows)
        return
    widths = [max((len(str(value)) for value in column), default=0) for column in zip(*map(_row, listed), strict=True)]
    for entry in listed:
        line = "  ".join(value.ljust(width) for value, width in zip(_row(entry), widths, strict=True))
        broken = click.style(f"  broken: {len(entry.problems)} problem(s)", fg="red") if entry.problems else ""
        click.echo(line.rstrip() + broken)


def _row(entry: Listed) -> tuple[str, ...]:
    row = entry.name, str(entry.version or "?"), entry.locale or "-", entry.path
    return tuple(map(on_one_line, row))
