import pytest

from promptpack.reply.candidates import NOT_STRICT, SearchLimits, depth_of, find, strict_whole

LIMITS = SearchLimits(100, 20_000, 50_000, 5)


def values(text: str) -> list[object]:
    return [candidate.value for candidate in find(text, LIMITS).candidates]


def test_objects_in_prose_and_fences_are_found_with_their_positions() -> None:
    text = 'See {this}.\n```json\n{"a": 1}\n```\nor {b: 2}'
    found = find(text, LIMITS).candidates
    assert [text[one.start : one.end] for one in found] == ['{"a": 1}', "{b: 2}"]


def test_an_object_inside_thinking_is_not_a_candidate() -> None:
    assert values('<think>{"a": 1}</think>{"a": 2}') == [{"a": 2}]
    assert values('{"a": 1}</think>{"a": 2}') == [{"a": 2}]
    assert values('<think>{"a": 1}') == []


@pytest.mark.parametrize(
    "label",
    ["Observation: ", "**User:**\n", "### Input\n\n", "Previous stage:\n```json\n", "First draft:\n", "示例：\n"],
)
def test_a_label_of_others_hides_the_object_after_it(label: str) -> None:
    assert values(f'{label}{{"a": 1}}\n{{"a": 2}}') == [{"a": 2}]
    assert values(f'Final {label}{{"a": 1}}') == [{"a": 1}]


@pytest.mark.parametrize("name", ["HumanMessage", "SystemMessage", "ToolMessage", "ThinkingBlock", "UserPromptPart"])
def test_a_message_object_of_others_is_hidden(name: str) -> None:
    assert values(f"[{name}(content='x'), AIMessage(content='y')]") == [{"content": "y"}]


def test_a_label_does_not_hide_that_an_object_is_cut() -> None:
    assert values('{"a": 1}\nFirst draft:\n{"a": 2') == [{"a": 1}, {"a": 2}]


def test_a_channel_without_its_tokens_is_thinking() -> None:
    assert values('analysisMaybe {"a": 1}assistantfinal{"a": 2}') == [{"a": 2}]
    assert values('analysisMaybe {"a": 1}') == []


def test_too_many_candidates_exceed_the_limit() -> None:
    assert find('{"a": 1} ' * 7, LIMITS).limit == "candidates"


def test_brackets_without_keys_are_not_candidates() -> None:
    assert values("[{" * 1_000 + "]") == []


def test_a_brace_at_the_end_is_a_cut_object() -> None:
    for cut in ("{", '{"', '{"a', '{"a"', '{"a\\', "{ \n "):
        assert values(f"Sure: {cut}") == [{}], cut
        assert find(f"Sure: {cut}", LIMITS).candidates[0].scan.tail == "cut"  # type: ignore[union-attr]


def test_strict_json_has_no_repeated_key_and_no_infinite_number() -> None:
    assert strict_whole('{"a": 1}') == {"a": 1}
    assert strict_whole('{"a": 1, "a": 1}') is strict_whole('{"a": 1e999}') is strict_whole("NaN") is NOT_STRICT


def test_depth_is_counted_without_recursion() -> None:
    assert [depth_of(1), depth_of({"a": 1}), depth_of([[{"a": []}]])] == [1, 1, 4]
