"""A JSON Schema as plain Python tests that only say yes or no, exactly as `jsonschema` would, and far sooner.

What these tests cannot decide exactly is left to `jsonschema`: some keywords, references other than local ones,
values that are not plain JSON data, and work without end.
"""

from collections.abc import Callable, Mapping, Sequence
from types import NoneType
from typing import Any, Final

from promptpack.schema.keywords import DEEPEST, MOST_STEPS, TooMuchWorkError, form
from promptpack.schema.kinds import (
    Members,
    Node,
    Steps,
    Test,
    all_of,
    anything,
    array,
    mapping,
    nothing,
    number,
    spend,
    text,
    whole,
)
from promptpack.schema.patterns import PatternError, read_pattern

UNSUPPORTED: Final = frozenset(("$dynamicRef", "unevaluatedItems", "unevaluatedProperties"))
"""The keywords that are left to `jsonschema`."""

_CLASSES: Final[Mapping[str, tuple[type, ...]]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
    "integer": (int, float),
    "boolean": (bool,),
    "null": (NoneType,),
}
_ALL_CLASSES: Final[tuple[type, ...]] = (str, dict, list, int, float, bool, NoneType)
_NUMBER: Final = (int, float)
_SCHEMA: Final = (Mapping, bool)
FORMS: Final[Mapping[str, tuple[type, ...]]] = {
    "$ref": (str,),
    "additionalProperties": _SCHEMA,
    "allOf": (list,),
    "anyOf": (list,),
    "const": (object,),
    "contains": _SCHEMA,
    "dependentRequired": (Mapping,),
    "dependentSchemas": (Mapping,),
    "enum": (list,),
    "exclusiveMaximum": _NUMBER,
    "exclusiveMinimum": _NUMBER,
    "format": (str,),
    "if": _SCHEMA,
    "items": _SCHEMA,
    "maxItems": _NUMBER,
    "maxLength": _NUMBER,
    "maxProperties": _NUMBER,
    "maximum": _NUMBER,
    "minItems": _NUMBER,
    "minLength": _NUMBER,
    "minProperties": _NUMBER,
    "minimum": _NUMBER,
    "multipleOf": _NUMBER,
    "not": _SCHEMA,
    "oneOf": (list,),
    "pattern": (str,),
    "patternProperties": (Mapping,),
    "prefixItems": (list,),
    "properties": (Mapping,),
    "propertyNames": _SCHEMA,
    "required": (list,),
    "type": (str, list),
    "uniqueItems": (bool,),
}
"""The keywords that are understood here, and the form each must have to be."""


class UndecidedError(Exception):
    """Only `jsonschema` can tell."""


def make_test(source: Mapping[str, Any]) -> Callable[[Any], bool] | None:
    """Make the test of a schema, or nothing where the schema is beyond it; the test may raise `UndecidedError`."""
    try:
        test = _Maker(source).make(source).test
    except (UndecidedError, PatternError, RecursionError):
        return None

    def is_met_by(value: Any) -> bool:
        try:
            return test(value, [MOST_STEPS, 0])
        except (TooMuchWorkError, PatternError, RecursionError) as error:
            raise UndecidedError from error

    return is_met_by


class _Maker:
    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._made: dict[str, Node] = {}
        self._open: set[str] = set()

    def make(self, schema: Any) -> Node:
        """Make one schema and what is below it."""
        if isinstance(schema, bool):
            return Node(anything if schema else nothing)
        self._refuse(schema)
        by_class = self._tests_by_class(schema)
        others = self._applied(schema)
        if "enum" in schema:
            others.append(_one_of(schema["enum"]))
        if "const" in schema:
            others.append(_one_of([schema["const"]]))
        if not others:
            first = next((kind for kind in _ALL_CLASSES if kind in by_class), object)
            return Node(_of_class(by_class), first, by_class.get(first, nothing))
        if schema.keys() & FORMS.keys() == {"$ref"}:
            return self._referred(schema["$ref"])
        return Node(all_of([_of_class(by_class), *others]))

    def _refuse(self, schema: Any) -> None:
        if not isinstance(schema, Mapping) or not UNSUPPORTED.isdisjoint(schema):
            raise UndecidedError
        if "$id" in schema and schema is not self._root:
            raise UndecidedError
        for keyword, forms in FORMS.items():
            if keyword in schema and not isinstance(schema[keyword], forms):
                raise UndecidedError

    def _tests_by_class(self, schema: Mapping[str, Any]) -> dict[type, Test]:
        kinds = schema.get("type", list(_CLASSES))
        kinds = [kinds] if isinstance(kinds, str) else kinds
        if any(kind not in _CLASSES for kind in kinds):
            raise UndecidedError
        allowed = {kind for name in kinds for kind in _CLASSES[name]}
        tests: dict[type, Test] = dict.fromkeys(allowed, anything)
        if str in tests:
            tests[str] = text(schema, read_pattern(schema["pattern"]) if "pattern" in schema else None)
        if int in tests:
            tests[int] = tests[float] = number(schema)
            if "number" not in kinds:
                tests[float] = all_of([whole, tests[int]])
        if list in tests:
            tests[list] = self._array(schema)
        if dict in tests:
            tests[dict] = self._mapping(schema)
        return tests

    def _array(self, schema: Mapping[str, Any]) -> Test:
        contains = self.make(schema["contains"]) if "contains" in schema else None
        first = [self.make(item) for item in schema.get("prefixItems", ())]
        return array(schema, first, self.make(schema.get("items", True)), contains)

    def _mapping(self, schema: Mapping[str, Any]) -> Test:
        members = Members(
            {name: self.make(inner) for name, inner in schema.get("properties", {}).items()},
            [(read_pattern(name), self.make(inner)) for name, inner in schema.get("patternProperties", {}).items()],
            self.make(schema.get("additionalProperties", True)),
            self.make(schema.get("propertyNames", True)),
        )
        dependent = [_if_has(key, self.make(inner).test) for key, inner in schema.get("dependentSchemas", {}).items()]
        return all_of([mapping(schema, members), *dependent])

    def _applied(self, schema: Mapping[str, Any]) -> list[Test]:
        """Make the tests of the schemas that are about the same value."""
        tests: list[Test] = []
        if "$ref" in schema:
            tests.append(self._referred(schema["$ref"]).test)
        tests += self._all_of(schema.get("allOf", ()))
        if "anyOf" in schema:
            tests.append(_any_of([self.make(branch).test for branch in schema["anyOf"]]))
        if "oneOf" in schema:
            tests.append(_exactly_one_of([self.make(branch).test for branch in schema["oneOf"]]))
        if "not" in schema:
            tests.append(_not(self.make(schema["not"]).test))
        if "if" in schema:
            branches = (self.make(schema.get(keyword, True)).test for keyword in ("then", "else"))
            tests.append(_either(self.make(schema["if"]).test, *branches))
        return tests

    def _all_of(self, branches: Sequence[Any]) -> list[Test]:
        """Make the branches; those that ask for one word under a key become one look-up of that word."""
        tests: list[Test] = []
        by_key: dict[str, dict[str, list[Test]]] = {}
        for branch in branches:
            asked = _asked(branch)
            if asked is None:
                tests.append(self.make(branch).test)
                continue
            key, words = asked
            then = self.make(branch.get("then", True)).test
            for word in words:
                by_key.setdefault(key, {}).setdefault(word, []).append(then)
        return [*tests, *(_dispatch(key, {w: all_of(t) for w, t in table.items()}) for key, table in by_key.items())]

    def _referred(self, reference: str) -> Node:
        if reference in self._open:
            return Node(self._deeper(reference))
        if reference not in self._made:
            self._open.add(reference)
            self._made[reference] = self.make(self._find(reference))
            self._open.discard(reference)
        return self._made[reference]

    def _deeper(self, reference: str) -> Test:
        def goes_deeper(value: Any, steps: Steps) -> bool:
            steps[1] += 1
            if steps[1] > DEEPEST:
                raise UndecidedError
            is_met = self._made[reference].test(value, steps)
            steps[1] -= 1
            return is_met

        return goes_deeper

    def _find(self, reference: str) -> Any:
        if not (reference == "#" or reference.startswith("#/")) or "%" in reference:
            raise UndecidedError
        node: Any = self._root
        for step in reference.split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            if not isinstance(node, Mapping) or name not in node:
                raise UndecidedError
            node = node[name]
        return node


def _of_class(tests: Mapping[type, Test]) -> Test:
    """Choose the test by the exact class of the value."""
    if len(tests) == len(_ALL_CLASSES) and all(test is anything for test in tests.values()):
        return anything

    def is_of_class(value: Any, steps: Steps) -> bool:
        test = tests.get(value.__class__)
        if test is not None:
            return test(value, steps)
        if value.__class__ not in _ALL_CLASSES:
            raise UndecidedError
        return False

    return is_of_class


def _one_of(values: Sequence[Any]) -> Test:
    forms = frozenset(form(value) for value in values)
    if all(isinstance(value, str) for value in values):
        return lambda value, _: value.__class__ is str and value in forms
    return lambda value, _: form(value) in forms


def _any_of(tests: Sequence[Test]) -> Test:
    def meets_any(value: Any, steps: Steps) -> bool:
        spend(steps)
        return any(test(value, steps) for test in tests)

    return meets_any


def _exactly_one_of(tests: Sequence[Test]) -> Test:
    def meets_one(value: Any, steps: Steps) -> bool:
        spend(steps)
        return sum(test(value, steps) for test in tests) == 1

    return meets_one


def _not(test: Test) -> Test:
    return lambda value, steps: not test(value, steps)


def _either(condition: Test, then: Test, otherwise: Test) -> Test:
    def meets_its_branch(value: Any, steps: Steps) -> bool:
        spend(steps)
        return then(value, steps) if condition(value, steps) else otherwise(value, steps)

    return meets_its_branch


def _if_has(key: str, test: Test) -> Test:
    return lambda value, steps: key not in value or test(value, steps)


def _asked(branch: Any) -> tuple[str, Sequence[str]] | None:
    """Read `if: {properties: {action: {const: A}}, required: [action]}` without `else` as the key and its words."""
    match branch:
        case {"if": {"properties": {**properties}, "required": [str() as key], **more_of_if}, **more}:
            asked = properties.get(key)
            if more_of_if or more.keys() - {"then"} or len(properties) != 1 or not isinstance(asked, Mapping):
                return None
            words = asked.get("enum", [asked.get("const")])
            if len(asked) == 1 and isinstance(words, list) and words and all(isinstance(word, str) for word in words):
                return key, words
    return None


def _dispatch(key: str, tests: Mapping[str, Test]) -> Test:
    def meets_its_branch(value: Any, steps: Steps) -> bool:
        if value.__class__ is not dict:  # then every `if` is met, since it says nothing about other values
            return all(test(value, steps) for test in tests.values())
        word = value.get(key)
        test = tests.get(word) if word.__class__ is str else None
        return test is None or test(value, steps)

    return meets_its_branch
