"""Convert values to the form that the schema asks for, where the schema leaves exactly one way to do it."""

import re
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from promptpack.reply.candidates import strict_at
from promptpack.reply.reading import EditKind
from promptpack.reply.scalars import read_scalar
from promptpack.reply.scan import scan
from promptpack.reply.shape import Shape
from promptpack.reply.synonyms import GROUP_OF, fold, spells
from promptpack.reply.syntax_tree import Defect, escape, extract_data, is_same

_FENCED = re.compile(r"(?P<fence>`{3,}|~{3,})\w{0,20}\n(?P<body>[\s\S]*)\n(?P=fence)")
_MAX_UNKNOWN = 300
_MAX_ITEMS = 10_000
_NEVER_CHANGED = frozenset((int, float, bool))


class ValueRepair(NamedTuple):
    """One change to the parsed value, at a path."""

    edit: EditKind
    path: str
    kind: str
    before: Any
    after: Any


@dataclass(slots=True)
class Alignment:
    """A value in the form of its schema, the repairs that led there, and the conflicts that no repair may decide."""

    value: Any = None
    repairs: list[ValueRepair] = field(default_factory=list)
    conflicts: list[tuple[str, Defect]] = field(default_factory=list)
    unread: int = 100_000
    """The characters of texts that may still be parsed as an object or a list."""
    is_trial: bool = False
    """Whether only the value counts: keys whose meaning needs a trial of its own keep their names."""


def align(value: Any, shape: Shape) -> Alignment:
    """Return a whole value aligned with its schema; the argument is not changed."""
    found = Alignment()
    found.value = _value(value, shape, "", found)
    return found


def parse_text(text: str) -> Any:
    """Parse a text that is exactly one object or list; return None for any other text."""
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
    data = extract_data(found.root)
    if found.tail != "closed" or found.end != len(body) or data.defects:
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
    if value is None and kinds == {"object"} and shape.accepts({}):
        return _set(value, {}, path, "empty-placeholder", found)
    return value


def _set(before: Any, after: Any, path: str, kind: str, found: Alignment) -> Any:
    found.repairs.append(ValueRepair("set", path, kind, before, after))
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
    if not value and shape.accepts({}):
        return _set(value, {}, path, "empty-placeholder", found)
    if len(value) == 1 and isinstance(value[0], dict):
        inner = _set(value, value[0], path, "list-of-one", found)
        return _object(inner, shape, path, found)
    return value


def _from_text(value: str, shape: Shape, path: str, found: Alignment, kinds: frozenset[str]) -> Any:
    if shape.accepts(value):
        return value
    scalar = read_scalar(value, shape)
    if scalar is not None:
        return value if is_same(scalar.value, value) else _set(value, scalar.value, path, scalar.kind, found)
    if kinds and kinds <= {"object", "array", "null"}:
        return _container_from_text(value, shape, path, found, kinds)
    return value


def _container_from_text(value: str, shape: Shape, path: str, found: Alignment, kinds: frozenset[str]) -> Any:
    empty: Any = [] if "array" in kinds else {}
    if not value.strip():
        return _set(value, empty, path, "empty-placeholder", found) if shape.accepts(empty) else value
    found.unread -= len(value)
    parsed = parse_text(value) if found.unread >= 0 else None
    if (isinstance(parsed, dict) and "object" in kinds) or (isinstance(parsed, list) and "array" in kinds):
        return _value(_set(value, parsed, path, "json-string", found), shape, path, found)
    return _as_item(value, shape, path, found) if "array" in kinds and parsed is None else value


def _as_item(value: Any, shape: Shape, path: str, found: Alignment) -> Any:
    """Wrap a single item in a list where the schema asks for a list of such items."""
    items = shape.items
    if items is None or not items.types:
        return value
    trial = Alignment(unread=found.unread, is_trial=found.is_trial)
    item = _value(value, items, f"{path}/0", trial)
    found.unread = trial.unread
    if not items.accepts(item):
        return value
    _set(value, [value], path, "single-item", found)
    found.repairs.extend(trial.repairs)
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
        if inner is None or type(item) in _NEVER_CHANGED or (type(item) is str and inner.accepts_any_text):
            continue
        if name in named:
            _member(current, name, inner, f"{path}/{escape(name)}", found, optional=name not in full.required)
        else:
            current[name] = _value(item, inner, f"{path}/{escape(name)}", found)
    return current


def _member(current: dict[str, Any], name: str, shape: Shape, path: str, found: Alignment, *, optional: bool) -> None:
    value = current[name]
    if (
        optional
        and (value is None or value in ("", [], {}))
        and not isinstance(value, bool)
        and not shape.accepts(value)
    ):
        found.repairs.append(ValueRepair("remove", path, "absent", value, None))
        del current[name]
        return
    current[name] = _value(value, shape, path, found)


def _renamed(value: dict[str, Any], shape: Shape, path: str, found: Alignment) -> dict[str, Any]:
    """Rename keys that are other spellings of a property; two of them with different values are a conflict."""
    named = shape.properties
    if not named or value.keys() <= named.keys():
        return dict(value)
    unknown = [key for key in value if key not in named]
    targets: dict[str, str] = {}
    for key in unknown[:_MAX_UNKNOWN]:
        target = _target(key, value[key], shape, found)
        if target is not None and target not in value:
            targets[key] = target
    return _apply_names(value, targets, path, found)


def _apply_names(value: dict[str, Any], targets: dict[str, str], path: str, found: Alignment) -> dict[str, Any]:
    sources: dict[str, str] = {}
    for key, target in targets.items():
        first = sources.setdefault(target, key)
        if first != key and not is_same(value[first], value[key]):
            message = f"{first!r} and {key!r} both mean {target!r} but have different values"
            found.conflicts.append((f"{path}/{escape(target)}", Defect("ambiguous", message)))
    renames = {key: target for target, key in sources.items()}
    for key, target in renames.items():
        found.repairs.append(ValueRepair("rename", f"{path}/{escape(key)}", "key-alias", key, target))
    return {renames.get(key, key): item for key, item in value.items()}


def _target(key: str, item: Any, shape: Shape, found: Alignment) -> str | None:
    name, is_certain = find_property(key, shape)
    if name is None or is_certain or name in shape.required:
        return name
    if found.is_trial:
        return None
    inner, trial = shape.properties[name], Alignment(unread=found.unread, is_trial=True)
    value = _value(item, inner, "", trial)
    found.unread = trial.unread
    return name if inner.accepts(value) and not trial.conflicts else None


def find_property(key: str, shape: Shape) -> tuple[str | None, bool]:
    """Return the property that a key means, and whether the key is only another spelling of its name."""
    folded = fold(key)
    spelled = shape.by_folded_name.get(folded, ())
    if spelled:
        return (spelled[0], True) if len(spelled) == 1 and spells(key, spelled[0]) else (None, False)
    group = GROUP_OF.get(folded)
    synonyms = shape.by_alias.get(key.strip()) or (shape.by_group.get(group, []) if group is not None else [])
    return (synonyms[0], False) if len(synonyms) == 1 else (None, False)
