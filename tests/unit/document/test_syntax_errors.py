"""The exact messages of YAML syntax errors: the line of the cause, in the author's words, with the corrected line."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptpack.document import parse
from promptpack.problem import PackError

PACK = """\
promptpack: 1
name: demo
version: 1.0.0
description: Reads one ticket
locale: en
inputs:
  TEAMS:
    type: array
    minItems: 1
    description: The teams
  LIMIT:
    type: number
    default: 50
messages:
  - id: system
    role: system
    content: |
      You are an agent.
      Text inside a fence.

      Last line {{ TEAMS }}
  - role: user
    content: "{{ TEAMS }}"
reply:
  actions:
    ROUTE:
      params:
        type: object
        required: [team, priority]
        properties: {team: {type: string}, priority: {enum: [low, high]}}
  rules:
    - name: known-team
      when: reply.action == "ROUTE"
      require: reply.params.team in TEAMS
      message: "team must be one of {{ TEAMS | join(', ') }}"
tests:
  - name: works
    context: {TEAMS: [a, b]}
"""


def problem(text: str) -> str:
    with pytest.raises(PackError) as caught:
        parse(text, "p.yaml")
    assert len(caught.value.problems) == 1
    return str(caught.value.problems[0]).replace("\n  hint:", " |")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('locale: en', 'locale = en', "p.yaml:5:8: PP110 '=' instead of ':' after 'locale' | write: locale: en"),
        ('    content: |\n      You are an agent.\n', '    content:\n      {% if x %}\n', "p.yaml:17:5: PP110 the text below 'content' needs '|' | write: content: |"),
        ('  - role: user\n', '  role: user\n', "p.yaml:22:3: PP110 the list item 'role' needs '- ' | write: - role: user"),
        ('    type: array\n', '    type array\n', "p.yaml:8:9: PP110 ':' is missing after 'type' | write: type: array"),
        ('properties: {team: {type: string}, priority', 'properties: {team: {type: string} priority', 'p.yaml:30:42: PP110 a comma is missing | write: properties: {team: {type: string}, priority: {enum: [low, high]}}'),
        ('[team, priority]', '["team" priority]', 'p.yaml:29:26: PP110 a comma is missing | write: required: ["team", priority]'),
        ('{team: {type: string}', "{team: {type: string, description: 'the team's name'}", 'p.yaml:30:56: PP110 \' inside a value in \' quotes ends it | write: properties: {team: {type: string, description: "the team\'s name"}, priority: {enum: [low, high]}}'),
        ('{type: string}', '{type: Literal["a", "b"]}', 'p.yaml:30:35: PP110 a value with brackets and quotes needs quotes | write: properties: {team: {type: \'Literal["a", "b"]\'}, priority: {enum: [low, high]}}'),
        ('{type: string}', '{type: string, pattern: "^a, description: x}', 'p.yaml:30:52: PP110 a quote is not closed | write: properties: {team: {type: string, pattern: "^a", description: x}, priority: {enum: [low, high]}}'),
        ('tests:\n', ' tests:\n', 'p.yaml:36:2: PP110 this line is indented too much: by 1 instead of 0 spaces | indent it by 0 spaces'),
        ('locale: en', 'locale:en', "p.yaml:5:7: PP110 a space is missing after 'locale:' | write: locale: en"),
        ('locale: en', 'locale： en', "p.yaml:5:7: PP110 '：' instead of ':' | write: locale: en"),
        ('locale: en', 'locale：en', "p.yaml:5:7: PP110 '：' instead of ':' | write: locale: en"),
        ('      Text inside', '    Text inside', 'p.yaml:19:5: PP110 this line is indented too little: by 4 instead of 6 spaces | indent it by 6 spaces'),
        ('      Text inside', '   Text inside', 'p.yaml:19:4: PP110 this line is indented too little: by 3 instead of 6 spaces | indent it by 6 spaces'),
        ('      Text inside', 'Text inside', 'p.yaml:19:1: PP110 this line is indented too little: by 0 instead of 6 spaces | indent it by 6 spaces'),
        ('default: 50', 'default:\xa050', 'p.yaml:13:13: PP110 a non-breaking space instead of a plain one | write: default: 50'),
        ('{{ TEAMS | join(\', \') }}"', "{{ TEAMS | join(', ') }}", 'p.yaml:35:16: PP110 the quote " is not closed | write: message: "team must be one of {{ TEAMS | join(\', \') }}"'),
        ('[team, priority]', '[team, priority', "p.yaml:29:19: PP110 '[' is not closed with ']' | write: required: [team, priority]"),
        ('    type: array', '\ttype: array', 'p.yaml:8:1: PP110 a tab indents this line | write: type: array'),
        ('    type: array', '  \ttype: array', 'p.yaml:8:3: PP110 a tab indents this line | write: type: array'),
        ('description: Reads one ticket', 'example: {a: 1, b: Use the # sign}', "p.yaml:4:28: PP110 after a space, '#' starts a comment | write: example: {a: 1, b: \"Use the # sign\"}"),
        ('description: Reads one', 'description: Note: Reads one', 'p.yaml:4:14: PP110 a value that contains \': \' needs quotes | write: description: "Note: Reads one ticket"'),
        ('description: Reads one ticket', 'example: {a: 1, b: *5* is}', "p.yaml:4:20: PP110 a value that starts with '*' needs quotes | write: example: {a: 1, b: \"*5* is\"}"),
        ('description: Reads one ticket', 'example: {a: "^\\w+$"}', "p.yaml:4:14: PP110 a '\\' in double quotes starts an escape | write: example: {a: '^\\w+$'}"),
        ('description: Reads one ticket', 'example: {a: 1 b: 2}', "p.yaml:4:15: PP110 a comma is missing | write: example: {a: 1, b: 2}"),
        ('description: Reads one ticket', 'example: {a: x, b: Note: y}', "p.yaml:4:20: PP110 a value that contains ': ' needs quotes | write: example: {a: x, b: \"Note: y\"}"),
        ('description: Reads one ticket', 'example: {a: "x, y}', "p.yaml:4:14: PP110 a quote is not closed | write: example: {a: \"x, y\"}"),
        ('description: Reads one ticket', 'example: [a, b]]', "p.yaml:4:16: PP110 ']' closes nothing | write: example: [a, b]"),
        ('description: Reads', 'description: @you reads', 'p.yaml:4:14: PP110 a value that starts with \'@\' needs quotes | write: description: "@you reads one ticket"'),
        ('description: Reads', 'description: %d reads', 'p.yaml:4:14: PP110 a value that starts with \'%\' needs quotes | write: description: "%d reads one ticket"'),
        ('description: Reads', 'description: *all* reads', 'p.yaml:4:14: PP110 a value that starts with \'*\' needs quotes | write: description: "*all* reads one ticket"'),
        ('description: Reads', 'description: - reads', 'p.yaml:4:14: PP110 a value that starts with \'-\' needs quotes | write: description: "- reads one ticket"'),
        ('content: "{{ TEAMS }}"', 'content: {% if TEAMS %}x{% endif %}', 'p.yaml:23:14: PP110 a value that starts with \'{%\' needs quotes | write: content: "{% if TEAMS %}x{% endif %}"'),
        ('name: demo', 'name demo', "p.yaml:2:5: PP110 ':' is missing after 'name' | write: name: demo"),
        ('  LIMIT:\n', '  LIMIT\n', "p.yaml:11:8: PP110 ':' is missing after 'LIMIT' | write: LIMIT:"),
        ('    type: number', '   type: number', 'p.yaml:12:4: PP110 this line is indented too little: by 3 instead of 4 spaces | indent it by 4 spaces'),
        ('    type: number', '     type: number', 'p.yaml:12:6: PP110 this line is indented too much: by 5 instead of 4 spaces | indent it by 4 spaces'),
        ('{type: string}, priority', '{type: string, priority', "p.yaml:30:21: PP110 '{' is not closed with '}' | write: properties: {team: {type: string, priority: {enum: [low, high]}}}"),
        ('{enum: [low, high]}}', '{enum: [low, high]}', "p.yaml:30:21: PP110 '{' is not closed with '}' | write: properties: {team: {type: string}, priority: {enum: [low, high]}}"),
        ('description: The teams', "description: 'The team's list'", 'p.yaml:10:18: PP110 \' inside a value in \' quotes ends it | write: description: "The team\'s list"'),
        ('description: The teams', 'description: "The" teams', 'p.yaml:10:18: PP110 " inside a value in " quotes ends it | write: description: \'"The" teams\''),
        ('description: The teams', 'description: `x`', 'p.yaml:10:18: PP110 a value that starts with a backtick needs quotes | write: description: "`x`"'),
        ('  - role: user', '  -role: user', "p.yaml:22:3: PP110 a space is missing after '-' | write: - role: user"),
        ('  - role: user', '   - role: user', 'p.yaml:22:4: PP110 this line is indented too much: by 3 instead of 2 spaces | indent it by 2 spaces'),
        ('  - role: user', ' - role: user', 'p.yaml:22:2: PP110 this line is indented too little: by 1 instead of 2 spaces | indent it by 2 spaces'),
        ('tests:\n  - name', 'tests:\n - name', 'p.yaml:37:2: PP110 this line is indented too little: by 1 instead of 2 spaces | indent it by 2 spaces'),
        ('locale: en', '<<<<<<< HEAD\nlocale: en\n=======\nlocale: de\n>>>>>>> x', 'p.yaml:5:1: PP110 unresolved merge conflict | keep one of the two versions, and remove the marks'),
        ('require: reply.params.team in TEAMS', 'require: "reply.params.team in TEAMS', 'p.yaml:34:16: PP110 the quote " is not closed | write: require: "reply.params.team in TEAMS"'),
        ('require: reply.params.team in TEAMS', "require: 'reply.params.team in TEAMS", "p.yaml:34:16: PP110 the quote ' is not closed | write: require: 'reply.params.team in TEAMS'"),
        ('context: {TEAMS: [a, b]}', 'context: {TEAMS: [a, b]', "p.yaml:38:14: PP110 '{' is not closed with '}' | write: context: {TEAMS: [a, b]}"),
        ('context: {TEAMS: [a, b]}', 'context: TEAMS: [a, b]', 'p.yaml:38:14: PP110 a value that contains \': \' needs quotes | write: context: "TEAMS: [a, b]"'),
        ('name: works', 'name: works: fine', 'p.yaml:37:11: PP110 a value that contains \': \' needs quotes | write: - name: "works: fine"'),
        ('name: works', "name: it's: fine", 'p.yaml:37:11: PP110 a value that contains \': \' needs quotes | write: - name: "it\'s: fine"'),
        ('description: Reads one', 'description: "Reads" one', 'p.yaml:4:14: PP110 " inside a value in " quotes ends it | write: description: \'"Reads" one ticket\''),
        ('version: 1.0.0', 'version = 1.0.0', "p.yaml:3:9: PP110 '=' instead of ':' after 'version' | write: version: 1.0.0"),
        ('    type: array', '    type:array', "p.yaml:8:9: PP110 a space is missing after 'type:' | write: type: array"),
        ('reply:\n', 'reply\n', "p.yaml:24:6: PP110 ':' is missing after 'reply' | write: reply:"),
        ('      when: reply', '       when: reply', 'p.yaml:33:8: PP110 this line is indented too much: by 7 instead of 6 spaces | indent it by 6 spaces'),
        ('content: |\n      You', 'content: | You', "p.yaml:17:16: PP110 text on the line of '|' or '>' | write '|' at the end of the line, and 'You are an agent.' indented on the next one"),
        ('description: Reads one', 'description: [Reads] one', 'p.yaml:4:14: PP110 a value that starts with \'[\' and continues after the bracket needs quotes | write: description: "[Reads] one ticket"'),
        ('description: Reads one', 'description: {X} one', 'p.yaml:4:14: PP110 a value that starts with \'{\' and continues after the bracket needs quotes | write: description: "{X} one ticket"'),
        ('description: Reads one', 'description: &x* one: y', 'p.yaml:4:14: PP110 a value that starts with \'&\' needs quotes | write: description: "&x* one: y ticket"'),
        ('description: Reads one', 'description: ? what: x', 'p.yaml:4:14: PP110 a value that starts with \'?\' needs quotes | write: description: "? what: x ticket"'),
    ],
)  # fmt: skip
def test_the_cause_is_reported_with_its_correction(old: str, new: str, expected: str) -> None:
    assert old in PACK
    assert problem(PACK.replace(old, new, 1)) == expected


def test_a_list_item_without_its_dash_is_reported_at_the_key_of_the_list() -> None:
    rules = "rules:\n  first:\n    when: a\n  - name: second\n    when: b\n"
    assert problem(rules) == "p.yaml:1:1: PP110 'rules' is a list: its item 'first' needs '- ' | write: - first:"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: [1, 2\nb: 3\nc: }\n", "p.yaml:1:4: PP110 cannot be read as YAML: a '[' has no ']'"),
        ('a: "\\q"\n', "p.yaml:1:4: PP110 a '\\' in double quotes starts an escape | write: a: '\\q'"),
        ("b: 'x\n" + "c: 1\n" * 100, "p.yaml:1:4: PP110 the quote ' is not closed | write: b: 'x'"),
    ],
)
def test_an_error_without_a_correction_is_in_plain_words_at_its_start(text: str, expected: str) -> None:
    assert problem(text) == expected


EDITS = st.sampled_from(["", ":", '"', "'", "[", "}", "\t", " ", "- ", "\n", "{{", "%", "\u00a0", "：", "|", "#"])


@pytest.mark.parametrize("text", ["{", "[\n", "a: {\n", "'", 'a: "\n\n', "a: [[", "- {a: [\n"])
def test_a_text_that_ends_too_early_has_a_problem(text: str) -> None:
    with pytest.raises(PackError, match="PP1"):
        parse(text, "p.yaml")


@settings(max_examples=150, deadline=None)
@given(st.integers(0, len(PACK)), st.integers(0, 3), EDITS)
def test_any_edit_has_a_located_problem_or_none(at: int, removed: int, added: str) -> None:
    text = PACK[:at] + added + PACK[at + removed :]
    try:
        parse(text, "p.yaml")
    except PackError as error:
        for found in error.problems:
            assert found.location is not None
            assert 1 <= found.location.line <= text.count("\n") + 2
            assert found.location.end >= (found.location.line, found.location.column)
            assert "YAML syntax:" not in found.message
            assert "did not find" not in found.message
