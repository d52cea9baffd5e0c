"""The keywords that are about one kind of value, each made into a small test; see `quick` for those about any value."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from promptpack.schema.keywords import TooMuchWorkError, form, is_multiple
from promptpack.schema.patterns import Pattern

Steps = list[int]
"""How many steps are left, and how many references that lead back to themselves are open."""
Test = Callable[[Any, Steps], bool]

_MISSING: Final = object()
_BOUNDS: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")


def anything(_: Any, __: Steps) -> bool:
    """Take every value."""
    return True


def nothing(_: Any, __: Steps) -> bool:
    """Take no value."""
    return False


class Node(NamedTuple):
    """A schema as a test; values of the class `kind` need only pass `inner`, which may be `anything`."""

    test: Test
    kind: type | None = None
    inner: Test = anything


def spend(steps: Steps) -> None:
    """Use up a step."""
    steps[0] -= 1
    if steps[0] < 0:
        raise TooMuchWorkError


def all_of(tests: Sequence[Test]) -> Test:
    """Test that a value meets everything."""
    wanted = [test for test in tests if test is not anything]
    if not wanted:
        return anything
    if len(wanted) == 1:
        return wanted[0]

    def meets_all(value: Any, steps: Steps) -> bool:
        steps[0] -= 1
        if steps[0] < 0:
            raise TooMuchWorkError
        for test in wanted:  # noqa: SIM110 -- a generator costs more than the tests
            if not test(value, steps):
                return False
        return True

    return meets_all


def text(schema: Mapping[str, Any], pattern: Pattern | None) -> Test:
    """Test a text."""
    least, most = schema.get("minLength"), schema.get("maxLength")
    tests: list[Test] = []
    if least:
        tests.append(lambda value, _: len(value) >= least)
    if most is not None:
        tests.append(lambda value, _: len(value) <= most)
    if pattern is not None:
        tests.append(lambda value, _: pattern.is_found_in(value))
    return all_of(tests)


def number(schema: Mapping[str, Any]) -> Test:
    """Test a number."""
    tests: list[Test] = []
    if any(keyword in schema for keyword in _BOUNDS):
        low, high, above, below = (schema.get(keyword) for keyword in _BOUNDS)

        def is_within(value: Any, _: Steps) -> bool:
            # A value breaks a bound or does not: NaN, which no comparison holds for, breaks none.
            return not (
                (low is not None and value < low)
                or (high is not None and value > high)
                or (above is not None and value <= above)
                or (below is not None and value >= below)
            )

        tests.append(is_within)
    if "multipleOf" in schema:
        factor = schema["multipleOf"]
        tests.append(lambda value, _: is_multiple(value, factor))
    return all_of(tests)


def whole(value: float, _: Steps) -> bool:
    """Test that a float is a whole number, which makes it an integer of JSON Schema."""
    return value.is_integer()


def array(schema: Mapping[str, Any], first: Sequence[Node], items: Node, contains: Node | None) -> Test:
    """Test a list."""
    least, most = schema.get("minItems", 0), schema.get("maxItems")
    unique = schema.get("uniqueItems", False)
    inner = all_of([_first_items(first), _other_items(len(first), items), _contains(schema, contains)])

    def is_array(value: Any, steps: Steps) -> bool:
        if len(value) < least or (most is not None and len(value) > most):
            return False
        if unique and len({form(item) for item in value}) < len(value):
            return False
        return inner is anything or inner(value, steps)

    return is_array if least or most is not None or unique else inner


def _first_items(nodes: Sequence[Node]) -> Test:
    if not nodes:
        return anything
    return lambda value, steps: all(node.test(item, steps) for node, item in zip(nodes, value, strict=False))


def _other_items(start: int, node: Node) -> Test:
    test, kind, inner = node
    if test is anything:
        return anything
    if inner is anything:

        def are_items(value: Any, steps: Steps) -> bool:
            for item in value[start:] if start else value:
                if item.__class__ is not kind and not test(item, steps):
                    return False
            return True

    else:

        def are_items(value: Any, steps: Steps) -> bool:
            for item in value[start:] if start else value:
                if not (inner if item.__class__ is kind else test)(item, steps):
                    return False
            return True

    return are_items


def _contains(schema: Mapping[str, Any], node: Node | None) -> Test:
    if node is None:
        return anything
    least, most = schema.get("minContains", 1), schema.get("maxContains")

    def contains(value: Any, steps: Steps) -> bool:
        spend(steps)
        found = sum(node.test(item, steps) for item in value)
        return found >= least and (most is None or found <= most)

    return contains


class Members(NamedTuple):
    """What an object's keys and values must be."""

    properties: Mapping[str, Node]
    patterns: Sequence[tuple[Pattern, Node]]
    others: Node
    names: Node


def mapping(schema: Mapping[str, Any], members: Members) -> Test:
    """Test an object."""
    tests = [_members(schema.get("required", ()), members)]
    least, most = schema.get("minProperties", 0), schema.get("maxProperties")
    if least:
        tests.append(lambda value, _: len(value) >= least)
    if most is not None:
        tests.append(lambda value, _: len(value) <= most)
    if members.names.test is not anything:
        tests.append(lambda value, steps: all(members.names.test(key, steps) for key in value))
    tests += (_goes_with(key, needed) for key, needed in schema.get("dependentRequired", {}).items())
    return all_of(tests)


def _goes_with(key: str, needed: Iterable[str]) -> Test:
    names = frozenset(needed)
    return lambda value, _: key not in value or value.keys() >= names


def _members(required: Sequence[str], members: Members) -> Test:
    properties, patterns, others, _ = members
    if patterns or others.test is not anything:
        return _closed(frozenset(required), members)
    names = dict.fromkeys((*properties, *required))
    rows = [(name, name in required, *properties.get(name, Node(anything))) for name in names]
    rows = [row for row in rows if row[1] or row[2] is not anything]
    if not rows:
        return anything

    def has_members(value: Any, steps: Steps) -> bool:
        get = value.get
        for name, needed, test, kind, inner in rows:
            item = get(name, _MISSING)
            if item.__class__ is kind:
                if inner is anything or inner(item, steps):
                    continue
                return False
            if item is _MISSING:
                if needed:
                    return False
            elif not test(item, steps):
                return False
        return True

    return has_members


def _closed(required: frozenset[str], members: Members) -> Test:
    properties, patterns, others, _ = members

    def has_members(value: Any, steps: Steps) -> bool:
        if not value.keys() >= required:
            return False
        for key, item in value.items():
            node = properties.get(key)
            if node is not None and not (node.inner if item.__class__ is node.kind else node.test)(item, steps):
                return False
            fitting = [inner for pattern, inner in patterns if pattern.is_found_in(key)] if patterns else ()
            for inner in fitting:
                if not inner.test(item, steps):
                    return False
            if node is None and not fitting and not others.test(item, steps):
                return False
        return True

    return has_members
