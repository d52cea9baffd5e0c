"""Differences that the digest covers and no change explains; nothing is left out silently."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import accumulate
from typing import Any, Final

from promptpack.pack.digest import write_canonical
from promptpack.versions.catalogue import make_change
from promptpack.versions.change import Change
from promptpack.versions.sides import Side

# The version is not a change, and the schema of the reply consists of the base and the actions.
_NO_PARTS: Final = frozenset(
    ("version", "contract", "inputs", "partials", "messages", "slots", "models", "reply", "actions", "rules")
)


def find_unclassified(old: Side, new: Side, changes: Collection[Change]) -> Iterator[Change]:
    """Yield a change for each part of the digest that differs and that no other change is about."""
    explained = _find_explained(changes)
    before, after = (_split(side, keep_syntax=old.pack.syntax == new.pack.syntax) for side in (old, new))
    for part in (*before, *(part for part in after if part not in before)):
        if before.get(part) != after.get(part) and not _is_explained(part, explained):
            path = part.split("/")
            side = new if path[0] in new.content else old
            message = f"{part!r} changed in a way that promptpack cannot classify"
            yield make_change("PV399", message, side.locate(*path), part)


def _find_explained(changes: Collection[Change]) -> set[str]:
    """Return the parts that changes are about, and every part that contains one of them."""
    wheres = {change.where for change in changes}
    owners = {owner for where in wheres for owner in accumulate(where.split("/"), "{}/{}".format)}
    return owners if "reply" in wheres else owners - {"reply"}


def _is_explained(part: str, explained: Collection[str]) -> bool:
    """Return whether a change is about a part or something in it, or about the reply as a whole."""
    return part in explained or (part.startswith("reply/") and "reply" in explained)


def _split(side: Side, *, keep_syntax: bool) -> dict[str, str]:
    """Return the content of a pack in parts with the names that changes use, each in canonical form."""
    content, contract = side.content, side.pack.contract
    base = dict(contract.base) if contract else None
    parts: dict[str, Any] = {key: value for key, value in content.items() if key not in _NO_PARTS}
    parts["messages"] = [row if keep_syntax else row[:1] for row in content["messages"]]
    for section in ("inputs", "partials", "reply"):
        parts |= {f"{section}/{name}": {name: value} for name, value in content[section].items()}
    for name, value, syntax in content["slots"]:
        parts[f"slots/{name}"] = {"slots": [value, syntax if keep_syntax else ""]}
    parts |= {f"models/{glob}": rest for glob, *rest in content.get("models", ())}
    parts |= {f"reply/actions/{name}": value for name, value in content["actions"]}
    parts |= {f"reply/rules/{rule['name']}": rule for rule in content["rules"]}
    parts["reply/contract"] = [content["reply"].get("contract"), base]
    return {part: write_canonical(value) for part, value in (parts | _orders(content)).items()}


def _orders(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the names in each section whose order is visible."""
    return {
        "slots": [row[0] for row in content["slots"]],
        "models": [row[0] for row in content.get("models", ())],
        "reply/actions": [row[0] for row in content["actions"]],
        "reply/rules": [rule["name"] for rule in content["rules"]],
    }
