from tests.unit.adapters.prompts import HISTORY, IMAGE, SIMPLE, TOOL


def test_messages_are_those_of_openai() -> None:
    for prompt in (SIMPLE, HISTORY, IMAGE):
        assert prompt.to("langchain") == {"input": prompt.to("openai")["messages"]}


def test_tools_and_a_strict_schema_are_those_of_openai() -> None:
    written = SIMPLE.to("langchain", strict=True, tools=[TOOL])
    assert {"messages": written.pop("input"), **written} == SIMPLE.to("openai", strict=True, tools=[TOOL])
