"""Check the expectations of tests before they run: patterns, expressions, and the messages that they name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from promptpack.pack.model import STANDARD_CONTEXT, MessageTemplate
from promptpack.pack.pack_compiler import BUILT_IN_NAMES, PackCompiler
from promptpack.pack.placed import Placed
from promptpack.problem import Problem, did_you_mean
from promptpack.schema import UNSAFE_CODES, SchemaMeter, find_unsafe

EXPRESSION_NAMES: Final = ("prompt", "messages")
"""The names that `expr` reads besides the inputs."""
_POSITION: Final = re.compile(r"-?[0-9]{1,6}")


def check_tests(
    tests: Iterable[Placed], compiler: PackCompiler, messages: tuple[MessageTemplate, ...]
) -> Iterator[Problem]:
    """Yield the problems of the tests; those of expressions are collected by the compiler."""
    check = _ExpectationCheck(compiler, [message.id for message in messages if message.id])
    for test in tests:
        yield from check.check_given(test)
        if id(test.value.get("expect")) not in check.seen:  # cases share what they do not change
            check.seen[id(test.value.get("expect"))] = test
            yield from check.check_expectations(test)


def codes_of(expect: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the codes that rendering must raise."""
    expected = expect.get("error", ())
    return (expected,) if isinstance(expected, str) else tuple(expected)


class _ExpectationCheck:
    def __init__(self, compiler: PackCompiler, ids: list[str]) -> None:
        self._compiler = compiler
        self._ids = ids
        self._meter = SchemaMeter()
        self._patterns: set[str] = set()
        self._expressions: set[str] = set()
        self.seen: dict[int, Placed] = {}

    def check_given(self, test: Placed) -> Iterator[Problem]:
        """Yield unknown inputs, unless the test expects PP414, and a verdict without a reply."""
        value: Mapping[str, Any] = test.value
        if "verdict" in value and "reply" not in value:
            yield Problem(
                "PP203",
                "'reply' is missing",
                test.locate_key("verdict"),
                "add the reply that the verdict is about, or remove 'verdict'",
            )
        if "PP414" in codes_of(value.get("expect", {})):
            return
        inputs = self._compiler.inputs
        for name in value.get("context", {}):
            if name not in inputs and name not in STANDARD_CONTEXT:
                hint = did_you_mean(name, inputs) or f"its inputs are {', '.join(inputs) or 'none'}"
                yield Problem("PP208", f"the pack has no input {name!r}", test.locate_key("context", name), hint)

    def check_expectations(self, test: Placed) -> Iterator[Problem]:
        """Yield the problems of patterns and of the messages that the test names; compile its expressions."""
        if "expect" not in test.value:
            return
        expect = test.child("expect")
        self._compile(expect)
        yield from self._check_patterns(expect)
        for name in expect.value.get("messages", ()):
            yield from self._check_patterns(expect.child("messages", name))
            if name not in self._ids and not _POSITION.fullmatch(name):
                hint = did_you_mean(name, self._ids) or f"the ids are {', '.join(self._ids) or 'none'}"
                hint = f"{hint}, or use a position such as 0 or -1" if "did you" not in hint else hint
                place = expect.locate_key("messages", name)
                yield Problem("PP253", f"no message has the id {name!r}", place, hint)

    def _compile(self, expect: Placed) -> None:
        expr = expect.value.get("expr", ())
        paths: list[tuple[str | int, ...]] = [("expr",)]
        if not isinstance(expr, str):
            paths = [("expr", index) for index in range(len(expr))]
        for path in paths:
            placed = expect.child(*path)
            if placed.value not in self._expressions:
                self._expressions.add(placed.value)
                self._compiler.compile_expression(placed, (*self._compiler.inputs, *BUILT_IN_NAMES, *EXPRESSION_NAMES))

    def _check_patterns(self, expect: Placed) -> Iterator[Problem]:
        for index, text in enumerate(expect.value.get("matches", ())):
            if text in self._patterns:
                continue
            self._patterns.add(text)
            for unsafe in find_unsafe({"pattern": text}, self._meter):
                yield Problem(
                    UNSAFE_CODES[unsafe.keyword], unsafe.message, expect.locate("matches", index), unsafe.hint
                )
