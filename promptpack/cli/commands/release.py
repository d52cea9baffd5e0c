"""`promptpack release`: turn a draft into a release, and lock it."""

from collections.abc import Iterator

import click

from promptpack import trial
from promptpack.cli.apply_plan import apply_plan
from promptpack.cli.console import print_problems
from promptpack.cli.options import open_library, pack_argument, packs_option
from promptpack.library.contents import LOCK
from promptpack.linter.lint_paths import lint
from promptpack.problem import PackError, Problem
from promptpack.versions.releasing import Release, plan_release


@click.command("release")
@pack_argument
@packs_option
@click.pass_context
def command(ctx: click.Context, pack: str, folders: tuple[str, ...]) -> None:
    """Turn the newest draft of PACK, or name@version, into a release, and lock it.

    The draft must lint clean and pass its tests, and its version must be large enough for its changes. Its files are
    renamed, with its variants, tests and snapshots; only the version line changes.
    """
    release = plan_release(open_library(folders), pack)
    if not release.is_released:
        _require_ready(release)
    folder = release.versions.folder
    apply_plan(release.plan)
    click.echo(release.label)
    if folder.exists(f"{LOCK}.sig"):
        click.echo(f"sign {folder.show(LOCK)} again: promptpack lock {folder.root} --sign KEY", err=True)
    if release.references:
        print_problems(_find_references(release), err=True)
        ctx.exit(1)


def _require_ready(release: Release) -> None:
    """Refuse a draft that does not lint clean, or that fails a test."""
    entries = release.versions.entries_of(release.draft)
    report = lint([entry.path for entry in entries])
    found = [problem for problem in report.problems if problem.severity != "note"]
    failed = list(_find_failures(release)) if not found else []
    if found or failed:
        label = f"{release.versions.name}@{release.draft}"
        message = f"{label} is not ready: {len(found)} problem(s), {len(failed)} failed expectation(s) of its tests"
        hint = f"nothing was written; fix what 'promptpack lint' and 'promptpack test {label}' report"
        raise PackError([*found, *failed, Problem("PP939", message, None, hint)])


def _find_failures(release: Release) -> Iterator[Problem]:
    library = release.versions.library
    packs = [library._build_entry(entry) for entry in release.versions.entries_of(release.draft)]
    for one in trial.run(packs):
        for failure in one.failures:
            yield Problem("PP939", f"test {one.name!r}: {failure.message}", failure.location)


def _find_references(release: Release) -> Iterator[Problem]:
    """Yield the references to the draft that remain, each with its location."""
    draft = f"{release.versions.name}@{release.draft}"
    hint = f"name {release.version} there, then run: promptpack release {draft}"
    for problem in release.references:
        yield Problem("PP940", f"{draft} is not removed, because this still refers to it", problem.location, hint)
