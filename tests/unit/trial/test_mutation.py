"""Changes of packs: which ones are tried, and which ones tests detect."""

from collections.abc import Callable
from pathlib import Path

import pytest

from promptpack import Library, Pack, trial
from promptpack.document import parse
from promptpack.document.edits import apply_edits
from promptpack.library.pickling import StoredPack
from promptpack.trial.mutation import Score, find_mutants, run_mutants
from promptpack.trial.mutation.text_spans import find_conditions, find_sentences

BODY = """\
inputs:
  A: {type: string, enum: [x, y]}
  B: {type: boolean, default: false}
messages:
  - role: system
    content: |
      First sentence. Second {{ A }} sentence!
      - 第一句。第二句？
      {% if B %}
      Only with B.
      {% endif %}
  - {role: user, when: A == "x", content: "go {{ 'on' if B else 'away' }}"}
reply:
  actions:
    GO: {params: {type: object, required: [n, m], properties: {n: {type: integer}, m: {type: integer}}}}
  rules:
    - name: positive
      require: >-
        reply.params.n
        > 0
      message: n must be positive
tests:
"""
REPLY = "{thought: t, action: GO, params: {n: 1, m: 2}, expectedOutcome: o, risk: {level: low, description: d}, confidence: 5}"


def stored(pack: Pack) -> StoredPack:
    found: StoredPack = pack.__reduce__()[1][0]
    return found


def test_every_kind_of_change_is_found_at_its_place(make_pack: Callable[[str], Pack]) -> None:
    pack = make_pack(f"{BODY}  - {{name: t, context: {{A: x}}, reply: {REPLY}, verdict: valid}}\n")
    found = [f"{one.location.line}:{one.location.column} {one.message}" for one in find_mutants(stored(pack))]
    assert found == [
        "5:28 the enum word 'x' is dropped",
        "5:31 the enum word 'y' is dropped",
        "10:7 the sentence 'First sentence.' is dropped",
        "10:23 the sentence 'Second {{ A }} sentence!' is dropped",
        "11:9 the sentence '第一句。' is dropped",
        "11:13 the sentence '第二句？' is dropped",
        "13:7 the sentence 'Only with B.' is dropped",
        "12:13 the condition 'B' is inverted",
        "15:58 the condition 'B' is inverted",
        "8:5 the message 'system' is dropped",
        "15:5 the message 'user' is dropped",
        "15:24 the condition 'A == \"x\"' is inverted",
        "18:44 the required field 'n' is dropped",
        "18:47 the required field 'm' is dropped",
        "22:9 the rule 'reply.params.n > 0' is inverted",
    ]


def test_a_snapshot_detects_wording(make_pack: Callable[[str], Pack]) -> None:
    weak = make_pack(f"{BODY}  - {{name: t, context: {{A: x}}, reply: {REPLY}, verdict: valid}}\n")
    before = {one.mutant.message: one.result for one in run_mutants(weak)}
    assert before["the rule 'reply.params.n > 0' is inverted"] == "detected"
    assert before["the enum word 'x' is dropped"] == "detected"
    assert before["the sentence 'First sentence.' is dropped"] == "survived"
    assert before["the required field 'n' is dropped"] == "survived"

    strong = make_pack(f"{BODY}  - {{name: t, context: {{A: x}}, expect: {{snapshot: true}}}}\n")
    assert [one.passed for one in trial.run([strong], update=True)] == [True]
    after = {one.mutant.message: one for one in run_mutants(strong)}
    assert after["the sentence 'First sentence.' is dropped"].result == "detected"
    assert after["the sentence 'First sentence.' is dropped"].test == "t"
    assert after["the condition 'B' is inverted"].result == "detected"


def test_a_survivor_is_a_warning_with_its_place(make_pack: Callable[[str], Pack]) -> None:
    pack = make_pack("messages:\n  - {role: user, content: Say hello. Say bye.}\ntests:\n  - {name: t, context: {}}\n")
    mutation, _ = run_mutants(pack)
    assert str(mutation.problem).endswith(
        "1.0.0.yaml:5:27: PP950 no test fails if the sentence 'Say hello.' is dropped"
    )
    assert mutation.problem.severity == "warning"


def test_a_change_that_cannot_be_loaded_does_not_count(make_pack: Callable[[str], Pack]) -> None:
    pack = make_pack(
        "inputs:\n  A: {type: string, enum: [x, y], default: x}\n"
        "messages:\n  - {role: user, content: '{{ A }}'}\ntests:\n  - {name: t, context: {A: y}, expect: {equals: y}}\n"
    )
    results = {one.mutant.message: one.result for one in run_mutants(pack)}
    assert results["the enum word 'x' is dropped"] == "refused"
    score = Score.of(run_mutants(pack))
    assert str(score) == "1 of 1 changes detected (100 %), 1 that cannot be loaded"


def test_a_score_is_rounded_down() -> None:
    assert str(Score(999, 1000, 0)) == "999 of 1000 changes detected (99 %)"
    assert Score(0, 0, 0).percent == 100


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two 2.5 three! Four", ["One.", "Two 2.5 three!", "Four"]),
        ("## Title\n1. First (a.)\n> quoted", ["Title", "First (a.)", "quoted"]),
        ("他说“好。”然后走了。", ["他说“好。”", "然后走了。"]),
        ("{% if a. %}x y{% endif %}\n{{ a\n}} ---", []),
        ("{{ a }} is. {# no. comment #}", ["{{ a }} is."]),
    ],
)
def test_sentences(text: str, sentences: list[str]) -> None:
    assert [text[start:end] for start, end in find_sentences(text)] == sentences


def test_conditions() -> None:
    text = "{%- if a and b -%}{% elif c %}{{ x if y else z }}{{ no }}{% endif %}"
    assert [text[start:end] for start, end in find_conditions(text)] == ["a and b", "c", "y"]


@pytest.mark.parametrize("pack", [*Library.open().packs()], ids=lambda pack: f"{pack.label}-{pack.locale}")
def test_each_change_of_a_shipped_pack_changes_only_what_it_says(pack: Pack) -> None:
    texts = stored(pack)
    for mutant in find_mutants(texts):
        raw = texts.texts[mutant.root][mutant.file].decode()
        assert parse(apply_edits(raw, mutant.edits), "changed").data == mutant.wanted, mutant.message


def test_unusual_layouts_are_left_alone(write_pack: Callable[..., Path], open_packs: Callable[[], Library]) -> None:
    write_pack(
        body='messages:\n  - {role: user, content: "tab\\there. caf\\u00e9."}\ntests:\n  - {name: t, context: {}}\n'
    )
    assert [one.mutant.message for one in run_mutants(open_packs().get("demo"))] == []
