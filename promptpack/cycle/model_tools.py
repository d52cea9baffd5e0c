"""Tools that a model may call: the description for the model and the function to run."""

import inspect
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from promptpack import schema, strict_json
from promptpack.characters import escape_surrogates, is_encodable
from promptpack.cycle.cycle_errors import ToolError
from promptpack.problem import ContextError, Problem, UsageError
from promptpack.prompt.message import ToolCall
from promptpack.prompt.tool_actions import read_tool_actions

ToolFunction = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class ModelTool:
    """The description of a tool and its function; without a `function`, its calls are returned to the caller.

    `name` and `description` are for the model, and `parameters` is the JSON Schema of the arguments.
    """

    name: str
    description: str | None = None
    parameters: Mapping[str, Any] | None = None
    function: ToolFunction | None = field(default=None, compare=False, repr=False)

    def __reduce__(self) -> tuple[type["ModelTool"], tuple[Any, ...]]:
        # Without the function, which need not be picklable.
        return ModelTool, (self.name, self.description, self.parameters and dict(self.parameters))

    @classmethod
    def of(cls, function: ToolFunction, name: str = "") -> "ModelTool":
        """Describe a function by its signature and docstring.

        `function` gets its arguments as plain JSON data, and `name` replaces its own name.
        """
        name = name or getattr(function, "__name__", "")
        return cls(name, inspect.getdoc(function), _parameters(function, name), function)

    def to_dict(self) -> dict[str, Any]:
        """Return the tool in the form of OpenAI-style APIs."""
        fields = {"name": self.name, "description": self.description, "parameters": self.parameters}
        return {"type": "function", "function": {key: value for key, value in fields.items() if value is not None}}


ToolSource = Mapping[str, ToolFunction | ModelTool] | Iterable[ToolFunction | ModelTool | Mapping[str, Any]]


def read_tools(source: ToolSource) -> tuple[ModelTool, ...]:
    """Read tools from functions, `ModelTool` values or definitions in the form of any SDK; names must be unique."""
    given: object = source
    if not isinstance(given, Iterable):
        message = f"tools are a value of type {type(given).__name__!r}"
        raise UsageError(Problem("PP614", message, None, "pass a list of functions or definitions"))
    if isinstance(source, Mapping):
        tools = tuple(_rename(name, value) for name, value in source.items())
    else:
        tools = tuple(_read_tool(value, index) for index, value in enumerate(source))
    names = [tool.name for tool in tools]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(Problem("PP614", f"there are two tools named {name!r}", None, "rename one of them"))
    return tools


def read_arguments(call: ToolCall, tool: ModelTool) -> dict[str, Any]:
    """Parse and validate the arguments of a call; raise `ToolError` for arguments that the tool does not declare."""
    try:
        arguments = strict_json.read(call.arguments or "{}")
    except (ValueError, RecursionError) as error:
        raise ToolError(f"the arguments of {call.name!r} are not valid JSON: {error}") from error
    if not isinstance(arguments, dict):
        raise ToolError(f"the arguments of {call.name!r} must be a JSON object")
    if not is_encodable(json.dumps(arguments, ensure_ascii=False)):
        raise ToolError(f"the arguments of {call.name!r} contain half of a surrogate pair")
    mismatches = schema.compile(tool.parameters).check(arguments) if tool.parameters else ()
    if mismatches:
        reasons = "; ".join(f"{mismatch.pointer or 'arguments'}: {mismatch.message}" for mismatch in mismatches)
        raise ToolError(f"the arguments of {call.name!r} are invalid: {reasons}")
    return _bind(call.name, tool.function, arguments)


def write_result(name: str, result: Any) -> str:
    """Return the result of a tool as text for the model: text unchanged, anything else as JSON."""
    if isinstance(result, str):
        return escape_surrogates(result)
    from promptpack.prompt.plain_data import to_plain

    try:
        return json.dumps(to_plain(result, name), ensure_ascii=False, allow_nan=False)
    except (ContextError, ValueError) as error:
        hint = "return text, numbers, True, False, None, lists or mappings"
        message = f"tool {name!r} returned a value that is neither text nor plain data"
        raise UsageError(Problem("PP615", message, None, hint)) from error


def _rename(name: str, value: ToolFunction | ModelTool) -> ModelTool:
    if isinstance(value, ModelTool):
        return ModelTool(name, value.description, value.parameters, value.function)
    return ModelTool.of(value, name)


def _read_tool(value: ToolFunction | ModelTool | Mapping[str, Any], index: int) -> ModelTool:
    if isinstance(value, ModelTool):
        return value
    if not isinstance(value, Mapping) and callable(value):
        return ModelTool.of(value)
    action = read_tool_actions([value], f"tools[{index}]")[0]
    inner = value.get("function", value) if isinstance(value, Mapping) else {}
    described = "description" in inner or "desc" in inner
    return ModelTool(action.name, action.description if described else None, action.params)


def _parameters(function: ToolFunction, name: str) -> dict[str, Any]:
    from pydantic import TypeAdapter
    from pydantic.errors import PydanticUserError

    hint = "annotate the parameters with JSON types, or pass a ModelTool with parameters"
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(function)  # type: ignore[arg-type]  # undocumented: accepts functions
        described = adapter.json_schema()
    except (PydanticUserError, NameError, TypeError) as error:
        reason = str(error).split(".", maxsplit=1)[0]
        raise UsageError(Problem("PP613", f"tool {name!r} cannot be described: {reason}", None, hint)) from error
    if described.get("type") != "object":
        message = f"tool {name!r} accepts arguments by position, but models pass them by name"
        raise UsageError(Problem("PP613", message, None, hint))
    return described


def _bind(name: str, function: ToolFunction | None, arguments: dict[str, Any]) -> dict[str, Any]:
    if function is None:
        return arguments
    try:
        inspect.signature(function).bind(**arguments)
    except TypeError as error:
        raise ToolError(f"the arguments of {name!r} do not match its signature: {error}") from error
    return arguments
