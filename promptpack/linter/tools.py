"""The tools that a pack speaks of: the pool, and every name of a tool in its data and in the text of its prompt."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from promptpack import flow
from promptpack.linter.subject import Neighbours, Subject
from promptpack.linter.vocabulary import IDENTIFIER, Passage, input_terms, passages, reply_terms
from promptpack.pack import ERROR_ACTIONS
from promptpack.pack.model import InputValue
from promptpack.pack.placed import Placed
from promptpack.problem import Location, PackError

_NAME = r"[A-Za-z][\w.-]*\w"
_QUOTED = rf"[\"'`“「]({_NAME})(?:\([^\n`\"]*\))?[\"'`”」]"
# A field of a call, as in `"tool": "search"` or `"function": {"name": "search"`.
_FIELD: Final = re.compile(
    rf"""\b(?:tool|tool_?name)["'`”]?\s*[:=：]\s*{_QUOTED}"""
    rf"""|\b(?:tool_?calls?|function)["'`”]?\s*[:=：]\s*\[?\s*\{{[^{{}}]{{0,80}}?\bname["']?\s*[:=：]\s*{_QUOTED}""",
    re.ASCII | re.IGNORECASE,
)
_ACTION_FIELD: Final = re.compile(rf"""\baction["'`”]?\s*[:=：]\s*{_QUOTED}""", re.ASCII)
# A name in backquotes, or one with an underscore, beside the word "tool"; or one in backquotes after "call".
_SPAN = rf"`({_NAME})(?:\([^\n`]*\))?`"
_MARKED = rf"(?:{_SPAN}|(?<![\w-])([A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+)(?![\w-]))"
_SPOKEN: Final = re.compile(
    rf"(?:\b[Tt]ools?[ \t]+(?:named[ \t]+|called[ \t]+)?|工具[ \t]*[:：]?[ \t]*){_MARKED}"
    rf"|{_MARKED}[ \t]*(?:\b[Tt]ools?\b|工具)"
    rf"|(?:\b[Cc]all(?:ing|s)?[ \t]+(?:the[ \t]+)?|调用[ \t]*){_SPAN}",
    re.ASCII,
)
_LISTS: Final = ("tools", "available_tools", "availableTools")
_FIELDS: Final = ("tool", "tool_name", "toolName")
_CALLS: Final = ("tool_call", "toolCall", "function")
# What stands for a name in a text that shows the form of a call.
_PLACEHOLDERS: Final = frozenset(
    ("tool", "tools", "name", "tool_name", "toolName", "function", "function_name", "string", "tool_calls", "tool_call")
)


@dataclass(frozen=True, slots=True)
class Pool:
    """The tools that there are; only a complete pool can say of any name that it is not among them."""

    names: frozenset[str]
    where: str
    complete: bool


@dataclass(frozen=True, slots=True)
class Named:
    """A tool's name where it stands."""

    name: str
    locate: Callable[[], Location]
    certain: bool = True
    """Whether it is certain to be meant as a tool, and not only near to the name of one."""


def pool_of(subject: Subject) -> Pool | None:
    """Find the pool of a pack: of the flow it is a step of, else its own slot, else the tools that its data show."""
    planned = pool_of_flow(subject.identity[0], subject.neighbours)
    if planned is not None:
        return planned
    slot = subject.parts.slots.get("tools")
    if slot is not None and isinstance(slot.value, list):
        return Pool(frozenset(named.name for named in _listed(slot)), "the slot 'tools'", complete=True)
    shown = frozenset(named.name for named in offered(subject))
    return Pool(shown, "the examples and tests", complete=False) if shown else None


def pool_of_flow(name: str, neighbours: Neighbours) -> Pool | None:
    """Find the pool of the flow that a pack is a step of."""
    return neighbours.once("pools", lambda: _flow_pools(neighbours)).get(name)


def _flow_pools(neighbours: Neighbours) -> dict[str, Pool]:
    found: dict[str, Pool] = {}
    for folder in neighbours.folders:
        try:
            read = flow.find(folder)
        except PackError:
            continue  # told where the flow is linted
        if read is not None and read.tools:
            pool = Pool(frozenset(read.tools), f"'tools' of {read.document.path}", complete=True)
            found.update({step.pack.partition("@")[0]: pool for step in read.steps.values()})
    return found


def offered(subject: Subject) -> Iterator[Named]:
    """Give the tools that the pack's own examples, defaults and tests offer to the model."""
    inputs = _tool_inputs(subject)
    for name, placed in subject.parts.inputs.items():
        if subject.owns(placed):
            values = [placed.child("default")] if "default" in placed.value else []
            values += (placed.child("examples", index) for index in range(len(placed.value.get("examples", ()))))
            for value in values:
                yield from _listed(value) if name in inputs else _in_lists(value)
    for test in subject.parts.tests:
        for name in test.value.get("context", {}):
            value = test.child("context", name)
            yield from _listed(value) if name in inputs else _in_lists(value)


def named(subject: Subject) -> Iterator[Named]:
    """Give the tools that the prompt itself names: in calls, in the examples of replies, and in its text."""
    for message in subject.parts.messages:
        if subject.owns(message):
            for index in range(len(message.value.get("tool_calls", ()))):
                yield from _constant(message.child("tool_calls", index, "name"))
    examples = [placed.child("example") for placed in subject.parts.actions.values() if "example" in placed.value]
    examples += [subject.parts.reply["example"]] if "example" in subject.parts.reply else []
    for example in examples:
        if subject.owns(example):
            yield from _in_lists(example)
            yield from _in_calls(example)
            yield from _action(example, subject)
    for passage in passages(subject):
        yield from _in_text(passage, subject)


def _tool_inputs(subject: Subject) -> frozenset[str]:
    slot = subject.sketch.slots.get("tools")
    found = {slot.name} if isinstance(slot, InputValue) else set()
    if subject.contract is not None and subject.contract.tools_input:
        found.add(subject.contract.tools_input)
    return frozenset((*found, "AVAILABLE_TOOLS"))


def _listed(placed: Placed) -> Iterator[Named]:
    """Give the names in a list of tools, which may be names, or any SDK's objects."""
    if not isinstance(placed.value, list):
        return
    for index, tool in enumerate(placed.value):
        item = placed.child(index)
        if isinstance(tool, Mapping) and isinstance(tool.get("function"), Mapping):
            item = item.child("function")
        if isinstance(item.value, Mapping):
            item = item.child("name") if "name" in item.value else placed
        yield from _constant(item)


def _in_lists(placed: Placed) -> Iterator[Named]:
    for key, value in _entries(placed):
        if key in _LISTS:
            yield from _listed(value)


def _in_calls(placed: Placed) -> Iterator[Named]:
    for key, value in _entries(placed):
        if key in _FIELDS:
            yield from _constant(value)
        elif key in _CALLS and isinstance(value.value, Mapping) and "name" in value.value:
            yield from _constant(value.child("name"))
        elif key == "tool_calls":
            yield from _listed(value)


def _entries(placed: Placed) -> Iterator[tuple[str, Placed]]:
    waiting = [placed]
    while waiting:
        current = waiting.pop()
        if isinstance(current.value, Mapping):
            children = [(str(key), current.child(key)) for key in current.value]
            yield from children
            waiting += (child for _, child in children)
        elif isinstance(current.value, list):
            waiting += (current.child(index) for index in range(len(current.value)))


def _action(example: Placed, subject: Subject) -> Iterator[Named]:
    """Give the action of an example where actions are tools."""
    if subject.contract is None or not subject.contract.tools_input or not isinstance(example.value, Mapping):
        return
    if example.value.get("action") not in (None, *subject.contract.actions, *ERROR_ACTIONS):
        yield from _constant(example.child("action"))


def _constant(placed: Placed) -> Iterator[Named]:
    if isinstance(placed.value, str) and placed.value and "{" not in placed.value:
        yield Named(placed.value, placed.locate)


def _in_text(passage: Passage, subject: Subject) -> Iterator[Named]:
    other = {
        *reply_terms(subject).words,
        *input_terms(subject).words,
        *subject.inputs,
        *subject.partials,
        "reply_format",
    }
    other |= {*subject.parts.actions, *ERROR_ACTIONS, *_PLACEHOLDERS}
    patterns = [_FIELD, _SPOKEN]
    if subject.contract is not None and subject.contract.tools_input:
        patterns.append(_ACTION_FIELD)
    for pattern in patterns:
        for found in pattern.finditer(passage.text):
            group = next(number for number, word in enumerate(found.groups(), 1) if word)
            if found[group] not in other:
                yield Named(found[group], partial(passage.locate, found.start(group)))
    for found in IDENTIFIER.finditer(passage.text):
        if found[0] not in other:
            yield Named(found[0], partial(passage.locate, found.start()), certain=False)
