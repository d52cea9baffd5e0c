from tests.unit.adapters.prompts import HISTORY, SIMPLE, TOOL


def test_arguments_are_those_of_openai_but_for_an_open_schema() -> None:
    assert HISTORY.to("litellm") == {"messages": HISTORY.to("openai")["messages"]}
    assert SIMPLE.to("litellm", strict=True, tools=[TOOL]) == SIMPLE.to("openai", strict=True, tools=[TOOL])
