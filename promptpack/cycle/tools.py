"""Tools that a model may call: their description for the model, and the function behind it."""

import inspect
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from promptpack import schema, strict_json
from promptpack.characters import escape_surrogates, is_encodable
from promptpack.problem import ContextError, Problem, UsageError
from promptpack.prompt.message import ToolCall
from promptpack.prompt.tools import read_tools as read_definitions

Function = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Tool:
    """What the model is told about a tool; without a `function`, its calls are handed back to the caller."""

    name: str
    description: str | None = None
    parameters: Mapping[str, Any] | None = None
    function: Function | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, function: Function, name: str = "") -> "Tool":
        """Describe a function by its signature and docstring; its arguments will arrive as plain JSON data."""
        named = name or getattr(function, "__name__", "")
        return cls(named, inspect.getdoc(function), _parameters(function, named), function)

    def to_dict(self) -> dict[str, Any]:
        """Write the tool as OpenAI-style APIs take it."""
        about = {"name": self.name, "description": self.description, "parameters": self.parameters}
        return {"type": "function", "function": {key: value for key, value in about.items() if value is not None}}


ToolSource = Mapping[str, Function | Tool] | Iterable[Function | Tool | Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a call was not made, in words for the model."""

    text: str


def read_tools(source: ToolSource) -> tuple[Tool, ...]:
    """Read tools from functions by name, `Tool` values, or definitions as SDKs write them; names must differ."""
    if isinstance(source, Mapping):
        tools = tuple(_named(name, value) for name, value in source.items())
    else:
        tools = tuple(_read_tool(value, index) for index, value in enumerate(source))
    names = [tool.name for tool in tools]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(Problem("PP614", f"there are two tools named {name!r}", None, "give each its own name"))
    return tools


def read_arguments(call: ToolCall, tool: Tool) -> dict[str, Any] | Refusal:
    """Read the arguments of a call and check them, so that a tool never sees what it did not declare."""
    try:
        arguments = strict_json.read(call.arguments or "{}")
    except (ValueError, RecursionError) as error:
        return Refusal(f"the arguments of {call.name!r} are not JSON: {error}")
    if not isinstance(arguments, dict):
        return Refusal(f"the arguments of {call.name!r} must be a JSON object")
    if not is_encodable(json.dumps(arguments, ensure_ascii=False)):
        return Refusal(f"the arguments of {call.name!r} hold half of a surrogate pair")
    findings = schema.compile(tool.parameters).check(arguments) if tool.parameters else ()
    if findings:
        told = "; ".join(f"{finding.pointer or 'arguments'}: {finding.message}" for finding in findings)
        return Refusal(f"the arguments of {call.name!r} are refused: {told}")
    return _fitting(call.name, tool.function, arguments)


def write_result(name: str, result: Any) -> str:
    """Write what a tool gave as text for the model: text as it is, anything else as JSON."""
    if isinstance(result, str):
        return escape_surrogates(result)
    from promptpack.prompt.plain import to_plain

    try:
        return json.dumps(to_plain(result, name), ensure_ascii=False, allow_nan=False)
    except (ContextError, ValueError) as error:
        hint = "return text, numbers, true/false, null, lists and mappings"
        message = f"tool {name!r} returned something that is neither text nor plain data"
        raise UsageError(Problem("PP615", message, None, hint)) from error


def _named(name: str, value: Function | Tool) -> Tool:
    if isinstance(value, Tool):
        return Tool(name, value.description, value.parameters, value.function)
    return Tool.of(value, name)


def _read_tool(value: Function | Tool | Mapping[str, Any], index: int) -> Tool:
    if isinstance(value, Tool):
        return value
    if not isinstance(value, Mapping) and callable(value):
        return Tool.of(value)
    action = read_definitions([value], f"tools[{index}]")[0]
    inner = value.get("function", value) if isinstance(value, Mapping) else {}
    described = "description" in inner or "desc" in inner
    return Tool(action.name, action.description if described else None, action.params)


def _parameters(function: Function, name: str) -> dict[str, Any]:
    from pydantic import TypeAdapter
    from pydantic.errors import PydanticUserError

    hint = "annotate the parameters with JSON types, or give a Tool with its own parameters"
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(function)  # type: ignore[arg-type]  # takes functions, does not say so
        described = adapter.json_schema()
    except (PydanticUserError, NameError, TypeError) as error:
        reason = str(error).split(".", maxsplit=1)[0]
        raise UsageError(Problem("PP613", f"tool {name!r} cannot be described: {reason}", None, hint)) from error
    if described.get("type") != "object":
        message = f"tool {name!r} takes arguments by position, and a model gives them by name"
        raise UsageError(Problem("PP613", message, None, hint))
    return described


def _fitting(name: str, function: Function | None, arguments: dict[str, Any]) -> dict[str, Any] | Refusal:
    if function is None:
        return arguments
    try:
        inspect.signature(function).bind(**arguments)
    except TypeError as error:
        return Refusal(f"the arguments of {name!r} do not fit: {error}")
    return arguments
