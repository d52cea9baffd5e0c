"""Generate contexts that a pack accepts, from the schemas of its inputs."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from promptpack.pack.model import HISTORY_ROLES, Pack
from promptpack.problem import ContextError
from promptpack.prompt.context import check_context
from promptpack.schema.generation import Choices, FirstChoices, NoValueError, ValueGenerator
from promptpack.schema.validation import Schema

_ATTEMPTS: Final = 8
_TEXT: Final = {"type": "string"}
_NAME: Final = {"type": "string", "pattern": "^[a-z][a-z0-9_]{0,15}$"}
_CALL: Final = {
    "type": "object",
    "properties": {
        "id": _NAME,
        "type": {"const": "function"},
        "function": {
            "type": "object",
            "properties": {"name": _NAME, "arguments": {"enum": ["{}", '{"path": "a.txt"}']}},
            "required": ["name", "arguments"],
            "additionalProperties": False,
        },
    },
    "required": ["id", "type", "function"],
    "additionalProperties": False,
}
_FIELDS: Final[Mapping[str, Mapping[str, Any]]] = {
    "user": {"content": _TEXT},
    "developer": {"content": _TEXT},
    "system": {"content": _TEXT},
    "assistant": {"content": _TEXT, "tool_calls": {"type": "array", "items": _CALL, "minItems": 1}},
    "tool": {"tool_call_id": _NAME, "content": _TEXT},
}
_OPTIONAL: Final = ("tool_calls",)
TOOLS: Final[Mapping[str, Any]] = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "name": _NAME,
            "description": _TEXT,
            "parameters": {
                "enum": [
                    {"type": "object"},
                    {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
                    {
                        "type": "object",
                        "properties": {"limit": {"type": "integer", "minimum": 1, "maximum": 9}},
                        "additionalProperties": False,
                    },
                ]
            },
        },
        "required": ["name", "parameters"],
        "additionalProperties": False,
    },
}
"""The schema of tools: an input with tools must be more than the list that its own schema may describe."""


class ContextGenerator:
    """Generates contexts of one pack; `samples` are texts that free texts are often chosen from."""

    def __init__(self, pack: Pack, samples: Sequence[str] = ()) -> None:
        self._pack = pack
        self._schema = Schema(_context_schema(pack))
        self._generator = ValueGenerator(self._schema.source, samples)

    def generate(self, choices: Choices) -> dict[str, Any]:
        """Return a context that the pack accepts; raise `NoValueError` if none is found."""
        for _ in range(_ATTEMPTS):
            context: dict[str, Any] = self._generator.generate(choices)
            if _is_taken(self._pack, context):
                return context
        raise NoValueError("no context was found")

    def make_example(self) -> dict[str, Any]:
        """Return a small context, always the same: an input has the first of its examples, or the simplest value."""
        context = self.generate(FirstChoices())
        for name in context:
            examples = self._pack.inputs[name].schema.get("examples")
            if examples and self.accepts(better := {**context, name: examples[0]}):
                context = better
        return context

    def accepts(self, context: Mapping[str, Any]) -> bool:
        """Return whether a context could have been generated: the pack accepts it, its histories and its tools."""
        return self._schema.accepts(context) and _is_taken(self._pack, context)


def _is_taken(pack: Pack, context: Mapping[str, Any]) -> bool:
    try:
        check_context(pack, context, {})
    except ContextError:
        return False
    return True


def _context_schema(pack: Pack) -> dict[str, Any]:
    """Return the schema of the context; chat histories and tools must have the form that rendering reads."""
    source = pack._context_schema.source
    narrowed: dict[str, Mapping[str, Any]] = {
        name: _history_schema(pack, name) for name in pack._history_inputs if name in pack.inputs
    }
    if pack.contract is not None and pack.contract.tools_input:
        narrowed[pack.contract.tools_input] = TOOLS
    properties = {
        name: {"allOf": [declared, narrowed[name]]} if name in narrowed else declared
        for name, declared in source["properties"].items()
    }
    return {**source, "properties": properties, "additionalProperties": False}


def _history_schema(pack: Pack, name: str) -> dict[str, Any]:
    allowed = [set(message.history_roles) for message in pack.messages if message.history == name]
    roles = [role for role in _FIELDS if role in set(HISTORY_ROLES).intersection(*allowed)]
    return {"type": "array", "items": {"anyOf": [_message_schema(role) for role in roles] or [False]}}


def _message_schema(role: str) -> dict[str, Any]:
    fields = {"role": {"const": role}, **_FIELDS[role]}
    required = [name for name in fields if name not in _OPTIONAL]
    return {"type": "object", "properties": fields, "required": required, "additionalProperties": False}
