"""A `Flow` against the packs it names: steps, inputs, actions and ways exist, and what is fed is accepted."""

import json
from collections.abc import Iterator
from typing import Final

from promptpack import schema
from promptpack.flow.model import END, Composed, Flow, Path, Reply, Step, Value
from promptpack.flow.parts import schema_at, values_of
from promptpack.library import Library
from promptpack.pack import Pack
from promptpack.problem import Location, PackError, Problem, UsageError, did_you_mean

# What can be found in a flow that could be read.
CODES: Final = ("PP712", "PP713", "PP714", "PP715", "PP716", "PP717", "PP718")
_SHOWN: Final = 160


def check(flow: Flow, library: Library) -> tuple[Problem, ...]:
    """Find every problem of a flow; packs that are broken themselves are told elsewhere."""
    locales = sorted({entry.locale for entry in library.entries}) or [""]
    found = dict.fromkeys(problem for locale in locales for problem in _Check(flow, library, locale).run())
    return tuple(sorted(found, key=lambda problem: problem.location or Location("")))


class _Check:
    def __init__(self, flow: Flow, library: Library, locale: str) -> None:
        self._flow = flow
        self._library = library
        self._locale = locale
        self._problems: list[Problem] = []
        self._packs: dict[str, Pack] = {}

    def run(self) -> list[Problem]:
        """Look at every step."""
        for step in self._flow.steps.values():
            self._find_pack(step)
        for step in self._flow.steps.values():
            self._check_ways(step)
            for name, value in step.inputs.items():
                self._check_value(step, name, value)
            if step.name in self._packs:
                self._check_inputs(step, self._packs[step.name])
        return self._problems

    def _tell(self, code: str, message: str, path: Path, hint: str = "", *, key: bool = False) -> None:
        document = self._flow.document
        place = document.locate_key(path) if key else document.locate(path)
        self._problems.append(Problem(code, message, place, hint))

    def _find_pack(self, step: Step) -> None:
        try:
            self._packs[step.name] = self._library.get(step.pack, self._locale or None)
        except UsageError as error:
            for problem in error.problems:
                self._tell("PP712", problem.message, ("steps", step.name, "pack"), problem.hint)
        except PackError:
            return  # told where that pack is linted

    def _check_ways(self, step: Step) -> None:
        place: Path = ("steps", step.name, "next")
        for target, words in step.targets.items():
            if target != END and target not in self._flow.steps:
                where = (*place, "to", words[0]) if words else place
                self._tell("PP713", f"no step named {target!r}", where, did_you_mean(target, (*self._flow.steps, END)))
        pack = self._packs.get(step.name)
        if step.routes is None or pack is None or pack.contract is None:
            return
        found = schema_at(pack.contract, step.action, step.routes.pointer)
        words_there = None if found is None else found.get("enum")
        if not isinstance(words_there, list):
            message = f"{step.routes.pointer!r} is no word of the reply of {pack.label}"
            self._tell("PP716", message, (*place, "by"), "name a field that has an enum")
            return
        for word in step.routes.ways:
            if word not in words_there:
                hint = did_you_mean(word, words_there) or f"the words are {', '.join(map(str, words_there))}"
                self._tell("PP718", f"{pack.label} never answers {word!r}", (*place, "to", word), hint, key=True)
        for word in words_there:
            if word not in step.routes.ways:
                self._tell("PP718", f"no way for {word!r}, which {pack.label} may answer", (*place, "to"), "", key=True)

    def _check_value(self, step: Step, name: str, value: Value) -> None:
        if isinstance(value, Composed):
            for inner in value.fields.values():
                self._check_value(step, name, inner)
        if not isinstance(value, Reply):
            return
        if value.step not in self._flow.steps:
            hint = did_you_mean(value.step, self._flow.steps)
            self._tell("PP713", f"no step named {value.step!r}", (*value.place, "from"), hint)
            return
        pack = self._packs.get(value.step)
        if pack is None:
            return
        if pack.contract is None:
            self._tell("PP716", f"{pack.label} has no reply contract", (*value.place, "from"))
            return
        actions = pack.contract.action_names()
        if value.action and actions is not None and value.action not in actions:
            hint = did_you_mean(value.action, actions) or f"its actions are {', '.join(actions)}"
            self._tell("PP716", f"{pack.label} has no action {value.action!r}", (*value.place, "action"), hint)
        elif schema_at(pack.contract, value.action, value.pointer) is None:
            message = f"a reply of {pack.label} has no {value.pointer!r}"
            self._tell("PP716", message, (*value.place, "path"), "the schema of the reply declares what it has")

    def _check_inputs(self, step: Step, pack: Pack) -> None:
        place: Path = ("steps", step.name, "inputs")
        for name in step.inputs:
            if name not in pack.inputs:
                hint = did_you_mean(name, pack.inputs) or f"its inputs are {', '.join(pack.inputs)}"
                self._tell("PP714", f"{pack.label} has no input {name!r}", (*place, name), hint, key=True)
        for name, declared in pack.inputs.items():
            if declared.required and name not in step.inputs:
                message = f"step {step.name!r} does not feed {name!r}, which {pack.label} requires"
                self._tell("PP715", message, ("steps", step.name), "feed it, or write 'given'", key=True)
        contracts = {other: found.contract for other, found in self._packs.items()}
        for name, value in step.inputs.items():
            if name in pack.inputs:
                accepts = schema.compile(pack.inputs[name].schema)
                self._check_fit(pack, name, (*place, name), accepts, values_of(value, contracts))

    def _check_fit(self, pack: Pack, name: str, place: Path, accepts: schema.Schema, fed: Iterator[object]) -> None:
        """Look for one value that may be fed and is not accepted: a counterexample, never a guess."""
        for value in fed:
            findings = accepts.check(value)
            if findings:
                where = f" at {findings[0].pointer}" if findings[0].path else ""
                message = f"what is fed to {name!r} of {pack.label} may not be accepted{where}: {findings[0].message}"
                self._tell("PP717", message, place, f"such as {_short(value)}", key=True)
                return


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
