"""Lost brackets, braces and colons: restored where exactly one position fits, else refused."""

import pytest

from tests.unit.reply.test_read import (
    PLAN,
    REVIEW,
    ROUTE,
    SEARCH,
    assert_means,
    assert_refused,
    changed,
    swapped,
    text,
)


@pytest.mark.parametrize("around", ["{}", "```json\n{}\n```", "Here it is:\n{}", "{}\n\nHope this helps."])
@pytest.mark.parametrize("indent", [None, 2])
def test_both_outer_braces_are_restored(around: str, indent: int | None) -> None:
    assert_means(around.format(text(ROUTE, indent)[1:-1].strip()), ROUTE)


def test_a_number_at_the_end_of_members_without_braces_may_be_cut() -> None:
    members = swapped(ROUTE, '"confidence": 80, ', "")[1:-1] + ', "confidence": 80'
    assert_refused(members, "router", "/confidence")
    assert_means(members + "\n", ROUTE)


def test_members_without_braces_that_lack_a_field_are_refused_at_that_field() -> None:
    raw = text(ROUTE)[1:-1].replace('"action": "ROUTE_DECISION", ', "")
    assert_refused(raw, "router", "/action")


@pytest.mark.parametrize(("old", "new"), [("120000}]", "120000"), ('"task-2"]}', '"task-2"')])
def test_two_brackets_lost_at_one_position_are_restored(old: str, new: str) -> None:
    assert_means(swapped(PLAN, old, new), PLAN)
    assert_means(swapped(ROUTE, "false}}", "false"), ROUTE)
    assert_means(swapped(REVIEW, 'step"]}', 'step"'), REVIEW)


def test_brackets_that_fit_at_two_positions_are_refused() -> None:
    deep = changed(SEARCH, "/params", {"deep": {"a": 1}})
    assert_means(swapped(deep, '{"a": 1}}', '{"a": 1'), deep)
    assert_refused(swapped(deep, '{"a": 1}}', '{"a": 1, "userMessage": "x"'), "executor", "")


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("key", [*ROUTE, "route", "payload", "requiresConfirmation", "level", "description"])
def test_a_missing_colon_after_a_named_key_is_restored(key: str, indent: int | None) -> None:
    assert_means(swapped(ROUTE, f'"{key}": ', f'"{key}" ', indent), ROUTE)


def test_several_colons_may_be_missing() -> None:
    assert_means(text(PLAN).replace('"id": ', '"id" ').replace('"action": ', '"action" '), PLAN)


def test_a_colon_that_may_be_missing_or_not_is_refused() -> None:
    reply = {"thought": "x", "userMessage": "hi", **{key: ROUTE[key] for key in ROUTE if key != "thought"}}
    assert_refused(swapped(reply, '"userMessage": ', '"userMessage" '), "router", "")


@pytest.mark.parametrize("key", ["query", "top_k"])
def test_no_colon_is_added_in_free_params(key: str) -> None:
    assert_refused(swapped(SEARCH, f'"{key}": ', f'"{key}" '), "executor", f"/params/{key}")


@pytest.mark.parametrize("saying", ['set "level" "low" here', 'a, "level" "low" here', 'a, "action" "low'])
def test_no_colon_is_added_in_a_string(saying: str) -> None:
    meant = changed(ROUTE, "/thought", saying)
    assert_means(text(meant).replace('\\"', '"'), meant)
