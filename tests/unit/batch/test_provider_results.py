"""Lines of result files, also those that no provider should deliver."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from promptpack.batch import check_batch
from promptpack.pack.model import Pack
from tests.unit.batch.conftest import anthropic_line, openai_line
from tests.unit.evaluation.conftest import good

CALL = {"id": "t", "type": "function", "function": {"name": "GRADE", "arguments": "{}"}}
LINES = (
    openai_line("a", good()),
    anthropic_line("a", good()),
    {"id": "a", "reply": "{}", "after": "{}", "finish_reason": ""},
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5) | st.just([CALL]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=4,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every value below a value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*path, key)
        yield from places(item, (*path, key))


@st.composite
def changed_lines(draw: st.DrawFn) -> dict[str, Any]:
    """Return a line with another value in one place, or a good line with tool calls."""
    line: dict[str, Any] = deepcopy(draw(st.sampled_from(LINES)))
    *above, last = draw(st.sampled_from(sorted(places(line), key=str)))
    inner: Any = line
    for step in above:
        inner = inner[step]
    inner[draw(st.sampled_from(("tool_calls", last))) if isinstance(inner, dict) else last] = draw(VALUES)
    return line


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(line=changed_lines())
def test_any_line_has_one_record(grader: Pack, line: dict[str, Any]) -> None:
    (found,) = check_batch(grader, [line])
    assert found.get("outcome") or found["problems"]


@pytest.mark.parametrize("usage", [[1], "x", {"prompt_tokens": "5"}, {"prompt_tokens": -1, "completion_tokens": 1.5}])
def test_counts_that_are_none_are_not_counted(grader: Pack, usage: object) -> None:
    line = openai_line("a", good())
    line["response"]["body"]["usage"] = usage
    (found,) = check_batch(grader, [line])
    assert (found["outcome"], found["usage"]) == ("valid", {"input": 0, "output": 0, "cached": 0})


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"id": "a", "reply": "{}", "after": "no JSON"}, "'after' is not the JSON of a verdict"),
        ({"id": "a", "reply": "{}", "after": "[" * 100_000}, "'after' is not the JSON of a verdict"),
        ({"id": "a", "reply": "{}", "finish_reason": 5}, "'finish_reason' is not text"),
        ({"id": "a"}, "the line has no reply"),
        (
            {"custom_id": "a", "result": {"type": "succeeded", "message": {"content": 5, "stop_reason": "x"}}},
            "the response does not have the form of its provider",
        ),
    ],
)
def test_a_line_that_cannot_be_read_has_a_reason(grader: Pack, row: dict[str, Any], message: str) -> None:
    (found,) = check_batch(grader, [row])
    assert found["problems"][0]["message"] == message
