"""`promptpack.batch`: functions over lists of rows."""

import json
import pickle
from functools import partial
from typing import Any

import pytest

from promptpack import Library, Verdict
from promptpack.batch import check_batch, render_batch
from promptpack.pack.model import Pack
from promptpack.problem import UsageError
from tests.unit.batch.conftest import anthropic_line, openai_line
from tests.unit.evaluation.conftest import BAD, good


def test_rows_become_messages_in_their_order(grader: Pack) -> None:
    rows: list[dict[str, Any]] = [{"id": "a", "context": {"TEXT": "x"}}, {"id": 7, "TEXT": "y"}]
    first, second = render_batch(grader, rows)
    assert first == {"id": "a", "messages": grader.render(TEXT="x").to_dicts()}
    assert second == {"id": "7", "messages": grader.render(TEXT="y").to_dicts()}


def test_an_id_is_computed_from_the_context(grader: Pack) -> None:
    rows: list[dict[str, Any]] = [{"context": {"TEXT": "x", "LIMIT": 3}}, {"LIMIT": 3, "TEXT": "x"}, {"TEXT": "y"}]
    first, second, third = (row["id"] for row in render_batch(grader, rows))
    assert first == second != third
    assert len(first) == 24


def test_a_row_that_cannot_be_rendered_has_its_problems_without_secrets(grader: Pack) -> None:
    (row,) = render_batch(grader, [{"id": "a", "TEXT": "x", "TOKEN": ["hunter2"]}])
    assert row["id"] == "a"
    assert [problem["code"] for problem in row["problems"]] == ["PP416"]
    assert "hunter2" not in json.dumps(row)


def test_requests_have_the_shape_of_the_provider(grader: Pack) -> None:
    prompt = grader.render(TEXT="x")
    rows = [{"id": "a", "TEXT": "x"}]
    openai = {"custom_id": "a", "method": "POST", "url": "/v1/chat/completions"}
    body = {"model": "m", **prompt.to("openai"), "temperature": 0}
    assert render_batch(grader, rows, shape="openai", model="m", params={"temperature": 0}) == [openai | {"body": body}]
    assert render_batch(grader, rows, shape="vllm", model="m", params={"temperature": 0}) == [openai | {"body": body}]
    params = {"model": "m", **prompt.to("anthropic")}
    assert render_batch(grader, rows, shape="anthropic", model="m") == [{"custom_id": "a", "params": params}]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (
            {"shape": "opnai"},
            "PP986 unknown shape 'opnai'\n  hint: did you mean 'openai'?",
        ),
        (
            {"shape": "openai"},
            "PP986 requests of the shape 'openai' need a model\n  hint: pass --model NAME, or model='NAME' in Python",
        ),
        (
            {"params": {"temperature": 0}},
            "PP986 the shape 'messages' has no parameters and no strict schema\n  hint: choose another shape",
        ),
    ],
)
def test_wrong_options_are_refused(grader: Pack, options: dict[str, Any], text: str) -> None:
    with pytest.raises(UsageError) as caught:
        render_batch(grader, [], **options)
    assert str(caught.value) == text


def test_anthropic_accepts_only_some_ids(grader: Pack) -> None:
    (row,) = render_batch(grader, [{"id": "a b", "TEXT": "x"}], shape="anthropic", model="m")
    (problem,) = row["problems"]
    assert problem == {
        "code": "PP986",
        "message": "Anthropic does not accept the id 'a b'",
        "hint": "use 1 to 64 letters, digits, '-' and '_'",
    }


def test_replies_become_verdicts_that_can_be_read_again(grader: Pack) -> None:
    rows: list[dict[str, Any]] = [
        {"id": "a", "TEXT": "x", "reply": json.dumps(good())},
        {"id": "b", "context": {"TEXT": "x"}, "reply": BAD},
        openai_line("c", good()),
        anthropic_line("d", good()),
    ]
    found = check_batch(grader, rows)
    assert [(row["id"], row["ok"], row["outcome"]) for row in found] == [
        ("a", True, "valid"), ("b", False, "invalid"), ("c", True, "valid"), ("d", True, "valid"),
    ]  # fmt: skip
    assert found[2]["usage"] == {"input": 10, "output": 5, "cached": 2}
    assert Verdict.from_dict(found[1]["verdict"]) == grader.render(TEXT="x").check(BAD)


@pytest.mark.parametrize(
    ("line", "failure"),
    [
        ({"result": {"type": "expired"}}, {"kind": "expired", "message": "the provider did not process it in time"}),
        ({"result": {"type": "canceled"}}, {"kind": "canceled", "message": "the batch was cancelled"}),
        (
            {
                "result": {
                    "type": "errored",
                    "error": {"type": "error", "error": {"type": "api_error", "message": "no"}},
                }
            },
            {"kind": "errored", "message": "api_error no"},
        ),
        (
            {"response": None, "error": {"code": "batch_expired", "message": "too late"}},
            {"kind": "expired", "message": "batch_expired too late"},
        ),
        (
            {"response": {"status_code": 429, "body": {"error": {"message": "slow", "code": None}}}, "error": None},
            {"kind": "errored", "message": "slow"},
        ),
        (
            {"response": {"status_code": 500, "body": None}, "error": None},
            {"kind": "errored", "message": "no response"},
        ),
    ],
)
def test_a_request_that_failed_has_a_record(grader: Pack, line: dict[str, Any], failure: dict[str, str]) -> None:
    (row,) = check_batch(grader, [{"custom_id": "a", **line}])
    assert (row["ok"], row["outcome"], row["verdict"], row["failure"]) == (False, "failed", None, failure)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"id": "a"}, "the line has no reply"),
        ({"id": "a", "reply": 7}, "'reply' is neither text nor an object"),
        ({"id": True, "reply": "{}"}, "'id' is neither text nor a whole number"),
        ({"id": "x" * 513, "reply": "{}"}, "'id' has more than 512 characters, or one that cannot be printed"),
        ({"id": "a", "context": 1, "reply": "{}"}, "'context' is not an object with the inputs"),
    ],
)
def test_a_row_that_is_not_a_reply_has_its_problem(grader: Pack, row: dict[str, Any], message: str) -> None:
    (found,) = check_batch(grader, [row])
    assert [(problem["code"], problem["message"]) for problem in found["problems"]] == [("PP980", message)]


def test_a_reply_that_was_cut_is_not_valid(grader: Pack) -> None:
    (row,) = check_batch(grader, [{"id": "a", "reply": json.dumps(good())[:60], "finish_reason": "length"}])
    assert row["outcome"] == "truncated"


def test_verdicts_contain_no_secrets(grader: Pack) -> None:
    reply = json.dumps(good(thought="the key is hunter2-key"))
    (row,) = check_batch(grader, [{"id": "a", "TEXT": "x", "TOKEN": "hunter2-key", "reply": reply}])
    assert row["ok"]
    assert "hunter2" not in json.dumps(row)


def test_the_functions_can_be_sent_to_other_processes(grader: Pack) -> None:
    work = pickle.loads(pickle.dumps(partial(render_batch, grader, shape="openai", model="m")))  # noqa: S301
    rows = [{"id": "a", "TEXT": "x"}]
    assert work(rows) == render_batch(grader, rows, shape="openai", model="m")


def test_the_shipped_planner_checks_its_own_example() -> None:
    planner = Library.open().get("planner", locale="en")
    assert planner.contract is not None
    example = dict(next(action.example for action in planner.contract.actions.values() if action.example))
    (row,) = check_batch(planner, [{"id": "a", "USER_GOAL": "x", "reply": example}])
    assert row["outcome"] == "valid"
