"""`promptpack test`: run the tests in packs."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

import click

from promptpack import files
from promptpack.cli.chosen_packs import ChosenPacks, choose_packs
from promptpack.cli.console import print_problems
from promptpack.cli.last_failed import LastFailed, identify
from promptpack.cli.options import Command, FiniteRange, complete_packs, packs_option
from promptpack.cli.progress import track_some
from promptpack.cli.test_reports import FORMATS, TestReport, summarize, write
from promptpack.pack.model import Pack, PackTest
from promptpack.problem import Problem, PromptpackError, UsageError
from promptpack.trial import Trial
from promptpack.trial.parallel import run_in_processes
from promptpack.trial.run_tests import Keep
from promptpack.trial.selection import read_selection
from promptpack.trial.snapshot import find_stale


@dataclass(frozen=True, slots=True)
class _TestOptions:
    names: tuple[str, ...]
    folders: tuple[str, ...]
    expression: str
    last_failed: bool
    exit_first: bool
    processes: int
    update: bool
    prune: bool
    quiet: bool
    format: str
    mutate: bool
    mutate_fail_under: float
    cov: bool
    cov_html: str | None
    cov_lcov: str | None
    cov_fail_under: float | None
    fuzz: int | None
    seed: int

    @property
    def covers(self) -> bool:
        """Whether the coverage is measured: one of its options is given."""
        return self.cov or self.cov_fail_under is not None or bool(self.cov_html or self.cov_lcov)


def _selecting_options(command: Command) -> Command:
    command = click.option("--last-failed", is_flag=True, help="Run only the tests that failed last time.")(command)
    return click.option(
        "-k", "expression", default="", metavar="EXPR",
        help="Run only tests whose pack, locale and name match, such as 'planner and not en'.",
    )(command)  # fmt: skip


def _running_options(command: Command) -> Command:
    command = click.option("--prune", is_flag=True, help="With --update, delete snapshots that no test uses.")(command)
    command = click.option("--update", is_flag=True, help="Write snapshots instead of comparing them.")(command)
    command = click.option(
        "-n", "processes", default="1", metavar="N", callback=_read_processes,
        help="Run in this many processes; 'auto' for one per processor.  [default: 1]",
    )(command)  # fmt: skip
    return click.option("-x", "exit_first", is_flag=True, help="Stop at the first failure.")(command)


def _reporting_options(command: Command) -> Command:
    command = click.option("--watch", is_flag=True, help="Run again whenever a file changes.")(command)
    command = click.option("-q", "--quiet", is_flag=True, help="Show each failure on one line, without texts.")(command)
    return click.option("--format", type=click.Choice(list(FORMATS)), default="text", show_default=True)(command)


def _mutating_options(command: Command) -> Command:
    command = click.option(
        "--mutate-fail-under", type=FiniteRange(0, 100), default=0, metavar="PERCENT",
        help="With --mutate, exit with 1 if the tests detect less than this.",
    )(command)  # fmt: skip
    return click.option(
        "--mutate", is_flag=True,
        help="Change each pack in many small ways, and list the changes that no test detects.",
    )(command)  # fmt: skip


def _fuzzing_options(command: Command) -> Command:
    command = click.option("--seed", type=int, default=0, show_default=True, help="The seed of --fuzz.")(command)
    return click.option(
        "--fuzz", type=click.IntRange(min=1), metavar="N",
        help="Instead, try N generated contexts and replies for each pack.",
    )(command)  # fmt: skip


def _covering_options(command: Command) -> Command:
    command = click.option(
        "--cov-fail-under", type=FiniteRange(0, 100), metavar="PERCENT",
        help="Exit with 1 if the tests cover less than this.",
    )(command)  # fmt: skip
    command = click.option("--cov-lcov", metavar="FILE", help="Write the coverage for tools that read lcov.")(command)
    command = click.option("--cov-html", metavar="FILE", help="Draw the coverage on the files, as one page.")(command)
    return click.option("--cov", is_flag=True, help="List the points of packs that no test covers.")(command)


def _read_processes(_: click.Context, __: click.Parameter, value: str) -> int:
    if value == "auto":
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not (value.isascii() and value.isdecimal() and 0 < int(value) < 1000):
        raise click.BadParameter(f"{value!r} is not a number of processes, or 'auto'")
    return int(value)


@click.command("test")
@click.argument("names", nargs=-1, shell_complete=complete_packs)
@packs_option
@_selecting_options
@_running_options
@_reporting_options
@_mutating_options
@_covering_options
@_fuzzing_options
@click.pass_context
def command(ctx: click.Context, /, watch: bool, **given: Any) -> None:
    """Run the tests in packs. NAMES are names, name@range, pack files or folders; all packs by default.

    Exit codes: 0 all passed, 1 a test failed or a pack is broken, 2 invalid usage, 3 bug in promptpack.
    """
    options = _TestOptions(**given)
    if options.prune and not options.update:
        raise click.UsageError("--prune needs --update")
    if options.mutate and (watch or options.expression or options.last_failed or options.update):
        raise click.UsageError("--mutate runs all tests of the packs: without -k, --last-failed, --update and --watch")
    if options.fuzz:
        ctx.exit(0 if _fuzz(options, options.fuzz) else 1)
    if watch:
        _watch(options)
    is_good = _mutate(options) if options.mutate else not _run(options, "text" if options.covers else "").failed
    if options.covers:
        is_good &= _cover(options)
    ctx.exit(0 if is_good else 1)


def _fuzz(options: _TestOptions, count: int) -> bool:
    """Try generated cases, and return whether they break nothing and every pack can be loaded."""
    from promptpack.cli.fuzz_report import run_fuzz

    if options.format not in ("text", "json"):
        raise click.UsageError("--fuzz prints text or JSON")
    chosen = choose_packs(options.names, options.folders)
    is_clean = run_fuzz(chosen.packs, count, options.seed, options.format)
    print_problems(chosen.problems, err=True)
    return is_clean and not chosen.problems


def _cover(options: _TestOptions) -> bool:
    """Measure the coverage, and return whether it is high enough."""
    from promptpack.cli.coverage_report import measure_packs, print_coverage, write_html, write_lcov

    packs = choose_packs(options.names, options.folders).packs
    coverage = measure_packs(track_some(packs, len(packs), "packs"))
    print_coverage(coverage, options.format)
    if options.cov_html:
        files.write(options.cov_html, write_html(coverage))
    if options.cov_lcov:
        files.write(options.cov_lcov, write_lcov(coverage))
    return coverage.percent >= (options.cov_fail_under or 0)


def _mutate(options: _TestOptions) -> bool:
    """Run the tests, then run them on changed packs; return whether all pass and enough changes are detected."""
    from promptpack.cli.mutation_report import report_mutations

    if _run(options, format="text").failed:
        click.echo("fix the tests first; --mutate needs tests that pass", err=True)
        return False
    packs = [pack for pack in choose_packs(options.names, options.folders).packs if pack.tests]
    score = report_mutations(track_some(packs, len(packs), "packs"), options.format)
    return score.percent >= options.mutate_fail_under


def _watch(options: _TestOptions) -> None:
    from promptpack.watching import changes

    roots = choose_packs(options.names, options.folders).roots
    for _ in chain((None,), changes(roots)):
        try:
            _run(options)
        except PromptpackError as error:
            # The next change may fix an unfinished edit, so keep watching.
            print_problems(error.problems, err=True)


def _run(options: _TestOptions, format: str = "") -> TestReport:  # noqa: A002 -- the option's name
    chosen = choose_packs(options.names, options.folders)
    last = LastFailed.open(chosen.roots)
    report = _run_chosen(options, chosen, last)
    last.remember(report.trials)
    if written := write(report, format or options.format, options.quiet):
        click.echo(written)
    print_problems(report.problems, err=True)
    click.echo(summarize(report), err=True)
    return report


def _run_chosen(options: _TestOptions, chosen: ChosenPacks, last: LastFailed) -> TestReport:
    keep = _make_filter(options, last)
    total = sum(len(pack.tests) for pack in chosen.packs)
    kept = sum(keep(pack, test) for pack in chosen.packs for test in pack.tests)
    if options.expression and total and not kept:
        raise UsageError(Problem("PP917", f"no test matches {options.expression!r}"))
    trials = run_in_processes(chosen.packs, options.processes, update=options.update, keep=keep)
    done = tuple(_until_failure(track_some(trials, kept, "tests"), options.exit_first))
    stale = find_stale(chosen.packs, chosen.files)
    for path in stale if options.prune else ():
        files.require_writable(path)
        files.remove(path)
    return TestReport(done, chosen.problems, stale, kept - len(done), total - kept, options.prune)


def _make_filter(options: _TestOptions, last: LastFailed) -> Keep:
    matches = read_selection(options.expression) if options.expression else None
    names = last.names if options.last_failed else None
    if options.last_failed and not last.names:
        click.echo(last.reason, err=True)
        names = None

    def keep(pack: Pack, test: PackTest) -> bool:
        name = identify(pack.label, pack.locale, test.name)
        return (matches is None or matches(name)) and (names is None or name in names)

    return keep


def _until_failure(trials: Iterable[Trial], exit_first: bool) -> Iterator[Trial]:
    for trial in trials:
        yield trial
        if exit_first and not trial.passed:
            return
