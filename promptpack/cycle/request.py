"""What a provider is asked and what it answers: `Request` and `Completion`, the same for every model's server."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from promptpack.characters import escape_surrogates
from promptpack.cycle.tools import Tool
from promptpack.prompt.message import Message, ToolCall

ToolChoice = Literal["auto", "none"]
FinishReason = Literal["stop", "length", "tool_calls", "content_filter"]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the server counted them; `cached_tokens` is the part of the input that came from its cache."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
        )

    @property
    def total_tokens(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True)
class Request:
    """One call of a model; an empty `model` means the provider's own, `timeout` is the longest silence in seconds."""

    model: str
    messages: tuple[Message, ...] = field(repr=False)
    params: Mapping[str, Any] = field(default_factory=dict)
    tools: tuple[Tool, ...] = ()
    tool_choice: ToolChoice = "auto"
    stream: bool = False
    timeout: float | None = None
    on_delta: Callable[[str], None] | None = field(default=None, compare=False, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Write the request as OpenAI-style APIs take it, without what is unset."""
        body: dict[str, Any] = {"model": self.model} if self.model else {}
        body |= {name: value for name, value in self.params.items() if value is not None}
        body["messages"] = [message.to_dict() for message in self.messages]
        if self.tools:
            body |= {"tools": [tool.to_dict() for tool in self.tools], "tool_choice": self.tool_choice}
        if self.stream:
            body["stream"] = True
        return body


@dataclass(frozen=True, slots=True)
class Completion:
    """What the model said; `finish_reason` in OpenAI's words, `raw` is the server's own answer."""

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: FinishReason = "stop"
    usage: Usage = Usage()
    model: str = ""
    raw: Any = field(default=None, compare=False, repr=False)

    @property
    def message(self) -> Message:
        """The completion as the assistant's message, which can be sent again: half of a surrogate pair cannot be."""
        content = escape_surrogates(self.text) if self.text or not self.tool_calls else None
        calls = (
            replace(call, name=escape_surrogates(call.name), arguments=escape_surrogates(call.arguments))
            for call in self.tool_calls
        )
        return Message("assistant", content, tool_calls=tuple(calls))
