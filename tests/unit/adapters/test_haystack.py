import pytest

from promptpack.problem import UsageError
from promptpack.prompt.message import Message, Part
from tests.unit.adapters.prompts import DATA, DEGREES, HISTORY, IMAGE, RULES, SIMPLE, prompt_of


def test_messages_have_contents() -> None:
    assert SIMPLE.to("haystack") == {
        "messages": [{"role": "system", "content": [{"text": RULES}]}, {"role": "user", "content": [{"text": DATA}]}]
    }


def test_tool_calls_results_and_developer_messages() -> None:
    call = {"id": "c1", "tool_name": "degrees", "arguments": {"city": "Oslo"}}
    origin = {"id": "c1", "tool_name": "degrees", "arguments": {}}
    assert HISTORY.to("haystack")["messages"][2:5] == [
        {"role": "assistant", "content": [{"text": "I look."}, {"tool_call": call}]},
        {
            "role": "tool",
            "content": [{"tool_call_result": {"result": DEGREES, "origin": origin, "error": False}}],
        },
        {"role": "system", "content": [{"text": "Be short."}]},
    ]


def test_images_names_and_empty_texts() -> None:
    image = {"base64_image": "aGk=", "mime_type": "image/png"}
    assert IMAGE.to("haystack")["messages"][0]["content"] == [{"text": DATA}, {"image": image}]
    empty = prompt_of(Message("user", "", name="ann")).to("haystack")["messages"]
    assert empty == [{"role": "user", "content": [{"text": ""}], "name": "ann"}]


def test_a_strict_schema_is_in_the_generation_arguments() -> None:
    written = SIMPLE.to("haystack", strict=True)
    assert written["generation_kwargs"] == {"response_format": SIMPLE.to("openai", strict=True)["response_format"]}


def test_an_image_by_its_url_is_refused() -> None:
    with pytest.raises(UsageError) as caught:
        prompt_of(Message("user", (Part.image("https://example.org/a.png"),))).to("haystack")
    assert str(caught.value) == ("PP632 target 'haystack' cannot carry an image by its URL\n  hint: pass a data: URI")
