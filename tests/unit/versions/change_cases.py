"""Pairs of packs for every code of a change; `changes.txt` has the full text of what differs.

After a change, write it again and read what differs:
`python -m tests.unit.versions.change_cases > tests/unit/versions/changes.txt`.
"""

import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from promptpack import Library
from promptpack.versions import Change, Comparison, compare

FULL = """\
agent: demo-agent
description: Greets people.
locale: en
inputs:
  NAME: {type: string, description: The person to greet.}
  MODE: {enum: [kind, short], default: kind}
  TASK:
    type: object
    default: {}
    properties:
      level: {type: integer, minimum: 0}
      kind: {type: string}
  NOTE: {type: string, default: "", trust: untrusted}
  HISTORY: {type: array, default: []}
  TOOLS: {type: array, default: []}
  OTHER_TOOLS: {type: array, default: []}
  KEY: {type: string, default: "", secret: true}
partials:
  rules: Be kind.
  more: Be brief.
messages:
  - id: system
    role: system
    content: |
      You greet people.
      {% include "rules" %}
  - id: past
    history: HISTORY
    roles: [user, assistant]
  - id: ask
    role: user
    when: NAME
    content: Greet {{ NAME }}.
budget: {characters: 9000, give_way: [oldest-history, lowest-priority]}
models:
  gpt-*: {prefix: Formatting re-enabled}
reply:
  contract: agent-output
  actions:
    GREET:
      params:
        type: object
        required: [words]
        properties:
          words: {type: string, maxLength: 100}
          tone: {enum: [warm, cool]}
    WAVE: {}
  refuse: [number-text]
  correction: Fix this.
  rules:
    - name: no-shouting
      when: reply.action == "GREET"
      require: reply.params.words != "HI"
      message: do not shout
    - name: calm
      require: reply.confidence > 10
      message: be sure
tests:
  - name: greets
    context: {NAME: Ann}
    expect: {contains: [Ann]}
"""
RICH = """\
inputs:
  PICTURE: {type: string, title: A picture, x-note: 1}
messages:
  - id: look
    role: user
    name: customer
    priority: 1
    x-note: 1
    content:
      - {text: Look., when: PICTURE, x-note: 1}
      - {image: "{{ PICTURE }}", detail: low}
      - {audio: "{{ PICTURE }}", format: mp3}
      - {file: "{{ PICTURE }}", filename: a.pdf}
  - id: call
    role: assistant
    tool_calls:
      - {id: c1, name: read, arguments: {path: a}}
      - {id: c2, name: read, arguments: '{"path": "b"}'}
  - {id: result, role: tool, tool_call_id: c1, content: done}
models:
  o-*: {roles: {system: developer, developer: user}, suffix: Stop., parameters: {effort: low}, strict: true, x-note: 1}
json: one-line
reply:
  x-note: 1
  actions:
    GREET:
      description: Greet the person.
      x-note: 1
      params: {type: object, required: [words], properties: {words: {type: string}}}
      example:
        thought: t
        action: GREET
        params: {words: hi}
        expectedOutcome: e
        risk: {level: low, description: d}
        confidence: 50
  rules:
    - {name: calm, path: /confidence, require: reply.confidence > 10, message: be sure, x-note: 1}
"""
"""Every key that a pack without parents can have and `FULL` does not."""
HEAD = "promptpack: 1\nname: demo\nversion: 1.0.0\n"
SMALL = "messages:\n  - {role: user, content: hi}\n"
SLOTS = 'inputs:\n  NAME: {type: string}\nslots:\n  system: You greet people.\n  info: {today: Monday}\n  input: "${NAME}"\n'
CHILD = "extends: base@^1\nmessages:\n  - {role: user, content: hi}\n"
BASE = "abstract: true\nagent: demo-agent\ninputs:\n  NAME: {type: string}\nmessages:\n  - {id: first, role: system, content: hello}\n"
CONTRACT = SMALL + "reply: {contract: {$ref: reply.schema.json}}\n"
REPLY = '{\n  "type": "object",\n  "required": ["answer"],\n  "properties": {\n    "answer": {"enum": ["yes", "no"]}\n  }\n}\n'
# No automaton exists for these patterns, so nothing is decided about them.
UNDECIDED = ("'^(?!qz)[a-z]{3}$'", "'^(?!qx)[a-z]{3}$'")


class Case(NamedTuple):
    """A pack, and the replacements that make the old and the new one of it; they apply to all files."""

    code: str
    body: str
    new: tuple[str, str] = ("", "")
    old: tuple[str, str] = ("", "")
    files: Mapping[str, str] = {}
    old_files: Mapping[str, str] = {}
    new_files: Mapping[str, str] = {}


def _full(code: str, find: str, put: str) -> Case:
    return Case(code, FULL, (find, put))


_REPLY_FILE = {"demo/reply.schema.json": REPLY}
_TWO_REPLIES = {"demo/reply.schema.json": REPLY, "demo/copy.schema.json": REPLY}
_TEXT_INPUT = SMALL + f"inputs:\n  CODE: {{type: string, pattern: {UNDECIDED[0]}}}\n"
_WORDS_ONLY = "{type: object, required: [words], properties: {words: {type: string}}}"
_LEVEL = "level: {type: integer, minimum: 0}"

CASES = (
    _full("PV101", "inputs:\n", "inputs:\n  TONE: {type: string}\n"),
    _full("PV102", "inputs:\n", "inputs:\n  TONE: {type: string, default: warm}\n"),
    _full("PV103", '  NOTE: {type: string, default: "", trust: untrusted}\n', ""),
    Case("PV104", SMALL + "inputs:\n  USER_GOAL: {type: string}\n", ("inputs:\n  USER_GOAL: {type: string}\n", "")),
    _full("PV105", "short], default: kind}", "short]}"),
    _full("PV106", "The person to greet.}", 'The person to greet., default: ""}'),
    _full("PV107", "default: kind", "default: short"),
    _full("PV108", "[kind, short]", "[kind]"),
    _full("PV109", "[kind, short]", "[kind, short, long]"),
    Case("PV110", _TEXT_INPUT, UNDECIDED),
    _full("PV111", "      kind: {type: string}\n", "      kind: {type: string}\n      owner: {type: string}\n"),
    _full("PV112", "trust: untrusted", "trust: trusted"),
    _full("PV113", "The person to greet.}", "The person to greet., trust: untrusted}"),
    _full("PV114", "The person to greet.}", "The person to greet., secret: true}"),
    _full("PV115", ', secret: true}', "}"),
    _full("PV116", "[user, assistant]", "[user]"),
    _full("PV117", "    roles: [user, assistant]\n", ""),
    _full("PV118", "characters: 9000", "characters: 8000"),
    _full("PV119", "characters: 9000, ", ""),
    _full("PV120", "[oldest-history, lowest-priority]", "[lowest-priority]"),
    _full("PV121", "[oldest-history, lowest-priority]", "[lowest-priority, oldest-history]"),
    _full("PV122", "demo-agent", "greeter-agent"),
    Case("PV123", SMALL, ("messages", "abstract: true\nmessages")),
    Case("PV124", "abstract: true\n" + SMALL, ("abstract: true\n", "")),
    Case("PV125", SMALL, old_files={"demo/1.0.0.de.yaml": "promptpack: 1\nname: demo\nversion: 1.0.0\nlocale: de\n" + SMALL}),
    Case("PV126", SMALL, new_files={"demo/1.1.0.de.yaml": "promptpack: 1\nname: demo\nversion: 1.1.0\nlocale: de\n" + SMALL}),
    _full("PV127", "locale: en", "locale: de"),
    Case("PV128", SMALL, ("name: demo", "name: other")),
    Case("PV129", SMALL, ("messages", "agent: demo-agent\nmessages")),
    _full("PV201", "    WAVE: {}\n", "    WAVE: {}\n    BOW: {}\n"),
    _full("PV202", "    WAVE: {}\n", ""),
    _full("PV203", "[warm, cool]", "[warm, cool, icy]"),
    _full("PV204", "[warm, cool]", "[warm]"),
    Case("PV205", FULL, UNDECIDED, ("{type: string, maxLength: 100}", f"{{type: string, pattern: {UNDECIDED[0]}}}")),
    _full("PV206", "          tone:", "          length: {type: integer}\n          tone:"),
    _full("PV207", "  rules:\n    -", "  rules:\n    - {name: low, require: reply.risk.level == 'low', message: too risky}\n    -"),
    _full("PV208", "    - name: calm\n      require: reply.confidence > 10\n      message: be sure\n", ""),
    _full("PV209", "reply.confidence > 10", "reply.confidence > 20"),
    _full("PV210", "      message: be sure\n", "      message: be sure\n      path: /confidence\n"),
    Case("PV211", SMALL, ("messages", "reply: {}\nmessages")),
    Case("PV212", SMALL + "reply: {}\n", ("reply: {}\n", "")),
    Case("PV213", CONTRACT, ('["yes", "no"]', '["yes", "no", "maybe"]'), files=_REPLY_FILE),
    Case("PV214", CONTRACT, ('["yes", "no"]', '["yes"]'), files=_REPLY_FILE),
    Case("PV215", SMALL + "reply: {contract: {$ref: reply.yaml}}\n", UNDECIDED, files={"demo/reply.yaml": f"{{type: string, pattern: {UNDECIDED[0]}}}\n"}),
    Case("PV216", CONTRACT, ('    "answer"', '    "reason": {"type": "string"},\n    "answer"'), files=_REPLY_FILE),
    Case("PV217", CONTRACT, ("$ref: reply", "$ref: copy"), files=_TWO_REPLIES),
    _full("PV218", "  refuse:", "  tools: TOOLS\n  refuse:"),
    Case("PV219", FULL, ("  tools: TOOLS\n", ""), ("  refuse:", "  tools: TOOLS\n  refuse:")),
    Case("PV220", FULL, ("  tools: TOOLS\n", "  tools: OTHER_TOOLS\n"), ("  refuse:", "  tools: TOOLS\n  refuse:")),
    _full("PV221", "[number-text]", "[high, number-text]"),
    _full("PV222", "  refuse: [number-text]\n", ""),
    _full("PV301", "You greet people.", "You welcome people."),
    _full("PV302", "  - id: ask\n", "  - {id: hint, role: system, content: Be quick.}\n  - id: ask\n"),
    _full("PV303", "  - id: ask\n    role: user\n    when: NAME\n    content: Greet {{ NAME }}.\n", ""),
    Case("PV304", SMALL + "  - {role: system, content: two}\n", ("  - {role: user, content: hi}\n  - {role: system, content: two}\n", "  - {role: system, content: two}\n  - {role: user, content: hi}\n")),
    _full("PV305", "    role: user\n    when", "    role: developer\n    when"),
    _full("PV306", "when: NAME", "when: MODE"),
    _full("PV307", "    when: NAME\n", "    when: NAME\n    priority: 2\n"),
    _full("PV308", "rules: Be kind.", "rules: Be very kind."),
    _full("PV309", '      {% include "rules" %}\n', '      {% include "rules" %}\n      {% include "more" %}\n'),
    _full("PV310", '      {% include "rules" %}\n', ""),
    Case("PV311", SLOTS, ("You greet people.", "You welcome people.")),
    Case("PV312", SLOTS, ("slots:\n", "slots:\n  instruct: Be brief.\n")),
    Case("PV313", SLOTS, ("  info: {today: Monday}\n", "")),
    Case("PV314", SLOTS, ("{today: Monday}", "{today: Tuesday}")),
    Case("PV315", SMALL, ("messages", "syntax: handlebars\nmessages")),
    _full("PV316", "locale: en\n", "locale: en\njson: one-line\n"),
    _full("PV317", "The person to greet.", "The person who is greeted."),
    _full("PV318", "maxLength: 100", "maxLength: 100, description: One line."),
    _full("PV319", "message: be sure", "message: be very sure"),
    _full("PV320", "correction: Fix this.", "correction: Fix only this."),
    _full("PV321", "    WAVE: {}\n", "    WAVE: {example: {thought: I wave.}}\n"),
    _full("PV322", "Greets people.", "Greets all people."),
    _full("PV323", "contains: [Ann]", "contains: [Greet Ann]"),
    _full("PV324", "Formatting re-enabled", "Formatting on"),
    _full("PV325", "[kind, short]", "[short, kind]"),
    _full("PV326", "reply.confidence > 10", "(reply.confidence  > 10)"),
    _full("PV327", "    WAVE: {}\n", "    WAVE: {x-owner: Ann}\n"),
)  # fmt: skip
MORE = (
    Case("a description of an action", RICH, ("Greet the person.", "Greet the guest.")),
    Case("params that may be anything", RICH, (_WORDS_ONLY, "true")),
    _full("a budget without limits", "budget: {characters: 9000, give_way: [oldest-history, lowest-priority]}\n", ""),
    _full("roles in another order", "[user, assistant]", "[assistant, user]"),
    _full("a history that is none any more", "  - id: past\n    history: HISTORY\n    roles: [user, assistant]\n", ""),
    _full("a property that is nested and removed", f"      {_LEVEL}\n", ""),
    _full("a limit that is nested", _LEVEL, "level: {type: integer, minimum: 1}"),
    _full("a type that is another one", "NOTE: {type: string", "NOTE: {type: [string, 'null']"),
    _full("a schema in another form", _LEVEL, "level: {allOf: [{type: integer}, {minimum: 0}]}"),
    _full("a closed object with a new property", "        required: [words]", "        additionalProperties: false\n        required: [words]"),
    Case("an inherited input", CHILD, ("{type: string}", "{type: string, minLength: 1}"), files={"base/1.0.0.yaml": HEAD.replace("demo", "base") + BASE}),
    Case("an inherited agent", CHILD, ("agent: demo-agent", "agent: other-agent"), files={"base/1.0.0.yaml": HEAD.replace("demo", "base") + BASE}),
    Case("an inherited message", CHILD, ("content: hello", "content: good morning"), files={"base/1.0.0.yaml": HEAD.replace("demo", "base") + BASE}),
    Case("a shared partial", SMALL.replace("hi", '\'{% include "tone" %}\''), ("Be kind.", "Be very kind."), files={"_partials/tone.j2": "Hello.\nBe kind.\n"}),
    Case("a shared schema file", SMALL + "inputs:\n  TASK: {$ref: task.schema.json}\n", ('["a", "b"]', '["a"]'), files={"demo/task.schema.json": '{\n  "type": "object",\n  "properties": {\n    "kind": {"enum": ["a", "b"]}\n  }\n}\n'}),
    Case("a reference instead of the schema", SMALL + "inputs:\n  TASK: {type: string}\n", ("TASK: {type: string}", "TASK: {$ref: '#/$defs/text', $defs: {text: {type: string}}}")),
    Case("the name of the default contract", SMALL + "reply: {}\n", ("reply: {}", "reply: {contract: agent-output}")),
    Case("a contract of slots", SLOTS + "  output: {answer: {$type: str, $desc: One line}}\n", ("$type: str", "$type: int")),
)  # fmt: skip


def compare_case(case: Case, folder: Path) -> Comparison:
    """Write both packs of a case, and compare them; paths are relative to `folder`, the working directory."""
    old = {name: text.replace(*case.old) for name, text in {"demo/1.0.0.yaml": HEAD + case.body, **case.files}.items()}
    new = {name.replace("demo/1.0.0", "demo/1.1.0"): text.replace(*case.new) for name, text in old.items()}
    new["demo/1.1.0.yaml"] = new["demo/1.1.0.yaml"].replace("version: 1.0.0", "version: 1.1.0")
    before, after = _open(folder, "old", {**old, **case.old_files}), _open(folder, "new", {**new, **case.new_files})
    name = "other" if case.code == "PV128" else "demo"
    return compare(before.get("demo"), after.get(name), (before, after))


def _open(folder: Path, side: str, files: Mapping[str, str]) -> Library:
    for name, text in files.items():
        path = folder / side / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return Library.open(side)


def describe(change: Change) -> str:
    """Return the full text of a change."""
    proof = f"\n  example: {change.counterexample!r}" if change.has_counterexample else ""
    marks = {"kept": "{}", "removed": "[-{}-]", "added": "{{+{}+}}"}
    words = "".join(marks[piece.kind].format(piece.text) for piece in change.words.pieces) if change.words else ""
    shown = f"\n  words: {words!r}" if words else ""
    return f"{change}\n  {change.category} {change.kind} {change.bump} {change.where}: {change.hint}{proof}{shown}"


def _print_cases() -> None:
    for case in (*CASES, *MORE):
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            found = compare_case(case, Path(folder))
            os.chdir("/")
        changes = "".join(f"{describe(change)}\n" for change in found.changes)
        sys.stdout.write(f"=== {case.code}\n{changes}\n")


if __name__ == "__main__":
    _print_cases()
