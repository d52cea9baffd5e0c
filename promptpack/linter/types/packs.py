"""Every template and expression of a pack, with the types of its inputs and of the replies that its contract allows."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from promptpack.linter.types.check import check_expression, check_template
from promptpack.linter.types.lattice import Field, ListOf, MappingOf, Text, Type
from promptpack.linter.types.narrowing import Env
from promptpack.linter.types.report import DEAD_BRANCH, Steps
from promptpack.linter.types.schemas import from_schema
from promptpack.pack import CallTemplate, Contract, Input, MessageTemplate, PartTemplate, Rule
from promptpack.problem import Problem
from promptpack.template import Engine, Expression, Template
from promptpack.template.model import UNPLACED


class Linked(Protocol):
    """What is looked at: a pack's inputs, messages, slots and contract."""

    @property
    def inputs(self) -> Mapping[str, Input]:
        """The inputs by name."""

    @property
    def messages(self) -> tuple[MessageTemplate, ...]:
        """The messages in order."""

    @property
    def slots(self) -> Mapping[str, Any]:
        """The slots by name."""

    @property
    def contract(self) -> Contract | None:
        """The contract of its replies."""


_ABOUT = MappingOf({name: Field(Text(), required=True) for name in ("name", "version", "agent", "locale")}, None)


def rendering_env(pack: Linked) -> Env:
    """Give what is known of the names that every message has."""
    inputs = {name: from_schema(declared.schema) for name, declared in pack.inputs.items()}
    return Env({**inputs, "pack": _ABOUT, "reply_format": Text()})


def check_pack(pack: Linked, engine: Engine) -> tuple[Problem, ...]:
    """Find everything that the types of a pack say about its templates."""
    found = dict.fromkeys(_PackCheck(pack, engine).run())
    # What stands in for a text that did not compile has no place in a file, and nothing is said about it.
    return tuple(problem for problem in found if problem.location and problem.location.path != UNPLACED)


class _PackCheck:
    def __init__(self, pack: Linked, engine: Engine) -> None:
        self._pack = pack
        self._engine = engine
        self._steps = Steps()
        self._rendering = rendering_env(pack)
        self._judging = Env({name: one for name, one in self._rendering.types.items() if name != "reply_format"})

    def run(self) -> Iterator[Problem]:
        """Go through the messages, the slots and the contract."""
        for message in self._pack.messages:
            yield from self._message(message)
        yield from self._templates(self._pack.slots, self._rendering)
        if self._pack.contract is not None:
            yield from self._contract(self._pack.contract)

    def _message(self, message: MessageTemplate) -> Iterator[Problem]:
        env: Env | None = self._rendering
        if message.when is not None:
            problems, env = self._when(message.when, self._rendering, "this message is never sent")
            yield from problems
        if env is None:
            return
        values = (message.content, message.name, message.tool_call_id, message.tool_calls)
        yield from self._templates(values, env)

    def _when(self, when: Expression, env: Env, never: str) -> tuple[tuple[Problem, ...], Env | None]:
        checked = check_expression(when.source, self._engine, env, self._steps)
        if checked.true is not None or checked.problems:
            return checked.problems, checked.true
        place = when.source.locate(1, 1)
        return (Problem(DEAD_BRANCH, f"{never}: its condition never holds", place, "", "warning"),), None

    def _templates(self, value: Any, env: Env) -> Iterator[Problem]:
        """Check the templates inside of nested data."""
        match value:
            case Template():
                yield from check_template(value.source, self._engine, env, self._steps)
            case PartTemplate():
                inner: Env | None = env
                if value.when is not None:
                    problems, inner = self._when(value.when, env, "this part is never sent")
                    yield from problems
                if inner is not None:
                    yield from self._templates((value.value, value.extra), inner)
            case CallTemplate():
                yield from self._templates((value.id, value.name, value.arguments), env)
            case Mapping():
                for item in value.values():
                    yield from self._templates(item, env)
            case tuple():
                for item in value:
                    yield from self._templates(item, env)

    def _contract(self, contract: Contract) -> Iterator[Problem]:
        env = self._judging.bind("reply", from_schema(contract.shape()))
        for rule in contract.rules:
            yield from self._rule(rule, env)
        if contract.correction is not None:
            violation = MappingOf({name: Field(Text(), required=True) for name in ("code", "path", "message")}, None)
            known: dict[str, Type] = {"violations": ListOf(violation), "pack": _ABOUT}
            yield from check_template(contract.correction.source, self._engine, known, self._steps)

    def _rule(self, rule: Rule, env: Env) -> Iterator[Problem]:
        applied: Env | None = env
        if rule.when is not None:
            problems, applied = self._when(rule.when, env, "this rule is never applied")
            yield from problems
        if applied is None:
            return
        required = check_expression(rule.require.source, self._engine, applied, self._steps)
        yield from required.problems
        if not required.problems and None in (required.true, required.false):
            told = "this rule can never be broken" if required.false is None else "this rule can never be met"
            yield Problem(DEAD_BRANCH, told, rule.require.source.locate(1, 1), "", "warning")
        if required.false is not None:
            yield from check_template(rule.message.source, self._engine, required.false, self._steps)
