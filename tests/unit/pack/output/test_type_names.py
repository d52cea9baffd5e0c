from datetime import date, datetime
from typing import Any, Literal, Optional, Union

import pytest

from promptpack.pack.output.sanitize import sanitize
from promptpack.pack.output.type_names import TypeNameError, known_words, parse_type


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("str", str),
        ("Any", Any),
        ("None", type(None)),
        ("date", date),
        ("datetime", datetime),
        ("list[str]", list[str]),
        ("List[ str ]", list[str]),
        ("dict[str, list[int]]", dict[str, list[int]]),
        ("tuple[int, str]", tuple[int, str]),
        ("tuple[int, ...]", tuple[int, ...]),
        ("tuple[int, Ellipsis]", tuple[int, ...]),
        ("tuple[]", tuple[()]),
        ("set[int]", set[int]),
        ("Optional[int]", Optional[int]),  # noqa: UP045
        ("Union[int, str]", Union[int, str]),  # noqa: UP007
        ("int | None", int | None),
        ("int | NoneType", Optional[int]),  # noqa: UP045
        ("list[int | str]", list[int | str]),
        ("Literal[a, 1, True]", Literal["a", 1, True]),
        ("Literal['a, b', \"it's\"]", Literal["a, b", "it's"]),
        ("list[Literal[x y]]", list[Literal["x y"]]),
    ],
)
def test_a_type_name_is_parsed(name: str, kind: Any) -> None:
    parsed = parse_type(name)
    assert parsed == kind
    assert sanitize(parsed) == sanitize(kind)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("strr", "unknown type 'strr'"),
        ("list[User]", "unknown type 'User'"),
        ("", "a type is missing at character 1"),
        ("int |", "a type is missing at character 6"),
        ("list[str", "']' is missing at character 9"),
        ("list[]", "'list' does not accept 0 types in brackets"),
        ("dict[str]", "'dict' does not accept 1 type in brackets"),
        ("int[str]", "'int' does not accept 1 type in brackets"),
        ("Optional", "'Optional' needs brackets"),
        ("Literal[]", "a literal value is missing at character 9"),
        ("Literal['a]", "a literal value is missing at character 9"),
        ("...", "'...' is only allowed in a tuple"),
        ("list[...]", "'...' is only allowed as the second type of a tuple"),
        ("int | ...", "'...' is only allowed as the second type of a tuple"),
        ("int; import os", "unexpected ';' at character 4"),
        ("int.__class__", "unexpected '.' at character 4"),
        ("list[" * 30, "types are nested more than 20 levels deep"),
        ("x" * 501, "a type name has at most 500 characters, this one has 501"),
    ],
)
def test_a_text_that_is_not_a_type_name_is_refused(name: str, reason: str) -> None:
    with pytest.raises(TypeNameError) as refused:
        parse_type(name)
    assert str(refused.value) == reason


def test_every_known_word_is_accepted() -> None:
    assert all(
        parse_type(f"{word}[str]" if word in {"Optional", "Union", "Literal"} else word) for word in known_words()
    )
