"""Paths -> `Report`: packs are read, checked, linked and shown to the rules, never rendered."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from promptpack import files, flow
from promptpack.cache import Cache
from promptpack.library import Library
from promptpack.library.entry import Entry
from promptpack.linter.catalogue import find_rules, instead_of
from promptpack.linter.edit import Edit
from promptpack.linter.ignores import Ignore, find_ignores
from promptpack.linter.memory import recall
from promptpack.linter.report import Report
from promptpack.linter.rule import Rule
from promptpack.linter.rules import unused_ignore
from promptpack.linter.settings import Settings, find_settings
from promptpack.linter.subject import Neighbours, Subject
from promptpack.problem import PackError, Problem, UsageError


def lint(
    paths: Iterable[str],
    settings: Settings | None = None,
    *,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    cache: str | bool | None = None,
) -> Report:
    """Lint folders of packs and single pack files; a file is linted among the packs of its own root.

    Without settings, those of the nearest `promptpack.toml` or `pyproject.toml` count; `select` and `ignore` are laid
    over either. A folder in which nothing has changed is not linted again: see `Cache.open` for what `cache` may be.
    """
    kept = Cache.open(cache)

    def lint_root(root: str, wanted: Collection[str]) -> Report:
        chosen = (settings or find_settings(root)).narrowed(select, ignore)
        return recall(kept, root, chosen, wanted, lambda: lint_library(Library.open(root, cache=cache), chosen, wanted))

    return Report.join(lint_root(root, wanted) for root, wanted in files.group_by_root(paths).items())


def lint_text(path: str, text: str, settings: Settings | None = None) -> Report:
    """Lint a file as if it held `text`, as an editor's unsaved buffer does; the file need not be there yet."""
    root, wanted = files.root_of(path)
    library = Library.open(root).with_text(path, text)
    return lint_library(library, settings or find_settings(root), wanted)


def lint_library(library: Library, settings: Settings, wanted: Collection[str] = ()) -> Report:
    """Lint the packs of an open library, or the wanted files of it."""
    neighbours = Neighbours(library)
    entries = [entry for entry in neighbours.entries if not wanted or entry.shown in wanted]
    strangers = sorted(set(wanted) - {entry.shown for entry in entries})
    if strangers:
        hint = "packs are .yaml files outside of folders that start with '_' or '.'"
        raise UsageError(Problem("PP706", f"{path!r} is not a pack file", None, hint) for path in strangers)
    reports = [_lint_entry(entry, neighbours, settings) for entry in entries]
    reports += [] if wanted else [_lint_flow(folder, library) for folder in library.folders]
    return Report.join([Report(tuple(entry.shown for entry in entries)), *reports])


def _lint_flow(folder: files.Folder, library: Library) -> Report:
    try:
        found = flow.find(folder)
    except PackError as error:
        return Report(problems=error.problems)
    return Report() if found is None else Report(problems=flow.check(found, library))


def _lint_entry(entry: Entry, neighbours: Neighbours, settings: Settings) -> Report:
    try:
        subject = neighbours.subject_of(entry)
    except PackError as error:
        return Report(problems=error.problems)
    found = _ask(subject, settings)
    fixes = {one.problem: one.edits for one in found if one.edits}
    # Characters that nobody sees are a rule's to tell, which knows where they belong to a script.
    warnings = (problem for problem in subject.document.warnings if problem.code != "PP104")
    return Report(problems=(*subject.sketch.problems, *warnings, *(one.problem for one in found)), fixes=fixes)


@dataclass(frozen=True, slots=True)
class _Found:
    rule: Rule
    problem: Problem
    edits: tuple[Edit, ...]


def _ask(subject: Subject, settings: Settings) -> list[_Found]:
    unwanted = settings.ignored_in(subject.document.path)
    rules = [rule for rule in settings.rules if rule.CODE not in unwanted]
    ignores = _Ignores(subject)
    heard = [one for rule in rules for one in _advice(rule, subject, settings) if not ignores.silence(one)]
    if unused_ignore.CODE in (rule.CODE for rule in rules):
        idle = tuple(ignores.idle({rule.CODE for rule in rules}))
        last = replace(subject, idle=idle)
        heard += (one for one in _advice(unused_ignore, last, settings) if not ignores.silence(one))
    return heard


def _advice(rule: Rule, subject: Subject, settings: Settings) -> Iterator[_Found]:
    for advice in rule.check(subject):
        severity = settings.severity_of(rule, advice.severity)
        problem = Problem(rule.CODE, advice.message, advice.location, advice.hint, severity)
        yield _Found(rule, problem, advice.edits)


class _Ignores:
    """The ignores of a pack's file and of the partials that are files, and which of them silenced something."""

    def __init__(self, subject: Subject) -> None:
        document = subject.document
        own = find_ignores(document.text, document.path, document.is_comment)
        self._own = tuple(own)
        self._all = (*self._own, *_of_shared_partials(subject))
        self._used: set[Ignore] = set()

    def silence(self, found: _Found) -> bool:
        place = found.problem.location
        silent = [
            ignore
            for ignore in self._all
            if place and (ignore.location.path, ignore.location.line) == (place.path, place.line)
            if ignore.code in (found.rule.CODE, found.rule.NAME)
        ]
        self._used.update(silent)
        return bool(silent)

    def idle(self, asked: set[str]) -> Iterator[Ignore]:
        """Give the ignores that silenced nothing although their rule was asked, and those without a rule."""
        for ignore in self._own:
            meant = [rule for rule in find_rules(ignore.code) if ignore.code in (rule.CODE, rule.NAME)]
            if not meant:
                yield replace(ignore, hint=_instead(ignore.code))
            elif ignore not in self._used and meant[0].CODE in asked - {unused_ignore.CODE}:
                yield ignore


def _instead(code: str) -> str:
    if code.startswith("PP"):
        return "what is wrong with the pack itself cannot be ignored; mend it"
    return instead_of(code)


def _of_shared_partials(subject: Subject) -> Iterator[Ignore]:
    for partial in subject.partials.values():
        path = partial.source.locate(1, 1).path
        if path != subject.document.path and path.endswith(".j2"):
            yield from find_ignores(partial.source.text, path, lambda _: False)
