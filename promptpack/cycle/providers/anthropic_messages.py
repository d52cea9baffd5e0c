"""Anthropic's Messages API, called through the `anthropic` package that the user installs."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final

from promptpack.cycle.provider import Completion, FinishReason, Request, Usage, read_count
from promptpack.cycle.providers.anthropic_writing import write_messages, write_system, write_tools
from promptpack.cycle.providers.sdk_errors import provider_error
from promptpack.cycle.providers.sdk_provider import SdkProvider, StreamAccumulator
from promptpack.prompt.message import ToolCall

_MAX_TOKENS: Final = 4096
_FINISH: Final[Mapping[str, FinishReason]] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "refusal": "content_filter",
}


class AnthropicProvider(SdkProvider):
    """Claude; system and developer messages move to `system`, and `max_tokens` defaults to 4096.

    `model` is the default model. Without `base_url` and `api_key` the SDK reads its environment variables. A `client`
    or `async_client` of the caller is used unchanged and never closed. Use it with `with` or `async with`, or call
    `close` or `aclose`.
    """

    package: ClassVar[str] = "anthropic"
    client_names: ClassVar[tuple[str, str]] = ("Anthropic", "AsyncAnthropic")

    def _create(self, client: Any, arguments: dict[str, Any]) -> Any:
        """Call the SDK method of a synchronous or asynchronous client."""
        return client.messages.create(**arguments)

    def _write(self, request: Request) -> dict[str, Any]:
        """Return the arguments; parameters go into the body unchanged, as servers accept more than the SDK knows."""
        params = {name: value for name, value in request.params.items() if value is not None}
        arguments: dict[str, Any] = {
            "model": request.model or self.model,
            "max_tokens": params.pop("max_tokens", _MAX_TOKENS),
            "messages": write_messages(request.messages),
            "stream": request.stream,
            "timeout": request.timeout,
            "extra_body": params,
        }
        system = write_system(request.messages)
        if system:
            arguments["system"] = system
        if request.tools:
            arguments |= {"tools": write_tools(request.tools), "tool_choice": {"type": request.tool_choice}}
        return arguments

    def _read(self, answer: Any) -> Completion:
        """Read an answer that was not streamed."""
        return read_message(answer)

    def _start_stream(self) -> StreamAccumulator:
        """Return an empty accumulator for a streamed answer."""
        return AnthropicStream()


def read_message(answer: Any) -> Completion:
    """Read a message that answers a request."""
    blocks = getattr(answer, "content", None)
    if not isinstance(blocks, list):
        shown = answer if isinstance(answer, str) else "it has no content"
        raise provider_error("PP608", "anthropic", " ".join(shown.split())[:200])
    return Completion(
        "".join(block.text for block in blocks if block.type == "text"),
        tuple(_call(block.id, block.name, block.input) for block in blocks if block.type == "tool_use"),
        _FINISH.get(answer.stop_reason or "", "stop"),
        _usage(getattr(answer, "usage", None)),
        getattr(answer, "model", None) or "",
        answer,
    )


def _call(identifier: str, name: str, arguments: Any) -> ToolCall:
    from promptpack.template.values import to_json

    return ToolCall(identifier, name, to_json(arguments, None))


def _usage(usage: Any) -> Usage:
    cached = read_count(usage, "cache_read_input_tokens")
    # The API counts cached tokens separately; the input is the sum of all three.
    given = read_count(usage, "input_tokens") + cached + read_count(usage, "cache_creation_input_tokens")
    return Usage(given, read_count(usage, "output_tokens"), cached)


@dataclass(slots=True)
class AnthropicStream:
    """A streamed answer; `calls` is keyed by the index of the block."""

    texts: list[str] = field(default_factory=list)
    calls: dict[int, list[str]] = field(default_factory=dict)
    stop_reason: str | None = None
    ended: bool = False
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    events: list[Any] = field(default_factory=list)

    def add(self, chunk: Any) -> str:
        """Add the next chunk and return its text."""
        self.events.append(chunk)
        text = self._read_event(chunk)
        self.texts.append(text)
        return text

    def _read_event(self, event: Any) -> str:
        match event.type:
            case "message_start":
                self.model = event.message.model or ""
                self.usage = _usage(event.message.usage)
            case "content_block_start":
                return self._start_block(event.index, event.content_block)
            case "content_block_delta":
                return self._continue_block(event.index, event.delta)
            case "message_delta":
                self.stop_reason = event.delta.stop_reason or self.stop_reason
                # The event counts from the start of the message.
                output_tokens = read_count(event.usage, "output_tokens") or self.usage.output_tokens
                self.usage = replace(self.usage, output_tokens=output_tokens)
            case "message_stop":
                self.ended = True
        return ""

    def _start_block(self, index: int, block: Any) -> str:
        if block.type == "tool_use":
            self.calls[index] = [block.id, block.name, ""]
        return block.text if block.type == "text" else ""

    def _continue_block(self, index: int, delta: Any) -> str:
        if delta.type == "input_json_delta" and index in self.calls:
            self.calls[index][2] += delta.partial_json
        return delta.text if delta.type == "text_delta" else ""

    def completion(self) -> Completion:
        """Return the whole answer; raise `ProviderError` if its end is missing."""
        if not self.ended:
            # Without an end event the stream was cut off, so its text is not a complete answer.
            raise provider_error("PP606", "anthropic", "the stream ended too early", retryable=True)
        return Completion(
            "".join(self.texts),
            tuple(ToolCall(call[0], call[1], call[2] or "{}") for _, call in sorted(self.calls.items())),
            _FINISH.get(self.stop_reason or "", "stop"),
            self.usage,
            self.model,
            tuple(self.events),
        )
