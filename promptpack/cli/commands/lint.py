"""`promptpack lint`: every problem in packs, for people, pre-commit and CI."""

from collections import Counter
from dataclasses import dataclass

import click

from promptpack import files
from promptpack.cli.output import print_problems
from promptpack.cli.reports.catalogue import FORMATS
from promptpack.cli.watching import changes
from promptpack.linter import LintReport, apply_fixes, lint
from promptpack.problem import PromptpackError

# Mending one thing may show the next; nothing honest needs more rounds.
_MOST_ROUNDS = 8
_COLOURS = {"error": "red", "warning": "yellow", "note": "blue"}


@click.command("lint")
@click.argument("paths", nargs=-1, type=click.Path(exists=True))
@click.option("--format", type=click.Choice(list(FORMATS)), default="text", show_default=True)
@click.option("--select", multiple=True, metavar="RULE", help="Ask only such rules: a code, its beginning, or a name.")
@click.option("--ignore", multiple=True, metavar="RULE", help="Do not ask such rules.")
@click.option("--fix", is_flag=True, help="Mend what can be mended without changing what a pack does.")
@click.option("--watch", is_flag=True, help="Lint again whenever a file changes.")
@click.pass_context
def command(
    ctx: click.Context,
    paths: tuple[str, ...],
    format: str,  # noqa: A002 -- the option's name
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    fix: bool,
    watch: bool,
) -> None:
    """Find every problem in packs. PATHS are folders of packs or pack files.  [default: packs]

    Exit codes: 0 clean or notes only, 1 problems found, 2 wrong usage, 3 our bug.
    """
    wanted = _Wanted(paths or ("packs",), format, _words(select), _words(ignore), fix)
    if watch:
        _watch(wanted)
    ctx.exit(1 if _run(wanted).failed else 0)


@dataclass(frozen=True, slots=True)
class _Wanted:
    paths: tuple[str, ...]
    format: str
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    fix: bool


def _words(options: tuple[str, ...]) -> tuple[str, ...]:
    """Take `--select PL001,PL002` as well as the option given twice."""
    return tuple(word for option in options for word in option.replace(",", " ").split())


def _watch(wanted: _Wanted) -> None:
    _run_again(wanted)
    for _ in changes(tuple(files.group_by_root(wanted.paths))):
        _run_again(wanted)


def _run_again(wanted: _Wanted) -> None:
    try:
        _run(wanted)
    except PromptpackError as error:
        # What a half-finished edit breaks, the next one may mend.
        print_problems(error.problems, err=True)


def _run(wanted: _Wanted) -> LintReport:
    report = lint(wanted.paths, select=wanted.select, ignore=wanted.ignore)
    before = len(report.problems)
    for _ in range(_MOST_ROUNDS if wanted.fix else 0):
        if not report.fixes:
            break
        apply_fixes(report)
        report = lint(wanted.paths, select=wanted.select, ignore=wanted.ignore)
    written = FORMATS[wanted.format](report)
    if written:
        click.echo(written)
    click.echo(_summary(report, before - len(report.problems), wanted.fix), err=True)
    return report


def _summary(report: LintReport, mended: int, fix: bool) -> str:
    counts = Counter[str](problem.severity for problem in report.problems)
    told = ", ".join(click.style(f"{counts[kind]} {kind}(s)", fg=_COLOURS[kind]) for kind in _COLOURS if counts[kind])
    parts = [f"{len(report.files)} pack file(s)", told or click.style("no problems", fg="green")]
    if mended:
        parts.append(f"{mended} mended")
    if report.fixes and not fix:
        parts.append(f"{len(report.fixes)} can be mended with --fix")
    return ", ".join(parts)
