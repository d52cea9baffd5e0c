"""Type names -> Python types: parsed with a fixed list of words, never evaluated."""

import functools
import operator
import re
from datetime import date, datetime, time
from types import NoneType
from typing import Any, Final, Literal, Optional, Union

WORDS: Final[dict[str, Any]] = {
    **{kind.__name__: kind for kind in (str, int, float, bool, bytes, list, dict, tuple, set, frozenset, object)},
    **{kind.__name__: kind for kind in (date, datetime, time, NoneType)},
    "List": list,
    "Dict": dict,
    "Tuple": tuple,
    "Set": set,
    "Any": Any,
    "None": None,
    "Ellipsis": ...,
    "...": ...,
}
_SPECIAL: Final = ("Optional", "Union", "Literal")
_ONE: Final = (list, set, frozenset)
_MAX_LENGTH: Final = 500
_MAX_DEPTH: Final = 20
_WORD: Final = re.compile(r"\s*([A-Za-z_]\w*|\.\.\.)\s*")
_LITERAL: Final = re.compile(r"""\s*(?:'(?P<single>[^']*)'|"(?P<double>[^"]*)"|(?P<bare>[^'",\[\]|]+?))\s*(?=[,\]])""")
_INTEGER: Final = re.compile(r"-?\d{1,30}")
_CONSTANTS: Final = {"True": True, "False": False, "None": None}


class TypeNameError(ValueError):
    """A text is not a type name; `word` is its unknown word, if there is one."""

    def __init__(self, reason: str, word: str = "") -> None:
        super().__init__(reason)
        self.word = word


def known_words() -> tuple[str, ...]:
    """Return every word that is allowed in a type name."""
    return (*(word for word in WORDS if word.isalpha() and word != "Ellipsis"), *_SPECIAL)


def parse_type(text: str) -> Any:
    """Return the type named by a text such as `dict[str, int]`, `Optional[str]` or `Literal["a", "b"]`."""
    if len(text) > _MAX_LENGTH:
        raise TypeNameError(f"a type name has at most {_MAX_LENGTH} characters, this one has {len(text)}")
    reader = _TypeReader(text)
    kind = reader.union(0)
    if reader.position != len(text):
        raise TypeNameError(f"unexpected {text[reader.position]!r} at character {reader.position + 1}")
    if kind is ...:
        raise TypeNameError("'...' is only allowed in a tuple")
    return NoneType if kind is None else kind


class _TypeReader:
    """Parses one type name from left to right."""

    def __init__(self, text: str) -> None:
        self.position = 0
        self._text = text

    def union(self, depth: int) -> Any:
        """Parse types joined with `|`."""
        if depth > _MAX_DEPTH:
            raise TypeNameError(f"types are nested more than {_MAX_DEPTH} levels deep")
        kinds = [self._term(depth)]
        while self._accept("|"):
            kinds.append(self._term(depth))
        if len(kinds) == 1:
            return kinds[0]
        _refuse_dots(kinds)
        # the name shows which of the two unions it was: `int | NoneType` was Optional[int], `int | None` itself
        is_bar_union = NoneType not in kinds and not all(kind is None for kind in kinds)
        return functools.reduce(operator.or_, kinds) if is_bar_union else _union(kinds)

    def _term(self, depth: int) -> Any:
        match = _WORD.match(self._text, self.position)
        if not match:
            raise TypeNameError(f"a type is missing at character {self.position + 1}")
        word = match[1]
        if word not in WORDS and word not in _SPECIAL:
            raise TypeNameError(f"unknown type {word!r}", word)
        self.position = match.end()
        if not self._accept("["):
            if word in _SPECIAL:
                raise TypeNameError(f"{word!r} needs brackets")
            return WORDS[word]
        return self._literal() if word == "Literal" else _generic(word, self._arguments(depth))

    def _arguments(self, depth: int) -> list[Any]:
        if self._accept("]"):
            return []
        kinds = [self.union(depth + 1)]
        while self._accept(","):
            kinds.append(self.union(depth + 1))
        if not self._accept("]"):
            raise TypeNameError(f"']' is missing at character {self.position + 1}")
        return kinds

    def _literal(self) -> Any:
        values: list[Any] = []
        while True:
            match = _LITERAL.match(self._text, self.position)
            if not match:
                raise TypeNameError(f"a literal value is missing at character {self.position + 1}")
            self.position = match.end()
            values.append(_literal_value(match))
            if self._accept("]"):
                return Literal[tuple(values)]
            self._accept(",")

    def _accept(self, token: str) -> bool:
        if not self._text.startswith(token, self.position):
            return False
        self.position += len(token)
        while self._text.startswith(" ", self.position):
            self.position += 1
        return True


def _literal_value(match: re.Match[str]) -> Any:
    quoted = match["single"] if match["single"] is not None else match["double"]
    if quoted is not None:
        return quoted
    bare = match["bare"]
    if bare in _CONSTANTS:
        return _CONSTANTS[bare]
    return int(bare) if _INTEGER.fullmatch(bare) else bare


def _generic(word: str, kinds: list[Any]) -> Any:
    if word == "Union" and kinds:
        _refuse_dots(kinds)
        return _union(kinds)
    base = WORDS.get(word)
    if base is tuple:
        _refuse_dots(kinds[:-1] if len(kinds) == 2 else kinds)
        return tuple[tuple(kinds)]  # type: ignore[misc]
    _refuse_dots(kinds)
    if word == "Optional" and len(kinds) == 1:
        return Optional[kinds[0]]  # noqa: UP045 - the name is Optional, which prints differently
    if base in _ONE and len(kinds) == 1:
        return base[kinds[0]]
    if base is dict and len(kinds) == 2:
        return dict[kinds[0], kinds[1]]  # type: ignore[valid-type]
    raise TypeNameError(f"{word!r} does not accept {len(kinds)} type{'s' if len(kinds) != 1 else ''} in brackets")


def _union(kinds: list[Any]) -> Any:
    return Union[tuple(kinds)]  # noqa: UP007 - a union written with the bar prints differently


def _refuse_dots(kinds: list[Any]) -> None:
    if ... in kinds:
        raise TypeNameError("'...' is only allowed as the second type of a tuple")
