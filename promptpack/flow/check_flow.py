"""Check a `FlowFile` against its packs: every name exists, every path supplies its inputs, and packs accept them."""

import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from itertools import islice, product
from typing import Final

from promptpack import schema
from promptpack.flow.model import (
    END,
    FirstValue,
    FlowFile,
    FlowValue,
    ObjectValue,
    ReplyValue,
    Step,
    to_word,
)
from promptpack.flow.paths import Graph, ReplyClause, needed_replies
from promptpack.flow.possible_values import (
    FieldSchema,
    deciding_fields,
    field_at,
    items_of,
    suggest_pointer,
    values_of,
    words_at,
)
from promptpack.library import Library
from promptpack.library.choosing import alternatives
from promptpack.pack.contract import ERROR_ACTIONS
from promptpack.pack.model import Pack
from promptpack.problem import Location, PackError, Problem, PromptpackError, UsageError, did_you_mean, nearest
from promptpack.schema.pointers import ValuePath

# The problems of a flow that could be read.
CODES: Final = tuple(f"PP{number}" for number in range(712, 723))
_MAX_SHOWN: Final = 160
_MAX_COMBINATIONS: Final = 256


def check(flow: FlowFile, library: Library) -> tuple[Problem, ...]:
    """Return every problem of a flow; broken packs are reported by the linter."""
    locales = sorted({entry.locale for entry in library.entries}) or [""]
    found = dict.fromkeys(
        problem
        for locale in locales
        for requests in _combine_trials(flow, library)
        for problem in _FlowChecker(flow, library, locale, requests).run()
    )
    return tuple(sorted(found, key=lambda problem: problem.location or Location("")))


def _combine_trials(flow: FlowFile, library: Library) -> Iterator[Mapping[str, str]]:
    """Yield the exact requests of all labels that are trials, in every combination of their versions."""
    choices: dict[str, tuple[str, ...]] = {}
    for step in flow.steps.values():
        with suppress(PromptpackError):  # reported for each step
            choices[step.pack] = alternatives(library, step.pack)
    combined = product(*choices.values())
    return (dict(zip(choices, chosen, strict=True)) for chosen in islice(combined, _MAX_COMBINATIONS))


class _FlowChecker:
    def __init__(self, flow: FlowFile, library: Library, locale: str, requests: Mapping[str, str]) -> None:
        self._requests = requests
        self._flow = flow
        self._library = library
        self._locale = locale
        self._problems: list[Problem] = []
        self._packs: dict[str, Pack] = {}

    def run(self) -> list[Problem]:
        """Check every step; check the paths if all names are right."""
        for step in self._flow.steps.values():
            self._find_pack(step)
        for step in self._flow.steps.values():
            self._check_targets(step)
            self._check_action(step)
            self._check_words(step)
            self._check_items(step)
            for name, value in step.inputs.items():
                self._check_value(step, name, value)
            if step.name in self._packs:
                self._check_inputs(step, self._packs[step.name])
        if not self._problems and len(self._packs) == len(self._flow.steps):
            self._check_paths()
        return self._problems

    def _add(self, code: str, message: str, path: ValuePath, hint: str = "", *, key: bool = False) -> None:
        document = self._flow.document
        place = document.locate_key(path) if key else document.locate(path)
        self._problems.append(Problem(code, message, place, hint))

    def _find_pack(self, step: Step) -> None:
        try:
            self._packs[step.name] = self._library.get(
                self._requests.get(step.pack, step.pack), self._locale or None, fallback="default"
            )
        except UsageError as error:
            for problem in error.problems:
                self._add("PP712", problem.message, ("steps", step.name, "pack"), problem.hint)
        except PackError:
            return  # reported where that pack is linted

    def _check_targets(self, step: Step) -> None:
        place: ValuePath = ("steps", step.name, "next")
        for word, target in step.next.targets.items():
            self._check_target(target, (*place, "to", word) if word else (*place, "to"))
        self._check_target(step.next.over, (*place, "over"))
        self._check_target(step.next.done, (*place, "done"))

    def _check_target(self, target: str, place: ValuePath) -> None:
        if target and target != END and target not in self._flow.steps:
            self._add("PP713", f"no step named {target!r}", place, did_you_mean(target, (*self._flow.steps, END)))

    def _check_action(self, step: Step) -> None:
        pack = self._packs.get(step.name)
        names = pack.contract.action_names() if pack is not None and pack.contract is not None else None
        if step.action and names and pack is not None and step.action not in names:
            hint = did_you_mean(step.action, names) or f"its actions are {', '.join(names)}"
            self._add("PP716", f"{pack.label} has no action {step.action!r}", ("steps", step.name, "action"), hint)

    def _check_words(self, step: Step) -> None:
        """Check that `next` has a step for each word that may decide, and for no other."""
        pack = self._packs.get(step.name)
        if not step.next.pointer or pack is None or pack.contract is None:
            return
        if step.action and step.action not in (pack.contract.action_names() or (step.action,)):
            return  # reported by `_check_action`
        place: ValuePath = ("steps", step.name, "next")
        field = field_at(pack.contract, step.action or _only(pack.contract.actions), step.next.pointer)
        actions = pack.contract.action_names() if step.next.pointer == "/action" else None
        words = actions or (words_at(field) if field is not None and field.is_certain else None)
        if words is None:
            what = "at" if field is None or field.is_certain else "in every reply at"
            message = f"the reply of {pack.label} has no boolean and no enum {what} {step.next.pointer!r}"
            hint = suggest_pointer(pack.contract, step.action or _only(pack.contract.actions), step.next.pointer)
            fields = ", ".join(deciding_fields(pack.contract, step.action or _only(pack.contract.actions)))
            hint = hint or f"name a required field that is a boolean or has an enum: {fields or 'it has none'}"
            self._add("PP716", message, (*place, "by"), hint)
            return
        allowed = [to_word(word) for word in words]
        unknown = [word for word in step.next.targets if word not in allowed]
        # Without any known word, one problem is enough.
        for word in unknown[:1] if len(unknown) == len(step.next.targets) else unknown:
            hint = did_you_mean(word, allowed) or f"its answers are {', '.join(allowed)}"
            self._add("PP718", f"{pack.label} never answers {word!r}", (*place, "to", word), hint, key=True)
        for word in () if unknown else allowed:
            is_optional = step.next.pointer == "/action" and word in ERROR_ACTIONS
            if word not in step.next.targets and not is_optional:
                message = f"no next step for {word!r}, which {pack.label} may answer"
                self._add("PP718", message, (*place, "to"), key=True)

    def _check_items(self, step: Step) -> None:
        """Check that a step that takes items names the step after the last one."""
        place: ValuePath = ("steps", step.name, "next")
        if step.takes_items and not step.next.done:
            message = f"step {step.name!r} takes items, but 'next' does not say which step follows the last one"
            self._add("PP722", message, place, "write for example 'next: {to: STEP, done: end}'", key=True)
        elif step.next.done and not step.takes_items:
            message = f"'done' is never used: no input of step {step.name!r} has 'item: next'"
            self._add("PP722", message, (*place, "done"), "remove it, or add 'item: next' to a list", key=True)

    def _check_value(self, step: Step, name: str, value: FlowValue) -> None:
        inner = value.fields.values() if isinstance(value, ObjectValue) else ()
        for one in value.choices if isinstance(value, FirstValue) else inner:
            self._check_value(step, name, one)
        if not isinstance(value, ReplyValue):
            return
        if value.step not in self._flow.steps:
            hint = did_you_mean(value.step, self._flow.steps)
            self._add("PP713", f"no step named {value.step!r}", (*value.place, "from"), hint)
            return
        pack = self._packs.get(value.step)
        if pack is not None:
            self._check_reply_value(value, pack)

    def _check_reply_value(self, value: ReplyValue, pack: Pack) -> None:
        if pack.contract is None:
            self._add("PP716", f"{pack.label} has no reply contract", (*value.place, "from"))
            return
        actions = pack.contract.action_names()
        if value.action and actions is not None and value.action not in actions:
            hint = did_you_mean(value.action, actions) or f"its actions are {', '.join(actions)}"
            self._add("PP716", f"{pack.label} has no action {value.action!r}", (*value.place, "action"), hint)
            return
        field = field_at(pack.contract, value.action, value.pointer)
        if field is None:
            message = f"the reply of {pack.label} has no {value.pointer!r}"
            hint = suggest_pointer(pack.contract, value.action, value.pointer)
            self._add("PP716", message, (*value.place, "path"), hint or "see the schema of the reply for its fields")
        elif value.is_next_item and items_of(field) is None:
            message = f"{value.pointer or 'the reply'!r} of {pack.label} is not a list"
            self._add("PP722", message, (*value.place, "item"), "remove 'item', or name a list")

    def _check_inputs(self, step: Step, pack: Pack) -> None:
        place: ValuePath = ("steps", step.name, "inputs")
        for name in step.inputs:
            if name not in pack.inputs:
                hint = did_you_mean(name, pack.inputs) or f"its inputs are {', '.join(pack.inputs)}"
                self._add("PP714", f"{pack.label} has no input {name!r}", (*place, name), hint, key=True)
        unknown = [name for name in step.inputs if name not in pack.inputs]
        for name, declared in pack.inputs.items():
            is_misspelled = any(nearest(other, pack.inputs) == name for other in unknown)
            if declared.required and name not in step.inputs and not is_misspelled:
                message = f"step {step.name!r} has no value for {name!r}, which {pack.label} requires"
                hint = "add it to 'inputs', for example as 'given'"
                self._add("PP715", message, ("steps", step.name), hint, key=True)
        contracts = {other: found.contract for other, found in self._packs.items()}
        for name, value in step.inputs.items():
            if name in pack.inputs:
                self._check_fit(pack, name, (*place, name), values_of(value, contracts))

    def _check_fit(self, pack: Pack, name: str, place: ValuePath, values: Iterator[object]) -> None:
        """Report the first value that the input does not accept: a counterexample, never a guess."""
        input_schema = schema.compile(pack.inputs[name].schema)
        for value in values:
            mismatches = input_schema.check(value)
            if mismatches:
                where = f" at {mismatches[0].pointer}" if mismatches[0].path else ""
                message = f"{pack.label} may reject the value of {name!r}{where}: {mismatches[0].message}"
                self._add("PP717", message, place, f"for example {_short(value)}", key=True)
                return

    def _check_paths(self) -> None:
        graph = Graph(self._flow, self._usual_actions(), self._can_be_empty)
        leaving = graph.reaches_end()
        for step in self._flow.steps.values():
            if graph.path_without(step.name) is None:
                message = f"no path leads to step {step.name!r}"
                self._add("PP720", message, ("steps", step.name), "name it in a 'next', or remove it", key=True)
            elif step.name not in leaving:
                message = f"no path leads from step {step.name!r} to the end"
                self._add("PP720", message, ("steps", step.name), "let one of its 'next' lead to 'end'", key=True)
            for name, value in step.inputs.items():
                self._check_supply(step, name, needed_replies(value, self._is_certain), graph)
        cycle = graph.endless_cycle()
        if cycle is not None:
            message = f"nothing limits the cycle {' → '.join((*cycle, cycle[0]))}"
            self._add("PP721", message, ("steps", cycle[0]), "add 'limit: 3' to one of these steps", key=True)

    def _usual_actions(self) -> dict[str, tuple[str, ...]]:
        return {name: tuple(pack.contract.actions) for name, pack in self._packs.items() if pack.contract is not None}

    def _check_supply(self, step: Step, name: str, clauses: list[ReplyClause], graph: Graph) -> None:
        """Report a path on which an input has no value."""
        for clause in clauses:
            path = graph.path_without(step.name, clause)
            if path is None:
                continue
            replies = sorted(
                {f"{source!r} has not replied" + (f" with {action}" if action else "") for source, action in clause}
            )
            reason = " and ".join(replies) or "the reply may not have the field"
            message = f"step {step.name!r} may have no value for {name!r}: on the path {' → '.join(path)}, {reason}"
            hint = "give another value for this path: {first: [{from: ...}, given]}"
            self._add("PP719", message, ("steps", step.name, "inputs", name), hint, key=True)
            return

    def _is_certain(self, value: ReplyValue) -> bool:
        field = self._field(value)
        return field is not None and field.is_certain

    def _can_be_empty(self, step: Step) -> bool:
        """Return whether a step that takes items may get an empty list."""
        for _, value in step.values():
            if isinstance(value, ReplyValue) and value.is_next_item:
                field = self._field(value)
                items = items_of(field) if field is not None else None
                if items is None or not items.is_certain:
                    return True
            elif getattr(value, "is_next_item", False):
                return True
        return False

    def _field(self, value: ReplyValue) -> FieldSchema | None:
        contract = self._packs[value.step].contract
        return field_at(contract, value.action, value.pointer) if contract is not None else None


def _only(actions: Collection[str]) -> str:
    return next(iter(actions)) if len(actions) == 1 else ""


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 3]}..."
