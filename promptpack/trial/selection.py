"""`-k EXPR`: choose tests by words in their names, with `and`, `or`, `not` and parentheses."""

import re
from collections.abc import Callable
from typing import Final

from promptpack.problem import Problem, UsageError

TestFilter = Callable[[str], bool]
_TOKEN: Final = re.compile(r"""\s*(?:([()])|"([^"]*)"|'([^']*)'|([^\s()"']+))""")
_MAX_TOKENS: Final = 200
_OPERATORS: Final = ("and", "or", "not", "(", ")")


def read_selection(text: str) -> TestFilter:
    """Return a function that decides whether a name matches; a word matches if the name contains it, in any case."""
    return _SelectionParser(text).parse()


class _SelectionParser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = self._split()
        self._at = 0

    def _split(self) -> list[tuple[str, bool]]:
        """Return the tokens; True marks a word in quotes, which is never an operator."""
        tokens: list[tuple[str, bool]] = []
        position = 0
        while position < len(self._text.rstrip()):
            found = _TOKEN.match(self._text, position)
            if found is None or len(tokens) == _MAX_TOKENS:
                raise self._error("a quote is not closed" if found is None else f"more than {_MAX_TOKENS} words")
            quoted = found[2] if found[2] is not None else found[3]
            tokens.append((found[1] or found[4] or quoted or "", quoted is not None))
            position = found.end()
        return tokens

    def parse(self) -> TestFilter:
        match = self._any()
        if self._at < len(self._tokens):
            raise self._error(f"{self._tokens[self._at][0]!r} is not expected here")
        return match

    def _any(self) -> TestFilter:
        matches = [self._all()]
        while self._takes("or"):
            matches.append(self._all())
        return matches[0] if len(matches) == 1 else lambda name: any(match(name) for match in matches)

    def _all(self) -> TestFilter:
        matches = [self._one()]
        while self._takes("and"):
            matches.append(self._one())
        return matches[0] if len(matches) == 1 else lambda name: all(match(name) for match in matches)

    def _one(self) -> TestFilter:
        if self._takes("not"):
            inner = self._one()
            return lambda name: not inner(name)
        if self._takes("("):
            grouped = self._any()
            if not self._takes(")"):
                raise self._error("a ')' is missing")
            return grouped
        if self._at == len(self._tokens) or (self._tokens[self._at][0] in _OPERATORS and not self._tokens[self._at][1]):
            raise self._error("a word is missing")
        word = self._tokens[self._at][0].casefold()
        self._at += 1
        return lambda name: word in name.casefold()

    def _takes(self, operator: str) -> bool:
        is_next = self._at < len(self._tokens) and self._tokens[self._at] == (operator, False)
        self._at += is_next
        return is_next

    def _error(self, reason: str) -> UsageError:
        hint = "write words with 'and', 'or', 'not' and parentheses; quote a word with spaces"
        return UsageError(Problem("PP916", f"invalid expression {self._text[:60]!r} for -k: {reason}", None, hint))
