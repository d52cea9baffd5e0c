"""`promptpack test`: run the tests in packs."""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeVar

import click

from promptpack import files
from promptpack.cli.chosen_packs import ChosenPacks, choose_packs
from promptpack.cli.console import print_problems
from promptpack.cli.last_failed import LastFailed, identify
from promptpack.cli.options import complete_packs, packs_option
from promptpack.cli.progress import track_some
from promptpack.cli.test_reports import FORMATS, TestReport, summarize, write
from promptpack.pack.model import Pack, PackTest
from promptpack.problem import Problem, PromptpackError, UsageError
from promptpack.trial import Trial
from promptpack.trial.parallel import run_in_processes
from promptpack.trial.run_tests import Keep
from promptpack.trial.selection import read_selection
from promptpack.trial.snapshot import find_stale

Command = TypeVar("Command", bound=Callable[..., Any])


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
        help="Run in so many processes; 'auto' for one per processor.  [default: 1]",
    )(command)  # fmt: skip
    return click.option("-x", "exit_first", is_flag=True, help="Stop at the first failure.")(command)


def _reporting_options(command: Command) -> Command:
    command = click.option("--watch", is_flag=True, help="Run again whenever a file changes.")(command)
    command = click.option("-q", "--quiet", is_flag=True, help="Show each failure on one line, without texts.")(command)
    return click.option("--format", type=click.Choice(list(FORMATS)), default="text", show_default=True)(command)


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
@click.pass_context
def command(ctx: click.Context, /, watch: bool, **given: Any) -> None:
    """Run the tests in packs. NAMES are names, name@range, pack files or folders; all packs by default.

    Exit codes: 0 all passed, 1 a test failed or a pack is broken, 2 invalid usage, 3 bug in promptpack.
    """
    options = _TestOptions(**given)
    if options.prune and not options.update:
        raise click.UsageError("--prune needs --update")
    if watch:
        _watch(options)
    ctx.exit(1 if _run(options).failed else 0)


def _watch(options: _TestOptions) -> None:
    from promptpack.watching import changes

    roots = choose_packs(options.names, options.folders).roots
    for _ in chain((None,), changes(roots)):
        try:
            _run(options)
        except PromptpackError as error:
            # The next change may fix an unfinished edit, so keep watching.
            print_problems(error.problems, err=True)


def _run(options: _TestOptions) -> TestReport:
    chosen = choose_packs(options.names, options.folders)
    last = LastFailed.open(chosen.roots)
    report = _run_chosen(options, chosen, last)
    last.remember(report.trials)
    if written := write(report, options.format, options.quiet):
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
