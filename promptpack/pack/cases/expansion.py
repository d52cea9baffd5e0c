"""Expand the tests of a pack: follow `like`, find shared contexts, apply changes, and run through tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from itertools import islice
from typing import Any, Final, NamedTuple

from promptpack import schema
from promptpack.files import Folder
from promptpack.pack.cases.draft_tests import ChangeError, CopyMeter, DraftTest, SizeError
from promptpack.pack.cases.sections import GIVEN, SECTIONS, is_input
from promptpack.pack.model import Input
from promptpack.pack.pack_schema import find_problems, read_shipped
from promptpack.pack.placed import Placed
from promptpack.problem import Location, PackError, Problem, did_you_mean
from promptpack.schema.pointers import split_pointer

_MAX_LIKE: Final = 16
_MAX_TESTS: Final = 2_000
_OWN_KEYS: Final = ("like", "with", "without", "cases")


class TestScope(NamedTuple):
    """Where the tests of a pack are: its inputs, its shared contexts, its folder and its file.

    Those of a clean file are not checked again.
    """

    inputs: Mapping[str, Input]
    contexts: Mapping[str, Placed]
    folder: Folder
    file: str
    is_clean: bool = False


def needs_expansion(test: Placed) -> bool:
    """Return whether a test takes parts from elsewhere."""
    return isinstance(test.value.get("context"), str) or any(key in test.value for key in _OWN_KEYS)


def expand_tests(tests: tuple[Placed, ...], scope: TestScope) -> tuple[tuple[Placed, ...], tuple[Problem, ...]]:
    """Return the tests as they run, one for each case, and the problems of those that cannot run."""
    expansion = _TestExpander(tests, scope)
    found = tuple(islice(expansion.run(), _MAX_TESTS + 1))
    if len(found) > _MAX_TESTS:
        expansion.problems.append(_too_many(found[_MAX_TESTS]))
    return found[:_MAX_TESTS], tuple(expansion.problems)


def _too_many(test: Placed) -> Problem:
    message = f"the pack has more than {_MAX_TESTS:,} tests, with all their cases"
    return Problem("PP252", message, test.locate(), "test fewer cases; an evaluation takes more")


class _TestExpander:
    def __init__(self, tests: tuple[Placed, ...], scope: TestScope) -> None:
        self._tests = tests
        self._scope = scope
        self._named = {test.value["name"]: test for test in tests}
        self._meter = CopyMeter()
        self._drafts: dict[str, DraftTest | None] = {}
        self._following: list[str] = []
        self.problems: list[Problem] = []

    def run(self) -> Iterator[Placed]:
        seen: set[str] = set()
        for test in self._tests:
            try:
                for one in self._expand(test):
                    if (name := one.value["name"]) in seen:
                        hint = "use a different name"
                        self.problems.append(one.problem("PP206", f"name {name!r} is used twice in 'tests'", hint))
                        continue
                    seen.add(name)
                    yield one
            except PackError as error:
                self.problems += error.problems
            except SizeError as error:
                self.problems.append(test.problem("PP252", str(error), "test fewer or smaller cases"))
                return

    def _expand(self, test: Placed) -> Iterator[Placed]:
        if not needs_expansion(test):
            yield test
            return
        draft = self._resolve(test)
        if draft is None:
            return
        if "cases" not in test.value:
            yield self._check(draft)
            return
        number = 0
        for number, row in enumerate(self._rows(test.child("cases")), 1):
            name = f"{test.value['name']} [{row.value.get('name', number)}]"
            yield self._check(self._change(draft.move(name, row), row))
        if not number:
            file = test.child("cases", "file")
            raise PackError(file.problem("PP251", f"{file.value!r} has no cases", "add a row"))

    def _rows(self, cases: Placed) -> Iterable[Placed]:
        if isinstance(cases.value, list):
            return (cases.child(index) for index in range(len(cases.value)))
        from promptpack.pack.cases.tables import read_table

        rows = read_table(cases.child("file"), self._scope.folder, self._scope.file, self._scope.inputs)
        return map(self._checked_row, rows)

    def _checked_row(self, row: Placed) -> Placed:
        """Return a row of a table, or raise its mismatches with the schema of changes."""
        problems = [
            Problem("PP250", mismatch.message, row.locate(*mismatch.path), mismatch.hint)
            for mismatch in _changes_schema().check(row.value)
        ]
        if problems:
            raise PackError(problems)
        return row

    def _check(self, draft: DraftTest) -> Placed:
        """Return the test, or raise its mismatches with the schema of tests, which changes can break."""
        test = draft.finish()
        problems = [] if self._scope.is_clean else find_problems(test_schema(), test.document)
        if problems:
            raise PackError(problems)
        return test

    def _resolve(self, test: Placed) -> DraftTest | None:
        """Return a test with the parts that it takes from others; None if one is broken, which is reported once."""
        name = test.value["name"]
        if name not in self._drafts:
            self._following.append(name)
            self._drafts[name] = None
            try:
                self._drafts[name] = self._build(test)
            except PackError as error:
                self.problems += error.problems
            self._following.pop()
        return self._drafts[name]

    def _build(self, test: Placed) -> DraftTest | None:
        value: dict[str, Any] = {key: one for key, one in test.value.items() if key not in _OWN_KEYS}
        draft = DraftTest(value, {(): (test.document, test.path)}, self._meter)
        base = self._follow(test.child("like")) if "like" in test.value else None
        if "like" in test.value and base is None:
            return None
        for key in GIVEN:
            if base is not None and key in base.value and key not in test.value:
                draft = draft.take(base, key)
        if isinstance(test.value.get("context"), str):
            draft = draft.put(("context",), self._find_context(test.child("context")))
        if "with" in test.value:
            draft = self._change(draft, test.child("with"))
        return self._remove(draft, test)

    def _follow(self, like: Placed) -> DraftTest | None:
        name = like.value
        if name not in self._named:
            hint = did_you_mean(name, self._named) or f"its tests are {', '.join(map(repr, islice(self._named, 10)))}"
            raise PackError(like.problem("PP246", f"the pack has no test {name!r}", hint))
        if name in self._following:
            chain = " -> ".join(map(repr, (*self._following[self._following.index(name) :], name)))
            raise PackError(like.problem("PP247", f"'like' forms a cycle: {chain}", "give one of them its own context"))
        if len(self._following) > _MAX_LIKE:
            hint = "refer to the first test of the chain"
            raise PackError(like.problem("PP247", f"the chain of 'like' has more than {_MAX_LIKE} tests", hint))
        return self._resolve(self._named[name])

    def _find_context(self, context: Placed) -> Placed:
        known = self._scope.contexts
        if context.value not in known:
            hint = did_you_mean(context.value, known)
            hint = hint or (f"they are {', '.join(known)}" if known else "declare it under 'contexts'")
            raise PackError(context.problem("PP248", f"there is no context {context.value!r}", hint))
        return known[context.value]

    def _change(self, draft: DraftTest, changes: Placed) -> DraftTest:
        """Apply changes in their order: inputs, sections that are merged, and pointers."""
        for key in changes.value:
            if key in ("name", "without"):
                continue
            change = changes.child(key)
            try:
                draft = self._change_one(draft, key, change)
            except ChangeError as error:
                raise PackError(change.problem("PP249", f"{key!r} cannot be changed: {error}", key=True)) from error
        return self._remove(draft, changes)

    def _change_one(self, draft: DraftTest, key: str, change: Placed) -> DraftTest:
        if key.startswith("/"):
            return draft.put(self._split(key, change.locate_key), change)
        if key in SECTIONS:
            return draft.merge((key,), change)
        if not is_input(key, self._scope.inputs):
            known = (*self._scope.inputs, *SECTIONS)
            hint = did_you_mean(key, known) or f"its inputs are {', '.join(self._scope.inputs) or 'none'}"
            raise PackError(change.problem("PP208", f"the pack has no input {key!r}", hint, key=True))
        return draft.put(("context", key), change)

    def _remove(self, draft: DraftTest, changes: Placed) -> DraftTest:
        for index, pointer in enumerate(changes.value.get("without", ())):
            place = partial(changes.locate, "without", index)
            try:
                draft = draft.remove(self._split(pointer, place))
            except ChangeError as error:
                raise PackError(Problem("PP249", f"{pointer!r} cannot be removed: {error}", place())) from error
        return draft

    def _split(self, pointer: str, place: Callable[[], Location]) -> list[str]:
        keys = split_pointer(pointer)
        if keys[0] not in SECTIONS:
            hint = did_you_mean(keys[0], SECTIONS) or f"start with one of {', '.join(f'/{key}' for key in SECTIONS)}"
            raise PackError(Problem("PP249", f"{pointer!r} leads to no section of a test", place(), hint))
        return keys


@cache
def test_schema() -> schema.Schema:
    """Return the schema of one test."""
    return schema.compile({"$ref": "#/$defs/test", "$defs": read_shipped("pack.schema.json")["$defs"]})


@cache
def _changes_schema() -> schema.Schema:
    return schema.compile({"$ref": "#/$defs/changes", "$defs": read_shipped("pack.schema.json")["$defs"]})
