"""`promptpack log`: the history of a pack, with the class of each change."""

from collections.abc import Iterator
from typing import Any

import click

from promptpack.cli.console import on_one_line, print_json, print_problems
from promptpack.cli.diff_reports.sentences import summary
from promptpack.cli.options import open_library, pack_argument, packs_option
from promptpack.library import Library
from promptpack.library.choosing import choose, parse_reference
from promptpack.problem import Problem, UsageError
from promptpack.versions.compare_libraries import list_history
from promptpack.versions.version_diff import VersionDiff


@click.command("log")
@pack_argument
@packs_option
@click.option("--format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.pass_context
def command(ctx: click.Context, pack: str, folders: tuple[str, ...], format: str) -> None:  # noqa: A002
    """List the versions of a pack, newest first, with what changed since the release before each.

    PACK is a name.
    """
    if "@" in pack:
        raise UsageError(Problem("PP945", f"{pack!r} is a single version", None, f"write {pack.partition('@')[0]}"))
    library = open_library(folders)
    choose(library, parse_reference(pack), None)
    rows = list(list_history(library, pack))
    if format == "json":
        print_json([_as_data(library, row) for row in rows])
    else:
        _print_table([tuple(map(on_one_line, _cells(library, row))) for row in rows])
    problems = [problem for row in rows for problem in row.problems]
    print_problems(problems, err=True)
    ctx.exit(1 if problems else 0)


def _print_table(rows: list[tuple[str, ...]]) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (value.ljust(width) for value, width in zip(row, widths, strict=True) if width)
        click.echo("  ".join(cells).rstrip())


def _cells(library: Library, row: VersionDiff) -> tuple[str, ...]:
    return (
        _version(row),
        _state(row),
        ", ".join(_labels(library, row)),
        row.kind or ("broken" if row.status == "broken" else "first" if row.old is None else "equal"),
        _bumps(row),
        summary(row) if row.old is not None else "",
    )


def _version(row: VersionDiff) -> str:
    return str(row.new.version or "?") if row.new else "?"


def _state(row: VersionDiff) -> str:
    return "release" if row.new and row.new.is_release else "draft"


def _bumps(row: VersionDiff) -> str:
    """Return the declared and the needed part of the version."""
    if row.status == "broken" or row.declared is None:
        return ""
    return f"{row.declared}, but needs {row.bump}" if row.is_too_small else f"{row.declared}, needs {row.bump}"


def _labels(library: Library, row: VersionDiff) -> Iterator[str]:
    """Yield the labels that name a version, directly or through another label."""
    for label in library._labels.all.get(row.name, {}).values():
        if _version(row) in library._labels.follow(label.pack, label.name).versions:
            yield label.name


def _as_data(library: Library, row: VersionDiff) -> dict[str, Any]:
    return {
        "version": str(row.new.version) if row.new and row.new.version else None,
        "path": row.new.path if row.new else None,
        "locales": [entry.locale for entry in row.new.entries] if row.new else [],
        "state": _state(row),
        "labels": list(_labels(library, row)),
        "since": str(row.old.version) if row.old else None,
        "class": row.kind,
        "required_bump": row.bump if row.old else None,
        "declared_bump": row.declared,
        "too_small": row.is_too_small,
        "codes": [change.code for change in row.changes],
        "problems": [str(problem) for problem in row.problems],
    }
