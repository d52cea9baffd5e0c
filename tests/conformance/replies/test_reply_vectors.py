import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from promptpack.reply.syntax_tree import is_same
from tests.conformance.drivers import check_reply

FOLDER = Path(__file__).parent
CONTRACTS = json.loads((FOLDER / "contract.json").read_text(encoding="utf-8"))


@cache
def rows() -> list[dict[str, Any]]:
    # The texts contain U+2028 and similar characters, so only "\n" ends a line.
    text = (FOLDER / "corpus.jsonl").read_bytes().decode()
    return [json.loads(line) for line in text.split("\n") if line]


def cases(*verdicts: str) -> list[Any]:
    return [pytest.param(row, id=f"{row['id']}-{row['tags'][0]}") for row in rows() if row["verdict"] in verdicts]


def of_contract(value: Any, agent: str) -> Any:
    """Drop the keys that the contract does not declare: they stay in the data, but no vector lists them."""
    known = CONTRACTS[agent]["properties"]
    return {key: item for key, item in value.items() if key in known} if isinstance(value, dict) else value


@pytest.mark.parametrize("case", cases("valid", "recoverable"))
def test_a_reply_with_one_meaning_is_read(case: dict[str, Any]) -> None:
    found = check_reply(case["raw"], case["agent"])
    assert found["violations"] == []
    read = of_contract(found["output"], case["agent"])
    meant = [of_contract(one, case["agent"]) for one in (case["expect"], *case.get("alts", []))]
    assert any(is_same(read, one) for one in meant), read


@pytest.mark.parametrize("case", cases("valid"))
def test_a_valid_reply_is_not_changed(case: dict[str, Any]) -> None:
    found = check_reply(case["raw"], case["agent"])
    assert found["repairs"] == []
    assert is_same(found["output"], json.loads(case["raw"]))


@pytest.mark.parametrize("case", cases("invalid"))
def test_a_reply_without_one_meaning_is_refused_and_every_fault_has_its_path(case: dict[str, Any]) -> None:
    found = check_reply(case["raw"], case["agent"])
    assert not found["ok"]
    assert found["output"] is None
    named = {violation["path"] for violation in found["violations"]}
    assert {fault["path"] for fault in case["expect"]} <= named


def test_a_finish_reason_that_reports_a_cut_is_passed_on() -> None:
    case = next(row for row in rows() if row["verdict"] == "valid" and row["raw"].endswith('"}'))
    raw = case["raw"][:-1]
    assert check_reply(raw, case["agent"])["repairs"] == ["missing-end"]
    assert [found["code"] for found in check_reply(raw, case["agent"], None, "length")["violations"]] == ["PP503"]


def test_the_whole_corpus_is_here() -> None:
    assert [len(cases(verdict)) for verdict in ("valid", "recoverable", "invalid")] == [42, 253, 130]
