"""Build the `Contract` of a pack from its `reply:`, or from the output of its slots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from promptpack import files
from promptpack.pack.contract import AGENT_OUTPUT, ERROR_ACTIONS, Action, Contract, Rule
from promptpack.pack.pack_schema import read_shipped
from promptpack.pack.placed import Placed
from promptpack.problem import PackError, Problem, did_you_mean
from promptpack.template.model import Expression
from promptpack.template.positions import decode

if TYPE_CHECKING:
    from jinja2 import nodes

    from promptpack.pack.pack_compiler import PackCompiler
    from promptpack.pack.schema_references import References
    from promptpack.pack.sections import Sections


def build_contract(sections: Sections, compiler: PackCompiler, references: References, output: Any) -> Contract | None:
    """Return the contract of a pack, or None if it has none; the compiler collects the problems."""
    if output is None and not sections.declares_reply:
        return None
    name, base = (
        _read_base(sections, compiler, references) if output is None else _from_output(sections, compiler, output)
    )
    actions = {action: _build_action(placed, compiler, references) for action, placed in sections.actions.items()}
    if actions and name != AGENT_OUTPUT:
        first = next(iter(sections.actions.values()))
        message, hint = f"contract {name!r} does not support 'actions'", "describe them in the schema of the contract"
        compiler.problems.append(first.problem("PP221", message, hint, key=True))
    tools, correction = sections.reply.get("tools"), sections.reply.get("correction")
    contract = Contract(
        name,
        MappingProxyType(dict(base)),
        MappingProxyType(actions),
        compiler.check_input_name(tools, tools.value) if tools else "",
        tuple(_compile_rule(placed, compiler) for placed in sections.rules.values()),
        sections.reply["example"].value if "example" in sections.reply else None,
        frozenset(sections.reply["refuse"].value) if "refuse" in sections.reply else frozenset(),
        compiler.compile_template(correction, "jinja", ("violations", "pack")) if correction else None,
        output,
    )
    if contract.has_actions:
        expressions = (expression for rule in contract.rules for expression in (rule.when, rule.require))
        compiler.problems += (found for one in expressions for found in _check_rule_actions(one, contract))
    return contract


def _read_base(sections: Sections, compiler: PackCompiler, references: References) -> tuple[str, Mapping[str, Any]]:
    declared = sections.reply.get("contract")
    name = AGENT_OUTPUT if declared is None else declared.value
    try:
        if isinstance(name, Mapping):
            assert declared is not None  # noqa: S101 -- only a declared contract is a mapping
            return name["$ref"], _inline_root(references.bundle(declared))
        file = f"{name}.schema.json" if name == AGENT_OUTPUT else f"contracts/{name}.schema.json"
        return name, _shipped_contract(file, declared)
    except PackError as error:
        compiler.problems += error.problems
        return AGENT_OUTPUT, {"type": "object", "properties": {"action": {"type": "string"}}}


def _from_output(sections: Sections, compiler: PackCompiler, output: Any) -> tuple[str, Mapping[str, Any]]:
    """Return the name and the schema of a contract that is the `output` of the slots."""
    if "contract" in sections.reply:
        hint = "remove 'output' (promptpack writes it from the contract) or 'contract'"
        message = "both 'output' and 'contract' define the reply"
        compiler.problems.append(sections.slots["output"].problem("PP242", message, hint, key=True))
    from promptpack.pack.output.json_schema import write_json_schema
    from promptpack.pack.slot_compiling import thaw

    return "output", write_json_schema(thaw(output))


def _shipped_contract(file: str, declared: Placed | None) -> Mapping[str, Any]:
    shipped = files.shipped("schemas")
    if declared is not None and not shipped.exists(file):
        raise PackError(_unknown_contract(declared, shipped))
    return {key: value for key, value in read_shipped(file).items() if key not in ("$id", "$schema")}


def _inline_root(bundled: Mapping[str, Any]) -> Mapping[str, Any]:
    """Replace the reference at the root of a bundled contract with its target, so that the properties are visible."""
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
    return declared.problem("PP222", f"unknown contract {name!r}", hint)


def _build_action(placed: Placed, compiler: PackCompiler, references: References) -> Action:
    value: Mapping[str, Any] = placed.value
    params: Mapping[str, Any] | None = None
    if "params" in value:
        try:
            params = references.bundle(placed.child("params"))
        except PackError as error:
            compiler.problems += error.problems
    return Action(str(placed.path[-1]), value.get("description", ""), params, value.get("example"))


def _compile_rule(placed: Placed, compiler: PackCompiler) -> Rule:
    value: Mapping[str, Any] = placed.value
    # The message of a rule is sent to the model, so it must not contain a secret.
    public = [name for name, declared in compiler.inputs.items() if not declared.secret]
    known = (*compiler.inputs, "reply", "pack")
    return Rule(
        value["name"],
        compiler.compile_expression(placed.child("require"), known),
        compiler.compile_template(placed.child("message"), "jinja", (*public, "reply", "pack")),
        compiler.compile_expression(placed.child("when"), known) if "when" in value else None,
        value.get("path", ""),
    )


def _check_rule_actions(expression: Expression | None, contract: Contract) -> Iterator[Problem]:
    """Yield comparisons of `reply.action` with a word that is not an action."""
    if expression is None or "action" not in expression.source.text:
        return
    source, named = expression.source, contract.action_names()
    known = named or (*contract.actions, *ERROR_ACTIONS)
    try:
        tree = expression.engine.prepare_expression(source)
    except PackError:
        return  # reported when the rule was compiled
    for word in _find_compared_words(tree):
        if word.value in known:
            continue
        hint = did_you_mean(word.value, known)
        # The word may be an unknown tool; only a word that resembles an action of the pack is a mistake.
        if named or (hint and word.value.isupper()):
            hint = hint or f"the actions are {', '.join(known)}"
            yield Problem("PP223", f"the pack has no action {word.value!r}", source.locate(*decode(word.lineno)), hint)


def _find_compared_words(tree: nodes.Template) -> Iterator[nodes.Const]:
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
