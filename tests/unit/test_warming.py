"""After `warm`, neither renders nor checks import or compile anything."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from promptpack import Library

WritePack = Callable[..., Path]

USE = """
import builtins, sys
from promptpack import Library
library = Library.open(*sys.argv[1:], cache=False)
{warm}
before = set(sys.modules)
compiled = []
compile_source = builtins.compile
def count(source, *rest, **options):
    compiled.append(str(source)[:300])
    return compile_source(source, *rest, **options)
builtins.compile = count
for pack in library.packs():
    for test in pack.tests:
        if "error" in test.expect:
            continue
        prompt = pack.render(test.context)
        prompt.to_text(), prompt.warnings, pack.digest
        if pack.contract is None or pack.contract.tools_input:  # schemas of tools arrive with the context
            continue
        for reply in ("", "{{}}", "Sure: {{thought: 1,}}", test.reply, '{{"thought": "a", "action": "TASK_PLAN"}}', None, {{}}):
            verdict = prompt.check(reply if isinstance(reply, (str, dict, type(None))) else str(reply))
            verdict.output, verdict.extras, verdict.correction, verdict.error_output, verdict.to_dict()
            stream = prompt.stream()
            stream.feed(str(reply))
            stream.close()
            prompt.correct(lambda messages: str(reply), rounds=2)
builtins.compile = compile_source
ours = ("promptpack", "jinja2", "pydantic", "jsonschema", "referencing", "yaml", "orjson")
print(len(compiled), sorted(name for name in set(sys.modules) - before if name.partition(".")[0] in ours))
for text in compiled[:5]: print(text)
"""
PACK = """\
inputs:
  ITEMS: {type: array, items: {type: object, properties: {name: {type: string}}}, default: []}
  WHO: {type: string, default: you}
partials:
  row: "- {{ item.name }}"
  head: '{% include "top" ignore missing %}'
  top: "{{ WHO | upper }}"
  macros: "{% macro shout(x) %}{{ x | upper }}!{% endmacro %}"
messages:
  - {role: system, content: '{% from "macros" import shout %}{{ shout(WHO) }} {{ reply_format }}'}
  - {role: user, when: WHO == "you", content: '{% include "head" %}{% for item in ITEMS %}{% include "row" %}{% endfor %}'}
reply:
  contract: {$ref: kinds.json}
  rules:
    - {name: few, when: reply.kind == "b", require: reply.tags | length < 3, message: 'too many for {{ WHO }}'}
tests:
  - {name: one, context: {ITEMS: [{name: x}]}, expect: {contains: [x]}}
  - {name: two, context: {}, reply: '{"kind": "b", "tags": ["x", 4, "x", "x"]}', verdict: {violations: [{rule: few}]}}
  - {name: three, context: {}, reply: '{"kind": "b", "tags": ["y", 1]}', verdict: {violations: [{path: /tags/0}]}}
  - {name: four, context: {}, reply: '{"kind": "b"}', verdict: {violations: [{path: /tags}]}}
"""


KINDS = {
    "type": "object",
    "required": ["kind"],
    "properties": {
        "kind": {"enum": ["a", "b"]},
        "tags": {"type": "array", "items": {"anyOf": [{"type": "string", "pattern": "^x"}, {"minimum": 3}]}},
    },
    "if": {"properties": {"kind": {"const": "b"}}},
    "then": {"required": ["tags"]},
}


@pytest.fixture
def packs(write_pack: WritePack) -> str:
    path = write_pack(body=PACK)
    path.with_name("kinds.json").write_text(json.dumps(KINDS), encoding="utf-8")
    return str(path.parent.parent)


def use(*folders: str, warm: bool = True) -> str:
    code = USE.format(warm="library.warm()" if warm else "")
    done = subprocess.run(
        [sys.executable, "-c", code, *folders], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.stderr == ""
    return done.stdout


def test_shipped_packs_import_and_compile_nothing_after_warm() -> None:
    assert use() == "0 []\n"


def test_a_pack_of_every_kind_imports_and_compiles_nothing_after_warm(packs: str) -> None:
    assert Library.open(packs).problems == ()
    assert use(packs) == "0 []\n"


def test_without_warm_the_first_use_imports_and_compiles() -> None:
    assert not use(warm=False).startswith("0 ")


def test_broken_packs_do_not_keep_the_others_from_being_warmed(write_pack: WritePack, packs: str) -> None:
    write_pack(name="broken", body="nope: 1\n")
    library = Library.open(packs)
    library.warm()
    assert [problem.code for problem in library.problems] == ["PP202"]
    assert use(packs) == "0 []\n"
