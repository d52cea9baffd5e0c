"""Check every template and expression of a pack, with the types of its inputs and of its reply contract."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from jinja2 import nodes

from promptpack.linter.analysis_meter import limit_analysis
from promptpack.linter.types.lattice import (
    ANY,
    NEVER,
    AnyType,
    ListType,
    MappingType,
    Property,
    TextType,
    Type,
    is_never,
    members,
    union,
)
from promptpack.linter.types.narrowing import TypeScope
from promptpack.linter.types.schemas import from_schema
from promptpack.linter.types.statements import StatementChecker
from promptpack.pack.building import CompiledSections
from promptpack.pack.contract import Contract, Rule
from promptpack.pack.model import CallTemplate, MessageTemplate, PartTemplate
from promptpack.pack.pack_compiler import BUILT_IN_NAMES
from promptpack.pack.placed import Placed
from promptpack.problem import Problem, nearest
from promptpack.schema.pointers import pointer, split_pointer
from promptpack.template.engine import Engine
from promptpack.template.model import UNPLACED, Expression, Source, Template

_MAX_CLEAN = 10_000
_CheckedTexts = tuple[Template | Expression | None, ...]
_TEXT = Property(TextType(), required=True)
_PACK_TYPE = MappingType(dict.fromkeys(("name", "version", "agent", "locale"), _TEXT), None)


class TypeCheck(NamedTuple):
    """The type problems of a pack; incomplete if the check took too many steps."""

    problems: tuple[Problem, ...]
    is_complete: bool


def rendering_scope(pack: CompiledSections) -> TypeScope:
    """Return the scope of a message: the types of the names that every message can use."""
    inputs = {name: from_schema(declared.schema) for name, declared in pack.inputs.items()}
    return TypeScope({**inputs, "pack": _PACK_TYPE, "reply_format": TextType()})


class CleanTemplates:
    """Inherited messages and rules without type problems, for other packs with the same types of inputs."""

    def __init__(self) -> None:
        # With the templates, so that no other one gets the id of one of these.
        self._found: dict[tuple[int, ...], tuple[_CheckedTexts, list[Type | None]]] = {}

    def has(self, texts: _CheckedTexts, scope: TypeScope) -> bool:
        """Return whether the texts of a message or rule have no problems with the types of a scope."""
        found = self._found.get(tuple(map(id, texts)))
        return found is not None and found[1] == _types_of(texts, scope)

    def add(self, texts: _CheckedTexts, scope: TypeScope) -> None:
        """Add the texts of a message or rule that has no problems."""
        # A partial is checked once, with the first template that includes it.
        if not any(text.partials for text in texts if isinstance(text, Template)):
            if len(self._found) >= _MAX_CLEAN:
                self._found.pop(next(iter(self._found)))
            self._found[tuple(map(id, texts))] = texts, _types_of(texts, scope)


def _types_of(texts: _CheckedTexts, scope: TypeScope) -> list[Type | None]:
    # The path of a rule leads into the reply, whether or not its texts name it.
    names = {"reply"}.union(*(text.names for text in texts if text is not None))
    return [scope.types.get(name) for name in sorted(names)]


def check_pack(pack: CompiledSections, clean: CleanTemplates | None = None) -> TypeCheck:
    """Check the types in all templates of a pack, except those known to be clean."""
    checker = StatementChecker(pack.compiler.engine)
    with limit_analysis() as steps:
        _PackChecker(pack, checker, clean or CleanTemplates()).run()
    # The replacement of a text that did not compile has no location, and its problems are not reported.
    placed = (problem for problem in checker.problems if problem.location and problem.location.path != UNPLACED)
    return TypeCheck(tuple(placed), not steps.is_exceeded)


class _PackChecker:
    def __init__(self, pack: CompiledSections, checker: StatementChecker, clean: CleanTemplates) -> None:
        self._pack = pack
        self._checker = checker
        self._rendering_scope = rendering_scope(pack)
        self._clean = clean

    def run(self) -> None:
        """Check the messages, the slots and the contract."""
        for message, placed in zip(self._pack.messages, self._pack.sections.messages, strict=True):
            if message.name or message.tool_call_id or message.tool_calls or not isinstance(message.content, Template):
                self._check_message(message)
            else:
                texts = message.when, message.content
                self._check_unless_clean(placed, texts, self._rendering_scope, partial(self._check_message, message))
        self._check_templates(self._pack.slots, self._rendering_scope)
        for overlay in self._pack.models:
            self._check_templates((overlay.prefix, overlay.suffix), self._rendering_scope)
        if self._pack.contract is not None:
            self._check_contract(self._pack.contract)

    def _check_message(self, message: MessageTemplate) -> None:
        scope = self._check_when(message.when, self._rendering_scope, "this message is never sent")
        if scope is not None:
            values = (message.content, message.name, message.tool_call_id, message.tool_calls)
            self._check_templates(values, scope)

    def _check_unless_clean(
        self, placed: Placed, texts: _CheckedTexts, scope: TypeScope, check: Callable[[], None]
    ) -> None:
        """Check the texts of a message or rule, unless they are inherited and known to be clean."""
        is_inherited = placed.document is not self._pack.sections.document
        if is_inherited and self._clean.has(texts, scope):
            return
        count = self._checker.count
        check()
        if is_inherited and self._checker.count == count and not self._pack.problems:
            self._clean.add(texts, scope)

    def _check_when(self, when: Expression | None, scope: TypeScope, never: str) -> TypeScope | None:
        """Check a condition, and return the scope in which it is true; None if it never is."""
        if when is None:
            return scope
        count = self._checker.count
        true = self._checker.check_expression(when.source, scope).true
        if true is None and self._checker.count == count:
            self._checker.add_dead(when.source, f"{never}: its condition is never true")
        return true

    def _check_templates(self, value: Any, scope: TypeScope) -> None:
        """Check the templates in nested data."""
        match value:
            case Template():
                self._checker.check_template(value.source, scope)
            case PartTemplate():
                inner = self._check_when(value.when, scope, "this part is never sent")
                if inner is not None:
                    self._check_templates((value.value, value.extra), inner)
            case CallTemplate():
                self._check_templates((value.id, value.name, value.arguments), scope)
            case Mapping():
                for item in value.values():
                    self._check_templates(item, scope)
            case tuple():
                for item in value:
                    self._check_templates(item, scope)

    def _check_contract(self, contract: Contract) -> None:
        known = {name: type_ for name, type_ in self._rendering_scope.types.items() if name != "reply_format"}
        scope = TypeScope({**known, "reply": from_schema(contract.json_schema())})
        for rule in contract.rules:
            texts = rule.when, rule.require, rule.message
            placed = self._pack.sections.rules[rule.name]
            self._check_unless_clean(placed, texts, scope, partial(self._check_rule, rule, scope))
        if contract.correction is not None:
            violation = MappingType(dict.fromkeys(("code", "path", "message"), _TEXT), None)
            scope = TypeScope({"violations": ListType(violation), "pack": _PACK_TYPE})
            self._checker.check_template(contract.correction.source, scope)

    def _check_rule(self, rule: Rule, scope: TypeScope) -> None:
        applied = self._check_when(rule.when, scope, "this rule is never applied")
        if applied is None:
            return
        self._check_path(rule, applied.get("reply") or ANY)
        count = self._checker.count
        required = self._checker.check_expression(rule.require.source, applied)
        if self._checker.count == count and None in (required.true, required.false):
            message = "this rule can never be broken" if required.false is None else "this rule can never be met"
            self._checker.add_dead(rule.require.source, message)
        if required.false is not None:
            self._checker.check_template(rule.message.source, required.false)

    def _check_path(self, rule: Rule, owner: Type) -> None:
        """Report a `path` that leads to a field which the reply does not have."""
        # Other problems than those of templates may be in the schemas of the contract.
        is_broken = any(not problem.code.startswith("PP3") for problem in self._pack.problems)
        keys = [] if is_broken else split_pointer(rule.path)
        for depth, key in enumerate(keys):
            mappings = [one for one in members(owner) if isinstance(one, MappingType)]
            declared = [one.properties[key].type for one in mappings if key in one.properties]
            known = dict.fromkeys(name for one in mappings for name in one.properties)
            near = None if declared else nearest(key, known)
            owner = union(declared) if declared else NEVER if near else union(_undeclared(owner, key))
            if is_never(owner):
                listed = f"the fields here are {', '.join(known)}" if known else ""
                hint = f"did you mean {pointer((*keys[:depth], near, *keys[depth + 1 :]))!r}?" if near else listed
                place = self._pack.sections.rules[rule.name].locate("path")
                self._checker.add_unknown_key(f"the reply has no {rule.path!r}", place, hint)
                return


def _undeclared(owner: Type, key: str) -> Iterator[Type]:
    """Yield the types of a field that no mapping declares: an item of a list, or a field of an object without any."""
    for one in members(owner):
        if isinstance(one, AnyType):
            yield ANY
        elif isinstance(one, ListType) and key.isdecimal():
            yield one.item
        elif isinstance(one, MappingType) and one.rest is not None and not one.properties:
            yield one.rest


def names_set_before(probe: str, source: Source, pack: CompiledSections) -> Mapping[str, Type]:
    """Return the types of the names that are set where a template of a pack prints the name `probe`."""
    checker = _ProbingChecker(pack.compiler.engine, probe)
    with limit_analysis(), suppress(_FoundError):
        checker.check_template(source, rendering_scope(pack))
    known = (*pack.inputs, *BUILT_IN_NAMES)
    types = {name: checker.found.get(name) for name in checker.found.types if name not in known}
    return {name: one for name, one in types.items() if one is not None}


class _FoundError(Exception):
    """The probe is found."""


class _ProbingChecker(StatementChecker):
    def __init__(self, engine: Engine, probe: str) -> None:
        super().__init__(engine)
        self.found = TypeScope({})
        self._probe = probe

    def _statement(self, node: nodes.Node, scope: TypeScope) -> TypeScope:
        if isinstance(node, nodes.Output) and any(
            isinstance(child, nodes.Name) and child.name == self._probe for child in node.nodes
        ):
            self.found = scope
            raise _FoundError
        return super()._statement(node, scope)
