"""Objects and lists whose keys, items and sizes meet schemas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Protocol

from promptpack.schema.equality import equality_key
from promptpack.schema.generation.choices import Choices, choose, happens
from promptpack.schema.generation.combining import Combiner, NoValueError, SchemaGoal
from promptpack.schema.generation.texts import make_match
from promptpack.schema.patterns import PatternError, read_pattern

Schemas = list[Mapping[str, Any]]
_MAX_ITEMS: Final = 2_000
_MORE: Final = 3
_KEYS: Final = ("a", "b", "c", "key", "name", "x-1", "键", "role", "content", "__proto__", "a b", "")
_UNUSUAL_KEY: Final = "\x00"
_ROUNDS: Final = 8
_MATCH_STEPS: Final = 50_000


class Maker(Protocol):
    """Makes the values inside a container."""

    samples: Sequence[str]

    def make(self, goal: SchemaGoal, choices: Choices, depth: int) -> Any:
        """Return a value that meets all schemas of a goal."""

    def accepts(self, goal: SchemaGoal, value: Any) -> bool:
        """Return whether a value meets all schemas of a goal."""


def make_object(maker: Maker, combiner: Combiner, schemas: Schemas, choices: Choices, depth: int) -> dict[str, Any]:
    """Return an object: the required keys, some of the optional ones, and some others if they are allowed."""
    keys = _choose_keys(maker, combiner, schemas, choices, is_small=depth > _MORE)
    made: dict[str, Any] = {}
    for key, is_needed in keys.items():
        try:
            made[key] = maker.make(_goal_of(key, schemas), choices, depth + 1)
        except NoValueError:
            if is_needed:
                raise
    return made


def _choose_keys(
    maker: Maker, combiner: Combiner, schemas: Schemas, choices: Choices, *, is_small: bool
) -> dict[str, bool]:
    """Return the keys, and whether each one is needed; schemas that depend on a chosen key are added."""
    low, high = _limits(schemas, "minProperties", "maxProperties")
    keys = dict.fromkeys(_required(schemas), True)
    for key in dict.fromkeys(key for schema in list(schemas) for key in schema.get("properties", ())):
        if key not in keys and len(keys) < high and not is_small and happens(choices, 2):
            keys[key] = False
    wanted = max(low, min(high, len(keys) + (0 if is_small else choices.integer(0, _extra(schemas)))))
    for key in _fresh_keys(maker, schemas, choices) if len(keys) < wanted else ():
        keys.setdefault(key, len(keys) < low)
        if len(keys) >= wanted:
            break
    for _ in range(_ROUNDS):
        before = len(keys), len(schemas)
        _add_dependencies(combiner, schemas, choices, keys)
        keys.update(dict.fromkeys(_required(schemas), True))
        if (len(keys), len(schemas)) == before:
            break
    order = {
        key: number for number, key in enumerate(key for schema in schemas for key in schema.get("properties", ()))
    }
    return dict(sorted(keys.items(), key=lambda pair: order.get(pair[0], len(order))))


def _required(schemas: Schemas) -> Iterator[str]:
    return (key for schema in schemas for key in schema.get("required", ()))


def _add_dependencies(combiner: Combiner, schemas: Schemas, choices: Choices, keys: dict[str, bool]) -> None:
    known = {id(schema) for schema in schemas}
    for schema in list(schemas):
        for key, others in schema.get("dependentRequired", {}).items():
            keys.update(dict.fromkeys(others if key in keys else (), True))
        for key, other in schema.get("dependentSchemas", {}).items():
            if key in keys and id(other) not in known:
                schemas += [one for one in combiner.combine([other], choices) if id(one) not in known]
                known = {id(one) for one in schemas}


def _extra(schemas: Schemas) -> int:
    """Return how many keys beyond the named ones to try: none for closed objects, few for those with properties."""
    if any(schema.get("additionalProperties") is False and "patternProperties" not in schema for schema in schemas):
        return 0
    return 1 if any("properties" in schema for schema in schemas) else _MORE


def _fresh_keys(maker: Maker, schemas: Schemas, choices: Choices) -> Iterator[str]:
    """Yield keys that an object may have: optional ones, those that match patterns, then any others."""
    names = tuple(schema["propertyNames"] for schema in schemas if "propertyNames" in schema)
    patterns = [pattern for schema in schemas for pattern in schema.get("patternProperties", ())]
    # If no other key is allowed, only patterns can allow one.
    is_closed = any(schema is False for schema in _goal_of(_UNUSUAL_KEY, schemas))
    for number in range(_ROUNDS if is_closed else _MAX_ITEMS):
        key = _make_key(maker, names, patterns, choices) if number < _ROUNDS else f"k{number}"
        if maker.accepts(names, key) and not any(schema is False for schema in _goal_of(key, schemas)):
            yield key


def _make_key(maker: Maker, names: SchemaGoal, patterns: list[str], choices: Choices) -> str:
    if patterns and not happens(choices, 3):
        return make_match(choose(choices, patterns), choices)
    if names and not happens(choices, 3):
        made = maker.make((*names, _TEXT), choices, _MORE)
        return made if isinstance(made, str) else ""
    return choose(choices, [*_KEYS, *(text for text in maker.samples if len(text) < _LONGEST_KEY)])


_TEXT: Final[Mapping[str, Any]] = {"type": "string"}
_LONGEST_KEY: Final = 200


def _goal_of(key: str, schemas: Schemas) -> SchemaGoal:
    """Return the schemas that the value of a key must meet."""
    goal: list[Any] = []
    for schema in schemas:
        found = [schema["properties"][key]] if key in schema.get("properties", ()) else []
        found += [one for pattern, one in schema.get("patternProperties", {}).items() if _matches(pattern, key)]
        goal += found or ([schema["additionalProperties"]] if "additionalProperties" in schema else [])
    return tuple(goal)


def _matches(pattern: str, key: str) -> bool:
    try:
        return bool(read_pattern(pattern).is_found_in(key, [_MATCH_STEPS]))
    except PatternError as error:
        raise NoValueError(str(error)) from error


def make_list(maker: Maker, _: Combiner, schemas: Schemas, choices: Choices, depth: int) -> list[Any]:
    """Return a list: as short as it may be, or somewhat longer, with the items that it must contain."""
    low, high = _limits(schemas, "minItems", "maxItems")
    contained = [
        schema["contains"]
        for schema in schemas
        if "contains" in schema
        for _ in range(min(int(schema.get("minContains", 1)), _MAX_ITEMS))
    ]
    low = max(low, min(len(contained), high))
    length = low + (0 if depth > _MORE else choices.integer(0, max(0, min(high - low, _MORE))))
    is_unique = any(schema.get("uniqueItems") is True for schema in schemas)
    wishes = _place(contained, length, choices)
    made: list[Any] = []
    keys: set[Any] = set()
    for index in range(length):
        item = _make_item(
            maker, (*_goal_at(index, schemas), *wishes[index]), choices, depth, keys if is_unique else set()
        )
        if item is not _NONE:
            made.append(item)
            keys.add(equality_key(item))
        elif index < low:
            raise NoValueError("too few different items")
    return made


_NONE: Final = object()


def _make_item(maker: Maker, goal: SchemaGoal, choices: Choices, depth: int, keys: set[Any]) -> Any:
    for _ in range(_ROUNDS if keys else 1):
        item = maker.make(goal, choices, depth + 1)
        if equality_key(item) not in keys:
            return item
    return _NONE


def _place(contained: list[Any], length: int, choices: Choices) -> list[list[Any]]:
    """Return the schemas of contained items by index; each is placed somewhere, the first ones at the start."""
    places: list[list[Any]] = [[] for _ in range(length)]
    shift = choices.integer(0, max(0, length - len(contained)))
    for number, schema in enumerate(contained[:length] if length else ()):
        places[number + shift].append(schema)
    return places


def _goal_at(index: int, schemas: Schemas) -> SchemaGoal:
    goal: list[Any] = []
    for schema in schemas:
        prefix = schema.get("prefixItems", ())
        if index < len(prefix):
            goal.append(prefix[index])
        elif "items" in schema:
            goal.append(schema["items"])
    return tuple(goal)


def _limits(schemas: Schemas, low: str, high: str) -> tuple[int, int]:
    least = max((int(schema[low]) for schema in schemas if low in schema), default=0)
    most = min((int(schema[high]) for schema in schemas if high in schema), default=_MAX_ITEMS)
    if least > most:
        raise NoValueError(f"no value with {least:,} members is generated")
    return least, most
