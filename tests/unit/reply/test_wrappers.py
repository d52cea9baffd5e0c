from typing import Any

import pytest

from promptpack.reply import read, replay
from promptpack.reply.wrappers import is_cut_reason

SHAPE: dict[str, Any] = {"type": "object", "required": ["answer"], "properties": {"answer": {"type": "string"}}}


def check(value: Any) -> list[Any]:
    from promptpack.reply import Fault

    fits = isinstance(value, dict) and isinstance(value.get("answer"), str)
    return [] if fits else [Fault("required", "/answer", "is missing")]


@pytest.mark.parametrize("raw", ['{"output": {"answer": "hi"}}', '[{"answer": "hi",}]', '{"a": {"b": {answer: "hi"}}'])
def test_an_answer_in_a_wrapper_is_extracted_and_its_log_rebuilds_it(raw: str) -> None:
    found = read(raw, SHAPE, check)
    assert found.value == {"answer": "hi"}
    assert replay(raw, found.repairs) == found.value


@pytest.mark.parametrize(
    "raw",
    [
        '{"draft": {"answer": "hi"}}',
        '{"input": {"answer": "hi"}}',
        '{"role": "USER", "content": {"answer": "hi"}}',
        '{"author": {"role": "tool"}, "content": {"answer": "hi"}}',
        '{"channel": "analysis", "content": {"answer": "hi"}}',
        '{"content": "{\\"answer\\": \\"hi\\"}\\n{\\"answer\\": "}',
        '{\n"examples": [\n{\n"answer": "hi"\n}]}',
    ],
)
def test_an_object_of_others_in_a_wrapper_is_not_the_answer(raw: str) -> None:
    assert not read(raw, SHAPE, check).ok


def test_the_input_of_a_tool_call_may_be_the_answer() -> None:
    assert read('{"type": "tool_use", "name": "submit", "input": {"answer": "hi"}}', SHAPE, check).ok


@pytest.mark.parametrize(
    "reason",
    [
        "length",
        "MAX_TOKENS",
        "model_length",
        "SAFETY",
        "max_output_tokens",
        "incomplete",
        "refusal",
        "SPII",
        "insufficient_system_resource",
        "PROHIBITED_CONTENT",
        "guardrail_intervened",
    ],
)
def test_reasons_of_many_providers_mean_a_cut(reason: str) -> None:
    assert is_cut_reason(reason)
    assert not any(
        map(is_cut_reason, ["stop", "end_turn", "tool_calls", "STOP", "COMPLETE", "eos", "stop_sequence", None])
    )


def test_an_answer_in_a_wrapper_that_cannot_be_read_is_refused() -> None:
    found = read('{t:,outer:{e:,s:[{answer:i}}outer:{"":x"', SHAPE, check)
    assert (found.outcome, found.value) == ("invalid", None)
    assert [str(one.message) for one in found.violations] == ["the text around the object cannot be read"]
