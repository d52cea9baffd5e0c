from tests.unit.adapters.prompts import HISTORY, SIMPLE, TOOL


def test_messages_and_tools_are_those_of_openai() -> None:
    assert HISTORY.to("crewai") == {"messages": HISTORY.to("openai")["messages"]}
    assert SIMPLE.to("crewai", tools=[TOOL])["tools"] == SIMPLE.to("openai", tools=[TOOL])["tools"]
