"""Messages -> ReAct records: a thought, a tool call and its observation."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

from promptpack.template.history import go_text
from promptpack.template.history.message_fields import (
    MessageMapping,
    RecordedCall,
    read_content_text,
    read_mappings,
    read_messages,
    read_text_field,
    read_tool_calls,
)
from promptpack.template.history.placeholders import fill
from promptpack.template.history.short_text import compact, trim_space

Record: TypeAlias = dict[str, str]

WINDOW: Final = 8
UNKNOWN_TOOL: Final = "unknown_tool"
NO_ARGUMENTS: Final = "{}"


def react_records(
    messages: object,
    *,
    thought_limit: int = 140,
    arguments_limit: int = 160,
    no_thought: str = "",
    no_observation: str = "",
    unknown_tool: str = UNKNOWN_TOOL,
    no_arguments: str = NO_ARGUMENTS,
) -> list[Record]:
    """Return one record per tool call: `thought`, `tool`, `arguments`, `observation`.

    `messages` is the history. Thoughts and arguments are cut to `thought_limit` and `arguments_limit` characters.
    `no_thought`, `no_observation`, `unknown_tool` and `no_arguments` are the texts for what is missing.
    """
    history = read_messages(messages)
    observations = _observations(history)
    records: list[Record] = []
    thought = ""
    for message in history:
        if message.get("role") != "assistant":
            continue
        calls = read_tool_calls(message)
        if not calls:
            thought = compact(read_content_text(message), thought_limit) or thought
        records += [
            {
                "thought": thought or no_thought,
                "tool": trim_space(call.name) or unknown_tool,
                "arguments": compact(call.arguments, arguments_limit) or no_arguments,
                "observation": _observation(call, observations) or no_observation,
            }
            for call in calls
        ]
    return records


def react_window(records: object, size: int = WINDOW) -> list[Record]:
    """Return the last `size` of the `records`, or all of them if `size` is not positive."""
    listed = read_records(records)
    return listed[-size:] if size > 0 else listed


def fold_repeated(records: object, replacement: str = "", *, unknown_tool: str = UNKNOWN_TOOL) -> list[Record]:
    """Replace all but the last observation of each tool with `replacement`; ignore letter case in tool names.

    `records` come from `react_records`, and `unknown_tool` is the name of a tool that has none.
    """
    listed = read_records(records)
    keys = [go_text.lower(read_tool_name(record, unknown_tool)) for record in listed]
    last = {key: position for position, key in enumerate(keys)}
    return [
        record if last[key] == position else {**record, "observation": replacement}
        for position, (key, record) in enumerate(zip(keys, listed, strict=True))
    ]


def tool_call_text(
    record: object,
    *,
    call: str = "{tool}({arguments})",
    unknown_tool: str = UNKNOWN_TOOL,
    no_arguments: str = NO_ARGUMENTS,
) -> str:
    """Write the tool call of a record."""
    read = read_records([record])[0]
    arguments = trim_space(read_text_field(read, "arguments")) or no_arguments
    return fill(call, {"tool": read_tool_name(read, unknown_tool), "arguments": arguments})


def read_tool_name(record: Mapping[str, Any], unknown_tool: str = UNKNOWN_TOOL) -> str:
    """Return the trimmed tool name of a record, or `unknown_tool`."""
    return trim_space(read_text_field(record, "tool")) or unknown_tool


def read_records(records: object) -> list[Record]:
    """Return copies of the records, which the caller may change."""
    return [dict(record) for record in read_mappings(records, "the list of records", "PP430")]


def _observations(history: Iterable[MessageMapping]) -> dict[str, str]:
    results: dict[str, str] = {}
    for message in history:
        if message.get("role") == "tool":
            call_id = trim_space(read_text_field(message, "tool_call_id"))
            if call_id:
                results[call_id] = read_content_text(message)
    return results


def _observation(call: RecordedCall, observations: Mapping[str, str]) -> str:
    # An empty id is never a key, so a call without one has no observation.
    return trim_space(observations.get(trim_space(call.id), ""))
