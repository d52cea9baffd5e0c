from typing import Any

import pytest

from promptpack.reply import read, replay

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


def test_an_answer_in_a_wrapper_that_cannot_be_read_is_refused() -> None:
    found = read('{t:,outer:{e:,s:[{answer:i}}outer:{"":x"', SHAPE, check)
    assert (found.outcome, found.value) == ("invalid", None)
    assert [str(one.message) for one in found.violations] == ["the text around the object cannot be read"]
