"""`Provider`, the interface to a model, with its question (`Request`) and its answer (`Completion`)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

from promptpack.characters import escape_surrogates
from promptpack.cycle.model_tools import ModelTool
from promptpack.prompt.message import Message, ToolCall

ToolChoice = Literal["auto", "none"]
FinishReason = Literal["stop", "length", "tool_calls", "content_filter"]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the server counted them; `cached_tokens` is the part of the input read from its cache.

    `input_tokens` and `output_tokens` are those of the request and of the answer.
    """

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


def read_count(usage: object, name: str) -> int:
    """Return a count of tokens as the server gave it; 0 if it gave none, or something that is not a count."""
    count = getattr(usage, name, None)
    return count if type(count) is int and count > 0 else 0


@dataclass(frozen=True, slots=True)
class Request:
    """One call of a model; an empty `model` means the provider's default, `timeout` limits the silence in seconds.

    `messages` are sent with the further arguments in `params`. The model may call `tools`, unless `tool_choice` is
    `none`. With `stream`, the text arrives piece by piece, and `on_delta` gets each piece.
    """

    model: str
    messages: tuple[Message, ...] = field(repr=False)
    params: Mapping[str, Any] = field(default_factory=dict, repr=False)
    tools: tuple[ModelTool, ...] = ()
    tool_choice: ToolChoice = "auto"
    stream: bool = False
    timeout: float | None = None
    on_delta: Callable[[str], None] | None = field(default=None, compare=False, repr=False)

    def __reduce__(self) -> tuple[type["Request"], tuple[Any, ...]]:
        # Without the callback, which need not be picklable.
        return Request, (
            self.model, self.messages, dict(self.params), self.tools, self.tool_choice, self.stream, self.timeout
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """Return the request body for OpenAI-style APIs, without unset values."""
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
    """The answer of a model; `finish_reason` uses OpenAI's words, `raw` is the unchanged answer of the server.

    `text` is the answer, `tool_calls` are the calls of tools, `usage` counts the tokens, and `model` is the model that
    answered.
    """

    text: str = field(default="", repr=False)
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: FinishReason = "stop"
    usage: Usage = Usage()
    model: str = ""
    raw: Any = field(default=None, compare=False, repr=False)

    def __reduce__(self) -> tuple[type["Completion"], tuple[Any, ...]]:
        # Without the answer of the SDK, which need not be picklable.
        return Completion, (self.text, self.tool_calls, self.finish_reason, self.usage, self.model)

    @property
    def message(self) -> Message:
        """The completion as an assistant message; halves of surrogate pairs are escaped because they cannot be sent."""
        content = escape_surrogates(self.text) if self.text or not self.tool_calls else None
        calls = (
            replace(call, name=escape_surrogates(call.name), arguments=escape_surrogates(call.arguments))
            for call in self.tool_calls
        )
        return Message("assistant", content, tool_calls=tuple(calls))


class Provider(Protocol):
    """Send a request once and return the whole answer; raise `ProviderError` on failure, the cycle does the retries.

    With `request.stream`, also pass the text to `request.on_delta` piece by piece as it arrives.
    """

    def complete(self, request: Request) -> Completion:
        """Send the `request` and wait for the answer."""
        ...

    async def acomplete(self, request: Request) -> Completion:
        """Send the `request` and await the answer."""
        ...
