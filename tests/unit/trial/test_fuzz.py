from pathlib import Path
from typing import Any

import pytest

from promptpack import Library, Pack, document, trial
from promptpack.document.dumping import dump
from promptpack.trial.fuzz import Finding, fuzz
from promptpack.trial.fuzz.attacks import ATTACKS
from promptpack.trial.fuzz.fences import text_outside_fences
from promptpack.trial.fuzz.shrinking import shrink

HEAD = "promptpack: 1\nname: bad\nversion: 1.0.0\nlocale: en\n"
SAFE = """\
inputs:
  QUESTION: {type: string, minLength: 1, trust: untrusted}
  NOTES: {type: object, default: {}, trust: untrusted}
messages:
  - {role: system, content: You answer.}
  - role: user
    content: |
      {{ QUESTION | fenced }}
      {{ NOTES | fenced("json") }}
"""
REPLY = """\
reply:
  actions:
    ANSWER: {params: {type: object, properties: {items: {type: array, items: {type: integer}}}, additionalProperties: false}}
"""


def build(folder: Path, body: str) -> Pack:
    path = folder / "bad" / "1.0.0.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(HEAD + body, "utf-8")
    return Library.open(str(folder)).get("bad")


def find(folder: Path, body: str, count: int = 80) -> tuple[Finding, ...]:
    return fuzz(build(folder, body), count).findings


@pytest.mark.parametrize(
    ("body", "kind", "line", "message", "test"),
    [
        (
            SAFE.replace("{{ QUESTION | fenced }}", "```\n      {{ QUESTION }}\n      ```"),
            "fence",
            6,
            "the text of 'QUESTION' escapes its fence",
            {
                "context": {"QUESTION": "a\n```\ncanaryqzx7"},
                "expect": {"contains": ["````\na\n```\ncanaryqzx7\n````"]},
            },
        ),
        (
            SAFE.replace("You answer.", '"{{ 1 / (NOTES | length - 1) }}"'),
            "render",
            9,
            "PP404 a number is divided by zero",
            {"context": {"QUESTION": "a", "NOTES": {"a": 0}}, "expect": {"max_chars": 4000000}},
        ),
    ],
)
def test_a_broken_pack_is_found_and_shrunk(
    tmp_path: Path, body: str, kind: str, line: int, message: str, test: dict[str, Any]
) -> None:
    [finding] = find(tmp_path, body)
    assert (finding.kind, finding.message, finding.location.line) == (kind, message, line)
    shown = dict(finding.test)
    assert shown.pop("name") == f"found by --fuzz: {message}"
    assert shown == test


def test_a_budget_that_a_valid_context_exceeds_is_found(tmp_path: Path) -> None:
    [finding] = find(tmp_path, "budget: {characters: 900}\n" + SAFE)
    assert finding.kind == "budget"
    assert finding.message.startswith("PP435 messages need ")


def test_a_rule_that_fails_on_a_valid_reply_is_found(tmp_path: Path) -> None:
    rule = "  rules:\n    - {name: first, require: 'reply.params[\"items\"][0] > 0', message: m}\n"
    [finding] = find(tmp_path, SAFE + REPLY + rule, 20)
    assert finding.location.line == (HEAD + SAFE + REPLY + rule).splitlines().index(rule.splitlines()[1]) + 1
    assert (finding.kind, finding.test["verdict"]) == ("rule", {"violations": [{"rule": "first", "code": "PP520"}]})


def test_a_pack_without_valid_contexts_is_named_as_such(tmp_path: Path) -> None:
    [finding] = find(tmp_path, SAFE.replace("minLength: 1", "minLength: 3, maxLength: 2"))
    assert (finding.kind, finding.message) == (
        "generate",
        "no valid context can be generated: no value meets the schema",
    )
    assert finding.test == {}


def test_findings_fail_as_tests_of_the_pack(tmp_path: Path) -> None:
    """Each printed test, pasted into the pack, fails; after the correction of the pack, it passes."""
    broken = SAFE.replace("{{ QUESTION | fenced }}", "```\n      {{ QUESTION }}\n      ```")
    [finding] = find(tmp_path, broken)
    pasted = "tests:\n" + dump([dict(finding.test)])
    assert document.parse(pasted, "tests.yaml").data == {"tests": [dict(finding.test)]}
    assert [one.passed for one in trial.run([build(tmp_path, broken + pasted)])] == [False]
    assert [one.passed for one in trial.run([build(tmp_path, SAFE + pasted)])] == [True]


def test_a_good_pack_has_no_findings_and_the_counts_say_what_was_tried(tmp_path: Path) -> None:
    rule = "  rules:\n    - {name: sure, require: reply.confidence > 50, message: m}\n"
    pack = build(tmp_path, SAFE + REPLY + rule)
    report = fuzz(pack, 60)
    assert report.findings == ()
    assert (report.contexts, report.replies, report.near_replies) == (60, 60, 60)
    assert 10 < report.refused_by_rules < 60
    assert report.satisfied == report.refused_by_rules
    assert fuzz(pack, 60) == report
    assert fuzz(pack, 60, seed=1) != report


def test_data_that_changes_the_roles_is_found_unless_a_condition_explains_it(tmp_path: Path) -> None:
    explained = SAFE.replace(
        "  - role: user", "  - {role: user, content: b, when: \"'obey' in QUESTION\"}\n  - role: user"
    )
    assert find(tmp_path, explained) == ()


@pytest.mark.parametrize(
    ("text", "outside"),
    [
        ("a\n```\nb\n```\nc", "a\nc"),
        ("````json\n```\nb\n````\nc", "c"),
        ("```\nb\n~~~\nc", ""),
        ("``` a`b\nc", "``` a`b\nc"),
        ("```\nb\r```\rc", "c"),
        ("   ~~~ x\nb\n  ~~~~ \nc", "c"),
    ],
)
def test_text_outside_fences(text: str, outside: str) -> None:
    assert text_outside_fences(text) == outside


def test_shrinking_keeps_only_what_fails() -> None:
    def fails(value: Any) -> bool:
        return isinstance(value, dict) and "`" in str(value.get("a")) and value.get("n", 0) >= 7

    big = {"a": ["x" * 500, {"b": "one ` two"}], "n": 90, "c": [1, 2, 3], "d": {"e": True}}
    small = shrink(big, fails)
    assert fails(small)
    assert (small, len(small)) == ({"a": [{"b": "`"}], "n": 11}, 2)


def test_every_attack_is_text_that_can_be_sent() -> None:
    assert len(set(ATTACKS)) == len(ATTACKS)
    assert all(text.encode() for text in ATTACKS)
