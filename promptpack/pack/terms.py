"""The `reply:` of a pack -> its `Contract`: actions, tools, rules, each compiled and checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from promptpack import files
from promptpack.document import read_json
from promptpack.pack.contract import AGENT_OUTPUT, ERROR_ACTIONS, Action, Contract, Rule
from promptpack.problem import PackError, Problem, did_you_mean

if TYPE_CHECKING:
    from jinja2 import nodes

    from promptpack.pack.link import Linker
    from promptpack.pack.placed import Placed
    from promptpack.pack.references import References
    from promptpack.pack.sections import Sections
    from promptpack.template import Expression


def build_contract(sections: Sections, linker: Linker, references: References, output: Any = None) -> Contract | None:
    """Build the contract of a pack that declares one, or whose slots name the output; the linker keeps the problems."""
    if output is None and not sections.declares_reply:
        return None
    name, base = _base(sections, linker, references) if output is None else _of_output(sections, linker, output)
    actions = {action: _action(placed, linker, references) for action, placed in sections.actions.items()}
    if actions and name != AGENT_OUTPUT:
        first = next(iter(sections.actions.values()))
        hint = "put them into the contract's own schema"
        linker.problems.append(first.problem("PP221", f"contract {name!r} does not take actions", hint, key=True))
    contract = Contract(
        name,
        MappingProxyType(dict(base)),
        MappingProxyType(actions),
        _tools_input(sections, linker),
        tuple(_rule(placed, linker) for placed in sections.rules.values()),
        sections.reply["example"].value if "example" in sections.reply else None,
        frozenset(sections.reply["refuse"].value) if "refuse" in sections.reply else frozenset(),
        _correction(sections, linker),
        output,
    )
    if contract.has_actions:
        linker.problems += (problem for rule in contract.rules for problem in _action_words(rule, contract))
    return contract


def _base(sections: Sections, linker: Linker, references: References) -> tuple[str, Mapping[str, Any]]:
    declared = sections.reply.get("contract")
    name = AGENT_OUTPUT if declared is None else declared.value
    try:
        if isinstance(name, Mapping):
            assert declared is not None  # noqa: S101 -- only a declared contract is a mapping
            return name["$ref"], _inlined(references.bundle(declared))
        file = f"{name}.schema.json" if name == AGENT_OUTPUT else f"contracts/{name}.schema.json"
        return name, _shipped_contract(file, declared)
    except PackError as error:
        linker.problems += error.problems
        return AGENT_OUTPUT, {"type": "object", "properties": {"action": {"type": "string"}}}


def _of_output(sections: Sections, linker: Linker, output: Any) -> tuple[str, Mapping[str, Any]]:
    """Let the `output` of the slots be the contract."""
    if "contract" in sections.reply:
        hint = "leave 'output' out, and it is written from the contract; or leave 'contract' out"
        message = "the shape of a reply is given twice, by 'output' and by 'contract'"
        linker.problems.append(sections.slots["output"].problem("PP242", message, hint, key=True))
    from promptpack.pack.output.json_schema import write_json_schema
    from promptpack.pack.slots import thawed

    return "output", write_json_schema(thawed(output))


def _shipped_contract(file: str, declared: Placed | None) -> Mapping[str, Any]:
    shipped = files.shipped("schemas")
    if declared is not None and not shipped.exists(file):
        raise PackError(_unknown_contract(declared, shipped))
    return _read_contract(file)


@cache
def _read_contract(file: str) -> Mapping[str, Any]:
    """Read a shipped contract, which all packs share."""
    document = read_json(files.shipped("schemas").read(file), file)
    return MappingProxyType({key: value for key, value in document.data.items() if key not in ("$id", "$schema")})


def _inlined(bundled: Mapping[str, Any]) -> Mapping[str, Any]:
    """Put a contract that is nothing but one reference at the root, where its properties can be seen."""
    definitions: Mapping[str, Any] = bundled["$defs"]
    root = definitions[bundled["$ref"].rsplit("/", 1)[-1]]
    return {**root, "$defs": {**root.get("$defs", {}), **definitions}}


def _unknown_contract(declared: Placed, shipped: files.Folder) -> Problem:
    name: str = declared.value
    known = [
        AGENT_OUTPUT,
        *(file.removesuffix(".schema.json") for file in files.Folder(f"{shipped.root}/contracts").find(".json")),
    ]
    hint = did_you_mean(name, known) or f"the shipped contracts are {', '.join(known)}"
    return declared.problem("PP222", f"no contract named {name!r}", hint)


def _action(placed: Placed, linker: Linker, references: References) -> Action:
    value: Mapping[str, Any] = placed.value
    params: Mapping[str, Any] | None = None
    if "params" in value:
        try:
            params = references.bundle(placed.child("params"))
        except PackError as error:
            linker.problems += error.problems
    return Action(str(placed.path[-1]), value.get("description", ""), params, value.get("example"))


def _tools_input(sections: Sections, linker: Linker) -> str:
    placed = sections.reply.get("tools")
    return "" if placed is None else linker.input_name(placed, placed.value)


def _rule(placed: Placed, linker: Linker) -> Rule:
    value: Mapping[str, Any] = placed.value
    # A rule's message goes back to the model, so a secret must not be able to get into it.
    public = [name for name, declared in linker.inputs.items() if not declared.secret]
    known = (*linker.inputs, "reply", "pack")
    return Rule(
        value["name"],
        linker.expression(placed.child("require"), known),
        linker.template(placed.child("message"), "jinja", (*public, "reply", "pack")),
        linker.expression(placed.child("when"), known) if "when" in value else None,
        value.get("path", ""),
    )


def _correction(sections: Sections, linker: Linker) -> Any:
    placed = sections.reply.get("correction")
    return None if placed is None else linker.template(placed, "jinja", ("violations", "pack"))


def _action_words(rule: Rule, contract: Contract) -> Iterator[Problem]:
    for expression in (rule.when, rule.require):
        if expression is not None and "action" in expression.source.text:
            yield from _action_problems(expression, contract)


def _action_problems(expression: Expression, contract: Contract) -> Iterator[Problem]:
    """Find comparisons of `reply.action` with a word that is not an action."""
    from promptpack.template.positions import decode

    source, known, named = expression.source, _known_actions(contract), contract.action_names()
    try:
        tree = expression.engine.parse_expression(source)
    except PackError:
        return  # reported when the rule was compiled
    for word in _compared_constants(tree):
        if word.value in known:
            continue
        hint = did_you_mean(word.value, known)
        # A word may be a tool that is not known here; only one that resembles an action of the pack is a mistake.
        if named or (hint and word.value.isupper()):
            hint = hint or f"the actions are {', '.join(known)}"
            yield Problem("PP223", f"no action named {word.value!r}", source.locate(*decode(word.lineno)), hint)


def _known_actions(contract: Contract) -> tuple[str, ...]:
    return contract.action_names() or (*contract.actions, *ERROR_ACTIONS)


def _compared_constants(tree: nodes.Template) -> Iterator[nodes.Const]:
    from jinja2 import nodes

    for compare in tree.find_all(nodes.Compare):
        sides = [compare.expr, *(operand.expr for operand in compare.ops)]
        if any(_is_reply_action(side) for side in sides):
            for side in sides:
                yield from (word for word in side.find_all(nodes.Const) if isinstance(word.value, str))
                if isinstance(side, nodes.Const) and isinstance(side.value, str):
                    yield side


def _is_reply_action(node: nodes.Node) -> bool:
    from jinja2 import nodes

    return (
        isinstance(node, nodes.Getattr)
        and node.attr == "action"
        and isinstance(node.node, nodes.Name)
        and node.node.name == "reply"
    )
