from tests.unit.adapters.prompts import DATA, HISTORY, RULES, SIMPLE


def test_the_input_has_the_system_messages_too() -> None:
    assert SIMPLE.to("openai-agents") == {
        "input": [
            {"type": "message", "role": "system", "content": RULES},
            {"type": "message", "role": "user", "content": DATA},
        ]
    }
    assert HISTORY.to("openai-agents")["input"][1:] == HISTORY.to("openai-responses")["input"]
