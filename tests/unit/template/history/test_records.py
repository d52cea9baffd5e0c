from typing import Any

import pytest

from promptpack.template.history import fold_repeated, react_records, react_window, tool_call_text

Message = dict[str, Any]


def call(call_id: str, name: str = "move", arguments: str = "{}") -> Message:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def calling(*calls: Message, content: str = "") -> Message:
    return {"role": "assistant", "content": content, "tool_calls": list(calls)}


def says(content: str) -> Message:
    return {"role": "assistant", "content": content}


def result(call_id: str, content: str) -> Message:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def record(tool: str, observation: str = "seen") -> dict[str, str]:
    return {"thought": "", "tool": tool, "arguments": "{}", "observation": observation}


def test_a_record_has_the_thought_the_call_and_the_whole_observation() -> None:
    history = [says(" look \nfurther"), calling(call("1", " move ", ' {"a":1} \n')), result("1", " x\ny ")]
    assert react_records(history) == [
        {"thought": "look", "tool": "move", "arguments": '{"a":1}', "observation": "x\ny"}
    ]


def test_the_thought_is_the_nearest_one_across_users_tools_and_calls() -> None:
    history = [
        says("first"), calling(call("1")), result("1", "x"), {"role": "user", "content": "go on"}, says("  "),
        calling(call("2"), content="never a thought"), says("last"), calling(call("3")),
    ]  # fmt: skip
    assert [record["thought"] for record in react_records(history)] == ["first", "first", "last"]


def test_missing_fields_get_the_default_texts() -> None:
    texts: dict[str, Any] = {
        "no_thought": "(none)",
        "no_observation": "(waiting)",
        "unknown_tool": "?",
        "no_arguments": "()",
    }
    assert react_records([calling(call("1", " ", " "))], **texts) == [
        {"thought": "(none)", "tool": "?", "arguments": "()", "observation": "(waiting)"}
    ]


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        ([result("1", "a"), result("1", "b")], "b"),
        ([result("1", "a"), result("1", " ")], ""),
        ([result(" 1\n", "a")], "a"),
        ([result("2", "a")], ""),
        ([{**result("1", "a"), "role": "Tool"}], ""),
    ],
)
def test_the_last_result_with_the_id_of_the_call_counts(results: list[Message], expected: str) -> None:
    assert react_records([calling(call("1")), *results])[0]["observation"] == expected
    assert react_records([*results, calling(call("1"))])[0]["observation"] == expected


def test_a_call_without_an_id_has_no_observation() -> None:
    assert react_records([calling(call(" ")), result("", "a"), result(" ", "b")])[0]["observation"] == ""


def test_limits_are_parameters() -> None:
    history = [says("a" * 200), calling(call("1", arguments="b" * 200))]
    default = react_records(history)[0]
    assert (len(default["thought"]), len(default["arguments"])) == (140, 160)
    short = react_records(history, thought_limit=5, arguments_limit=6)[0]
    assert (short["thought"], short["arguments"]) == ("aa...", "bbb...")


def test_the_window_has_the_last_records_or_all() -> None:
    records = [record(str(number)) for number in range(12)]
    assert [one["tool"] for one in react_window(records)] == ["4", "5", "6", "7", "8", "9", "10", "11"]
    assert [one["tool"] for one in react_window(records, 2)] == ["10", "11"]
    assert react_window(records, 0) == react_window(records, -1) == react_window(records, 99) == records


def test_only_the_last_observation_of_a_tool_is_kept_ignoring_letter_case() -> None:
    folded = fold_repeated(
        [record("Move"), record("swap"), record(" MOVE "), record(""), record("unknown_tool")], "old"
    )
    assert [one["observation"] for one in folded] == ["old", "seen", "seen", "old", "seen"]


def test_a_newer_call_without_a_result_still_folds_the_older_result() -> None:
    assert [one["observation"] for one in fold_repeated([record("a"), record("a", "")], "old")] == ["old", ""]


def test_records_are_never_changed_in_place() -> None:
    records = [record("a"), record("a")]
    fold_repeated(records, "old")
    react_window(records)[0]["tool"] = "b"
    assert records == [record("a"), record("a")]


def test_a_call_is_written_with_its_arguments() -> None:
    assert tool_call_text({"tool": " move ", "arguments": " {} "}) == "move({})"
    assert tool_call_text({"tool": "", "arguments": ""}) == "unknown_tool({})"
    assert tool_call_text({"tool": "{arguments}", "arguments": "x"}, call="{tool} <- {arguments}") == "{arguments} <- x"
