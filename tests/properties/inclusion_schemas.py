"""Strategies for JSON Schemas with every keyword that packs may use, and for pairs of them that differ by mutations."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from hypothesis import strategies as st
from jsonschema import Draft202012Validator

NAMES = ("a", "b", "c", "x-1")
PATTERNS = ("^[a-c]+$", "^[a-z]+$", "^a", "b$", "^(a|b)$", "[0-9]", "^x-", "^[a-z]{2,3}$", r"^\d+$", r"\w", "^.{0,2}$")
NUMBERS = (-2, 0, 1, 2, 3, 5, 10, 0.5, 2.5)
FACTORS = (1, 2, 3, 4, 6, 0.5, 0.1, 1.5)
WORDS: tuple[Any, ...] = ("a", "b", "abc", "x-1", "", 0, 1, 2.5, 6, True, None, [], ["a"], {}, {"a": 1})
KINDS = ("null", "boolean", "integer", "number", "string", "array", "object")

_DEFINITIONS = ("leaf", "tree")
Schema = dict[str, Any]

_sizes = st.integers(0, 3)
_names = st.sampled_from(NAMES)
_patterns = st.sampled_from(PATTERNS)
_numbers = st.sampled_from(NUMBERS)
_words = st.sampled_from(WORDS)
_references = st.sampled_from([f"#/$defs/{name}" for name in _DEFINITIONS])


def _lists(inner: st.SearchStrategy[Any], least: int = 1, most: int = 3) -> st.SearchStrategy[Any]:
    return st.lists(inner, min_size=least, max_size=most)


def _by_name(inner: st.SearchStrategy[Any], names: st.SearchStrategy[str] = _names) -> st.SearchStrategy[Any]:
    return st.dictionaries(names, inner, min_size=1, max_size=3)


_name_schemas = st.one_of(
    st.builds(lambda pattern: {"pattern": pattern}, _patterns),
    st.builds(lambda most: {"maxLength": most}, st.integers(1, 3)),
    st.builds(lambda names: {"enum": names}, st.lists(_names, min_size=1, unique=True)),
)


def keyword_strategies(inner: st.SearchStrategy[Any]) -> dict[str, dict[str, st.SearchStrategy[Any]]]:
    """Return a strategy for the value of every keyword, by the kind of value it applies to."""
    return {
        "number": {
            "minimum": _numbers, "maximum": _numbers, "exclusiveMinimum": _numbers, "exclusiveMaximum": _numbers,
            "multipleOf": st.sampled_from(FACTORS),
        },
        "string": {
            "minLength": _sizes, "maxLength": _sizes, "pattern": _patterns, "format": st.just("email"),
        },
        "array": {
            "items": inner, "prefixItems": _lists(inner, 1, 2), "contains": inner, "minContains": _sizes,
            "maxContains": _sizes, "uniqueItems": st.booleans(), "minItems": _sizes, "maxItems": _sizes,
            "unevaluatedItems": inner | st.just(False),
        },
        "object": {
            "properties": _by_name(inner), "required": st.lists(_names, max_size=2, unique=True),
            "additionalProperties": inner | st.just(False), "patternProperties": _by_name(inner, _patterns),
            "propertyNames": _name_schemas, "minProperties": _sizes, "maxProperties": _sizes,
            "dependentRequired": _by_name(st.lists(_names, min_size=1, max_size=2, unique=True)),
            "dependentSchemas": _by_name(inner), "unevaluatedProperties": inner | st.just(False),
        },
        "any": {
            "enum": _lists(_words, 1, 4), "const": _words, "allOf": _lists(inner, 1, 2), "anyOf": _lists(inner),
            "oneOf": _lists(inner), "not": inner, "if": inner, "then": inner, "else": inner, "$ref": _references,
            "type": st.lists(st.sampled_from(KINDS), min_size=1, max_size=2, unique=True),
            "description": st.just("a text"),
        },
    }  # fmt: skip


KEYWORDS = frozenset(keyword for group in keyword_strategies(st.nothing()).values() for keyword in group) | {"$defs"}


def _words_of(kind: str) -> st.SearchStrategy[Any]:
    """Draw words of a kind, and sometimes others, which its `type` refuses."""
    own = [word for word in WORDS if Draft202012Validator({"type": kind}).is_valid(word)]
    return _lists(st.sampled_from(own)) | _lists(_words)


@st.composite
def _typed(draw: st.DrawFn, inner: st.SearchStrategy[Any]) -> Schema:
    """Draw a schema as people write them: a type, and some of its keywords."""
    kind = draw(st.sampled_from(KINDS))
    schema: Schema = {"type": kind}
    keywords = keyword_strategies(inner).get("number" if kind == "integer" else kind, {}) | {"enum": _words_of(kind)}
    for keyword in draw(st.lists(st.sampled_from(sorted(keywords)), max_size=4, unique=True)):
        schema[keyword] = draw(keywords[keyword])
    return schema


@st.composite
def _mixed(draw: st.DrawFn, inner: st.SearchStrategy[Any]) -> Schema:
    """Draw one or two keywords of any kind."""
    groups = keyword_strategies(inner)
    chosen = draw(st.lists(st.sampled_from(["any", "any", *sorted(groups)]), min_size=1, max_size=2))
    pairs = [
        (word, draw(groups[group][word])) for group in chosen for word in [draw(st.sampled_from(sorted(groups[group])))]
    ]
    return dict(pairs)


_LEAVES: st.SearchStrategy[Any] = st.one_of(
    st.booleans(),
    st.builds(lambda kind: {"type": kind}, st.sampled_from(KINDS)),
    st.builds(lambda words: {"enum": words}, _lists(_words)),
    _typed(st.just({"type": "string"})),
)
SUBSCHEMAS: st.SearchStrategy[Any] = st.recursive(
    _LEAVES, lambda inner: _typed(inner) | _typed(inner) | _mixed(inner), max_leaves=8
)


@st.composite
def schemas(draw: st.DrawFn) -> Schema:
    """Draw a schema with definitions, one of which refers to itself below the value."""
    root = draw(_typed(SUBSCHEMAS) | _mixed(SUBSCHEMAS))
    tree = {"type": "object", "properties": {"a": draw(_LEAVES), "b": {"$ref": "#/$defs/tree"}}, "required": ["a"]}
    return {**root, "$defs": {"leaf": draw(_LEAVES), "tree": tree}}


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Schema, Schema]:
    """Draw a schema and a mutation of it."""
    first = draw(schemas())
    second = deepcopy(first)
    for _ in range(draw(st.integers(1, 3))):
        second = mutate(draw, second)
    return first, second


# Keywords that are read together.
_GROUPS: dict[str, list[tuple[str, ...]]] = {
    "array": [
        ("prefixItems", "items"), ("prefixItems", "unevaluatedItems"), ("contains", "minContains", "maxContains"),
        ("minItems", "maxItems"), ("items", "uniqueItems"), ("contains", "unevaluatedItems"),
    ],
    "object": [
        ("properties", "additionalProperties"), ("patternProperties", "additionalProperties"), ("propertyNames",),
        ("properties", "unevaluatedProperties"), ("required", "minProperties", "maxProperties"),
        ("properties", "patternProperties"), ("dependentRequired",), ("dependentSchemas", "required"),
    ],
}  # fmt: skip


@st.composite
def unrelated_pairs(draw: st.DrawFn) -> tuple[Schema, Schema]:
    """Draw two schemas with few keywords of one kind, so that no other keyword hides what one of them refuses."""
    kind = draw(st.sampled_from(sorted(_GROUPS)))
    keywords = keyword_strategies(st.sampled_from([True, {"type": "string"}, {"type": "integer"}, {"const": "a"}]))[
        kind
    ]
    chosen = [draw(st.lists(st.sampled_from(_GROUPS[kind]), min_size=low, max_size=2)) for low in (0, 1)]
    first, second = ({"type": kind, **{key: draw(keywords[key]) for keys in one for key in keys}} for one in chosen)
    return first, second


def mutate(draw: st.DrawFn, root: Schema) -> Schema:
    """Return a schema with one change somewhere."""
    # A definition that nothing refers to decides nothing.
    is_used = "#/$defs/" in str({key: value for key, value in root.items() if key != "$defs"})
    places = [place for place in _places(root) if is_used or place[:1] != ("$defs",)]
    path = draw(st.sampled_from(places))
    schema = _get(root, path)
    changed = draw(st.sampled_from(_MUTATIONS))(draw, deepcopy(schema))
    if path[:1] == ("$defs",):
        changed = _without_references(changed, path)
    return (
        _put(root, path, changed)
        if path
        else {**(changed if isinstance(changed, dict) else {}), "$defs": root["$defs"]}
    )


def _places(schema: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of all subschemas."""
    found = [path]
    for key, value in schema.items() if isinstance(schema, dict) else ():
        if key in ("properties", "patternProperties", "dependentSchemas", "$defs"):
            found += [one for name, inner in value.items() for one in _places(inner, (*path, key, name))]
        elif key in ("allOf", "anyOf", "oneOf", "prefixItems"):
            found += [one for index, inner in enumerate(value) for one in _places(inner, (*path, key, index))]
        elif isinstance(value, dict | bool) and key not in ("const", "uniqueItems", "dependentRequired", "default"):
            found += _places(value, (*path, key))
    return found


def _without_references(schema: Any, path: tuple[Any, ...]) -> Any:
    """Return a changed definition without a reference, which could lead back to itself without an end."""
    is_loop = path[-1] != "b" and "$ref" in str(schema)
    return {"type": "object"} if is_loop else schema


def _get(root: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        root = root[step]
    return root


def _put(root: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    copied = list(root) if isinstance(root, list) else dict(root)
    copied[path[0]] = _put(root[path[0]], path[1:], value)
    return copied


def _own(schema: Any) -> Schema:
    return {key: value for key, value in schema.items() if key != "$defs"} if isinstance(schema, dict) else {}


def _drop(draw: st.DrawFn, schema: Any) -> Any:
    keywords = sorted(_own(schema))
    dropped = draw(st.sampled_from(keywords)) if keywords else ""
    return {key: value for key, value in _own(schema).items() if key != dropped}


def _thin(draw: st.DrawFn, schema: Any) -> Any:
    """Drop some keywords together: what one of them refuses, another one may refuse too."""
    own = _own(schema)
    return {key: own[key] for key in sorted(own) if draw(st.booleans())}


def _add(draw: st.DrawFn, schema: Any) -> Any:
    return {**draw(_mixed(_LEAVES)), **_own(schema)}


def _replace(draw: st.DrawFn, _: Any) -> Any:
    return draw(_LEAVES)


def _wrap(draw: st.DrawFn, schema: Any) -> Any:
    inner = _own(schema) if isinstance(schema, dict) else schema
    other = draw(_LEAVES)
    return draw(
        st.sampled_from(
            [
                {"allOf": [inner]},
                {"allOf": [inner, other]},
                {"anyOf": [inner, other]},
                {"anyOf": [inner, inner]},
                {"oneOf": [inner, False]},
                {"not": {"not": inner}},
                {"if": inner, "else": False},
                {"if": other, "then": inner, "else": inner},
                {"$ref": "#/$defs/leaf"},
            ]
        )
    )


def _reorder(_: st.DrawFn, schema: Any) -> Any:
    if not isinstance(schema, dict):
        return schema
    changed = dict(reversed(_own(schema).items()))
    for keyword in ("anyOf", "enum", "allOf", "required"):
        if keyword in changed:
            changed[keyword] = changed[keyword][::-1]
    return changed


def _shift(draw: st.DrawFn, schema: Any) -> Any:
    """Change a limit by a little."""
    numbers = [
        key for key, value in _own(schema).items() if isinstance(value, int | float) and not isinstance(value, bool)
    ]
    numbers = [key for key in numbers if key != "const"]
    if not numbers:
        return schema if not isinstance(schema, dict) else _own(schema)
    key = draw(st.sampled_from(sorted(numbers)))
    step = draw(st.sampled_from([1, -1, 2]))
    low = 1 if key == "multipleOf" else -10 if "imum" in key else 0
    return {**_own(schema), key: max(schema[key] + step, low)}


def _relist(draw: st.DrawFn, schema: Any) -> Any:
    """Add or remove a word of a list."""
    own = _own(schema)
    lists = {
        "enum": _words,
        "required": _names,
        "type": st.sampled_from(KINDS),
        "anyOf": _LEAVES,
        "prefixItems": _LEAVES,
    }
    known = sorted(key for key in lists if isinstance(own.get(key), list))
    if not known:
        return own if isinstance(schema, dict) else schema
    key = draw(st.sampled_from(known))
    items = (
        own[key][1:]
        if draw(st.booleans())
        else [*own[key], *([new] if (new := draw(lists[key])) not in own[key] else [])]
    )
    if not items and key != "required":
        return own
    return {**own, key: items}


def _property(draw: st.DrawFn, schema: Any) -> Any:
    own = _own(schema)
    return {**own, "properties": {**own.get("properties", {}), draw(_names): draw(_LEAVES)}}


_MUTATIONS: tuple[Callable[[st.DrawFn, Any], Any], ...] = (
    _drop, _thin, _add, _replace, _wrap, _reorder, _shift, _shift, _relist, _relist, _property,
)  # fmt: skip
