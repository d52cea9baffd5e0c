"""`Prompt` -> `Explanation`: render the prompt again with traced templates, and write its text with their origins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from promptpack.pack.model import Pack
from promptpack.prompt.context import check_context
from promptpack.prompt.message import Message
from promptpack.prompt.message_text import SEPARATOR, body_pieces, find_forged_lines, role_line
from promptpack.prompt.prompt import Prompt
from promptpack.prompt.provenance.explanation import Explanation, Span, Trust
from promptpack.prompt.provenance.masking import hide_secrets
from promptpack.prompt.provenance.traced_pack import LAYOUT, TextOrigin, Tracer, combine_origins, trace_history
from promptpack.prompt.rendering import build_scope, render_messages
from promptpack.prompt.reply_format import find_tool_set
from promptpack.prompt.secrets import Secrets
from promptpack.template.model import Scope
from promptpack.template.tracing.engine import TracingEngine
from promptpack.template.tracing.reads import NameRead
from promptpack.template.tracing.traced_text import TracedText, join

_CUT = TextOrigin("budget")
_ADDED = TextOrigin("added")


def explain(prompt: Prompt) -> Explanation:
    """Return where each span of a prompt's text comes from; secrets are hidden."""
    text = trace_text(prompt)
    judge = _TrustFinder(prompt)
    spans = []
    start = 0
    pieces = [(piece, judge.trust(origin), origin, message) for piece, (origin, message) in text.pieces()]
    secret = [trust == "secret" for _, trust, _, _ in pieces]
    hidden = hide_secrets([piece for piece, *_ in pieces], secret, Secrets(prompt.pack, prompt.context))
    for shown, (_, trust, origin, message) in zip(hidden, pieces, strict=True):
        spans.append(judge.span(start, shown, trust, origin, message))
        start += len(shown)
    return Explanation(prompt.pack.label, "".join(hidden), tuple(spans))


def trace_text(prompt: Prompt) -> TracedText:
    """Return the text of a prompt; the origins are pairs of a `TextOrigin` and the number of a message."""
    pack = prompt.pack
    checked = check_context(pack, prompt.context, {})
    tools = None if pack.contract is None else find_tool_set(pack, pack.contract, checked.snapshot)
    scope = build_scope(pack, checked, tools)
    tracer = Tracer(TracingEngine(pack._compiled.compiler.engine), scope)
    if prompt.slots is not None:
        from promptpack.prompt.provenance.slot_tracing import trace_slots

        return trace_slots(prompt, tracer)
    traced = render_messages(tracer.pack(pack), checked, _trace_histories(pack, scope), tools).messages
    return _write(prompt.messages, _pair(traced, prompt))


def _trace_histories(pack: Pack, scope: Scope) -> Scope:
    traced = Scope(scope, scope.snapshot, scope.fingerprints, scope.cache)
    for message in pack.messages:
        if message.history:
            traced[message.history] = trace_history(scope[message.history], message.history)
    return traced


def _pair(traced: Sequence[Message], prompt: Prompt) -> list[Message | None]:
    """Return the traced message of each message; None for one that was added later."""
    changes = prompt.fit.changes if prompt.fit else ()
    dropped = {change.position for change in changes if change.action == "dropped"}
    kept = [message for position, message in enumerate(traced) if position not in dropped]
    if len(kept) == len(prompt.messages) and all(map(_is_start_of, kept, prompt.messages)):
        return [*kept]
    # Changed several times: old messages are dropped first, so the last ones are paired first.
    left, paired = list(traced), []
    for message in reversed(prompt.messages):
        index = next((index for index in reversed(range(len(left))) if left[index] == message), None)
        paired.append(None if index is None else left[index])
        left = left if index is None else left[:index]
    return paired[::-1]


def _is_start_of(traced: Message, message: Message) -> bool:
    """Return whether a message is a traced one, perhaps cut by a budget."""
    if traced == message:
        return True
    is_text = isinstance(traced.content, str) and isinstance(message.content, str)
    return is_text and traced.role == message.role and len(message.content or "") < len(traced.content or "")


def _write(messages: Sequence[Message], traced: Sequence[Message | None]) -> TracedText:
    """Write messages as `Prompt.to_text` does."""
    written: list[TracedText] = []
    for number, (message, origin) in enumerate(zip(messages, traced, strict=True)):
        written += [TracedText.of(SEPARATOR, (LAYOUT, None))] if number else []
        text = _write_message(message, origin)
        written.append(TracedText(text, ((size, (one or LAYOUT, number)) for size, one in text.runs)))
    return join(written)


def _write_message(message: Message, traced: Message | None) -> TracedText:
    shown = message if traced is None else _cut(traced, message)
    # Text that our own code has written from traced texts has all their origins.
    whole = combine_origins(shown) or _ADDED
    head = TracedText.of(role_line(message), LAYOUT if shown.name is None else combine_origins(shown.name) or whole)
    body = join(
        TracedText.of(text, LAYOUT if owner is None else combine_origins(owner) or whole)
        for text, owner in body_pieces(shown)
    )
    return join((head, "\n", _escape(body)), LAYOUT)


def _cut(traced: Message, message: Message) -> Message:
    """Return a traced message with the text of the one that a budget has cut."""
    before, after = traced.content, message.content
    if not isinstance(before, TracedText) or not isinstance(after, str) or before == after:
        return traced
    pairs = enumerate(zip(before, after, strict=False))
    same = next((index for index, (old, new) in pairs if old != new), min(len(before), len(after)))
    return replace(traced, content=before.cut(same) + TracedText.of(after[same:], _CUT))


def _escape(body: TracedText) -> TracedText:
    """Put the backslashes in front of lines that look like role lines."""
    pieces: list[str] = []
    rest, done = body, 0
    for offset in find_forged_lines(body):
        head = rest.cut(offset - done)
        pieces += (head, TracedText.of("\\", LAYOUT))
        rest, done = _after(rest, offset - done), offset
    return join((*pieces, rest))


def _after(text: TracedText, length: int) -> TracedText:
    runs, skipped = [], length
    for size, origin in text.runs:
        runs.append((max(size - max(skipped, 0), 0), origin))
        skipped -= size
    return TracedText(str(text)[length:], runs)


class _TrustFinder:
    """Decides whether origins are trusted."""

    def __init__(self, prompt: Prompt) -> None:
        pack, context = prompt.pack, prompt.context
        self._inputs = pack.inputs.keys()
        inputs = pack.inputs.values()
        self._tools = pack.contract.tools_input if pack.contract else ""
        self._untrusted = {one.name for one in inputs if not one.trusted}
        self._secret = {one.name for one in inputs if one.secret}
        self._defaults = {one.name for one in inputs if _has_default(one.schema, context, one.name)}

    def trust(self, origin: TextOrigin) -> Trust:
        """Return the trust of a text."""
        reads = list(self._reads(origin))
        if any(read.name in self._secret for read in reads):
            return "secret"
        if origin.kind == "added" or any(read.use == "value" and read.name in self._untrusted for read in reads):
            return "untrusted"
        return "fenced" if any(read.use == "fenced" for read in reads) else "trusted"

    def span(self, start: int, text: str, trust: Trust, origin: TextOrigin, message: int | None) -> Span:
        """Return the span of a text."""
        inputs = dict.fromkeys(f"{read.name}{read.path}" for read in sorted(self._reads(origin)))
        defaults = {f"{read.name}{read.path}" for read in self._reads(origin) if read.name in self._defaults}
        return Span(
            start,
            start + len(text),
            text,
            origin.kind,
            trust,
            origin.location,
            tuple(inputs),
            tuple(name for name in inputs if name in defaults),
            origin.partials,
            origin.overlay,
            origin.entry,
            message,
        )

    def _reads(self, origin: TextOrigin) -> Iterator[NameRead]:
        for read in origin.reads:
            if read.name in self._inputs:
                yield read
            elif read.name == "reply_format" and self._tools:  # the instructions list the tools
                yield NameRead(self._tools, use=read.use)


def _has_default(schema: Mapping[str, Any], context: Mapping[str, Any], name: str) -> bool:
    return "default" in schema and name in context and bool(context[name] == schema["default"])
