import pytest

from promptpack.problem import UsageError
from promptpack.prompt.message import Message, Part
from tests.unit.adapters.prompts import (
    DATA,
    DEGREES,
    FREE,
    HISTORY,
    NOTE,
    PIXEL,
    RULES,
    SCHEMA,
    SIMPLE,
    TOOL,
    prompt_of,
)


def test_contents_and_config() -> None:
    assert SIMPLE.to("gemini") == {
        "contents": [{"role": "user", "parts": [{"text": DATA}]}],
        "config": {"system_instruction": RULES, "response_mime_type": "application/json"},
    }
    assert FREE.to("gemini")["config"] == {}


def test_tool_calls_and_results() -> None:
    written = HISTORY.to("gemini")
    assert written["config"]["system_instruction"] == f"{RULES}\n\nBe short."
    call = {"id": "c1", "name": "degrees", "args": {"city": "Oslo"}}
    result = {"id": "c1", "name": "degrees", "response": {"result": DEGREES}}
    assert written["contents"] == [
        {"role": "user", "parts": [{"text": "How warm?"}]},
        {"role": "model", "parts": [{"text": "I look."}, {"function_call": call}]},
        {"role": "user", "parts": [{"function_response": result}, {"text": DATA}]},
    ]


def test_parts() -> None:
    parts = (
        Part.image(PIXEL),
        Part.image("https://example.org/a.jpg?size=2"),
        Part.audio("aGk=", "mp3"),
        Part.file(NOTE, "a.pdf"),
        Part.file("files/1"),
    )
    (turn,) = prompt_of(Message("user", parts)).to("gemini")["contents"]
    assert turn["parts"] == [
        {"inline_data": {"mime_type": "image/png", "data": b"hi"}},
        {"file_data": {"file_uri": "https://example.org/a.jpg?size=2", "mime_type": "image/jpeg"}},
        {"inline_data": {"mime_type": "audio/mp3", "data": b"hi"}},
        {"inline_data": {"mime_type": "application/pdf", "data": b"hi"}},
        {"file_data": {"file_uri": "files/1"}},
    ]


def test_tools_without_a_response_type() -> None:
    declared = {"name": "degrees", "description": "Measures.", "parameters_json_schema": TOOL["parameters"]}
    assert SIMPLE.to("gemini", tools=[TOOL])["config"] == {
        "system_instruction": RULES,
        "tools": [{"function_declarations": [declared]}],
    }


def test_a_strict_schema() -> None:
    config = SIMPLE.to("gemini", strict=True)["config"]
    assert (config["response_mime_type"], config["response_json_schema"]) == ("application/json", SCHEMA)


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        (
            Message("user", (Part.image("https://example.org/a"),)),
            "an image whose URL does not say its type\n"
            "  hint: give the URL an extension such as .png, or pass a data: URI",
        ),
        (
            Message("tool", "7", tool_call_id="c9"),
            "a tool result without the call that it answers\n  hint: keep the call in the history",
        ),
    ],
)
def test_what_cannot_be_carried(message: Message, problem: str) -> None:
    with pytest.raises(UsageError) as caught:
        prompt_of(message).to("gemini")
    assert str(caught.value) == f"PP632 target 'gemini' cannot carry {problem}"
