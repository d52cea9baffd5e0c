import sys
from dataclasses import dataclass
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from promptpack.problem import ContextError, MissingExtraError
from promptpack.prompt.budget import (
    Budget,
    BudgetItem,
    MessageChange,
    estimate_tokens,
    exact_counter,
    fit,
    fit_items,
    read_budget,
)

Message = dict[str, Any]
WAYS = ("oldest-history", "longest-observation", "lowest-priority")


def message(role: str, size: int, **fields: Any) -> Message:
    return {"role": role, "content": "x" * size, **fields}


def past(role: str, size: int, **fields: Any) -> Message:
    return message(role, size, history=True, **fields)


def calling(size: int, *ids: str, **fields: Any) -> Message:
    return message("assistant", size, tool_calls=[{"id": one, "name": "", "arguments": ""} for one in ids], **fields)


def characters(limit: int, *order: str, **settings: Any) -> Budget:
    return Budget(limit, "characters", order or ("oldest-history",), **settings)  # type: ignore[arg-type]


def positions(messages: list[Message], budget: Budget) -> list[int]:
    kept = fit(messages, budget).messages
    return [position for position, one in enumerate(messages) if any(one is other for other in kept)]


def test_messages_that_fit_are_left_alone() -> None:
    messages = [message("system", 5), past("user", 5)]
    fitted = fit(messages, characters(10))
    assert fitted.messages == tuple(messages)
    assert fitted.changes == ()
    assert str(fitted) == "10 -> 10 of 10 characters"


def test_the_oldest_history_is_dropped_first() -> None:
    messages = [message("system", 10), *(past("user", 10) for _ in range(5)), message("user", 10)]
    fitted = fit(messages, characters(50, step=1))
    assert fitted.messages == (messages[0], *messages[3:])
    assert fitted.changes == (
        MessageChange(1, "user", "dropped", "oldest-history", 10, 0),
        MessageChange(2, "user", "dropped", "oldest-history", 10, 0),
    )
    assert str(fitted).splitlines() == [
        "70 -> 50 of 50 characters",
        "dropped message 1 (user), oldest-history: 10 -> 0",
        "dropped message 2 (user), oldest-history: 10 -> 0",
    ]


def test_history_is_dropped_in_whole_blocks() -> None:
    messages = [past("user", 10) for _ in range(10)]
    assert positions(messages, characters(99, step=40)) == [4, 5, 6, 7, 8, 9]
    assert positions(messages, characters(55, step=40)) == [8, 9]


def test_the_newest_history_is_never_dropped() -> None:
    messages = [past("user", 10) for _ in range(4)]
    assert positions(messages, characters(15, step=100)) == [3]
    with pytest.raises(ContextError, match="PP435"):
        fit(messages, characters(15, step=100, keep_newest=2))


def cut_points(step: int) -> list[int]:
    """Return the index of the first kept history message for each turn of a growing conversation."""
    points = []
    history: list[Message] = []
    for turn in range(200):
        history += [past("user", 20 + turn % 7), past("assistant", 60 + turn % 11)]
        fitted = fit([message("system", 100), *history], characters(2_000, step=step))
        first = fitted.messages[1]
        points.append(next(position for position, one in enumerate(history) if one is first))
    return points


def moves(points: list[int]) -> int:
    return sum(before != after for before, after in pairwise(points))


def test_a_cached_prefix_stays_stable_from_turn_to_turn() -> None:
    points = cut_points(step=500)
    assert points == sorted(points)
    assert moves(points) < 40
    assert moves(cut_points(step=1)) > 150


def test_between_two_cuts_each_prompt_starts_with_the_previous_one() -> None:
    history: list[Message] = []
    before: tuple[Message, ...] = ()
    kept_prefix = 0
    for _ in range(100):
        history.append(past("user", 50))
        fitted = fit([message("system", 100), *history], characters(1_000, step=300)).messages
        kept_prefix += fitted[: len(before)] == before
        before = fitted
    assert kept_prefix == 86


def test_a_tool_call_and_its_results_are_dropped_together() -> None:
    messages = [calling(10, "a", "b", history=True), *(past("tool", 10, tool_call_id=one) for one in "ab")]
    messages += [past("user", 10), past("user", 10)]
    assert positions(messages, characters(45, step=1)) == [3, 4]


def test_a_result_before_its_call_or_without_an_id_belongs_to_the_call() -> None:
    early = [past("tool", 10, tool_call_id=" a "), past("user", 10), calling(10, "a", history=True), past("user", 10)]
    assert positions(early, characters(35, step=1)) == [3]
    nameless = [calling(10, "a", history=True), past("tool", 10), past("user", 10)]
    assert positions(nameless, characters(25, step=1)) == [2]


def test_reused_ids_do_not_join_the_whole_history_into_one_group() -> None:
    turn = [calling(10, "0", history=True), past("tool", 10, tool_call_id="0")]
    messages = [dict(one) for _ in range(4) for one in turn]
    assert positions(messages, characters(70, step=1)) == [2, 3, 4, 5, 6, 7]


@st.composite
def conversations(draw: st.DrawFn) -> list[Message]:
    messages: list[Message] = []
    for number in range(draw(st.integers(0, 8))):
        ids = [f"{number}{one}" for one in range(draw(st.integers(0, 3)))]
        fields: Message = {"history": draw(st.booleans()), "priority": draw(st.sampled_from([None, 1, 2]))}
        messages.append(calling(draw(st.integers(0, 30)), *ids, **fields))
        messages += [message("tool", draw(st.integers(0, 90)), tool_call_id=one, **fields) for one in ids]
    return draw(st.permutations(messages))


@given(conversations(), st.integers(1, 400), st.permutations(WAYS), st.integers(1, 100))
def test_the_fitted_messages_stay_in_order_with_every_call_answered(
    messages: list[Message], limit: int, order: list[str], step: int
) -> None:
    try:
        fitted = fit(messages, characters(limit, *order, step=step, shortest=20))
    except ContextError:
        reject()
    assert fitted.after <= limit
    dropped = {change.position for change in fitted.changes if change.action == "dropped"}
    kept = [one for position, one in enumerate(messages) if position not in dropped]
    assert [one["role"] for one in kept] == [one["role"] for one in fitted.messages]
    calls = {call["id"] for one in kept for call in one.get("tool_calls", ())}
    assert calls == {one["tool_call_id"] for one in kept if "tool_call_id" in one}


def test_history_answered_by_a_pinned_message_is_kept() -> None:
    messages = [past("user", 10), calling(10, "a", history=True), message("tool", 10, tool_call_id="a")]
    assert positions(messages, characters(25, step=1, keep_newest=0)) == [1, 2]
    with pytest.raises(ContextError, match="PP435"):
        fit(messages, characters(15, step=1, keep_newest=0))


def test_the_longest_observations_are_cut_to_a_common_length() -> None:
    messages = [message("user", 500), message("tool", 1_000), message("tool", 300), message("tool", 90)]
    fitted = fit(messages, characters(1_400, "longest-observation", shortest=100))
    assert [len(one["content"]) for one in fitted.messages] == [500, 400, 300, 90]
    assert fitted.messages[1]["content"] == "x" * 397 + "..."
    assert fitted.changes == (MessageChange(1, "tool", "cut", "longest-observation", 1_000, 400),)
    shorter = fit(messages, characters(900, "longest-observation", shortest=100, ellipsis="[cut]"))
    assert [len(one["content"]) for one in shorter.messages] == [500, 100, 100, 90]
    assert shorter.messages[2]["content"] == "x" * 95 + "[cut]"


def test_the_length_of_cut_observations_changes_in_steps() -> None:
    lengths = set()
    for turn in range(100):
        messages = [message("tool", 4_000), *(message("user", 20) for _ in range(turn))]
        fitted = fit(messages, characters(4_100, "longest-observation", shortest=250))
        lengths.add(len(fitted.messages[0]["content"]))
    assert lengths == {4_000, 2_000}


def test_the_lowest_priority_is_dropped_first_and_messages_without_one_never() -> None:
    messages = [message("system", 10), *(message("user", 10, priority=one) for one in (5, 1, 3, 1))]
    assert positions(messages, characters(45, "lowest-priority")) == [0, 1, 3, 4]
    assert positions(messages, characters(25, "lowest-priority")) == [0, 1]
    with pytest.raises(ContextError):
        fit(messages, characters(5, "lowest-priority"))


def test_a_call_and_its_result_share_the_higher_of_their_priorities() -> None:
    messages = [calling(10, "a", priority=1), message("tool", 10, tool_call_id="a", priority=9)]
    messages += [message("user", 10, priority=5), calling(10, "b", priority=0), message("tool", 10, tool_call_id="b")]
    assert positions(messages, characters(45, "lowest-priority")) == [0, 1, 3, 4]


def test_the_order_says_what_is_dropped_first() -> None:
    messages = [past("user", 100), past("tool", 400), message("user", 100, priority=1), message("system", 10)]
    settings: dict[str, Any] = {"shortest": 200, "step": 1, "keep_newest": 0}
    ways = ("longest-observation", "lowest-priority", "oldest-history")
    assert {change.way for change in fit(messages, characters(500, *ways, **settings)).changes} == {ways[0]}
    assert [change.way for change in fit(messages, characters(350, *ways, **settings)).changes] == list(ways[:2])
    assert [change.way for change in fit(messages, characters(250, *ways, **settings)).changes] == list(ways)
    assert [change.position for change in fit(messages, characters(500, *ways[::-1], **settings)).changes] == [0, 1]


def test_the_problem_of_messages_that_cannot_fit_names_the_largest() -> None:
    with pytest.raises(ContextError) as raised:
        fit([message("system", 3_660), past("user", 366)], Budget(500))
    assert str(raised.value) == (
        "PP435 messages need 1,100 tokens (an estimate), but the budget is 500\n"
        "  hint: raise the budget, or shorten message 0 (system: 1,000)"
    )


def test_an_estimate_counts_bytes_and_is_labelled_as_one() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens("a" * 366) == 100
    assert estimate_tokens("中" * 122) == 100
    assert estimate_tokens("\ud800") == 1
    assert fit([message("user", 10)], Budget(5)).measure == "tokens (an estimate)"


def test_a_callers_counter_counts() -> None:
    fitted = fit([{"role": "user", "content": "a b c"}], Budget(3), counter=lambda text: len(text.split()))
    assert (fitted.after, fitted.measure) == (3, "tokens (the caller's counter)")


def test_tool_calls_and_the_fixed_cost_of_a_message_count() -> None:
    calls = [{"id": "1", "function": {"name": "move", "arguments": "{}"}}]
    messages = [
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "user", "content": [{"text": "ab"}]},
    ]
    assert fit(messages, characters(20, per_message=3)).after == 4 + 2 + 2 + 2 * 3


def test_an_exact_counter_needs_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "splintr", None)
    with pytest.raises(MissingExtraError) as raised:
        exact_counter()
    assert str(raised.value) == (
        "PP437 exact token counts need the extra 'tokens'\n  hint: run: python -m pip install 'promptpack-agents[tokens]'"
    )


def test_an_exact_counter_counts_the_tokens_of_its_encoding() -> None:
    counter = exact_counter()
    assert [counter(text) for text in ("", "hello world", "你好，世界")] == [0, 2, 3]
    assert fit([{"role": "user", "content": "a b"}], Budget(5), counter).measure == "tokens (o200k_base)"
    assert exact_counter("cl100k_base")("你好，世界") == 6


def test_an_exact_counter_counts_special_tokens_as_text() -> None:
    counter = exact_counter()
    assert counter("<|endoftext|>") > 1
    assert counter("\ud800") == counter("?") == 1


def test_an_unknown_encoding_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ContextError) as raised:
        exact_counter("nope")
    expected = "PP438 unknown token encoding 'nope'\n  hint: use one of "
    assert str(raised.value).startswith(expected)
    assert "o200k_base" in str(raised.value)


@dataclass(frozen=True)
class Line:
    role: str
    content: str
    history: bool = False


@dataclass(frozen=True)
class Sent:
    """Has the `to_dict` of a rendered message."""

    role: str
    content: str | None
    calls: tuple[str, ...] = ()
    answers: str | None = None

    def to_dict(self) -> Message:
        calls = [{"id": one, "function": {"name": one, "arguments": "{}"}} for one in self.calls]
        return {"role": self.role, "content": self.content, "tool_calls": calls, "tool_call_id": self.answers}


class Model:
    """Has the copying method of a pydantic model."""

    def __init__(self, role: str, content: str) -> None:
        self.role, self.content = role, content

    def model_copy(self, update: dict[str, str]) -> "Model":
        return Model(self.role, update["content"])


def test_objects_are_messages_too() -> None:
    lines = [Line("user", "x" * 50, history=True), Line("tool", "x" * 50)]
    fitted = fit(lines, characters(20, "oldest-history", "longest-observation", keep_newest=0, shortest=10))
    assert fitted.messages == (Line("tool", "x" * 17 + "..."),)
    models = fit([Model("tool", "x" * 50)], characters(20, "longest-observation", shortest=10))
    assert models.messages[0].content == "x" * 17 + "..."


def test_an_item_adds_history_and_priority_to_its_message() -> None:
    call, result, question = Sent("assistant", None, ("a",)), Sent("tool", "x" * 50, answers="a"), Sent("user", "?")
    extra = BudgetItem(Sent("user", "x" * 50), priority=1)
    history = [BudgetItem(call, history=True), BudgetItem(result, history=True), BudgetItem(question, history=True)]
    budget = characters(60, "oldest-history", "lowest-priority", step=1)
    assert fit_items([*history, extra], budget).messages == (question, extra.message)
    assert fit_items([extra, *history], characters(60, "lowest-priority")).messages == (call, result, question)


def test_an_object_that_cannot_be_copied_is_refused() -> None:
    with pytest.raises(ContextError) as raised:
        fit([SimpleNamespace(role="tool", content="x" * 50)], characters(20, "longest-observation", shortest=10))
    assert str(raised.value) == "PP434 cannot shorten a SimpleNamespace\n  hint: pass a mapping"


def test_the_original_messages_are_not_changed() -> None:
    messages = [past("user", 50), message("tool", 50)]
    fit(messages, characters(20, "oldest-history", "longest-observation", keep_newest=0, shortest=10))
    assert messages == [past("user", 50), message("tool", 50)]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"limit": 0}, "PP436 a budget of 0 is too small\n  hint: set a limit of at least 1"),
        ({"unit": "token"}, "PP436 unknown unit 'token' in a budget\n  hint: did you mean 'tokens'?"),
        (
            {"order": ["oldest"]},
            "PP436 unknown entry 'oldest' in the order of a budget\n  hint: did you mean 'oldest-history'?",
        ),
        (
            {"step": -1},
            "PP436 in a budget, 'step' and 'shortest' must be at least 1, 'keep_newest' and 'per_message' at least 0",
        ),
    ],
)
def test_an_invalid_budget_is_refused(settings: dict[str, Any], expected: str) -> None:
    with pytest.raises(ContextError) as raised:
        Budget(**{"limit": 10, **settings})
    assert str(raised.value) == expected


def test_a_budget_in_characters_refuses_a_counter() -> None:
    with pytest.raises(ContextError, match="PP436 a counter only works with a budget in tokens"):
        fit([], characters(5), counter=len)


def test_the_budget_of_a_pack_is_read() -> None:
    assert read_budget({"tokens": 50}) == Budget(50)
    assert read_budget({"characters": 9, "give_way": ["lowest-priority"]}) == characters(9, "lowest-priority")
    for settings in ({}, {"tokens": 1, "characters": 1}):
        with pytest.raises(ContextError, match="PP436 a budget needs either 'tokens' or 'characters'"):
            read_budget(settings)
