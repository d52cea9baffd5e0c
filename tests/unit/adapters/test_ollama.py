import pytest

from promptpack.problem import UsageError
from promptpack.prompt.message import Message, Part
from tests.unit.adapters.prompts import DATA, DEGREES, HISTORY, IMAGE, RULES, SCHEMA, SIMPLE, TOOL, prompt_of


def test_messages_and_the_schema_of_the_reply() -> None:
    assert SIMPLE.to("ollama") == {
        "messages": [{"role": "system", "content": RULES}, {"role": "user", "content": DATA}],
        "format": SCHEMA,
    }
    assert SIMPLE.to("ollama", strict=True)["format"] == SCHEMA


def test_tools_without_a_format() -> None:
    assert SIMPLE.to("ollama", tools=[TOOL]) == {
        "messages": [{"role": "system", "content": RULES}, {"role": "user", "content": DATA}],
        "tools": [{"type": "function", "function": TOOL}],
    }


def test_tool_calls_results_and_developer_messages() -> None:
    assert HISTORY.to("ollama")["messages"][2:5] == [
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [{"function": {"name": "degrees", "arguments": {"city": "Oslo"}}}],
        },
        {"role": "tool", "content": DEGREES, "tool_name": "degrees"},
        {"role": "system", "content": "Be short."},
    ]


def test_images_are_bytes_because_texts_are_paths() -> None:
    assert IMAGE.to("ollama")["messages"] == [{"role": "user", "content": DATA, "images": [b"hi"]}]


def test_an_image_by_its_url_is_refused() -> None:
    with pytest.raises(UsageError) as caught:
        prompt_of(Message("user", (Part.image("/etc/passwd"),))).to("ollama")
    assert str(caught.value) == ("PP632 target 'ollama' cannot carry an image by its URL\n  hint: pass a data: URI")


@pytest.mark.parametrize("address", ["data:image/png,hi", "data:image/png;base64,%%%"])
def test_an_image_that_is_not_base64_is_refused(address: str) -> None:
    with pytest.raises(UsageError, match="PP609 a data: URI is not base64-encoded"):
        prompt_of(Message("user", (Part.image(address),))).to("ollama")
