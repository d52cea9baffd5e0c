"""Events -> spans: each operation is a span, below the span that is current where it starts."""

from collections.abc import Sequence
from contextlib import suppress
from contextvars import Token
from typing import Final

from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer, TracerProvider

from promptpack._version import __version__
from promptpack.characters import escape_surrogates
from promptpack.observation import (
    CallRetried,
    CallStarted,
    CheckEnded,
    CheckStarted,
    Ended,
    ObservedEvent,
    OperationStarted,
    RenderStarted,
    RunEnded,
    RunStarted,
    Started,
    ToolEnded,
    ToolStarted,
)
from promptpack.otel.dialects.dialect import Attributes, AttributeValue, Content, Dialect

_NOTHING: Final[Content] = {}


def open_tracer(provider: TracerProvider | None) -> Tracer:
    """Return promptpack's tracer of a provider, or of the global one."""
    return trace.get_tracer("promptpack", __version__, provider)


class SpanRecorder:
    """A listener that creates spans; safe to use from any thread and task."""

    def __init__(self, tracer: Tracer, dialects: Sequence[Dialect], *, content: bool) -> None:
        self._tracer = tracer
        self._dialects = dialects
        self._content = content
        self._open: dict[int, tuple[Span, Token[Context]]] = {}

    def __call__(self, event: ObservedEvent) -> None:
        """Start or end a span, or note a retry in the current one."""
        if isinstance(event, OperationStarted):
            self._start(event)
        elif isinstance(event, CallRetried):
            _note_retry(event)
        else:
            self._end(event)

    def _start(self, event: Started) -> None:
        kind = SpanKind.CLIENT if isinstance(event, CallStarted) else SpanKind.INTERNAL
        # A sampler sees the attributes that a span starts with.
        attributes = self._attributes(event, _NOTHING)
        span = self._tracer.start_span(_name(event), kind=kind, attributes=attributes, start_time=event.time_ns)
        self._open[event.id] = span, otel_context.attach(trace.set_span_in_context(span))
        if self._content and span.is_recording():
            span.set_attributes(self._attributes(event, _read(event)))

    def _end(self, event: Ended) -> None:
        opened = self._open.pop(event.start.id, None)
        if opened is None:  # its start failed, which was reported
            return
        span, token = opened
        # A generator that is abandoned is closed in another context; `detach` would log an error with a traceback.
        with suppress(ValueError):
            token.var.reset(token)
        try:
            if span.is_recording():
                self._describe_end(span, event)
        finally:
            span.end(event.time_ns)

    def _describe_end(self, span: Span, event: Ended) -> None:
        error = _error(event)
        if error:
            span.set_status(Status(StatusCode.ERROR, error))
        span.set_attributes(self._attributes(event, _read(event) if self._content else _NOTHING))

    def _attributes(self, event: Started | Ended, content: Content) -> Attributes:
        found: Attributes = {}
        for dialect in self._dialects:
            if isinstance(event, OperationStarted):
                found |= dialect.started(event, content)
            else:
                found |= dialect.ended(event, content)
        return {name: _encodable(value) for name, value in found.items()}


def _read(event: Started | Ended) -> Content:
    return _NOTHING if event.content is None else event.content()


def _encodable(value: AttributeValue) -> AttributeValue:
    """Escape halves of surrogate pairs: one of them would make an exporter lose all its spans."""
    if isinstance(value, str):
        return escape_surrogates(value)
    return value if isinstance(value, bool | int | float) else tuple(escape_surrogates(item) for item in value)


def _name(event: Started) -> str:
    name = "" if event.pack is None else event.pack.name
    match event:
        case RunStarted():
            agent = "" if event.pack is None else event.pack.agent or name
            return "invoke_workflow" if event.kind == "flow" else f"invoke_agent {agent}".rstrip()
        case RenderStarted():
            return f"render {name}"
        case CallStarted():
            return f"chat {event.model}".rstrip()
        case ToolStarted():
            return f"execute_tool {event.name}".rstrip()
        case CheckStarted():
            return f"check {name}"


def _error(event: Ended) -> str:
    """Return why an operation counts as failed, in codes and fixed words; empty if it does not."""
    if event.failure is not None:
        return ", ".join(event.failure.codes) or event.failure.type
    match event:
        case CheckEnded() if event.violations:
            return ", ".join(dict.fromkeys(event.violations))
        case RunEnded() if not event.ok:
            return event.outcome
        case ToolEnded():
            return event.rejection
        case _:
            return ""


def _note_retry(event: CallRetried) -> None:
    attributes: Attributes = {
        "promptpack.round": event.round,
        "promptpack.attempt": event.attempt,
        "promptpack.retry.seconds": event.seconds,
        "error.type": event.failure.codes[0] if event.failure.codes else event.failure.type,
    }
    trace.get_current_span().add_event("promptpack.retry", attributes, event.time_ns)
