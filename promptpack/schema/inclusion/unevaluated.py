"""Rewrite `unevaluatedProperties` and `unevaluatedItems` with keywords that do not depend on others.

A key is evaluated if a subschema that accepts the value names it. So the value is valid if it meets some of these
subschemas, and the rest of its keys meet `unevaluatedProperties`. Each choice becomes a branch of `anyOf`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from promptpack.schema.inclusion.step_meter import StepMeter, UndecidedError
from promptpack.schema.pointers import find_target
from promptpack.schema.safety import iterate_schemas

_KEYWORDS: Final = ("unevaluatedProperties", "unevaluatedItems")
_VALUES: Final = frozenset(("const", "default", "enum", "examples"))
_MAX_CHOICES: Final = 64
_MAX_DEPTH: Final = 30


class _Evaluated(NamedTuple):
    """Conditions on the value, and the keys and items that are evaluated if they hold; `everything` if none is left."""

    conditions: tuple[Any, ...] = ()
    everything: bool = False
    names: frozenset[str] = frozenset()
    patterns: frozenset[str] = frozenset()
    prefix: int = 0
    contained: tuple[Any, ...] = ()

    def join(self, other: _Evaluated) -> _Evaluated:
        """Return the keys and items that are evaluated if the conditions of both hold."""
        return _Evaluated(
            self.conditions + other.conditions,
            self.everything or other.everything,
            self.names | other.names,
            self.patterns | other.patterns,
            max(self.prefix, other.prefix),
            self.contained + other.contained,
        )


_NOTHING: Final = _Evaluated()


def rewrite(root: Mapping[str, Any], meter: StepMeter) -> Mapping[str, Any]:
    """Return a schema that accepts the same values, without the two keywords; pointers into it stay valid."""
    if not any(keyword in schema for _, schema in iterate_schemas(root) for keyword in _KEYWORDS):
        return root
    rewritten: Mapping[str, Any] = _Rewriter(root, meter).rewrite(root)
    return rewritten


class _Rewriter:
    def __init__(self, root: Mapping[str, Any], meter: StepMeter) -> None:
        self._root = root
        self._meter = meter

    def rewrite(self, schema: Any) -> Any:
        self._meter.spend()
        if isinstance(schema, list):
            return [self.rewrite(item) for item in schema]
        if not isinstance(schema, Mapping):
            return schema
        changed = {key: value if key in _VALUES else self.rewrite(value) for key, value in schema.items()}
        extra = [self._replacement(schema, keyword) for keyword in _KEYWORDS if _is_schema(schema.get(keyword))]
        if extra:
            changed = {key: value for key, value in changed.items() if key not in _KEYWORDS}
            changed["allOf"] = [*changed.get("allOf", ()), *extra]
        return changed

    def _replacement(self, schema: Mapping[str, Any], keyword: str) -> Any:
        own = {key: value for key, value in schema.items() if key != keyword}
        choices = _reduce(self._choices(own, keyword, 0))
        expected = self.rewrite(schema[keyword])
        return {"anyOf": [self._write(one, keyword, expected) for one in choices]}

    def _write(self, evaluated: _Evaluated, keyword: str, expected: Any) -> Any:
        conditions = [self.rewrite(condition) for condition in evaluated.conditions]
        if evaluated.everything:
            return {"allOf": conditions} if conditions else True
        if keyword == "unevaluatedProperties":
            rest: Any = {
                "properties": dict.fromkeys(sorted(evaluated.names), True),
                "patternProperties": dict.fromkeys(sorted(evaluated.patterns), True),
                "additionalProperties": expected,
            }
        else:
            contained = [self.rewrite(one) for one in evaluated.contained]
            items = {"anyOf": [expected, *contained]} if contained else expected
            rest = {"prefixItems": [True] * evaluated.prefix, "items": items}
        return {"allOf": [*conditions, rest]}

    def _choices(self, schema: Any, keyword: str, depth: int) -> list[_Evaluated]:
        """Return the parts that a schema evaluates in an accepted value, for each choice of further conditions."""
        self._meter.spend()
        if not isinstance(schema, Mapping):
            return [_NOTHING]
        if depth > _MAX_DEPTH:
            raise UndecidedError(f"{keyword!r} depends on a reference to itself")
        found = [_own(schema, keyword)]
        for choices in self._same_value(schema, keyword, depth + 1):
            found = _reduce([one.join(other) for one in found for other in choices])
            if len(found) > _MAX_CHOICES:
                raise UndecidedError(f"{keyword!r} depends on too many alternatives")
        return found

    def _same_value(self, schema: Mapping[str, Any], keyword: str, depth: int) -> Iterator[list[_Evaluated]]:
        """Yield the choices of each subschema that validates the same value."""
        if "$ref" in schema:
            yield self._choices(find_target(self._root, schema["$ref"]), keyword, depth)
        for part in schema.get("allOf", ()):
            yield self._choices(part, keyword, depth)
        for part in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
            yield self._optional((part,), part, keyword, depth)
        if "if" in schema:
            met = self._optional((schema["if"],), {"allOf": [schema["if"], schema.get("then", True)]}, keyword, depth)
            unmet = self._optional(({"not": schema["if"]},), schema.get("else", True), keyword, depth)
            yield _reduce([*met, *unmet])
        if keyword == "unevaluatedProperties":
            for name, part in schema.get("dependentSchemas", {}).items():
                yield self._optional(({"type": "object", "required": [name]},), part, keyword, depth)

    def _optional(self, conditions: tuple[Any, ...], part: Any, keyword: str, depth: int) -> list[_Evaluated]:
        """Return the choices of a schema that accepts the value under conditions; without them, nothing is known."""
        met = [_Evaluated(conditions).join(one) for one in self._choices(part, keyword, depth)]
        return _reduce([_NOTHING, *met])


def _own(schema: Mapping[str, Any], keyword: str) -> _Evaluated:
    """Return the parts that the keywords of one schema evaluate; `additionalProperties` evaluates all the rest."""
    if keyword == "unevaluatedProperties":
        return _Evaluated(
            everything="additionalProperties" in schema or keyword in schema,
            names=frozenset(schema.get("properties", ())),
            patterns=frozenset(schema.get("patternProperties", ())),
        )
    return _Evaluated(
        everything="items" in schema or keyword in schema,
        prefix=len(schema.get("prefixItems", ())),
        contained=(schema["contains"],) if "contains" in schema else (),
    )


def _reduce(choices: list[_Evaluated]) -> list[_Evaluated]:
    """Drop choices that evaluate no more than the one without conditions."""
    plain = [one for one in choices if not one.conditions]
    return [one for one in choices if not one.conditions or not any(one[1:] == other[1:] for other in plain)]


def _is_schema(value: Any) -> bool:
    return isinstance(value, Mapping | bool)
