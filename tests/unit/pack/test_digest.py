"""The digest of a pack depends on everything that is rendered or checked, and on nothing else."""

from collections.abc import Callable
from pathlib import Path

import pytest

from promptpack import Library, Pack

Digest = Callable[[str], str]
WritePack = Callable[..., Path]

SENTENCE = "messages:\n  - {role: user, content: hi}\n"
REPLY = "reply: {actions: {GO: {params: {type: object, properties: {%s}}, example: {%s}}}}\n"
RULES = "reply: {rules: [%s]}\n"
RULE = "{name: %s, require: reply.action, message: m}"
CALL = "messages:\n  - {role: assistant, tool_calls: [{id: a, name: b, arguments: {%s}}]}\n"


@pytest.fixture
def digest(make_pack: Callable[[str], Pack]) -> Digest:
    """Return the digest of a pack with this body."""
    return lambda body: make_pack(body).digest


def test_the_digest_does_not_depend_on_order_comments_or_line_endings(digest: Digest, write_pack: WritePack) -> None:
    first = digest("agent: a\nmessages:\n  - {role: user, content: hi}\n")
    second = digest("# comment\nmessages:\n  - content: hi\n    role: user\nagent: a\n")
    path = write_pack(body="agent: a\nmessages:\n  - {role: user, content: hi}\n")
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert first == second == Library.open(str(path.parent.parent)).get("demo").digest


@pytest.mark.parametrize(
    "body",
    [
        "messages:\n  - {role: user, content: ho}\n",
        "messages:\n  - {role: system, content: hi}\n",
        "messages:\n  - {role: user, content: hi}\ninputs: {A: {type: string}}\n",
        "messages:\n  - {role: user, content: hi}\nreply: {}\n",
    ],
)
def test_the_digest_depends_on_what_is_rendered_and_checked(digest: Digest, body: str) -> None:
    assert digest(body) != digest("messages:\n  - {role: user, content: hi}\n")


def test_the_digest_does_not_depend_on_tests(digest: Digest) -> None:
    plain = "messages:\n  - {role: user, content: hi}\n"
    assert digest(plain) == digest(plain + "tests:\n  - {name: t}\n")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (SENTENCE + "inputs: {A: {default: {x: 1, y: 2}}}\n", SENTENCE + "inputs: {A: {default: {y: 2, x: 1}}}\n"),
        (SENTENCE + "inputs: {A: {default: [{x: 1, y: 2}]}}\n", SENTENCE + "inputs: {A: {default: [{y: 2, x: 1}]}}\n"),
        (SENTENCE + REPLY % ("x: {}, y: {}", "a: 1"), SENTENCE + REPLY % ("y: {}, x: {}", "a: 1")),
        (SENTENCE + REPLY % ("x: {}", "a: 1, b: 2"), SENTENCE + REPLY % ("x: {}", "b: 2, a: 1")),
        (SENTENCE + REPLY % ("x: {const: {a: 1, b: 2}}", ""), SENTENCE + REPLY % ("x: {const: {b: 2, a: 1}}", "")),
        (SENTENCE + "reply: {actions: {GO: {}, STOP: {}}}\n", SENTENCE + "reply: {actions: {STOP: {}, GO: {}}}\n"),
        (
            SENTENCE + RULES % f"{RULE % 'a'}, {RULE % 'b'}",
            SENTENCE + RULES % f"{RULE % 'b'}, {RULE % 'a'}",
        ),
        (CALL % "x: 1, y: 2", CALL % "y: 2, x: 1"),
    ],
    ids=["default", "list", "fields", "example", "const", "actions", "rules", "arguments"],
)
def test_an_order_that_is_visible_in_the_prompt_changes_the_digest(digest: Digest, one: str, other: str) -> None:
    assert digest(one) != digest(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (SENTENCE + "inputs: {A: {}, B: {}}\n", SENTENCE + "inputs: {B: {}, A: {}}\n"),
        (
            SENTENCE + "inputs: {A: {type: object, default: {x: 1}}}\n",
            SENTENCE + "inputs: {A: {default: {x: 1}, type: object}}\n",
        ),
        (
            SENTENCE + REPLY % ("x: {type: integer, minimum: 1}", ""),
            SENTENCE + "reply: {actions: {GO: {example: {}, params: {properties: {x: {minimum: 1, type: integer}}, "
            "type: object}}}}\n",
        ),
        (
            SENTENCE + RULES % "{name: a, require: reply.action, message: m}",
            SENTENCE + RULES % "{message: m, require: reply.action, name: a}",
        ),
    ],
    ids=["inputs", "input", "params", "rule"],
)
def test_an_order_that_is_not_visible_does_not_change_the_digest(digest: Digest, one: str, other: str) -> None:
    assert digest(one) == digest(other)


@pytest.mark.parametrize(
    "inherited",
    [
        "messages:\n  - {role: user, content: '{{ X }}'}\n",
        "slots: {input: '{{ X }}'}\n",
        "partials: {part: '{{ X }}'}\nmessages:\n  - {id: one, role: user, content: old}\n",
    ],
    ids=["message", "slot", "partial"],
)
def test_the_syntax_of_inherited_sections_is_part_of_the_digest(
    write_pack: WritePack, open_packs: Callable[[], Library], inherited: str
) -> None:
    digests = []
    for syntax in ("jinja", "handlebars"):
        write_pack("parent", body=f"syntax: {syntax}\ninputs: {{X: {{}}}}\n{inherited}")
        own = (
            "messages:\n  - {id: one, role: user, content: '{% include \"part\" %}'}\n" if "part:" in inherited else ""
        )
        write_pack("demo", body=f"extends: parent\n{own}")
        digests.append(open_packs().get("demo").digest)
    assert digests[0] != digests[1]
