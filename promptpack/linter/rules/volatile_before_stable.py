"""Values that change with every call before text that never does.

Providers charge a fraction for the beginning of a prompt that they have seen before: up to the first byte that
differs. What a user, a task or a clock puts in near the top makes everything after it cost the full price again. Told
is the first such value, when 2,000 characters and more of fixed text follow. Volatile are untrusted inputs, the parts
of the standard context that change as a task goes on, and inputs named after time; `x-volatile: true` or `false` on
an input decides.

Bad: "Now is {{ TIME }}." at the top of a long system message.
Good: the instructions first, the values in the last message.
"""

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from jinja2 import nodes

from promptpack.linter.flow import printed_by, start_of
from promptpack.linter.rule import Advice
from promptpack.linter.subject import Subject, Text
from promptpack.problem import Location, Severity
from promptpack.template.includes import constant_names

CODE: Final = "PL016"
NAME: Final = "volatile-before-stable"
SEVERITY: Final[Severity] = "note"

_WORTH_CACHING: Final = 2_000
_CHANGING: Final = frozenset(("SYSTEM_STATE", "TASK_CONTEXT", "HISTORY", "INTENT_ANALYSIS", "USER_GOAL", "USER_INPUT"))
_TIME: Final = re.compile(
    r"(?:^|_)(?:NOW|TODAY|TIME|DATE|TIMESTAMP|REQUEST_ID|SESSION_ID|TRACE_ID)(?:_|$)", re.IGNORECASE
)
_DEEPEST: Final = 16

_Volatile = tuple[str, Callable[[], Location]]
"""An input, and the way to the place where it is printed."""


def check(subject: Subject) -> Iterator[Advice]:
    """Measure the fixed text after the first volatile value."""
    if subject.parts.abstract or not subject.is_whole:
        return
    volatile = {
        (id(found.text), found.position): found.origin.input
        for _, printed in printed_by(subject)
        for found in printed
        if _is_volatile(found.origin.input, subject)
    }
    first: _Volatile | None = None
    after = 0
    for event in _events(subject, volatile):
        if isinstance(event, int):
            after += event if first else 0
        elif first is None:
            first = event
    if first is not None and after >= _WORTH_CACHING:
        message = f"{first[0]!r} changes with every call, and {after:,} characters of fixed text follow"
        yield Advice(message, first[1](), "put it after the fixed text, so that providers can cache what is before it")


def _is_volatile(name: str, subject: Subject) -> bool:
    placed = subject.parts.inputs.get(name)
    if placed is None:
        return False
    declared = placed.value.get("x-volatile")
    if isinstance(declared, bool):
        return declared
    return not subject.inputs[name].trusted or name in _CHANGING or bool(_TIME.search(name))


def _events(subject: Subject, volatile: dict[tuple[int, int], str]) -> Iterator[int | _Volatile]:
    """Give the prompt from top to bottom: how much fixed text, and which volatile values between."""
    contents = [text for text in subject.texts if text.kind == "content"]
    for index, message in enumerate(subject.parts.messages):
        if "history" in message.value:
            yield message.value["history"], message.locate
        for text in contents:
            if text.message == index:
                yield from _of_text(text, subject, volatile, 0)
    slots = [text for text in subject.texts if text.kind == "slot"]
    # These two are messages of their own, and come first.
    for text in sorted(slots, key=lambda slot: ("system", "developer", slot.name).index(slot.name)):
        yield from _of_text(text, subject, volatile, 0)


def _of_text(
    text: Text, subject: Subject, volatile: dict[tuple[int, int], str], depth: int
) -> Iterator[int | _Volatile]:
    for node in text.tree.find_all((nodes.Output, nodes.Include)):
        if isinstance(node, nodes.Include):
            for name in constant_names(node.template):
                if name in subject.partials and depth < _DEEPEST:
                    yield from _of_text(subject.partials[name], subject, volatile, depth + 1)
            continue
        for child in node.nodes:  # type: ignore[attr-defined]  # an output has them
            position = start_of(child)
            if isinstance(child, nodes.TemplateData):
                yield len(child.data)
            elif (id(text), position) in volatile:
                yield volatile[id(text), position], partial(text.locate, position)
