"""A schema itself, looked at before it checks anything: what could run away, run in circles or lead elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from promptpack.schema.mismatch import Mismatch
from promptpack.schema.patterns import PatternError, read_pattern

if TYPE_CHECKING:
    Path = tuple[str | int, ...]


# The codes of what is found here, by rule.
CODES: Final[Mapping[str, str]] = {"remote": "PP211", "cycle": "PP214", "runaway": "PP215", "pattern": "PP216"}

_ONE: Final = (
    "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not", "propertyNames", "then",
    "unevaluatedItems", "unevaluatedProperties",
)  # fmt: skip
_LISTS: Final = ("allOf", "anyOf", "oneOf", "prefixItems")
_NAMED: Final = ("$defs", "dependentSchemas", "patternProperties", "properties")
# The keywords whose schemas are about the same value, so that a circle of them would never end.
_SAME_VALUE: Final = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas")


def inspect(schema: Any) -> tuple[Mismatch, ...]:
    """Find what makes a schema unsafe to use; its form is another's to check."""
    found: list[Mismatch] = []
    for path, node in _schemas(schema, ()):
        found += _elsewhere(path, node)
        found += _patterns(path, node)
    return (*found, *_circles(schema))


def _schemas(schema: Any, path: Path) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    if not isinstance(schema, Mapping):
        return
    yield path, schema
    for step, child in _children(schema):
        yield from _schemas(child, (*path, *step))


def _children(schema: Mapping[str, Any]) -> Iterator[tuple[Path, Any]]:
    for key, value in schema.items():
        if key in _ONE:
            yield (key,), value
        elif key in _LISTS and isinstance(value, list):
            yield from (((key, index), item) for index, item in enumerate(value))
        elif key in _NAMED and isinstance(value, Mapping):
            yield from (((key, name), item) for name, item in value.items())


def _elsewhere(path: Path, schema: Mapping[str, Any]) -> Iterator[Mismatch]:
    if "$id" in schema:
        yield Mismatch("remote", (*path, "$id"), "'$id' would send references elsewhere", "remove it", at_key=True)
    reference = schema.get("$dynamicRef", "")
    if isinstance(reference, str) and reference and not reference.startswith("#"):
        message = f"reference {reference!r} is not a file of this pack"
        yield Mismatch("remote", (*path, "$dynamicRef"), message, "write '$ref: #/$defs/name'", at_key=True)


def _patterns(path: Path, schema: Mapping[str, Any]) -> Iterator[Mismatch]:
    named = schema.get("patternProperties")
    texts: list[tuple[Path, Any]] = [((*path, "pattern"), schema.get("pattern"))]
    texts += [((*path, "patternProperties", name), name) for name in (named if isinstance(named, Mapping) else ())]
    for where, text in texts:
        if not isinstance(text, str):
            continue
        try:
            is_safe = read_pattern(text).is_safe
        except PatternError as error:
            yield Mismatch("pattern", where, str(error), "write it as Python's 're' takes it")
            continue
        if not is_safe:
            hint = "leave out back-references, and look-arounds beside nested repetitions"
            yield Mismatch("runaway", where, f"pattern {text[:60]!r} could take for ever on a text", hint)


def _circles(root: Any) -> Iterator[Mismatch]:
    """Find references that lead back to themselves without going deeper into the value."""
    done: set[Path] = set()
    for start, _ in _schemas(root, ()):
        trail: list[tuple[Path, Iterator[tuple[Path, Path]]]] = [(start, _onward(root, start))]
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
                yield Mismatch("cycle", where, f"reference {_at(root, where)!r} leads back to itself")
                return
            if target not in done:
                open_paths.add(target)
                trail.append((target, _onward(root, target)))


def _onward(root: Any, path: Path) -> Iterator[tuple[Path, Path]]:
    """Give the schemas that are about the same value, each with the place that leads there."""
    schema = _at(root, path)
    if not isinstance(schema, Mapping):
        return
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference.startswith("#"):
        steps = [step.replace("~1", "/").replace("~0", "~") for step in reference.split("/")[1:]]
        yield _path_of(root, steps), (*path, "$ref")
    for step, _ in _children(schema):
        if step[0] in _SAME_VALUE:
            yield (*path, *step), (*path, *step)


def _path_of(root: Any, steps: list[str]) -> Path:
    path: list[str | int] = []
    for step in steps:
        is_index = isinstance(root, list) and step.isdecimal()
        path.append(int(step) if is_index else step)
        root = _child(root, path[-1])
    return tuple(path)


def _at(root: Any, path: Path) -> Any:
    for step in path:
        root = _child(root, step)
    return root


def _child(node: Any, step: str | int) -> Any:
    if isinstance(node, list) and isinstance(step, int):
        return node[step] if step < len(node) else None
    return node.get(step) if isinstance(node, Mapping) else None
