"""`promptpack batch run` with scripted models: order, corrections, outages, and nothing asked twice."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from promptpack.batch.jobs import BatchOptions, plan_run
from promptpack.batch.process import BatchReport, run
from promptpack.batch.send import SendSettings
from promptpack.batch.sources import RowSource
from promptpack.cycle import Completion, CycleSettings, ManualClock, ProviderError, Request, ScriptedProvider, Usage
from promptpack.pack.model import Pack
from promptpack.problem import Problem, UsageError
from tests.unit.batch.conftest import read_lines, write_contexts, write_lines
from tests.unit.evaluation.conftest import BAD, PLAIN, good

DOWN = ProviderError(Problem("PP605", "the server failed"))
Ask = Callable[[str], Any]


def number_of(request: Request) -> int:
    return int(request.messages[0].text.split("text ")[1].split(".")[0])


def ask_all(pack: Pack, answer: Callable[[Request], Any], output: str = "out.jsonl", **options: Any) -> BatchReport:
    settings = CycleSettings("m", rounds=2, retries=0)
    sending = SendSettings(ScriptedProvider(answer), settings, "scripted", 8, clock=ManualClock())
    return run(plan_run(pack, RowSource("contexts.jsonl"), sending, BatchOptions(output, **options)))


def test_verdicts_are_in_the_order_of_the_contexts(folder: Path, grader: Pack) -> None:
    write_contexts(folder, 100)
    with (folder / "contexts.jsonl").open("a") as stream:
        stream.write('nonsense\n{"id":"r3","context":{"TEXT":"text 3."}}\n{"id":"bad","context":{}}\n')

    def answer(request: Request) -> Any:
        is_bad = number_of(request) % 4 == 0 and len(request.messages) == 1
        return Completion(json.dumps(BAD if is_bad else good(confidence=number_of(request))), usage=Usage(3, 2))

    found = ask_all(grader, answer)
    rows = read_lines(folder / "out.jsonl")
    assert [row["id"] for row in rows] == [f"r{number}" for number in range(100)]
    assert [row["verdict"]["output"]["confidence"] for row in rows] == list(range(100))
    assert (found.summary.rounds, found.summary.tokens) == (Counter({"1": 75, "2": 25}), {"input": 375, "output": 250})
    errors = [(row["line"], row["problems"][0]["code"]) for row in read_lines(folder / "out.errors.jsonl")]
    assert errors == [(101, "PP980"), (102, "PP981"), (103, "PP415")]
    assert sorted(path.name for path in folder.iterdir()) == [
        "contexts.jsonl",
        "out.errors.jsonl",
        "out.jsonl",
        "packs",
    ]


def test_an_outage_stops_and_the_rest_is_asked_later(folder: Path, grader: Pack) -> None:
    write_contexts(folder, 200)
    asked: Counter[int] = Counter()

    def answer(request: Request) -> Any:
        asked[number_of(request)] += 1
        return good(number_of(request))

    ask_all(grader, answer, "whole.jsonl")
    asked.clear()

    def fail(request: Request) -> Any:
        return DOWN if number_of(request) >= 90 else answer(request)

    with pytest.raises(UsageError) as caught:
        ask_all(grader, fail)
    assert str(caught.value) == (
        "PP987 the batch stopped: 10 calls in a row failed\n"
        "  hint: the answers so far are stored; continue with --resume"
    )
    assert not (folder / "out.jsonl").exists()
    ask_all(grader, answer, resume=True)
    assert (folder / "out.jsonl").read_bytes() == (folder / "whole.jsonl").read_bytes()
    assert set(asked.values()) == {1}
    assert len(asked) == 200


def test_a_rejected_key_stops_at_once(folder: Path, grader: Pack) -> None:
    write_contexts(folder, 50)
    provider = ProviderError(Problem("PP602", "wrong key"))
    with pytest.raises(UsageError, match="PP987 the batch stopped: the server rejects the key or the account"):
        ask_all(grader, lambda _: provider)


def test_a_single_failure_is_a_record_that_fix_can_send_again(folder: Path, grader: Pack) -> None:
    write_contexts(folder, 40)
    found = ask_all(grader, lambda request: DOWN if number_of(request) in (5, 39) else good())
    assert found.summary.outcomes == {"valid": 38, "failed": 2}
    rows = read_lines(folder / "out.jsonl")
    assert rows[5]["failure"] == {"kind": "errored", "message": "PP605 the server failed"}


def test_an_empty_file_has_no_verdicts(folder: Path, grader: Pack) -> None:
    (folder / "contexts.jsonl").write_text("\n")
    assert ask_all(grader, lambda _: good()).summary.records == 0
    assert (folder / "out.jsonl").read_text() == ""


def test_stored_answers_and_verdicts_contain_no_secrets(folder: Path, grader: Pack) -> None:
    rows = ({"id": f"r{number}", "context": {"TEXT": f"text {number}.", "TOKEN": "hunter2"}} for number in range(40))
    write_lines(folder / "contexts.jsonl", rows)
    reply = good(thought="the key is hunter2")
    with pytest.raises(UsageError):
        ask_all(grader, lambda request: DOWN if number_of(request) > 20 else reply)
    stored = [path for path in folder.glob("out.jsonl.*") if path.is_file()]
    assert {path.name.partition("jsonl.")[2] for path in stored} >= {"answers", "journal"}
    assert [path for path in stored if b"hunter2" in path.read_bytes()] == []


def test_a_pack_without_a_contract_has_no_verdicts(folder: Path) -> None:
    from promptpack.library import Library

    (folder / "packs" / "plain").mkdir()
    (folder / "packs" / "plain" / "1.0.0.yaml").write_text(PLAIN)
    write_contexts(folder, 1)
    plain = Library.open("packs", cache=False).get("plain")
    with pytest.raises(UsageError, match=r"PP618 plain@1\.0\.0 declares no reply contract"):
        ask_all(plain, lambda _: "x")
