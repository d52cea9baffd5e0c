"""The exact problems of broken flows, and the shipped flow."""

from collections.abc import Callable
from pathlib import Path

import pytest

from promptpack import Library
from promptpack.flow import check, find, to_mermaid, to_svg
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

    def check_changed(old: str = "", new: str = "") -> list[str]:
        write_pack("asker", body=ASKER)
        write_pack("reader", body=READER.replace(old, new) if old else READER)
        (tmp_path / "packs" / "flow.yaml").write_text(FLOW.replace(old, new) if old else FLOW, encoding="utf-8")
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
        ("flow: 1", "flow: 2", "packs/flow.yaml:1:7: PP711 must be 1, not 2"),
        ("pack: reader", "pack: raeder", "packs/flow.yaml:10:11: PP712 no pack named 'raeder' | did you mean 'reader'?"),
        ("short: reader", "short: readr", "packs/flow.yaml:8:42: PP713 no step named 'readr' | did you mean 'reader'?"),
        ("from: asker", "from: askr", "packs/flow.yaml:12:22: PP713 no step named 'askr' | did you mean 'asker'?"),
        ("      ANSWER: {from", "      ANSWR: {from", "packs/flow.yaml:12:7: PP714 reader@1.0.0 has no input 'ANSWR' | did you mean 'ANSWER'?"),
        ("      ANSWER: {from", "      NOTE: {from", "packs/flow.yaml:9:3: PP715 step 'reader' has no value for 'ANSWER', which reader@1.0.0 requires | add it to 'inputs', for example as 'given'"),
        ("asker, action: ANSWER", "asker, action: ANSWR", "packs/flow.yaml:12:37: PP716 asker@1.0.0 has no action 'ANSWR' | did you mean 'ANSWER'?"),
        ("path: /params}", "path: /params/text}", "packs/flow.yaml:12:51: PP716 the reply of asker@1.0.0 has no '/params/text' | see the schema of the reply for its fields"),
        ("by: /params/kind", "by: /params/note", "packs/flow.yaml:8:16: PP716 the reply of asker@1.0.0 has no enum at '/params/note' | name a field that has an enum"),
        ("short: reader, long: end", "short: reader, log: end, long: end", "packs/flow.yaml:8:50: PP718 asker@1.0.0 never answers 'log' | did you mean 'long'?"),
        (", long: end", "", "packs/flow.yaml:8:30: PP718 no next step for 'long', which asker@1.0.0 may answer"),
        ("[short, long]", "[short]", "packs/flow.yaml:12:7: PP717 reader@1.0.0 may reject the value of 'ANSWER' at /kind: 'long' is not one of 'short' | for example {\"answer\": \"text\", \"kind\": \"long\", \"score\": 1, \"note\": \"text\"}"),
        ("maximum: 100", "maximum: 99", "packs/flow.yaml:12:7: PP717 reader@1.0.0 may reject the value of 'ANSWER' at /score: must be at most 99, not 100 | for example {\"answer\": \"text\", \"kind\": \"short\", \"score\": 100, \"note\": \"text\"}"),
        ("required: [answer]", "required: [answer, note]", "packs/flow.yaml:12:7: PP717 reader@1.0.0 may reject the value of 'ANSWER' at /note: 'note' is missing | for example {\"answer\": \"text\", \"kind\": \"short\", \"score\": 1}"),
    ],
)  # fmt: skip
def test_a_broken_flow_has_this_problem(problems: Callable[..., list[str]], old: str, new: str, expected: str) -> None:
    assert expected in problems(old, new)


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
