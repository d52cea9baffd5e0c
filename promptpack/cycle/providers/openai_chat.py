"""Any server that speaks OpenAI's chat completions, through the `openai` package that the caller has installed."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from promptpack.cycle.failure import ProviderError
from promptpack.cycle.providers.sdk_errors import failure
from promptpack.cycle.providers.sdk_provider import Gathering, SdkProvider
from promptpack.cycle.request import Completion, FinishReason, Request, Usage
from promptpack.prompt.message import Message, ToolCall

_FINISH: Final[Mapping[str, FinishReason]] = {
    "length": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "content_filter",
}


class OpenAIProvider(SdkProvider):
    """OpenAI, and every server that is compatible with it."""

    package: ClassVar[str] = "openai"
    client_names: ClassVar[tuple[str, str]] = ("OpenAI", "AsyncOpenAI")

    def create(self, client: Any, arguments: dict[str, Any]) -> Any:
        """Call the SDK's method, of a client of either kind."""
        return client.chat.completions.create(**arguments)

    def write(self, request: Request) -> dict[str, Any]:
        """Write the arguments; parameters go into the body as they are, since servers know more than the SDK does."""
        body = request.to_dict()
        extra = {"stream_options": {"include_usage": True}} if request.stream else {}
        extra |= request.params
        return {
            "model": request.model or self.model,
            "messages": [_write(message) for message in request.messages],
            "stream": request.stream,
            "timeout": request.timeout,
            "extra_body": {name: value for name, value in extra.items() if value is not None},
        } | {name: body[name] for name in ("tools", "tool_choice") if name in body}

    def read(self, answer: Any) -> Completion:
        """Read a whole answer."""
        return _read(answer)

    def gather(self) -> Gathering:
        """Begin to read a streamed answer."""
        return _Gathered()


def _write(message: Message) -> dict[str, Any]:
    """Write a message; a single text part as plain text, which every compatible server takes."""
    written = message.to_dict()
    if isinstance(message.content, tuple) and [part.type for part in message.content] == ["text"]:
        written["content"] = message.content[0].payload
    return written


def _read(answer: Any) -> Completion:
    choices = getattr(answer, "choices", None)
    if not choices:
        raise _unreadable(answer)
    said = choices[0].message
    text = said.content or getattr(said, "refusal", None) or ""
    if not isinstance(text, str):
        raise TypeError("its content is not text")
    calls = [
        (call.id, call.function.name, call.function.arguments)
        for call in said.tool_calls or ()
        if getattr(call, "function", None)
    ]
    return Completion(
        text, _calls(calls), _finish(choices[0].finish_reason, calls), _usage(answer.usage), answer.model or "", answer
    )


def _unreadable(answer: Any) -> ProviderError:
    error = getattr(answer, "error", None)
    shown = answer if isinstance(answer, str) else error or "it has no choices"
    return failure("PP608", "openai", " ".join(str(shown).split())[:200])


def _calls(calls: Sequence[tuple[str | None, str | None, str | None]]) -> tuple[ToolCall, ...]:
    # Some servers leave out the id, which the tool's message must name.
    return tuple(
        ToolCall(id or f"call_{number}", name or "", _arguments(arguments))
        for number, (id, name, arguments) in enumerate(calls, 1)  # noqa: A001 -- the API's own word
    )


def _arguments(arguments: Any) -> str:
    # Some servers send the arguments as data instead of JSON text.
    return arguments or "{}" if isinstance(arguments, str | None) else json.dumps(arguments, ensure_ascii=False)


def _finish(reason: str | None, calls: Sequence[Any]) -> FinishReason:
    # Some servers say "stop" beside tool calls.
    return "tool_calls" if calls and reason == "stop" else _FINISH.get(reason or "", "stop")


def _usage(usage: Any) -> Usage:
    if usage is None:
        return Usage()
    details = getattr(usage, "prompt_tokens_details", None)
    cached = getattr(details, "cached_tokens", None) or 0
    return Usage(usage.prompt_tokens or 0, usage.completion_tokens or 0, cached)


@dataclass(slots=True)
class _Gathered:
    """A streamed answer as it comes together."""

    texts: list[str] = field(default_factory=list)
    calls: dict[int, list[str]] = field(default_factory=dict)
    finish_reason: str | None = None
    usage: Any = None
    model: str = ""
    chunks: list[Any] = field(default_factory=list)

    def add(self, chunk: Any) -> str:
        self.chunks.append(chunk)
        self.model = self.model or getattr(chunk, "model", None) or ""
        self.usage = getattr(chunk, "usage", None) or self.usage
        if not getattr(chunk, "choices", None):
            return ""
        choice = chunk.choices[0]
        self.finish_reason = choice.finish_reason or self.finish_reason
        for call in choice.delta.tool_calls or ():
            self._add_call(call)
        text: str = choice.delta.content or getattr(choice.delta, "refusal", None) or ""
        self.texts.append(text)
        return text

    def _add_call(self, piece: Any) -> None:
        call = self.calls.setdefault(piece.index or 0, ["", "", ""])
        call[0] = call[0] or piece.id or ""
        if piece.function is not None:
            call[1] += piece.function.name or ""
            call[2] += piece.function.arguments or ""

    def completion(self) -> Completion:
        if self.finish_reason is None:
            # A stream that just ends was cut off: the text so far must not pass for an answer.
            raise failure("PP606", "openai", "the stream ended before the answer did", retryable=True)
        calls = [(call[0], call[1], call[2]) for _, call in sorted(self.calls.items())]
        return Completion(
            "".join(self.texts),
            _calls(calls),
            _finish(self.finish_reason, calls),
            _usage(self.usage),
            self.model,
            tuple(self.chunks),
        )
