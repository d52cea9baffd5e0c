"""Locale variants that contain only text."""

from collections.abc import Callable
from pathlib import Path

import pytest

from promptpack import Library
from promptpack.linter import LintSettings, lint

Open = Callable[[], Library]
WritePack = Callable[..., Path]

GOOD = (
    '{"thought": "t", "action": "ROUTE", "params": {"team": "a"}, "expectedOutcome": "o", '
    '"risk": {"level": "low", "description": "d"}, "confidence": 5}'
)
DEFAULT = """\
locale: en
agent: sorter
inputs:
  TICKET: {type: string, trust: untrusted, description: The ticket.}
partials: {tone: Be kind.}
messages:
  - {id: rules, role: system, content: 'Sort. {% include "tone" %}{{ reply_format }}'}
  - {id: ticket, role: user, when: TICKET, content: "{{ TICKET | fenced }}"}
reply:
  actions:
    ROUTE: {params: {type: object, required: [team], properties: {team: {enum: [a, b], description: The team.}}}}
  rules:
    - {name: sure, require: reply.confidence > 10, message: be sure, path: /confidence}
tests:
  - {name: a ticket, context: {TICKET: help}, expect: {contains: [help, Sort]}, reply: REPLY, verdict: valid}
""".replace("REPLY", GOOD.replace("5}", "50}"))
GERMAN = """\
partials: {tone: Sei freundlich.}
messages:
  - {id: rules, content: 'Sortiere. {% include "tone" %}{{ reply_format }}'}
reply:
  actions: {ROUTE: {params: {properties: {team: {description: Das Team.}}}}}
  rules: [{name: sure, message: sei sicher}]
tests:
  - {name: a ticket, expect: {contains: [help, Sortiere]}}
"""


@pytest.fixture
def variant(write_pack: WritePack) -> Callable[[str], Path]:
    """Write the default file; return a function that writes the German variant."""
    write_pack(body=DEFAULT)
    return lambda body: write_pack(body=body, locale="de")


def test_a_variant_with_only_text_inherits_the_rest(variant: Callable[[str], Path], open_packs: Open) -> None:
    variant(GERMAN)
    library = open_packs()
    assert lint(["packs"], LintSettings()).problems == ()
    pack, default = library.get("demo", "de"), library.get("demo")
    prompt = pack.render(TICKET="hilf")
    assert [message.role for message in prompt.messages] == ["system", "user"]
    assert str(prompt.messages[0].content).startswith("Sortiere. Sei freundlich.")
    assert "Das Team." in str(prompt.messages[0].content)
    assert prompt.check(GOOD).violations[0].message == "sei sicher"
    assert (pack.agent, pack.locale, pack.inputs.keys()) == ("sorter", "de", default.inputs.keys())
    assert [(test.name, dict(test.expect)) for test in pack.tests] == [("a ticket", {"contains": ["help", "Sortiere"]})]
    assert pack.digest != default.digest


def test_whole_messages_replace_the_list(variant: Callable[[str], Path], open_packs: Open) -> None:
    variant("messages:\n  - {role: user, content: 'Nur {{ TICKET | fenced }}'}\n")
    assert open_packs().get("demo", "de").render(TICKET="x").to_text() == "[user]\nNur ```\nx\n```"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "messages:\n  - {id: rulez, content: x}\n",
            "packs/demo/1.0.0.de.yaml:6:10: PP236 the default file has no id 'rulez' in 'messages'\n"
            "  hint: did you mean 'rules'?",
        ),
        (
            "reply:\n  rules:\n    - {name: other, message: x}\n",
            "packs/demo/1.0.0.de.yaml:7:14: PP236 the default file has no name 'other' in 'rules'\n"
            "  hint: it has sure; a new one needs 'require'",
        ),
        (
            "messages:\n  - {id: rules, contnt: x}\n",
            "packs/demo/1.0.0.de.yaml:6:17: PP202 unknown key 'contnt' (in /messages/0)\n"
            "  hint: did you mean 'content'?",
        ),
        (
            "partials: {tone: '{{ TICKTE }}'}\n",
            "packs/demo/1.0.0.de.yaml:5:22: PP301 template uses undeclared input 'TICKTE'\n"
            "  hint: did you mean 'TICKET'?",
        ),
    ],
)
def test_problems_are_in_the_file_of_the_variant(
    variant: Callable[[str], Path], open_packs: Open, body: str, expected: str
) -> None:
    variant(body)
    assert [str(found) for found in open_packs().problems] == [expected]


def test_a_problem_of_the_default_file_is_reported_there(
    variant: Callable[[str], Path], write_pack: WritePack, open_packs: Open
) -> None:
    variant(GERMAN)
    write_pack(body=DEFAULT.replace("role: user", "rle: user"))
    assert [str(found) for found in open_packs().problems] == [
        "packs/demo/1.0.0.de.yaml:2:1: PP237 this variant needs packs/demo/1.0.0.yaml, which is broken\n"
        "  hint: fix that file first",
        "packs/demo/1.0.0.yaml:11:18: PP202 unknown key 'rle' (in /messages/1)\n  hint: did you mean 'role'?",
    ]


def test_a_variant_with_only_texts_needs_a_default_file(write_pack: WritePack, open_packs: Open) -> None:
    write_pack(version="1.0.1", body=GERMAN, locale="de")
    assert [str(found) for found in open_packs().problems] == [
        "packs/demo/1.0.1.de.yaml:2:1: PP238 this variant has only texts, but there is no default file of demo@1.0.1\n"
        "  hint: give it the name and version of that file, or add 1.0.1.yaml"
    ]


def test_lint_reports_a_broken_default_file_once(
    variant: Callable[[str], Path], write_pack: WritePack, open_packs: Open
) -> None:
    variant(GERMAN)
    write_pack(body=DEFAULT.replace("role: user", "rle: user"))
    open_packs()
    assert [found.code for found in lint(["packs"], LintSettings()).problems] == ["PP202"]


def test_a_changed_default_file_changes_the_variant(
    variant: Callable[[str], Path], write_pack: WritePack, open_packs: Open
) -> None:
    variant(GERMAN)
    library = open_packs()
    digest = library.get("demo", "de").digest
    write_pack(body=DEFAULT.replace("when: TICKET", "when: 'true'"))
    reloaded = library.reload().library
    assert reloaded.get("demo", "de").digest != digest
    assert open_packs().get("demo", "de").digest == reloaded.get("demo", "de").digest


def test_a_whole_variant_inherits_nothing(variant: Callable[[str], Path], open_packs: Open) -> None:
    variant("inputs: {}\nmessages:\n  - {role: user, content: hallo}\n")
    pack = open_packs().get("demo", "de")
    assert (pack.inputs, pack.contract, pack.tests) == ({}, None, ())
