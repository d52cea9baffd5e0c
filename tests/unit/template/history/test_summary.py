from typing import Any

from promptpack.template.history import early_summary, outside_window


def records(*tools: str) -> list[dict[str, str]]:
    return [{"tool": tool, "observation": ""} for tool in tools]


def test_the_records_before_the_window_are_counted_by_tool() -> None:
    assert outside_window(records("b", "a", " a ", "", "B", "b"), size=1) == {
        "count": 5,
        "tools": [
            {"name": "B", "count": 1},
            {"name": "a", "count": 2},
            {"name": "b", "count": 1},
            {"name": "unknown_tool", "count": 1},
        ],
    }


def test_a_large_window_leaves_no_record_outside() -> None:
    assert outside_window(records("a", "b"), size=2) == outside_window([]) == {"count": 0, "tools": []}


def test_a_window_without_size_leaves_all_records_outside() -> None:
    assert outside_window(records("a"), size=0)["count"] == outside_window(records("a"), size=-3)["count"] == 1


def test_the_summary_has_three_cases() -> None:
    assert early_summary([]) == "none"
    assert early_summary(records("a")) == "none: all records are in the window"
    assert early_summary(records("b", "a", "a", "c"), size=1) == "3 older records: a x2, b x1"


def test_every_text_of_the_summary_is_a_parameter() -> None:
    texts: dict[str, Any] = {
        "empty": "-",
        "covered": "+",
        "folded": "<{tools}|{count}>",
        "tool": "{count}*{name}",
        "separator": "/",
    }
    assert early_summary([], **texts) == "-"
    assert early_summary(records("a"), **texts) == "+"
    assert early_summary(records("{count}", "b"), 0, **texts) == "<1*b/1*{count}|2>"
