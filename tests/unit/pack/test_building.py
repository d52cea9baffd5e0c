"""Building packs: templates, references, contracts and `extends`, with the location of every problem."""

from collections.abc import Callable
from pathlib import Path

import pytest

from promptpack import ContextError, Library, Pack

ProblemsOf = Callable[[str], str]
MakePack = Callable[[str], Pack]
WritePack = Callable[..., Path]

REPLY = """\
messages:
  - {role: user, content: hi}
reply:
  actions:
    PLAN:
      params: {type: object, required: [steps], properties: {steps: {type: array, items: {type: string}}}}
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "inputs:\n  USER_GOAL: {type: string}\nmessages:\n  - role: user\n    content: |\n      a\n      {{ USER_GAOL }}\n",
            "packs/demo/1.0.0.yaml:10:10: PP301 template uses undeclared input 'USER_GAOL'\n  hint: did you mean 'USER_GOAL'?",
        ),
        (
            "inputs:\n  A: {type: string}\nmessages:\n  - role: user\n    when: B\n    content: x\n",
            "packs/demo/1.0.0.yaml:8:11: PP301 template uses undeclared input 'B'\n  hint: declare it under 'inputs'",
        ),
        (
            "messages:\n  - {history: HISTROY}\ninputs: {HISTORY: {type: array}}\n",
            "packs/demo/1.0.0.yaml:5:15: PP301 'HISTROY' is not an input\n  hint: did you mean 'HISTORY'?",
        ),
        (
            "messages:\n  - {role: user, content: \"{% include 'ruls' %}\"}\npartials: {rules: x}\n",
            "packs/demo/1.0.0.yaml:5:40: PP305 unknown partial 'ruls'\n  hint: did you mean 'rules'?",
        ),
        (
            "messages:\n  - {role: user, content: >-\n      a {{ 1 | jsn }}}\n".replace("{role: user, content: >-\n      a {{ 1 | jsn }}}", "role: user\n    content: >-\n      a\n      b {{ 1 | jsn }}"),
            "packs/demo/1.0.0.yaml:8:16: PP303 unknown filter 'jsn'\n  hint: did you mean 'json'?",
        ),
        (
            "messages:\n  - {role: user, content: hi}\ninputs:\n  A: {$ref: ../other.json}\n",
            "packs/demo/1.0.0.yaml:7:13: PP213 no schema file 'other.json'\n  hint: paths are relative to the file with '$ref'",
        ),
        (
            "messages:\n  - {role: user, content: hi}\ninputs:\n  A: {$ref: ../../../other.json}\n",
            "packs/demo/1.0.0.yaml:7:13: PP212 reference '../../../other.json' is outside the folder of the packs\n"
            "  hint: refer to a file in the folder of the packs, in 'schemas' next to it, or to a shipped schema",
        ),
        (
            "messages:\n  - {role: user, content: hi}\ninputs:\n  A: {$ref: 'http://127.0.0.1/x.json'}\n",
            "packs/demo/1.0.0.yaml:7:13: PP211 reference 'http://127.0.0.1/x.json' is not a file of this pack\n"
            "  hint: refer to a file in the folder of the packs, in 'schemas' next to it, or to a shipped schema",
        ),
        (
            "messages:\n  - {role: user, content: hi}\ninputs:\n  A: {$ref: '#/$defs/thng', $defs: {thing: {}}}\n",
            "packs/demo/1.0.0.yaml:7:13: PP213 reference '#/$defs/thng' has no target\n  hint: did you mean 'thing'?",
        ),
        (
            "messages:\n  - {role: user, content: hi}\ninputs:\n  A: {$ref: '#'}\n",
            "packs/demo/1.0.0.yaml:7:13: PP214 reference '#' refers to itself\n  hint: replace it with a schema",
        ),
        (
            "messages:\n  - {role: user, content: hi}\nreply: {contract: agent-ouput}\n",
            "packs/demo/1.0.0.yaml:6:19: PP222 unknown contract 'agent-ouput'\n  hint: did you mean 'agent-output'?",
        ),
        (
            REPLY + "  rules:\n    - {name: r, when: reply.action == \"PLN\", require: 'true', message: m}\n",
            "packs/demo/1.0.0.yaml:11:39: PP223 the pack has no action 'PLN'\n  hint: did you mean 'PLAN'?",
        ),
        (
            REPLY + "  rules:\n    - {name: r, require: repl.action, message: m}\n",
            "packs/demo/1.0.0.yaml:11:26: PP301 template uses undeclared input 'repl'\n  hint: did you mean 'reply'?",
        ),
        (
            REPLY + "  tools: TOOLS\n",
            "packs/demo/1.0.0.yaml:10:10: PP301 'TOOLS' is not an input\n  hint: declare it under 'inputs'",
        ),
        (
            "extends: bse@^1\nmessages:\n  - {role: user, content: hi}\n",
            "packs/demo/1.0.0.yaml:4:10: PP231 no pack named 'bse'\n  hint: 'promptpack list' shows all packs",
        ),
        (
            "extends: demo@^1\nmessages:\n  - {role: user, content: hi}\n",
            "packs/demo/1.0.0.yaml:4:10: PP232 'extends' forms a cycle: packs/demo/1.0.0.yaml -> packs/demo/1.0.0.yaml\n  hint: remove one 'extends'",
        ),
    ],
)  # fmt: skip
def test_a_problem_of_building_points_into_the_pack_file(problems_of: ProblemsOf, body: str, expected: str) -> None:
    assert problems_of(body) == expected


def test_only_agent_output_supports_actions(problems_of: ProblemsOf) -> None:
    body = REPLY.replace("reply:\n", "reply:\n  contract: execute-decision\n")
    assert "PP221 contract 'execute-decision' does not support 'actions'" in problems_of(body)


def test_a_long_chain_of_extends_is_refused(write_pack: WritePack, open_packs: Callable[[], Library]) -> None:
    write_pack("p0")
    for level in range(1, 11):
        write_pack(f"p{level}", body=f"extends: p{level - 1}\n")
    found = {(problem.message, problem.hint) for problem in open_packs().problems if problem.code == "PP233"}
    assert found == {("the chain of 'extends' is longer than 8 packs", "merge some of the packs")}


def test_extends_of_a_broken_pack_is_a_problem(write_pack: WritePack, open_packs: Callable[[], Library]) -> None:
    write_pack("base", body="mesages: []\n")
    write_pack("demo", body="extends: base\n")
    problems = open_packs().problems_by_file()["packs/demo/1.0.0.yaml"]
    assert (
        str(problems[0])
        == "packs/demo/1.0.0.yaml:4:10: PP234 'extends' refers to a broken pack: packs/base/1.0.0.yaml\n  hint: fix it first"
    )


BASE = """\
abstract: true
agent: base-agent
inputs:
  A: {type: string, default: base}
  B: {type: string, default: b}
partials:
  hello: "hello from base to {{ A }}"
  bye: bye
messages:
  - {id: one, role: system, content: "base one"}
  - {id: two, role: system, content: "{% include 'hello' %}"}
reply:
  actions:
    STOP: {}
  rules:
    - {name: r, require: 'true', message: base}
tests:
  - {name: not inherited}
"""
CHILD = """\
extends: base@^1
inputs:
  A: {type: string, default: child}
partials:
  bye: child bye
messages:
  - {role: user, content: "{% include 'bye' %} {{ B }}"}
  - {id: one, role: developer, content: "child one"}
reply:
  actions:
    GO: {}
  rules:
    - {name: r, require: 'true', message: child}
"""


def test_extends_merges_by_name_and_messages_by_id(write_pack: WritePack, open_packs: Callable[[], Library]) -> None:
    write_pack("base", body=BASE)
    write_pack("demo", body=CHILD)
    library = open_packs()
    assert library.problems == ()
    pack = library.get("demo")
    assert pack.render().to_text() == (
        "[developer]\nchild one\n\n[system]\nhello from base to child\n\n[user]\nchild bye b"
    )
    assert pack.agent == "base-agent"
    assert pack.contract is not None
    assert list(pack.contract.actions) == ["STOP", "GO"]
    assert [str(rule.message) for rule in pack.contract.rules] == ["child"]
    assert pack.tests == ()


FOUR = """\
abstract: true
messages:
  - {id: a, role: system, content: a}
  - {role: system, content: '-'}
  - {id: b, role: user, content: b}
  - {id: c, role: user, content: c}
"""


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ("  - {after: a, role: user, content: x}\n  - {after: a, role: user, content: y}\n", "a x y - b c"),
        ("  - {before: b, role: user, content: x}\n  - {before: b, role: user, content: y}\n", "a - x y b c"),
        ("  - {role: user, content: x}\n  - {after: c, role: user, content: y}\n", "a - b c y x"),
        ("  - {remove: b}\n", "a - c"),
        ("  - {remove: b}\n  - {after: b, role: user, content: x}\n", "a - x c"),
        ("  - {id: c, before: a, role: user, content: C}\n", "C a - b"),
        ("  - {id: b, role: user, content: B}\n  - {id: n, after: b, role: user, content: N}\n", "a - B N c"),
    ],
)
def test_messages_are_placed_among_the_inherited_ones(
    write_pack: WritePack, open_packs: Callable[[], Library], messages: str, expected: str
) -> None:
    write_pack("base", body=FOUR)
    write_pack("demo", body=f"extends: base\nmessages:\n{messages}")
    assert " ".join(str(message.content) for message in open_packs().get("demo").render().messages) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "extends: base\nmessages:\n  - {after: bb, role: user, content: x}\n",
            "packs/demo/1.0.0.yaml:6:13: PP235 no inherited message has the id 'bb'\n  hint: did you mean 'b'?",
        ),
        (
            "extends: base\nmessages:\n  - {remove: other}\n",
            "packs/demo/1.0.0.yaml:6:14: PP235 no inherited message has the id 'other'\n"
            "  hint: the inherited ids are a, b, c",
        ),
        (
            "messages:\n  - {id: a, role: user, content: x}\n  - {before: a, role: user, content: x}\n",
            "packs/demo/1.0.0.yaml:6:14: PP235 no inherited message has the id 'a'\n"
            "  hint: 'before' needs a message that is inherited with 'extends'",
        ),
        (
            "extends: base\nmessages:\n  - {before: a, after: b, role: user, content: x}\n",
            "packs/demo/1.0.0.yaml:6:24: PP201 not allowed together with 'before' (in /messages/0/after)",
        ),
    ],
)
def test_a_message_without_its_place_is_refused(
    write_pack: WritePack, open_packs: Callable[[], Library], body: str, expected: str
) -> None:
    write_pack("base", body=FOUR)
    write_pack("demo", body=body)
    assert [str(found) for found in open_packs().problems] == [expected]


def test_partials_of_an_abstract_pack_are_checked_except_for_their_inputs(
    write_pack: WritePack, open_packs: Callable[[], Library]
) -> None:
    partials = """\
abstract: true
partials:
  filter: "{{ X | uper }}"
  tag: "{% fi X %}"
  include: '{% include "filtre" %}'
  test: "{{ X is defind }}"
  input: "{{ UNDECLARED }}"
"""
    write_pack("base", body=partials)
    assert [(found.code, str(found.location).split(":")[1], found.hint) for found in open_packs().problems] == [
        ("PP303", "6", "did you mean 'upper'?"),
        ("PP307", "7", "did you mean 'if'?"),
        ("PP305", "8", "did you mean 'filter'?"),
        ("PP304", "9", "did you mean 'defined'?"),
    ]
    write_pack("base", body='abstract: true\npartials: {input: "{{ UNDECLARED }}"}\n')
    write_pack("demo", body="extends: base\nmessages:\n  - {role: user, content: '{% include \"input\" %}'}\n")
    assert [str(found.location) for found in open_packs().problems] == ["packs/base/1.0.0.yaml:5:23"]


def test_a_problem_in_an_inherited_message_points_into_the_parent(
    write_pack: WritePack, open_packs: Callable[[], Library]
) -> None:
    write_pack("base", body="abstract: true\nmessages:\n  - {role: user, content: '{{ NOPE }}'}\n")
    write_pack("demo", body="extends: base\n")
    assert str(open_packs().problems_by_file()["packs/demo/1.0.0.yaml"][0]).startswith(
        "packs/base/1.0.0.yaml:6:31: PP301"
    )


def test_a_shipped_pack_can_be_extended_from_anywhere(make_pack: MakePack) -> None:
    pack = make_pack("locale: en\nextends: agent-base@^1\nmessages:\n  - {role: user, content: hi}\n")
    assert pack.messages[-1].role == "user"


def test_partials_can_be_files(write_pack: WritePack, open_packs: Callable[[], Library], tmp_path: Path) -> None:
    write_pack(body="messages:\n  - {role: user, content: \"{% include 'shared/rules' %}\"}\n")
    file = tmp_path / "packs" / "_partials" / "shared" / "rules.j2"
    file.parent.mkdir(parents=True)
    file.write_text("be kind\n", encoding="utf-8")
    assert open_packs().get("demo").render().messages[0].content == "be kind"


def test_a_problem_in_a_partial_file_points_into_that_file(
    write_pack: WritePack, open_packs: Callable[[], Library], tmp_path: Path
) -> None:
    write_pack(body="messages:\n  - {role: user, content: \"{% include 'rules' %}\"}\n")
    file = tmp_path / "packs" / "_partials" / "rules.j2"
    file.parent.mkdir(parents=True)
    file.write_text("x\n{{ NOPE }}\n", encoding="utf-8")
    assert str(open_packs().problems[0]).startswith("packs/_partials/rules.j2:2:4: PP301")


def test_a_problem_in_a_schema_file_points_into_that_file(
    write_pack: WritePack, open_packs: Callable[[], Library], tmp_path: Path
) -> None:
    write_pack(body="messages:\n  - {role: user, content: hi}\ninputs:\n  A: {$ref: ../schemas/a.json}\n")
    file = tmp_path / "packs" / "schemas" / "a.json"
    file.parent.mkdir(parents=True)
    file.write_text('{"type": "object",\n "propertis": {}}', encoding="utf-8")
    assert str(open_packs().problems[0]) == (
        "packs/schemas/a.json:2:2: PP202 unknown key 'propertis'\n  hint: did you mean 'properties'?"
    )


def test_a_schema_next_to_the_packs_takes_the_place_of_the_shipped_one(
    write_pack: WritePack, open_packs: Callable[[], Library], tmp_path: Path
) -> None:
    reference = "../../schemas/params/task-plan.schema.json"
    write_pack(body=f"inputs:\n  PLAN: {{$ref: {reference}}}\nmessages:\n  - {{role: user, content: hi}}\n")
    assert "executionOrder" in str(open_packs().get("demo").inputs["PLAN"].schema)

    beside = tmp_path / "schemas" / "params" / "task-plan.schema.json"
    beside.parent.mkdir(parents=True)
    beside.write_text('{"type": "string"}', encoding="utf-8")
    assert "executionOrder" not in str(open_packs().get("demo").inputs["PLAN"].schema)
    beside.unlink()
    beside.symlink_to("/etc/hostname")
    assert [problem.code for problem in open_packs().problems] == ["PP122"]


def test_a_missing_schema_next_to_the_packs_is_reported(
    write_pack: WritePack, open_packs: Callable[[], Library]
) -> None:
    write_pack(body="inputs:\n  PLAN: {$ref: ../../schemas/none.json}\nmessages:\n  - {role: user, content: hi}\n")
    assert [str(problem) for problem in open_packs().problems] == [
        "packs/demo/1.0.0.yaml:5:16: PP213 no schema file 'none.json'\n"
        "  hint: paths are relative to the file with '$ref'"
    ]


def test_a_pack_test_may_pass_an_unknown_input_and_expect_the_problem(make_pack: MakePack) -> None:
    pack = make_pack(
        "messages:\n  - {role: user, content: hi}\n"
        "tests:\n  - {name: t, context: {NAME: Ann}, expect: {error: PP414}}\n"
    )
    assert pack.tests[0].name == "t"


def test_a_reference_of_a_parent_is_relative_to_the_file_of_the_parent(
    write_pack: WritePack, open_packs: Callable[[], Library]
) -> None:
    body = "inputs: {CITY: {$ref: city.json, description: A city.}}\nmessages: [{role: user, content: '{{ CITY }}'}]\n"
    parent = write_pack("base", body=body)
    (parent.parent / "city.json").write_text('{"enum": ["Bonn"]}', "utf-8")
    write_pack("child", body="extends: base@^1\n")
    library = open_packs()
    assert library.get("child").render(CITY="Bonn").messages[0].content == "Bonn"
    with pytest.raises(ContextError):
        library.get("child").render(CITY="Rome")
