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
from typing import Final

from jinja2 import nodes

from promptpack.linter.data_flow import start_of, trace_prompt
from promptpack.linter.rule import LintProblem
from promptpack.linter.subject import ParsedText, Subject
from promptpack.problem import Location, Severity
from promptpack.template.includes import constant_names

CODE: Final = "PL016"
NAME: Final = "volatile-before-stable"
SEVERITY: Final[Severity] = "note"

_MIN_FIXED_TEXT: Final = 2_000
_CHANGING: Final = frozenset(("SYSTEM_STATE", "TASK_CONTEXT", "HISTORY", "INTENT_ANALYSIS", "USER_GOAL", "USER_INPUT"))
_TIME_NAME: Final = re.compile(
    r"(?:^|_)(?:NOW|TODAY|TIME|DATE|TIMESTAMP|REQUEST_ID|SESSION_ID|TRACE_ID)(?:_|$)", re.IGNORECASE
)
_MAX_DEPTH: Final = 16

_Volatile = tuple[str, Callable[[], Location]]
"""An input, and a function that returns the location where it is printed."""


def check(subject: Subject) -> Iterator[LintProblem]:
    """Measure the fixed text after the first volatile value."""
    if subject.sections.abstract or not subject.is_complete:
        return
    volatile = {
        (id(found.text), found.position): found.origin.input
        for _, printed in trace_prompt(subject)
        for found in printed
        if _is_volatile(found.origin.input, subject)
    }
    first: _Volatile | None = None
    after = 0
    for piece in _pieces(subject, volatile):
        if isinstance(piece, int):
            after += piece if first else 0
        elif first is None:
            first = piece
    if first is not None and after >= _MIN_FIXED_TEXT:
        message = f"{first[0]!r} changes with every call, and {after:,} characters of fixed text follow it"
        yield LintProblem(message, first[1](), "move it after the fixed text, so that providers can cache that text")


def _is_volatile(name: str, subject: Subject) -> bool:
    placed = subject.sections.inputs.get(name)
    if placed is None:
        return False
    declared = placed.value.get("x-volatile")
    if isinstance(declared, bool):
        return declared
    return not subject.inputs[name].trusted or name in _CHANGING or bool(_TIME_NAME.search(name))


def _pieces(subject: Subject, volatile: dict[tuple[int, int], str]) -> Iterator[int | _Volatile]:
    """Iterate over the prompt from top to bottom: the lengths of fixed text, and the volatile values."""
    contents = [text for text in subject.texts if text.kind == "content"]
    for index, message in enumerate(subject.sections.messages):
        if "history" in message.value:
            yield message.value["history"], message.locate
        for text in contents:
            if text.message == index:
                yield from _pieces_of_text(text, subject, volatile, 0)
    slots = [text for text in subject.texts if text.kind == "slot"]
    # The slots `system` and `developer` become separate messages at the start.
    for text in sorted(slots, key=lambda slot: ("system", "developer", slot.name).index(slot.name)):
        yield from _pieces_of_text(text, subject, volatile, 0)


def _pieces_of_text(
    text: ParsedText, subject: Subject, volatile: dict[tuple[int, int], str], depth: int
) -> Iterator[int | _Volatile]:
    for node in text.tree.find_all((nodes.Output, nodes.Include)):
        if isinstance(node, nodes.Include):
            for name in constant_names(node.template):
                if name in subject.partials and depth < _MAX_DEPTH:
                    yield from _pieces_of_text(subject.partials[name], subject, volatile, depth + 1)
            continue
        for child in node.nodes:  # type: ignore[attr-defined]  # an output has them
            position = start_of(child)
            if isinstance(child, nodes.TemplateData):
                yield len(child.data)
            elif (id(text), position) in volatile:
                yield volatile[id(text), position], partial(text.locate, position)
