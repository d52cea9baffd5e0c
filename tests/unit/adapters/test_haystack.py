import pytest

from promptpack.problem import UsageError
from promptpack.prompt.message import Message, Part
from tests.unit.adapters.prompts import HISTORY, IMAGE, SIMPLE, prompt_of


def test_messages_are_those_of_openai() -> None:
    for prompt in (SIMPLE, HISTORY, IMAGE):
        assert prompt.to("haystack") == {"messages": prompt.to("openai")["messages"]}


def test_a_strict_schema_is_in_the_generation_arguments() -> None:
    written = SIMPLE.to("haystack", strict=True)
    assert written["generation_kwargs"] == {"response_format": SIMPLE.to("openai", strict=True)["response_format"]}


def test_an_image_by_its_url_is_refused() -> None:
    with pytest.raises(UsageError) as caught:
        prompt_of(Message("user", (Part.image("https://example.org/a.png"),))).to("haystack")
    assert str(caught.value) == ("PP632 target 'haystack' cannot carry an image by its URL\n  hint: pass a data: URI")
