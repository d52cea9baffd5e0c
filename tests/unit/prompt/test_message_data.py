from typing import Any

import pytest

from promptpack.problem import UsageError
from promptpack.prompt.message import Message, Part, ToolCall
from promptpack.prompt.message_data import (
    called_tools,
    parts_of,
    read_audio,
    read_call_input,
    read_data_uri,
    read_file,
    read_image,
)


def test_a_data_uri_and_a_url() -> None:
    embedded = read_data_uri("data:image/png;base64,aGk=")
    assert embedded is not None
    assert (embedded.media_type, embedded.data, embedded.to_bytes()) == ("image/png", "aGk=", b"hi")
    assert read_data_uri("https://example.org/a.png") is None


def test_parts_in_the_forms_that_callers_send() -> None:
    assert read_image(Part("image_url", "https://example.org/a.png")).url == "https://example.org/a.png"
    assert read_image(Part.image("u", "low")) == ("u", "low")
    assert read_audio(Part.audio("aGk=", "mp3")) == ("aGk=", "mp3")
    assert read_file(Part.file("file-1", "a.pdf")) == (None, "file-1", "a.pdf")
    assert read_file(Part.file("data:a/b;base64,aGk=")) == ("data:a/b;base64,aGk=", None, None)


@pytest.mark.parametrize("payload", [None, 7, [], {}, {"url": None}, {"url": 7, "data": 7, "file_id": {}}])
def test_broken_parts_are_refused(payload: Any) -> None:
    hint = "\n  hint: create it with Part.image, Part.audio or Part.file"
    with pytest.raises(UsageError) as caught:
        read_image(Part("image_url", payload))
    assert str(caught.value) == f"PP609 a part of type 'image_url' has no 'url'{hint}"
    with pytest.raises(UsageError) as caught:
        read_audio(Part("input_audio", payload))
    assert str(caught.value) == f"PP609 a part of type 'input_audio' has no 'data'{hint}"
    with pytest.raises(UsageError) as caught:
        read_file(Part("file", payload))
    assert str(caught.value) == f"PP609 a part of type 'file' has no 'file_id'{hint}"


def test_arguments_of_calls() -> None:
    assert read_call_input("") == {}
    assert read_call_input('{"a": 1}') == {"a": 1}
    assert read_call_input("[1]") == {"INVALID_JSON": "[1]"}


def test_names_of_called_tools() -> None:
    calls = (ToolCall("1", "get", "{}"), ToolCall("2", "put", "{}"))
    assert called_tools([Message("assistant", None, tool_calls=calls)]) == {"1": "get", "2": "put"}


def test_empty_texts_are_not_parts() -> None:
    assert parts_of(Message("user", "")) == ()
    assert parts_of(Message("user", None)) == ()
    assert parts_of(Message("user", (Part.text(""), Part.text("a")))) == (Part.text("a"),)
