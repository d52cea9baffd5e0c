"""`promptpack lint`: find every problem in packs, for terminals, pre-commit and CI."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import click

from promptpack import files
from promptpack.cli.changed_releases import find_changed_releases
from promptpack.cli.console import print_problems
from promptpack.cli.progress import track
from promptpack.cli.reports.catalogue import FORMATS, write
from promptpack.linter.lint_paths import lint
from promptpack.linter.lint_report import LintReport
from promptpack.problem import Problem, PromptpackError

# One fix may reveal the next problem; real packs need fewer rounds.
_MAX_ROUNDS = 8
_COLOURS = {"error": "red", "warning": "yellow", "note": "blue"}


@click.command("lint")
@click.argument("paths", nargs=-1, type=click.Path())
@click.option("--format", type=click.Choice(list(FORMATS)), default="text", show_default=True)
@click.option("--select", multiple=True, metavar="RULE", help="Use only these rules: a code, a code prefix, or a name.")
@click.option("--ignore", multiple=True, metavar="RULE", help="Skip these rules.")
@click.option("--fix", is_flag=True, help="Fix problems that can be fixed without changing what a pack does.")
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
    """Find every problem in packs. PATHS are folders of packs, other sources or pack files.  [default: packs]

    Exit codes: 0 clean or notes only, 1 problems found, 2 invalid usage, 3 bug in promptpack.
    """
    options = _LintOptions(paths or ("packs",), format, _split(select), _split(ignore), fix)
    if watch:
        _watch(options)
    ctx.exit(1 if _run(options).failed else 0)


@dataclass(frozen=True, slots=True)
class _LintOptions:
    paths: tuple[str, ...]
    format: str
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    fix: bool


def _split(options: tuple[str, ...]) -> tuple[str, ...]:
    """Accept `--select PL001,PL002` as well as a repeated option."""
    return tuple(word for option in options for word in option.replace(",", " ").split())


def _watch(options: _LintOptions) -> None:
    from promptpack.watching import changes

    _run_again(options)
    for _ in changes(tuple(files.group_by_root(options.paths))):
        _run_again(options)


def _run_again(options: _LintOptions) -> None:
    try:
        _run(options)
    except PromptpackError as error:
        # The next change may fix an unfinished edit, so keep watching.
        print_problems(error.problems, err=True)


def _run(options: _LintOptions) -> LintReport:
    report = lint(options.paths, select=options.select, ignore=options.ignore, track=partial(track, noun="packs"))
    before = Counter(problem.code for problem in report.problems)
    for _ in range(_MAX_ROUNDS if options.fix else 0):
        if not report.safe_fixes:
            break
        from promptpack.linter.fixes import apply_fixes

        apply_fixes(report)
        report = lint(options.paths, select=options.select, ignore=options.ignore)
    fixed = (before - Counter(problem.code for problem in report.problems)).total()
    report = LintReport.join([report, LintReport(problems=tuple(_find_changed(options.paths)))])
    written = write(report, options.format)
    if written:
        click.echo(written)
    click.echo(_summary(report, fixed, options.fix), err=True)
    return report


def _find_changed(paths: tuple[str, ...]) -> Iterator[Problem]:
    for root, wanted in files.group_by_root(paths).items():
        for problem in find_changed_releases(root):
            if not wanted or (problem.location and problem.location.path in wanted):
                yield problem


def _summary(report: LintReport, fixed: int, fix: bool) -> str:
    counts = Counter[str](problem.severity for problem in report.problems)
    found = ", ".join(click.style(f"{counts[kind]} {kind}(s)", fg=_COLOURS[kind]) for kind in _COLOURS if counts[kind])
    parts = [f"{len(report.files)} pack file(s)", found or click.style("no problems", fg="green")]
    if fixed:
        parts.append(f"{fixed} fixed")
    if report.safe_fixes and not fix:
        parts.append(f"{len(report.safe_fixes)} fixable with --fix")
    return ", ".join(parts)
