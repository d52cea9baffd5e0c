"""Slots -> one text; the main message of a slot prompt uses the same blocks."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import yaml

from promptpack.pack.output.sanitize import sanitize
from promptpack.prompt.slots.model import ChatMessage, PromptModel, ToolMeta, read_part, write_part
from promptpack.prompt.slots.printed_names import PrintedNames
from promptpack.prompt.slots.schema_text import print_schema

_EMPTY: Final[tuple[Any, ...]] = (None, "", [], {})
_EMPTY_PROMPT: Final = (
    "Prompt requires at least one of 'input', 'info', 'instruct', 'output', 'attachment' "
    "or customize extra prompt keys to be provided."
)


def write_text(slots: PromptModel, names: PrintedNames, skipped: list[str]) -> str:
    """Write the whole prompt; collect a text about each part left out in `skipped`."""
    refuse_empty(slots)
    lines: list[Any] = [f"{names.role('user')}:"]
    if slots.system:
        lines += _write_block(names, names.title("system"), slots.system)
    if slots.developer:
        lines += _write_block(names, names.title("developer"), slots.developer)
    if slots.chat_history:
        lines.append(names.title("chat_history"))
        for message in slots.chat_history:
            lines += _history_lines(message, names, skipped)
        lines.append("")
    lines += write_main_lines(slots, names)
    lines.append(f"{names.role('assistant')}:")
    return "\n".join(lines)


def refuse_empty(slots: PromptModel) -> None:
    """Raise KeyError if the slots contain no request to the model.

    [empty] Only None, "", [] and {} are empty: 0, False and () are not, and print nothing.
    """
    asked = (slots.input, slots.info, slots.instruct, slots.output, slots.attachment)
    if not slots.model_extra and all(value in _EMPTY for value in asked):
        raise KeyError(_EMPTY_PROMPT)


def write_main_lines(slots: PromptModel, names: PrintedNames) -> list[Any]:
    """Return the lines of the blocks from the tools to the output.

    [infoval] An `info` that is neither text nor a collection is not converted, so joining the lines fails.
    """
    lines: list[Any] = []
    if slots.tools:
        lines.append(names.title("tools"))
        for tool in slots.tools:
            lines += map(names.value, _tool_lines(tool))
    if slots.action_results:
        lines += _write_block(names, names.title("action_results"), slots.action_results)
    if slots.info:
        lines += (names.title("info"), *map(names.value, _info_lines(slots.info)), "")
    for name, value in (slots.model_extra or {}).items():
        lines += _write_block(names, f"[{names.name(name)}]:", value)
    for slot, value in (("instruct", slots.instruct), ("examples", slots.examples), ("input", slots.input)):
        if value:
            lines += _write_block(names, names.title(slot), value)
    if slots.output:
        lines += _requirement_lines(slots, names)
    lines.append(names.title("output"))
    return lines


def write_value(value: Any) -> str:
    """Write the value of a slot: a scalar with str(), a structure as YAML with sorted keys."""
    plain = sanitize(value)
    if plain is None or isinstance(plain, str | int | float):
        return str(plain)
    text: str = yaml.safe_dump(plain, allow_unicode=True, sort_keys=True)
    return text


def _write_block(names: PrintedNames, title: str, value: Any) -> tuple[str, str, str]:
    return title, names.value(write_value(value)), ""


def _history_lines(message: ChatMessage, names: PrintedNames, skipped: list[str]) -> Iterator[str]:
    role = names.name(names.history_role(message.role))
    if isinstance(message.content, str):
        yield f"[{role}]:{names.value(message.content)}"
        return
    for item in message.content:
        part = write_part(read_part(item))
        if part["type"] == "text":
            yield f"[{role}]:{names.value(part['text'])}"
        else:
            skipped.append(f"Skipped content: unable to convert type '{part['type']}' to text. Content: {part}")


def _tool_lines(tool: ToolMeta) -> Iterator[str]:
    yield "["
    for key, value in tool.items():
        # [tools] only `kwargs` and `returns` are schemas; Python formats the other values
        text = print_schema(sanitize(value)) if key in ("kwargs", "returns") else value
        yield f"{key}: {text}"
    yield "]"


def _info_lines(info: Any) -> list[Any]:
    if isinstance(info, Mapping):
        return [f"- {key}: {sanitize(value)}" for key, value in info.items()]
    if isinstance(info, Sequence) and not isinstance(info, str):
        return [f"- {sanitize(value)}" for value in info]
    return [sanitize(info)]


def _requirement_lines(slots: PromptModel, names: PrintedNames) -> list[str]:
    if slots.output_format == "json":
        output = slots.output
        # [schematop] a list is an array; the original converts it to a dict, against its own documentation
        schema = print_schema(sanitize(output if isinstance(output, list | tuple) else dict(output)))
        return [names.title("output_requirement"), "Data Format: JSON", "Data Structure:", names.value(schema), ""]
    if slots.output_format == "markdown":
        return [names.title("output_requirement"), "Data Format: markdown text"]
    return []
