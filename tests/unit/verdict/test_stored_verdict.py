"""A verdict as plain data: what JSON stores comes back equal, and a bad row names its wrong keys."""

import json
from collections.abc import Callable
from dataclasses import fields
from typing import Any, get_args

import pytest

from promptpack import AgentOutput, Pack, UsageError, Verdict, Violation, files
from promptpack.document import read_json
from promptpack.pack.contract import Contract
from promptpack.pack.version import Version
from promptpack.reply import RISKS, Attempt, Fault, Repair
from promptpack.reply.reading import EditKind
from promptpack.verdict.model import Outcome
from tests.unit.verdict.test_judge import BODY, GOOD, reply

MakePack = Callable[[str], Pack]
SCHEMA = read_json(files.shipped("schemas").read("verdict.schema.json"), "verdict.schema.json").data
PLAIN = Pack("demo", Version(1, 0, 0), "demo.yaml", contract=Contract("demo", {"type": "object", "required": ["a"]}))


def stored(verdict: Verdict) -> dict[str, Any]:
    row: dict[str, Any] = json.loads(json.dumps(verdict.to_dict()))
    return row


@pytest.mark.parametrize(
    "raw",
    [
        reply(),
        reply(note={"x": None}),
        f"Sure:\n```json\n{reply(confidence='85')}\n```",
        reply()[:-1],
        reply(confidence=5),
        reply(confidence=150, action="PLN"),
        reply(thought="\ud800", confidence=10**30),
        reply() + reply(thought="another"),
        reply()[:50],
        '{"thought": "t", "thought": "u", ' + reply()[1:],
        "I cannot.",
    ],
)
def test_a_stored_verdict_comes_back_equal(make_pack: MakePack, raw: str) -> None:
    verdict = make_pack(BODY).render().check(raw)
    again = Verdict.from_dict(stored(verdict))
    assert again == verdict
    assert (again.output, again.extras, again.summary) == (verdict.output, verdict.extras, verdict.summary)
    assert again.to_dict() == verdict.to_dict()


def test_a_stored_output_keeps_its_type(make_pack: MakePack) -> None:
    typed = Verdict.from_dict(stored(make_pack(BODY).render().check(reply())))
    assert isinstance(typed.output, AgentOutput)
    assert typed.output.expected_outcome == GOOD["expectedOutcome"]
    plain: Any = Verdict.from_dict(stored(PLAIN.check('{"a": 1}'))).output
    assert plain == {"a": 1}


def test_the_answer_to_a_stored_verdict_is_merged(make_pack: MakePack) -> None:
    prompt = make_pack(BODY).render()
    for wrong in (reply(confidence=150), reply(confidence=5)):
        row = stored(prompt.check(wrong))
        assert prompt.check('{"confidence": 85}', after=Verdict.from_dict(row)).data == GOOD


def problems_of(row: Any) -> str:
    with pytest.raises(UsageError) as raised:
        Verdict.from_dict(row)
    return str(raised.value)


def test_a_bad_row_names_its_wrong_keys(make_pack: MakePack) -> None:
    row = stored(make_pack(BODY).render().check(reply(confidence=150)))
    assert problems_of({**row, "outcom": "valid"}) == (
        "PP532 invalid stored verdict: /outcom: unknown key 'outcom'\n  hint: did you mean 'outcome'?"
    )
    assert problems_of({key: row[key] for key in row if key != "repairs"}) == (
        "PP532 invalid stored verdict: /repairs: 'repairs' is missing\n  hint: The changes made to read the reply."
    )
    assert "/violations/0/path: expected text, not a number" in problems_of(
        {**row, "violations": [{**row["violations"][0], "path": 5}]}
    )
    assert "/attempt/value: expected a mapping" in problems_of({**row, "attempt": {**row["attempt"], "value": []}})
    assert "/error_output/thought: 'thought' is missing" in problems_of({**row, "error_output": {}})
    assert problems_of({"ok": object()}) == (
        "PP532 invalid stored verdict: it is not plain data\n  hint: pass what Verdict.to_dict returned"
    )
    assert problems_of(5) == "PP532 invalid stored verdict: /: expected a mapping, not a number"


def test_a_bad_output_is_found_when_the_row_is_read(make_pack: MakePack) -> None:
    row = stored(make_pack(BODY).render().check(reply()))
    assert "/output/action: expected text" in problems_of({**row, "output": {**row["output"], "action": None}})


@pytest.mark.parametrize(
    ("name", "kind"), [("violation", Violation), ("fault", Fault), ("repair", Repair), ("attempt", Attempt)]
)
def test_the_schema_has_the_fields_of_the_type(name: str, kind: Any) -> None:
    described = SCHEMA["$defs"][name]
    assert set(described["properties"]) == {field.name for field in fields(kind)} == set(described["required"])


def test_the_schema_has_the_words_of_the_types() -> None:
    repair = SCHEMA["$defs"]["repair"]["properties"]
    assert (repair["risk"]["enum"], repair["edit"]["enum"]) == (list(RISKS), list(get_args(EditKind)))
    assert SCHEMA["properties"]["outcome"]["enum"] == list(get_args(Outcome))
    assert set(SCHEMA["required"]) == set(SCHEMA["properties"]) == PLAIN.check("{}").to_dict().keys()
    wire = {field.alias for field in AgentOutput.model_fields.values()}
    assert set(SCHEMA["$defs"]["agent_output"]["properties"]) == wire
