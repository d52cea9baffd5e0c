"""Counters: the number of tokens in a text, estimated or exact."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final, TypeAlias

from promptpack.problem import ContextError, MissingExtraError, Problem

Counter: TypeAlias = Callable[[str], int]

# Fitted on long documents, where the estimate is within about five per cent of an exact count.
BYTES_PER_TOKEN: Final = 3.66


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a text from its UTF-8 bytes."""
    return math.ceil(len(text.encode("utf-8", "surrogatepass")) / BYTES_PER_TOKEN)


def exact_counter(encoding: str = "o200k_base") -> "ExactCounter":
    """Return a counter for the tokens of a model family; needs the extra `tokens`.

    `encoding` is the name of the tokenizer, such as `o200k_base` or `cl100k_base`.
    """
    try:
        splintr = import_module("splintr")
    except ImportError as error:
        hint = "run: python -m pip install 'promptpack-agents[tokens]'"
        raise MissingExtraError(Problem("PP437", "exact token counts need the extra 'tokens'", hint=hint)) from error
    try:
        return ExactCounter(encoding, splintr.Tokenizer.from_pretrained(encoding))
    except ValueError as error:
        message = f"unknown token encoding {encoding!r}"
        raise ContextError(Problem("PP438", message, hint=_supported(str(error)))) from error


@dataclass(frozen=True, slots=True)
class ExactCounter:
    """Counts with a tokenizer; special tokens in a text count as plain text."""

    encoding: str
    _tokenizer: Any

    def __call__(self, text: str) -> int:
        """Count the tokens of a text."""
        # Half of a surrogate pair has no UTF-8 form; models also receive it as '?'.
        return len(self._tokenizer.encode_ordinary(text.encode("utf-8", "replace").decode("utf-8")))


def describe(counter: Counter | None) -> str:
    """Name the unit of a count, so that an estimate never passes for an exact count."""
    if counter is None or counter is estimate_tokens:
        return "tokens (an estimate)"
    if isinstance(counter, ExactCounter):
        return f"tokens ({counter.encoding})"
    return "tokens (the caller's counter)"


def _supported(message: str) -> str:
    _, found, names = message.partition("Supported: ")
    return f"use one of {names}" if found else ""
