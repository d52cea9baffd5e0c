import pytest

from promptpack.prompt.slots import SlotPrompt, SlotWarning


def test_blocks_have_a_fixed_order() -> None:
    prompt = SlotPrompt(
        {
            "input": "q",
            "output": {"reply": (str, "final")},
            "note": None,
            "examples": "e",
            "instruct": ["one", "two"],
            "info": {"user": "Ann", "tags": ["a"]},
            "action_results": {"z": 1, "a": [2]},
            "tools": [{"name": "search", "desc": "finds", "kwargs": {"q": (str, "what")}, "returns": [str]}],
            "chat_history": [{"role": "user", "content": "hi"}, {"role": "tool", "content": "done"}],
            "developer": "brief",
            "system": "poet",
        }
    )
    assert prompt.to_text() == (
        "user:\n"
        "[SYSTEM]:\npoet\n\n"
        "[DEVELOPER DIRECTIONS]:\nbrief\n\n"
        "[CHAT HISTORY]:\n[user]:hi\n[assistant]:done\n\n"
        '[TOOLS]:\n[\nname: search\ndesc: finds\nkwargs: {\n  "q": <str> // what\n}\n'
        "returns: [\n  <str>,\n  ...\n]\n]\n"
        "[ACTION RESULTS]:\na:\n- 2\nz: 1\n\n\n"
        "[INFO]:\n- user: Ann\n- tags: ['a']\n\n"
        "[note]:\nNone\n\n"
        "[INSTRUCT]:\n- one\n- two\n\n\n"
        "[EXAMPLES]:\ne\n\n"
        "[INPUT]:\nq\n\n"
        '[OUTPUT REQUIREMENT]:\nData Format: JSON\nData Structure:\n{\n  "reply": <str> // final\n}\n\n'
        "[OUTPUT]:\nassistant:"
    )


def test_a_list_output_is_an_array() -> None:
    text = SlotPrompt({"output": [(str, "line")]}).to_text()
    assert "Data Structure:\n[\n  <str>, // line\n  ...\n]\n" in text


def test_a_text_output_asks_for_markdown_without_an_empty_line() -> None:
    text = SlotPrompt({"output": "a poem"}).to_text()
    assert text == "user:\n[OUTPUT REQUIREMENT]:\nData Format: markdown text\n[OUTPUT]:\nassistant:"


def test_an_unknown_format_asks_for_nothing() -> None:
    assert SlotPrompt({"output": {"a": str}, "output_format": "xml"}).to_text() == "user:\n[OUTPUT]:\nassistant:"


def test_zero_is_not_empty_but_prints_nothing() -> None:
    assert SlotPrompt({"input": 0}).to_text() == "user:\n[OUTPUT]:\nassistant:"


def test_info_that_is_a_number_cannot_be_joined() -> None:
    with pytest.raises(TypeError) as refused:
        SlotPrompt({"system": "s", "info": 5}).to_text()
    assert str(refused.value) == "sequence item 5: expected str instance, int found"


def test_a_part_that_is_not_text_is_skipped_with_a_warning() -> None:
    image = {"type": "image_url", "image_url": "u"}
    prompt = SlotPrompt({"chat_history": [{"content": [image, {"type": "text", "text": "see"}]}], "input": "q"})
    with pytest.warns(SlotWarning, match="unable to convert type 'image_url' to text"):
        assert prompt.to_text().startswith("user:\n[CHAT HISTORY]:\n[user]:see\n\n")
