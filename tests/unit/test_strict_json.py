"""JSON that means the same to every reader."""

from typing import Any

import pytest

from promptpack import strict_json


class CountedKey(str):
    """A key that counts how often it is compared."""

    __slots__ = ()
    comparisons = 0
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        CountedKey.comparisons += 1
        return str.__eq__(self, other)


def test_a_key_that_appears_twice_is_named() -> None:
    with pytest.raises(ValueError, match="key 'b' appears twice"):
        strict_json.read('{"a": 1, "b": 2, "b": 3}')


def test_a_repeated_key_among_many_is_found_in_few_steps() -> None:
    CountedKey.comparisons = 0
    pairs: list[tuple[str, Any]] = [(CountedKey(number), number) for number in (*range(2_000), 1_999)]
    with pytest.raises(ValueError, match="key '1999' appears twice"):
        strict_json.reject_duplicates(pairs)
    assert CountedKey.comparisons < 5 * len(pairs)
