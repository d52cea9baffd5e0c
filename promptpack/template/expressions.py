"""Everyday expressions of templates read without Jinja, with its grammar and its order of operators."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from promptpack.template.script import UnusualError
from promptpack.template.vocabulary import FILTER_NAMES, TEST_NAMES

if TYPE_CHECKING:
    from promptpack.template.script import Script

# White space, then the end of a tag or of the text; or a name, a text without escapes, a number, an operator.
_TOKEN: Final = re.compile(
    r"[ \t\n]*(?:([-+]?(?:%\}|\}\})|\Z)|([A-Za-z]\w*|'[^'\\]*'|\"[^\"\\]*\"|(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?"
    r"|[=!<>]=|[-+*/~<>=|.,()\[\]]))",
    re.ASCII,
)
_CONSTANTS: Final = {"true": True, "True": True, "false": False, "False": False, "none": None, "None": None}
# Words of the grammar, functions, and what is refused.
_RESERVED: Final = frozenset(
    ("and", "or", "not", "in", "is", "if", "else", "recursive", "dict", "namespace", "range", "self", *_CONSTANTS)
)
_COMPARISONS: Final = ("==", "!=", "<", "<=", ">", ">=")
_ARITHMETIC: Final = (("+", "-"), ("~",), ("*", "/"))
# Which argument of a filter names the filter or the test that it applies to each item.
_APPLIED: Final = {
    "map": (0, FILTER_NAMES),
    "select": (0, TEST_NAMES),
    "reject": (0, TEST_NAMES),
    "selectattr": (1, TEST_NAMES),
    "rejectattr": (1, TEST_NAMES),
}


class ExpressionReader:
    """Reads values one after the other; raises `UnusualError` where Jinja has to say what is meant."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.names: set[str] = set()
        self.size = 0  # in Jinja's tokens
        self.end_sign = ""
        self._tokens: list[str] = []
        self._next = 0

    def whole(self, scope: set[str]) -> Script:
        """Read a text that is one expression."""
        self.take_tokens("")
        value = self.expression(scope)
        self.expect_end()
        return value

    def take_tokens(self, *ends: str) -> None:
        """Take the tokens up to the end of a tag, or of the text, which must be one of those given."""
        tokens = []
        while (found := _TOKEN.match(self.text, self.at)) is not None:
            self.at = found.end()
            end, token = found.groups()
            if end is None:
                tokens.append(token)
            elif end in ends:
                self.end_sign = end[:-2]
                self.size += len(tokens) + 2
                self._tokens, self._next = [*tokens, "", ""], 0
                return
            else:
                break
        raise UnusualError

    def skip(self, token: str) -> bool:
        """Go past a token if it is there."""
        if self._tokens[self._next] != token:
            return False
        self._next += 1
        return True

    def expect(self, token: str) -> None:
        """Go past a token that must be there."""
        if not self.skip(token):
            raise UnusualError

    def expect_end(self) -> None:
        """See that no token is left."""
        if self._tokens[self._next]:
            raise UnusualError

    def word(self) -> str:
        """Take a name, whatever it is for."""
        word = self._tokens[self._next]
        if not word[:1].isalpha():
            raise UnusualError
        self._next += 1
        return word

    def target(self) -> str:
        """Take a name that a value may be given to."""
        name = self.word()
        if name in _RESERVED or name == "loop":
            raise UnusualError
        return name

    def literal(self) -> str:
        """Take a text in quotes."""
        token = self._tokens[self._next]
        if token[:1] not in ("'", '"'):
            raise UnusualError
        self._next += 1
        return token[1:-1]

    def expression(self, scope: set[str]) -> Script:
        """Read a value, with `if` and `else`."""
        value = self.disjunction(scope)
        while self.skip("if"):
            test = self.disjunction(scope)
            self.expect("else")
            value = ["choose", test, value, self.expression(scope)]
        return value

    def disjunction(self, scope: set[str]) -> Script:
        """Read a value without `if` and `else`."""
        value = self._conjunction(scope)
        while self.skip("or"):
            value = ["or", value, self._conjunction(scope)]
        return value

    def _conjunction(self, scope: set[str]) -> Script:
        value = self._negation(scope)
        while self.skip("and"):
            value = ["and", value, self._negation(scope)]
        return value

    def _negation(self, scope: set[str]) -> Script:
        return ["not", self._negation(scope)] if self.skip("not") else self._comparison(scope)

    def _comparison(self, scope: set[str]) -> Script:
        value = self._calculation(scope, 0)
        compared: Script = []
        while True:
            operator = self._tokens[self._next]
            if operator in _COMPARISONS or operator == "in":
                self._next += 1
            elif operator == "not" and self._tokens[self._next + 1] == "in":
                self._next += 2
                operator = "not in"
            else:
                return ["compare", value, *compared] if compared else value
            compared += [operator, self._calculation(scope, 0)]

    def _calculation(self, scope: set[str], level: int) -> Script:
        if level == len(_ARITHMETIC):
            return self._filtered(self._looked_up(self._primary(scope), scope), scope)
        value = self._calculation(scope, level + 1)
        while (operator := self._tokens[self._next]) in _ARITHMETIC[level]:
            self._next += 1
            value = [operator, value, self._calculation(scope, level + 1)]
        return value

    def _primary(self, scope: set[str]) -> Script:
        first = self._tokens[self._next]
        if first[:1] in ("'", '"'):
            return ["value", self.literal()]
        self._next += 1
        if first in _CONSTANTS:
            return ["value", _CONSTANTS[first]]
        if first[:1].isalpha() and first not in _RESERVED:
            if first not in scope:
                self.names.add(first)
            return ["name", first]
        if first[:1].isdigit():
            return ["value", float(first) if "." in first else int(first)]
        if first == "(":
            value = self.expression(scope)
            self.expect(")")
            return value
        if first == "[":
            return ["list", *self._items(scope, "]")]
        raise UnusualError

    def _items(self, scope: set[str], end: str) -> Script:
        items: Script = []
        while not self.skip(end):
            if items:
                self.expect(",")
            items.append(self.expression(scope))
        return items

    def _looked_up(self, value: Script, scope: set[str]) -> Script:
        while True:
            if self.skip("."):
                value = ["get", value, self.word()]
            elif self.skip("["):
                key = self.expression(scope)
                self.expect("]")
                value = ["get", value, key[1]] if key[0] == "value" and type(key[1]) is str else ["item", value, key]
            else:
                return value

    def _filtered(self, value: Script, scope: set[str]) -> Script:
        while True:
            if self.skip("|"):
                value = self._filter(value, scope)
            elif self.skip("is"):
                value = self._tested(value, scope)
            else:
                return value

    def _filter(self, value: Script, scope: set[str]) -> Script:
        name = self.word()
        given, named = self._arguments(scope) if self.skip("(") else ([], [])
        place, known = _APPLIED.get(name, (0, None))
        applied: Any = given[place] if place < len(given) else ["value", None]
        if name not in FILTER_NAMES or (known and (applied[0] != "value" or applied[1] not in (None, *known))):
            raise UnusualError
        return ["filter", value, name, given, named]

    def _arguments(self, scope: set[str]) -> tuple[Script, Script]:
        given: Script = []
        named: Script = []
        while not self.skip(")"):
            if given or named:
                self.expect(",")
            if self._tokens[self._next + 1] == "=":
                name = self.word()
                self.expect("=")
                named.append([name, self.expression(scope)])
            elif named:
                raise UnusualError
            else:
                given.append(self.expression(scope))
        if len({name for name, _ in named}) < len(named):
            raise UnusualError
        return given, named

    def _tested(self, value: Script, scope: set[str]) -> Script:
        negated = self.skip("not")
        name = self.word()
        if name not in TEST_NAMES:
            raise UnusualError
        given: Script = []
        named: Script = []
        token = self._tokens[self._next]
        if self.skip("("):
            given, named = self._arguments(scope)
        elif token not in ("else", "or", "and") and (token[:1].isalnum() or token[:1] in ("'", '"', "[")):
            given = [self._looked_up(self._primary(scope), scope)]
        tested = ["test", value, name, given, named]
        return ["not", tested] if negated else tested
