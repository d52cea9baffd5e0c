"""The problems of `slots:` in pack files, and slots with `extends`."""

from collections.abc import Callable
from pathlib import Path

import pytest

from promptpack import Library, Pack

ProblemsOf = Callable[[str], str]
MakePack = Callable[[str], Pack]
WritePack = Callable[..., Path]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "slots:\n  system: hi\n  options: {a: 1}\n",
            "packs/demo/1.0.0.yaml:5:3: PP241 the slots contain no request to the model\n"
            "  hint: add 'input', 'info', 'instruct', 'output', 'attachment' or a custom slot",
        ),
        (
            "slots:\n  input: hi\n  output:\n    a: {$type: str}\nreply: {contract: execute-decision}\n",
            "packs/demo/1.0.0.yaml:6:3: PP242 both 'output' and 'contract' define the reply\n"
            "  hint: remove 'output' (promptpack writes it from the contract) or 'contract'",
        ),
        (
            "inputs: {A: {type: string}}\nslots:\n  input: Translate ${A} now\n",
            "packs/demo/1.0.0.yaml:6:10: PP243 '${A}' inserts a value, not text, so it must be the whole text\n"
            "  hint: write {{ A }} within a text",
        ),
        (
            "inputs: {A: {type: string}}\nslots:\n  output: {a: {$type: str, $desc: '${A}'}}\n",
            "packs/demo/1.0.0.yaml:6:35: PP243 '${A}' inserts a value, not text, so it must be the whole text\n"
            "  hint: write {{ A }} within a text",
        ),
        (
            "slots:\n  input: ${HISTROY}\ninputs: {HISTORY: {type: array}}\n",
            "packs/demo/1.0.0.yaml:5:10: PP301 'HISTROY' is not an input\n  hint: did you mean 'HISTORY'?",
        ),
        (
            "slots:\n  info:\n    - x\n    - {a: 'b {{ C }}'}\n",
            "packs/demo/1.0.0.yaml:7:17: PP301 template uses undeclared input 'C'\n  hint: declare it under 'inputs', or set it in the template before this line",
        ),
        (
            "slots:\n  output: {$type: str, $desc: all}\n",
            "packs/demo/1.0.0.yaml:5:3: PP244 the output is a single type without a field\n"
            "  hint: name the fields of the reply, as in `answer: {$type: str}`, or remove 'output' for plain text",
        ),
        (
            "slots:\n  output:\n    age: {$type: integer, $desc: in years}\n    b: {$typ: str}\n    c: {$type: 'List[strr]'}\n",
            "packs/demo/1.0.0.yaml:6:18: PP464 output.age.$type: unknown type 'integer'\n  hint: did you mean 'int'?\n"
            "packs/demo/1.0.0.yaml:7:8: PP465 output.b: unknown key '$typ' next to '$type' and '$desc'\n"
            "  hint: did you mean '$type'?\n"
            "packs/demo/1.0.0.yaml:8:16: PP464 output.c.$type: unknown type 'strr'\n  hint: did you mean 'str'?",
        ),
        (
            "slots:\n  output:\n    a: {$type: str, $dsc: x}\n",
            "packs/demo/1.0.0.yaml:6:8: PP465 output.a: unknown key '$dsc' next to '$type' and '$desc'\n"
            "  hint: did you mean '$desc'?",
        ),
        (
            "slots:\n  input: x\n  tools:\n    - {name: look, description: Looks}\n",
            "packs/demo/1.0.0.yaml:7:7: PP203 'desc' is missing (in /slots/tools/0)\n  hint: What the tool does.\n"
            "packs/demo/1.0.0.yaml:7:7: PP203 'kwargs' is missing (in /slots/tools/0)\n"
            "  hint: The tool's arguments, as an output schema.",
        ),
        (
            "slots:\n  info: 5\n",
            "packs/demo/1.0.0.yaml:5:3: PP204 expected a mapping or a list or text or null, not a number (in /slots/info)",
        ),
        (
            "slots:\n  input: x\n  chat_history:\n    - {role: user}\n",
            "packs/demo/1.0.0.yaml:7:7: PP203 'content' is missing (in /slots/chat_history/0)\n  hint: Text, or a list of parts.",
        ),
    ],
)
def test_a_problem_has_its_location(problems_of: ProblemsOf, body: str, expected: str) -> None:
    assert problems_of(body) == expected


def test_slots_are_inherited_by_name(write_pack: WritePack, open_packs: Callable[[], Library]) -> None:
    write_pack("base", body="abstract: true\nslots:\n  system: You are {{ pack.name }}.\n  output: {a: {$type: str}}\n")
    write_pack(body="extends: base@^1\nslots:\n  input: hi\n  output: {b: {$type: int}}\n")
    prompt = open_packs().get("demo").render()
    assert [message.content for message in prompt.messages] == [
        "You are demo.",
        '[INPUT]:\nhi\n\n[OUTPUT REQUIREMENT]:\nData Format: JSON\nData Structure:\n{\n  "b": <int>\n}\n\n[OUTPUT]:',
    ]
    assert prompt.check('{"b": 1}').ok


def test_own_messages_replace_inherited_slots(write_pack: WritePack, open_packs: Callable[[], Library]) -> None:
    write_pack("base", body="abstract: true\nslots: {input: hi}\n")
    write_pack(body="extends: base@^1\nmessages:\n  - {role: user, content: ho}\n")
    assert open_packs().get("demo").render().to_text() == "[user]\nho"


def test_the_order_of_slots_is_part_of_the_digest(make_pack: MakePack) -> None:
    first = make_pack("slots: {info: {a: 1, b: 2}}\n")
    assert make_pack("slots: {info: {b: 2, a: 1}}\n").digest != first.digest
    assert make_pack("slots:  # a remark\n  info: {a: 1, b: 2}\n").digest == first.digest
