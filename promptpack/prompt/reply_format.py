"""A contract with the tools of a context, and `reply_format`: output instructions from the schema of the replies."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from promptpack.lazy import cached_property
from promptpack.pack.contract import Action, Contract
from promptpack.pack.model import Pack
from promptpack.pack.schema_references import resolve
from promptpack.schema.validation import Schema
from promptpack.template.render_cache import LARGEST_VALUE
from promptpack.template.values import value_key
from promptpack.words import words

_MAX_DEPTH = 8
_DEPENDING_ON_TOOLS = ("action", "params")
_MEMBERS = frozenset(("properties", "required"))
_NOT_ENFORCED = ("$defs", "description", "title", "x-descriptions")
# Keywords with one value, which is part of the phrase.
_PHRASES = (
    "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems",
    "minProperties", "maxProperties", "pattern",
)  # fmt: skip
# Keywords without a phrase: they are quoted as JSON Schema, which models can read.
_QUOTED = (
    "allOf", "anyOf", "contains", "dependentSchemas", "else", "if", "maxContains", "minContains", "not", "oneOf",
    "patternProperties", "prefixItems", "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties",
)  # fmt: skip
_CONSTRAINTS = frozenset((
    "additionalProperties", "dependentRequired", "maximum", "minimum", "uniqueItems", *_PHRASES, *_QUOTED,
))  # fmt: skip
# A compiled schema takes about this many times the memory of its tools.
_SCHEMA_SIZE = 32


class ToolSet:
    """A contract with the tools of a context; each result is computed on first use."""

    def __init__(self, contract: Contract, locale: str, tools: tuple[Action, ...] | None) -> None:
        self._contract = contract
        self._locale = locale
        self.tools = tools

    @cached_property
    def schema(self) -> Schema:
        """The schema of a reply that may call one of the tools."""
        return self._contract.schema if self.tools is None else self._contract._schema_with(self.tools)

    @cached_property
    def reply_format(self) -> str:
        """The output instructions."""
        return write_reply_format(self._contract, self._locale, self.tools)


def find_tool_set(pack: Pack, contract: Contract, values: Mapping[str, Any]) -> ToolSet:
    """Return the contract of a pack with the tools in the context, from the render cache if they are known."""
    name = contract.tools_input
    value = values[name] if name else None
    key = value_key(value) if name else b""
    # Packs made by `dataclasses.replace` share a cache.
    cell = ToolSet, pack.locale, key
    cached_contract, tools = pack._render_cache.get(cell) or (None, None)
    if tools is not None and cached_contract is contract:
        return tools  # type: ignore[no-any-return]
    tools = ToolSet(contract, pack.locale, _read_tools(value, name) if name else None)
    if len(key) * _SCHEMA_SIZE <= LARGEST_VALUE:
        pack._render_cache.put(cell, (contract, tools), *[key] * _SCHEMA_SIZE)
    return tools


def _read_tools(value: Any, name: str) -> tuple[Action, ...]:
    from promptpack.prompt.tool_actions import read_tool_actions

    return read_tool_actions(value, name)


def write_reply_format(contract: Contract, locale: str, tools: Sequence[Action] | None = None) -> str:
    """Write the fields, the allowed words and an example of a contract."""
    return _FormatWriter(contract, locale, tools).text()


class _FormatWriter:
    def __init__(
        self, contract: Contract, locale: str, tools: Sequence[Action] | None, shape: Mapping[str, Any] | None = None
    ) -> None:
        self._contract = contract
        self._locale = locale
        self._tools = tools
        # The root of the references: the contract without its tools, or the params of one action.
        self._shape = contract._shape_with(tools) if shape is None else shape
        self._words = words(locale)
        self._language = locale.split("-", maxsplit=1)[0]

    def text(self) -> str:
        lines = [self._words["only_json"], self._words["fields"], *self._fields(self._shape, 0)]
        # The conditions of a contract with actions are the params of each action.
        known = ("allOf",) if self._contract.has_actions else ()
        facts = list(self._constraints({key: value for key, value in self._shape.items() if key not in known}))
        if facts:
            lines.append(f"({self._words['whole_reply']}: {', '.join(facts)})")
        if self._contract._shown_example:
            lines += [self._words["example"], self._contract._shown_example]
        return "\n".join(lines)

    def _fields(self, schema: Mapping[str, Any], depth: int) -> list[str]:
        required, declared = schema.get("required", ()), schema.get("properties", {})
        lines: list[str] = []
        for name, field in {**declared, **{name: True for name in required if name not in declared}}.items():
            if depth == 0 and self._contract.has_actions and name not in _DEPENDING_ON_TOOLS:
                lines += self._once(name, partial(self._field, name, field, name in required, depth))
            else:
                lines += self._field(name, field, name in required, depth)
        return lines

    def _once(self, what: str, write: Callable[[], list[str]]) -> list[str]:
        """Return lines that do not depend on the tools; they are written once for the contract and the language."""
        key = self._locale, what
        lines = self._contract._written_lines.get(key)
        if lines is None:
            lines = self._contract._written_lines[key] = write()
        return lines

    def _field(self, name: str, field: Any, required: bool, depth: int) -> list[str]:
        if field is False:
            return [f"{'  ' * depth}- {name} ({self._words['not_allowed']})"]
        resolved = resolve(self._shape, field)
        by_action = depth == 0 and name == "params" and self._contract.has_actions
        lines = [self._line(name, resolved, required, depth, by_action)]
        if by_action:
            lines += self._params(depth + 1)
        elif depth < _MAX_DEPTH:
            inner = self._innermost(resolved)
            if not _MEMBERS.isdisjoint(inner):
                lines += self._fields(inner, depth + 1)
        return lines

    def _innermost(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the schema of the items of a list, or of a list of lists."""
        for _ in range(_MAX_DEPTH):
            if "items" not in schema:
                break
            schema = resolve(self._shape, schema["items"])
        return schema

    def _params(self, depth: int) -> Iterator[str]:
        actions = (*self._contract.actions.values(), *(self._tools or ()))
        params = {action.name: action.params for action in actions if action.params is not None}
        for action in actions:
            root = params.get(action.name, {})
            inner = _FormatWriter(self._contract, self._locale, self._tools, root)
            schema = resolve(root, root)
            yield inner._action_line(action, schema, depth)
            yield from inner._fields(schema, depth + 1)
        if self._contract.tools_input and self._tools is None:
            yield f"{'  ' * depth}- {self._words['any_tool']}"
        yield from self._once("params of errors", partial(self._error_params, depth))

    def _error_params(self, depth: int) -> list[str]:
        lines: list[str] = []
        for condition in self._contract.base.get("allOf", ()):
            schema = resolve(self._shape, condition["then"]["properties"]["params"])
            lines.append(f"{'  ' * depth}- {' / '.join(_actions_of(condition))}:")
            lines += self._fields(schema.get("else", schema), depth + 1)
        return lines

    def _action_line(self, action: Action, schema: Mapping[str, Any], depth: int) -> str:
        detail = f" {action.description}" if action.description else ""
        facts = [] if schema.get("properties") else [self._words["free"]]
        facts += self._constraints(schema)
        return f"{'  ' * depth}- {action.name}:{detail}" + (f" ({', '.join(facts)})" if facts else "")

    def _line(self, name: str, schema: Mapping[str, Any], required: bool, depth: int, by_action: bool) -> str:
        facts = [self._kind(schema), self._words["required" if required else "optional"]]
        if not _CONSTRAINTS.isdisjoint(schema):
            facts += self._constraints(schema)
        if by_action:
            facts.append(self._words["by_action"])
        text = schema.get("x-descriptions", {}).get(self._language, schema.get("description", ""))
        line = f"{'  ' * depth}- {name} ({', '.join(facts)})"
        return f"{line}: {text}" if text else line

    def _kind(self, schema: Mapping[str, Any]) -> str:
        choices = [schema["const"]] if "const" in schema else schema.get("enum")
        if choices:
            texts = (choice if isinstance(choice, str) else json.dumps(choice) for choice in choices)
            return f"{self._words['one_of']} {' | '.join(texts)}"
        kind = schema.get("type", "any")
        if kind == "array":
            item = resolve(self._shape, schema.get("items", {}))
            return self._words["list_of"].format(item=", ".join((self._kind(item), *self._constraints(item))))
        return "/".join(kind) if isinstance(kind, list) else str(kind)

    def _constraints(self, schema: Mapping[str, Any]) -> Iterator[str]:
        if _CONSTRAINTS.isdisjoint(schema):
            return
        low, high = schema.get("minimum"), schema.get("maximum")
        if low is not None and high is not None:
            yield self._words["range"].format(low=low, high=high)
        elif low is not None:
            yield self._words["at_least"].format(low=low)
        elif high is not None:
            yield self._words["at_most"].format(high=high)
        if schema.get("minItems") or schema.get("minLength"):
            yield self._words["not_empty"]
        for keyword in _PHRASES:
            # "not empty" is a minimum of one.
            if keyword in schema and schema[keyword] not in ((0, 1) if keyword in ("minItems", "minLength") else ()):
                yield self._words[f"format.{keyword}"].format(expected=schema[keyword])
        if "pattern" in schema and schema.get("examples"):
            yield self._words["such_as"].format(expected=schema["examples"][0])
        yield from self._other_constraints(schema)

    def _other_constraints(self, schema: Mapping[str, Any]) -> Iterator[str]:
        if schema.get("uniqueItems"):
            yield self._words["no_duplicates"]
        for key, names in schema.get("dependentRequired", {}).items():
            yield self._words["also_needs"].format(key=key, expected=", ".join(names))
        others = schema.get("additionalProperties", True)
        is_closed = others is False and "patternProperties" not in schema
        if is_closed:
            yield self._words["no_others"]
        for keyword in _QUOTED if is_closed or others is True else (*_QUOTED, "additionalProperties"):
            if keyword in schema:
                yield f"{keyword}: {json.dumps(self._inline(schema[keyword], 0), ensure_ascii=False)}"

    def _inline(self, value: Any, depth: int) -> Any:
        """Return a part of a schema with its references replaced, as the model does not see their targets."""
        if isinstance(value, list):
            return [self._inline(item, depth) for item in value]
        if not isinstance(value, Mapping):
            return value
        found = resolve(self._shape, value) if depth < _MAX_DEPTH else {}
        return {key: self._inline(item, depth + 1) for key, item in found.items() if key not in _NOT_ENFORCED}


def _actions_of(condition: Mapping[str, Any]) -> Sequence[str]:
    action = condition["if"]["properties"]["action"]
    return action["enum"] if "enum" in action else [action["const"]]
