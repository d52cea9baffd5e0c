"""Expand a schema into alternatives: merge `allOf` and `$ref`, split `anyOf`, `oneOf` and `if`."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from promptpack.schema.equality import equality_key
from promptpack.schema.pointers import find_target
from promptpack.schema.strict.alternative import (
    Alternative,
    Excluded,
    ExpansionNode,
    find_words,
    lose,
    merge,
    read_keywords,
)

MAX_ALTERNATIVES: Final = 1_000
_MAX_DEPTH: Final = 100
# Keywords of a condition whose opposite can be written, and those that say nothing about values.
_CONDITION: Final = frozenset(("type", "required", "properties"))
_PARTS: Final = frozenset(("if", "then", "else", "allOf", "anyOf", "oneOf", "not", "$ref", "$defs"))
_ANNOTATIONS: Final = frozenset(("title", "description", "examples", "default", "$comment"))


class ExpansionError(Exception):
    """A schema has too many alternatives."""


class Expansion:
    """Expands the nodes of one schema document; dynamic nodes are kept so that ids of nodes stay unique."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._depth = 0
        self._made: dict[tuple[str, int, str], ExpansionNode] = {}
        self._alive: list[Any] = []
        self._cached_keys: dict[tuple[int, ...], frozenset[Any]] = {}

    def expand(self, nodes: Iterable[ExpansionNode]) -> list[Alternative]:
        """Return the shapes of the values that meet all nodes; none if there is no such value."""
        found = [Alternative()]
        for node in nodes:
            found = self._apply(found, node)
        return found

    def _apply(self, found: list[Alternative], node: Any, *, is_condition: bool = False) -> list[Alternative]:
        if not found or node is True:
            return found
        if isinstance(node, Excluded):
            return _possible(replace(one, excluded=one.excluded + node.words) for one in found)
        if not isinstance(node, Mapping):
            return []
        self._depth += 1
        if self._depth > _MAX_DEPTH or len(found) > MAX_ALTERNATIVES:
            raise ExpansionError
        if not node.keys() <= _PARTS:
            own = read_keywords(node, is_condition=is_condition)
            found = [both for one in found if (both := merge(one, own)) is not None]
        found = self._apply_parts(found, node, is_condition=is_condition)
        self._depth -= 1
        return found

    def _apply_parts(
        self, found: list[Alternative], node: Mapping[str, Any], *, is_condition: bool
    ) -> list[Alternative]:
        if "$ref" in node:
            target = find_target(self._root, node["$ref"])
            found = self._apply(found, True if target is None else target, is_condition=is_condition)
        for inner in node.get("allOf", ()):
            found = self._apply(found, inner, is_condition=is_condition)
        for word in ("anyOf", "oneOf"):
            if word in node:
                found = self._split(found, word, node[word])
        if "not" in node:
            found = self._oppose(found, node["not"], "not")
        if "if" in node:
            found = self._choose(found, node["if"], node.get("then", True), node.get("else", True))
        for name, others in node.get("dependentRequired", {}).items():
            found = self._choose(found, self._requiring(node, name), self._keep({"required": list(others)}), True)
        for name, inner in node.get("dependentSchemas", {}).items():
            found = self._choose(found, self._requiring(node, name), inner, True)
        return found

    def _split(self, found: list[Alternative], word: str, options: Iterable[Any]) -> list[Alternative]:
        split = [one for option in options for one in self._apply(found, option)]
        if len(split) > MAX_ALTERNATIVES:
            raise ExpansionError
        is_lost = word == "oneOf" and len(split) > 1 and not _are_disjoint(split)
        return [lose(one, word, None) for one in split] if is_lost else split

    def _choose(self, found: list[Alternative], condition: Any, then: Any, otherwise: Any) -> list[Alternative]:
        if isinstance(condition, bool):
            return self._apply(found, then if condition else otherwise)
        met, unmet, open_ones = self._sort(found, condition)
        split = self._choose_open(open_ones, condition, then, otherwise) if open_ones else []
        return [*self._apply(met, then), *split, *self._apply(unmet, otherwise)]

    def _sort(
        self, found: list[Alternative], condition: Mapping[str, Any]
    ) -> tuple[list[Alternative], list[Alternative], list[Alternative]]:
        """Return the shapes whose word meets a condition, those whose word does not, and all others."""
        name, words = _read_word_test(condition)
        met: list[Alternative] = []
        unmet: list[Alternative] = []
        others: list[Alternative] = []
        for one in found:
            known = self._word_keys(one.properties.get(name, ()) if name in one.required else ())
            if not known or not (known <= words or known.isdisjoint(words)):
                others.append(one)
            else:
                (met if known <= words else unmet).append(one)
        return met, unmet, others

    def _word_keys(self, nodes: tuple[ExpansionNode, ...]) -> frozenset[Any]:
        key = tuple(map(id, nodes))
        if key not in self._cached_keys:
            self._cached_keys[key] = frozenset(map(equality_key, find_words(nodes)))
            self._alive.append(nodes)
        return self._cached_keys[key]

    def _choose_open(self, found: list[Alternative], condition: Any, then: Any, otherwise: Any) -> list[Alternative]:
        chosen = self._apply(found, condition, is_condition=True)
        for name in condition.get("properties", {}):
            if name not in condition.get("required", ()):
                chosen = [*self._forbid(chosen, name), *self._require(chosen, name)]
        if not _is_simple(condition):
            chosen = [lose(one, "if", None) for one in chosen]
        return [*self._apply(chosen, then), *self._apply(self._oppose(found, condition, "if"), otherwise)]

    def _oppose(self, found: list[Alternative], condition: Any, keyword: str) -> list[Alternative]:
        """Return the shapes that do not meet a condition; if that cannot be written, the shapes are unchanged."""
        if isinstance(condition, bool) or not condition:
            return found if condition is False else []
        if not _is_simple(condition) or not all(_is_object(one, condition) for one in found):
            return [lose(one, keyword, None) for one in found]
        opposed: list[Alternative] = []
        for name in condition.get("required", ()):
            opposed += self._forbid(found, name)
        for name, inner in condition.get("properties", {}).items():
            words = tuple(inner.get("enum", [inner.get("const")]))
            opposed += _possible(self._exclude(one, name, words) for one in self._require(found, name))
        return opposed

    def _exclude(self, one: Alternative, name: str, words: tuple[Any, ...]) -> Alternative:
        """Return the shape without some words of a key; one node excludes all words, as there may be many."""
        nodes = one.properties.get(name, ())
        before = [word for node in nodes if isinstance(node, Excluded) for word in node.words]
        others = tuple(node for node in nodes if not isinstance(node, Excluded))
        excluded = self._keep(Excluded((*before, *words)))
        return replace(one, properties={**one.properties, name: (*others, excluded)})

    def _forbid(self, found: list[Alternative], name: str) -> list[Alternative]:
        return self._apply_made(found, {"type": "object", "properties": {name: False}})

    def _require(self, found: list[Alternative], name: str) -> list[Alternative]:
        return self._apply_made(found, {"type": "object", "required": [name]})

    def _requiring(self, owner: Mapping[str, Any], name: str) -> ExpansionNode:
        key = ("required", id(owner), name)
        return self._made.setdefault(key, {"required": [name]})

    def _apply_made(self, found: list[Alternative], node: Mapping[str, Any]) -> list[Alternative]:
        return self._apply(found, self._keep(node), is_condition=True)

    def _keep(self, node: Any) -> Any:
        self._alive.append(node)
        return node


def _possible(found: Iterable[Alternative]) -> list[Alternative]:
    return [one for one in found if one.is_possible]


def _is_simple(condition: Mapping[str, Any]) -> bool:
    """Return whether a condition tests only which keys an object has, and whether they hold fixed words."""
    return (
        condition.keys() <= _CONDITION | _ANNOTATIONS
        and condition.get("type", "object") == "object"
        and ("required" in condition or "properties" in condition)
        and all(
            isinstance(inner, Mapping) and len(inner) == 1 and not {"enum", "const"}.isdisjoint(inner)
            for inner in condition.get("properties", {}).values()
        )
    )


def _read_word_test(condition: Mapping[str, Any]) -> tuple[str, frozenset[Any]]:
    """Return the key of a condition that tests only one required key, or "", and the equality keys of its words."""
    properties = condition.get("properties", {})
    if not _is_simple(condition) or len(properties) != 1 or list(properties) != list(condition.get("required", ())):
        return "", frozenset()
    name, inner = next(iter(properties.items()))
    return name, frozenset(map(equality_key, inner.get("enum", [inner.get("const")])))


def _is_object(found: Alternative, condition: Mapping[str, Any]) -> bool:
    return "type" not in condition or found.kinds == frozenset(("object",))


def _are_disjoint(found: list[Alternative]) -> bool:
    """Return whether no value has two of the shapes: their kinds differ, or the words of a required key."""
    return all(_differ(one, other) for index, one in enumerate(found) for other in found[:index])


def _differ(one: Alternative, other: Alternative) -> bool:
    shared = one.required & other.required & one.properties.keys() & other.properties.keys()
    joined = merge(replace(one, required=shared), replace(other, required=shared))
    if joined is None:
        return True
    named = one.required | other.required
    known = one.names, other.names
    return any(names is not None and not named <= names for names in known)
