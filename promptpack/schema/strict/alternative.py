"""An `Alternative`: one shape of a value, with all keywords that apply to it merged."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from promptpack.schema.equality import equality_key
from promptpack.schema.supported_keywords import KEYWORDS_BY_KIND, KINDS


@dataclass(frozen=True, eq=False)
class Excluded:
    """A node that accepts every value except some words."""

    words: tuple[Any, ...]


ExpansionNode = Mapping[str, Any] | bool | Excluded
"""A schema; the nodes of a value apply all together."""

_TIGHTEST: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "exclusiveMaximum": min,
    "exclusiveMinimum": max,
    "maxItems": min,
    "maxLength": min,
    "maximum": min,
    "minItems": max,
    "minLength": max,
    "minimum": max,
}
_LIMITS: Final = (*_TIGHTEST, "multipleOf", "pattern", "format")
_WORD_KEYS: Final = ("type", "enum", "const")
# Keywords that no provider supports and that only refuse values.
_REFUSING: Final = (
    "contains", "maxContains", "maxProperties", "minContains", "minProperties", "propertyNames", "unevaluatedItems",
    "uniqueItems",
)  # fmt: skip


@dataclass(frozen=True)
class Alternative:
    """One shape of a value; `names` are the only allowed keys of a closed object, None if it is not closed."""

    kinds: frozenset[str] | None = None
    words: tuple[Any, ...] | None = None
    excluded: tuple[Any, ...] = ()
    properties: Mapping[str, tuple[ExpansionNode, ...]] = field(default_factory=dict)
    required: frozenset[str] = frozenset()
    names: frozenset[str] | None = None
    declares_properties: bool = False
    allows_other_keys: bool = False
    items: tuple[ExpansionNode, ...] = ()
    prefix: tuple[ExpansionNode, ...] = ()
    limits: Mapping[str, Any] = field(default_factory=dict)
    lost: tuple[tuple[str, Any], ...] = ()
    """The keywords that cannot be written, with their values; without them, the schema accepts more."""
    descriptions: tuple[str, ...] = ()

    @property
    def fixed_words(self) -> tuple[Any, ...] | None:
        """The words that are left after exclusion, or None if they are not listed."""
        words = (
            (True, False)
            if self.words is None and self.kinds == frozenset(("boolean",)) and self.excluded
            else self.words
        )
        if words is None:
            return None
        excluded = {equality_key(word) for word in self.excluded}
        kinds = self.kinds
        return tuple(
            word
            for word in words
            if equality_key(word) not in excluded and (kinds is None or not kinds.isdisjoint(kinds_of(word)))
        )

    @property
    def is_possible(self) -> bool:
        """Whether a value can have this shape, as far as kinds, words and keys show."""
        return (
            self.kinds != frozenset()
            and self.fixed_words != ()
            and not any(is_impossible(self.properties[name]) for name in self.required if name in self.properties)
            and (self.names is None or self.required <= self.names)
        )


def read_keywords(schema: Mapping[str, Any], *, is_condition: bool = False) -> Alternative:
    """Return the keywords of one schema, without its subschemas for the same value."""
    kinds = schema.get("type")
    words = schema.get("enum", [schema["const"]] if "const" in schema else None)
    properties = schema.get("properties", {})
    others = schema.get("additionalProperties", schema.get("unevaluatedProperties"))
    has_patterns = bool(schema.get("patternProperties"))
    return Alternative(
        kinds=None if kinds is None else frozenset([kinds] if isinstance(kinds, str) else kinds),
        words=None if words is None else tuple(words),
        properties={name: (inner,) for name, inner in properties.items()},
        required=frozenset(schema.get("required", ())),
        names=frozenset(properties) if schema.get("additionalProperties") is False and not has_patterns else None,
        declares_properties=("properties" in schema and not is_condition) or others is False,
        allows_other_keys=has_patterns or (others is not None and others is not False),
        items=(schema["items"],) if "items" in schema else (),
        prefix=tuple(schema.get("prefixItems", ())),
        limits={key: schema[key] for key in _LIMITS if key in schema},
        lost=tuple((key, schema[key]) for key in _REFUSING if schema.get(key) not in (None, False, True))
        + ((("uniqueItems", True),) if schema.get("uniqueItems") is True else ()),
        descriptions=(schema["description"],) if isinstance(schema.get("description"), str) else (),
    )


def merge(first: Alternative, second: Alternative) -> Alternative | None:
    """Return the shape of values that have both shapes, or None if there are none."""
    limits, lost = _merge_limits(first.limits, second.limits)
    merged = Alternative(
        kinds=_meet_kinds(first.kinds, second.kinds),
        words=_meet_words(first.words, second.words),
        excluded=first.excluded + second.excluded,
        properties=_join(first.properties, second.properties),
        required=first.required | second.required,
        names=second.names
        if first.names is None
        else first.names & (first.names if second.names is None else second.names),
        declares_properties=first.declares_properties or second.declares_properties,
        allows_other_keys=first.allows_other_keys or second.allows_other_keys,
        items=first.items + second.items,
        prefix=first.prefix or second.prefix,
        limits=limits,
        lost=(*first.lost, *second.lost, *lost, *_lost_prefix(first, second)),
        descriptions=tuple(dict.fromkeys(first.descriptions + second.descriptions)),
    )
    return merged if merged.is_possible else None


def lose(alternative: Alternative, keyword: str, value: Any) -> Alternative:
    """Return the alternative with one more keyword that cannot be written."""
    return replace(alternative, lost=(*alternative.lost, (keyword, value)))


def is_impossible(nodes: Iterable[ExpansionNode]) -> bool:
    """Return whether no value meets all nodes, as far as their own kinds and words show."""
    merged = _merge_words(nodes)
    return merged is None or not merged.is_possible


def find_words(nodes: Iterable[ExpansionNode]) -> tuple[Any, ...]:
    """Return the words that nodes allow, as far as they list them."""
    merged = _merge_words(nodes)
    return () if merged is None else merged.fixed_words or ()


def _merge_words(nodes: Iterable[ExpansionNode]) -> Alternative | None:
    merged: Alternative | None = Alternative()
    for node in nodes:
        if node is False or merged is None:
            return None
        if isinstance(node, Excluded):
            merged = replace(merged, excluded=merged.excluded + node.words)
        elif isinstance(node, Mapping):
            merged = merge(merged, read_keywords({key: node[key] for key in _WORD_KEYS if key in node}))
    return merged


def kinds_of(word: Any) -> tuple[str, ...]:
    """Return the kinds of a value, the most specific one first."""
    if isinstance(word, bool):
        return ("boolean",)
    if isinstance(word, int | float):
        return ("integer", "number") if float(word).is_integer() else ("number",)
    names = {str: "string", dict: "object", list: "array"}
    return (next((name for kind, name in names.items() if isinstance(word, kind)), "null"),)


def implied_kinds(alternative: Alternative) -> list[str]:
    """Return the kinds that the keywords of a shape without `type` are about."""
    keywords = {*alternative.limits, *(key for key, _ in alternative.lost)}
    if alternative.declares_properties or alternative.required:
        keywords.add("properties")
    if alternative.items or alternative.prefix:
        keywords.add("items")
    return [kind for kind in KINDS if kind != "integer" and not keywords.isdisjoint(KEYWORDS_BY_KIND[kind])]


def _meet_kinds(first: frozenset[str] | None, second: frozenset[str] | None) -> frozenset[str] | None:
    if first is None or second is None:
        return second if first is None else first
    both = first & second
    if "number" in first | second and "integer" in first | second and "number" not in both:
        both |= {"integer"}
    return both


def _meet_words(first: tuple[Any, ...] | None, second: tuple[Any, ...] | None) -> tuple[Any, ...] | None:
    if first is None or second is None:
        return second if first is None else first
    known = {equality_key(word) for word in second}
    return tuple(word for word in first if equality_key(word) in known)


def _join(
    first: Mapping[str, tuple[ExpansionNode, ...]], second: Mapping[str, tuple[ExpansionNode, ...]]
) -> Mapping[str, tuple[ExpansionNode, ...]]:
    if not second:
        return first
    joined = dict(first)
    for name, nodes in second.items():
        known = joined.get(name, ())
        joined[name] = known + tuple(node for node in nodes if not any(node is one for one in known))
    return joined


def _merge_limits(
    first: Mapping[str, Any], second: Mapping[str, Any]
) -> tuple[Mapping[str, Any], list[tuple[str, Any]]]:
    limits, lost = dict(first), []
    for key, value in second.items():
        if key in limits and key in _TIGHTEST:
            limits[key] = _TIGHTEST[key](limits[key], value)
        elif key in limits and limits[key] != value:
            lost.append((key, value))
        else:
            limits[key] = value
    return limits, lost


def _lost_prefix(first: Alternative, second: Alternative) -> list[tuple[str, Any]]:
    return [("prefixItems", list(second.prefix))] if first.prefix and second.prefix else []
