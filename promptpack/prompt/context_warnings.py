"""Warnings about a context: invisible characters, special tokens of models, and values that look like keys."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from promptpack import character_patterns
from promptpack.pack.model import Pack
from promptpack.problem import Problem
from promptpack.schema.pointers import ValuePath, pointer

_HIDDEN: Final = (
    character_patterns.HIDDEN,
    character_patterns.JOINER,
    character_patterns.TAG,
    character_patterns.SELECTOR,
)
_CHECKS: Final[tuple[tuple[str, str, str, tuple[re.Pattern[str], ...]], ...]] = (
    ("PP410", "direction marks", "remove them: they reorder the displayed text", (character_patterns.BIDI,)),
    ("PP419", "special tokens of models", "print it with '| fenced'", (character_patterns.SPECIAL_TOKEN,)),
    ("PP427", "hidden characters", "remove them, or check what they spell", _HIDDEN),
    ("PP428", "control characters", "remove them", (character_patterns.CONTROL, character_patterns.RETURN)),
)
_KEY_CODE: Final = "PP429"
WARNING_CODES: Final = (*(code for code, *_ in _CHECKS), _KEY_CODE)
"""The codes of all warnings."""
_SECRET: Final = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----"
    r"|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"
    r"|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"
    r"|\b(?:ghp|gho|ghs|ghu|ghr)_\w{30,}|\bgithub_pat_\w{30,}|\bglpat-[\w-]{20,}"
    r"|\bsk-[\w-]{20,}|\bxox[abprs]-[\w-]{10,}|\bAIza[\w-]{35}\b"
)


def find_warnings(pack: Pack, context: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield a warning for each suspicious value of a context, without quoting it."""
    for name, value in context.items():
        for path, text in _texts(value, (name,)):
            for code, kind, hint, patterns in _CHECKS:
                if any(pattern.search(text) for pattern in patterns):
                    yield _warning(code, path, f"contains {kind}", hint)
            if not pack.inputs[name].secret and _SECRET.search(text):
                yield _warning(_KEY_CODE, path, "seems to contain a key or token", "declare it with 'secret: true'")


def _texts(value: Any, path: ValuePath) -> Iterator[tuple[ValuePath, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield path, key
            yield from _texts(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _texts(item, (*path, index))


def _warning(code: str, path: ValuePath, message: str, hint: str) -> Problem:
    where = f"input {path[0]!r}" + (f" at {pointer(path[1:])}" if len(path) > 1 else "")
    return Problem(code, f"{where} {message}", None, hint, "warning")
