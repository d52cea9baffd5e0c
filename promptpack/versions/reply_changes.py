"""REPLY: the changes for consumers of replies: the contract, actions, tools, and the repairs that are refused."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from promptpack.pack.contract import AGENT_OUTPUT, Contract
from promptpack.pack.digest import write_canonical
from promptpack.pack.placed import Placed
from promptpack.problem import Location
from promptpack.reply.repair import KINDS, risk_of
from promptpack.versions.catalogue import make_change
from promptpack.versions.change import Change
from promptpack.versions.rule_changes import compare_rules
from promptpack.versions.schema_changes import SchemaCodes, SchemaPair, SchemaSide, compare_schemas
from promptpack.versions.schema_differences import WrittenSchema
from promptpack.versions.sides import Side, find_changed_keys, locate_changed, same_order
from promptpack.versions.wording import compare_notes, explain_text

_PARAMS_CODES: Final = SchemaCodes("PV204", "PV203", "PV205", "PV206", "PV318", is_reply=True)
_REPLY_CODES: Final = SchemaCodes("PV214", "PV213", "PV215", "PV216", "PV318", is_reply=True)
_TEXTS: Final = {"correction": ("PV320", "correction"), "example": ("PV321", "example of the reply")}
_ACTION_TEXTS: Final = {"description": "PV318", "example": "PV321"}
# The params of an action without a schema.
_ANY_PARAMS: Final = {"type": "object"}


def compare_replies(old: Side, new: Side) -> Iterator[Change]:
    """Yield the changes for consumers of replies."""
    before, after = old.pack.contract, new.pack.contract
    if before is None or after is None:
        if before is not after:
            code, what, side = ("PV211", "added", new) if before is None else ("PV212", "removed", old)
            yield make_change(code, f"reply contract {what}", _locate_reply(side), "reply")
        return
    yield from _compare_contracts(old, new, before, after)
    yield from _compare_actions(old, new)
    yield from compare_rules(old, new)
    yield from _compare_tools(old, new, before.tools_input, after.tools_input)
    yield from _compare_refused(old, new, before.refuse, after.refuse)
    yield from _compare_texts(old, new)


def _compare_contracts(old: Side, new: Side, before: Contract, after: Contract) -> Iterator[Change]:
    if before.name == after.name == AGENT_OUTPUT:
        yield from _explain_default(old, new)
        return
    sides = [SchemaSide(one.json_schema(), _contract_node(side), _locate_reply(side))
             for side, one in ((old, before), (new, after))]  # fmt: skip
    pair = SchemaPair(sides[0], sides[1], _REPLY_CODES, "the reply", "may have", "reply/contract", new.meter)
    changes = [one for one in compare_schemas(pair) if one.code != "PV326"]
    if not changes and before.name != after.name:
        message = f"reply contract renamed from {before.name!r} to {after.name!r}"
        changes.append(make_change("PV217", message, _locate_reply(new), "reply/contract"))
    elif not changes and write_canonical(before.base) != write_canonical(after.base):
        message = "schema of the reply is written differently"
        changes.append(make_change("PV326", message, _locate_reply(new), "reply/contract"))
    yield from changes


def _explain_default(old: Side, new: Side) -> Iterator[Change]:
    """Yield a change if only one pack writes the name of the default contract."""
    if ("contract" in old.sections.reply) != ("contract" in new.sections.reply):
        location = _locate_reply(new if "contract" in new.sections.reply else old)
        yield make_change("PV326", "the default contract is written differently", location, "reply/contract")


def _contract_node(side: Side) -> WrittenSchema | None:
    placed = side.sections.reply.get("contract")
    if placed is None or not isinstance(placed.value, dict):
        return None
    return WrittenSchema(placed, placed, side.compiled.references)


def _locate_reply(side: Side) -> Location:
    """Return the location of the contract, or of the section that contains it."""
    sections = side.sections
    if "contract" in sections.reply:
        return sections.reply["contract"].locate_key()
    parts = (*sections.reply.values(), *sections.actions.values(), *sections.rules.values())
    inherited = next((placed.document for placed in parts), side.document)
    if "output" in sections.slots and "reply" not in inherited.data:
        return sections.slots["output"].locate_key()
    return inherited.locate_key(("reply",)) if "reply" in inherited.data else side.locate("reply")


def _compare_actions(old: Side, new: Side) -> Iterator[Change]:
    before, after = old.sections.actions, new.sections.actions
    for name, placed in before.items():
        if name not in after:
            yield make_change("PV202", f"action {name!r} removed", placed.locate_key(), f"reply/actions/{name}")
    for name, placed in after.items():
        if name in before:
            yield from _compare_action(old, new, name)
        else:
            yield make_change("PV201", f"action {name!r} added", placed.locate_key(), f"reply/actions/{name}")
    if not same_order(before, after):
        location = next(iter(after.values())).document.locate_key(("reply", "actions"))
        yield make_change("PV325", "actions are in a different order", location, "reply/actions")


def _compare_action(old: Side, new: Side, name: str) -> Iterator[Change]:
    before, after = old.sections.actions[name], new.sections.actions[name]
    where = f"reply/actions/{name}"
    sides = [_params_of(side, name) for side in (old, new)]
    what = f"params of action {name!r}"
    schemas = SchemaPair(sides[0], sides[1], _PARAMS_CODES, what, "may have", where, new.meter)
    changes = list(compare_schemas(schemas))
    changed = find_changed_keys(before, after)
    for key, code in _ACTION_TEXTS.items():
        if key in changed:
            pair = _child(before, key), _child(after, key)
            changes.append(explain_text(code, f"{key} of action {name!r}", pair, where, new.meter))
    changes += compare_notes(before, after, f"action {name!r}", where)
    if not changes and "params" in changed:
        message = f"params of action {name!r} are written differently"
        changes.append(make_change("PV326", message, locate_changed(before, after, "params"), where))
    yield from changes


def _child(placed: Placed, key: str) -> Placed | None:
    return placed.child(key) if key in placed.value else None


def _params_of(side: Side, name: str) -> SchemaSide:
    action, contract = side.sections.actions[name], side.pack.contract
    found = contract.actions[name].params if contract else None
    if "params" not in action.value or found is None:
        return SchemaSide(_ANY_PARAMS, None, action.locate_key())
    placed = action.child("params")
    return SchemaSide(found, WrittenSchema(placed, placed, side.compiled.references), placed.locate_key())


def _compare_tools(old: Side, new: Side, before: str, after: str) -> Iterator[Change]:
    if before == after:
        return
    where, side = "reply/tools", new if after else old
    location = side.sections.reply["tools"].locate_key()
    if not before:
        yield make_change("PV218", f"the tools of input {after!r} became actions", location, where)
    elif not after:
        yield make_change("PV219", f"the tools of input {before!r} are no longer actions", location, where)
    else:
        message = f"tools that are actions come from input {after!r}, not from {before!r}"
        yield make_change("PV220", message, location, where)


def _compare_refused(old: Side, new: Side, before: Collection[str], after: Collection[str]) -> Iterator[Change]:
    lists = old.sections.reply.get("refuse"), new.sections.reply.get("refuse")
    placed = lists[1] or lists[0]
    if placed is None or (lists[0] and lists[1] and lists[0].value == lists[1].value):
        return
    where, refused, allowed = "reply/refuse", _kinds(after) - _kinds(before), _kinds(before) - _kinds(after)
    for code, what, kinds in (("PV221", "refused", refused), ("PV222", "allowed", allowed)):
        if kinds:
            message = f"repairs that are {what} now: {', '.join(sorted(kinds))}"
            yield make_change(code, message, placed.locate_key(), where)
    if not (refused or allowed):
        message = "the same repairs are refused, written differently"
        yield make_change("PV326", message, placed.locate_key(), where)


def _kinds(refused: Collection[str]) -> set[str]:
    """Return the kinds of repairs that some kinds and risks stand for."""
    return {kind for kind in KINDS if kind in refused or risk_of(kind) in refused}


def _compare_texts(old: Side, new: Side) -> Iterator[Change]:
    """Compare the texts and notes of `reply`."""
    before, after = old.sections.reply, new.sections.reply
    for key in sorted(before.keys() | after.keys()):
        code, what = _TEXTS.get(key, ("PV327", f"{key!r} of the reply") if key.startswith("x-") else ("", ""))
        if code and _write(before.get(key)) != _write(after.get(key)):
            yield explain_text(code, what, (before.get(key), after.get(key)), f"reply/{key}", new.meter)


def _write(placed: Placed | None) -> str | None:
    return None if placed is None else write_canonical(placed.value, str(placed.path[-1]))
