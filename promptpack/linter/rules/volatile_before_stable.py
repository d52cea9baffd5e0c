"""Values that change with every call before text that never changes.

Providers charge less for the start of a prompt that they have seen before, up to the first character that differs. A
user's text, a task or a timestamp near the top makes all text after it cost the full price again. The rule reports the
first such value, if at least 2,000 characters of fixed text follow. Untrusted inputs count as volatile, and so do the
parts of the standard context that change during a task, and inputs named after a time; `x-volatile: true` or `false`
on an input overrides this.

Bad: "Now is {{ TIME }}." at the top of a long system message.
Good: the instructions first, the values in the last message.
"""

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final, NamedTuple

from jinja2 import nodes

from promptpack.linter.data_flow import start_of, trace_prompt
from promptpack.linter.parsed_texts import ParsedText
from promptpack.linter.rule import LintProblem
from promptpack.linter.subject import Subject
from promptpack.problem import Location
from promptpack.template.includes import IncludeWalker

CODE: Final = "PL016"
NAME: Final = "volatile-before-stable"
SEVERITY: Final = "note"

_MIN_FIXED_TEXT: Final = 2_000
_CHANGING: Final = frozenset(("SYSTEM_STATE", "TASK_CONTEXT", "HISTORY", "INTENT_ANALYSIS", "USER_GOAL", "USER_INPUT"))
_TIME_NAME: Final = re.compile(
    r"(?:^|_)(?:NOW|TODAY|TIME|DATE|TIMESTAMP|REQUEST_ID|SESSION_ID|TRACE_ID)(?:_|$)", re.IGNORECASE
)

_Volatile = tuple[str, Callable[[], Location]]
"""An input, and a function that returns the location where it is printed."""


def check(subject: Subject) -> Iterator[LintProblem]:
    """Measure the fixed text after the first volatile value."""
    if subject.sections.abstract or not subject.is_complete:
        return
    volatile = {
        (id(found.text), found.position): found.origin.input
        for found in trace_prompt(subject).all_printed
        if _is_volatile(found.origin.input, subject)
    }
    if not volatile and not any("history" in message.value for message in subject.sections.messages):
        return
    found = _LayoutReader(subject, volatile).read_prompt()
    if found.first is not None and found.after >= _MIN_FIXED_TEXT:
        name, locate = found.first
        message = f"{name!r} changes with every call, and {found.after:,} characters of fixed text follow it"
        yield LintProblem(message, locate(), "move it after the fixed text, so that providers can cache that text")


def _is_volatile(name: str, subject: Subject) -> bool:
    placed = subject.sections.inputs.get(name)
    if placed is None:
        return False
    declared = placed.value.get("x-volatile")
    if isinstance(declared, bool):
        return declared
    return not subject.inputs[name].trusted or name in _CHANGING or bool(_TIME_NAME.search(name))


class _Layout(NamedTuple):
    """The first volatile value of a text, and the characters of fixed text after it and in total."""

    first: _Volatile | None = None
    after: int = 0
    total: int = 0

    def then(self, other: "_Layout") -> "_Layout":
        """Return the layout of this text followed by another."""
        first, after = (other.first, other.after) if self.first is None else (self.first, self.after + other.total)
        return _Layout(first, after, self.total + other.total)


class _LayoutReader:
    """Reads the prompt from top to bottom, and each partial once."""

    def __init__(self, subject: Subject, volatile: dict[tuple[int, int], str]) -> None:
        self._subject = subject
        self._volatile = volatile
        self._includes: IncludeWalker[ParsedText, _Layout] = IncludeWalker(subject.partials.get)

    def read_prompt(self) -> _Layout:
        """Return the layout of all messages, or of all slots."""
        layout = _Layout()
        contents: dict[int | None, list[ParsedText]] = {}
        for text in self._subject.texts:
            if text.kind == "content":
                contents.setdefault(text.message, []).append(text)
        for index, message in enumerate(self._subject.sections.messages):
            if "history" in message.value:
                layout = layout.then(_Layout((message.value["history"], message.locate)))
            for text in contents.get(index, ()):
                layout = layout.then(self._read(text))
        slots = [text for text in self._subject.texts if text.kind == "slot"]
        # The slots `system` and `developer` become separate messages at the start.
        for text in sorted(slots, key=lambda slot: ("system", "developer", slot.name).index(slot.name)):
            layout = layout.then(self._read(text))
        return layout

    def _read(self, text: ParsedText) -> _Layout:
        layout = _Layout()
        for node in text.tree.find_all((nodes.Output, nodes.Include)):
            for piece in self._pieces(node, text):
                layout = layout.then(piece)
        return layout

    def _pieces(self, node: nodes.Node, text: ParsedText) -> Iterator[_Layout]:
        if isinstance(node, nodes.Include):
            found = self._includes.visit(node.template, None, lambda _, partial: self._read(partial))
            yield from (layout for _, layout in found)
            return
        for child in node.nodes:  # type: ignore[attr-defined]  # an output has them
            position = start_of(child)
            if isinstance(child, nodes.TemplateData):
                yield _Layout(total=len(child.data))
            elif (id(text), position) in self._volatile:
                yield _Layout((self._volatile[id(text), position], partial(text.locate, position)))
