"""Trace the text of a slot prompt: a mark after each value travels with it through the layout.

The marked text without its marks must be the text of the prompt; else the origins are those of the whole text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from promptpack.pack.model import InputValue, Pack
from promptpack.pack.output.type_entry import TypeEntry
from promptpack.problem import PromptpackError
from promptpack.prompt.prompt import Prompt
from promptpack.prompt.provenance.marks import MARKS, Marks
from promptpack.prompt.provenance.traced_pack import LAYOUT, TextOrigin, Tracer, trace_history
from promptpack.prompt.slot_rendering import render_slots, write_text
from promptpack.template.meter import metered
from promptpack.template.model import Scope, Template
from promptpack.template.tracing.reads import NameRead, Reads
from promptpack.template.tracing.traced_text import TracedText

# Slots that are data for our own code; their values are not texts of the prompt.
_UNMARKED: Final = ("attachment", "output", "output_format", "options", "tools")
_KEYS: Final = ("role", "type")
_PREFIX: Final = "\0"


def trace_slots(prompt: Prompt, tracer: Tracer) -> TracedText:
    """Return the text of a slot prompt; the origins are pairs of a `TextOrigin` and no message."""
    text = prompt.to_text()
    traced = None if MARKS.search(text) else _trace(prompt, tracer)
    if traced is None or traced != text:
        traced = TracedText.of(text, LAYOUT._replace(reads=_find_reads(prompt.pack, prompt.pack.slots)))
    return TracedText(text, ((size, (origin, None)) for size, origin in traced.runs))


def _trace(prompt: Prompt, tracer: Tracer) -> TracedText | None:
    marker = _Marker(prompt.pack, tracer)
    history = {} if prompt.fit is None else {"chat_history": (prompt.slots or {}).get("chat_history", [])}
    try:
        marked = write_text({**marker.render(without=history), **history})
    except PromptpackError:
        return None  # a value must have another form than text
    return marker.marks.read(marked, LAYOUT._replace(reads=marker.loose))


def _find_reads(pack: Pack, slots: Mapping[str, Any]) -> Reads:
    """Return the reads of slots, with those of the overlay and of the tools of the contract."""
    around = (pack.overlay.prefix, pack.overlay.suffix) if pack.overlay else ()
    tools = (pack.contract.tools_input,) if pack.contract else ()
    names = [*_find_names((tuple(slots.values()), around)), *tools]
    return frozenset(NameRead(name, is_exact=False) for name in names if name in pack.inputs)


def _find_names(value: Any) -> Iterator[str]:
    if isinstance(value, InputValue):
        yield value.name
    elif isinstance(value, Template):
        yield from value.names
    elif isinstance(value, Mapping | tuple | list):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _find_names(item)


class _Marker:
    """Renders the slots of a pack with marks."""

    def __init__(self, pack: Pack, tracer: Tracer) -> None:
        self._pack = pack
        self._tracer = tracer
        self.marks = Marks()
        self.loose: Reads = frozenset()
        """The reads of texts without marks."""
        plain = tracer.scope
        self._scope = Scope(plain, plain.snapshot, plain.fingerprints, plain.cache)

    def render(self, without: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the rendered slots; some have no marks, because only our own code reads them, or a budget cut them."""
        pack, unmarked = self._tracer.pack(self._pack), (*_UNMARKED, *without)
        own = {name: value for name, value in self._pack.slots.items() if name in unmarked}
        tools = pack.contract.tools_input if pack.contract and "output" not in own else ""
        self._add_loose(*_find_names(own), tools)
        marked = {name: value if name in own else self._slot(value) for name, value in self._pack.slots.items()}
        overlay: Any = pack.overlay and replace(
            pack.overlay,
            prefix=pack.overlay.prefix and self._mark_template(pack.overlay.prefix),
            suffix=pack.overlay.suffix and self._mark_template(pack.overlay.suffix),
        )
        with metered(pack.limits, (), pack.json_indent):
            return render_slots(replace(pack, slots=marked, overlay=overlay), self._scope)

    def _add_loose(self, *names: str) -> None:
        self.loose |= {NameRead(name, is_exact=False) for name in names if name in self._pack.inputs}

    def _slot(self, value: Any, key: str = "") -> Any:
        if isinstance(value, Template):
            return value if key in _KEYS else self._mark_template(self._tracer.template(value))
        if isinstance(value, InputValue):
            return self._input(value.name)
        if isinstance(value, Mapping):
            return {name: self._slot(item, name) for name, item in value.items()}
        if isinstance(value, TypeEntry):
            self._add_loose(*_find_names(tuple(value)))
            return value
        return tuple(map(self._slot, value)) if isinstance(value, tuple) else value

    def _mark_template(self, traced: Template) -> Template:
        return replace(traced, _run=lambda *_: self.marks.mark(traced.render(self._scope)))

    def _input(self, name: str) -> InputValue:
        value = self._tracer.scope[name]
        is_history = isinstance(value, list) and all(isinstance(item, dict) and "role" in item for item in value)
        if not isinstance(value, str) and not is_history:
            self._add_loose(name)  # keys and numbers have no marks
        origin = TextOrigin("input", frozenset((NameRead(name),)))
        self._scope[_PREFIX + name] = self._mark_texts(trace_history(value, name) if is_history else value, origin)
        return InputValue(_PREFIX + name)

    def _mark_texts(self, value: Any, origin: TextOrigin, key: str = "") -> Any:
        if isinstance(value, str):
            return str(value) if key in _KEYS else self.marks.mark(TracedText.of(value, origin))
        if isinstance(value, dict):
            return {name: self._mark_texts(item, origin, name) for name, item in value.items()}
        return [self._mark_texts(item, origin) for item in value] if isinstance(value, list) else value
