"""Replies: check a pasted one, with each repair and violation marked in its text; ask the model of the command line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from promptpack.character_patterns import UNSEEN
from promptpack.characters import code_point
from promptpack.cycle import ReplyJudged, RetryPlanned, Services
from promptpack.cycle.events import Event
from promptpack.cycle.services import Cancellation
from promptpack.problem import Problem, UsageError
from promptpack.prompt.secrets import Secrets
from promptpack.studio.handlers.prompts import build_typed, make_preview, require_prompt
from promptpack.studio.request import PageRequest
from promptpack.studio.studio import Studio
from promptpack.verdict import Verdict

_DECODER = json.JSONDecoder()


class Mark(NamedTuple):
    """A part of a reply that was repaired, or that violates the contract."""

    start: int
    end: int
    data: dict[str, Any]


def check_reply(studio: Studio, request: PageRequest) -> dict[str, Any]:
    """Check a reply to a pack as it is typed; without a prompt, rules that read inputs are not checked."""
    reply = request.text("reply")
    with studio.project.lock:
        pack = build_typed(studio, request)
    prompt = make_preview(studio, request).prompt
    if pack.contract is None:
        hint = "add 'reply:' with actions to the pack"
        raise UsageError(Problem("PP997", f"{pack.label} has no reply contract", None, hint))
    verdict = pack.check(reply) if prompt is None else prompt.check(reply)
    return write_verdict(verdict, reply)


def try_model(studio: Studio, request: PageRequest, cancellation: Cancellation) -> dict[str, Any]:
    """Send a prompt to the model of the command line; its words and verdicts are sent to the page as they arrive."""
    prompt = require_prompt(studio, request)
    secrets = Secrets(prompt.pack, prompt.context)

    def on_delta(piece: str) -> None:
        request.emit({"event": "words", "text": piece})

    def on_event(event: Event) -> None:
        if isinstance(event, RetryPlanned):
            request.emit({"event": "retry", "seconds": event.seconds, "why": secrets.hide(str(event.error))})
        if isinstance(event, ReplyJudged):
            verdict = write_verdict(event.verdict, event.completion.text)
            request.emit({"event": "judged", "round": event.number, "last": event.last, "verdict": verdict})

    services = Services(on_event=on_event, on_delta=on_delta, cancellation=cancellation)
    transcript = studio.ask(prompt, request.text("test", ""), services)
    usage = transcript.usage
    verdict = transcript.verdict
    return {
        "reply": transcript.text,
        "verdict": None if verdict is None else write_verdict(verdict, transcript.text),
        "rounds": len(transcript.rounds),
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
    }


def write_verdict(verdict: Verdict, reply: str) -> dict[str, Any]:
    """Return a verdict as plain data, and the reply in pieces: each piece has the marks that cover it."""
    marks = [*_repairs(verdict, len(reply)), *_violations(verdict, reply)]
    return {
        "ok": verdict.ok,
        "outcome": verdict.outcome,
        "marks": [mark.data for mark in marks],
        "pieces": list(_cut(reply, marks)),
        "unchecked": list(verdict.unchecked),
        "extras": list(verdict.extras),
        "is_echo": verdict.is_echo,
        "correction": verdict.correction,
        "data": verdict.data if verdict.ok else None,
    }


def _repairs(verdict: Verdict, size: int) -> Iterator[Mark]:
    # A refused reply was repaired too, before it was judged.
    for repair in verdict.repairs or (verdict.attempt.repairs if verdict.attempt else ()):
        start, end = repair.span
        data = {
            "kind": "repair",
            "code": repair.kind,
            "path": repair.path,
            "risk": repair.risk,
            "before": _short(repair.before),
            "after": _short(repair.after),
        }
        yield Mark(min(start, size), min(end, size), data)


def _violations(verdict: Verdict, reply: str) -> Iterator[Mark]:
    for found in verdict.violations:
        start, end = _value_at(reply, found.offset, is_missing=found.rule == "required")
        data = {
            "kind": "violation",
            "code": found.code,
            "path": found.path,
            "message": found.message,
            "rule": found.rule,
        }
        yield Mark(start, end, data)


def _value_at(reply: str, offset: int | None, *, is_missing: bool) -> tuple[int, int]:
    """Return the span of the value at an offset, or of the brace that opens an object in which something is missing."""
    if offset is None or not 0 <= offset < len(reply):
        return 0, 0
    if is_missing:
        return offset, offset + 1
    try:
        _, end = _DECODER.raw_decode(reply, offset)
    except (ValueError, RecursionError):
        line_end = reply.find("\n", offset)
        end = len(reply) if line_end < 0 else line_end
    return offset, max(end, offset + 1)


def _cut(reply: str, marks: list[Mark]) -> Iterator[dict[str, Any]]:
    """Yield the reply in pieces; hidden characters have their code points, and a place without text is empty."""
    edges = sorted({0, len(reply), *(edge for mark in marks if mark.data for edge in (mark.start, mark.end))})
    points = {mark.start for mark in marks if mark.start == mark.end and (mark.start or mark.data["kind"] == "repair")}
    for start, end in zip(edges, [*edges[1:], len(reply)], strict=True):
        if start in points:
            here = [n for n, mark in enumerate(marks) if mark.start == mark.end == start]
            yield {"text": "", "marks": here}
        covering = [
            n for n, mark in enumerate(marks) if mark.start <= start and end <= mark.end and mark.start < mark.end
        ]
        if start < end:
            yield from ({**piece, "marks": covering} for piece in _show(reply[start:end]))


def _show(text: str) -> Iterator[dict[str, str]]:
    end = 0
    for found in UNSEEN.finditer(text):
        if found.start() > end:
            yield {"text": text[end : found.start()]}
        yield from ({"text": character, "hidden": code_point(character)} for character in found[0])
        end = found.end()
    if end < len(text):
        yield {"text": text[end:]}


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 200 else f"{text[:100]} … {text[-100:]}"
