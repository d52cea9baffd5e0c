"""One step an agent: its context is made from what the agents before it answered."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from promptpack import flow as flows
from promptpack.cli.walk.tools import COUNT_TICKETS, count_tickets
from promptpack.cycle import Agent, AgentRun, Provider, Settings
from promptpack.library import Library
from promptpack.pack import ERROR_ACTIONS
from promptpack.problem import PackError, Problem, UsageError, did_you_mean
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

    def value(self, value: flows.Value, name: str) -> Any:
        """Work out what an input, or a field of one, is fed with."""
        match value:
            case flows.Fixed():
                return value.value
            case flows.Reply():
                return value.take(self.outputs[value.step].to_wire())
            case flows.Composed():
                return {field: self.value(inner, field) for field, inner in value.fields.items()}
            case flows.Given():
                return self._take(name)

    def lack(self, turn: flows.Step | None) -> str:
        """Say what a step cannot be fed with, as when the way to it left out the step that would have answered."""
        missing = next((part.step for _, part in turn.parts() if part.step not in self.outputs), "") if turn else ""
        return f"the next step needs what {missing!r} answers, and it was not asked" if missing else ""

    def _take(self, name: str) -> Any:
        given = self._given
        if name not in given:
            hint = did_you_mean(name, given) or f"the walk gives {', '.join(given)}"
            raise UsageError(Problem("PP908", f"the walk has nothing to give for {name!r}", None, hint))
        return given[name]

    @property
    def _given(self) -> dict[str, Any]:
        """What the walk itself gives, by the name of the input or field."""
        return {
            "SYSTEM_STATE": {**_STATE, "phase": "executing"} if "executor" in self.outputs else _STATE,
            "USER_INPUT": self.said,
            "RESOURCE_POOL": _POOL,
            "AVAILABLE_TOOLS": [COUNT_TICKETS],
            "result": self.tool_result,
        }


def walk(
    library: Library, ask: Callable[[str], Provider], settings: Settings, said: str, locale: str
) -> Iterator[Step]:
    """Walk through the agents as the flow says; stops after a step that gives the next one nothing to go on."""
    flow = _flow_of(library)
    state = _Walk(said)
    turn: flows.Step | None = flow.start
    while turn is not None:
        pack = library.get(turn.pack, locale)
        context = {name: state.value(value, name) for name, value in turn.inputs.items()}
        run = Agent(pack, ask(turn.name), settings).run_with_transcript(context)
        stopped = _reason_to_stop(run.verdict)
        state.outputs[turn.name] = run.verdict.output
        following = None if stopped else flow.steps.get(_next(turn, run.verdict.output))
        step = Step(pack.name, turn.title, run, _call_tool(run.verdict.output), stopped or state.lack(following))
        yield step
        if step.stopped:
            return
        state.tool_result = step.tool_result or state.tool_result
        turn = following


def _flow_of(library: Library) -> flows.Flow:
    """Take the flow of the library's folders, or the shipped one."""
    folders = (*library.folders, *Library.open().folders)
    found = next(flow for folder in folders if (flow := flows.find(folder)) is not None)
    problems = flows.check(found, library)
    if problems:
        raise PackError(problems)
    return found


def _next(turn: flows.Step, output: AgentOutput) -> str:
    if turn.routes is None:
        return turn.then
    decided = flows.Reply(turn.name, output.action, turn.routes.pointer, ()).take(output.to_wire())
    return turn.routes.ways[decided]


def _call_tool(output: AgentOutput | None) -> Any:
    return count_tickets(**output.params) if output and output.action == COUNT_TICKETS["name"] else None


def _reason_to_stop(verdict: Verdict) -> str:
    if not verdict.ok:
        return "the reply could not be mended"
    output: AgentOutput = verdict.output
    if output.action in ERROR_ACTIONS:
        return f"the agent answered {output.action}: {output.params.get('question') or output.params.get('message')}"
    return "the reviewer refused" if output.params.get("approved") is False else ""
