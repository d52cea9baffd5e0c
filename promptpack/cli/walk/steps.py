"""One step an agent: its context is made from what the agents before it answered."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from promptpack.cli.walk.tools import COUNT_TICKETS, count_tickets
from promptpack.cycle import Agent, AgentRun, Provider, Settings
from promptpack.library import Library
from promptpack.pack import ERROR_ACTIONS
from promptpack.verdict import AgentOutput, Verdict

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
    stopped: str = ""


@dataclass(slots=True)
class _Walk:
    """What is known so far."""

    said: str
    outputs: dict[str, AgentOutput] = field(default_factory=dict)
    tool_result: Any = None


def walk(
    library: Library, ask: Callable[[str], Provider], settings: Settings, said: str, locale: str
) -> Iterator[Step]:
    """Walk through the agents; stops after a step that gives the next one nothing to go on."""
    state = _Walk(said)
    for name, pack_name, title, context in _PLAN:
        pack = library.get(f"{pack_name}@^1", locale)
        run = Agent(pack, ask(name), settings).run_with_transcript(context(state))
        step = Step(pack_name, title, run, _call_tool(run.verdict.output), _reason_to_stop(run.verdict))
        yield step
        if step.stopped:
            return
        state.outputs[name] = run.verdict.output
        state.tool_result = step.tool_result or state.tool_result


def _call_tool(output: AgentOutput | None) -> Any:
    return count_tickets(**output.params) if output and output.action == COUNT_TICKETS["name"] else None


def _reason_to_stop(verdict: Verdict) -> str:
    if not verdict.ok:
        return "the reply could not be mended"
    output: AgentOutput = verdict.output
    if output.action in ERROR_ACTIONS:
        return f"the agent answered {output.action}: {output.params.get('question') or output.params.get('message')}"
    return "the reviewer refused" if output.params.get("approved") is False else ""


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
