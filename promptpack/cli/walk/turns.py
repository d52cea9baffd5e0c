"""Run the steps of a flow: each turn is one agent, with a context built from earlier replies."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from promptpack import flow as flows
from promptpack.cli.walk.ticket_tool import COUNT_TICKETS, count_tickets
from promptpack.cycle import Agent, AgentRun, CycleSettings, Provider
from promptpack.library import Library
from promptpack.pack.contract import ERROR_ACTIONS
from promptpack.problem import PackError, Problem, UsageError, did_you_mean
from promptpack.verdict import AgentOutput, Verdict

_STATE = {
    "phase": "planning",
    "phases": ["planning", "executing", "reporting"],
    "now": "2026-11-16T09:00:00Z",
}
_POOL = {"agents": ["executor-agent"], "tools": [COUNT_TICKETS["name"]], "timeBudgetMinutes": 30}


@dataclass(frozen=True, slots=True)
class Turn:
    """One agent's turn; `stopped` is the reason when no other turn can follow."""

    pack: str
    title: str
    run: AgentRun
    tool_result: Any = None
    stopped: str = ""


@dataclass(slots=True)
class _WalkState:
    """The user's text and all results so far."""

    user_text: str
    outputs: dict[str, AgentOutput] = field(default_factory=dict)
    tool_result: Any = None

    def compute(self, value: flows.FlowValue, name: str) -> Any:
        """Return the value of an input, or of a field of an input."""
        match value:
            case flows.FixedValue():
                return value.value
            case flows.ReplyValue():
                return value.select(self.outputs[value.step].to_wire())
            case flows.ObjectValue():
                return {field: self.compute(inner, field) for field, inner in value.fields.items()}
            case flows.CallerValue():
                return self._caller_value(name)

    def missing_reply(self, step: flows.Step | None) -> str:
        """Return why a step cannot run: it uses the reply of a step that was skipped."""
        values = step.reply_values() if step else ()
        missing = next((value.step for _, value in values if value.step not in self.outputs), "")
        return f"the next step needs the reply of {missing!r}, which was skipped" if missing else ""

    def _caller_value(self, name: str) -> Any:
        values = self._caller_values
        if name not in values:
            hint = did_you_mean(name, values) or f"it has values for {', '.join(values)}"
            raise UsageError(Problem("PP908", f"'promptpack run' has no value for {name!r}", None, hint))
        return values[name]

    @property
    def _caller_values(self) -> dict[str, Any]:
        """The values that the demo passes, by the name of the input or field."""
        return {
            "SYSTEM_STATE": {**_STATE, "phase": "executing"} if "executor" in self.outputs else _STATE,
            "USER_INPUT": self.user_text,
            "RESOURCE_POOL": _POOL,
            "AVAILABLE_TOOLS": [COUNT_TICKETS],
            "result": self.tool_result,
        }


def walk(
    library: Library, provider_for: Callable[[str], Provider], settings: CycleSettings, user_text: str, locale: str
) -> Iterator[Turn]:
    """Run the steps of the flow in order; stop after a turn that no other step can follow."""
    flow = _find_flow(library)
    state = _WalkState(user_text)
    step: flows.Step | None = flow.start
    while step is not None:
        pack = library.get(step.pack, locale)
        context = {name: state.compute(value, name) for name, value in step.inputs.items()}
        run = Agent(pack, provider_for(step.name), settings).run_with_transcript(context)
        stopped = _reason_to_stop(run.verdict)
        state.outputs[step.name] = run.verdict.output
        following = None if stopped else flow.steps.get(_next_step(step, run.verdict.output))
        reason = stopped or state.missing_reply(following)
        turn = Turn(pack.name, step.title, run, _call_tool(run.verdict.output), reason)
        yield turn
        if reason:
            return
        state.tool_result = turn.tool_result or state.tool_result
        step = following


def _find_flow(library: Library) -> flows.Flow:
    """Return the flow of the library's folders, or the shipped flow."""
    folders = (*library.folders, *Library.open().folders)
    found = next(flow for folder in folders if (flow := flows.find(folder)) is not None)
    problems = flows.check(found, library)
    if problems:
        raise PackError(problems)
    return found


def _next_step(step: flows.Step, output: AgentOutput) -> str:
    if step.branches is None:
        return step.next_step
    decision = flows.ReplyValue(step.name, output.action, step.branches.pointer, ()).select(output.to_wire())
    return step.branches.targets[decision]


def _call_tool(output: AgentOutput | None) -> Any:
    return count_tickets(**output.params) if output and output.action == COUNT_TICKETS["name"] else None


def _reason_to_stop(verdict: Verdict) -> str:
    if not verdict.ok:
        return "no reply met the contract"
    output: AgentOutput = verdict.output
    if output.action in ERROR_ACTIONS:
        return f"the agent answered {output.action}: {output.params.get('question') or output.params.get('message')}"
    return "the reviewer rejected the work" if output.params.get("approved") is False else ""
