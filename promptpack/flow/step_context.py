"""The context of a step, from the given values and the earlier replies, and the step that a run arrives at."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from promptpack.flow.model import (
    END,
    CallerValue,
    FirstValue,
    FixedValue,
    FlowFile,
    FlowValue,
    ObjectValue,
    ReplyValue,
    Step,
)
from promptpack.problem import ContextError, Problem, did_you_mean
from promptpack.schema.pointers import value_at

if TYPE_CHECKING:
    from promptpack.flow.flow import Visit


class Arrival(NamedTuple):
    """The step that a run goes to, or why it cannot."""

    step: str
    problem: Problem | None = None


class _Missing(Exception):  # noqa: N818 -- not an error: another value may take its place
    """The run does not have a value; `name` is the one that the caller can pass."""

    def __init__(self, reason: str, name: str = "") -> None:
        super().__init__(reason)
        self.name = name


class _NothingLeft(Exception):  # noqa: N818 -- not an error: the run continues with `done`
    """All items of a list are taken."""


def make_context(step: Step, given: Mapping[str, Any], visits: Sequence["Visit"]) -> dict[str, Any]:
    """Return the inputs of a step; raise a `ContextError` that names every missing value."""
    values = _StepValues(step, given, visits)
    context: dict[str, Any] = {}
    problems: list[Problem] = []
    for name, value in step.inputs.items():
        try:
            context[name] = values.find(value)
        except _Missing as missing:
            message = f"step {step.name!r} needs a value for {name!r}: {missing}"
            hint = did_you_mean(missing.name, given) if missing.name else ""
            problems.append(Problem("PP723", message, None, hint or "pass it as a given value"))
    if problems:
        raise ContextError(problems)
    return context


def find_arrival(
    file: FlowFile, given: Mapping[str, Any], visits: Sequence["Visit"], target: str, source: Step | None
) -> Arrival:
    """Return the step that a run gets to: not one over its limit, nor one with no item left."""
    for _ in range(2 * len(file.steps) + 1):
        if target == END:
            return Arrival(END)
        step = file.steps[target]
        if step.limit and sum(visit.step == target for visit in visits) >= step.limit:
            over = "" if source is None else source.next.over
            if not over:
                return Arrival(END, Problem("PP724", f"step {target!r} has reached its limit of {step.limit} visits"))
            source, target = None, over
        elif step.takes_items and _is_nothing_left(step, given, visits):
            source, target = step, step.next.done
        else:
            return Arrival(target)
    return Arrival(
        END, Problem("PP724", f"no step can follow {target!r}: each has reached its limit or has no item left")
    )


def _is_nothing_left(step: Step, given: Mapping[str, Any], visits: Sequence["Visit"]) -> bool:
    values = _StepValues(step, given, visits)
    for value in step.inputs.values():
        try:
            values.find(value)
        except _NothingLeft:
            return True
        except _Missing:
            continue  # reported by `make_context`
    return False


class _StepValues:
    """Finds the values of a step's inputs."""

    def __init__(self, step: Step, given: Mapping[str, Any], visits: Sequence["Visit"]) -> None:
        self._step = step
        self._given = given
        self._visits = visits

    def find(self, value: FlowValue) -> Any:
        match value:
            case FixedValue():
                return value.value
            case CallerValue():
                return self._given_value(value)
            case ReplyValue():
                return self._reply_value(value)
            case ObjectValue():
                return {name: self.find(inner) for name, inner in value.fields.items()}
            case FirstValue():
                return self._first(value)

    def _given_value(self, value: CallerValue) -> Any:
        if value.name not in self._given:
            raise _Missing(f"{value.name!r} is not given", value.name)
        return self._part(self._given[value.name], value, since=0)

    def _reply_value(self, value: ReplyValue) -> Any:
        for at in range(len(self._visits) - 1, -1, -1):
            visit = self._visits[at]
            if visit.step == value.step and value.action in ("", visit.reply.get("action")):
                return self._part(visit.reply, value, since=at + 1)
        raise _Missing(f"{value.step!r} has not replied{f' with {value.action}' if value.action else ''}")

    def _part(self, whole: Any, value: CallerValue | ReplyValue, since: int) -> Any:
        """Return the part that a value selects; the next item counts the visits of the step since a position."""
        try:
            part = value_at(whole, value.pointer)
        except LookupError:
            raise _Missing(f"there is no {value.pointer!r} in it") from None
        if not value.is_next_item:
            return part
        if not isinstance(part, list | tuple):
            raise _Missing(f"{value.pointer or 'the value'!r} is not a list")
        taken = sum(visit.step == self._step.name for visit in self._visits[since:])
        if taken >= len(part):
            raise _NothingLeft
        return part[taken]

    def _first(self, value: FirstValue) -> Any:
        reasons: list[_Missing] = []
        for choice in value.choices:
            try:
                return self.find(choice)
            except _Missing as missing:
                reasons.append(missing)
        raise _Missing("; ".join(map(str, reasons)), reasons[-1].name)
