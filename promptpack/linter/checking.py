"""Check the packs of a library with rules: packs are parsed, validated and linked, but never rendered."""

from bisect import bisect
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from promptpack import files
from promptpack.document import Document
from promptpack.flow import check_flow, read_flow
from promptpack.library import Library
from promptpack.library.contents import LABELS
from promptpack.library.entry import Entry
from promptpack.linter.ignores import Ignore, IgnoreIndex, IgnoreTracker, SharedIgnores
from promptpack.linter.lint_report import Fix, LintReport
from promptpack.linter.lint_settings import LintSettings
from promptpack.linter.result_cache import LintResult, ResultCache
from promptpack.linter.rule import LintProblem, LintRule
from promptpack.linter.rules import unused_ignore
from promptpack.linter.subject import LintLibrary, Subject
from promptpack.problem import PackError, Problem, UsageError

_MISSING_SECTION = ("PP203", "PP241")
# Problems that refer to a broken file.
_OF_BROKEN_FILES = ("PP234", "PP237")
# Rules whose problems may be consequences of a wrong name or template.
_FOLLOWING = ("PL001", "PL009", "PL012", "PL013", "PL032", "PL203")
# A warning that explains other problems: a key without a colon.
_MISREAD = "PP128"
# Files that are not packs and that nothing reads.
_MISPLACED = ("PP742", "PP759")
# Sections whose entries do not depend on each other.
_LISTED = ("inputs", "messages", "partials", "tests")


Track = Callable[[Sequence[Entry]], Iterable[Entry]]


def lint_library(
    packs: LintLibrary,
    settings: LintSettings,
    wanted: Collection[str] = (),
    cache: ResultCache | None = None,
    track: Track = iter,
) -> LintReport:
    """Lint the packs of an open library, or only the wanted files; cached results are not computed again.

    `track` iterates over the pack files, and may show the progress.
    """
    cache = cache or ResultCache()
    entries = [entry for entry in packs.entries if not wanted or entry.path in wanted]
    unknown = sorted(set(wanted) - {entry.path for entry in entries})
    if unknown:
        hint = "packs are .yaml files outside folders that start with '_' or '.'"
        raise UsageError(Problem("PP706", f"{path!r} is not a pack file", None, hint) for path in unknown)
    results = [_lint_or_load(entry, packs, settings, cache) for entry in track(entries)]
    cache.save(packs.entries)
    reports = [result.report for result in results]
    if not wanted:
        reports += (lint_flow(folder, packs.library, settings) for folder in packs.folders)
        reports += (lint_labels(folder, packs.library, settings) for folder in packs.folders)
        misplaced = [
            one for found in packs.library._contents.broken.values() for one in found if one.code in _MISPLACED
        ]
        reports.append(LintReport(problems=tuple(misplaced)))
        folders = dict.fromkeys(entry.folder for entry in entries)
        in_partials = (SharedIgnores(_ignores_in_partials(folder, packs).all) for folder in folders)
        shared = SharedIgnores.join([*in_partials, *(result.ignores for result in results)])
        reports.append(_report(_check_unused(shared.unused(_codes(settings._rules)), settings)))
    joined = LintReport.join([LintReport(tuple(entry.path for entry in entries)), *reports])
    return replace(joined, problems=tuple(_keep_first_causes(joined.problems)))


def _keep_first_causes(problems: Sequence[Problem]) -> Iterator[Problem]:
    """Leave out problems with a reported cause: references to a broken file, and rules at the place of an error."""
    broken = {one.location.path for one in problems if one.location and one.code not in _OF_BROKEN_FILES}
    errors = {_line(one) for one in problems if one.severity == "error" and one.code.startswith("PP")} - {None}
    for one in problems:
        if one.code in _OF_BROKEN_FILES and not broken.isdisjoint(one.message.replace(",", " ").split()):
            continue
        if one.code.startswith("PP") or _line(one) not in errors:
            yield one


def _line(problem: Problem) -> tuple[str, int] | None:
    return (problem.location.path, problem.location.line) if problem.location else None


def lint_flow(folder: files.Folder, library: Library, settings: LintSettings, text: str | None = None) -> LintReport:
    """Lint the flow of a folder, or `text` in its place; problems can be ignored, except those of an invalid file."""
    try:
        found = read_flow.find(folder) if text is None else read_flow.read_text(folder, text)
    except PackError as error:
        return LintReport(problems=error.problems)
    if found is None:
        return LintReport()
    return _lint_beside(found.document, check_flow.check(found, library), check_flow.CODES, settings)


def lint_labels(folder: files.Folder, library: Library, settings: LintSettings, text: str | None = None) -> LintReport:
    """Lint the labels of a folder, or `text` in their place; as `lint_flow` does."""
    if text is None and not folder.is_occupied(LABELS):
        return LintReport()
    from promptpack.library.labels import LabelIndex, read
    from promptpack.linter.check_labels import CODES, check_labels

    try:
        found = read(folder.read(LABELS) if text is None else text, folder.show(LABELS))
    except PackError as error:
        return LintReport(problems=error.problems)
    return _lint_beside(found, check_labels(LabelIndex([found]), library), CODES, settings)


def _lint_beside(
    document: Document, problems: Iterable[Problem], codes: tuple[str, ...], settings: LintSettings
) -> LintReport:
    """Report the problems of a file next to the packs that are not ignored, and unused ignores."""
    ignores = IgnoreTracker([(document.text, document.path, document)])
    found = [one for one in problems if not ignores.silence(one.location, one.code)]
    unused = _report(_check_unused(ignores.unused(_codes(settings._rules), codes), settings))
    return LintReport.join([LintReport(problems=tuple(found)), unused])


def _lint_or_load(entry: Entry, library: LintLibrary, settings: LintSettings, cache: ResultCache) -> LintResult:
    result = cache.get(entry, library)
    if result is None:
        result = _lint_entry(entry, library, settings)
        cache.put(entry, library, result)
    return result


def _lint_entry(entry: Entry, library: LintLibrary, settings: LintSettings) -> LintResult:
    try:
        result = _lint_subject(library.load(entry), settings)
    except PackError as error:
        report = LintReport.join([LintReport(problems=error.problems), _lint_pruned(entry, library, settings)])
        result = LintResult(report, SharedIgnores(has_gaps=True))
    document = entry.document or entry.refused
    return result if document is None else replace(result, report=_keep_causes(result.report, document))


def _keep_causes(report: LintReport, document: Document) -> LintReport:
    """Leave out consequences of an error: problems that lint rules find in the same part of the file."""
    errors = [
        one
        for one in report.problems
        if one.code.startswith("PP") and (one.severity == "error" or one.code == _MISREAD)
    ]
    if not errors:
        return report
    starts = sorted(_part_lines(document))

    def part_of(problem: Problem) -> int | None:
        place = problem.location
        return bisect(starts, place.line) if place is not None and place.path == document.path else None

    broken = {part_of(error) for error in errors} - {None}
    kept = [
        one
        for one in report.problems
        if one.code.startswith("PP") or (part_of(one) not in broken and one.code not in _FOLLOWING)
    ]
    return replace(report, problems=tuple(kept), fixes={one: report.fixes[one] for one in kept if one in report.fixes})


def _part_lines(document: Document) -> Iterator[int]:
    """Yield the first lines of the parts of a pack: the top-level keys, and each input, message, partial and test."""
    data = document.data if isinstance(document.data, dict) else {}
    for key, value in data.items():
        yield document.locate_key((key,)).line
        if key in _LISTED:
            inner = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
            yield from (document.locate_key((key, one)).line for one in inner)


def _lint_pruned(entry: Entry, library: LintLibrary, settings: LintSettings) -> LintReport:
    """Report the other problems of an invalid pack, as far as its valid sections show them."""
    try:
        subject = library.load_pruned(entry)
    except PackError as error:
        return LintReport(problems=error.problems)
    if subject is None:
        return LintReport()
    report = _lint_subject(subject, settings).report
    # Sections that were removed as invalid are not missing.
    problems = [problem for problem in report.problems if problem.code not in _MISSING_SECTION]
    return replace(report, problems=tuple(problems))


def _lint_subject(subject: Subject, settings: LintSettings) -> LintResult:
    # PL005 reports invisible characters, since it knows which ones belong to a script.
    # A broken pack has PP128 among its errors.
    others = ("PP104", "PP128") if subject.is_pruned else ("PP104",)
    warnings = (problem for problem in subject.document.warnings if problem.code not in others)
    own = LintReport(problems=(*subject.compiled.problems, *warnings))
    documents = ((document.text, document.path, document) for document in subject.compiled.references.documents)
    shared = IgnoreTracker(documents, _ignores_in_partials(subject.folder, subject.library))
    report = LintReport.join([own, _report(_check_rules(subject, settings, shared))])
    return LintResult(report, SharedIgnores(shared.own, shared.used, has_gaps=not subject.is_complete))


@dataclass(frozen=True, slots=True)
class _RuleProblem:
    rule: LintRule
    problem: Problem
    fixes: tuple[Fix, ...]


def _report(found: Iterable[_RuleProblem]) -> LintReport:
    listed = list(found)
    return LintReport(
        problems=tuple(one.problem for one in listed), fixes={one.problem: one.fixes for one in listed if one.fixes}
    )


def _check_rules(subject: Subject, settings: LintSettings, shared: IgnoreTracker) -> list[_RuleProblem]:
    document = subject.document
    rules = _rules_for(document.path, settings)
    own = IgnoreTracker([(document.text, document.path, document)])
    found = [
        _found(rule, problem, settings)
        for rule in rules
        for problem in rule.check(subject)
        if not own.silence(problem.location, rule.CODE, rule.NAME)
        if not shared.silence(problem.location, rule.CODE, rule.NAME)
    ]
    unused = () if subject.is_pruned else _check_unused(own.unused(_codes(rules)), settings)
    return [*found, *(one for one in unused if not own.silence(one.problem.location, one.rule.CODE, one.rule.NAME))]


def _check_unused(unused: Iterable[Ignore], settings: LintSettings) -> Iterator[_RuleProblem]:
    for ignore in unused:
        if unused_ignore in _rules_for(ignore.location.path, settings):
            yield _found(unused_ignore, unused_ignore.report(ignore), settings)


def _rules_for(path: str, settings: LintSettings) -> list[LintRule]:
    ignored = settings.ignored_in(path)
    return [rule for rule in settings._rules if rule.CODE not in ignored]


def _found(rule: LintRule, found: LintProblem, settings: LintSettings) -> _RuleProblem:
    severity = settings._severity_of(rule, found.severity)
    return _RuleProblem(rule, Problem(rule.CODE, found.message, found.location, found.hint, severity), found.fixes)


def _codes(rules: Iterable[LintRule]) -> set[str]:
    return {rule.CODE for rule in rules}


def _ignores_in_partials(folder: files.Folder, packs: LintLibrary) -> IgnoreIndex:
    return packs.cached(
        f"ignores {folder.root}",
        lambda: IgnoreIndex((text, path, None) for path, text in packs.partial_files(folder)),
    )
