import pytest

from promptpack.adapters import Target
from promptpack.problem import UsageError
from promptpack.prompt.message import Message, ToolCall
from tests.unit.adapters.prompts import HISTORY, IMAGE, SIMPLE, TOOL, prompt_of


def test_messages_are_those_of_openai() -> None:
    for prompt in (SIMPLE, HISTORY, IMAGE):
        assert prompt.to("langchain") == {"input": prompt.to("openai")["messages"]}


def test_tools_or_a_strict_schema_are_those_of_openai() -> None:
    openai = SIMPLE.to("openai", strict=True, tools=[TOOL])
    assert SIMPLE.to("langchain", strict=True) == {
        "input": openai["messages"],
        "response_format": openai["response_format"],
    }
    assert SIMPLE.to("langchain", tools=[TOOL]) == {"input": openai["messages"], "tools": openai["tools"]}


def test_tools_with_a_strict_schema_are_refused() -> None:
    with pytest.raises(UsageError) as caught:
        SIMPLE.to("langchain", strict=True, tools=[TOOL])
    assert str(caught.value) == (
        "PP635 target 'langchain' takes tools or a strict schema, not both\n"
        "  hint: pass the tools to model.bind_tools, or the schema to model.with_structured_output"
    )


@pytest.mark.parametrize(
    ("arguments", "written"),
    [
        ('{"city": "Oslo"}', '{"city": "Oslo"}'),
        ("", "{}"),
        ("{bad", '{"INVALID_JSON": "{bad"}'),
        ("[1]", '{"INVALID_JSON": "[1]"}'),
    ],
)
@pytest.mark.parametrize("target", ["langchain", "crewai"])
def test_arguments_that_frameworks_could_not_parse_are_wrapped(target: Target, arguments: str, written: str) -> None:
    prompt = prompt_of(Message("assistant", None, tool_calls=(ToolCall("c1", "degrees", arguments),)))
    (message,) = next(iter(prompt.to(target).values()))
    assert message["tool_calls"][0]["function"]["arguments"] == written
