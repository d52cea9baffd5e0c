"""Check every template and expression of a pack, with the types of its inputs and of its reply contract."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from promptpack.linter.types.check import check_expression, check_template
from promptpack.linter.types.lattice import ListType, MappingType, Property, TextType, Type
from promptpack.linter.types.narrowing import TypeScope
from promptpack.linter.types.problem_collector import DEAD_BRANCH, NodeMeter
from promptpack.linter.types.schemas import from_schema
from promptpack.pack.contract import Contract, Rule
from promptpack.pack.model import CallTemplate, Input, MessageTemplate, PartTemplate
from promptpack.problem import Problem
from promptpack.template.engine import Engine
from promptpack.template.model import UNPLACED, Expression, Template


class CheckablePack(Protocol):
    """The checked sections of a pack: inputs, messages, slots and contract."""

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


_TEXT = Property(TextType(), required=True)
_PACK_TYPE = MappingType(dict.fromkeys(("name", "version", "agent", "locale"), _TEXT), None)


def rendering_scope(pack: CheckablePack) -> TypeScope:
    """Return the scope of a message: the types of the names that every message can use."""
    inputs = {name: from_schema(declared.schema) for name, declared in pack.inputs.items()}
    return TypeScope({**inputs, "pack": _PACK_TYPE, "reply_format": TextType()})


def check_pack(pack: CheckablePack, engine: Engine) -> tuple[Problem, ...]:
    """Return the type problems of the templates of a pack."""
    found = dict.fromkeys(_PackChecker(pack, engine).run())
    # The stand-in for a text that did not compile has no location, and its problems are not reported.
    return tuple(problem for problem in found if problem.location and problem.location.path != UNPLACED)


class _PackChecker:
    def __init__(self, pack: CheckablePack, engine: Engine) -> None:
        self._pack = pack
        self._engine = engine
        self._meter = NodeMeter()
        self._rendering_scope = rendering_scope(pack)
        names = self._rendering_scope.types.items()
        self._contract_scope = TypeScope({name: type_ for name, type_ in names if name != "reply_format"})

    def run(self) -> Iterator[Problem]:
        """Check the messages, the slots and the contract."""
        for message in self._pack.messages:
            yield from self._message(message)
        yield from self._templates(self._pack.slots, self._rendering_scope)
        if self._pack.contract is not None:
            yield from self._contract(self._pack.contract)

    def _message(self, message: MessageTemplate) -> Iterator[Problem]:
        scope: TypeScope | None = self._rendering_scope
        if message.when is not None:
            problems, scope = self._when(message.when, self._rendering_scope, "this message is never sent")
            yield from problems
        if scope is None:
            return
        values = (message.content, message.name, message.tool_call_id, message.tool_calls)
        yield from self._templates(values, scope)

    def _when(self, when: Expression, scope: TypeScope, never: str) -> tuple[tuple[Problem, ...], TypeScope | None]:
        checked = check_expression(when.source, self._engine, scope, self._meter)
        if checked.true is not None or checked.problems:
            return checked.problems, checked.true
        location = when.source.locate(1, 1)
        return (Problem(DEAD_BRANCH, f"{never}: its condition is never true", location, "", "warning"),), None

    def _templates(self, value: Any, scope: TypeScope) -> Iterator[Problem]:
        """Check the templates in nested data."""
        match value:
            case Template():
                yield from check_template(value.source, self._engine, scope, self._meter)
            case PartTemplate():
                inner: TypeScope | None = scope
                if value.when is not None:
                    problems, inner = self._when(value.when, scope, "this part is never sent")
                    yield from problems
                if inner is not None:
                    yield from self._templates((value.value, value.extra), inner)
            case CallTemplate():
                yield from self._templates((value.id, value.name, value.arguments), scope)
            case Mapping():
                for item in value.values():
                    yield from self._templates(item, scope)
            case tuple():
                for item in value:
                    yield from self._templates(item, scope)

    def _contract(self, contract: Contract) -> Iterator[Problem]:
        scope = self._contract_scope.bind("reply", from_schema(contract.json_schema()))
        for rule in contract.rules:
            yield from self._rule(rule, scope)
        if contract.correction is not None:
            violation = MappingType(dict.fromkeys(("code", "path", "message"), _TEXT), None)
            known: dict[str, Type] = {"violations": ListType(violation), "pack": _PACK_TYPE}
            yield from check_template(contract.correction.source, self._engine, known, self._meter)

    def _rule(self, rule: Rule, scope: TypeScope) -> Iterator[Problem]:
        applied: TypeScope | None = scope
        if rule.when is not None:
            problems, applied = self._when(rule.when, scope, "this rule is never applied")
            yield from problems
        if applied is None:
            return
        required = check_expression(rule.require.source, self._engine, applied, self._meter)
        yield from required.problems
        if not required.problems and None in (required.true, required.false):
            message = "this rule can never be broken" if required.false is None else "this rule can never be met"
            yield Problem(DEAD_BRANCH, message, rule.require.source.locate(1, 1), "", "warning")
        if required.false is not None:
            yield from check_template(rule.message.source, self._engine, required.false, self._meter)
