"""A `Flow` and its runs: which step comes next, with which context, until the end."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final

import promptpack
from promptpack import hook
from promptpack.flow.model import END, CallerValue, FlowFile, Step
from promptpack.flow.step_context import Arrival, find_arrival, make_context
from promptpack.pack.contract import ERROR_ACTIONS
from promptpack.pack.model import Pack
from promptpack.problem import ContextError, Problem, UsageError, did_you_mean
from promptpack.prompt.message import ToolCall
from promptpack.prompt.value_encoders import is_a

_FORMAT: Final = 1


@dataclass(frozen=True, slots=True)
class Visit:
    """A step that is done, and the reply of its agent.

    `step` is the name of the step, and `reply` the reply as plain data.
    """

    step: str
    reply: Any = field(repr=False)


@dataclass(frozen=True, slots=True)
class FlowStep:
    """The step to do next: render its prompt, ask a model, and pass the verdict to `FlowRun.took`.

    `name` and `title` are those of the flow file, `pack` is the pack to render, and `context` has its inputs.
    """

    name: str
    title: str
    pack: Pack
    context: Mapping[str, Any] = field(repr=False)

    def render(self) -> promptpack.Prompt:
        """Render the prompt of the step."""
        return self.pack.render(dict(self.context))


@dataclass(frozen=True, slots=True)
class Flow:
    """The steps of a flow file and the pack of each; immutable, each run of it is a separate value.

    `file` is the flow file, and `packs` has the pack of each step.
    """

    file: FlowFile = field(repr=False)
    packs: Mapping[str, Pack]

    def start(self, given: Mapping[str, Any] | None = None) -> FlowRun:
        """Start a run at the first step; `given` has the values that the flow calls `given`.

        A value that is not known yet may be passed later, to `took` or `resume`.
        """
        run = FlowRun(self, MappingProxyType(self._checked(given or {})))
        return run._arrived(run._arrive(self.file.first.name))

    @contextmanager
    def traced(self, run_id: str = "") -> Iterator[None]:
        """Make the block one run in logs and traces: all its events have one run id, and one span is around them.

        `run_id` is your own id for the run, such as the id of a stored run; without it a new one is made.
        """
        if not hook.listeners:
            yield
            return
        from promptpack.observation import observe_run

        with observe_run("flow", run_id=run_id):
            yield

    def resume(
        self, row: Mapping[str, Any], answer: bool | None = None, given: Mapping[str, Any] | None = None
    ) -> FlowRun:
        """Return the run that `FlowRun.to_dict` stored in `row`; refuse a run of another flow or of other packs.

        `answer` is the user's, if the run waits for it; `given` replaces and adds values, secret ones too.
        """
        digest = row.get("digest")
        if digest != self.digest:
            hint = "resume it with the packs and the flow that it was started with"
            message = f"the stored run belongs to another flow: {digest!r}, not {self.digest!r}"
            raise UsageError(Problem("PP727", message, None, hint))
        values = self._checked({**row["given"], **(given or {})})
        visits = tuple(Visit(one["step"], one["reply"]) for one in row["visits"])
        problem = Problem(row["problem"]["code"], row["problem"]["message"]) if row["problem"] else None
        run = FlowRun(self, MappingProxyType(values), visits, row["at"], row["waits_for_user"], problem)
        return run if answer is None else run.answered(answer)

    @property
    def digest(self) -> str:
        """The hash of the flow and the digests of its packs."""
        packs = {step: pack.digest for step, pack in self.packs.items()}
        text = json.dumps([_FORMAT, self.file.document.data, packs], ensure_ascii=False)
        return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"

    @property
    def given_names(self) -> tuple[str, ...]:
        """The names of the values that the caller may pass."""
        values = (value for step in self.file.steps.values() for _, value in step.values())
        return tuple(dict.fromkeys(value.name for value in values if isinstance(value, CallerValue)))

    def secret_names(self) -> frozenset[str]:
        """Return the names of the values that the caller passes and a pack calls secret."""
        return frozenset(
            value.name
            for step in self.file.steps.values()
            for name, value in step.values()
            if isinstance(value, CallerValue) and self.packs[step.name].inputs[name].secret
        )

    def _checked(self, given: Mapping[str, Any]) -> dict[str, Any]:
        known = self.given_names
        unknown = [name for name in given if name not in known]
        if unknown:
            hints = {name: did_you_mean(name, known) or f"it uses {', '.join(known) or 'none'}" for name in unknown}
            raise ContextError(
                Problem("PP723", f"the flow has no given value {name!r}", None, hint) for name, hint in hints.items()
            )
        return dict(given)


@dataclass(frozen=True, slots=True)
class FlowRun:
    """One run of a flow: the given values and the replies so far; `took` returns the run after one more step.

    `flow` is the flow, `given` has the values of the caller, `visits` are the steps so far, and `at` is the next step.
    With `waits_for_user`, the run continues after `answered`.
    """

    flow: Flow = field(repr=False)
    given: Mapping[str, Any] = field(repr=False)
    visits: tuple[Visit, ...] = ()
    at: str = END
    waits_for_user: bool = False
    problem: Problem | None = None
    """Why the run ended before the end of the flow."""

    @property
    def ended(self) -> bool:
        """Whether no other step follows."""
        return self.problem is not None or (self.at == END and not self.waits_for_user)

    @property
    def limited_step(self) -> str:
        """The step whose limit ended the run, through `over: end`; empty if the run ended otherwise."""
        if not self.visits or not self.ended or self.problem is not None:
            return ""
        target = self._last.next.find(self.visits[-1].reply) or END
        limit = self.flow.file.steps[target].limit if target in self.flow.file.steps else 0
        return target if limit and sum(visit.step == target for visit in self.visits) >= limit else ""

    def next(self) -> FlowStep | None:
        """Return the step to do next, or None at the end; raise a `ContextError` if a given value is missing."""
        if self.waits_for_user:
            raise UsageError(
                Problem("PP726", f"the run waits for the user after {self._last.name!r}", None, "call answered()")
            )
        if self.ended:
            return None
        step = self.flow.file.steps[self.at]
        return FlowStep(step.name, step.title, self.flow.packs[step.name], make_context(step, self.given, self.visits))

    def took(self, verdict: promptpack.Verdict, given: Mapping[str, Any] | None = None) -> FlowRun:
        """Return the run after the current step, whose reply got this `verdict`.

        `given` replaces and adds values, such as the result of a tool. A reply that asks for the user's confirmation
        makes the run wait. A native tool call is the same as a reply whose action is the tool.
        """
        if self.waits_for_user or self.ended:
            state = "waits for the user" if self.waits_for_user else "has ended"
            raise UsageError(Problem("PP726", f"the run {state}, so it cannot take a verdict"))
        run = replace(self, given=MappingProxyType({**self.given, **self.flow._checked(given or {})}))
        if not is_a(verdict, promptpack.Verdict):
            message = f"a step takes a verdict, not a value of type {type(verdict).__name__!r}"
            raise UsageError(Problem("PP534", message, None, "check the reply with the prompt of the step"))
        if not verdict.ok:
            return run._ended("PP725", f"no reply of step {self.at!r} meets its contract")
        if len(verdict.tool_calls) > 1:
            return run._ended("PP725", f"step {self.at!r} called {len(verdict.tool_calls)} tools at once")
        reply = _read_call(verdict.tool_calls[0]) if verdict.tool_calls else verdict.data
        run = replace(run, visits=(*self.visits, Visit(self.at, deepcopy(reply))))
        return run._left(self.flow.file.steps[self.at], reply)

    def answered(self, answer: bool) -> FlowRun:
        """Return the run after the user's `answer`: it continues, or ends if the answer is false."""
        if not self.waits_for_user:
            raise UsageError(Problem("PP726", "the run does not wait for the user"))
        run = replace(self, waits_for_user=False)
        return run if answer else run._ended("PP725", f"the user declined step {self._last.name!r}")

    def to_dict(self) -> dict[str, Any]:
        """Return the run as plain data for JSON, without secret values; `Flow.resume` continues it."""
        secret = self.flow.secret_names()
        problem = {"code": self.problem.code, "message": self.problem.message} if self.problem else None
        return {
            "digest": self.flow.digest,
            "given": {name: deepcopy(value) for name, value in self.given.items() if name not in secret},
            "visits": [{"step": visit.step, "reply": deepcopy(visit.reply)} for visit in self.visits],
            "at": self.at,
            "waits_for_user": self.waits_for_user,
            "problem": problem,
        }

    @property
    def _last(self) -> Step:
        return self.flow.file.steps[self.visits[-1].step]

    def _left(self, step: Step, reply: Any) -> FlowRun:
        """Follow `next` of a step."""
        action = reply.get("action", "") if isinstance(reply, Mapping) else ""
        is_routed = step.next.pointer == "/action" and action in step.next.targets
        if action in ERROR_ACTIONS and not is_routed:
            reason = reply["params"].get("question") or reply["params"].get("message")
            return self._ended("PP725", f"step {step.name!r} answered {action}: {reason}")
        if step.action and action != step.action and not is_routed:
            return self._ended("PP725", f"step {step.name!r} took the action {action!r} instead of {step.action!r}")
        try:
            target = step.next.find(reply)
        except LookupError:
            target = None
        if target is None:
            return self._ended("PP725", f"step {step.name!r} has no next step for its reply at {step.next.pointer!r}")
        waits = isinstance(reply, Mapping) and reply.get("requiresUserConfirmation") is True
        return replace(self._arrived(self._arrive(target, step)), waits_for_user=waits)

    def _arrive(self, target: str, source: Step | None = None) -> Arrival:
        return find_arrival(self.flow.file, self.given, self.visits, target, source)

    def _arrived(self, arrival: Arrival) -> FlowRun:
        return replace(self, at=arrival.step, problem=arrival.problem)

    def _ended(self, code: str, message: str) -> FlowRun:
        return replace(self, at=END, problem=Problem(code, message))


def _read_call(call: ToolCall) -> dict[str, Any]:
    return {"action": call.name, "params": json.loads(call.arguments or "{}")}
