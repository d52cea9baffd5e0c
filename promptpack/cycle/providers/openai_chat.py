"""Servers with OpenAI's chat completions API, called through the `openai` package that the user installs."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from promptpack.cycle.provider import Completion, FinishReason, Request, Usage, read_count
from promptpack.cycle.providers.openai_writing import write_message
from promptpack.cycle.providers.sdk_errors import provider_error
from promptpack.cycle.providers.sdk_provider import SdkProvider, StreamAccumulator
from promptpack.prompt.message import ToolCall

_FINISH: Final[Mapping[str, FinishReason]] = {
    "length": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "content_filter",
}


class OpenAIProvider(SdkProvider):
    """OpenAI and all compatible servers.

    `model` is the default model. Without `base_url` and `api_key` the SDK reads its environment variables. A `client`
    or `async_client` of the caller is used unchanged and never closed. Use it with `with` or `async with`, or call
    `close` or `aclose`.
    """

    package: ClassVar[str] = "openai"
    client_names: ClassVar[tuple[str, str]] = ("OpenAI", "AsyncOpenAI")

    def _create(self, client: Any, arguments: dict[str, Any]) -> Any:
        """Call the SDK method of a synchronous or asynchronous client."""
        return client.chat.completions.create(**arguments)

    def _write(self, request: Request) -> dict[str, Any]:
        """Return the arguments; parameters go into the body unchanged, as servers accept more than the SDK knows."""
        body = request.to_dict()
        extra = {"stream_options": {"include_usage": True}} if request.stream else {}
        extra |= request.params
        return {
            "model": request.model or self.model,
            "messages": [write_message(message) for message in request.messages],
            "stream": request.stream,
            "timeout": request.timeout,
            "extra_body": {name: value for name, value in extra.items() if value is not None},
        } | {name: body[name] for name in ("tools", "tool_choice") if name in body}

    def _read(self, answer: Any) -> Completion:
        """Read an answer that was not streamed."""
        return read_chat(answer)

    def _start_stream(self) -> StreamAccumulator:
        """Return an empty accumulator for a streamed answer."""
        return OpenAIStream()


def read_chat(answer: Any) -> Completion:
    """Read a chat completion."""
    choices = getattr(answer, "choices", None)
    if not choices:
        shown = answer if isinstance(answer, str) else getattr(answer, "error", None) or "it has no choices"
        raise provider_error("PP608", "openai", " ".join(str(shown).split())[:200])
    message = choices[0].message
    refusal = getattr(message, "refusal", None)
    text = message.content or refusal or ""
    if not isinstance(text, str):
        raise TypeError("its content is not text")
    calls = [
        (call.id, call.function.name, call.function.arguments)
        for call in getattr(message, "tool_calls", None) or ()
        if getattr(call, "function", None)
    ]
    is_refused = bool(refusal) and not message.content
    finish_reason = "content_filter" if is_refused else _finish(choices[0].finish_reason, calls)
    usage = _usage(getattr(answer, "usage", None))
    return Completion(text, _calls(calls), finish_reason, usage, getattr(answer, "model", None) or "", answer)


def _calls(calls: Sequence[tuple[str | None, str | None, str | None]]) -> tuple[ToolCall, ...]:
    # Some servers omit the id, which the tool message must repeat.
    return tuple(
        ToolCall(id or f"call_{number}", name or "", _arguments(arguments))
        for number, (id, name, arguments) in enumerate(calls, 1)  # noqa: A001 -- the word of the API
    )


def _arguments(arguments: Any) -> str:
    # Some servers send the arguments as data instead of JSON text.
    return arguments or "{}" if isinstance(arguments, str | None) else json.dumps(arguments, ensure_ascii=False)


def _finish(reason: str | None, calls: Sequence[Any]) -> FinishReason:
    # Some servers send "stop" together with tool calls.
    return "tool_calls" if calls and reason == "stop" else _FINISH.get(reason or "", "stop")


def _usage(usage: Any) -> Usage:
    cached = read_count(getattr(usage, "prompt_tokens_details", None), "cached_tokens")
    return Usage(read_count(usage, "prompt_tokens"), read_count(usage, "completion_tokens"), cached)


@dataclass(slots=True)
class OpenAIStream:
    """A streamed answer; `calls` is keyed by the index of the call."""

    texts: list[str] = field(default_factory=list)
    calls: dict[int, list[str]] = field(default_factory=dict)
    finish_reason: str | None = None
    usage: Any = None
    model: str = ""
    is_answered: bool = False
    is_refused: bool = False
    chunks: list[Any] = field(default_factory=list)

    def add(self, chunk: Any) -> str:
        """Add the next chunk and return its text."""
        self.chunks.append(chunk)
        self.model = self.model or getattr(chunk, "model", None) or ""
        self.usage = getattr(chunk, "usage", None) or self.usage
        # Only the first answer counts, as for answers that are not streamed.
        choices = getattr(chunk, "choices", None) or ()
        choice = next((one for one in choices if not getattr(one, "index", 0)), None)
        if choice is None:
            return ""
        self.finish_reason = choice.finish_reason or self.finish_reason
        for call in choice.delta.tool_calls or ():
            self._add_call(call)
        refusal = getattr(choice.delta, "refusal", None)
        text: str = choice.delta.content or refusal or ""
        self.is_answered = self.is_answered or bool(choice.delta.content)
        self.is_refused = self.is_refused or bool(refusal)
        self.texts.append(text)
        return text

    def _add_call(self, piece: Any) -> None:
        call = self.calls.setdefault(piece.index or 0, ["", "", ""])
        call[0] = call[0] or piece.id or ""
        if piece.function is not None:
            call[1] += piece.function.name or ""
            call[2] += piece.function.arguments or ""

    def completion(self) -> Completion:
        """Return the whole answer; raise `ProviderError` if its end is missing."""
        if self.finish_reason is None:
            # Without a finish reason the stream was cut off, so its text is not a complete answer.
            raise provider_error("PP606", "openai", "the stream ended too early", retryable=True)
        calls = [(call[0], call[1], call[2]) for _, call in sorted(self.calls.items())]
        return Completion(
            "".join(self.texts),
            _calls(calls),
            "content_filter" if self.is_refused and not self.is_answered else _finish(self.finish_reason, calls),
            _usage(self.usage),
            self.model,
            tuple(self.chunks),
        )
