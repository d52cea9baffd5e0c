"""`promptpack diff`: what changed between two versions of packs, and the version bump it needs."""

from collections.abc import Iterator
from dataclasses import replace
from shlex import quote

import click

from promptpack.cli.diff_reports.catalogue import FORMATS, write
from promptpack.cli.diff_sides import Place, VariantChoice, find_side, is_path, is_revision
from promptpack.cli.options import complete_packs, key_option, locale_option, packs_option
from promptpack.library import Library
from promptpack.library.choosing import choose, parse_reference
from promptpack.problem import Problem, UsageError
from promptpack.versions.check_versions import find_broken, find_wrong_versions
from promptpack.versions.compare_libraries import compare_libraries, compare_pair
from promptpack.versions.version_diff import DiffReport


@click.command("diff")
@click.argument("old", required=False, shell_complete=complete_packs)
@click.argument("new", required=False, shell_complete=complete_packs)
@click.option("--from", "origin", metavar="PLACE", help="Where OLD is: a git revision, a folder, an archive.")
@click.option("--to", "target", metavar="PLACE", help="Where NEW is.  [default: the working tree]")
@packs_option
@locale_option
@key_option
@click.option("--format", type=click.Choice(list(FORMATS)), default="text", show_default=True)
@click.option("--check", is_flag=True, help="Exit with 1 if a version is too small for its change.")
@click.pass_context
def command(
    ctx: click.Context,
    old: str | None,
    new: str | None,
    origin: str | None,
    target: str | None,
    folders: tuple[str, ...],
    locale: str | None,
    key: str | None,
    format: str,  # noqa: A002 -- the option's name
    check: bool,
) -> None:
    """Show what changed between OLD and NEW, and the version bump it needs.

    OLD and NEW are a name, name@version, name@label, or the path of a pack file. A single PACK@VERSION or path is
    compared with itself in another place; a single name, or none, stands for every version that differs. Then --from
    is HEAD by default.

    \b
    promptpack diff planner@1.0.0 planner@1.1.0
    promptpack diff planner@production planner@staging
    promptpack diff planner@1.0.0 --from HEAD~1
    promptpack diff --from main --check
    """
    places = _find_places(new, origin, target, folders)
    choice = VariantChoice(locale, key)
    if old is not None and (new is not None or "@" in old or is_path(old)):
        report = _compare_pair((old, new or old), places, choice)
    elif locale or key:
        hint = "name the pack and a version, such as planner@1.0.0"
        raise UsageError(Problem("PP945", "--locale and --key need two versions to compare", None, hint))
    else:
        report = _compare_all(old or "", places)
    if check:
        report = _check(report, places[0])
    written = write(report, format)
    if written:
        click.echo(written)
    ctx.exit(1 if report.failed else 0)


def _find_places(
    new: str | None, origin: str | None, target: str | None, folders: tuple[str, ...]
) -> tuple[Place, Place]:
    """Return both places; without a pair, HEAD is compared with the working tree."""
    if new is None:
        origin, folders = origin or "HEAD", folders or ("packs",)
    return Place.find(origin, folders), Place.find(target, folders)


def _compare_pair(texts: tuple[str, str], places: tuple[Place, Place], choice: VariantChoice) -> DiffReport:
    if not all(map(is_path, texts)) and not any(map(is_path, texts)):
        names = [parse_reference(text).name for text in texts]
        if names[0] != names[1]:
            hint = "compare two versions of one pack; for a renamed pack, pass the paths of both files"
            raise UsageError(Problem("PP947", f"{names[0]!r} and {names[1]!r} are different packs", None, hint))
    first, second = (find_side(place, text, choice) for place, text in zip(places, texts, strict=True))
    first, second = first.like(second), second.like(first)
    if first.name != second.name and not all(map(is_path, texts)):
        hint = "compare two versions of one pack; for a renamed pack, pass the paths of both files"
        raise UsageError(Problem("PP947", f"{first.label} and {second.label} are different packs", None, hint))
    found = compare_pair(first, second)
    is_news = found.changes or found.is_rewritten or first.version != second.version
    return DiffReport(first.path, second.path, (found,) if is_news else ())


def _compare_all(name: str, places: tuple[Place, Place]) -> DiffReport:
    old, new = (place.open() for place in places)
    if name and name not in {entry.name for entry in (*old.entries, *new.entries)}:
        if is_revision(name, places[0].folders):
            hint = f"to compare it with the working tree, run: promptpack diff --from {quote(name)}"
            raise UsageError(Problem("PP945", f"{name!r} is a git revision, not a pack", None, hint))
        choose(new, parse_reference(name), None)  # raises the problem that there is none, with a hint
    diffs = tuple(compare_libraries(old, new, name))
    problems = dict.fromkeys((*_find_unreadable(old, new), *find_broken(diffs)))
    return DiffReport(str(places[0]), str(places[1]), diffs, tuple(problems))


def _find_unreadable(old: Library, new: Library) -> Iterator[Problem]:
    """Yield the problems of files that are not packs, such as partials; those of the old side are only warnings."""
    for problems in new._contents.broken.values():
        yield from problems
    for problems in old._contents.broken.values():
        yield from (replace(problem, severity="warning") for problem in problems)


def _check(report: DiffReport, origin: Place) -> DiffReport:
    # `bump` itself restores a release that was edited since HEAD.
    undo = f"git checkout {quote(origin.revision)} --" if origin.revision not in ("", "HEAD") else ""
    found = find_wrong_versions(report.diffs, undo)
    return replace(report, problems=(*report.problems, *found), is_checked=True)
