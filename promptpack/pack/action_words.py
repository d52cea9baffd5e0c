"""The words that the rules of a pack compare `reply.action` with: each must be an action that there is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from promptpack.pack.contract import ERROR_ACTIONS
from promptpack.problem import PackError, Problem, did_you_mean

if TYPE_CHECKING:
    from jinja2 import nodes

    from promptpack.pack.contract import Contract
    from promptpack.template import Engine, Expression


def action_problems(expression: Expression, contract: Contract, engine: Engine) -> Iterator[Problem]:
    """Find comparisons of `reply.action` with a word that is not an action."""
    if "action" not in expression.source.text:
        return
    from promptpack.template.positions import decode

    source, known, named = expression.source, _known(contract), contract.action_names()
    try:
        tree = engine.parse_expression(source)
    except PackError:
        return  # already told when the rule was compiled
    for word in _compared_constants(tree):
        hint = did_you_mean(word.value, known)
        # Where tools are called, only what looks like one of our own actions can be said to be misspelt.
        if word.value not in known and (named or (hint and word.value.isupper())):
            hint = hint or f"the actions are {', '.join(known)}"
            yield Problem("PP223", f"no action named {word.value!r}", source.locate(*decode(word.lineno)), hint)


def _known(contract: Contract) -> tuple[str, ...]:
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
