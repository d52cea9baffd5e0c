"""The tools in a context, in the formats of SDKs -> the actions they allow."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from promptpack.pack.contract import Action
from promptpack.pack.pack_schema import schema_schema
from promptpack.pack.schema_references import find_references
from promptpack.problem import ContextError, Problem
from promptpack.schema.pointers import find_target
from promptpack.template.values import fingerprint

_PARAMETERS = ("parameters", "input_schema", "inputSchema")
_SCHEMA_KEYS = ("type", "properties", "$ref", "anyOf", "oneOf", "allOf", "additionalProperties")


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
        if mismatch.keyword != "additionalProperties":  # foreign schemas may have other keywords
            yield mismatch.message
    written = fingerprint(parameters)
    # To search the bytes takes a fraction of the time of the walk, and few tools have references.
    has_references = written is None or b"$ref" in written
    for _, reference in find_references(parameters) if has_references else ():
        if not reference.startswith("#"):
            yield f"reference {reference!r} is not local"
        elif reference[1:2] not in ("", "/") or find_target(parameters, reference) is None:
            yield f"reference {reference!r} has no target"
