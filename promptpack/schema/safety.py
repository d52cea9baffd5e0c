"""Check that a schema is safe to use: no patterns that can hang, no reference cycles, no remote references."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from promptpack.problem import PackError, Problem
from promptpack.schema.patterns import PatternError, PatternLengthError, read_pattern
from promptpack.schema.pointers import Mismatch, ValuePath, split_pointer

# Error codes by danger.
UNSAFE_CODES: Final[Mapping[str, str]] = {
    "remote": "PP211",
    "cycle": "PP214",
    "runaway": "PP215",
    "pattern": "PP216",
    "size": "PP217",
}
_MAX_PATTERN_CHARACTERS: Final = 50_000
# Python takes as long to compile a short pattern as one of this length.
_MIN_PATTERN_CHARACTERS: Final = 50
_MAX_MAPPINGS: Final = 50_000

SCHEMA_KEYWORDS: Final = (
    "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not", "propertyNames", "then",
    "unevaluatedItems", "unevaluatedProperties",
)  # fmt: skip
LIST_KEYWORDS: Final = ("allOf", "anyOf", "oneOf", "prefixItems")
MAPPING_KEYWORDS: Final = ("$defs", "dependentSchemas", "patternProperties", "properties")
"""The keywords that hold one schema, a list of schemas, and schemas by name."""
# Keywords whose subschemas validate the same value, so a cycle of them would never end.
_SAME_VALUE: Final = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas")


class SchemaMeter:
    """Counts how much of the limits the schemas of one pack may still use, with the files they refer to."""

    def __init__(self) -> None:
        self._mappings = _MAX_MAPPINGS
        self._pattern_characters = _MAX_PATTERN_CHARACTERS

    @property
    def is_exceeded(self) -> bool:
        """Whether there are too many mappings, which `count_mapping` has reported."""
        return self._mappings < 0

    def count_mapping(self) -> None:
        """Count a mapping of a schema, or raise `PackError`."""
        self._mappings -= 1
        if self._mappings < 0:
            message = f"the schemas of this pack have more than {_MAX_MAPPINGS:,} mappings with the files they refer to"
            raise PackError(Problem("PP217", message, None, "split the pack, or refer to smaller files"))

    def allows_pattern(self, text: str) -> bool:
        """Count a pattern, and return whether the limit allows it."""
        self._pattern_characters -= max(len(text), _MIN_PATTERN_CHARACTERS)
        return self._pattern_characters >= 0


def find_unsafe(schema: Any, meter: SchemaMeter) -> tuple[Mismatch, ...]:
    """Return everything that makes a schema unsafe to use; its syntax is validated elsewhere."""
    found: list[Mismatch] = []
    paths = dict(iterate_schemas(schema))
    for path, node in paths.items():
        found += _find_remote(path, node)
    found += _find_unsafe_patterns(paths, meter)
    if any("$ref" in node for node in paths.values()):
        found += _find_cycles(schema, paths)
    return tuple(found)


def iterate_schemas(schema: Any, path: ValuePath = ()) -> Iterator[tuple[ValuePath, Mapping[str, Any]]]:
    """Iterate over a schema and all its subschemas, each with its path."""
    if not isinstance(schema, Mapping):
        return
    yield path, schema
    for step, child in _iterate_children(schema):
        yield from iterate_schemas(child, (*path, *step))


def _iterate_children(schema: Mapping[str, Any]) -> Iterator[tuple[ValuePath, Any]]:
    for key, value in schema.items():
        if key in SCHEMA_KEYWORDS:
            yield (key,), value
        elif key in LIST_KEYWORDS and isinstance(value, list):
            yield from (((key, index), item) for index, item in enumerate(value))
        elif key in MAPPING_KEYWORDS and isinstance(value, Mapping):
            yield from (((key, name), item) for name, item in value.items())


def _find_remote(path: ValuePath, schema: Mapping[str, Any]) -> Iterator[Mismatch]:
    if "$id" in schema:
        yield Mismatch("remote", (*path, "$id"), "'$id' changes the target of references", "remove it", at_key=True)
    reference = schema.get("$dynamicRef", "")
    if isinstance(reference, str) and reference and not reference.startswith("#"):
        message = f"reference {reference!r} is not a file of this pack"
        yield Mismatch("remote", (*path, "$dynamicRef"), message, "write '$ref: #/$defs/name'", at_key=True)


def _find_unsafe_patterns(schemas: Mapping[ValuePath, Mapping[str, Any]], meter: SchemaMeter) -> Iterator[Mismatch]:
    for where, text in _patterns_of(schemas.items()):
        if not meter.allows_pattern(text):
            limit = f"{_MAX_PATTERN_CHARACTERS:,} characters"
            message = (
                f"the patterns of this pack have more than {limit}, counting at least {_MIN_PATTERN_CHARACTERS} each"
            )
            yield Mismatch("size", where, message, "use 'enum', or fewer patterns")
            return
        yield from _find_unsafe_pattern(where, text)


def iterate_patterns(schema: Any) -> Iterator[tuple[ValuePath, str]]:
    """Iterate over the patterns of a schema and its subschemas, each with its path."""
    return _patterns_of(iterate_schemas(schema))


def _patterns_of(schemas: Iterable[tuple[ValuePath, Mapping[str, Any]]]) -> Iterator[tuple[ValuePath, str]]:
    for path, schema in schemas:
        if isinstance(schema.get("pattern"), str):
            yield (*path, "pattern"), schema["pattern"]
        named = schema.get("patternProperties")
        for name in named if isinstance(named, Mapping) else ():
            yield (*path, "patternProperties", name), name


def _find_unsafe_pattern(where: ValuePath, text: str) -> Iterator[Mismatch]:
    try:
        is_safe = read_pattern(text).is_safe
    except PatternLengthError as error:
        yield Mismatch("runaway", where, str(error), "shorten it, or use 'enum'", expected=text)
        return
    except PatternError as error:
        hint = "write a regular expression that Python's 're' accepts"
        yield Mismatch("pattern", where, str(error), hint, expected=text)
        return
    if not is_safe:
        hint = "remove back-references, and look-arounds next to nested repetitions"
        yield Mismatch("runaway", where, f"pattern {text[:60]!r} can take forever to match", hint, expected=text)


def _find_cycles(root: Any, starts: Iterable[ValuePath]) -> Iterator[Mismatch]:
    """Yield a reference that leads back to itself without going deeper into the value."""
    done: set[ValuePath] = set()
    for start in starts:
        trail: list[tuple[ValuePath, Iterator[tuple[ValuePath, ValuePath]]]] = [(start, _same_value_steps(root, start))]
        open_paths = {start}
        while trail:
            here, steps = trail[-1]
            step = next(steps, None)
            if step is None or here in done:
                done.add(here)
                open_paths.discard(here)
                trail.pop()
                continue
            target, where = step
            if target in open_paths:
                yield Mismatch(
                    "cycle", where, f"reference {_get(root, where)!r} refers to itself", "replace it with a schema"
                )
                return
            if target not in done:
                open_paths.add(target)
                trail.append((target, _same_value_steps(root, target)))


def _same_value_steps(root: Any, path: ValuePath) -> Iterator[tuple[ValuePath, ValuePath]]:
    """Yield the paths of subschemas that validate the same value, each with the path that refers to it."""
    schema = _get(root, path)
    if not isinstance(schema, Mapping):
        return
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference.startswith("#"):
        yield _resolve_path(root, split_pointer(reference)), (*path, "$ref")
    for step, _ in _iterate_children({key: value for key, value in schema.items() if key in _SAME_VALUE}):
        yield (*path, *step), (*path, *step)


def _resolve_path(root: Any, steps: list[str]) -> ValuePath:
    path: list[str | int] = []
    for step in steps:
        is_index = isinstance(root, list) and step.isdecimal()
        path.append(int(step) if is_index else step)
        root = _get_child(root, path[-1])
    return tuple(path)


def _get(root: Any, path: ValuePath) -> Any:
    for step in path:
        root = _get_child(root, step)
    return root


def _get_child(node: Any, step: str | int) -> Any:
    if isinstance(node, list) and isinstance(step, int):
        return node[step] if step < len(node) else None
    return node.get(step) if isinstance(node, Mapping) else None
