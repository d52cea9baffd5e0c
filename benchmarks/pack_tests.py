"""1,000 tests of one pack, compared with a plain loop that renders their contexts and checks their replies."""

import json
from functools import cache
from typing import Any

from benchmarks.environments import scratch_folder
from benchmarks.measuring import Job, job
from benchmarks.sides import Side, Table

TESTS = 1_000
LOOP = "a plain loop"
PACK = """\
promptpack: 1
name: timed
version: 1.0.0
locale: en
agent: timed-agent
inputs:
  GOAL: {type: string, description: The goal.}
  TOOLS: {type: array, items: {type: string}, default: [], description: The tools.}
messages:
  - id: rules
    role: system
    content: |
      You split a goal into tasks. {% for tool in TOOLS %}You have {{ tool }}. {% endfor %}
      {{ reply_format }}
  - {id: goal, role: user, content: "{{ GOAL }}"}
reply:
  actions:
    PLAN: {params: {type: object, required: [tasks], properties: {tasks: {type: array, items: {type: string}}}}}
  rules: [{name: has-tasks, require: reply.params.tasks | length > 0, message: name a task}]
tests:
  - name: plans
    context: {GOAL: x, TOOLS: [search, mail]}
    reply: {thought: t, action: PLAN, params: {tasks: [a]}, expectedOutcome: o, risk: {level: low, description: d},
      confidence: 80}
    expect: {contains: [You split a goal, You have search], excludes: ["{{"], roles: [system, user]}
    verdict: valid
    cases: {file: cases.csv}
"""


def run_tests() -> Job:
    """Run the tests of the pack, and count those that passed."""
    from promptpack import trial

    pack = _pack()
    return job(lambda: sum(one.passed for one in trial.run([pack])))


def plain_loop() -> Job:
    """Render each context and check its reply, without any expectation."""
    pack = _pack()
    contexts, reply = [dict(test.context) for test in pack.tests], pack.tests[0].reply
    return job(lambda: sum(pack.render(context).check(json.dumps(reply)).ok for context in contexts))


@cache
def _pack() -> Any:
    from promptpack import Library

    folder = scratch_folder() / "packs" / "timed"
    folder.mkdir(parents=True)
    (folder / "1.0.0.yaml").write_text(PACK, encoding="utf-8")
    rows = "".join(f"write report {number}\n" for number in range(TESTS))
    (folder / "cases.csv").write_text(f"GOAL\n{rows}", encoding="utf-8")
    return Library.open(str(folder.parent), cache=False).get("timed")


def tables() -> tuple[Table, ...]:
    sides = (
        Side(LOOP, plain_loop, units=TESTS, note="renders and checks, expects nothing"),
        Side("promptpack test", run_tests, over=LOOP, units=TESTS, note="four expectations on each prompt"),
    )
    return (Table("pack-tests", "Running 1,000 tests of a pack", sides, 15, "cost"),)
