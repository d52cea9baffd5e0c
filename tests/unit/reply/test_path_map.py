"""Renames and unwrapping change pointers, in both directions."""

import pytest

from promptpack.reply.align import ValueRepair
from promptpack.reply.path_map import PathMap


def rename(path: str, after: str) -> ValueRepair:
    """Return a repair that renames a key."""
    return ValueRepair("rename", path, "key-alias", None, after)


def unwrap(path: str) -> ValueRepair:
    """Return a repair that unwraps a value."""
    return ValueRepair("unwrap", path, "wrapper", None, None)


@pytest.mark.parametrize(
    ("original", "current"),
    [
        ("/data/0/Rows/1/Name", "/rows/1/name"),
        ("/data/0/Rows/1", "/rows/1"),
        ("/data/0/Rows/2/Name", "/rows/2/Name"),
        ("/data/0/A~1B/x", "/a~1b/x"),
        ("/data/0", ""),
    ],
)
def test_a_pointer_is_mapped_in_both_directions(original: str, current: str) -> None:
    paths = PathMap(
        [unwrap("/data"), unwrap("/0"), rename("/Rows", "rows"), rename("/rows/1/Name", "name"), rename("/A~1B", "a/b")]
    )
    assert paths.current(original) == current
    assert paths.original(current) == original


def test_a_pointer_outside_the_unwrapped_value_has_no_place() -> None:
    paths = PathMap([unwrap("/data")])
    assert paths.current("/other") is None
    assert paths.current("/database") is None
    assert paths.current("/data/x") == "/x"


def test_keys_that_are_renamed_before_their_parent_stay_renamed() -> None:
    paths = PathMap([rename("/Old/In", "in"), rename("/Old", "old"), rename("/old/in", "inner")])
    assert paths.original("/old/inner") == "/Old/In"
    assert paths.current("/Old/In") == "/old/inner"
