"""A judge: another pack that reads a reply and decides whether it passes; its own reply is checked like any other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from promptpack.evaluation.answer import Answer
from promptpack.evaluation.cases import Case, hash_context
from promptpack.evaluation.evaluated_pack import EvaluatedPack
from promptpack.problem import Problem, UsageError, did_you_mean
from promptpack.schema.pointers import value_at


@dataclass(frozen=True, slots=True)
class JudgePack:
    """The judge's pack, the input that gets the reply, and where its own reply has the grade.

    The value at `path` is a boolean, or a number of at least `threshold`.
    """

    subject: EvaluatedPack
    reply_input: str
    path: str
    threshold: float | None = None

    def check(self, cases: Sequence[Case]) -> None:
        """Raise a `UsageError` if the judge cannot be asked: it has no contract, or inputs that nothing supplies."""
        pack, problems = self.subject.pack, []
        if pack.contract is None:
            problems.append(Problem("PP976", f"the judge {pack.label} has no reply contract"))
        if self.reply_input not in pack.inputs:
            names = ", ".join(pack.inputs) or "none"
            hint = did_you_mean(self.reply_input, pack.inputs) or f"its inputs are {names}; choose with --judge-input"
            problems.append(Problem("PP976", f"the judge {pack.label} has no input {self.reply_input!r}", None, hint))
        needed = [one.name for one in pack.inputs.values() if one.required and one.name != self.reply_input]
        problems += [
            Problem("PP976", f"the judge {pack.label} needs {name!r}, which case {case.id!r} lacks", case.location)
            for name in needed
            for case in cases
            if name not in case.context
        ]
        if problems:
            raise UsageError(problems)

    def question(self, case: Case, answer: Answer) -> Case:
        """Return the case that asks the judge about an answer."""
        inputs = self.subject.pack.inputs
        is_text = inputs[self.reply_input].schema.get("type") == "string" or answer.data is None
        shared = {name: case.context[name] for name in inputs if name in case.context}
        context: Mapping[str, Any] = {**shared, self.reply_input: answer.text if is_text else answer.data}
        return Case(case.id, context, case.location, {}, hash_context(context))

    def read(self, verdict: Answer) -> str | None:
        """Return why the judge refuses an answer: empty if it accepts it, None if its own reply is unusable."""
        if not verdict.ok:
            return None
        try:
            value = value_at(verdict.data, self.path)
        except LookupError:
            return None
        if isinstance(value, bool):
            return "" if value else f"the judge refuses it: {self.path} is false"
        if self.threshold is None or not isinstance(value, int | float):
            return None
        return (
            "" if value >= self.threshold else f"the judge refuses it: {self.path} is {value}, below {self.threshold:g}"
        )
