from collections.abc import Callable
from typing import Any

import pytest

from promptpack.cycle.cycle_errors import ToolError
from promptpack.cycle.model_tools import (
    ModelTool,
    ToolFunction,
    read_arguments,
    read_tools,
    write_result,
)
from promptpack.problem import ContextError, UsageError
from promptpack.prompt.message import ToolCall


def search(words: str, limit: int = 3) -> list[str]:
    """Search the notes."""
    return [words] * limit


def test_a_function_describes_itself() -> None:
    tool = ModelTool.of(search)
    assert (tool.name, tool.description) == ("search", "Search the notes.")
    assert tool.parameters is not None
    assert tool.parameters["required"] == ["words"]
    assert tool.parameters["properties"]["limit"]["type"] == "integer"


def test_a_mapping_names_its_tools() -> None:
    source: dict[str, ToolFunction | ModelTool] = {
        "find": search,
        "look": ModelTool("other", "Looks.", {"type": "object"}, search),
    }
    tools = read_tools(source)
    assert [(tool.name, tool.description) for tool in tools] == [("find", "Search the notes."), ("look", "Looks.")]


def test_a_list_may_contain_functions_tools_and_definitions() -> None:
    definition = {"type": "function", "function": {"name": "get", "parameters": {"type": "object"}}}
    tools = read_tools([search, ModelTool("plain"), definition, {"name": "mcp", "inputSchema": {"type": "object"}}])
    assert [tool.name for tool in tools] == ["search", "plain", "get", "mcp"]
    assert tools[2].to_dict() == definition
    assert tools[3].parameters == {"type": "object"}


def test_an_empty_description_is_kept() -> None:
    assert read_tools([{"name": "get", "description": ""}])[0].to_dict()["function"] == {
        "name": "get",
        "description": "",
    }


def test_a_definition_without_a_name_is_rejected() -> None:
    with pytest.raises(ContextError, match="PP417"):
        read_tools([{"description": "d"}])


def test_two_tools_cannot_share_a_name() -> None:
    with pytest.raises(UsageError) as raised:
        read_tools([search, ModelTool("search")])
    assert str(raised.value) == "PP614 there are two tools named 'search'\n  hint: rename one of them"


def by_position(words: str, /) -> str:
    return words


def takes_a_function(value: Callable[[], Any]) -> None:
    value()


def takes_the_unknown(value: "Unheard") -> None:  # type: ignore[name-defined]  # noqa: F821
    value()


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (by_position, "PP613 tool 'by_position' accepts arguments by position, but models pass them by name"),
        (takes_a_function, "PP613 tool 'takes_a_function' cannot be described: "),
        (takes_the_unknown, "PP613 tool 'takes_the_unknown' cannot be described: name 'Unheard' is not defined"),
    ],
)
def test_a_function_that_a_model_cannot_call_is_rejected(function: Callable[..., Any], message: str) -> None:
    with pytest.raises(UsageError) as raised:
        ModelTool.of(function)
    assert str(raised.value).startswith(message)
    assert raised.value.problems[0].hint.startswith("annotate the parameters with JSON types")


def test_arguments_are_parsed_as_an_object() -> None:
    assert read_arguments(ToolCall("1", "search", '{"words": "x"}'), ModelTool.of(search)) == {"words": "x"}
    assert read_arguments(ToolCall("1", "now", ""), ModelTool("now")) == {}


@pytest.mark.parametrize("arguments", ["nope", "[" * 100_000, "1" * 5_000, '{"words": 1}', '{"word": "x"}', "[]"])
def test_arguments_that_were_not_declared_never_reach_the_tool(arguments: str) -> None:
    with pytest.raises(ToolError):
        read_arguments(ToolCall("1", "search", arguments), ModelTool.of(search))


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ('{"words": "a", "words": "b"}', "are not valid JSON: key 'words' appears twice"),
        ('{"words": "a", "depth": NaN}', "are not valid JSON: NaN is not a number"),
        (r'{"words": "\ud800"}', "contain half of a surrogate pair"),
        (r'{"\ud800": 1}', "contain half of a surrogate pair"),
    ],
)
def test_ambiguous_arguments_are_reported_to_the_model(arguments: str, reason: str) -> None:
    tool = ModelTool("search", function=lambda **given: given)
    with pytest.raises(ToolError) as raised:
        read_arguments(ToolCall("1", "search", arguments), tool)
    assert str(raised.value) == f"the arguments of 'search' {reason}"


def test_half_of_a_surrogate_pair_in_a_result_is_escaped() -> None:
    assert write_result("list", "a\udcff.txt") == "a\\udcff.txt"


def test_arguments_that_the_function_does_not_accept_are_rejected() -> None:
    loose = ModelTool("search", parameters={"type": "object"}, function=search)
    with pytest.raises(ToolError) as raised:
        read_arguments(ToolCall("1", "search", '{"depth": 1}'), loose)
    reason = "missing a required argument: 'words'"
    assert str(raised.value) == f"the arguments of 'search' do not match its signature: {reason}"


@pytest.mark.parametrize(
    ("result", "text"),
    [("text", "text"), (None, "null"), ({"a": ["ü", 1]}, '{"a": ["ü", 1]}'), ((1, True), "[1, true]")],
)
def test_a_result_is_text_or_json(result: Any, text: str) -> None:
    assert write_result("t", result) == text


@pytest.mark.parametrize("result", [object(), {"x": {1, 2}}, float("nan")])
def test_a_result_that_is_not_plain_data_is_an_error_of_the_tool(result: Any) -> None:
    with pytest.raises(UsageError) as raised:
        write_result("t", result)
    assert str(raised.value) == (
        "PP615 tool 't' returned a value that is neither text nor plain data\n"
        "  hint: return text, numbers, True, False, None, lists or mappings"
    )


def test_tools_that_are_not_a_collection_are_refused() -> None:
    with pytest.raises(UsageError) as caught:
        read_tools(5)  # type: ignore[arg-type]
    assert str(caught.value) == (
        "PP614 tools are a value of type 'int'\n  hint: pass a list of functions or definitions"
    )
