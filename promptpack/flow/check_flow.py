"""Check a `Flow` against its packs: steps, inputs and actions exist, and packs accept the values they get."""

import json
from collections.abc import Iterator
from typing import Final

from promptpack import schema
from promptpack.flow.model import END, Flow, FlowValue, ObjectValue, Path, ReplyValue, Step
from promptpack.flow.possible_values import schema_at, values_of
from promptpack.library import Library
from promptpack.pack.model import Pack
from promptpack.problem import Location, PackError, Problem, UsageError, did_you_mean

# The problems of a flow that could be read.
CODES: Final = ("PP712", "PP713", "PP714", "PP715", "PP716", "PP717", "PP718")
_MAX_SHOWN: Final = 160


def check(flow: Flow, library: Library) -> tuple[Problem, ...]:
    """Return every problem of a flow; broken packs are reported by the linter."""
    locales = sorted({entry.locale for entry in library.entries}) or [""]
    found = dict.fromkeys(problem for locale in locales for problem in _FlowChecker(flow, library, locale).run())
    return tuple(sorted(found, key=lambda problem: problem.location or Location("")))


class _FlowChecker:
    def __init__(self, flow: Flow, library: Library, locale: str) -> None:
        self._flow = flow
        self._library = library
        self._locale = locale
        self._problems: list[Problem] = []
        self._packs: dict[str, Pack] = {}

    def run(self) -> list[Problem]:
        """Check every step."""
        for step in self._flow.steps.values():
            self._find_pack(step)
        for step in self._flow.steps.values():
            self._check_next(step)
            for name, value in step.inputs.items():
                self._check_value(step, name, value)
            if step.name in self._packs:
                self._check_inputs(step, self._packs[step.name])
        return self._problems

    def _add(self, code: str, message: str, path: Path, hint: str = "", *, key: bool = False) -> None:
        document = self._flow.document
        place = document.locate_key(path) if key else document.locate(path)
        self._problems.append(Problem(code, message, place, hint))

    def _find_pack(self, step: Step) -> None:
        try:
            self._packs[step.name] = self._library.get(step.pack, self._locale or None)
        except UsageError as error:
            for problem in error.problems:
                self._add("PP712", problem.message, ("steps", step.name, "pack"), problem.hint)
        except PackError:
            return  # reported where that pack is linted

    def _check_next(self, step: Step) -> None:
        place: Path = ("steps", step.name, "next")
        for target, words in step.targets.items():
            if target != END and target not in self._flow.steps:
                where = (*place, "to", words[0]) if words else place
                self._add("PP713", f"no step named {target!r}", where, did_you_mean(target, (*self._flow.steps, END)))
        pack = self._packs.get(step.name)
        if step.branches is None or pack is None or pack.contract is None:
            return
        found = schema_at(pack.contract, step.action, step.branches.pointer)
        allowed = None if found is None else found.get("enum")
        if not isinstance(allowed, list):
            message = f"the reply of {pack.label} has no enum at {step.branches.pointer!r}"
            self._add("PP716", message, (*place, "by"), "name a field that has an enum")
            return
        for word in step.branches.targets:
            if word not in allowed:
                hint = did_you_mean(word, allowed) or f"its answers are {', '.join(map(str, allowed))}"
                self._add("PP718", f"{pack.label} never answers {word!r}", (*place, "to", word), hint, key=True)
        for word in allowed:
            if word not in step.branches.targets:
                message = f"no next step for {word!r}, which {pack.label} may answer"
                self._add("PP718", message, (*place, "to"), key=True)

    def _check_value(self, step: Step, name: str, value: FlowValue) -> None:
        if isinstance(value, ObjectValue):
            for inner in value.fields.values():
                self._check_value(step, name, inner)
        if not isinstance(value, ReplyValue):
            return
        if value.step not in self._flow.steps:
            hint = did_you_mean(value.step, self._flow.steps)
            self._add("PP713", f"no step named {value.step!r}", (*value.place, "from"), hint)
            return
        pack = self._packs.get(value.step)
        if pack is None:
            return
        if pack.contract is None:
            self._add("PP716", f"{pack.label} has no reply contract", (*value.place, "from"))
            return
        actions = pack.contract.action_names()
        if value.action and actions is not None and value.action not in actions:
            hint = did_you_mean(value.action, actions) or f"its actions are {', '.join(actions)}"
            self._add("PP716", f"{pack.label} has no action {value.action!r}", (*value.place, "action"), hint)
        elif schema_at(pack.contract, value.action, value.pointer) is None:
            message = f"the reply of {pack.label} has no {value.pointer!r}"
            self._add("PP716", message, (*value.place, "path"), "see the schema of the reply for its fields")

    def _check_inputs(self, step: Step, pack: Pack) -> None:
        place: Path = ("steps", step.name, "inputs")
        for name in step.inputs:
            if name not in pack.inputs:
                hint = did_you_mean(name, pack.inputs) or f"its inputs are {', '.join(pack.inputs)}"
                self._add("PP714", f"{pack.label} has no input {name!r}", (*place, name), hint, key=True)
        for name, declared in pack.inputs.items():
            if declared.required and name not in step.inputs:
                message = f"step {step.name!r} has no value for {name!r}, which {pack.label} requires"
                self._add(
                    "PP715", message, ("steps", step.name), "add it to 'inputs', for example as 'given'", key=True
                )
        contracts = {other: found.contract for other, found in self._packs.items()}
        for name, value in step.inputs.items():
            if name in pack.inputs:
                self._check_fit(pack, name, (*place, name), values_of(value, contracts))

    def _check_fit(self, pack: Pack, name: str, place: Path, values: Iterator[object]) -> None:
        """Report the first value that the input does not accept: a counterexample, never a guess."""
        input_schema = schema.compile(pack.inputs[name].schema)
        for value in values:
            mismatches = input_schema.check(value)
            if mismatches:
                where = f" at {mismatches[0].pointer}" if mismatches[0].path else ""
                message = f"{pack.label} may reject the value of {name!r}{where}: {mismatches[0].message}"
                self._add("PP717", message, place, f"for example {_short(value)}", key=True)
                return


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 3]}..."
