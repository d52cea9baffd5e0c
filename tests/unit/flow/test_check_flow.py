"""The exact problems of broken flows, and the shipped flow."""

from collections.abc import Callable
from pathlib import Path

import pytest

from promptpack import Library
from promptpack.flow.check_flow import check
from promptpack.flow.draw import to_svg
from promptpack.flow.mermaid import to_mermaid
from promptpack.flow.read_flow import find
from promptpack.problem import PackError

ROOT = Path(__file__).parents[3]

ASKER = """\
inputs:
  QUESTION: {type: string, description: What is asked.}
messages:
  - {role: user, content: "{{ QUESTION }} {{ reply_format }}"}
  - role: assistant
    tool_calls:
      - {id: c1, name: look_up, arguments: "{}"}
  - {role: tool, tool_call_id: c1, content: found}
reply:
  actions:
    ANSWER:
      params:
        type: object
        required: [answer, kind, score]
        additionalProperties: false
        properties:
          answer: {type: string}
          kind: {enum: [short, long]}
          score: {type: number, minimum: 0, maximum: 100}
          note: {type: string}
"""
READER = """\
inputs:
  ANSWER:
    type: object
    required: [answer]
    properties: {answer: {type: string}, kind: {enum: [short, long]}, score: {type: number, maximum: 100}}
  NOTE: {type: string, default: ""}
messages:
  - {role: user, content: "{{ ANSWER }}{{ NOTE }}"}
"""
FLOW = """\
flow: 1
tools: [look_up]
steps:
  asker:
    pack: asker@^1
    action: ANSWER
    inputs: {QUESTION: given}
    next: {by: /params/kind, to: {short: reader, long: end}}
  reader:
    pack: reader@^1
    inputs:
      ANSWER: {from: asker, action: ANSWER, path: /params}
"""


@pytest.fixture
def problems(
    write_pack: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., list[str]]:
    """Return a function that replaces a text in the flow or the reader above and returns the problems."""

    def check_changed(old: str = "", new: str = "", *more: tuple[str, str]) -> list[str]:
        write_pack("asker", body=ASKER)
        write_pack("reader", body=READER.replace(old, new) if old else READER)
        text = FLOW.replace(old, new) if old else FLOW
        for before, after in more:
            text = text.replace(before, after)
        (tmp_path / "packs" / "flow.yaml").write_text(text, encoding="utf-8")
        monkeypatch.chdir(tmp_path)
        library = Library.open("packs")
        try:
            flow = find(library.folders[0])
            assert flow is not None
            return [str(problem).replace("\n  hint:", " |") for problem in check(flow, library)]
        except PackError as error:
            return [str(problem).replace("\n  hint:", " |") for problem in error.problems]

    return check_changed


def test_a_valid_flow_has_no_problems(problems: Callable[..., list[str]]) -> None:
    assert problems() == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("    inputs:\n      ANSWER", "    inptus:\n      ANSWER", "packs/flow.yaml:11:5: PP711 unknown key 'inptus' | did you mean 'inputs'?"),
        ("flow: 1", "flow: 2", "packs/flow.yaml:1:7: PP711 must be 1, not 2"),
        ("pack: reader", "pack: raeder", "packs/flow.yaml:10:11: PP712 no pack named 'raeder' | did you mean 'reader'?"),
        ("short: reader", "short: readr", "packs/flow.yaml:8:42: PP713 no step named 'readr' | did you mean 'reader'?"),
        ("from: asker", "from: askr", "packs/flow.yaml:12:22: PP713 no step named 'askr' | did you mean 'asker'?"),
        ("      ANSWER: {from", "      ANSWR: {from", "packs/flow.yaml:12:7: PP714 reader@1.0.0 has no input 'ANSWR' | did you mean 'ANSWER'?"),
        ("      ANSWER: {from", "      NOTE: {from", "packs/flow.yaml:9:3: PP715 step 'reader' has no value for 'ANSWER', which reader@1.0.0 requires | add it to 'inputs', for example as 'given'"),
        ("asker, action: ANSWER", "asker, action: ANSWR", "packs/flow.yaml:12:37: PP716 asker@1.0.0 has no action 'ANSWR' | did you mean 'ANSWER'?"),
        ("    action: ANSWER\n", "    action: ANSWR\n", "packs/flow.yaml:6:13: PP716 asker@1.0.0 has no action 'ANSWR' | did you mean 'ANSWER'?"),
        ("path: /params}", "path: /params/text}", "packs/flow.yaml:12:51: PP716 the reply of asker@1.0.0 has no '/params/text' | see the schema of the reply for its fields"),
        ("by: /params/kind", "by: /params/note", "packs/flow.yaml:8:16: PP716 the reply of asker@1.0.0 has no boolean and no enum in every reply at '/params/note' | name a required field that is a boolean or has an enum: /action, /params/kind"),
        ("by: /params/kind", "by: /params/answer", "packs/flow.yaml:8:16: PP716 the reply of asker@1.0.0 has no boolean and no enum at '/params/answer' | name a required field that is a boolean or has an enum: /action, /params/kind"),
        ("short: reader, long: end", "short: reader, log: end, long: end", "packs/flow.yaml:8:50: PP718 asker@1.0.0 never answers 'log' | did you mean 'long'?"),
        (", long: end", "", "packs/flow.yaml:8:30: PP718 no next step for 'long', which asker@1.0.0 may answer"),
        ("[short, long]", "[short]", "packs/flow.yaml:12:7: PP717 reader@1.0.0 may reject the value of 'ANSWER' at /kind: 'long' is not one of 'short' | for example {\"answer\": \"text\", \"kind\": \"long\", \"score\": 1, \"note\": \"text\"}"),
        ("maximum: 100", "maximum: 99", "packs/flow.yaml:12:7: PP717 reader@1.0.0 may reject the value of 'ANSWER' at /score: must be at most 99, not 100 | for example {\"answer\": \"text\", \"kind\": \"short\", \"score\": 100, \"note\": \"text\"}"),
        ("required: [answer]", "required: [answer, note]", "packs/flow.yaml:12:7: PP717 reader@1.0.0 may reject the value of 'ANSWER' at /note: 'note' is missing | for example {\"answer\": \"text\", \"kind\": \"short\", \"score\": 1}"),
    ],
)  # fmt: skip
def test_a_broken_flow_has_this_problem(problems: Callable[..., list[str]], old: str, new: str, expected: str) -> None:
    assert expected in problems(old, new)


STEP = "  spare:\n    pack: reader@^1\n    inputs:\n      ANSWER: {from: asker, action: ANSWER, path: /params}\n"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("ANSWER: {from: asker, action: ANSWER, path: /params}", "ANSWER: {first: [{from: reader}, {from: asker, action: ANSWER, path: /params}]}", "packs/flow.yaml:12:31: PP716 reader@1.0.0 has no reply contract"),
        ("path: /params}", "path: /params}\n      NOTE: {from: asker, action: ANSWER, path: /params/note}", "packs/flow.yaml:13:7: PP719 step 'reader' may have no value for 'NOTE': on the path asker → reader, the reply may not have the field | give another value for this path: {first: [{from: ...}, given]}"),
        ("short: reader, long: end", "short: reader, long: reader", None),
        ("path: /params}", "path: /params}\n" + STEP, "packs/flow.yaml:13:3: PP720 no path leads to step 'spare' | name it in a 'next', or remove it"),
        ("path: /params}", "path: /params}\n    next: reader\n    limit: 2", "packs/flow.yaml:9:3: PP720 no path leads from step 'reader' to the end | let one of its 'next' lead to 'end'"),
        ("long: end", "long: asker", "packs/flow.yaml:4:3: PP721 nothing limits the cycle asker → asker | add 'limit: 3' to one of these steps"),
        ("path: /params}", "path: /params, item: next}\n    next: {to: end, done: end}", "packs/flow.yaml:12:66: PP722 '/params' of asker@1.0.0 is not a list | remove 'item', or name a list"),
        ("path: /params}", "path: /params}\n    next: {to: end, done: end}", "packs/flow.yaml:13:21: PP722 'done' is never used: no input of step 'reader' has 'item: next' | remove it, or add 'item: next' to a list"),
        ("{from: asker, action: ANSWER, path: /params}", "{given: list, item: next}\n    next: end", "packs/flow.yaml:13:5: PP722 step 'reader' takes items, but 'next' does not say which step follows the last one | write for example 'next: {to: STEP, done: end}'"),
        ("long: end}", "long: end}, over: rader", "packs/flow.yaml:8:68: PP713 no step named 'rader' | did you mean 'reader'?"),
        ("{short: reader, long: end}", "reader", "packs/flow.yaml:8:34: PP711 expected a mapping, not text"),
    ],
)  # fmt: skip
def test_a_flow_is_checked_path_by_path(
    problems: Callable[..., list[str]], old: str, new: str, expected: str | None
) -> None:
    assert problems(old, new) == ([] if expected is None else [expected])


def test_every_path_must_supply_an_input(problems: Callable[..., list[str]]) -> None:
    middle = "long: middle}}\n  middle:\n    pack: asker@^1\n    inputs: {QUESTION: given}\n    next: reader"
    change = ("long: end}}", middle)
    assert problems(*change) == []
    missing = problems("FROM", "FROM", change, ("ANSWER: {from: asker,", "ANSWER: {from: middle,"))
    assert missing == [
        "packs/flow.yaml:16:7: PP719 step 'reader' may have no value for 'ANSWER': on the path asker → reader, "
        "'middle' has not replied with ANSWER | give another value for this path: {first: [{from: ...}, given]}"
    ]
    both = "{first: [{from: middle, action: ANSWER, path: /params}, {from: asker, action: ANSWER, path: /params}]}"
    assert problems("FROM", "FROM", change, ("{from: asker, action: ANSWER, path: /params}", both)) == []


def test_a_limit_that_no_sample_reaches_is_not_reported(problems: Callable[..., list[str]]) -> None:
    assert (
        problems("properties: {answer: {type: string}", "properties: {answer: {type: string, maxLength: 100000}") == []
    )


def test_the_shipped_flow_has_no_problems_and_its_picture_is_current() -> None:
    library = Library.open(str(ROOT / "packs"))
    flow = find(library.folders[0])
    assert flow is not None
    assert check(flow, library) == ()
    assert (ROOT / "docs" / "images" / "flow.svg").read_text(encoding="utf-8") == to_svg(flow)
    assert 's1 -->|"new_task, full_replan, minor_replan"| s2' in to_mermaid(flow)


def test_find_returns_none_for_a_folder_without_a_flow(tmp_path: Path) -> None:
    (tmp_path / "packs").mkdir()
    assert find(Library.open(str(tmp_path / "packs")).folders[0]) is None
