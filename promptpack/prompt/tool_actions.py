"""The tools in a context, in the formats of SDKs -> the actions they allow, and the contract with these actions."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from promptpack.lazy import cached_property
from promptpack.pack.contract import Action, Contract
from promptpack.pack.model import Pack
from promptpack.pack.pack_schema import schema_schema
from promptpack.pack.references import find_references
from promptpack.problem import ContextError, Problem
from promptpack.prompt.reply_format import write_reply_format
from promptpack.schema.pointers import find_target
from promptpack.schema.validation import Schema
from promptpack.template.render_cache import LARGEST_VALUE
from promptpack.template.values import value_key

_PARAMETERS = ("parameters", "input_schema", "inputSchema")
_SCHEMA_KEYS = ("type", "properties", "$ref", "anyOf", "oneOf", "allOf", "additionalProperties")


# A compiled schema takes about this many times the memory of its tools.
_SCHEMA_SIZE = 32


class ToolSet:
    """A contract with the tools of a context; each result is computed on first use."""

    def __init__(self, contract: Contract, locale: str, tools: tuple[Action, ...] | None) -> None:
        self._contract = contract
        self._locale = locale
        self.tools = tools

    @cached_property
    def _source(self) -> dict[str, Any]:
        return self._contract.json_schema(self.tools)

    @cached_property
    def schema(self) -> Schema:
        """The schema of a reply that may call one of the tools."""
        return self._contract.schema if self.tools is None else self._contract._schema_with(self.tools, self._source)

    @cached_property
    def reply_format(self) -> str:
        """The output instructions."""
        return write_reply_format(self._contract, self._locale, self.tools, self._source)


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
    tools = ToolSet(contract, pack.locale, read_tool_actions(value, name) if name else None)
    if len(key) * _SCHEMA_SIZE <= LARGEST_VALUE:
        pack._render_cache.put(cell, (contract, tools), *[key] * _SCHEMA_SIZE)
    return tools


def read_tool_actions(value: Any, where: str) -> tuple[Action, ...]:
    """Read tools in the format of OpenAI, Anthropic or MCP, or plain `{name, description, parameters}`."""
    if not isinstance(value, Iterable) or isinstance(value, (str, Mapping)):
        raise ContextError(Problem("PP417", f"input {where!r} must be a list of tools"))
    return tuple(_read_tool(tool, f"tool {index + 1} of {where!r}") for index, tool in enumerate(value))


def _read_tool(tool: Any, where: str) -> Action:
    inner = tool.get("function", tool) if isinstance(tool, Mapping) else None
    if not isinstance(inner, Mapping) or not isinstance(inner.get("name"), str) or not inner["name"]:
        raise ContextError(Problem("PP417", f"{where} has no name", None, "write {name, description, parameters}"))
    description = inner.get("description", inner.get("desc", ""))
    parameters = next((inner[key] for key in _PARAMETERS if key in inner), None)
    if not isinstance(parameters, Mapping) or not _is_schema(parameters):
        parameters = None  # the flat style names parameters without a schema, so any params are valid
    else:
        _refuse_bad_schema(parameters, f"{where} ({inner['name']!r})")
    return Action(inner["name"], description if isinstance(description, str) else "", parameters)


def _is_schema(parameters: Mapping[str, Any]) -> bool:
    return (
        not parameters
        or parameters.get("type") == "object"
        or any(isinstance(parameters.get(key), (dict, list)) for key in _SCHEMA_KEYS)
    )


def _refuse_bad_schema(parameters: Mapping[str, Any], where: str) -> None:
    detail = next(_find_faults(parameters), None)
    if detail is not None:
        raise ContextError(Problem("PP417", f"the parameters of {where} are not a usable JSON Schema: {detail}"))


def _find_faults(parameters: Mapping[str, Any]) -> Iterator[str]:
    for mismatch in schema_schema().check(dict(parameters)):
        if mismatch.rule != "additionalProperties":  # foreign schemas may have other keywords
            yield mismatch.message
    for _, reference in find_references(parameters):
        if not reference.startswith("#"):
            yield f"reference {reference!r} is not local"
        elif reference[1:2] not in ("", "/") or find_target(parameters, reference) is None:
            yield f"reference {reference!r} has no target"
