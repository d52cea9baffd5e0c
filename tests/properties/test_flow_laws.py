"""Laws of flows: a run of a flow without problems never lacks a value, always ends, and survives being stored."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from promptpack import Library
from promptpack.document import parse
from promptpack.flow import Flow, FlowRun
from promptpack.flow.check_flow import check
from promptpack.flow.model import FlowFile
from promptpack.flow.read_flow import read
from promptpack.verdict import Verdict

NAMES = ("a", "b", "c", "d", "e")
PACK = """\
promptpack: 1
name: any
version: 1.0.0
inputs: {X: {default: null, description: Anything.}}
messages: [{role: user, content: "{{ X }} {{ reply_format }}"}]
reply:
  actions:
    GO:
      params:
        type: object
        required: ["yes", list]
        properties: {"yes": {type: boolean}, list: {type: array, items: {type: string}}, more: {type: string}}
    STAY: {params: {type: object}}
"""


@cache
def library() -> Library:
    with TemporaryDirectory() as folder:
        (Path(folder) / "any").mkdir()
        (Path(folder) / "any" / "1.0.0.yaml").write_text(PACK, encoding="utf-8")
        opened = Library.open(folder, cache=False)
        opened.get("any")
        return opened


def reply_value(step: str) -> st.SearchStrategy[Any]:
    return st.sampled_from(
        [
            {"from": step},
            {"from": step, "action": "GO"},
            {"from": step, "action": "GO", "path": "/params/list"},
            {"from": step, "action": "GO", "path": "/params/more"},
            {"from": step, "action": "GO", "path": "/params/list", "item": "next"},
        ]
    )


def inputs(names: tuple[str, ...]) -> st.SearchStrategy[Any]:
    values = st.sampled_from(names).flatmap(reply_value) | st.sampled_from([{"value": 1}, "given"])
    lists = st.lists(values, min_size=1, max_size=3)
    return (
        values | lists.map(lambda choices: {"first": choices}) | lists.map(lambda parts: {"fields": _numbered(parts)})
    )


def _numbered(parts: list[Any]) -> dict[str, Any]:
    return {f"f{at}": one for at, one in enumerate(parts)}


@st.composite
def steps(draw: st.DrawFn) -> dict[str, Any]:
    """Draw steps in a row, with random ways back and ahead."""
    names = NAMES[: draw(st.integers(1, 5))]
    anywhere = st.sampled_from((*names, "end"))
    found: dict[str, Any] = {}
    for at, name in enumerate(names):
        step: dict[str, Any] = {"pack": "any@^1", "limit": draw(st.integers(1, 3))}
        if draw(st.integers(0, 9)) == 0:
            del step["limit"]
        if draw(st.booleans()):
            step["inputs"] = {"X": draw(inputs(names[: at + 1]))}
        ahead = (*names, "end")[at + 1]
        match draw(st.sampled_from(["plain", "yes", "action"])):
            case "plain":
                step["next"] = {"to": ahead}
            case "yes":
                step |= {"action": "GO", "next": {"by": "/params/yes", "to": {"true": ahead, "false": draw(anywhere)}}}
            case _:
                step["next"] = {"by": "/action", "to": {"GO": ahead, "STAY": draw(anywhere)}}
        step["next"] |= {"over": draw(anywhere)} if draw(st.booleans()) else {}
        step["next"] |= {"done": draw(anywhere)} if "item" in json.dumps(step) else {}
        found[name] = step
    return found


def read_steps(data: dict[str, Any]) -> FlowFile:
    return read(parse(json.dumps({"flow": 1, "steps": data}), "flow.yaml"))


def answer(run: FlowRun, draw: Callable[..., Any]) -> dict[str, Any]:
    action = run.flow.file.steps[run.at].action or draw(st.sampled_from(["GO", "STAY"]))
    params = {"yes": draw(st.booleans()), "list": ["x"] * draw(st.integers(0, 2))} if action == "GO" else {}
    return {"action": action, "params": params, "requiresUserConfirmation": draw(st.integers(0, 5)) == 0}


@settings(max_examples=60, deadline=None)
@given(steps(), st.data())
def test_a_run_of_a_flow_without_problems_never_lacks_a_value_and_ends(
    data: dict[str, Any], random: st.DataObject
) -> None:
    file = read_steps(data)
    assume(not check(file, library()))
    flow = Flow(file, {name: library().get("any") for name in file.steps})
    run = flow.start({name: ["g"] for name in flow.given_names})
    for _ in range(200):
        if run.waits_for_user:
            run = run.answered(True)
        assert flow.resume(json.loads(json.dumps(run.to_dict()))) == run
        if run.next() is None:
            break
        run = run.took(Verdict("valid", answer(run, random.draw)))
    assert run.ended
    assert run.problem is None or run.problem.code == "PP724"
