import copy
import dataclasses
import inspect
import pickle
import subprocess
import sys

import pytest

from promptpack.problem import Location, Problem
from promptpack.value import dataclass, field, replace


@dataclass(frozen=True)
class Point:
    """A place."""

    x: int
    y: int = 0
    tags: list[str] = field(default_factory=list)
    note: str = field(default="", repr=False, compare=False)


@dataclass(frozen=True)
class Named(Point):
    """A place with a name."""

    name: str = "here"


def test_a_value_is_made_compared_and_shown_as_a_dataclass_is() -> None:
    point = Point(1, note="seen")
    assert (point.x, point.y, point.tags, point.note) == (1, 0, [], "seen")
    assert repr(point) == "Point(x=1, y=0, tags=[])"
    assert point == Point(1, 0) != Point(2)
    assert point != Named(1)
    assert list(inspect.signature(Point).parameters) == ["x", "y", "tags", "note"]


def test_each_value_has_a_default_of_its_own() -> None:
    assert Point(1).tags is not Point(1).tags


def test_what_a_class_adds_comes_after_what_it_inherits() -> None:
    assert Named(1, 2, ["a"], "", "there") == Named(x=1, y=2, tags=["a"], name="there")


def test_a_value_cannot_be_changed() -> None:
    point = Point(1)
    with pytest.raises(AttributeError, match="cannot change 'x': a Point is immutable"):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(AttributeError, match="cannot change 'x': a Point is immutable"):
        del point.x


def test_a_missing_or_unknown_field_is_an_error_as_with_any_function() -> None:
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        Point()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        Point(1, z=2)  # type: ignore[call-arg]


def test_values_are_ordered_and_hashed_by_their_fields() -> None:
    assert sorted([Location("b"), Location("a", 2), Location("a", 1)]) == [
        Location("a", 1),
        Location("a", 2),
        Location("b"),
    ]
    assert len({Location("a", 1), Location("a", 1)}) == 1


def test_values_are_copied_and_pickled() -> None:
    problem = Problem("PP101", "file is not UTF-8", Location("a", 1, 1))
    assert pickle.loads(pickle.dumps(problem)) == copy.deepcopy(problem) == problem  # noqa: S301 -- our own bytes


def test_the_tools_of_dataclasses_work_on_values() -> None:
    assert dataclasses.is_dataclass(Point)
    assert [one.name for one in dataclasses.fields(Named)] == ["x", "y", "tags", "note", "name"]
    assert dataclasses.asdict(Point(1)) == {"x": 1, "y": 0, "tags": [], "note": ""}
    assert dataclasses.replace(Point(1), y=2) == replace(Point(1), y=2) == Point(1, 2)


def test_patterns_match_values_by_position() -> None:
    match Location("a", 1, 2):
        case Location(path, line):
            assert (path, line) == ("a", 1)
        case _:
            pytest.fail("does not match")


def test_importing_promptpack_imports_neither_dataclasses_nor_typing() -> None:
    code = "import sys, promptpack; print({'dataclasses', 'typing', 'inspect', 're'} & sys.modules.keys())"
    told = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout == "set()\n"


def test_a_field_may_have_any_name() -> None:
    @dataclass(frozen=True)
    class Named:
        values: int
        fields: str = "x"

    assert (Named(1).values, Named(1, "y").fields) == (1, "y")


def test_the_constructor_of_a_class_that_has_made_no_value_has_a_signature() -> None:
    @dataclass(frozen=True)
    class Fresh:
        x: int
        y: int = 2

    @dataclass(frozen=True)
    class Fresher(Fresh):
        z: int = 3

    assert list(inspect.signature(Fresher).parameters) == ["x", "y", "z"]
    assert (Fresher(1).z, Fresh(1).y) == (3, 2)
