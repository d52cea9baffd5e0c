"""Strategies for contract schemas, for values that they may accept, and for replies that a strict schema allows."""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from promptpack.schema.pointers import find_target

Schema = Mapping[str, Any]
_NAMES = st.sampled_from(["alpha", "beta", "gamma", "delta"])
_WORDS = ("red", "green", "blue", "grey")
_TEXTS = st.text("abc ", max_size=4)

scalars: st.SearchStrategy[Any] = st.one_of(
    st.just({"type": "string"}),
    st.builds(lambda least: {"type": "string", "minLength": least, "description": "A text."}, st.integers(0, 2)),
    st.just({"type": "string", "pattern": "^[abc]+$"}),
    st.builds(lambda most: {"type": "integer", "minimum": 0, "maximum": most}, st.integers(1, 9)),
    st.just({"type": "number", "exclusiveMinimum": 0}),
    st.just({"type": "boolean"}),
    st.just({"enum": ["on", "off", None]}),
    st.just({"enum": list(_WORDS[:3])}),
    st.just({"const": 3}),
    st.just({"type": ["string", "null"]}),
    st.just({"type": ["integer", "boolean"]}),
    st.just({"anyOf": [{"type": "string"}, {"type": "integer"}]}),
    st.just({"oneOf": [{"type": "integer"}, {"type": "number", "maximum": 2}]}),
    st.just({"$ref": "#/$defs/label"}),
)


@st.composite
def _objects(draw: st.DrawFn, values: st.SearchStrategy[Any]) -> dict[str, Any]:
    properties = draw(st.dictionaries(_NAMES, values, min_size=1, max_size=4))
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    names = sorted(properties)
    if draw(st.booleans()):
        schema["required"] = draw(st.lists(st.sampled_from(names), unique=True))
    if draw(st.booleans()):
        schema["additionalProperties"] = False
    extra = draw(st.sampled_from(["", "", "dependentRequired", "if", "not"]))
    first, last = names[0], names[-1]
    if extra == "dependentRequired":
        schema[extra] = {first: [last]}
    elif extra == "if":
        schema |= {"if": {"required": [first]}, "then": {"required": [last]}, "else": {"properties": {last: False}}}
    elif extra == "not" and len(names) > 1:
        schema[extra] = {"required": [first, last]}
    return schema


@st.composite
def _branching(draw: st.DrawFn, values: st.SearchStrategy[Any]) -> dict[str, Any]:
    """Draw an object whose word decides on the schema of another key, as actions decide on params."""
    words = list(_WORDS[: draw(st.integers(2, 4))])
    branches = [
        {
            "if": {"properties": {"kind": {"const": word}}, "required": ["kind"]},
            "then": {"properties": {"body": draw(values)}},
        }
        for word in words
    ]
    common = draw(st.dictionaries(_NAMES, values, max_size=2))
    properties = {"kind": {"enum": words}, "body": {}, **common}
    return {"type": "object", "properties": properties, "required": ["kind", "body"], "allOf": branches}


@st.composite
def _unions(draw: st.DrawFn, values: st.SearchStrategy[Any]) -> dict[str, Any]:
    """Draw objects of different kinds, with a word in each that names its kind, or with different required keys."""
    count, keyword = draw(st.integers(2, 3)), draw(st.sampled_from(["anyOf", "oneOf"]))
    by_word = draw(st.booleans())
    options = []
    for index in range(count):
        own: dict[str, Any] = {"kind": {"const": _WORDS[index]}} if by_word else {f"only{index}": {"type": "string"}}
        more = draw(st.dictionaries(_NAMES, values, max_size=2))
        options.append({"type": "object", "properties": {**own, **more}, "required": list(own)})
    return {keyword: options}


def _nested(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    lists = st.builds(
        lambda items, most: {"type": "array", "items": items, "maxItems": most}, values, st.integers(1, 3)
    )
    return st.one_of(_objects(values), lists, _branching(values), _unions(values))


@st.composite
def contracts(draw: st.DrawFn) -> dict[str, Any]:
    """Draw the schema of a contract: an object, a union of objects, or a list."""
    values = st.recursive(scalars, _nested, max_leaves=6)
    return {**draw(_nested(values)), "$defs": {"label": {"type": "string", "maxLength": 3}}}


def replies(strict: Schema, root: Schema) -> st.SearchStrategy[Any]:
    """Return the values that a strict schema allows."""
    if "$ref" in strict:
        return replies(find_target(root, strict["$ref"]), root)
    if "anyOf" in strict:
        return st.one_of([replies(option, root) for option in strict["anyOf"]])
    if "enum" in strict:
        return st.sampled_from(strict["enum"])
    kind = strict["type"]
    if kind == "object":
        inner = {name: replies(one, root) for name, one in strict["properties"].items()}
        needed = {name: one for name, one in inner.items() if name in strict["required"]}
        return st.fixed_dictionaries(needed, optional={name: inner[name] for name in inner.keys() - needed.keys()})
    if kind == "array":
        least, most = strict.get("minItems", 0), strict.get("maxItems", 3)
        return st.lists(replies(strict["items"], root), min_size=least, max_size=max(least, most))
    return _scalar(strict).filter(Draft202012Validator(strict).is_valid)


def _scalar(schema: Schema) -> st.SearchStrategy[Any]:
    numbers = st.floats(-3, 12, allow_nan=False).map(lambda number: round(number, 2))
    by_kind: dict[str, st.SearchStrategy[Any]] = {
        "string": _TEXTS, "integer": st.integers(-3, 12), "number": numbers, "boolean": st.booleans(),
        "null": st.none(),
    }  # fmt: skip
    return by_kind[schema["type"]]


def values(schema: Any, root: Schema) -> st.SearchStrategy[Any]:
    """Return values near a contract schema, with only the keys that one branch declares; some of them meet it."""
    return st.one_of([_values_of(parts, root) for parts in _choices(schema, root)])


def _values_of(parts: list[Schema], root: Schema) -> st.SearchStrategy[Any]:
    words = [word for part in parts for word in part.get("enum", [part["const"]] if "const" in part else [])]
    options: list[st.SearchStrategy[Any]] = [st.sampled_from(words)] if words else []
    named: dict[str, list[Any]] = {}
    for part in parts:
        for name, inner in part.get("properties", {}).items():
            named.setdefault(name, []).extend([inner] if inner else [])
        kinds = part.get("type", [])
        kinds = [kinds] if isinstance(kinds, str) else kinds
        options += [_scalar({"type": kind}) for kind in kinds if kind not in ("object", "array")]
        if "items" in part:
            options.append(st.lists(values(part["items"], root), max_size=3))
    if named:
        inner_values = {name: st.one_of([values(one, root) for one in found]) for name, found in named.items() if found}
        options.append(st.fixed_dictionaries({}, optional=inner_values))
    return st.one_of(options)


def _choices(schema: Any, root: Schema) -> Iterator[list[Schema]]:
    """Yield the schemas that apply together, for each choice of options in unions."""
    if not isinstance(schema, Mapping):
        yield []
        return
    groups: list[list[list[Schema]]] = [[[schema]]]
    together = [*schema.get("allOf", ()), *(schema[key] for key in ("then", "else") if key in schema)]
    together += [find_target(root, schema["$ref"])] if "$ref" in schema else []
    groups += [list(_choices(one, root)) for one in together]
    for word in ("anyOf", "oneOf"):
        if word in schema:
            groups.append([parts for option in schema[word] for parts in _choices(option, root)])
    for chosen in product(*groups):
        yield [part for parts in chosen for part in parts]


def with_nulls(value: Any, strict: Schema, root: Schema) -> Any:
    """Return a value with null for every missing key that a strict schema requires."""
    if "$ref" in strict:
        return with_nulls(value, find_target(root, strict["$ref"]), root)
    if "anyOf" in strict:
        filled = [with_nulls(value, option, root) for option in strict["anyOf"]]
        whole = (one for one, option in zip(filled, strict["anyOf"], strict=True) if _is_valid(one, option, root))
        return next(whole, value)
    if isinstance(value, dict) and strict.get("type") == "object":
        known = {**dict.fromkeys(strict["required"]), **value}
        inner = strict["properties"]
        return {name: with_nulls(item, inner.get(name, {}), root) for name, item in known.items()}
    if isinstance(value, list) and strict.get("type") == "array":
        return [with_nulls(item, strict["items"], root) for item in value]
    return value


def _is_valid(value: Any, schema: Schema, root: Schema) -> bool:
    return Draft202012Validator({**schema, "$defs": root.get("$defs", {})}).is_valid(value)
