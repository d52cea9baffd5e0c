"""One mismatch between a value and a schema."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from promptpack.schema.pointers import pointer


@dataclass(frozen=True)
class Mismatch:
    """The failed `keyword` and its value (`expected`), at a path; `at_key` if the key itself is wrong.

    For an unknown key, `expected` is the nearest known key, or None. For an unsafe schema, `keyword` names the danger,
    such as `cycle`.
    """

    keyword: str
    path: tuple[str | int, ...]
    message: str
    hint: str = ""
    at_key: bool = False
    expected: Any = field(default=None, compare=False)

    @property
    def pointer(self) -> str:
        """The path as a JSON pointer."""
        return pointer(self.path)


def keep_misspelled(mismatches: Iterable[Mismatch]) -> list[Mismatch]:
    """Leave out the missing keys that are misspelled: such a key is one problem, that it is unknown."""
    found = pair_keys(tuple(mismatches))
    misspelled = {(one.path[:-1], one.hint) for one in found if one.at_key}
    return [
        one
        for one in found
        if one.keyword != "required" or (one.path[:-1], f"did you mean {one.path[-1]!r}?") not in misspelled
    ]


def pair_keys(found: tuple[Mismatch, ...]) -> tuple[Mismatch, ...]:
    """Suggest the only missing key of a mapping for its only unknown key."""
    pairs: dict[tuple[str | int, ...], str] = {}
    for owner in {one.path[:-1] for one in found if one.at_key and one.expected is None}:
        inside = [one for one in found if one.path[:-1] == owner]
        missing = [one.path[-1] for one in inside if one.keyword == "required"]
        if len(missing) == 1 and sum(one.at_key for one in inside) == 1:
            pairs[owner] = str(missing[0])
    return tuple(
        replace(one, hint=f"did you mean {near!r}?", expected=near)
        if one.at_key and (near := pairs.get(one.path[:-1]))
        else one
        for one in found
    )
