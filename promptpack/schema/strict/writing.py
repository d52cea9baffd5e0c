"""Write the strict schema of a provider from the alternatives of a schema."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from promptpack.problem import PackError, Problem
from promptpack.schema.pointers import ValuePath, pointer
from promptpack.schema.strict import WRAPPER
from promptpack.schema.strict.alternative import (
    Alternative,
    ExpansionNode,
    find_words,
    implied_kinds,
    is_impossible,
    kinds_of,
)
from promptpack.schema.strict.expansion import MAX_ALTERNATIVES, Expansion, ExpansionError
from promptpack.schema.strict.provider_support import Profile, find_profile
from promptpack.schema.strict.size import OptionalProperties, check_size
from promptpack.schema.supported_keywords import KEYWORDS_BY_KIND, KINDS

_MAX_NODES: Final = 50_000
_MAX_LEVELS: Final = 60
_MAX_SHOWN: Final = 200
_MAX_WORDS: Final = 3
_MAX_PROBLEMS: Final = 20
_WITHOUT_STRICT: Final = "or ask without a strict schema"


@dataclass(frozen=True)
class StrictSchema:
    """A strict schema, and the keywords that it does not enforce, each with the pointer of its value in a reply."""

    schema: dict[str, Any]
    lost: tuple[tuple[str, str], ...]


def to_strict_schema(schema: Mapping[str, Any], provider: str, what: str) -> dict[str, Any]:
    """Return a schema as the strict schema of a provider.

    `schema` is a JSON Schema with local references, `provider` one of `STRICT_PROVIDERS`, and `what` names the schema
    in problems. Raises `UsageError` for an unknown provider, and `PackError` if the schema cannot be strict.
    """
    return build_strict_schema(schema, provider, what).schema


def build_strict_schema(schema: Mapping[str, Any], provider: str, what: str) -> StrictSchema:
    """Return a strict schema with the keywords that it does not enforce, like `to_strict_schema`."""
    profile = find_profile(provider)
    writer = _StrictWriter(Expansion(schema), profile, provider, what)
    try:
        options = writer.write((schema,), _ReplyPlace())
    except ExpansionError:
        limit = f"{MAX_ALTERNATIVES:,} alternatives, or refers to itself without an object or a list in between"
        raise PackError(writer.problem("PP644", f"{what} has more than {limit}", "use fewer conditions")) from None
    if writer.problems:
        raise PackError(dict.fromkeys(writer.problems))
    if not options:
        raise PackError(writer.problem("PP645", f"{what} accepts no reply at all", "correct its schema"))
    strict = _wrap(options)
    if writer.definitions:
        strict["$defs"] = writer.definitions
    writer.optional.shrink(strict, profile)
    check_size(strict, profile, provider, what)
    return StrictSchema(strict, tuple(dict.fromkeys(writer.lost)))


def _wrap(options: list[dict[str, Any]]) -> dict[str, Any]:
    if len(options) == 1 and options[0].get("type") == "object":
        return options[0]
    return _closed_object({WRAPPER: _union(options)})


def _closed_object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object", "properties": properties, "required": list(properties), "additionalProperties": False,
    }  # fmt: skip


def _union(options: list[dict[str, Any]]) -> dict[str, Any]:
    return options[0] if len(options) == 1 else {"anyOf": options}


@dataclass(frozen=True)
class _ReplyPlace:
    """Where a value is in a reply, and the words that choose the branch of the reply."""

    path: ValuePath = ()
    branch: str = ""

    def inner(self, step: str | int) -> _ReplyPlace:
        return replace(self, path=(*self.path, step))

    @property
    def pointer(self) -> str:
        return pointer(self.path)

    def __str__(self) -> str:
        return f"{self.pointer!r}{self.branch}" if self.path else f"the reply{self.branch}"


class _StrictWriter:
    def __init__(self, expansion: Expansion, profile: Profile, provider: str, what: str) -> None:
        self._expansion = expansion
        self._profile = profile
        self._provider = provider
        self._what = what
        self._count = 0
        self._open: dict[frozenset[int], str] = {}
        self._recursive: set[str] = set()
        self.definitions: dict[str, Any] = {}
        self.problems: list[Problem] = []
        self.lost: list[tuple[str, str]] = []
        self.optional = OptionalProperties()

    def problem(self, code: str, message: str, hint: str) -> Problem:
        return Problem(code, message, None, f"{hint}, {_WITHOUT_STRICT}")

    def write(self, nodes: tuple[ExpansionNode, ...], place: _ReplyPlace) -> list[dict[str, Any]]:
        """Return the schemas of the shapes that a value may have; none if no value is possible."""
        key = frozenset(id(node) for node in nodes)
        if key and key in self._open:
            return self._refer(self._open[key], place)
        self._count += 1
        if self._count > _MAX_NODES or len(self.problems) > _MAX_PROBLEMS or len(place.path) > _MAX_LEVELS:
            return self._too_large()
        name = self._open[key] = f"part{len(self.definitions) + len(self._open) + 1}"
        options = self._write_options(nodes, place)
        del self._open[key]
        if name not in self._recursive:
            return options
        if not options:
            message = f"{self._what}: {place} contains itself endlessly"
            self.problems.append(self.problem("PP645", message, "make the inner one optional"))
        self.definitions[name] = _union(options)
        return [{"$ref": f"#/$defs/{name}"}]

    def _write_options(self, nodes: tuple[ExpansionNode, ...], place: _ReplyPlace) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        alternatives = sorted(self._expansion.expand(nodes), key=_order)
        self._count += len(alternatives)
        for one in alternatives:
            inner = place if place.path else replace(place, branch=_branch(one) if len(alternatives) > 1 else "")
            found += [option for option in self._write_alternative(one, inner) if option not in found]
        return found

    def _too_large(self) -> list[dict[str, Any]]:
        if len(self.problems) <= _MAX_PROBLEMS:
            limits = f"{_MAX_NODES:,} schemas or {_MAX_LEVELS} levels"
            message = f"{self._what} has more than {limits} with all references replaced"
            self.problems.append(self.problem("PP644", message, "use fewer references"))
        return []

    def _refer(self, name: str, place: _ReplyPlace) -> list[dict[str, Any]]:
        self._recursive.add(name)
        if not self._profile.has_recursion:
            message = f"{self._what}: {place} contains itself, and {self._provider} supports no recursive schemas"
            self.problems.append(self.problem("PP643", message, "write out a fixed number of levels"))
        return [{"$ref": f"#/$defs/{name}"}]

    def _write_alternative(self, one: Alternative, place: _ReplyPlace) -> list[dict[str, Any]]:
        words = one.fixed_words
        if words is not None:
            return self._write_words(words, one, place)
        if one.excluded:
            self.lost.append((place.pointer, "if"))
        kinds = sorted(one.kinds, key=KINDS.index) if one.kinds is not None else implied_kinds(one)
        if "number" in kinds and "integer" in kinds:
            kinds.remove("integer")
        if not kinds:
            message = f"{self._what}: {place} may have any value, which a strict schema cannot allow"
            self.problems.append(self.problem("PP642", message, "give it a 'type'"))
        written = (self._write_kind(kind, one, place) for kind in kinds)
        return [schema for schema in written if schema is not None]

    def _write_kind(self, kind: str, one: Alternative, place: _ReplyPlace) -> dict[str, Any] | None:
        schema: dict[str, Any] | None = {"type": kind}
        if kind == "object":
            schema = self._write_object(one, place)
        elif kind == "array":
            schema = self._write_array(one, place)
        if schema is None:
            return None
        kept, lost = self._sort_limits(kind, one)
        self.lost += [(place.pointer, key) for key, _ in lost]
        return _describe({**schema, **kept}, one, lost)

    def _sort_limits(self, kind: str, one: Alternative) -> tuple[dict[str, Any], list[tuple[str, Any]]]:
        """Return the limits of a kind that the provider supports, and the keywords that it does not."""
        own = KEYWORDS_BY_KIND[kind] | ({"format"} if kind == "string" else frozenset())
        kept = {key: value for key, value in one.limits.items() if key in own and self._supports(key, value)}
        dropped = [(key, value) for key, value in one.limits.items() if key in own and key not in kept]
        every = frozenset[str]().union(*KEYWORDS_BY_KIND.values())
        return kept, dropped + [(key, value) for key, value in one.lost if key in own or key not in every]

    def _supports(self, keyword: str, value: Any) -> bool:
        if keyword not in self._profile.keywords:
            return False
        if keyword == "format":
            return value in self._profile.formats
        if keyword == "pattern":
            # Engines differ in look-arounds, and in whether a pattern must match the whole text.
            return value[:1] == "^" and value[-1:] == "$" and "(?" not in value and "\\" not in value
        most = self._profile.max_minimum_items
        return keyword != "minItems" or most is None or value <= most

    def _write_object(self, one: Alternative, place: _ReplyPlace) -> dict[str, Any] | None:
        if one.names is None and (one.allows_other_keys or not one.declares_properties):
            return self._refuse_open(one, place)
        written: dict[str, Any] = {}
        optional: list[str] = []
        for name in dict.fromkeys((*one.properties, *sorted(one.required))):
            nodes = one.properties.get(name, ())
            if (one.names is not None and name not in one.names) or is_impossible(nodes):
                continue
            options = self.write(nodes, place.inner(name))
            if not options and name in one.required:
                return None
            if options and name not in one.required and not any(map(_accepts_null, options)):
                options = [*options, {"type": "null"}]
                optional.append(name)
            if options:
                written[name] = _union(options)
        schema = _closed_object(written)
        self.optional.add(schema["required"], schema["properties"], optional)
        return schema

    def _refuse_open(self, one: Alternative, place: _ReplyPlace) -> dict[str, Any]:
        message = f"{self._what}: the object {place} may have any keys, which a strict schema cannot allow"
        hint = "list its 'properties' ({} if it has none)"
        if one.allows_other_keys:
            hint = "list its 'properties' and set 'additionalProperties: false'"
        self.problems.append(self.problem("PP641", message, hint))
        return _closed_object({})

    def _write_array(self, one: Alternative, place: _ReplyPlace) -> dict[str, Any]:
        item = place.inner("*")
        options = [option for node in one.prefix for option in self.write((node,), item)]
        if one.prefix:
            self.lost.append((place.pointer, "prefixItems"))
        if not (one.prefix and "maxItems" in one.limits and one.limits["maxItems"] <= len(one.prefix)):
            options += self.write(one.items, item)
        unique = [option for index, option in enumerate(options) if option not in options[:index]]
        if not unique:
            self.lost.append((place.pointer, "items"))
        return {"type": "array", "items": _union(unique or [{"type": "null"}])}

    def _write_words(self, words: Iterable[Any], one: Alternative, place: _ReplyPlace) -> list[dict[str, Any]]:
        ignored = [(key, value) for key, value in (*one.limits.items(), *one.lost)]
        self.lost += [(place.pointer, key) for key, _ in ignored]
        if one.properties or one.required or one.items or one.prefix:
            self.lost.append((place.pointer, "enum"))
        found: list[dict[str, Any]] = []
        simple: dict[str, list[Any]] = {}
        for word in words:
            if isinstance(word, dict | list):
                found.append(self._write_value(word, place))
            else:
                simple.setdefault(_enum_kind(word), []).append(word)
        typed = ({"type": kind} | ({"enum": group} if kind != "null" else {}) for kind, group in simple.items())
        return [*(_describe(schema, one, ()) for schema in typed), *found]

    def _write_value(self, value: Any, place: _ReplyPlace) -> dict[str, Any]:
        """Return the schema of exactly one value; lists of given items cannot be written, so any order is allowed."""
        if isinstance(value, dict):
            return _closed_object({name: self._write_value(item, place.inner(name)) for name, item in value.items()})
        if isinstance(value, list):
            self.lost.append((place.pointer, "enum"))
            items = [self._write_value(item, place.inner("*")) for item in value]
            unique = [item for index, item in enumerate(items) if item not in items[:index]]
            return {"type": "array", "items": _union(unique or [{"type": "null"}])}
        kind = _enum_kind(value)
        return {"type": kind} if kind == "null" else {"type": kind, "enum": [value]}


def _enum_kind(word: Any) -> str:
    return kinds_of(word)[0] if not isinstance(word, float) else "number"


def _accepts_null(schema: Mapping[str, Any]) -> bool:
    return schema.get("type") == "null"


def _branch(one: Alternative) -> str:
    """Return the words that distinguish an alternative of a reply from the others."""
    fixed = ((name, find_words(nodes)) for name, nodes in one.properties.items() if name in one.required)
    known = [f"{name} {' or '.join(map(repr, words))}" for name, words in fixed if 0 < len(words) <= _MAX_WORDS]
    return f" of {known[0]}" if known else ""


def _order(one: Alternative) -> list[int]:
    """Return the positions of the words of an alternative among all words of its properties."""
    positions: list[int] = []
    for nodes in one.properties.values():
        every: list[Any] = next((node["enum"] for node in nodes if isinstance(node, Mapping) and "enum" in node), [])
        positions += [every.index(word) for word in find_words(nodes)[:1] if word in every]
    return positions


def _describe(schema: dict[str, Any], one: Alternative, lost: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Add the descriptions, and the limits that are not enforced, so that the model may still follow them."""
    limits = [f"{key}: {_show(value)}" for key, value in lost if value is not None]
    text = " ".join(one.descriptions) + (f"\n\n{{{', '.join(limits)}}}" if limits else "")
    return {**schema, "description": text.strip()} if text.strip() else schema


def _show(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)[:_MAX_SHOWN]
