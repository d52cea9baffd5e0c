import json
from collections.abc import Callable

import pytest

from promptpack import Library, Pack, UsageError
from promptpack.pack.contract import Contract
from promptpack.reply.stream import MAX_SEARCHED_AGAIN, MAX_SINGLE_CHUNKS, MIN_TOGETHER
from tests.unit.verdict.test_judge import BODY, GOOD


def test_the_final_verdict_is_the_verdict_of_the_whole_reply(make_pack: Callable[[str], Pack]) -> None:
    prompt = make_pack(BODY).render()
    for raw in (json.dumps(GOOD), json.dumps({**GOOD, "confidence": 1}), "```json\n" + json.dumps(GOOD), "none"):
        stream = prompt.stream()
        for character in raw:
            stream.feed(character)
        assert stream.close() == prompt.check(raw)


def test_an_unknown_action_raises_an_alarm_before_the_reply_ends(make_pack: Callable[[str], Pack]) -> None:
    stream = make_pack(BODY).stream()
    assert stream.feed('{"thought": "t", "action": "PL').violations == ()
    assert [found.path for found in stream.feed('N"').violations] == ["/action"]


@pytest.mark.parametrize("last", ["risk", "confidence"])
def test_a_word_that_lost_its_closing_quote_raises_no_alarm(make_pack: Callable[[str], Pack], last: str) -> None:
    reply = {**GOOD, "risk": {"description": "d", "level": "low"}}
    in_order = {key: reply[key] for key in sorted(reply, key=last.__eq__)}
    raw = json.dumps(in_order, indent=1).replace('"low"', '"low')
    stream = make_pack(BODY).stream()
    assert [stream.feed(character).violations for character in raw][-1] == ()
    assert stream.close().outcome == "recovered"


def test_half_a_number_or_half_a_word_is_never_shown(make_pack: Callable[[str], Pack]) -> None:
    stream = make_pack(BODY).stream()
    assert stream.feed('{"thought": "so far", "action": "PLA').value == {}
    known = {"thought": "so far", "action": "PLAN"}
    assert stream.feed('N", "expectedOutcome": "a p').value == {**known, "expectedOutcome": "a p"}
    assert stream.feed('lan", "confidence": 8').value == {**known, "expectedOutcome": "a plan"}
    partial = stream.feed('5, "risk": {"level": "lo')
    assert partial.value == {**known, "expectedOutcome": "a plan", "confidence": 85, "risk": {}}
    assert partial.fresh == ("/confidence",)


def test_nothing_is_shown_before_an_object_is_certain_to_be_the_answer(make_pack: Callable[[str], Pack]) -> None:
    stream = make_pack(BODY).stream()
    assert stream.feed('{"thought": "so far", "action": "PLAN"').value == {}
    assert stream.feed(', "risk": ').value == {"thought": "so far", "action": "PLAN"}


def test_an_unknown_tool_raises_an_alarm() -> None:
    executor = Library.open().get("executor", locale="en")
    tools = [{"name": "web_search", "description": "d", "parameters": {"type": "object"}}]
    context = next(test.context for test in executor.tests if test.context)
    stream = executor.render({**context, "AVAILABLE_TOOLS": tools}).stream()
    assert stream.feed('{"thought": "t", "action": "web_').violations == ()
    assert [found.path for found in stream.feed("x").violations] == ["/action"]


def test_an_example_of_the_prompt_is_never_shown_before_the_answer() -> None:
    router = Library.open().get("router", locale="en")
    assert router.contract is not None
    example = router.contract.examples[0]
    for answer in ({**example, "thought": "mine"}, {**example, "confidence": 3}):
        stream = router.stream()
        shown = [stream.feed(one).value for one in json.dumps(example) + "\n" + json.dumps(answer)]
        assert not any(state.get("thought", answer["thought"]) != answer["thought"] for state in shown)
        assert shown[-1] == answer


def test_a_finish_reason_is_trusted(make_pack: Callable[[str], Pack]) -> None:
    stream = make_pack(BODY).stream()
    stream.feed(json.dumps({**GOOD, "userMessage": "done"})[:-1])
    assert stream.close("length").outcome == "truncated"
    assert stream.close("stop").outcome == "recovered"


def test_a_contract_streams_like_its_pack(make_pack: Callable[[str], Pack]) -> None:
    pack = make_pack(BODY)
    assert pack.contract is not None
    for raw in (json.dumps(GOOD), json.dumps({**GOOD, "confidence": 101}), "none"):
        own, whole = pack.contract.stream(), pack.stream()
        assert own.feed(raw).value == whole.feed(raw).value
        assert own.close() == whole.close() == pack.check(raw)


def test_a_contract_of_another_locale_keeps_its_language(make_pack: Callable[[str], Pack]) -> None:
    chinese = make_pack(BODY.replace("locale: en", "locale: zh-CN"))
    assert chinese.contract is not None
    stream = chinese.contract.stream()
    stream.feed("none")
    assert stream.close().correction == chinese.check("none").correction != make_pack(BODY).check("none").correction


def test_a_contract_without_a_pack_streams_too() -> None:
    stream = Contract("score", {"type": "object", "properties": {"score": {"type": "number", "maximum": 9}}}).stream()
    assert [found.path for found in stream.feed('{"score": 10,').violations] == ["/score"]
    assert [found.code for found in stream.close().violations] == ["PP513"]
    with pytest.raises(UsageError, match="unknown repair or risk 'x'"):
        Contract("score", {}).stream(refuse=["x"])


def test_alarms_and_the_verdict_show_the_same_path(make_pack: Callable[[str], Pack]) -> None:
    pack = make_pack(BODY)
    for thought in (r"look in C:\new\table\dir", r"C:\\new\\dir \d", r"\\server\new \q", r"a \nu \( b", r"B:\n\d \x"):
        raw = json.dumps({**GOOD, "thought": "@"}).replace('"@"', f'"{thought}"')
        stream = pack.stream()
        shown = [stream.feed(character).value.get("thought", "") for character in raw]
        whole = stream.close().output.thought
        assert all(whole.startswith(text) for text in shown)
        assert shown[-1] == whole


def test_a_reply_in_very_many_chunks_is_read_in_larger_ones(make_pack: Callable[[str], Pack]) -> None:
    prompt = make_pack(BODY).render()
    raw = json.dumps({**GOOD, "thought": "t" * (MAX_SINGLE_CHUNKS + 2 * MIN_TOGETHER)})
    stream = prompt.stream()
    parts = [stream.feed(character) for character in raw]
    assert len(set(map(id, parts))) < MAX_SINGLE_CHUNKS + 10
    assert stream.close() == prompt.check(raw)


def test_chunks_that_are_read_together_raise_their_alarm_late_and_keep_it(make_pack: Callable[[str], Pack]) -> None:
    stream = make_pack(BODY).stream()
    for _ in range(MAX_SINGLE_CHUNKS):
        stream.feed(b" ")
    assert stream.feed(b'{"thought": "t", "action": "no", "x": "').violations == ()
    late = stream.feed("é".encode() * MIN_TOGETHER)
    assert [found.path for found in late.violations] == ["/action"]
    assert stream.feed(b" ").violations == late.violations
    assert stream.feed(b" ").fresh == ()


@pytest.mark.parametrize("chunk", [None, 5, bytearray(b"{}")])
def test_a_chunk_that_is_neither_text_nor_bytes_is_refused(make_pack: Callable[[str], Pack], chunk: object) -> None:
    stream = make_pack(BODY).stream()
    with pytest.raises(UsageError, match="is not a chunk of a reply"):
        stream.feed(chunk)  # type: ignore[arg-type]
    stream.feed(json.dumps(GOOD))
    assert stream.close().ok


def test_markers_that_never_end_are_searched_together(make_pack: Callable[[str], Pack]) -> None:
    stream = make_pack(BODY).stream()
    for _ in range(MAX_SEARCHED_AGAIN // 50):
        stream.feed("<|")
    parser = stream._stream._parser
    assert MAX_SEARCHED_AGAIN < parser.searched_again < 1.1 * MAX_SEARCHED_AGAIN
