import json
from pathlib import Path
from typing import Any

import pytest

from promptpack import Library, PackError, ReplyError
from promptpack.stubs import NOT_GIVEN, AgentReply, Model, PackSource, TypedPrompt

REPLY = {
    "thought": "t", "action": "ERROR", "params": {"errorType": "parse_error", "message": "m"}, "expectedOutcome": "e",
    "risk": {"level": "low", "description": "d"}, "confidence": 80,
}  # fmt: skip


class Params(Model):
    message: str


class Output(AgentReply):
    params: Params


class Pool(Model):
    capabilities: list[str] | None = None
    agents: list[str] | None = None


@pytest.fixture
def source() -> PackSource:
    return PackSource(str(Path("typed") / "_source.py"), ("../packs",), "promptpack stubs packs -o typed")


def prompt_of(source: PackSource, **inputs: Any) -> Any:
    pack = source.library.get("planner", "en")
    return source.render(source.load("planner@1.0.0", {"en": pack.digest}, "en"), Output, Output, inputs)


def test_models_are_plain_data_in_the_context(source: PackSource) -> None:
    prompt = prompt_of(source, USER_GOAL="g", RESOURCE_POOL=Pool(capabilities=["git"]), SYSTEM_STATE=NOT_GIVEN)
    assert prompt.prompt.context["RESOURCE_POOL"] == {"capabilities": ["git"]}


def test_an_error_action_is_typed_and_no_output(source: PackSource) -> None:
    verdict = prompt_of(source, USER_GOAL="g").check(json.dumps(REPLY))
    assert verdict
    assert verdict.error.params.message == "m"
    assert verdict.error is verdict.error
    with pytest.raises(ReplyError) as caught:
        _ = verdict.output
    assert str(caught.value) == ("PP535 the reply is ERROR, so it has no output\n  hint: check 'verdict.error' first")
    assert "secret" not in repr(Params(message="secret"))


def test_a_refused_reply_has_no_output(source: PackSource) -> None:
    prompt = prompt_of(source, USER_GOAL="g")
    verdict = prompt.check("no answer")
    assert not verdict.ok
    assert verdict.violations[0].code == "PP501"
    assert verdict.correction
    with pytest.raises(ReplyError):
        _ = verdict.output
    assert prompt.check(json.dumps(REPLY), after=verdict).ok


def test_a_changed_pack_is_refused(source: PackSource) -> None:
    with pytest.raises(PackError) as caught:
        source.load("planner@1.0.0", {"en": "sha256:0"}, "en")
    assert str(caught.value) == (
        "PP646 planner@1.0.0 (en) is not the pack that typed/_source.py was generated from\n"
        "  hint: run: promptpack stubs packs -o typed"
    )


def test_the_output_of_a_verdict_is_typed() -> None:
    pack = Library.open().get("planner", locale="en")
    assert pack.contract is not None
    reply = pack.contract.examples[0]
    prompt: TypedPrompt[Any, None] = TypedPrompt(pack.render(USER_GOAL="g"), dict[str, Any])
    verdict = prompt.correct(lambda _: reply)
    assert verdict.error is None
    assert verdict.output["action"] == "TASK_PLAN"
