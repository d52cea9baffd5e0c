"""The problems that the pack schema finds, in full text."""

from collections.abc import Callable

import pytest

ProblemsOf = Callable[[str], str]
MESSAGES = "messages:\n  - {role: user, content: hi}\n"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("mesages: []\n", "packs/demo/1.0.0.yaml:4:1: PP202 unknown key 'mesages'\n  hint: did you mean 'messages'?"),
        ("", "packs/demo/1.0.0.yaml:1:1: PP203 'messages' is missing"),
        ("messages: hi\n", "packs/demo/1.0.0.yaml:4:1: PP204 expected a list, not text (in /messages)"),
        (
            "messages:\n  - {role: systm, content: hi}\n",
            "packs/demo/1.0.0.yaml:5:12: PP205 'systm' is not one of 'system', 'developer', 'user', 'assistant', "
            "'tool' (in /messages/0/role)\n  hint: did you mean 'system'?",
        ),
        (
            MESSAGES + "locale: english\n",
            "packs/demo/1.0.0.yaml:6:9: PP201 'english' must be a language tag such as en, en-US or zh-CN (in /locale)",
        ),
        (
            MESSAGES + "inputs:\n  A: {type: string, minLenght: 1}\n",
            "packs/demo/1.0.0.yaml:7:21: PP202 unknown key 'minLenght' (in /inputs/A)\n  hint: did you mean 'minLength'?",
        ),
        (
            MESSAGES + "inputs:\n  A: {type: strng}\n",
            "packs/demo/1.0.0.yaml:7:13: PP205 'strng' is not one of 'string', 'number', 'integer', 'boolean', "
            "'object', 'array', 'null' (in /inputs/A/type)\n  hint: did you mean 'string'?",
        ),
        (
            "messages:\n  - {id: a, role: user, content: x}\n  - {id: a, role: user, content: y}\n",
            "packs/demo/1.0.0.yaml:6:10: PP206 id 'a' is used twice in 'messages'\n  hint: use a different id",
        ),
        (
            MESSAGES + "inputs:\n  A: {type: integer, default: x}\n",
            "packs/demo/1.0.0.yaml:7:31: PP207 default of 'A': expected a whole number, not text",
        ),
        (
            "messages:\n  - {history: H, role: user}\n",
            "packs/demo/1.0.0.yaml:5:24: PP201 not allowed together with 'history' (in /messages/0/role)",
        ),
        (
            MESSAGES + "slots: {input: x}\n",
            "packs/demo/1.0.0.yaml:5:3: PP201 a pack must have 'messages' or 'slots', not both (in /messages)",
        ),
        (
            "messages:\n  - role: user\n    content: [{text: a, image: b}]\n",
            "packs/demo/1.0.0.yaml:6:15: PP201 a part must have exactly one of 'text', 'image', 'audio' and 'file' "
            "(in /messages/0/content/0)",
        ),
    ],
)
def test_a_schema_problem_has_its_location_and_a_hint(problems_of: ProblemsOf, body: str, expected: str) -> None:
    assert problems_of(body or "description: nothing else\n") == expected


def test_a_version_that_yaml_reads_as_a_number_has_a_hint(
    write_pack: Callable[..., object], open_packs: Callable[[], object]
) -> None:
    write_pack(version="1.10", file="1.0.0.yaml")
    problems = open_packs().problems  # type: ignore[attr-defined]
    assert str(problems[0]) == (
        "packs/demo/1.0.0.yaml:3:1: PP204 must be a version such as 1.0.0 or 1.1.0-dev (in /version)\n"
        "  hint: write it in quotes"
    )


def test_all_problems_of_a_file_are_reported_together(problems_of: ProblemsOf) -> None:
    body = "loclae: en\ninputs:\n  A: {typ: string}\nmessages:\n  - {role: usr, content: 5}\nreply: {actons: {}}\n"
    assert [line.split()[1] for line in problems_of(body).splitlines() if not line.startswith("  ")] == [
        "PP202", "PP202", "PP205", "PP204", "PP202",
    ]  # fmt: skip


def test_keys_that_start_with_x_are_allowed(problems_of: ProblemsOf) -> None:
    assert problems_of(MESSAGES + "x-owner: me\n") == ""
