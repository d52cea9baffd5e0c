"""Types from their names, read from a fixed list of words and never evaluated."""

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
_LONGEST: Final = 500
_DEEPEST: Final = 20
_WORD: Final = re.compile(r"\s*([A-Za-z_]\w*|\.\.\.)\s*")
_LITERAL: Final = re.compile(r"""\s*(?:'(?P<single>[^']*)'|"(?P<double>[^"]*)"|(?P<bare>[^'",\[\]|]+?))\s*(?=[,\]])""")
_INTEGER: Final = re.compile(r"-?\d{1,30}")
_CONSTANTS: Final = {"True": True, "False": False, "None": None}


class TypeNameError(ValueError):
    """A text names no type; `word` is the part that is not known, where there is one."""

    def __init__(self, reason: str, word: str = "") -> None:
        super().__init__(reason)
        self.word = word


def known_words() -> tuple[str, ...]:
    """Give every word a type's name may be made of."""
    return (*(word for word in WORDS if word.isalpha() and word != "Ellipsis"), *_SPECIAL)


def parse_type(text: str) -> Any:
    """Give the type that a text like `dict[str, int]`, `Optional[str]` or `Literal["a", "b"]` names."""
    if len(text) > _LONGEST:
        raise TypeNameError(f"a type name may have {_LONGEST} characters, this has {len(text)}")
    reader = _Reader(text)
    kind = reader.union(0)
    if reader.position != len(text):
        raise TypeNameError(f"unexpected {text[reader.position]!r} at character {reader.position + 1}")
    if kind is ...:
        raise TypeNameError("'...' may stand in a tuple only")
    return NoneType if kind is None else kind


class _Reader:
    """Reads one type name from left to right."""

    def __init__(self, text: str) -> None:
        self.position = 0
        self._text = text

    def union(self, depth: int) -> Any:
        """Read types joined with `|`."""
        if depth > _DEEPEST:
            raise TypeNameError(f"types may stand {_DEEPEST} deep in one another")
        kinds = [self._term(depth)]
        while self._takes("|"):
            kinds.append(self._term(depth))
        if len(kinds) == 1:
            return kinds[0]
        _refuse_dots(kinds)
        # the name says which of the two unions it was: `int | NoneType` was Optional[int], `int | None` itself
        bar = NoneType not in kinds and not all(kind is None for kind in kinds)
        return functools.reduce(operator.or_, kinds) if bar else _union(kinds)

    def _term(self, depth: int) -> Any:
        found = _WORD.match(self._text, self.position)
        if not found:
            raise TypeNameError(f"a type is missing at character {self.position + 1}")
        word = found[1]
        if word not in WORDS and word not in _SPECIAL:
            raise TypeNameError(f"unknown type {word!r}", word)
        self.position = found.end()
        if not self._takes("["):
            if word in _SPECIAL:
                raise TypeNameError(f"{word!r} needs its brackets")
            return WORDS[word]
        return self._literal() if word == "Literal" else _generic(word, self._arguments(depth))

    def _arguments(self, depth: int) -> list[Any]:
        if self._takes("]"):
            return []
        kinds = [self.union(depth + 1)]
        while self._takes(","):
            kinds.append(self.union(depth + 1))
        if not self._takes("]"):
            raise TypeNameError(f"']' is missing at character {self.position + 1}")
        return kinds

    def _literal(self) -> Any:
        values: list[Any] = []
        while True:
            found = _LITERAL.match(self._text, self.position)
            if not found:
                raise TypeNameError(f"a literal value is missing at character {self.position + 1}")
            self.position = found.end()
            values.append(_literal_value(found))
            if self._takes("]"):
                return Literal[tuple(values)]
            self._takes(",")

    def _takes(self, mark: str) -> bool:
        if not self._text.startswith(mark, self.position):
            return False
        self.position += len(mark)
        while self._text.startswith(" ", self.position):
            self.position += 1
        return True


def _literal_value(found: re.Match[str]) -> Any:
    quoted = found["single"] if found["single"] is not None else found["double"]
    if quoted is not None:
        return quoted
    bare = found["bare"]
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
        return Optional[kinds[0]]  # noqa: UP045 - the name says Optional, and Optional prints differently
    if base in _ONE and len(kinds) == 1:
        return base[kinds[0]]
    if base is dict and len(kinds) == 2:
        return dict[kinds[0], kinds[1]]  # type: ignore[valid-type]
    raise TypeNameError(f"{word!r} does not take {len(kinds)} type{'s' if len(kinds) != 1 else ''} in brackets")


def _union(kinds: list[Any]) -> Any:
    return Union[tuple(kinds)]  # noqa: UP007 - a union written with the bar prints differently


def _refuse_dots(kinds: list[Any]) -> None:
    if ... in kinds:
        raise TypeNameError("'...' may stand second in a tuple only")
