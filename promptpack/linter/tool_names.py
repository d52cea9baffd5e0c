"""Find the tools of a pack: the pool of existing tools, and each mention of a tool in its data and text."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from promptpack.flow import read_flow
from promptpack.linter.prompt_words import IDENTIFIER, Passage, find_passages, input_words, reply_words
from promptpack.linter.subject import LintLibrary, Subject
from promptpack.pack.contract import ERROR_ACTIONS
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
# A name in backquotes or with an underscore next to the word "tool", or a name in backquotes after "call".
_SPAN = rf"`({_NAME})(?:\([^\n`]*\))?`"
_MARKED = rf"(?:{_SPAN}|(?<![\w-])([A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+)(?![\w-]))"
_PROSE: Final = re.compile(
    rf"(?:\b[Tt]ools?[ \t]+(?:named[ \t]+|called[ \t]+)?|工具[ \t]*[:：]?[ \t]*){_MARKED}"
    rf"|{_MARKED}[ \t]*(?:\b[Tt]ools?\b|工具)"
    rf"|(?:\b[Cc]all(?:ing|s)?[ \t]+(?:the[ \t]+)?|调用[ \t]*){_SPAN}",
    re.ASCII,
)
_LIST_KEYS: Final = ("tools", "available_tools", "availableTools")
_NAME_KEYS: Final = ("tool", "tool_name", "toolName")
_CALL_KEYS: Final = ("tool_call", "toolCall", "function")
# Words that stand for a tool name in a text that explains the format of a call.
_PLACEHOLDERS: Final = frozenset(
    ("tool", "tools", "name", "tool_name", "toolName", "function", "function_name", "string", "tool_calls", "tool_call")
)


@dataclass(frozen=True, slots=True)
class ToolPool:
    """The tools that exist; only with a complete pool is any other name unknown."""

    names: frozenset[str]
    where: str
    is_complete: bool


@dataclass(frozen=True, slots=True)
class ToolMention:
    """The name of a tool, with its location."""

    name: str
    locate: Callable[[], Location]
    is_certain: bool = True
    """Whether it clearly refers to a tool; else it is only a word that may be similar to the name of one."""


def find_pool(subject: Subject) -> ToolPool | None:
    """Return the tools from the flow of the pack, else from its slot `tools`, else from its examples and tests."""
    pool = find_flow_pool(subject.identity[0], subject.library)
    if pool is not None:
        return pool
    slot = subject.sections.slots.get("tools")
    if slot is not None and isinstance(slot.value, list):
        return ToolPool(frozenset(tool.name for tool in _from_list(slot)), "the slot 'tools'", is_complete=True)
    names = frozenset(tool.name for tool in find_offered_tools(subject))
    return ToolPool(names, "the examples and tests", is_complete=False) if names else None


def find_flow_pool(name: str, library: LintLibrary) -> ToolPool | None:
    """Return the tools of the flow that contains a pack as a step."""
    return library.cached("pools", lambda: _flow_pools(library)).get(name)


def _flow_pools(library: LintLibrary) -> dict[str, ToolPool]:
    found: dict[str, ToolPool] = {}
    for folder in library.folders:
        try:
            read = read_flow.find(folder)
        except PackError:
            continue  # reported when the flow is linted
        if read is not None and read.tools:
            pool = ToolPool(frozenset(read.tools), f"'tools' of {read.document.path}", is_complete=True)
            found.update({step.pack.partition("@")[0]: pool for step in read.steps.values()})
    return found


def find_offered_tools(subject: Subject) -> Iterator[ToolMention]:
    """Iterate over the tools that the pack's own examples, defaults and tests offer to the model."""
    inputs = _tool_inputs(subject)
    for name, placed in subject.sections.inputs.items():
        if subject.owns(placed):
            values = [placed.child("default")] if "default" in placed.value else []
            values += (placed.child("examples", index) for index in range(len(placed.value.get("examples", ()))))
            for value in values:
                yield from _from_list(value) if name in inputs else _from_nested_lists(value)
    for test in subject.sections.tests:
        for name in test.value.get("context", {}):
            value = test.child("context", name)
            yield from _from_list(value) if name in inputs else _from_nested_lists(value)


def find_mentioned_tools(subject: Subject) -> Iterator[ToolMention]:
    """Iterate over the tools that the prompt mentions: in tool calls, in examples of replies, and in its text."""
    for message in subject.sections.messages:
        if subject.owns(message):
            for index in range(len(message.value.get("tool_calls", ()))):
                yield from _from_literal(message.child("tool_calls", index, "name"))
    examples = [placed.child("example") for placed in subject.sections.actions.values() if "example" in placed.value]
    examples += [subject.sections.reply["example"]] if "example" in subject.sections.reply else []
    for example in examples:
        if subject.owns(example):
            yield from _from_nested_lists(example)
            yield from _from_calls(example)
            yield from _from_action(example, subject)
    for passage in find_passages(subject):
        yield from _from_text(passage, subject)


def _tool_inputs(subject: Subject) -> frozenset[str]:
    slot = subject.compiled.slots.get("tools")
    found = {slot.name} if isinstance(slot, InputValue) else set()
    if subject.contract is not None and subject.contract.tools_input:
        found.add(subject.contract.tools_input)
    return frozenset((*found, "AVAILABLE_TOOLS"))


def _from_list(placed: Placed) -> Iterator[ToolMention]:
    """Iterate over the names in a list of tools, given as names or as the tool objects of any SDK."""
    if not isinstance(placed.value, list):
        return
    for index, tool in enumerate(placed.value):
        item = placed.child(index)
        if isinstance(tool, Mapping) and isinstance(tool.get("function"), Mapping):
            item = item.child("function")
        if isinstance(item.value, Mapping):
            item = item.child("name") if "name" in item.value else placed
        yield from _from_literal(item)


def _from_nested_lists(placed: Placed) -> Iterator[ToolMention]:
    for key, value in _entries(placed):
        if key in _LIST_KEYS:
            yield from _from_list(value)


def _from_calls(placed: Placed) -> Iterator[ToolMention]:
    for key, value in _entries(placed):
        if key in _NAME_KEYS:
            yield from _from_literal(value)
        elif key in _CALL_KEYS and isinstance(value.value, Mapping) and "name" in value.value:
            yield from _from_literal(value.child("name"))
        elif key == "tool_calls":
            yield from _from_list(value)


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


def _from_action(example: Placed, subject: Subject) -> Iterator[ToolMention]:
    """Return the action of an example as a mention, if the actions of the pack are tools."""
    if subject.contract is None or not subject.contract.tools_input or not isinstance(example.value, Mapping):
        return
    if example.value.get("action") not in (None, *subject.contract.actions, *ERROR_ACTIONS):
        yield from _from_literal(example.child("action"))


def _from_literal(placed: Placed) -> Iterator[ToolMention]:
    if isinstance(placed.value, str) and placed.value and "{" not in placed.value:
        yield ToolMention(placed.value, placed.locate)


def _from_text(passage: Passage, subject: Subject) -> Iterator[ToolMention]:
    excluded = subject.cached("words_of_no_tool", lambda: _words_of_no_tool(subject))
    patterns = [_FIELD, _PROSE]
    if subject.contract is not None and subject.contract.tools_input:
        patterns.append(_ACTION_FIELD)
    for pattern in patterns:
        for found in pattern.finditer(passage.text):
            group = next(number for number, word in enumerate(found.groups(), 1) if word)
            if found[group] not in excluded:
                yield ToolMention(found[group], partial(passage.locate, found.start(group)))
    for found in IDENTIFIER.finditer(passage.text):
        if found[0] not in excluded:
            yield ToolMention(found[0], partial(passage.locate, found.start()), is_certain=False)


def _words_of_no_tool(subject: Subject) -> frozenset[str]:
    schemas = reply_words(subject).all | input_words(subject).all
    names = (*subject.inputs, *subject.partials, *subject.sections.actions, *ERROR_ACTIONS, "reply_format")
    return schemas | _PLACEHOLDERS | frozenset(names)
