"""Any messages, tools or records are accepted, or refused with a problem."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from hypothesis import given, note, settings
from hypothesis import strategies as st

from promptpack import Problem, PromptComposer, PromptpackError, validate_messages
from promptpack.prompt.budget import Budget, fit
from promptpack.prompt.message import read_message
from promptpack.prompt.message_text import to_text
from promptpack.template import history

SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.binary(max_size=3),
    st.sampled_from(["user", "assistant", "tool", "text", '{"a":1}', "[1", "a\ud800b"]),
)  # fmt: skip
KEYS = st.sampled_from(["role", "content", "type", "text", "image_url", "id", "function", "name", "arguments", "extra"])
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=8,
)
CALLS = st.fixed_dictionaries(
    {"id": ANYTHING, "function": st.fixed_dictionaries({"name": ANYTHING, "arguments": ANYTHING})}
)
MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "role": st.one_of(st.sampled_from(["user", "assistant", "tool", "system"]), ANYTHING),
        "content": st.one_of(ANYTHING, st.lists(st.fixed_dictionaries({"type": st.just("text"), "text": ANYTHING}), max_size=2)),
        "tool_calls": st.one_of(ANYTHING, st.lists(CALLS, max_size=2)),
        "tool_call_id": ANYTHING,
        "extra": ANYTHING,
        "parameters": ANYTHING,
        "schema_text": ANYTHING,
    },
)  # fmt: skip
USES: dict[str, Callable[[Any], Any]] = {
    "validate": validate_messages,
    "text": lambda given: to_text([read_message(one) for one in given]),
    "compose": lambda given: PromptComposer.from_messages(given).build_request("m"),
    "fit": lambda given: fit(given, Budget(20, "characters")),
    "records": lambda given: history.early_summary(
        history.fold_repeated(history.react_window(history.react_records(given)))
    ),
    "inputs": history.first_and_last_input,
    "catalog": history.tool_catalog,
    "flat catalog": lambda given: history.tool_catalog(given, style="flat"),
    "summary": history.early_summary,
    "calls": lambda given: [history.tool_call_text(one) for one in given],
}


@settings(max_examples=200, deadline=None)
@given(messages=st.lists(st.one_of(MESSAGES, ANYTHING), max_size=4))
def test_only_problems_are_raised(messages: list[Any]) -> None:
    # Drawing messages takes longer than all uses together, so each use gets every example.
    for name, use in USES.items():
        note(name)
        problems: tuple[Problem, ...] = ()
        try:
            use(deepcopy(messages))
        except PromptpackError as error:
            problems = error.problems
        assert all(problem.code.startswith("PP4") for problem in problems), problems
