import json
from typing import Any

import pytest

from promptpack import Library, Pack

PACK: Pack = Library.open().get("router", locale="en")
CONTRACT = PACK.contract
assert CONTRACT is not None
EXAMPLE: dict[str, Any] = dict(CONTRACT.examples[0])
OWN = {**EXAMPLE, "thought": "My own answer"}
TEXT = json.dumps(EXAMPLE, indent=2)
REPEATED = "PP517 (reply): the reply repeats an example of the prompt and contains no answer of its own"


def violations(raw: str, **options: Any) -> list[str]:
    return [str(found) for found in PACK.check(raw, **options).violations]


def test_the_example_alone_is_accepted_and_reported() -> None:
    for raw in (json.dumps(EXAMPLE), f"```json\n{TEXT}\n```", f"Sure!\n{TEXT}"):
        verdict = PACK.check(raw)
        assert verdict.ok
        assert verdict.is_echo
    assert not PACK.check(json.dumps(OWN)).is_echo


def test_an_example_with_text_of_the_prompt_around_it_is_not_an_answer() -> None:
    line = "Answer with one JSON object and nothing else: no text before or after it, no code fence."
    assert violations(f"{line}\n{TEXT}") == [REPEATED]
    assert PACK.check(f"{line}\n{TEXT}").outcome == "no_answer"


@pytest.mark.parametrize("raw", [TEXT, f"Example:\n{TEXT}"])
def test_an_example_in_a_cut_reply_is_not_an_answer(raw: str) -> None:
    assert not PACK.check(raw, finish_reason="length").ok


def test_the_answer_next_to_an_example_is_read_and_the_echo_is_logged() -> None:
    for raw in (f"{TEXT}\n{json.dumps(OWN)}", f"{json.dumps(OWN)}\nas in\n{TEXT}"):
        verdict = PACK.check(raw)
        assert verdict.data == OWN
        assert not verdict.is_echo
        assert "echo" in [repair.kind for repair in verdict.repairs]


def test_a_broken_answer_next_to_an_example_is_refused_for_its_own_faults() -> None:
    broken = json.dumps({**OWN, "confidence": 150})
    assert [found.path for found in PACK.check(f"{TEXT}\n{broken}").violations] == ["/confidence"]


def test_an_object_that_the_prompt_contains_is_an_echo() -> None:
    planner = Library.open().get("planner", locale="en")
    contract = planner.contract
    assert contract is not None
    earlier = {**contract.examples[0], "thought": "an earlier plan"}
    prompt = planner.render(USER_GOAL="Write it", RESOURCE_POOL={"earlier": earlier})
    start = prompt.to_text().index("{")
    assert not prompt.check(prompt.to_text()[: start + 3_000]).ok
    assert prompt.check(json.dumps(earlier)).ok
