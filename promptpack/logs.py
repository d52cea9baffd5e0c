"""The events of the hook as records of the logger `promptpack`; a record never has text of a prompt or a reply."""

import logging
import threading
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from promptpack import hook
from promptpack.observation import (
    CallEnded,
    CallRetried,
    CheckEnded,
    Ended,
    ObservedEvent,
    OperationFailure,
    OperationStarted,
    RenderEnded,
    RunEnded,
    ToolEnded,
)

LOGGER: Final = logging.getLogger("promptpack")
LOGGER.addHandler(logging.NullHandler())
Logged = Ended | CallRetried
_lock = threading.Lock()
_unsubscribe: list[Callable[[], None]] = []


class LoggedEvent(NamedTuple):
    """The log entry of an event; the facts become `record.promptpack` of the log record."""

    level: int
    message: str
    facts: Mapping[str, object]


def log_events() -> Callable[[], None]:
    """Log what promptpack does to the logger `promptpack`, which has no handlers of its own; return a stop function.

    Renders, tools and valid replies are logged at DEBUG, calls and runs at INFO, and failures, retries and refused
    replies at WARNING. Calling it again changes nothing.
    """
    with _lock:
        if not _unsubscribe:
            _unsubscribe.append(hook.subscribe(_log))
    return _stop


def _stop() -> None:
    with _lock:
        while _unsubscribe:
            _unsubscribe.pop()()


def _log(event: ObservedEvent) -> None:
    if isinstance(event, OperationStarted):
        return
    record = _describe(event)
    LOGGER.log(record.level, record.message, extra={"promptpack": {**_identify(event), **record.facts}})


def _describe(event: Logged) -> LoggedEvent:
    match event:
        case RenderEnded():
            return _failed("render of", event) or LoggedEvent(
                logging.DEBUG, f"rendered {_name(event)}: {event.messages} messages", {"messages": event.messages}
            )
        case CallEnded():
            return _failed(f"call of {event.start.provider} for", event) or _call(event)
        case ToolEnded():
            return _failed(f"tool {event.start.name!r} for", event) or _tool(event)
        case CheckEnded():
            return _failed("check of a reply to", event) or _check(event)
        case RunEnded():
            return _failed("run of", event) or _run(event)
        case CallRetried():
            facts = {"attempt": event.attempt, "seconds": event.seconds, "error": _reason(event.failure)}
            message = f"{_name(event)}: {_reason(event.failure)}, so the call is sent again in {event.seconds:g} s"
            return LoggedEvent(logging.WARNING, message, facts)


def _failed(operation: str, event: Ended) -> LoggedEvent | None:
    if event.failure is None:
        return None
    reason = _reason(event.failure)
    return LoggedEvent(logging.WARNING, f"{operation} {_name(event)} failed: {reason}", {"error": reason})


def _call(event: CallEnded) -> LoggedEvent:
    facts = {
        "provider": event.start.provider,
        "model": event.model or event.start.model,
        "round": event.start.round,
        "finish_reason": event.finish_reason,
        "input_tokens": event.input_tokens,
        "output_tokens": event.output_tokens,
    }
    tokens = f"{event.input_tokens} + {event.output_tokens} tokens in {event.seconds:.2f} s"
    return LoggedEvent(logging.INFO, f"{facts['model'] or facts['provider']} answered {_name(event)}: {tokens}", facts)


def _tool(event: ToolEnded) -> LoggedEvent:
    facts = {"tool": event.start.name, "rejection": event.rejection}
    if event.rejection:
        return LoggedEvent(logging.WARNING, f"a tool call for {_name(event)} is rejected: {event.rejection}", facts)
    return LoggedEvent(logging.DEBUG, f"tool {event.start.name!r} answered {_name(event)}", facts)


def _check(event: CheckEnded) -> LoggedEvent:
    codes = tuple(dict.fromkeys(event.violations))
    facts = {"outcome": event.outcome, "violations": codes, "repairs": len(event.repairs)}
    shown = f" ({', '.join(codes)})" if codes else f", {len(event.repairs)} repairs" if event.repairs else ""
    level = logging.WARNING if codes else logging.DEBUG
    return LoggedEvent(level, f"reply to {_name(event)}: {event.outcome}{shown}", facts)


def _run(event: RunEnded) -> LoggedEvent:
    facts = {"kind": event.start.kind, "outcome": event.outcome, "rounds": event.rounds}
    shown = f": {event.outcome} after {event.rounds} rounds" if event.outcome else ""
    return LoggedEvent(logging.INFO if event.ok else logging.WARNING, f"run of {_name(event)} ended{shown}", facts)


def _reason(failure: OperationFailure) -> str:
    return ", ".join(failure.codes) or failure.type


def _name(event: Logged) -> str:
    pack = _started(event).pack
    if pack is not None:
        return f"{pack.name}@{pack.version}"
    return "a flow" if isinstance(event, RunEnded) and event.start.kind == "flow" else "a conversation"


def _identify(event: Logged) -> dict[str, object]:
    started = _started(event)
    pack, facts = started.pack, {"event": type(event).__name__, "run": started.run}
    if pack is None:
        return dict(facts)
    return {**facts, "pack": pack.name, "version": pack.version, "digest": pack.digest, "label": pack.label}


def _started(event: Logged) -> OperationStarted | CallRetried:
    return event if isinstance(event, CallRetried) else event.start
