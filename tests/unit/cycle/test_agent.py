import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from promptpack import Library, Pack
from promptpack.cycle import (
    Agent,
    AgentRun,
    Completion,
    CycleSettings,
    Event,
    ManualClock,
    ProviderError,
    ReplyJudged,
    Request,
    ScriptedProvider,
)
from promptpack.problem import ContextError, Problem, UsageError
from promptpack.prompt.message import ToolCall

PACK = """
promptpack: 1
name: greeter
version: 1.0.0
agent: greeter-agent
description: Greets.
locale: en
inputs:
  NAME: {type: string, minLength: 1}
messages:
  - role: system
    content: You greet people.
  - role: user
    content: "Greet {{ NAME }}."
reply:
  contract: agent-output
  actions:
    GREET:
      params: {type: object, required: [words], properties: {words: {type: string}}}
  rules:
    - name: names-the-person
      when: reply.action == "GREET"
      require: NAME in reply.params.words
      message: "words must name {{ NAME }}"
"""
PLAIN = """
promptpack: 1
name: plain
version: 1.0.0
agent: plain-agent
description: Says something.
locale: en
messages:
  - role: user
    content: Say something.
"""


@pytest.fixture
def library(tmp_path: Path) -> Library:
    for name, text in (("greeter", PACK), ("plain", PLAIN)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "1.0.0.yaml").write_text(text, encoding="utf-8")
    return Library.open(str(tmp_path))


@pytest.fixture
def greeter(library: Library) -> Pack:
    return library.get("greeter")


def reply(words: str) -> dict[str, Any]:
    return {
        "thought": "A greeting is asked for.",
        "action": "GREET",
        "params": {"words": words},
        "expectedOutcome": "The person is greeted.",
        "risk": {"level": "low", "description": "none"},
        "confidence": 90,
    }


def test_a_valid_reply_returns_its_output(greeter: Pack) -> None:
    verdict = Agent(greeter, ScriptedProvider([reply("Hello Ada")])).run({"NAME": "Ada"})
    assert verdict.ok
    assert verdict.output.params == {"words": "Hello Ada"}


def test_an_invalid_reply_is_corrected_in_the_loop(greeter: Pack) -> None:
    provider = ScriptedProvider([reply("Hello you"), reply("Hello Ada")])
    events: list[Event] = []
    run = Agent(greeter, provider).run_with_transcript({"NAME": "Ada"}, on_event=events.append)
    assert run.verdict.ok
    first, second = run.transcript.rounds
    assert first.verdict is not None
    assert [violation.message for violation in first.verdict.violations] == ["words must name Ada"]
    assert second.request.messages[-1].text == first.verdict.correction
    assert "words must name Ada" in second.request.messages[-1].text
    assert [event.verdict.ok for event in events if isinstance(event, ReplyJudged)] == [False, True]


def test_a_partial_answer_is_merged_into_the_reply_it_corrects(greeter: Pack) -> None:
    bad = reply("Hello Ada") | {"confidence": 900, "risk": {"level": "tiny", "description": "none"}}
    parts = ['{"confidence": 90}', "Sorry!", '{"/risk/level": "low"}']
    agent = Agent(greeter, ScriptedProvider([bad, *parts]), CycleSettings(rounds=4))
    run = agent.run_with_transcript({"NAME": "Ada"})
    assert run.verdict.ok
    assert run.verdict.data == reply("Hello Ada")
    paths = [
        [found.path for found in done.verdict.violations] for done in run.transcript.rounds if done.verdict is not None
    ]
    assert paths == [["/confidence", "/risk/level"], ["/risk/level"], [""], []]


def test_a_run_does_not_merge_into_the_reply_of_another(greeter: Pack) -> None:
    agent = Agent(
        greeter,
        ScriptedProvider([reply("Hello Ada") | {"confidence": 900}, '{"confidence": 90}']),
        CycleSettings(rounds=1),
    )
    assert not agent.run({"NAME": "Ada"}).ok
    assert not agent.run({"NAME": "Ada"}).ok


def test_a_field_that_breaks_a_rule_is_corrected_alone(library: Library, tmp_path: Path) -> None:
    (tmp_path / "greeter" / "1.1.0.yaml").write_text(
        PACK.replace("1.0.0", "1.1.0").replace("      require:", "      path: /params/words\n      require:"),
        encoding="utf-8",
    )
    newer = library.reload().library.get("greeter@1.1.0")
    verdict = Agent(newer, ScriptedProvider([reply("Hello you"), {"params": {"words": "Hello Ada"}}])).run(
        {"NAME": "Ada"}
    )
    assert verdict.data == reply("Hello Ada")


def test_a_run_includes_its_prompt(greeter: Pack) -> None:
    run = Agent(greeter, ScriptedProvider([reply("Hello Ada")])).run_with_transcript({"NAME": "Ada"})
    assert isinstance(run, AgentRun)
    assert run.prompt.digest == greeter.digest
    assert run.transcript.rounds[0].request.messages == run.prompt.messages


def test_the_last_round_returns_a_failing_verdict_to_route(greeter: Pack) -> None:
    provider = ScriptedProvider(lambda _: "I would rather not.")
    verdict = Agent(greeter, provider, CycleSettings(rounds=2)).run({"NAME": "Ada"})
    assert not verdict.ok
    assert len(provider.requests) == 2
    assert verdict.error_output is not None
    assert verdict.error_output.action == "ERROR"


def test_a_reply_that_the_server_cut_off_is_judged_as_such(greeter: Pack) -> None:
    whole = json.dumps(reply("Hello Ada"))
    cut = Completion(whole[:-30], finish_reason="length")
    run = Agent(greeter, ScriptedProvider([cut, reply("Hello Ada")])).run_with_transcript({"NAME": "Ada"})
    first = run.transcript.rounds[0].verdict
    assert first is not None
    assert not first.ok
    assert run.verdict.ok


def without_brace(words: str) -> str:
    return json.dumps(reply(words) | {"userMessage": "done"})[:-1]


def test_an_agent_asks_again_if_a_repair_is_risky(greeter: Pack) -> None:
    provider = ScriptedProvider([without_brace("Hello Ada"), reply("Hello Ada")])
    run = Agent(greeter, provider).run_with_transcript({"NAME": "Ada"})
    first, second = run.transcript.rounds
    assert first.verdict is not None
    assert [found.message for found in first.verdict.violations] == ["the repair 'missing-end' is not allowed"]
    assert second.request.messages[-1].text.endswith(
        "- the reply: has no closing brace and may be cut off or incomplete; send it in full"
    )
    assert run.verdict.outcome == "valid"


def test_a_caller_chooses_the_repairs_that_an_agent_refuses(greeter: Pack) -> None:
    allowed = Agent(greeter, ScriptedProvider([without_brace("Hello Ada")]), CycleSettings(refuse=frozenset()))
    assert allowed.run({"NAME": "Ada"}).outcome == "recovered"
    script: list[Any] = ["Sure: " + json.dumps(reply("Hello Ada")), reply("Hello Ada")]
    strict = Agent(greeter, ScriptedProvider(script), CycleSettings(refuse=frozenset({"prose"})))
    assert len(strict.run_with_transcript({"NAME": "Ada"}).transcript.rounds) == 2


def test_an_agent_also_refuses_what_the_pack_refuses(library: Library, tmp_path: Path) -> None:
    text = PACK.replace("1.0.0", "1.1.0").replace("  contract:", "  refuse: [quotes]\n  contract:")
    (tmp_path / "greeter" / "1.1.0.yaml").write_text(text, encoding="utf-8")
    newer = library.reload().library.get("greeter@1.1.0")
    quoted = json.dumps(reply("Hello Ada")).replace('"', "'")
    script: list[Any] = [quoted, without_brace("Hello Ada"), reply("Hello Ada")]
    assert len(Agent(newer, ScriptedProvider(script)).run_with_transcript({"NAME": "Ada"}).transcript.rounds) == 3


def test_settings_reach_the_request(greeter: Pack) -> None:
    provider = ScriptedProvider([reply("Hello Ada")])
    Agent(greeter, provider, CycleSettings(model="m", params={"temperature": 0}, timeout=5.0)).run({"NAME": "Ada"})
    request = provider.requests[0]
    assert (request.model, request.params, request.timeout) == ("m", {"temperature": 0}, 5.0)


def test_an_agent_can_use_tools_before_it_answers(greeter: Pack) -> None:
    def look_up(name: str) -> str:
        """Look up how a person likes to be greeted."""
        return f"{name} likes 'Good day'"

    def answer(request: Request) -> Any:
        if request.messages[-1].role != "tool":
            return ToolCall("1", "look_up", '{"name": "Ada"}')
        return reply("Good day Ada")

    run = Agent(greeter, ScriptedProvider(answer), tools=[look_up]).run_with_transcript({"NAME": "Ada"})
    assert run.verdict.ok
    assert run.transcript.rounds[0].answers[0].text == "Ada likes 'Good day'"


def test_an_agent_can_be_awaited(greeter: Pack) -> None:
    agent = Agent(greeter, ScriptedProvider([reply("Hello you"), reply("Hello Ada"), reply("Hello Bo")]))

    async def both() -> tuple[bool, int]:
        verdict = await agent.arun({"NAME": "Ada"})
        run = await agent.arun_with_transcript({"NAME": "Bo"})
        return verdict.ok and run.verdict.ok, len(run.transcript.rounds)

    assert asyncio.run(both()) == (True, 1)


def test_an_invalid_context_is_rejected_before_anything_is_sent(greeter: Pack) -> None:
    provider = ScriptedProvider([reply("Hello")])
    with pytest.raises(ContextError, match="input 'NAME' is missing"):
        Agent(greeter, provider).run()
    assert provider.requests == []


def test_a_server_failure_is_raised_not_judged(greeter: Pack) -> None:
    failures = [ProviderError(Problem("PP605", "failed"), retryable=True) for _ in range(3)]
    with pytest.raises(ProviderError):
        Agent(greeter, ScriptedProvider(failures)).run({"NAME": "Ada"}, clock=ManualClock())


def test_an_agent_needs_a_pack_with_a_contract(library: Library) -> None:
    with pytest.raises(UsageError) as raised:
        Agent(library.get("plain"), ScriptedProvider([]))
    assert str(raised.value) == (
        "PP618 plain@1.0.0 declares no reply contract, so its replies cannot be checked\n"
        "  hint: add 'reply:' to the pack, or use LlmCycle"
    )


def test_all_tools_of_an_agent_need_functions(greeter: Pack) -> None:
    with pytest.raises(UsageError, match="PP614 tool 'get' has no function"):
        Agent(greeter, ScriptedProvider([]), tools=[{"name": "get"}])


def test_a_finished_prompt_needs_its_own_agent_and_no_inputs(greeter: Pack) -> None:
    agent = Agent(greeter, ScriptedProvider([]))
    prompt = greeter.render(NAME="Ada")
    with pytest.raises(UsageError) as caught:
        agent.run(prompt, NAME="Bob")
    assert str(caught.value) == (
        "PP620 a finished prompt takes no inputs, but got NAME\n  hint: pass the inputs to 'render'"
    )
    other = Library.open().get("planner", locale="en").render(USER_GOAL="x")
    with pytest.raises(UsageError) as caught:
        agent.run(other)
    assert str(caught.value) == (
        f"PP620 the prompt belongs to planner@1.0.0, not to {greeter.label}\n"
        "  hint: create an Agent with the pack of the prompt"
    )


def test_a_run_takes_inputs_by_name(greeter: Pack) -> None:
    by_name = Agent(greeter, ScriptedProvider(['{"greeting": "Hi"}'] * 9)).run_with_transcript(NAME="Ada")
    assert by_name.prompt == greeter.render({"NAME": "Ada"})


def test_an_agent_needs_a_pack() -> None:
    name: Any = "planner"
    with pytest.raises(UsageError) as caught:
        Agent(name, ScriptedProvider([]))
    assert str(caught.value) == "PP618 a str is not a pack\n  hint: pass what Library.get returned"
