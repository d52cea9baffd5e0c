"""Cases: one context per row of a JSONL or CSV file, or per test of a pack, checked before anything is sent."""

import csv
import hashlib
import io
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from promptpack import document, files, strict_json
from promptpack.evaluation.expectations import find_expectation_problems
from promptpack.pack.model import Pack
from promptpack.problem import ContextError, Location, PackError, Problem, UsageError, did_you_mean
from promptpack.prompt.secrets import Secrets

FROM_TESTS: Final = "tests"
_MAX_BYTES: Final = 200_000_000
_KEYS: Final = ("id", "context", "expect")
_ID_COLUMN: Final = "id"
_EXPECT_COLUMN: Final = "expect."


@dataclass(frozen=True, slots=True)
class Case:
    """One context, the expectations of its reply, and the location of the case.

    `key` identifies it in journals: the digest of the context, and a number if several cases have the same context.
    """

    id: str
    context: Mapping[str, Any]
    location: Location
    expect: Mapping[str, Any]
    key: str = ""


def read_cases(source: str, pack: Pack) -> tuple[Case, ...]:
    """Read the cases of a file, or those of the pack's own tests if the source is `tests`; raise all problems."""
    if source == FROM_TESTS:
        cases = list(_read_tests(pack))
    else:
        text = files.read_text(source, limit=_MAX_BYTES).removeprefix("\ufeff")
        cases = _read_csv(text, source, pack) if source.endswith(".csv") else _read_lines(text, source)
    if not cases:
        hint = "pass --cases FILE with .jsonl or .csv" if source == FROM_TESTS else "write one case per line"
        raise UsageError(Problem("PP971", "there are no cases", Location(source), hint))
    _require_different_ids(cases)
    return _with_keys(cases)


def check_cases(cases: Sequence[Case], packs: Sequence[Pack]) -> None:
    """Render every case with every pack; raise the problems of all cases, each at the line of its case."""
    problems = [found for pack in packs for case in cases for found in _find_mismatches(case, pack)]
    if problems:
        raise PackError(dict.fromkeys(problems))


def _find_mismatches(case: Case, pack: Pack) -> Iterator[Problem]:
    try:
        pack.render(case.context)
    except ContextError as error:
        hidden = Secrets(pack, case.context).hide_error(error)
        for one in hidden.problems:
            yield replace(one, message=f"case {case.id!r} for {pack.label}: {one.message}", location=case.location)


def _read_tests(pack: Pack) -> Iterator[Case]:
    for test in pack.tests:
        if not test.expect.get("problems"):
            yield Case(test.name, test.context, test.location, {})


def _read_lines(text: str, source: str) -> list[Case]:
    cases, problems = [], []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        place = Location(source, number, 1)
        try:
            row = strict_json.read(line)
        except json.JSONDecodeError as error:
            problems.append(Problem("PP970", f"invalid JSON: {error.msg}", Location(source, number, error.colno)))
        except (ValueError, RecursionError) as error:
            problems.append(Problem("PP970", f"invalid JSON: {error}", place))
        else:
            found = list(_find_row_problems(row, place))
            problems += found
            cases += [] if found else [_case(row, place)]
    if problems:
        raise PackError(problems)
    return cases


def _find_row_problems(row: Any, place: Location) -> Iterator[Problem]:
    if not isinstance(row, dict) or not isinstance(row.get("context"), dict):
        hint = 'write {"context": {"NAME": value}}'
        yield Problem("PP970", "the case has no 'context' with the inputs", place, hint)
        return
    for key in row:
        if key not in _KEYS:
            hint = did_you_mean(key, _KEYS) or "inputs belong in 'context'"
            yield Problem("PP970", f"unknown key {key!r}", place, hint)
    if not isinstance(row.get("id", ""), str | int):
        yield Problem("PP970", "'id' is neither text nor a whole number", place)
    yield from find_expectation_problems(row.get("expect", {}), place)


def _case(row: Mapping[str, Any], place: Location) -> Case:
    return Case(str(row.get("id", f"line {place.line}")), row["context"], place, row.get("expect", {}))


def _read_csv(text: str, source: str, pack: Pack) -> list[Case]:
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    cases: list[Case] = []
    problems: list[Problem] = []
    try:
        header = next(rows, [])
        problems += _find_column_problems(header, pack, Location(source, 1, 1))
        start = rows.line_num + 1
        for cells in rows if not problems else ():
            place, start = Location(source, start, 1), rows.line_num + 1
            if not any(cells):
                continue
            try:
                cases.append(_read_cells(header, cells, pack, place))
            except PackError as error:
                problems += error.problems
    except csv.Error as error:
        problems.append(Problem("PP970", f"invalid CSV: {error}", Location(source, rows.line_num, 1)))
    if problems:
        raise PackError(problems)
    return cases


def _find_column_problems(header: Sequence[str], pack: Pack, place: Location) -> Iterator[Problem]:
    for name, count in Counter(header).items():
        if count > 1:
            yield Problem("PP970", f"the column {name!r} appears twice", place)
        elif name != _ID_COLUMN and not name.startswith(_EXPECT_COLUMN) and name not in pack.inputs:
            hint = did_you_mean(name, pack.inputs) or f"its inputs are {', '.join(pack.inputs) or 'none'}"
            yield Problem("PP970", f"{pack.label} has no input {name!r}", place, hint)


def _read_cells(header: Sequence[str], cells: Sequence[str], pack: Pack, place: Location) -> Case:
    if len(cells) != len(header):
        message = f"the row has {len(cells)} cells, but the header has {len(header)}"
        raise PackError(Problem("PP970", message, place))
    row: dict[str, Any] = {"context": {}, "expect": {}}
    for name, cell in zip(header, cells, strict=True):
        if name == _ID_COLUMN:
            row |= {"id": cell} if cell else {}
        elif name.startswith(_EXPECT_COLUMN):
            row["expect"] |= {name.removeprefix(_EXPECT_COLUMN): _parse(cell, place)} if cell else {}
        elif cell or pack.inputs[name].required:
            is_text = pack.inputs[name].schema.get("type") == "string"
            row["context"][name] = cell if is_text else _parse(cell, place)
    if problems := list(_find_row_problems(row, place)):
        raise PackError(problems)
    return _case(row, place)


def _parse(cell: str, place: Location) -> Any:
    """Return the value of a cell, which is YAML; its problems are at the row."""
    try:
        return document.parse(cell, place.path).data if cell else None
    except PackError as error:
        raise PackError(replace(one, location=place) for one in error.problems) from error


def _require_different_ids(cases: Sequence[Case]) -> None:
    first: dict[str, Case] = {}
    problems = []
    for case in cases:
        earlier = first.setdefault(case.id, case)
        if earlier is not case:
            message = f"the id {case.id!r} is used twice, first in line {earlier.location.line}"
            problems.append(Problem("PP970", message, case.location, "use a different id"))
    if problems:
        raise PackError(problems)


def _with_keys(cases: Sequence[Case]) -> tuple[Case, ...]:
    seen: Counter[str] = Counter()
    keyed = []
    for case in cases:
        digest = hash_context(case.context)
        seen[digest] += 1
        keyed.append(replace(case, key=digest if seen[digest] == 1 else f"{digest}-{seen[digest]}"))
    return tuple(keyed)


def hash_context(context: Mapping[str, Any]) -> str:
    """Return a text that only an equal context has."""
    text = json.dumps(context, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:24]
