import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from promptpack import Library, Pack, PackError, UsageError, testing
from promptpack.providers import ScriptedProvider

GREETER = """\
inputs:
  NAME: {type: string, minLength: 2}
  TONE: {enum: [warm, cold], examples: [cold]}
  COUNT: {type: integer, default: 3}
messages:
  - {role: user, content: "Greet {{ NAME }} {{ TONE }} {{ COUNT }}"}
reply:
  actions:
    GREET: {params: {type: object, required: [text], properties: {text: {type: string, minLength: 1}}}}
    WAVE: {}
"""


@pytest.fixture(scope="module")
def shipped() -> Library:
    return Library.open()


def test_an_example_context_has_what_the_caller_must_pass(make_pack: Callable[[str], Pack]) -> None:
    pack = make_pack(GREETER)
    assert testing.example_context(pack) == {"NAME": "aa", "TONE": "cold"}
    assert testing.example_context(pack, NAME="Ada", COUNT=1) == {"NAME": "Ada", "TONE": "cold", "COUNT": 1}


def test_an_example_reply_is_minimal_and_has_the_chosen_action(make_pack: Callable[[str], Pack]) -> None:
    pack = make_pack(GREETER)
    reply = testing.example_reply(pack)
    assert reply == {
        "thought": "a",
        "action": "GREET",
        "params": {"text": "a"},
        "expectedOutcome": "a",
        "risk": {"level": "low", "description": "a"},
        "confidence": 0,
    }
    assert testing.example_reply(pack, action="WAVE", confidence=150) == {
        **reply, "action": "WAVE", "params": {}, "confidence": 150,
    }  # fmt: skip


def test_examples_of_every_shipped_pack_are_accepted(shipped: Library) -> None:
    for pack in shipped.select()[0]:
        if pack.abstract:
            continue
        context = testing.example_context(pack)
        prompt = pack.render(context)
        assert prompt.check(testing.example_reply(pack, context=context)).outcome == "valid"
        if pack.contract is not None:
            for action in pack.contract.actions:
                reply = testing.example_reply(pack, action=action)
                assert (reply["action"], pack.check(reply).ok) == (action, True)


def test_an_example_reply_calls_a_tool_of_the_context(shipped: Library) -> None:
    executor = shipped.get("executor", locale="en")
    tool = {
        "name": "read_file",
        "parameters": {"type": "object", "required": ["path"], "properties": {"path": {"type": "string"}}},
    }
    reply = testing.example_reply(executor, context={"AVAILABLE_TOOLS": [tool]})
    assert (reply["action"], reply["params"]) == ("read_file", {"path": "a"})


def test_the_scripted_provider_is_here_too() -> None:
    assert testing.ScriptedProvider is ScriptedProvider


def test_a_schema_without_a_value_is_said_so(make_pack: Callable[[str], Pack]) -> None:
    pack = make_pack(GREETER.replace("minLength: 2", "minLength: 2, maxLength: 1"))
    with pytest.raises(PackError) as caught:
        testing.example_context(pack)
    assert str(caught.value) == (
        "packs/demo/1.0.0.yaml:1:1: PP960 no valid context of demo@1.0.0 can be generated: no value meets the schema\n"
        "  hint: no value meets the schema; correct it"
    )


def test_rules_that_refuse_everything_are_said_so(make_pack: Callable[[str], Pack]) -> None:
    pack = make_pack(GREETER + "  rules:\n    - {name: never, require: 'false', message: m}\n")
    with pytest.raises(PackError, match=r"PP960 .*: its rules refuse every reply that was tried"):
        testing.example_reply(pack)


def test_an_unknown_action_is_refused(make_pack: Callable[[str], Pack]) -> None:
    with pytest.raises(UsageError) as caught:
        testing.example_reply(make_pack(GREETER), action="GREAT")
    assert str(caught.value) == "PP961 demo@1.0.0 has no action 'GREAT'\n  hint: did you mean 'GREET'?"


def test_builders_need_no_extra_but_strategies_do() -> None:
    code = (
        "import sys; sys.modules['hypothesis'] = None\n"
        "from promptpack import Library, testing\n"
        "pack = Library.open().get('planner', locale='en')\n"
        "testing.example_reply(pack)\n"
        "try: testing.contexts(pack)\n"
        "except Exception as error: print(type(error).__name__, error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == (
        "MissingExtraError PP962 strategies need the extra 'testing'\n"
        "  hint: install it: pip install 'promptpack-agents[testing]'\n"
    )


def test_findings_of_a_strategy_are_shrunk(make_pack: Callable[[str], Pack]) -> None:
    from hypothesis import find, settings

    pack = make_pack(GREETER)
    found: Any = find(
        testing.contexts(pack), lambda context: context.get("COUNT", 0) > 10, settings=settings(database=None)
    )
    assert found == {"NAME": "aa", "TONE": "warm", "COUNT": 11}
