"""The sections of a test that cases and `with` may change."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from promptpack.pack.model import STANDARD_CONTEXT, Input

SECTIONS: Final = ("context", "expect", "model", "reply", "verdict")
GIVEN: Final = ("context", "model", "reply")
"""The sections that `like` takes over: what a test gives to the pack, not what it expects."""


def is_input(name: str, inputs: Mapping[str, Input]) -> bool:
    """Return whether a context may have a value of this name."""
    return name in inputs or name in STANDARD_CONTEXT


def find_given(data: Mapping[str, Any], name: str) -> Iterator[tuple[str | int, ...]]:
    """Yield the paths in a pack file at which its tests set an input by its name."""
    for index, test in enumerate(data.get("tests", ())):
        path = ("tests", index)
        cases = test.get("cases")
        changes: list[tuple[tuple[str | int, ...], Any]] = [(("with",), test.get("with", {}))]
        changes += ((("cases", number), case) for number, case in enumerate(cases if isinstance(cases, list) else ()))
        places: list[tuple[tuple[str | int, ...], Any]] = [(("context",), test.get("context"))]
        for step, change in changes:
            places += [(step, change), ((*step, "context"), change.get("context"))]
        yield from ((*path, *step, name) for step, given in places if isinstance(given, dict) and name in given)
