"""REPLY: the changes of the rules of a contract."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from promptpack.pack.contract import Rule
from promptpack.pack.placed import Placed
from promptpack.versions.catalogue import make_change
from promptpack.versions.change import Change
from promptpack.versions.same_expression import means_the_same
from promptpack.versions.sides import ComparisonMeter, Side, find_changed_keys, from_to, locate_changed, same_order
from promptpack.versions.wording import compare_notes, explain_text

_CONDITIONS: Final = ("when", "require")


def compare_rules(old: Side, new: Side) -> Iterator[Change]:
    """Yield the changes of rules, which are paired by name."""
    before, after = old.sections.rules, new.sections.rules
    for name, placed in before.items():
        if name not in after:
            yield make_change("PV208", f"rule {name!r} removed", placed.locate_key("name"), f"reply/rules/{name}")
    for name, placed in after.items():
        if name not in before:
            yield make_change("PV207", f"rule {name!r} added", placed.locate_key("name"), f"reply/rules/{name}")
        else:
            yield from _compare_conditions(_find(old, name), _find(new, name), before[name], placed)
            yield from _compare_rest(before[name], placed, new.meter)
    if not same_order(before, after):
        location = next(iter(after.values())).document.locate_key(("reply", "rules"))
        yield make_change("PV325", "rules are in a different order", location, "reply/rules")


def _find(side: Side, name: str) -> Rule:
    contract = side.pack.contract
    assert contract is not None  # noqa: S101 -- a pack with rules has one
    return next(rule for rule in contract.rules if rule.name == name)


def _compare_conditions(old: Rule, new: Rule, before: Placed, after: Placed) -> Iterator[Change]:
    for key in _CONDITIONS:
        if key not in find_changed_keys(before, after):
            continue
        location, where = locate_changed(before, after, key), f"reply/rules/{new.name}"
        if means_the_same(getattr(old, key), getattr(new, key)):
            message = f"{key!r} of rule {new.name!r} is written differently"
            yield make_change("PV326", message, location, where)
        else:
            change = from_to(before.value.get(key), after.value.get(key))
            yield make_change("PV209", f"{key!r} of rule {new.name!r} changed{change}", location, where)


def _compare_rest(before: Placed, after: Placed, meter: ComparisonMeter) -> Iterator[Change]:
    name, changed = after.value["name"], find_changed_keys(before, after)
    where = f"reply/rules/{name}"
    if "message" in changed:
        pair = before.child("message"), after.child("message")
        yield explain_text("PV319", f"message of rule {name!r}", pair, where, meter)
    if "path" in changed:
        paths = [placed.value.get("path", "") for placed in (before, after)]
        code = "PV326" if paths[0] == paths[1] else "PV210"
        message = f"path of rule {name!r} changed from {paths[0]!r} to {paths[1]!r}"
        if code == "PV326":
            message = f"path of rule {name!r} is written differently"
        yield make_change(code, message, locate_changed(before, after, "path"), where)
    yield from compare_notes(before, after, f"rule {name!r}", where)
