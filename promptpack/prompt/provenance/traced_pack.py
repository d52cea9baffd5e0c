"""A pack whose templates return `TracedText`, so that the ordinary renderer carries the origins along."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

from promptpack.pack.model import CallTemplate, MessageTemplate, Pack, PartTemplate
from promptpack.problem import Location
from promptpack.prompt.message import Message, Part, ToolCall
from promptpack.prompt.provenance.explanation import SpanKind
from promptpack.prompt.rendering import render_data
from promptpack.template.model import Expression, Scope, Template
from promptpack.template.tracing.engine import PieceOrigin, TracingEngine
from promptpack.template.tracing.reads import NameRead, Reads
from promptpack.template.tracing.traced_text import TracedText
from promptpack.template.values import to_json

# Tracing includes partials that are inlined otherwise, which counts as more steps; the render itself kept its limits.
_MORE_STEPS = 16
Compiled = TypeVar("Compiled", Template, Expression)


class TextOrigin(NamedTuple):
    """The origin of a run of text in a prompt."""

    kind: SpanKind
    reads: Reads = frozenset()
    location: Location | None = None
    partials: tuple[str, ...] = ()
    overlay: str = ""
    entry: int | None = None


LAYOUT = TextOrigin("layout")


@dataclass(frozen=True)
class Tracer:
    """Traces the templates of a pack; they all see the values of `scope`, whatever the renderer passes."""

    engine: TracingEngine
    scope: Scope

    def pack(self, pack: Pack) -> Pack:
        """Return the pack with traced messages and overlay; its slots are not traced."""
        return replace(
            pack,
            messages=tuple(self._message(message) for message in pack.messages),
            overlay=pack.overlay and self._overlay(pack.overlay),
            limits=replace(pack.limits, steps=pack.limits.steps * _MORE_STEPS),
        )

    def template(self, template: Template, overlay: str = "") -> Template:
        """Return a template whose texts have a `TextOrigin` for each run."""
        traced = self.engine.trace(template)

        def run(*_: object) -> TracedText:
            text: Any = traced.render(self.scope)
            return TracedText(text, ((size, to_origin(printed, overlay)) for size, printed in text.runs))

        return replace(template, _run=run)

    def _overlay(self, overlay: Any) -> Any:
        around = {key: getattr(overlay, key) for key in ("prefix", "suffix")}
        return replace(overlay, **{key: one and self.template(one, overlay.glob) for key, one in around.items()})

    def _expression(self, expression: Expression | None) -> Expression | None:
        return expression and replace(expression, _run=lambda *_: expression.evaluate(self.scope))

    def _message(self, message: MessageTemplate) -> MessageTemplate:
        content = message.content
        return message._replace(
            content=tuple(map(self._part, content))
            if isinstance(content, tuple)
            else content and self.template(content),
            when=self._expression(message.when),
            name=message.name and self.template(message.name),
            tool_call_id=message.tool_call_id and self.template(message.tool_call_id),
            tool_calls=tuple(map(self._call, message.tool_calls)),
        )

    def _part(self, part: PartTemplate) -> PartTemplate:
        extra = {name: self.template(template) for name, template in part.extra.items()}
        return replace(part, value=self.template(part.value), extra=extra, when=self._expression(part.when))

    def _call(self, call: CallTemplate) -> CallTemplate:
        arguments = call.arguments
        is_text = isinstance(arguments, Template)
        traced = self.template(arguments) if is_text else self._data(arguments, call.name)  # type: ignore[arg-type]
        return CallTemplate(self.template(call.id), self.template(call.name), traced)

    def _data(self, arguments: Mapping[str, Any], owner: Template) -> Template:
        """Return a template for the JSON of arguments that contain templates: one run, with the reads of all."""
        names = frozenset(name for template in find_templates(arguments) for name in template.names)
        reads = frozenset(NameRead(name, is_exact=False) for name in names)
        origin = TextOrigin("expression" if reads else "template", reads, owner.source.locate(1, 1))
        return replace(owner, _run=lambda *_: TracedText.of(to_json(render_data(arguments, self.scope), None), origin))


def to_origin(printed: PieceOrigin, overlay: str = "") -> TextOrigin:
    """Return the origin of a text that a template has printed."""
    reads = printed.reads
    if reads is None:
        return TextOrigin("template", frozenset(), printed.location, printed.partials, overlay)
    return TextOrigin(_kind(reads), reads, printed.location, printed.partials, overlay)


def _kind(reads: Reads) -> SpanKind:
    if len(reads) != 1 or not all(read.is_exact for read in reads):
        return "expression"
    (read,) = reads
    if read.name == "reply_format":
        return "reply_format"
    return "expression" if read.name == "pack" else "input"


def trace_history(history: Any, name: str) -> Any:
    """Return a chat history whose texts are traced to their entries."""
    if not isinstance(history, list):
        return history
    return [
        _trace_texts(entry, TextOrigin("history", frozenset((NameRead(name),)), entry=index))
        for index, entry in enumerate(history)
    ]


def _trace_texts(value: Any, origin: TextOrigin) -> Any:
    if isinstance(value, str):
        return TracedText.of(value, origin)
    if isinstance(value, dict):
        return {key: _trace_texts(item, origin) for key, item in value.items()}
    return [_trace_texts(item, origin) for item in value] if isinstance(value, list) else value


def combine_origins(value: object) -> TextOrigin | None:
    """Return one origin for data that is made from traced texts, such as the data of an image; None without any."""
    origins = (origin for text in _find_texts(value) for _, origin in text.runs if origin is not None)
    found: dict[TextOrigin, None] = dict.fromkeys(origins)
    first = next(iter(found), None)
    if first is None or len(found) == 1:
        return first
    return first._replace(kind="expression", reads=frozenset[NameRead]().union(*(origin.reads for origin in found)))


def _find_texts(value: object) -> Iterator[TracedText]:
    match value:
        case TracedText():
            yield value
        case Mapping():
            yield from (text for item in value.values() for text in _find_texts(item))
        case tuple() | list():
            yield from (text for item in value for text in _find_texts(item))
        case Part():
            yield from _find_texts(value.payload)
        case ToolCall():
            yield from _find_texts((value.arguments, value.name, value.id))
        case Message():
            yield from _find_texts((value.content, value.role, value.name, value.tool_calls, value.tool_call_id))


def find_templates(value: Any) -> Iterator[Template]:
    """Yield the templates in nested data."""
    if isinstance(value, Template):
        yield value
    elif isinstance(value, Mapping | tuple):
        inner: Iterable[Any] = value.values() if isinstance(value, Mapping) else value
        for item in inner:
            yield from find_templates(item)
