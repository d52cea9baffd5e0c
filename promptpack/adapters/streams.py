"""The stream of an SDK -> the answer so far, alarms, and a verdict at the end."""

from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Awaitable, Iterable
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from inspect import isawaitable
from typing import Any

from promptpack.adapters.response_readers import read_gemini, read_langchain, read_openai_response, require_text
from promptpack.cycle.cycle_errors import ProviderError
from promptpack.cycle.provider import Completion, FinishReason
from promptpack.cycle.providers.anthropic_messages import AnthropicStream
from promptpack.cycle.providers.openai_chat import OpenAIStream
from promptpack.cycle.providers.sdk_provider import StreamAccumulator
from promptpack.problem import Problem, UsageError
from promptpack.prompt.message import ToolCall
from promptpack.prompt.prompt import Prompt
from promptpack.reply import Fault, Progress
from promptpack.verdict import Verdict

_HINT = "pass a stream of OpenAI, Anthropic, Gemini or LangChain, or an iterator of text"


@dataclass(frozen=True, slots=True)
class StreamPart:
    """One piece of a streamed reply; the last part has the verdict.

    `progress` is the part that has been read so far.
    """

    text: str = field(default="", repr=False)
    """The new text."""
    progress: Progress | None = field(default=None, repr=False)
    verdict: Verdict | None = None
    """The verdict on the whole reply; None before the end."""

    @property
    def value(self) -> dict[str, Any]:
        """The answer so far: complete values, and the start of a growing text; read it before the next part."""
        return self.progress.value if self.progress is not None else {}

    @property
    def alarm(self) -> Fault | None:
        """The first violation that is certain, however the reply continues."""
        return self.progress.violations[0] if self.progress is not None and self.progress.violations else None


async def check_stream(
    prompt: Prompt, stream: AsyncIterable[object] | Iterable[object] | Awaitable[AsyncIterable[object]]
) -> AsyncIterator[StreamPart]:
    """Yield a part for each piece of text, and a last part with the verdict."""
    checker = prompt.stream()
    accumulator: StreamAccumulator | None = None
    progress = None
    async with aclosing(_chunks(stream)) as chunks:
        async for chunk in chunks:
            accumulator = accumulator or _open(chunk)
            text = _add(accumulator, chunk)
            if text:
                progress = checker.feed(text)
                yield StreamPart(text, progress)
    yield StreamPart("", progress, _finish(prompt, checker, accumulator))


def _add(accumulator: StreamAccumulator, chunk: object) -> str:
    try:
        return require_text(accumulator.add(chunk))
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        message = f"a chunk of type {type(chunk).__name__!r} cannot be read: {error}"
        raise UsageError(Problem("PP533", message, None, "pass the stream of one SDK, unchanged")) from error


def _finish(prompt: Prompt, checker: Any, accumulator: StreamAccumulator | None) -> Verdict:
    if accumulator is None:
        return prompt.check(None)
    try:
        completion = accumulator.completion()
    except ProviderError:
        # The stream stopped without an end, so its text is cut off.
        return checker.close("length")  # type: ignore[no-any-return]
    if completion.tool_calls or completion.finish_reason == "content_filter":
        return prompt.check(completion)
    reason = completion.finish_reason
    return checker.close(None if reason == "stop" else reason)  # type: ignore[no-any-return]


async def _chunks(stream: Any) -> AsyncGenerator[object, None]:
    if isawaitable(stream):
        stream = await stream
    if hasattr(stream, "__aenter__") and not isinstance(stream, AsyncIterable):
        async with stream as entered:
            async for chunk in entered:
                yield chunk
        return
    if isinstance(stream, AsyncIterable):
        try:
            async for chunk in stream:
                yield chunk
        finally:
            await _close(stream)
    elif isinstance(stream, Iterable):
        for chunk in stream:
            yield chunk
    else:
        raise UsageError(Problem("PP533", f"a value of type {type(stream).__name__!r} is not a stream", None, _HINT))


async def _close(stream: Any) -> None:
    """Close a stream, which may have been left early; SDKs and generators use different names."""
    close = getattr(stream, "aclose", None) or getattr(stream, "close", None)
    closing = close() if callable(close) else None
    if isawaitable(closing):
        await closing


def _open(chunk: object) -> StreamAccumulator:
    """Return the accumulator for the stream that starts with this chunk."""
    kind = getattr(chunk, "type", None)
    if isinstance(chunk, str | bytes):
        return _TextStream()
    if isinstance(kind, str) and kind.startswith("response."):
        return _ResponsesStream()
    if hasattr(chunk, "response_metadata"):
        return _LangChainStream()
    if hasattr(chunk, "choices"):
        return OpenAIStream()
    if hasattr(chunk, "candidates"):
        return _GeminiStream()
    if kind == "chunk" and hasattr(chunk, "chunk"):
        return _OpenAIEventStream()
    if kind in ("message_start", "content_block_start", "ping"):
        return AnthropicStream()
    message = f"a chunk of type {type(chunk).__name__!r} is not part of a reply"
    raise UsageError(Problem("PP533", message, None, _HINT))


class _Stream:
    """The text and the tool calls so far."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.calls: list[ToolCall] = []
        self.reason: FinishReason = "stop"

    def add_text(self, text: str) -> str:
        self.texts.append(text)
        return text

    def completion(self) -> Completion:
        return Completion("".join(self.texts), tuple(self.calls), self.reason)


class _TextStream(_Stream):
    def __init__(self) -> None:
        super().__init__()
        from codecs import getincrementaldecoder

        self._decoder = getincrementaldecoder("utf-8")("replace")

    def add(self, chunk: Any) -> str:
        if not isinstance(chunk, str | bytes):
            raise TypeError("the chunks before it are text")
        return self.add_text(chunk if isinstance(chunk, str) else self._decoder.decode(chunk))


class _OpenAIEventStream(OpenAIStream):
    """The events of OpenAI's stream helper; each chunk of the API is one of them."""

    def add(self, chunk: Any) -> str:
        return super().add(chunk.chunk) if chunk.type == "chunk" else ""


class _ResponsesStream(_Stream):
    """The events of OpenAI's Responses API; the last one has the whole response."""

    _whole: Any = None

    def add(self, chunk: Any) -> str:
        if chunk.type in ("response.completed", "response.incomplete", "response.failed"):
            self._whole = chunk.response
        is_text = chunk.type in ("response.output_text.delta", "response.refusal.delta")
        return self.add_text(chunk.delta) if is_text else ""

    def completion(self) -> Completion:
        if self._whole is None:
            return Completion("".join(self.texts), finish_reason="length")
        return read_openai_response(self._whole)


class _GeminiStream(_Stream):
    def add(self, chunk: Any) -> str:
        feedback = chunk.prompt_feedback
        if not chunk.candidates and not getattr(feedback, "block_reason", None):
            return ""  # only counts of tokens
        read = read_gemini(chunk)
        for call in read.tool_calls:
            # Calls without an id are numbered in each piece.
            is_new = all(call.id != one.id for one in self.calls)
            self.calls.append(call if is_new else replace(call, id=f"call_{len(self.calls) + 1}"))
        self.reason = read.finish_reason if read.finish_reason != "stop" else self.reason
        return self.add_text(read.text)


class _LangChainStream(_Stream):
    """Message chunks, which add up to the whole message."""

    _whole: Any = None

    def add(self, chunk: Any) -> str:
        self._whole = chunk if self._whole is None else self._whole + chunk
        return read_langchain(chunk).text

    def completion(self) -> Completion:
        return read_langchain(self._whole)
