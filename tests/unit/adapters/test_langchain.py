import pytest

from promptpack.problem import UsageError
from tests.unit.adapters.prompts import HISTORY, IMAGE, SIMPLE, TOOL


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
