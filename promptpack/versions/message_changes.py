"""TEXT: the changes of messages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from promptpack.pack.model import HISTORY_ROLES
from promptpack.pack.placed import Placed
from promptpack.versions.catalogue import make_change
from promptpack.versions.change import Change
from promptpack.versions.pairing import Pair, find_moved, pair_messages
from promptpack.versions.same_expression import means_the_same
from promptpack.versions.sides import ComparisonMeter, Side, find_changed_keys, from_to, locate_changed, write_value
from promptpack.versions.word_diff import diff_words
from promptpack.versions.wording import compare_notes, has_other_syntax, locate_text

# These have changes of their own.
_COMPARED: Final = frozenset(("content", "role", "when", "roles", "history"))
_PLACES: Final = ("before", "after")
_TEXT_PARTS: Final = ("text", "image", "audio", "file")


def compare_messages(old: Side, new: Side) -> Iterator[Change]:
    """Yield the changes of messages."""
    before, after = old.sections.messages, new.sections.messages
    pairs = pair_messages(before, after)
    kept_old, kept_new = {pair.old for pair in pairs}, {pair.new for pair in pairs}
    for index, placed in enumerate(before):
        if index not in kept_old:
            message = f"message {_describe(placed, index)} removed ({_role_of(placed)})"
            words = diff_words(_content_of(placed), "")
            yield make_change("PV303", message, placed.locate(), where_message(placed, index), words=words)
    moved = find_moved(pairs)
    for index, placed in enumerate(after):
        if index not in kept_new:
            message = f"message {_describe(placed, index)} added ({_role_of(placed)})"
            words = diff_words("", _content_of(placed))
            yield make_change("PV302", message, placed.locate(), where_message(placed, index), words=words)
    for pair in pairs:
        yield from _compare_message(old, new, pair, pair in moved)


def where_message(placed: Placed, index: int) -> str:
    """Return the part of the pack that a message is."""
    return f"messages/{placed.value.get('id', index)}"


def _describe(placed: Placed, index: int) -> str:
    return repr(placed.value["id"]) if "id" in placed.value else str(index + 1)


def _role_of(placed: Placed) -> str:
    return f"history {placed.value['history']}" if "history" in placed.value else str(placed.value["role"])


def _content_of(placed: Placed) -> str:
    return write_value(placed.value.get("content", ""))


def _compare_message(old: Side, new: Side, pair: Pair, is_moved: bool) -> Iterator[Change]:
    before, after = old.sections.messages[pair.old], new.sections.messages[pair.new]
    name, where = _describe(after, pair.new), where_message(after, pair.new)
    if is_moved:
        message = f"message {name} moved from place {pair.old + 1} to place {pair.new + 1}"
        yield make_change("PV304", message, after.locate(), where)
    if _role_of(before) != _role_of(after):
        message = f"role of message {name} changed from {_role_of(before)!r} to {_role_of(after)!r}"
        location = after.locate_key("history" if "history" in after.value else "role")
        yield make_change("PV305", message, location, where)
    yield from _compare_condition(old, new, pair, name, where)
    yield from _compare_content((before, after), name, where, new.meter)
    yield from _compare_roles(before, after, name, where)
    # A place relative to an inherited message is an order, which is compared above.
    for key in sorted(find_changed_keys(before, after) - _COMPARED):
        if not key.startswith("x-"):
            message = f"{key!r} of message {name} changed{from_to(before.value.get(key), after.value.get(key))}"
            code = "PV326" if key in _PLACES else "PV307"
            yield make_change(code, message, locate_changed(before, after, key), where)
    yield from compare_notes(before, after, f"message {name}", where)
    if has_other_syntax(old, new, before, after):
        yield make_change("PV315", f"message {name} has a different template syntax", after.locate(), where)


def _compare_roles(before: Placed, after: Placed, name: str, where: str) -> Iterator[Change]:
    """Yield a change if the same roles of a history are written differently; `call_changes` compares other roles."""
    roles = [placed.value.get("roles", HISTORY_ROLES) for placed in (before, after)]
    if "roles" in find_changed_keys(before, after) and set(roles[0]) == set(roles[1]):
        message = f"'roles' of message {name} are written differently"
        yield make_change("PV326", message, locate_changed(before, after, "roles"), where)


def _compare_condition(old: Side, new: Side, pair: Pair, name: str, where: str) -> Iterator[Change]:
    before, after = old.sections.messages[pair.old], new.sections.messages[pair.new]
    if before.value.get("when") == after.value.get("when"):
        return
    location = locate_changed(before, after, "when")
    if means_the_same(old.compiled.messages[pair.old].when, new.compiled.messages[pair.new].when):
        message = f"'when' of message {name} is written differently"
        yield make_change("PV326", message, location, where)
        return
    message = f"'when' of message {name} changed{from_to(before.value.get('when'), after.value.get('when'))}"
    yield make_change("PV306", message, location, where)


def _compare_content(pair: tuple[Placed, Placed], name: str, where: str, meter: ComparisonMeter) -> Iterator[Change]:
    before, after = pair
    old, new = before.value.get("content"), after.value.get("content")
    if "content" not in find_changed_keys(before, after):
        return
    words = diff_words(write_value(old or ""), write_value(new or ""), meter.words)
    if isinstance(old, str) and isinstance(new, str):
        location = locate_text(after.child("content"), words.offset)
        yield make_change("PV301", f"wording of message {name} changed", location, where, words=words)
    elif _differ_only_in_words(old, new):
        location = after.locate_key("content")
        yield make_change("PV301", f"wording of message {name} changed", location, where, words=words)
    else:
        location = after.locate_key("content") if new is not None else after.locate()
        yield make_change("PV307", f"parts of message {name} changed", location, where, words=words)


def _differ_only_in_words(old: Any, new: Any) -> bool:
    if not (isinstance(old, list) and isinstance(new, list)) or len(old) != len(new):
        return False
    return all(_without_text(one) == _without_text(other) for one, other in zip(old, new, strict=True))


def _without_text(part: dict[str, Any]) -> dict[str, Any]:
    return {key: None if key in _TEXT_PARTS else value for key, value in part.items()}
