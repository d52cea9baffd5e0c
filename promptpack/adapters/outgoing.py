"""`Outgoing`, the part of a prompt that a target receives, and `Adapter`, the module that writes it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from promptpack.cycle.model_tools import ModelTool
from promptpack.problem import Problem, UsageError
from promptpack.prompt.message_data import parts_of

if TYPE_CHECKING:
    from promptpack.prompt.message import Message
    from promptpack.prompt.prompt import Prompt

TargetOption = Literal["strict", "tools", "cache"]
HOISTED: Final = ("system", "developer")
_ROLES_WITHOUT_NAME: Final = ("tool",)  # the call that a result answers has the name of the tool
_MAX_NAME: Final = 64


@dataclass(frozen=True, slots=True)
class Carries:
    """The parts and fields besides text that the messages of a target may contain."""

    parts: frozenset[str] = frozenset()
    """The types of parts in user messages."""
    result_parts: frozenset[str] = frozenset()
    """The types of parts in tool results."""
    names: bool = False
    turn_needed: bool = False
    """Whether system messages are sent apart, so that at least one other message is needed."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A prompt for a target, with checked messages and options."""

    target: str
    prompt: Prompt = field(repr=False)
    tools: tuple[ModelTool, ...] = ()
    strict: bool = False
    cache: bool = False

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages of the prompt."""
        return self.prompt.messages

    @property
    def schema_name(self) -> str:
        """The name of the pack, in the characters that APIs accept in names."""
        return re.sub(r"[^A-Za-z0-9_-]", "_", self.prompt.pack.name)[:_MAX_NAME] or "reply"

    def schema(self) -> dict[str, Any] | None:
        """Return the schema of the reply without our own keywords, or None if the pack has no contract."""
        from promptpack.verdict.judge import schema_of

        if self.prompt.pack.contract is None:
            return None
        schema: dict[str, Any] = _plain_schema(schema_of(self.prompt.pack, self.prompt.context, self.prompt).source)
        return schema

    def strict_schema(self, provider: str) -> dict[str, Any]:
        """Return the schema of the reply in the strict form of a provider."""
        from promptpack.schema.strict.writing import to_strict_schema

        schema = self.schema()
        if schema is None:
            message = f"{self.prompt.pack.label} declares no reply contract, so it has no strict schema"
            raise UsageError(Problem("PP634", message, None, "add 'reply:' to the pack, or leave out strict=True"))
        return to_strict_schema(schema, provider, self.prompt.pack.label)

    def system_text(self) -> str:
        """Return the system and developer messages as one text, for targets that send them apart."""
        return "\n\n".join(message.text for message in self.messages if message.role in HOISTED and message.text)

    def turns(self) -> tuple[Message, ...]:
        """Return the messages that are neither system nor developer messages."""
        return tuple(message for message in self.messages if message.role not in HOISTED)


class Adapter(Protocol):
    """A module that writes prompts for one target."""

    OPTIONS: frozenset[TargetOption]
    """The options of `Prompt.to` that the target has."""
    INSTEAD: Mapping[TargetOption, str]
    """Hints about options that it does not have."""
    CARRIES: Carries

    def write(self, outgoing: Outgoing) -> dict[str, Any]:
        """Return the keyword arguments of the target."""
        ...


def read_outgoing(
    prompt: Prompt, target: str, carries: Carries, *, strict: bool, tools: tuple[ModelTool, ...], cache: bool
) -> Outgoing:
    """Return a prompt for a target; refuse one with messages that the target cannot carry."""
    problems = [*_find_uncarried(prompt, target, carries)]
    if problems:
        raise UsageError(problems)
    return Outgoing(target, prompt, tools, strict, cache)


def cannot_carry(target: str, what: str, hint: str = "remove it, or use another target") -> UsageError:
    """Return the error for a message that a target cannot carry."""
    return UsageError(Problem("PP632", f"target {target!r} cannot carry {what}", None, hint))


def _find_uncarried(prompt: Prompt, target: str, carries: Carries) -> Iterator[Problem]:
    for number, message in enumerate(prompt.messages, 1):
        where = f"in message {number} ({message.role})"
        allowed = {"user": carries.parts, "tool": carries.result_parts}.get(message.role, frozenset())
        for kind in dict.fromkeys(part.type for part in parts_of(message)):
            if kind != "text" and kind not in allowed:
                yield from cannot_carry(target, f"a part of type {kind!r} {where}").problems
        if message.name and not carries.names and message.role not in _ROLES_WITHOUT_NAME:
            yield from cannot_carry(target, f"the name {where}").problems
    if carries.turn_needed and all(message.role in HOISTED for message in prompt.messages):
        message_text = f"target {target!r} needs a message that is not a system message"
        yield Problem("PP633", message_text, None, "add a user message to the pack")


_OF_SCHEMAS: Final = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_OF_VALUES: Final = ("enum", "const", "default", "examples")


def _plain_schema(schema: Any) -> Any:
    """Copy a schema without `x-` keywords, which are ours."""
    if isinstance(schema, list):
        return [_plain_schema(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: _plain_values(key, value) for key, value in schema.items() if not key.startswith("x-")}


def _plain_values(key: str, value: Any) -> Any:
    if key in _OF_VALUES:
        return _copy(value)
    if key in _OF_SCHEMAS and isinstance(value, dict):
        return {name: _plain_schema(item) for name, item in value.items()}
    return _plain_schema(value)


def _copy(value: Any) -> Any:
    from copy import deepcopy

    return deepcopy(value)
