"""One step an agent: its context is made from what the agents before it answered."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from promptpack.cli.walk.tools import COUNT_TICKETS, count_tickets
from promptpack.cycle import Agent, AgentRun, Provider, Settings
from promptpack.library import Library
from promptpack.verdict import AgentOutput

_STATE = {
    "phase": "planning",
    "phases": ["planning", "executing", "reporting"],
    "now": "2026-11-16T09:00:00Z",
}
_POOL = {"agents": ["executor-agent"], "tools": [COUNT_TICKETS["name"]], "timeBudgetMinutes": 30}


@dataclass(frozen=True, slots=True)
class Step:
    """One agent's turn: why it was asked, and how it went."""

    pack: str
    title: str
    run: AgentRun
    tool_result: Any = None


@dataclass(slots=True)
class _Walk:
    """What is known so far."""

    said: str
    outputs: dict[str, AgentOutput] = field(default_factory=dict)
    tool_result: Any = None


def walk(
    library: Library, ask: Callable[[str], Provider], settings: Settings, said: str, locale: str
) -> Iterator[Step]:
    """Walk through the agents; stops after a step whose reply could not be mended."""
    state = _Walk(said)
    for name, pack_name, title, context in _PLAN:
        pack = library.get(f"{pack_name}@^1", locale)
        run = Agent(pack, ask(name), settings).run_with_transcript(context(state))
        if run.verdict.ok:
            state.outputs[name] = run.verdict.output
        if run.verdict.ok and run.verdict.output.action == COUNT_TICKETS["name"]:
            state.tool_result = count_tickets(**run.verdict.output.params)
            yield Step(pack_name, title, run, state.tool_result)
        else:
            yield Step(pack_name, title, run)
        if not run.verdict.ok:
            return


def _understand(state: _Walk) -> dict[str, Any]:
    return {"SYSTEM_STATE": _STATE, "USER_INPUT": state.said}


def _route(state: _Walk) -> dict[str, Any]:
    return {"SYSTEM_STATE": _STATE, "INTENT_ANALYSIS": state.outputs["understanding"].params}


def _plan(state: _Walk) -> dict[str, Any]:
    return {"SYSTEM_STATE": _STATE, "USER_GOAL": _goal(state), "RESOURCE_POOL": _POOL}


def _review_plan(state: _Walk) -> dict[str, Any]:
    return _review(state, "planner", ["TASK_PLAN"])


def _execute(state: _Walk) -> dict[str, Any]:
    task = state.outputs["planner"].params["tasks"][0]
    return {"AVAILABLE_TOOLS": [COUNT_TICKETS], "TASK_CONTEXT": {"goal": _goal(state), "task": task}}


def _review_result(state: _Walk) -> dict[str, Any]:
    return _review(state, "executor", [COUNT_TICKETS["name"]])


def _steer(state: _Walk) -> dict[str, Any]:
    review = state.outputs["review of the result"].params
    task = {"goal": _goal(state), "taskId": "task-1", "result": state.tool_result, "review": review}
    return {"SYSTEM_STATE": {**_STATE, "phase": "executing"}, "TASK_CONTEXT": task, "RESOURCE_POOL": _POOL}


def _review(state: _Walk, step: str, allowed: list[str]) -> dict[str, Any]:
    reviewed = state.outputs[step].to_wire()
    return {"USER_GOAL": _goal(state), "REVIEWED_OUTPUT": reviewed, "ALLOWED_ACTIONS": allowed}


def _goal(state: _Walk) -> str:
    return str(state.outputs["understanding"].params["normalizedIntent"]["goal"])


_PLAN: tuple[tuple[str, str, str, Callable[[_Walk], dict[str, Any]]], ...] = (
    ("understanding", "understanding", "what does the user want", _understand),
    ("router", "router", "where does it go", _route),
    ("planner", "planner", "split it into tasks", _plan),
    ("review of the plan", "reviewer", "may the plan be used", _review_plan),
    ("executor", "executor", "call a tool", _execute),
    ("review of the result", "reviewer", "may the step be used", _review_result),
    ("orchestrator", "orchestrator", "what comes next", _steer),
)
