"""Coverage of packs: which points there are, and which ones tests reach."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptpack import Library, Pack
from promptpack.cli.coverage_report import measure_packs, write_html, write_lcov
from promptpack.template.tracing.counting import CountingEngine
from promptpack.trial.coverage import Coverage, Point, measure
from promptpack.trial.coverage.counted_pack import count_pack

REPLY = "{thought: t, action: GO, params: {mode: fast}, expectedOutcome: o, risk: {level: low, description: d}, confidence: 5}"
BODY = f"""\
inputs:
  A: {{type: string, enum: [x, y]}}
  L: {{type: array, default: [], items: {{type: string}}}}
partials:
  end: "{{{{ 'bye' if A == 'x' else 'ciao' }}}}"
messages:
  - role: system
    content: |
      {{% if A == "x" %}}
      x
      {{% elif A == "dead" %}}
      never
      {{% else %}}
      y
      {{% endif %}}
      {{% for l in L %}}{{{{ l }}}}{{% endfor %}}
      {{% include "end" %}}
  - {{role: user, when: L | length > 1, content: go}}
reply:
  actions:
    GO: {{params: {{type: object, properties: {{mode: {{enum: [fast, slow]}}}}}}}}
  rules:
    - {{name: quick, require: reply.params.mode != "slow", message: wrong}}
    - {{name: sure, require: reply.confidence > 1, message: wrong}}
tests:
  - {{name: x, context: {{A: x}}, reply: {REPLY}, verdict: valid}}
  - {{name: y, context: {{A: y, L: [a]}}, reply: {REPLY.replace("confidence: 5", "confidence: 0")}, verdict: invalid}}
  - {{name: many, context: {{A: y, L: [a, b]}}}}
"""


def found(coverage: Coverage) -> list[str]:
    return [f"{point.line}:{point.column} {point.what}" for point in coverage.missing]


def test_a_dead_branch_an_idle_rule_and_an_unused_word_are_named(make_pack: Callable[[str], Pack]) -> None:
    coverage = measure(make_pack(BODY))
    assert found(coverage) == [
        "14:15 the branch is taken",
        "24:66 the word 'slow' occurs",
        "26:30 a reply violates the rule",
    ]
    assert [point for point in coverage.hits if point.line == 19] == sorted(
        Point("packs/demo/1.0.0.yaml", 19, 10, f"the loop has {items}")
        for items in ("no item", "one item", "several items")
    )


def test_without_tests_nothing_is_covered(make_pack: Callable[[str], Pack]) -> None:
    coverage = measure(make_pack(BODY[: BODY.index("tests:")]))
    assert coverage.covered == 0
    assert [one for one in found(coverage) if one.startswith(("4:", "5:", "8:", "20:", "24:"))] == [
        "5:6 the input 'A' is given",
        "5:28 the word 'x' occurs",
        "5:31 the word 'y' occurs",
        "8:21 the branch is not taken",
        "8:21 the branch is taken",
        "20:10 the partial is included",
        "24:5 a reply has the action 'GO'",
        "24:60 the word 'fast' occurs",
        "24:66 the word 'slow' occurs",
    ]


def test_a_comment_ignores_a_line(make_pack: Callable[[str], Pack]) -> None:
    body = BODY.replace('{% elif A == "dead" %}', '{% elif A == "dead" %}{# no-cover #}')
    coverage = measure_packs([make_pack(body.replace("[fast, slow]}}}}", "[fast, slow]}}}}  # no-cover"))])
    assert found(coverage) == ["26:30 a reply violates the rule"]


@pytest.mark.parametrize("pack", [*Library.open().packs()], ids=lambda pack: f"{pack.label}-{pack.locale}")
def test_the_tests_of_a_shipped_pack_cover_it_and_counting_changes_nothing(pack: Pack) -> None:
    assert found(measure(pack)) == []
    counted = count_pack(pack, CountingEngine(pack._compiled.compiler.engine, lambda *_: None))
    for test in pack.tests:
        if not test.expect.get("error"):
            prompt, other = pack.render(test.context), counted.render(test.context)
            assert other.messages == prompt.messages


CONTEXTS = st.fixed_dictionaries({"A": st.sampled_from("xy"), "L": st.lists(st.text(max_size=3), max_size=3)})


@settings(max_examples=50)
@given(context=CONTEXTS)
def test_a_counted_template_renders_the_same_text(context: dict[str, object]) -> None:
    pack = LOOPS
    counted = count_pack(pack, CountingEngine(pack._compiled.compiler.engine, lambda *_: None))
    assert counted.render(context).messages == pack.render(context).messages


LOOPS = Library.open(str(Path(__file__).parent / "loops")).get("loops")


def test_files_of_several_packs_are_added_up() -> None:
    point, other = Point("a", 1, 1, "x"), Point("a", 2, 1, "y")
    total = Coverage({point: 0, other: 1}) + Coverage({point: 2})
    assert (total.hits, total.percent) == ({point: 2, other: 1}, 100)
    assert total.lines() == {1: (1, 1), 2: (1, 1)}


def test_lcov_and_html(make_pack: Callable[[str], Pack]) -> None:
    coverage = measure_packs([make_pack(BODY.replace("never", "never <script>"))])
    lines = write_lcov(coverage).splitlines()
    assert lines[:2] == ["TN:", "SF:packs/demo/1.0.0.yaml"]
    assert "DA:14,0" in lines
    assert "DA:19,1" in lines
    assert lines[-1] == "end_of_record"
    page = write_html(coverage)
    assert '<a href="#file-1">packs/demo/1.0.0.yaml</a>' in page
    assert '<section class="card" id="file-1">' in page
    assert "never &lt;script&gt;" in page
    assert "<small>no test covers this: the word &#x27;slow&#x27; occurs</small>" in page


def test_a_missing_point_is_a_warning_with_its_place(make_pack: Callable[[str], Pack]) -> None:
    problem = measure(make_pack(BODY)).missing[0].problem
    assert str(problem) == "packs/demo/1.0.0.yaml:14:15: PP951 no test covers this: the branch is taken"
    assert problem.severity == "warning"
