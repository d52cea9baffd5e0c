from collections.abc import Iterator

import pytest

from promptpack.reply.candidates import MAX_PASSED
from promptpack.reply.partial_object import PartialObject
from promptpack.reply.read import read
from promptpack.reply.reading import PromptEcho, Reading
from promptpack.reply.schema_check import SchemaCheck
from promptpack.reply.shape import Shape
from promptpack.reply.stream_parser import StreamParser
from promptpack.schema.validation import Schema
from tests.properties.hostile_texts import KINDS, hostile

SCHEMA = {
    "type": "object",
    "properties": {
        "a": {"type": "string"},
        "n": {"type": "integer", "maximum": 9},
        "level": {"type": "string", "enum": ["low", "high"]},
    },
}


def make_parser(text: str = "") -> StreamParser:
    def read_span(start: int, end: int) -> Reading:
        return read(text[start:end], SCHEMA, SchemaCheck(Schema(SCHEMA)))

    return StreamParser(PartialObject(Shape.of(SCHEMA), PromptEcho()), read_span)


def fed(text: str) -> StreamParser:
    parser = make_parser(text)
    parser.feed(text)
    return parser


@pytest.mark.parametrize("kind", KINDS)
def test_the_waiting_text_stays_short_for_replies_of_any_length(kind: str) -> None:
    parser = make_parser()
    for character in hostile(kind, 3_000):
        parser.feed(character)
        assert len(parser._buffer) <= 401


def work(text: str, size: int) -> Iterator[int]:
    """Yield the number of characters that a stream has read, with those that waited, after each chunk."""
    parser, count = make_parser(), 0
    for start in range(0, len(text), size):
        count += len(parser._buffer) + size
        parser.feed(text[start : start + size])
        yield count


@pytest.mark.parametrize("size", [1, 64])
@pytest.mark.parametrize("kind", KINDS)
def test_the_work_of_a_stream_grows_no_faster_than_the_reply(kind: str, size: int) -> None:
    counts = list(work(hostile(kind, 6_400), size))
    assert counts[-1] <= 4.5 * counts[len(counts) // 4 - 1] + 800


def test_a_closed_string_is_shown_before_it_is_certain_to_be_complete() -> None:
    assert fed('{"a": "so').growing_text() == ("/a", "so")
    assert fed('{"a": "so"').growing_text() == ("/a", "so")
    assert fed('{"a": "so"}').growing_text() is None


def test_an_incomplete_escape_waits() -> None:
    parser = fed('{"a": "x\\ud83d')
    assert parser.growing_text() == ("/a", "x")
    parser.feed("\\ude00")
    assert parser.growing_text() == ("/a", "x😀")


def test_a_draft_inside_thinking_markers_is_not_shown() -> None:
    for start, end in (("<think>", "</think>"), ("<thoughts>", "</thoughts>"), ("◁think▷", "◁/think▷")):
        assert fed(f'{start}{{"a": "no"}}{end}{{"a": "yes"}}').partial.root == {"a": "yes"}


def test_an_alarm_does_not_wait_for_the_end() -> None:
    assert [(one.rule, one.path) for one in fed('{"n": 10,').partial.alarms] == [("maximum", "/n")]


def test_depth_and_values_have_a_limit() -> None:
    assert fed('{"b":' * 101).state == "lost"
    assert fed('{"b": [' + "1," * 20_002).state == "lost"
    assert fed('{"b": 1}' * 202).state == "lost"


@pytest.mark.parametrize(
    ("text", "rule", "path"),
    [
        ('{"a": (1, 2), "n": 10}', "maximum", "/n"),
        ('{"a": «x», "level": "lo{w}"}', "enum", "/level"),
        ('{"n": 3, ...}', "elided", ""),
        ('{"n": 3}\n{"n": 4}', "ambiguous", ""),
    ],
)
def test_an_object_that_the_stream_cannot_follow_is_read_at_its_end(text: str, rule: str, path: str) -> None:
    assert fed(text[:-1]).partial.alarms == []
    assert (rule, path) in [(one.rule, one.path) for one in fed(text).partial.alarms]


def test_a_text_that_the_stream_cannot_follow_keeps_its_shown_part() -> None:
    for text in ('{"n": 1, "a": "she said "no" twice', '{"n": 1, "a": "she said "no" twice", "n": 2}'):
        assert fed(text).partial.root == {"n": 1, "a": "she said "}


def test_the_whole_text_is_read_for_a_limited_number_of_objects() -> None:
    ends: list[int] = []

    def read_span(_: int, end: int) -> Reading:
        ends.append(end)
        return Reading("no_answer")

    StreamParser(PartialObject(Shape.of(SCHEMA), PromptEcho()), read_span).feed('{"b": 1}' + " " * 30_000 + "}}" * 999)
    assert len(ends) == 1
    parser = StreamParser(PartialObject(Shape.of(SCHEMA), PromptEcho()), read_span)
    parser.feed('{"a": (' + "x" * 30_000 + "}}}" * 999)
    assert len(ends) == 3


def test_an_invalid_word_raises_an_alarm_before_it_ends() -> None:
    parser = fed('{"level": "lo')
    assert parser.partial.alarms == []
    parser.feed("f")
    assert [(one.rule, one.path, one.offset) for one in parser.partial.alarms] == [("enum", "/level", 13)]


def test_an_empty_value_of_an_optional_field_raises_no_alarm() -> None:
    for empty in ('""', "[]", "{}", '"""low"""'):
        assert fed(f'{{"level": {empty}, ').partial.alarms == []


def test_equal_objects_under_one_key_raise_no_alarm() -> None:
    assert fed('{"o": {"a": 1}, "o": {"a": 1}}').partial.alarms == []
    assert [one.rule for one in fed('{"o": {"a": 1}, "o": {"a": 2}}').partial.alarms] == ["duplicate"]


@pytest.mark.parametrize("text", ['{"a" → "b", "n": 3, "c": "x } y", "d": 1}', '{"c": "\\u00 } {", "d" → "}", "n": 3}'])
@pytest.mark.parametrize("size", [1, 5, 100])
def test_a_brace_in_a_string_ends_no_object_that_the_parser_cannot_follow(text: str, size: int) -> None:
    ends = set()

    def read_span(start: int, end: int) -> Reading:
        ends.add(end)
        return read(text[start:end], SCHEMA, SchemaCheck(Schema(SCHEMA)))

    parser = StreamParser(PartialObject(Shape.of(SCHEMA), PromptEcho()), read_span)
    for start in range(0, len(text), size):
        parser.feed(text[start : start + size])
    assert (ends, parser.state) == ({len(text)}, "outside")


def test_a_quote_inside_text_opens_no_string_that_hides_the_end_of_the_object() -> None:
    assert fed('{"a" → "b", n": 3, "c: "she said "stop" today", d": 5" wide}').state == "outside"


@pytest.mark.parametrize("value", ["「a}b」", "『a「}」}b』", '"a}b"'])
def test_a_brace_in_a_quoted_text_does_not_end_an_object(value: str) -> None:
    text = f"{{「a」: {value}, 「n」: [1], 「b」: 2"
    parser = fed(text)
    assert (parser.state, list(parser.partial.alarms)) == ("lost", [])
    assert fed(text + "}").state == "outside"


def test_a_text_of_markers_is_refused_in_chunks_too() -> None:
    text = "<a> " * (MAX_PASSED + 1)
    parser = fed(text + "text")
    parser.feed('{"a": "x"}')
    assert (parser.state, parser.partial.root) == ("hidden", {})
    assert read(text + 'text{"a": "x"}', SCHEMA, SchemaCheck(Schema(SCHEMA))).violations[0].rule == "candidates"


def test_markers_before_an_object_are_passed() -> None:
    assert fed("<a> " * 1_000 + '{"a": "x", "n": 1}').partial.root == {"a": "x", "n": 1}
