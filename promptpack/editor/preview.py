"""The `Preview`: the prompt of a pack as it is typed, as plain data for a page; secrets are hidden."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from promptpack.character_patterns import UNSEEN
from promptpack.characters import code_point
from promptpack.editor.buffer import Buffer
from promptpack.editor.contexts import find_context
from promptpack.problem import Problem, PromptpackError, as_data
from promptpack.prompt.budget.counters import Counter, describe, estimate_tokens, exact_counter
from promptpack.prompt.prompt import Prompt
from promptpack.prompt.provenance.explanation import Explanation, Span

SLOTS_ROLE = "prompt"
"""The role of the only message of a slot prompt: slots become messages when the prompt is sent."""


@dataclass(frozen=True)
class PreviewMessage:
    """A message as cards show it; `characters` and `tokens` count the real text, with secrets."""

    role: str
    name: str
    is_history: bool
    characters: int
    tokens: int
    spans: tuple[Mapping[str, Any], ...] = field(repr=False)


@dataclass(frozen=True)
class Preview:
    """The preview of a buffer: messages, or the problems that prevent them; the page keeps the last messages."""

    pack: str = ""
    context: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """The context that was used: the given one, that of a test, or an example."""
    messages: tuple[PreviewMessage, ...] = ()
    token_unit: str = ""
    warnings: tuple[Problem, ...] = ()
    problems: tuple[Problem, ...] = ()
    prompt: Prompt | None = field(default=None, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the preview as plain data for JSON."""
        return {
            "pack": self.pack,
            "ok": self.prompt is not None,
            "context": dict(self.context),
            "messages": [{**vars(message), "spans": list(message.spans)} for message in self.messages],
            "characters": sum(message.characters for message in self.messages),
            "tokens": sum(message.tokens for message in self.messages),
            "token_unit": self.token_unit,
            "warnings": [as_data(problem) for problem in self.warnings],
            "problems": [as_data(problem) for problem in self.problems],
        }


def preview(
    buffer: Buffer, context: Mapping[str, Any] | None = None, *, test: str = "", model: str = "", tokens: bool = True
) -> Preview:
    """Render a buffer with a context, with that of a `test`, or with an example; problems are part of the result.

    `model` applies an overlay, and `tokens` counts exactly if the extra `tokens` is installed.
    """
    used: Mapping[str, Any] = context or {}
    label = ""
    try:
        pack = buffer.build()
        label = pack.label
        used, tested_model = (context, "") if context is not None else find_context(pack, test)
        prompt = pack.for_model(model or tested_model).render(used)
        counter = find_counter() if tokens else estimate_tokens
        messages = tuple(_write_messages(prompt, counter))
        return Preview(label, used, messages, describe(counter), prompt.warnings, (), prompt)
    except PromptpackError as error:
        return Preview(label, used, problems=error.problems)


def find_counter() -> Counter:
    """Return the exact counter of tokens if it is installed, else the estimate."""
    try:
        return exact_counter()
    except PromptpackError:
        return estimate_tokens


def _write_messages(prompt: Prompt, counter: Counter) -> Iterator[PreviewMessage]:
    spans = _group(prompt.explain())
    if prompt.slots is not None:
        text = prompt.to_text()
        yield PreviewMessage(SLOTS_ROLE, "", False, len(text), counter(text), tuple(_write_spans(spans[None])))
        return
    for number, message in enumerate(prompt.messages):
        is_history = bool(prompt.origins) and prompt.origins[number].history
        written = tuple(_write_spans(_without_role_line(spans[number])))
        size, count = len(message.text), counter(message.text)
        yield PreviewMessage(message.role, message.name or "", is_history, size, count, written)


def _group(explanation: Explanation) -> dict[int | None, list[Span]]:
    grouped: dict[int | None, list[Span]] = {}
    for span in explanation.spans:
        grouped.setdefault(span.message, []).append(span)
    return grouped


def _without_role_line(spans: Iterable[Span]) -> Iterator[tuple[Span, str]]:
    """Yield spans with their texts, without the role line, and without the backslashes of the text form."""
    is_head = True
    for span in spans:
        text = span.text
        if is_head:
            _, line_end, text = text.partition("\n")
            is_head = not line_end
        yield span, text.replace("\\", "") if span.kind == "layout" else text


def _write_spans(spans: Iterable[Span | tuple[Span, str]]) -> Iterator[dict[str, Any]]:
    """Write spans as plain data; each hidden character is a span of its own, with its code point."""
    for one in spans:
        span, text = one if isinstance(one, tuple) else (one, one.text)
        data = _write_origin(span)
        end = 0
        for found in UNSEEN.finditer(text):
            if found.start() > end:
                yield {"text": text[end : found.start()], **data}
            yield from ({"text": character, "hidden": code_point(character), **data} for character in found[0])
            end = found.end()
        if end < len(text):
            yield {"text": text[end:], **data}


def _write_origin(span: Span) -> dict[str, Any]:
    place = span.location
    return {
        "kind": span.kind,
        "trust": span.trust,
        "inputs": list(span.inputs),
        "defaults": list(span.defaults),
        "partials": list(span.partials),
        "overlay": span.overlay,
        "entry": span.entry,
        "path": place.path if place else "",
        "line": place.line if place else 0,
        "column": place.column if place else 0,
        "origin": span.describe(),
    }
