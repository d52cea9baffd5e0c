"""Bring values to the form the schema asks for, where the schema leaves exactly one way to do it."""

import re
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from promptpack.reply.candidates import strict_at
from promptpack.reply.reading import EditKind
from promptpack.reply.scalars import read_scalar
from promptpack.reply.scan import scan
from promptpack.reply.shape import Shape
from promptpack.reply.tree import Mark, escape, harvest, same
from promptpack.reply.words import GROUP_OF, fold, spells

_FENCED = re.compile(r"(?P<fence>`{3,}|~{3,})\w{0,20}\n(?P<body>[\s\S]*)\n(?P=fence)")
_MAX_UNKNOWN = 300
_MAX_ITEMS = 10_000
_NEVER_CHANGED = frozenset((int, float, bool))


class Step(NamedTuple):
    """One change to the parsed value, by path."""

    edit: EditKind
    path: str
    kind: str
    before: Any
    after: Any


@dataclass(slots=True)
class Alignment:
    """A value in the form of its schema, the steps that led there and the choices nobody may make."""

    value: Any = None
    steps: list[Step] = field(default_factory=list)
    conflicts: list[tuple[str, Mark]] = field(default_factory=list)


def align(value: Any, shape: Shape) -> Alignment:
    """Align a whole value; the given one is not touched."""
    found = Alignment()
    found.value = _value(value, shape, "", found)
    return found


def parse_text(text: str) -> Any:
    """Read an object or a list that was given as a text; nothing when it is not exactly one."""
    body = text.strip()
    if fenced := _FENCED.fullmatch(body):
        body = fenced["body"].strip()
    if body[:1] not in ("{", "[", '"'):
        return None
    strict = strict_at(body, 0)
    if body[0] == '"':
        return parse_text(strict[0]) if strict and strict[1] == len(body) and len(strict[0]) < len(text) else None
    if strict is not None and strict[1] == len(body):
        return strict[0]
    found = scan(body, 0)
    data = harvest(found.root)
    if found.tail != "closed" or found.end != len(body) or data.marks:
        return None
    return data.value


def _value(value: Any, shape: Shape, path: str, found: Alignment) -> Any:
    kinds = shape.kinds
    if isinstance(value, dict):
        return _from_object(value, shape, path, found, kinds)
    if isinstance(value, list):
        return _from_list(value, shape, path, found, kinds)
    if isinstance(value, str):
        return _from_text(value, shape, path, found, kinds)
    if value is None and kinds == {"object"} and shape.holds({}):
        return _set(value, {}, path, "empty-placeholder", found)
    return value


def _set(before: Any, after: Any, path: str, kind: str, found: Alignment) -> Any:
    found.steps.append(Step("set", path, kind, before, after))
    return after


def _from_object(value: dict[str, Any], shape: Shape, path: str, found: Alignment, kinds: frozenset[str]) -> Any:
    if kinds and "object" not in kinds:
        return _as_item(value, shape, path, found) if kinds == {"array"} else value
    return _object(value, shape, path, found)


def _from_list(value: list[Any], shape: Shape, path: str, found: Alignment, kinds: frozenset[str]) -> Any:
    if not kinds or "array" in kinds:
        items = shape.items
        if items is None or len(value) > _MAX_ITEMS:
            return value
        return [_value(item, items, f"{path}/{index}", found) for index, item in enumerate(value)]
    if kinds != {"object"}:
        return value
    if not value and shape.holds({}):
        return _set(value, {}, path, "empty-placeholder", found)
    if len(value) == 1 and isinstance(value[0], dict):
        inner = _set(value, value[0], path, "list-of-one", found)
        return _object(inner, shape, path, found)
    return value


def _from_text(value: str, shape: Shape, path: str, found: Alignment, kinds: frozenset[str]) -> Any:
    if shape.holds(value):
        return value
    scalar = read_scalar(value, shape)
    if scalar is not None:
        return value if same(scalar.value, value) else _set(value, scalar.value, path, scalar.kind, found)
    if kinds and kinds <= {"object", "array", "null"}:
        return _container_from_text(value, shape, path, found, kinds)
    return value


def _container_from_text(value: str, shape: Shape, path: str, found: Alignment, kinds: frozenset[str]) -> Any:
    empty: Any = [] if "array" in kinds else {}
    if not value.strip():
        return _set(value, empty, path, "empty-placeholder", found) if shape.holds(empty) else value
    parsed = parse_text(value)
    if (isinstance(parsed, dict) and "object" in kinds) or (isinstance(parsed, list) and "array" in kinds):
        return _value(_set(value, parsed, path, "json-string", found), shape, path, found)
    return _as_item(value, shape, path, found) if "array" in kinds and parsed is None else value


def _as_item(value: Any, shape: Shape, path: str, found: Alignment) -> Any:
    """Put one item into the list that belongs there, if it is such an item."""
    items = shape.items
    if items is None or not items.types:
        return value
    trial = Alignment()
    item = _value(value, items, f"{path}/0", trial)
    if not items.holds(item):
        return value
    _set(value, [value], path, "single-item", found)
    found.steps.extend(trial.steps)
    found.conflicts.extend(trial.conflicts)
    return [item]


def _object(value: dict[str, Any], shape: Shape, path: str, found: Alignment) -> dict[str, Any]:
    current = _renamed(value, shape, path, found)
    named = shape.properties
    for name in shape.discriminators & current.keys() & named.keys():
        if named[name].words is not None:
            current[name] = _value(current[name], named[name], f"{path}/{escape(name)}", found)
    full = shape.with_conditions(current)
    if full is not shape:
        current, named = _renamed(current, full, path, found), full.properties
    extra = full.extra
    for name, item in tuple(current.items()):
        inner = named.get(name, extra)
        if inner is None or type(item) in _NEVER_CHANGED or (type(item) is str and inner.takes_any_text):
            continue
        if name in named:
            _member(current, name, inner, f"{path}/{escape(name)}", found, optional=name not in full.required)
        else:
            current[name] = _value(item, inner, f"{path}/{escape(name)}", found)
    return current


def _member(current: dict[str, Any], name: str, shape: Shape, path: str, found: Alignment, *, optional: bool) -> None:
    value = current[name]
    if optional and (value is None or value in ("", [], {})) and not isinstance(value, bool) and not shape.holds(value):
        found.steps.append(Step("remove", path, "absent", value, None))
        del current[name]
        return
    current[name] = _value(value, shape, path, found)


def _renamed(value: dict[str, Any], shape: Shape, path: str, found: Alignment) -> dict[str, Any]:
    """Give other spellings of a property its own name; two that disagree are a conflict."""
    named = shape.properties
    if not named or value.keys() <= named.keys():
        return dict(value)
    unknown = [key for key in value if key not in named]
    targets: dict[str, str] = {}
    for key in unknown[:_MAX_UNKNOWN]:
        target = _target(key, value[key], shape)
        if target is not None and target not in value:
            targets[key] = target
    return _apply_names(value, targets, path, found)


def _apply_names(value: dict[str, Any], targets: dict[str, str], path: str, found: Alignment) -> dict[str, Any]:
    taken: dict[str, str] = {}
    for key, target in targets.items():
        first = taken.setdefault(target, key)
        if first != key and not same(value[first], value[key]):
            message = f"{first!r} and {key!r} both stand for {target!r} and disagree"
            found.conflicts.append((f"{path}/{escape(target)}", Mark("ambiguous", message)))
    renames = {key: target for target, key in taken.items()}
    for key, target in renames.items():
        found.steps.append(Step("rename", f"{path}/{escape(key)}", "key-alias", key, target))
    return {renames.get(key, key): item for key, item in value.items()}


def _target(key: str, item: Any, shape: Shape) -> str | None:
    name, sure = property_for(key, shape)
    if name is None or sure or name in shape.required:
        return name
    inner = shape.properties[name]
    trial = align(item, inner)
    return name if inner.holds(trial.value) and not trial.conflicts else None


def property_for(key: str, shape: Shape) -> tuple[str | None, bool]:
    """Find the property a key stands for, and whether it is merely spelt differently."""
    folded = fold(key)
    spelt = shape.folded.get(folded, ())
    if spelt:
        return (spelt[0], True) if len(spelt) == 1 and spells(key, spelt[0]) else (None, False)
    group = GROUP_OF.get(folded)
    known = shape.aliases.get(key.strip()) or (shape.ideas.get(group, []) if group is not None else [])
    return (known[0], False) if len(known) == 1 else (None, False)
