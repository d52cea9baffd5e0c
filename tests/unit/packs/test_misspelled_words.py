"""A misspelled word in a shipped pack is reported with file, line, column and the right spelling."""

import shutil
from pathlib import Path

import pytest

from promptpack import Library

PACKS = Path(__file__).parents[3] / "packs"
CASES = [
    # keys
    (
        "planner/1.0.0.en.yaml",
        "extends:",
        "extnds:",
        "packs/planner/1.0.0.en.yaml:8:1: PP202 unknown key 'extnds'\n  hint: did you mean 'extends'?",
    ),
    (
        "router/1.0.0.yaml",
        "tests:",
        "tsets:",
        "packs/router/1.0.0.yaml:139:1: PP202 unknown key 'tsets'\n  hint: did you mean 'tests'?",
    ),
    (
        "planner/1.0.0.en.yaml",
        "    minLength: 1",
        "    minLenght: 1",
        "packs/planner/1.0.0.en.yaml:18:5: PP202 unknown key 'minLenght' (in /inputs/USER_GOAL)\n  hint: did you mean 'minLength'?",
    ),
    (
        "executor/1.0.0.yaml",
        "    trust: untrusted",
        "    trsut: untrusted",
        "packs/executor/1.0.0.yaml:19:5: PP202 unknown key 'trsut' (in /inputs/TASK_CONTEXT)\n  hint: did you mean 'trust'?",
    ),
    (
        "router/1.0.0.en.yaml",
        "    content: |",
        "    contnet: |",
        "packs/router/1.0.0.en.yaml:43:5: PP202 unknown key 'contnet' (in /messages/0)\n  hint: did you mean 'content'?",
    ),
    (
        "orchestrator/1.0.0.en.yaml",
        "      require: ",
        "      requires: ",
        "packs/orchestrator/1.0.0.en.yaml:130:7: PP202 unknown key 'requires' (in /reply/rules/0)\n  hint: did you mean 'require'?",
    ),
    (
        "reviewer/1.0.0.en.yaml",
        "      params: {$ref",
        "      parms: {$ref",
        "packs/reviewer/1.0.0.en.yaml:75:7: PP202 unknown key 'parms' (in /reply/actions/REVIEW_RESULT)\n  hint: did you mean 'params'?",
    ),
    (
        "understanding/1.0.0.yaml",
        "      max_chars: 6000",
        "      max_char: 6000",
        "packs/understanding/1.0.0.yaml:119:7: PP202 unknown key 'max_char' (in /tests/0/expect)\n  hint: did you mean 'max_chars'?",
    ),
    # words that are one of a few
    (
        "understanding/1.0.0.en.yaml",
        "    role: system",
        "    role: sytem",
        "packs/understanding/1.0.0.en.yaml:37:11: PP205 'sytem' is not one of 'system', 'developer', 'user', 'assistant', 'tool' (in /messages/0/role)\n  hint: did you mean 'system'?",
    ),
    (
        "planner/1.0.0.yaml",
        "    type: string",
        "    type: strng",
        "packs/planner/1.0.0.yaml:17:11: PP205 'strng' is not one of 'string', 'number', 'integer', 'boolean', 'object', 'array', 'null' (in /inputs/USER_GOAL/type)\n  hint: did you mean 'string'?",
    ),
    (
        "reviewer/1.0.0.yaml",
        "    trust: untrusted",
        "    trust: untrsuted",
        "packs/reviewer/1.0.0.yaml:14:12: PP205 'untrsuted' is not one of 'trusted', 'untrusted' (in /inputs/USER_GOAL/trust)\n  hint: did you mean 'untrusted'?",
    ),
    (
        "planner/1.0.0.en.yaml",
        "    verdict: valid",
        "    verdict: vaild",
        "packs/planner/1.0.0.en.yaml:145:14: PP205 'vaild' is not one of 'valid', 'recovered', 'ambiguous', 'truncated', 'no_answer', 'invalid', 'tool_call' (in /tests/1/verdict)\n  hint: did you mean 'valid'?",
    ),
    (
        "agent-base/1.0.0.en.yaml",
        "  contract: agent-output",
        "  contract: agent-ouput",
        "packs/agent-base/1.0.0.en.yaml:59:13: PP222 unknown contract 'agent-ouput'\n  hint: did you mean 'agent-output'?",
    ),
    (
        "executor/1.0.0.en.yaml",
        "{violations: [{rule",
        "{violatoins: [{rule",
        "packs/executor/1.0.0.en.yaml:172:15: PP202 unknown key 'violatoins' (in /tests/6/verdict)\n  hint: did you mean 'violations'?",
    ),
    (
        "executor/1.0.0.yaml",
        "[{code: PP512",
        "[{cdoe: PP512",
        "packs/executor/1.0.0.yaml:130:29: PP202 unknown key 'cdoe' (in /tests/2/verdict/violations/0)\n  hint: did you mean 'code'?",
    ),
    (
        "smart-executor/1.0.0.yaml",
        "type: [object, ",
        "type: [obejct, ",
        "packs/smart-executor/1.0.0.yaml:25:20: PP205 'obejct' is not one of 'string', 'number', 'integer', 'boolean', 'object', 'array', 'null' (in /inputs/HISTORY/items/type/0)\n  hint: did you mean 'object'?",
    ),
    # inputs
    (
        "planner/1.0.0.en.yaml",
        "{{ USER_GOAL | fenced }}",
        "{{ USER_GAOL | fenced }}",
        "packs/planner/1.0.0.en.yaml:66:10: PP301 template uses undeclared input 'USER_GAOL'\n  hint: did you mean 'USER_GOAL'?",
    ),
    (
        "understanding/1.0.0.en.yaml",
        "history: HISTORY",
        "history: HISTROY",
        "packs/understanding/1.0.0.en.yaml:76:14: PP301 'HISTROY' is not an input\n  hint: did you mean 'HISTORY'?",
    ),
    (
        "executor/1.0.0.en.yaml",
        "tools: AVAILABLE_TOOLS",
        "tools: AVAILABLE_TOLS",
        "packs/executor/1.0.0.en.yaml:73:10: PP301 'AVAILABLE_TOLS' is not an input\n  hint: did you mean 'AVAILABLE_TOOLS'?",
    ),
    (
        "router/1.0.0.en.yaml",
        "INTENT_ANALYSIS.taskRelation.type ==",
        "INTENT_ANALYSSI.taskRelation.type ==",
        "packs/router/1.0.0.en.yaml:105:50: PP301 template uses undeclared input 'INTENT_ANALYSSI'\n  hint: did you mean 'INTENT_ANALYSIS'?",
    ),
    (
        "agent-base/1.0.0.yaml",
        "{{ SYSTEM_STATE | fenced",
        "{{ SYSTM_STATE | fenced",
        "packs/agent-base/1.0.0.yaml:35:8: PP301 template uses undeclared input 'SYSTM_STATE'\n  hint: did you mean 'SYSTEM_STATE'?",
    ),
    (
        "planner/1.0.0.yaml",
        "      RESOURCE_POOL: {capabilities",
        "      RESOURCE_POL: {capabilities",
        "packs/planner/1.0.0.yaml:141:7: PP208 the pack has no input 'RESOURCE_POL'\n  hint: did you mean 'RESOURCE_POOL'?",
    ),
    # filters and tests
    (
        "understanding/1.0.0.yaml",
        "{{ USER_INPUT | fenced }}",
        "{{ USER_INPUT | fencde }}",
        "packs/understanding/1.0.0.yaml:86:23: PP303 unknown filter 'fencde'\n  hint: did you mean 'fenced'?",
    ),
    (
        "agent-base/1.0.0.en.yaml",
        "{{ TASK_CONTEXT | fenced",
        "{{ TASK_CONTEXT | fence",
        "packs/agent-base/1.0.0.en.yaml:45:23: PP303 unknown filter 'fence'\n  hint: did you mean 'fenced'?",
    ),
    (
        "planner/1.0.0.en.yaml",
        "| unique(",
        "| uniqe(",
        "packs/planner/1.0.0.en.yaml:91:53: PP303 unknown filter 'uniqe'\n  hint: did you mean 'unique'?",
    ),
    (
        "planner/1.0.0.yaml",
        '| reject("in"',
        '| rejct("in"',
        "packs/planner/1.0.0.yaml:100:11: PP303 unknown filter 'rejct'\n  hint: did you mean 'reject'?",
    ),
    (
        "understanding/1.0.0.en.yaml",
        "is defined and",
        "is defind and",
        "packs/understanding/1.0.0.en.yaml:108:50: PP304 unknown test 'defind'\n  hint: did you mean 'defined'?",
    ),
    # actions
    (
        "planner/1.0.0.en.yaml",
        'when: reply.action == "TASK_PLAN"',
        'when: reply.action == "TASK_PLN"',
        "packs/planner/1.0.0.en.yaml:89:29: PP223 the pack has no action 'TASK_PLN'\n  hint: did you mean 'TASK_PLAN'?",
    ),
    (
        "reviewer/1.0.0.yaml",
        'reply.action == "REVIEW_RESULT"',
        'reply.action == "REVIEW_RESUTL"',
        "packs/reviewer/1.0.0.yaml:89:29: PP223 the pack has no action 'REVIEW_RESUTL'\n  hint: did you mean 'REVIEW_RESULT'?",
    ),
    (
        "executor/1.0.0.yaml",
        '"ERROR", ',
        '"EROR", ',
        "packs/executor/1.0.0.yaml:83:85: PP223 the pack has no action 'EROR'\n  hint: did you mean 'ERROR'?",
    ),
    # references and inheritance
    (
        "planner/1.0.0.yaml",
        "task-plan.schema.json",
        "task-paln.schema.json",
        "packs/planner/1.0.0.yaml:75:22: PP213 no schema file 'params/task-paln.schema.json'\n  hint: did you mean 'params/task-plan.schema.json'?",
    ),
    (
        "orchestrator/1.0.0.yaml",
        "params/resource-allocate",
        "parms/resource-allocate",
        "packs/orchestrator/1.0.0.yaml:109:22: PP213 no schema file 'parms/resource-allocate.schema.json'\n  hint: did you mean 'params/resource-allocate.schema.json'?",
    ),
    (
        "router/1.0.0.en.yaml",
        "extends: agent-base@^1",
        "extends: agent-bsae@^1",
        "packs/router/1.0.0.en.yaml:8:10: PP231 no pack named 'agent-bsae'\n  hint: did you mean 'agent-base'?",
    ),
    (
        "executor/1.0.0.en.yaml",
        '{% include "principles" %}',
        '{% include "principels" %}',
        "packs/executor/1.0.0.en.yaml:48:19: PP305 unknown partial 'principels'\n  hint: did you mean 'principles'?",
    ),
    # template tags and constants
    (
        "agent-base/1.0.0.yaml",
        "{% if RESOURCE_POOL %}",
        "{% fi RESOURCE_POOL %}",
        "packs/agent-base/1.0.0.yaml:50:8: PP307 unknown tag 'fi'\n  hint: did you mean 'if'?",
    ),
    (
        "agent-base/1.0.0.en.yaml",
        "{%- endif %}",
        "{%- ednif %}",
        "packs/agent-base/1.0.0.en.yaml:40:9: PP307 unknown tag 'ednif'\n  hint: did you mean 'endif'?",
    ),
    (
        "understanding/1.0.0.yaml",
        "{% include ",
        "{% inclde ",
        "packs/understanding/1.0.0.yaml:68:10: PP307 unknown tag 'inclde'\n  hint: did you mean 'include'?",
    ),
    (
        "planner/1.0.0.yaml",
        "case_sensitive=true",
        "case_sensitive=ture",
        "packs/planner/1.0.0.yaml:92:75: PP301 template uses undeclared input 'ture'\n  hint: did you mean 'true'?",
    ),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("misspelled")


@pytest.fixture
def packs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_STATE_HOME", str(folder))
    return Path(shutil.copytree(PACKS, "packs", dirs_exist_ok=True))


@pytest.mark.parametrize(("file", "right", "wrong", "expected"), CASES)
def test_a_misspelled_word_is_reported_with_its_position_and_the_right_spelling(
    packs: Path, file: str, right: str, wrong: str, expected: str
) -> None:
    path = packs / file
    text = path.read_text(encoding="utf-8")
    assert right in text
    path.write_text(text.replace(right, wrong, 1), encoding="utf-8")

    # With a cache, as users open it: a test builds only the packs that the word is in.
    problems = "\n".join(str(problem) for problem in Library.open("packs", cache="cache").problems)

    assert problems == expected
