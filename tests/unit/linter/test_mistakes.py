"""The problems of a pack with one mistake, in full."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptpack.linter.lint_paths import lint
from promptpack.linter.lint_settings import LintSettings

PACK = """\
promptpack: 1
name: triage
version: 0.1.0-dev
inputs:
  TICKET:
    type: object
    additionalProperties: false
    required: [subject]
    properties:
      subject: {type: string}
    description: The ticket.
  TEAMS:
    type: array
    items: {type: string, enum: [billing, shipping]}
    description: The teams.
messages:
  - role: user
    content: |
      {% macro line(team) %}- {{ team }}{% endmacro %}
      {{ TICKET.subject | fenced }}
      {% for entry in TEAMS %}{{ line(entry) }}{% endfor %}
      {{ reply_format }}
reply:
  actions:
    ROUTE_TICKET:
      description: Send it to a team.
      params:
        type: object
        additionalProperties: false
        required: [team]
        properties:
          team: {type: string, description: The team.}
  rules:
    - name: known-team
      when: reply.action == "ROUTE_TICKET"
      path: /params/team
      require: reply.params.team in TEAMS
      message: "team must be one of {{ TEAMS | join(', ') }}"
tests:
  - name: billing
    context: {TICKET: {subject: Money}, TEAMS: [billing]}
    reply: {thought: t, action: ROUTE_TICKET, params: {team: x}, expectedOutcome: e, risk: {level: low, description: d}, confidence: 5}
    verdict: {violations: [{rule: known-team}]}
"""
WRONG_NAME = "an input name must start with a letter and contain only letters, digits and '_' (in /inputs)"
CASES = [
    # names that are not allowed, at their own line
    ("  TEAMS:\n", "  TEAM-S:\n", f"12:3: PP201 wrong key 'TEAM-S': {WRONG_NAME}"),
    ("  TEAMS:\n", "  2TEAMS:\n", f"12:3: PP201 wrong key '2TEAMS': {WRONG_NAME}"),
    ("name: triage", "name: “triage”", "2:7: PP201 '“triage”' must be lower-case letters and digits, with single '-' between them, such as my-agent (in /name)\n  hint: curly quotes are part of the value; use straight quotes or none"),
    # misspelled keys: what follows from them is not reported
    ("  actions:", "  action:", "24:3: PP202 unknown key 'action' (in /reply)\n  hint: did you mean 'actions'?"),
    ("    - name: known-team", "    - nam: known-team", "34:7: PP202 unknown key 'nam' (in /reply/rules/0)\n  hint: did you mean 'name'?"),
    # required
    ("required: [team]", "required: [taem]", "30:20: PP220 'required' names 'taem', which is not in 'properties'\n  hint: did you mean 'team'?"),
    ("required: [team]", "required: [team, priority]", "30:26: PP220 'required' names 'priority', which is not in 'properties'\n  hint: add it to 'properties'"),
    ("required: [subject]", "required: [subjct]", "8:16: PP220 'required' names 'subjct', which is not in 'properties'\n  hint: did you mean 'subject'?"),
    # the path of a rule
    ("path: /params/team", "path: /params/taem", "36:13: PL201 the reply has no '/params/taem'\n  hint: did you mean '/params/team'?"),
    ("path: /params/team", "path: /parms/team", "36:13: PL201 the reply has no '/parms/team'\n  hint: did you mean '/params/team'?"),
    ("path: /params/team", "path: /params/team/0", "36:13: PL201 the reply has no '/params/team/0'"),
    ("path: /params/team", "path: params/team", "36:13: PP201 a path must start with '/', such as /params/team (in /reply/rules/0/path)\n  hint: write '/params/team'"),
    # words without quotes, and similar names
    ('== "ROUTE_TICKET"', "== ROUTE_TICKET", "35:29: PP301 template uses undeclared input 'ROUTE_TICKET'\n  hint: write it in quotes: \"ROUTE_TICKET\""),
    ("{{ reply_format }}", "{{ reply_format }}{{ TEAMS == [billing] }}", "22:38: PP301 template uses undeclared input 'billing'\n  hint: write it in quotes: \"billing\""),
    ("{{ line(entry) }}", "{{ line(entri) }}", "21:39: PP301 template uses undeclared input 'entri'\n  hint: did you mean 'entry'?"),
    ("{{ line(entry) }}", "{{ lin(entry) }}", "21:34: PP301 template uses undeclared input 'lin'\n  hint: did you mean 'line'?"),
    ("{{ reply_format }}", "{{ entry }}{{ reply_format }}", "22:10: PP301 template uses undeclared input 'entry'\n  hint: 'entry' has a value only inside its loop, macro or block"),
    ("{{ reply_format }}", "{{ rang }}{{ reply_format }}", "22:10: PP301 template uses undeclared input 'rang'\n  hint: declare it under 'inputs', or set it in the template before this line"),
    ("{{ reply_format }}", "{{ rang(3) }}{{ reply_format }}", "22:10: PP301 template uses undeclared input 'rang'\n  hint: did you mean 'range'?"),
    # reserved names, values that YAML versions read differently, patterns
    ("  TEAMS:\n", "  pack: {type: string, description: x}\n  TEAMS:\n", "12:3: PP219 an input cannot be named 'pack': templates or rules use this name for something else\n  hint: choose another name"),
    ("promptpack: 1\n", "promptpack: 1\nabstract: False\n", "2:11: PP115 'False' is read differently by different YAML versions\n  hint: write false, or \"False\" in quotes if it is text"),
    ("subject: {type: string}", "subject: {type: string, pattern: '[a-z'}", "10:40: PP216 pattern '[a-z' is not a valid regular expression: unterminated character set at position 0 (in /inputs/TICKET/properties/subject/pattern)\n  hint: write a regular expression that Python's 're' accepts"),
    # tests
    ("TEAMS: [billing]", "TEAMS: [sales]", "41:49: PL026 the context is invalid: 'sales' is not one of 'billing', 'shipping' (in /TEAMS/0)"),
    ("{rule: known-team}", "{rule: known-taem}", "43:35: PL026 the pack has no rule 'known-taem'\n  hint: did you mean 'known-team'?"),
    # schemas that contradict themselves, and what follows from that is not reported
    ("    items: {type: string, enum: [billing, shipping]}", "    items: {type: string, enum: [billing, shipping]}\n    minItems: 3\n    maxItems: 2", "15:15: PL031 'minItems' is 3, more than 'maxItems', which is 2: no value is allowed\n  hint: swap them, or change one"),
    ("enum: [billing, shipping]", "enum: [billing, billing]", "14:43: PL031 'billing' is in 'enum' twice\n  hint: remove one of the two"),
    ("{type: string, enum", "{type: integer, enum", "14:35: PL031 'billing' is in 'enum', but 'type' excludes it\n  hint: change 'type', or remove 'enum'"),
    ("subject: {type: string}", "subject: {type: string, format: dat}", "10:39: PL031 unknown format 'dat'\n  hint: did you mean 'date'?"),
    ("{% for entry in TEAMS %}{{ line(entry) }}", "{% for entry in TICKET %}{{ entry.subject }}", "21:23: PL202 'TICKET' is a mapping: 'entry' is one of its keys, which is text\n  hint: loop over '.items()'"),
    ("{{ line(entry) }}", "{{ line() }}", "21:38: PL203 macro 'line' is called without 'team'\n  hint: give it a value here, or a default in the macro: 'team=...'"),
    ("{% for entry in TEAMS %}", "{% for entry in TEAMS | map(atribute='x') %}", "21:35: PL206 filter 'map' has no argument 'atribute'\n  hint: did you mean 'attribute'?"),
    ("{{ TICKET.subject | fenced }}", "{ TICKET }}", "20:7: PL028 '{ TICKET }}' is sent unchanged, without the value of the input\n  hint: write '{{ TICKET }}'"),
    ("reply: {thought: t, action: ROUTE_TICKET", "reply: {thought: t, action: ROUTE_TICKT", "42:33: PL026 the pack has no action 'ROUTE_TICKT'\n  hint: did you mean 'ROUTE_TICKET'?"),
    ("reply.params.team in", "reply.team in", "37:22: PL201 'reply' declares no key 'team'\n  hint: did you mean 'params.team'?"),
    # partials, braces, tests
    ("messages:", "partials:\n  tone: Be kind.\nmessages:", "17:3: PL032 no template includes the partial 'tone'\n  hint: include it, or remove it"),
    ("      subject: {type: string}", "      subject: {type string}", "10:28: PP128 ':' is missing after 'type string'\n  hint: write 'type: string'; quote a value that contains a comma"),
    ("context: {TICKET: {subject: Money}", "context: {TICKET: {title: Money}", "41:24: PL026 the context is invalid: unknown key 'title' (in /TICKET/title)\n  hint: did you mean 'subject'?"),
    ("{{ TICKET.subject | fenced }}", "${TICKET}", "20:7: PL028 '${TICKET}' is sent unchanged, without the value of the input\n  hint: write '{{ TICKET }}'"),
    ("  - role: user", "  - role: user\n  - role: user", "17:5: PP203 'content' is missing (in /messages/0)"),
    ("  rules:\n", "rules:\n", "33:1: PP202 unknown key 'rules'\n  hint: 'rules' belongs in 'reply'"),
    ("      require: reply", "      check: reply", "37:7: PP202 unknown key 'check' (in /reply/rules/0)\n  hint: did you mean 'require'?"),
    ("version: 0.1.0-dev", "version: 0.1.0 dev", "3:10: PP201 '0.1.0 dev' must be a version such as 1.0.0 or 1.1.0-dev (in /version)\n  hint: the file name says '0.1.0-dev'"),
    ("require: reply.params.team", "require: params.team", "37:16: PP301 template uses undeclared input 'params'\n  hint: did you mean 'reply.params'?"),
    ("    context: {TICKET: {subject: Money}, TEAMS: [billing]}\n", "    context: {TICKET: {subject: Money}, TEAMS: [billing]}\n    expect: {error: PP999}\n", "42:21: PL026 rendering never raises 'PP999'\n  hint: expect a code that starts with PP3 or PP4; see the reference of codes"),
    ("    context: {TICKET: {subject: Money}, TEAMS: [billing]}\n", "    context: {TICKET: {subject: Money}, TEAMS: [billing]}\n    expect: {warnings: [PP999]}\n", "42:25: PL026 no context has the warning 'PP999'\n  hint: the warnings are PP410, PP419, PP427, PP428, PP429"),
    ("    context: {TICKET: {subject: Money}, TEAMS: [billing]}\n", "    context: {TICKET: {subject: Money}, TEAMS: [billing]}\n    expect: {error: PP416, contains: [Money]}\n", "42:28: PL026 'contains' is never checked: the prompt is not rendered\n  hint: remove it, or 'error'"),
    ("verdict: {violations: [{rule: known-team}]}", "verdict: {outcome: invalid, output: {/params/taem: x}}", "43:56: PL026 the reply has no '/params/taem'\n  hint: did you mean '/params/team'?"),
    ("verdict: {violations: [{rule: known-team}]}", "verdict: {violations: [{rule: known-team}]}\n  - {name: other, like: billing, with: {/reply/action: ROUTE_TICKT}, verdict: invalid}", "44:56: PL026 the pack has no action 'ROUTE_TICKT'\n  hint: did you mean 'ROUTE_TICKET'?"),
]  # fmt: skip


def lint_with(old: str, new: str) -> list[str]:
    assert old in PACK
    file = Path("packs/triage/0.1.0-dev.yaml")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(PACK.replace(old, new, 1), "utf-8")
    return [str(problem).removeprefix(f"{file}:") for problem in lint(["packs"], LintSettings()).problems]


@pytest.mark.parametrize(("old", "new", "expected"), CASES, ids=[new for _, new, _ in CASES])
def test_a_mistake_is_one_problem(
    old: str, new: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert lint_with(old, new) == [expected]


def test_the_pack_without_a_mistake_has_no_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert lint_with("promptpack: 1", "promptpack: 1") == []


def test_a_bad_pattern_in_a_schema_file_is_reported_in_that_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("packs/triage").mkdir(parents=True)
    Path("packs/triage/ticket.json").write_text(
        '{"type": "object",\n "properties": {"a": {"pattern": "[a-z"}}}', "utf-8"
    )
    found = lint_with(
        "TICKET:\n    type: object", "CODE: {$ref: ticket.json, description: c}\n  TICKET:\n    type: object"
    )
    assert [one for one in found if "PP216" in one] == [
        "packs/triage/ticket.json:2:34: PP216 pattern '[a-z' is not a valid regular expression: "
        "unterminated character set at position 0 (in /properties/a/pattern)\n"
        "  hint: write a regular expression that Python's 're' accepts"
    ]


WORDS = [found.span() for found in re.finditer(r"[\w-]+", PACK)]


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(WORDS), st.sampled_from(["", "null", "5", "[a]", "{a: 1}", "true", "'", '"', "x y", "{{", "- a"])
)
def test_any_replaced_word_has_problems_with_locations_or_none(
    tmp_path_factory: pytest.TempPathFactory, span: tuple[int, int], word: str
) -> None:
    file = tmp_path_factory.mktemp("edit") / "packs" / "triage" / "0.1.0-dev.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(PACK[: span[0]] + word + PACK[span[1] :], "utf-8")
    found = lint([str(file.parents[1])], LintSettings()).problems
    assert all(problem.location is not None and problem.location.line for problem in found)
