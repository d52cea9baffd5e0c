import json
from collections.abc import Callable

from promptpack import Pack
from tests.unit.verdict.test_judge import BODY, GOOD


def test_the_verdict_at_the_end_is_that_of_the_whole_reply(make_pack: Callable[[str], Pack]) -> None:
    prompt = make_pack(BODY).render()
    for raw in (json.dumps(GOOD), json.dumps({**GOOD, "confidence": 1}), "```json\n" + json.dumps(GOOD), "none"):
        stream = prompt.stream()
        for character in raw:
            stream.feed(character)
        assert stream.close() == prompt.check(raw)


def test_an_illegal_action_is_told_long_before_the_reply_ends(make_pack: Callable[[str], Pack]) -> None:
    stream = make_pack(BODY).stream()
    assert stream.feed('{"thought": "t", "action": "PL').violations == ()
    assert [found.path for found in stream.feed('N"').violations] == ["/action"]


def test_half_a_number_or_half_a_word_is_never_shown(make_pack: Callable[[str], Pack]) -> None:
    stream = make_pack(BODY).stream()
    assert stream.feed('{"thought": "so f').value == {"thought": "so f"}
    assert stream.feed('ar", "confidence": 8').value == {"thought": "so far"}
    partial = stream.feed('5, "action": "PLA')
    assert partial.value == {"thought": "so far", "confidence": 85}
    assert partial.fresh == ("/confidence",)


def test_a_finish_reason_is_believed(make_pack: Callable[[str], Pack]) -> None:
    stream = make_pack(BODY).stream()
    stream.feed(json.dumps({**GOOD, "userMessage": "done"})[:-1])
    assert stream.close("length").outcome == "truncated"
    assert stream.close("stop").outcome == "recovered"
