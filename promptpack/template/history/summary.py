"""Summarize the records before the window: their number and their tools."""

from collections import Counter
from typing import TypedDict

from promptpack.template.history.placeholders import fill
from promptpack.template.history.records import UNKNOWN_TOOL, WINDOW, read_records, read_tool_name


class ToolCount(TypedDict):
    """The number of calls of a tool."""

    name: str
    count: int


class OlderRecords(TypedDict):
    """The records before the window, counted by tool."""

    count: int
    tools: list[ToolCount]


def outside_window(records: object, size: int = WINDOW, *, unknown_tool: str = UNKNOWN_TOOL) -> OlderRecords:
    """Count the records before the last `size` ones; sort the tools by the code points of their names."""
    listed = read_records(records)
    outside = listed[: max(len(listed) - max(size, 0), 0)]
    counts = Counter(read_tool_name(record, unknown_tool) for record in outside)
    return {"count": len(outside), "tools": [{"name": name, "count": counts[name]} for name in sorted(counts)]}


def early_summary(
    records: object,
    size: int = WINDOW,
    *,
    empty: str = "none",
    covered: str = "none: all records are in the window",
    folded: str = "{count} older records: {tools}",
    tool: str = "{name} x{count}",
    separator: str = ", ",
    unknown_tool: str = UNKNOWN_TOOL,
) -> str:
    """Return one line about the records before the window.

    `records` come from `react_records`, and `size` is the size of the window. The result is `empty` without records,
    `covered` if all are in the window, and else `folded`, with `tool` for each tool, joined by `separator`.
    `unknown_tool` is the name of a tool that has none.
    """
    listed = read_records(records)
    if not listed:
        return empty
    outside = outside_window(listed, size, unknown_tool=unknown_tool)
    if not outside["count"]:
        return covered
    tools = separator.join(fill(tool, {"name": one["name"], "count": str(one["count"])}) for one in outside["tools"])
    return fill(folded, {"count": str(outside["count"]), "tools": tools})
