"""CALL: the changes for callers: inputs, histories, the budget, and how they find the pack."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from promptpack.pack.digest import write_canonical
from promptpack.pack.model import HISTORY_ROLES, STANDARD_CONTEXT
from promptpack.problem import Location
from promptpack.versions.catalogue import make_change
from promptpack.versions.change import Change
from promptpack.versions.message_changes import where_message
from promptpack.versions.schema_changes import SchemaCodes, SchemaPair, SchemaSide, compare_schemas
from promptpack.versions.schema_differences import WrittenSchema
from promptpack.versions.sides import Side, short

_INPUT_CODES: Final = SchemaCodes("PV108", "PV109", "PV110", "PV111", "PV317")
_LIMITS: Final = ("tokens", "characters")


def compare_calls(old: Side, new: Side) -> Iterator[Change]:
    """Yield the changes for callers."""
    yield from _compare_identity(old, new)
    yield from _compare_inputs(old, new)
    yield from _compare_histories(old, new)
    yield from _compare_budgets(old, new)


def _compare_identity(old: Side, new: Side) -> Iterator[Change]:
    before, after = old.pack, new.pack
    if before.name != after.name:
        message = f"name of the pack changed from {before.name!r} to {after.name!r}"
        yield make_change("PV128", message, new.locate("name"), "name")
    if before.agent != after.agent:
        yield _compare_agents(old, new)
    if before.abstract != after.abstract:
        code, what = ("PV123", "became") if after.abstract else ("PV124", "is no longer")
        side = new if "abstract" in new.document.data else old
        yield make_change(code, f"the pack {what} abstract", side.locate("abstract"), "abstract")
    if before.locale != after.locale:
        message = f"locale of the pack changed from {before.locale or 'none'} to {after.locale or 'none'}"
        side = new if after.locale else old
        yield make_change("PV127", message, side.locate("locale"), "locale")


def _compare_agents(old: Side, new: Side) -> Change:
    if not old.pack.agent:
        return make_change("PV129", f"agent id {new.pack.agent!r} added", new.locate("agent"), "agent")
    what = f"changed from {old.pack.agent!r} to {new.pack.agent!r}" if new.pack.agent else "removed"
    side = new if new.pack.agent else old
    return make_change("PV122", f"agent id {what}", side.locate("agent"), "agent")


def _compare_inputs(old: Side, new: Side) -> Iterator[Change]:
    for name, placed in old.sections.inputs.items():
        if name not in new.sections.inputs:
            code, what = ("PV104", "standard input") if name in STANDARD_CONTEXT else ("PV103", "input")
            yield make_change(code, f"{what} {name!r} removed", placed.locate_key(), f"inputs/{name}")
    for name, placed in new.sections.inputs.items():
        if name in old.sections.inputs:
            yield from _compare_input(old, new, name)
            continue
        code, what = ("PV101", "required") if new.pack.inputs[name].required else ("PV102", "optional")
        yield make_change(code, f"{what} input {name!r} added", placed.locate_key(), f"inputs/{name}")


def _compare_input(old: Side, new: Side, name: str) -> Iterator[Change]:
    what, where = f"input {name!r}", f"inputs/{name}"
    yield from _compare_defaults(old, new, name)
    before, after = old.pack.inputs[name], new.pack.inputs[name]
    if before.trusted != after.trusted:
        code, word = ("PV112", "trusted") if after.trusted else ("PV113", "untrusted")
        yield make_change(code, f"{what} became {word}", _locate_key(new, name, "trust"), where)
    if before.secret != after.secret:
        code, change = ("PV114", "became") if after.secret else ("PV115", "is no longer")
        yield make_change(code, f"{what} {change} secret", _locate_key(new, name, "secret"), where)
    sides = [_schema_of(side, name) for side in (old, new)]
    yield from compare_schemas(SchemaPair(sides[0], sides[1], _INPUT_CODES, what, "accepts", where, new.meter))


def _compare_defaults(old: Side, new: Side, name: str) -> Iterator[Change]:
    what, where = f"input {name!r}", f"inputs/{name}"
    before, after = old.pack.inputs[name].schema, new.pack.inputs[name].schema
    location = _locate_key(new, name, "default")
    if "default" not in before:
        if "default" in after:
            message = f"{what} became optional, with the default {short(after['default'])}"
            yield make_change("PV106", message, location, where)
    elif "default" not in after:
        message = f"{what} became required; its default was {short(before['default'])}"
        yield make_change("PV105", message, location, where)
    elif _write_default(before) != _write_default(after):
        message = f"default of {what} changed from {short(before['default'])} to {short(after['default'])}"
        yield make_change("PV107", message, location, where)


def _write_default(schema: Mapping[str, Any]) -> str:
    return write_canonical(schema["default"], "default")


def _locate_key(side: Side, name: str, key: str) -> Location:
    """Return the location of a key of an input, or of the input."""
    placed = side.sections.inputs[name]
    return placed.locate_key(key) if key in placed.value else placed.locate_key()


def _schema_of(side: Side, name: str) -> SchemaSide:
    placed = side.sections.inputs[name]
    schema = {key: value for key, value in side.pack.inputs[name].schema.items() if key != "default"}
    return SchemaSide(schema, WrittenSchema(placed, placed, side.compiled.references), placed.locate_key())


def _compare_histories(old: Side, new: Side) -> Iterator[Change]:
    """Compare the roles that the histories of each input may have; any other input accepts every role."""
    before, after = _histories(old), _histories(new)
    for name in (*before, *(name for name in after if name not in before)):
        if name not in old.pack.inputs or name not in new.pack.inputs:
            continue
        history = after.get(name) or before[name]
        if name not in before or name not in after:
            code, change = ("PV116", "must be") if name in after else ("PV117", "need no longer be")
            message = f"input {name!r} {change} a list of messages"
            yield make_change(code, message, history.location, history.where)
            continue
        for code, roles, change in (
            ("PV116", before[name].roles - after[name].roles, "no longer accepts"),
            ("PV117", after[name].roles - before[name].roles, "also accepts"),
        ):
            if roles:
                message = (
                    f"history {name!r} {change} the role{'s' if len(roles) > 1 else ''} {', '.join(sorted(roles))}"
                )
                yield make_change(code, message, history.location, history.where)


class _History(NamedTuple):
    roles: frozenset[str]
    location: Location
    where: str


def _histories(side: Side) -> dict[str, _History]:
    """Return the histories by input; the messages of an input that is inserted twice must suit both places."""
    found: dict[str, _History] = {}
    for index, placed in enumerate(side.sections.messages):
        if "history" not in placed.value:
            continue
        name, roles = placed.value["history"], frozenset(placed.value.get("roles", HISTORY_ROLES))
        roles = roles & found[name].roles if name in found else roles
        location = placed.locate_key("roles" if "roles" in placed.value else "history")
        found[name] = _History(roles, location, where_message(placed, index))
    return found


def _compare_budgets(old: Side, new: Side) -> Iterator[Change]:
    before, after = old.pack.budget, new.pack.budget
    changes: list[Change] = []
    for limit in _LIMITS:
        was, now = before.get(limit), after.get(limit)
        if was != now:
            code = "PV118" if was is None or (now is not None and now < was) else "PV119"
            message = f"budget of {limit} {_describe_limit(was, now)}"
            changes.append(make_change(code, message, _locate_budget(old, new, limit), "budget"))
    changes += _compare_yielding(old, new)
    if not changes and old.content["budget"] != new.content["budget"]:
        message = "the same budget is written differently"
        changes.append(make_change("PV326", message, _locate_budget(old, new), "budget"))
    yield from changes


def _describe_limit(old: int | None, new: int | None) -> str:
    if old is None:
        return f"added: {new:,}"
    return f"removed: it was {old:,}" if new is None else f"changed from {old:,} to {new:,}"


def _compare_yielding(old: Side, new: Side) -> Iterator[Change]:
    if not (old.pack.budget and new.pack.budget):
        return
    before, after = (side.pack.budget.get("give_way", []) for side in (old, new))
    location = _locate_budget(old, new, "give_way")
    lost = [one for one in before if one not in after]
    if lost:
        message = f"{', '.join(lost)} may no longer be cut to fit the budget"
        yield make_change("PV120", message, location, "budget")
    elif before != after:
        message = f"the budget cuts, in this order: {', '.join(after)}"
        yield make_change("PV121", message, location, "budget")


def _locate_budget(old: Side, new: Side, *key: str) -> Location:
    """Return the location of a key of the new budget, or of the old one if only that has it."""
    budgets = [placed for placed in (new.sections.budget, old.sections.budget) if placed]
    found = next((placed for placed in budgets if all(one in placed.value for one in key)), None)
    return found.locate_key(*key) if found else budgets[0].locate_key()
