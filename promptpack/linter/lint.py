"""Paths -> `Report`: packs are read, checked, linked and shown to the rules, never rendered."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from promptpack import files, flow
from promptpack.cache import Cache
from promptpack.library import Library
from promptpack.library.entry import Entry
from promptpack.linter.edit import Edit
from promptpack.linter.ignores import Ignore
from promptpack.linter.ignoring import Ignores, SharedIgnores, Written
from promptpack.linter.ledger import Ledger, Outcome
from promptpack.linter.memory import recall
from promptpack.linter.report import Report
from promptpack.linter.rule import Advice, Rule
from promptpack.linter.rules import unused_ignore
from promptpack.linter.settings import Settings, find_settings
from promptpack.linter.subject import Neighbours, Subject
from promptpack.problem import PackError, Problem, UsageError

_WHERE_SOMETHING_IS_MISSING = ("PP203", "PP241")


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
    over either. A pack is not linted again while nothing it relies on has changed: see `Cache.open` for what `cache`
    may be.
    """
    kept = Cache.open(cache)

    def lint_root(root: str, wanted: Collection[str]) -> Report:
        chosen = (settings or find_settings(root)).narrowed(select, ignore)

        def work() -> Report:
            return lint_library(Library.open(root, cache=cache), chosen, wanted, Ledger.open(kept, root, chosen))

        return recall(kept, root, chosen, wanted, work)

    return Report.join(lint_root(root, wanted) for root, wanted in files.group_by_root(paths).items())


def lint_text(path: str, text: str, settings: Settings | None = None) -> Report:
    """Lint a file as if it held `text`, as an editor's unsaved buffer does; the file need not be there yet."""
    root, wanted = files.find_root(path)
    library = Library.open(root).with_text(path, text)
    return lint_library(library, settings or find_settings(root), wanted)


def lint_library(
    library: Library, settings: Settings, wanted: Collection[str] = (), ledger: Ledger | None = None
) -> Report:
    """Lint the packs of an open library, or the wanted files of it; what the ledger holds is not worked out again."""
    ledger = ledger or Ledger()
    neighbours = Neighbours(library, ledger.paragraphs)
    entries = [entry for entry in neighbours.entries if not wanted or entry.shown in wanted]
    strangers = sorted(set(wanted) - {entry.shown for entry in entries})
    if strangers:
        hint = "packs are .yaml files outside of folders that start with '_' or '.'"
        raise UsageError(Problem("PP706", f"{path!r} is not a pack file", None, hint) for path in strangers)
    outcomes = [_outcome(entry, neighbours, settings, ledger) for entry in entries]
    ledger.close(neighbours.entries)
    reports = [outcome.report for outcome in outcomes]
    if not wanted:
        reports += (lint_flow(folder, library, settings) for folder in library.folders)
        shared = SharedIgnores.join(outcome.ignores for outcome in outcomes)
        reports.append(_report(_tell_idle(shared.idle(_codes(settings.rules)), settings)))
    return Report.join([Report(tuple(entry.shown for entry in entries)), *reports])


def lint_flow(folder: files.Folder, library: Library, settings: Settings, text: str | None = None) -> Report:
    """Lint the flow of a folder, or `text` in its place; what is wrong with it can be ignored, unless it is no flow."""
    try:
        found = flow.find(folder) if text is None else flow.read_text(folder, text)
    except PackError as error:
        return Report(problems=error.problems)
    if found is None:
        return Report()
    ignores = Ignores([(found.document.text, found.document.path, found.document)])
    told = [problem for problem in flow.check(found, library) if not ignores.silence(problem.location, problem.code)]
    idle = _report(_tell_idle(ignores.idle(_codes(settings.rules), flow.CODES), settings))
    return Report.join([Report(problems=tuple(told)), idle])


def _outcome(entry: Entry, neighbours: Neighbours, settings: Settings, ledger: Ledger) -> Outcome:
    known = ledger.recall(entry, neighbours)
    if known is not None:
        return known
    outcome = _lint_entry(entry, neighbours, settings)
    ledger.remember(entry, neighbours, outcome)
    return outcome


def _lint_entry(entry: Entry, neighbours: Neighbours, settings: Settings) -> Outcome:
    try:
        return _lint_subject(neighbours.subject_of(entry), settings)
    except PackError as error:
        told = Report.join([Report(problems=error.problems), _lint_refused(entry, neighbours, settings)])
        return Outcome(told, SharedIgnores(is_open=True))


def _lint_refused(entry: Entry, neighbours: Neighbours, settings: Settings) -> Report:
    """Tell what else is wrong with a pack that was refused, as far as what is left of it shows."""
    try:
        subject = neighbours.salvage(entry)
    except PackError as error:
        return Report(problems=error.problems)
    if subject is None:
        return Report()
    report = _lint_subject(subject, settings).report
    # What was taken out is not missing.
    told = [problem for problem in report.problems if problem.code not in _WHERE_SOMETHING_IS_MISSING]
    return replace(report, problems=tuple(told))


def _lint_subject(subject: Subject, settings: Settings) -> Outcome:
    # Characters that nobody sees are a rule's to tell, which knows where they belong to a script.
    warnings = (problem for problem in subject.document.warnings if problem.code != "PP104")
    told = Report(problems=(*subject.sketch.problems, *warnings))
    others = Ignores(_shared_texts(subject))
    report = Report.join([told, _report(_ask(subject, settings, others))])
    return Outcome(report, SharedIgnores(others.all, others.used, is_open=not subject.is_whole))


@dataclass(frozen=True, slots=True)
class _Found:
    rule: Rule
    problem: Problem
    edits: tuple[Edit, ...]


def _report(found: Iterable[_Found]) -> Report:
    listed = list(found)
    return Report(
        problems=tuple(one.problem for one in listed), fixes={one.problem: one.edits for one in listed if one.edits}
    )


def _ask(subject: Subject, settings: Settings, others: Ignores) -> list[_Found]:
    document = subject.document
    rules = _rules_for(document.path, settings)
    own = Ignores([(document.text, document.path, document)])
    heard = [
        _found(rule, advice, settings)
        for rule in rules
        for advice in rule.check(subject)
        if not own.silence(advice.location, rule.CODE, rule.NAME)
        if not others.silence(advice.location, rule.CODE, rule.NAME)
    ]
    idle = () if subject.refused else _tell_idle(own.idle(_codes(rules)), settings)
    return [*heard, *(one for one in idle if not own.silence(one.problem.location, one.rule.CODE, one.rule.NAME))]


def _tell_idle(idle: Iterable[Ignore], settings: Settings) -> Iterator[_Found]:
    for ignore in idle:
        if unused_ignore in _rules_for(ignore.location.path, settings):
            yield _found(unused_ignore, unused_ignore.tell(ignore), settings)


def _rules_for(path: str, settings: Settings) -> list[Rule]:
    unwanted = settings.ignored_in(path)
    return [rule for rule in settings.rules if rule.CODE not in unwanted]


def _found(rule: Rule, advice: Advice, settings: Settings) -> _Found:
    severity = settings.severity_of(rule, advice.severity)
    return _Found(rule, Problem(rule.CODE, advice.message, advice.location, advice.hint, severity), advice.edits)


def _codes(rules: Iterable[Rule]) -> set[str]:
    return {rule.CODE for rule in rules}


def _shared_texts(subject: Subject) -> Iterator[Written]:
    """Give what the pack shares with others: partials that are files, and the schema files that it refers to."""
    for partial in subject.partials.values():
        path = partial.source.locate(1, 1).path
        if path != subject.document.path and path.endswith(".j2"):
            yield partial.source.text, path, None
    for document in subject.sketch.references.documents:
        yield document.text, document.path, document
