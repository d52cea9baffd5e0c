"""TEXT: what changed in messages, partials, slots and settings of the text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from promptpack.pack.digest import write_canonical
from promptpack.pack.model import HISTORY_ROLES
from promptpack.pack.placed import Placed
from promptpack.versions.catalogue import make_change
from promptpack.versions.change import Change
from promptpack.versions.expressions import means_the_same
from promptpack.versions.pairing import Pair, find_moved, pair_messages
from promptpack.versions.sides import (
    Side,
    find_changed_keys,
    from_to,
    locate_changed,
    locate_text,
    same_order,
    write_value,
)  # fmt: skip
from promptpack.versions.word_diff import diff_words

# These have changes of their own.
_COMPARED: Final = frozenset(("content", "role", "when", "roles", "history"))
_PLACES: Final = ("before", "after")
_TEXT_PARTS: Final = ("text", "image", "audio", "file")


def compare_texts(old: Side, new: Side) -> Iterator[Change]:
    """Yield the changes of the wording."""
    yield from _compare_messages(old, new)
    yield from _compare_partials(old, new)
    yield from _compare_slots(old, new)
    yield from _compare_settings(old, new)


def explain_text(code: str, what: str, old: Placed | None, new: Placed | None, where: str) -> Change:
    """Return the change of a text, or of another value that the model reads, by words."""
    words = diff_words(*("" if side is None else write_value(side.value) for side in (old, new)))
    if new is None or old is None:
        placed = new or old
        location = placed.locate_key() if placed else None
        return make_change(code, f"{what} {'added' if old is None else 'removed'}", location, where, words=words)
    is_text = isinstance(old.value, str) and isinstance(new.value, str)
    location = locate_text(new, words.offset) if is_text else new.locate_key()
    return make_change(code, f"{what} changed", location, where, words=words)


def compare_notes(before: Placed, after: Placed, what: str, where: str) -> Iterator[Change]:
    """Yield the changed keys that begin with `x-`."""
    for key in sorted(find_changed_keys(before, after)):
        if key.startswith("x-"):
            message = f"{key!r} of {what} changed{from_to(before.value.get(key), after.value.get(key))}"
            yield make_change("PV327", message, locate_changed(before, after, key), where)


def describe_message(placed: Placed, index: int) -> str:
    """Return the name of a message: its id, or its number."""
    return repr(placed.value["id"]) if "id" in placed.value else str(index + 1)


def where_message(placed: Placed, index: int) -> str:
    """Return the part of the pack that a message is."""
    return f"messages/{placed.value.get('id', index)}"


def _compare_messages(old: Side, new: Side) -> Iterator[Change]:
    before, after = old.sections.messages, new.sections.messages
    pairs = pair_messages(before, after)
    kept_old, kept_new = {pair.old for pair in pairs}, {pair.new for pair in pairs}
    for index, placed in enumerate(before):
        if index not in kept_old:
            message = f"message {describe_message(placed, index)} removed ({_role_of(placed)})"
            words = diff_words(_content_of(placed), "")
            yield make_change("PV303", message, placed.locate(), where_message(placed, index), words=words)
    moved = find_moved(pairs)
    for index, placed in enumerate(after):
        if index not in kept_new:
            message = f"message {describe_message(placed, index)} added ({_role_of(placed)})"
            words = diff_words("", _content_of(placed))
            yield make_change("PV302", message, placed.locate(), where_message(placed, index), words=words)
    for pair in pairs:
        yield from _compare_message(old, new, pair, pair in moved)


def _role_of(placed: Placed) -> str:
    return f"history {placed.value['history']}" if "history" in placed.value else str(placed.value["role"])


def _content_of(placed: Placed) -> str:
    return write_value(placed.value.get("content", ""))


def _compare_message(old: Side, new: Side, pair: Pair, is_moved: bool) -> Iterator[Change]:
    before, after = old.sections.messages[pair.old], new.sections.messages[pair.new]
    name, where = describe_message(after, pair.new), where_message(after, pair.new)
    if is_moved:
        message = f"message {name} moved from place {pair.old + 1} to place {pair.new + 1}"
        yield make_change("PV304", message, after.locate(), where)
    if _role_of(before) != _role_of(after):
        message = f"role of message {name} changed from {_role_of(before)!r} to {_role_of(after)!r}"
        location = after.locate_key("history" if "history" in after.value else "role")
        yield make_change("PV305", message, location, where)
    yield from _compare_condition(old, new, pair, name, where)
    yield from _compare_content(before, after, name, where)
    yield from _compare_roles(before, after, name, where)
    # A place relative to an inherited message is an order, which is compared above.
    for key in sorted(find_changed_keys(before, after) - _COMPARED):
        if not key.startswith("x-"):
            message = f"{key!r} of message {name} changed{from_to(before.value.get(key), after.value.get(key))}"
            code = "PV326" if key in _PLACES else "PV307"
            yield make_change(code, message, locate_changed(before, after, key), where)
    yield from compare_notes(before, after, f"message {name}", where)
    if _has_other_syntax(old, new, before, after):
        yield make_change("PV315", f"message {name} has another template syntax", after.locate(), where)


def _has_other_syntax(old: Side, new: Side, before: Placed, after: Placed) -> bool:
    """Return whether the files of an inherited part have another syntax, and the packs have not."""
    syntaxes = [placed.document.data.get("syntax", "jinja") for placed in (before, after)]
    return old.pack.syntax == new.pack.syntax and syntaxes[0] != syntaxes[1]


def _compare_roles(before: Placed, after: Placed, name: str, where: str) -> Iterator[Change]:
    """Yield a change if the same roles of a history are written in another way; `call_changes` compares other roles."""
    roles = [placed.value.get("roles", HISTORY_ROLES) for placed in (before, after)]
    if "roles" in find_changed_keys(before, after) and set(roles[0]) == set(roles[1]):
        message = f"'roles' of message {name} are written in another way"
        yield make_change("PV326", message, locate_changed(before, after, "roles"), where)


def _compare_condition(old: Side, new: Side, pair: Pair, name: str, where: str) -> Iterator[Change]:
    before, after = old.sections.messages[pair.old], new.sections.messages[pair.new]
    if before.value.get("when") == after.value.get("when"):
        return
    location = locate_changed(before, after, "when")
    if means_the_same(old.compiled.messages[pair.old].when, new.compiled.messages[pair.new].when):
        message = f"'when' of message {name} is written in another way"
        yield make_change("PV326", message, location, where)
        return
    message = f"'when' of message {name} changed{from_to(before.value.get('when'), after.value.get('when'))}"
    yield make_change("PV306", message, location, where)


def _compare_content(before: Placed, after: Placed, name: str, where: str) -> Iterator[Change]:
    old, new = before.value.get("content"), after.value.get("content")
    if "content" not in find_changed_keys(before, after):
        return
    words = diff_words(write_value(old or ""), write_value(new or ""))
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


def _compare_partials(old: Side, new: Side) -> Iterator[Change]:
    before, after = old.content["partials"], new.content["partials"]
    for name in (*before, *(name for name in after if name not in before)):
        where = f"partials/{name}"
        if name not in after:
            yield make_change("PV310", f"partial {name!r} is not included any more", _locate_partial(old, name), where)
        elif name not in before:
            yield make_change("PV309", f"partial {name!r} is included now", _locate_partial(new, name), where)
        elif before[name] != after[name]:
            words = diff_words(before[name][0], after[name][0])
            message = f"partial {name!r} changed"
            yield make_change("PV308", message, _locate_partial(new, name, words.offset), where, words=words)


def _locate_partial(side: Side, name: str, offset: int = 0) -> Any:
    return side.compiled.compiler.partials[name].locate_offset(offset)


def _compare_slots(old: Side, new: Side) -> Iterator[Change]:
    before, after = old.sections.slots, new.sections.slots
    for name, placed in before.items():
        if name not in after:
            yield make_change("PV313", f"slot {name!r} removed", placed.locate_key(), f"slots/{name}")
    for name, placed in after.items():
        where = f"slots/{name}"
        if name not in before:
            yield make_change("PV312", f"slot {name!r} added", placed.locate_key(), where)
        elif write_canonical(before[name].value, "slots") != write_canonical(placed.value, "slots"):
            is_text = isinstance(placed.value, str) and isinstance(before[name].value, str)
            code, what = ("PV311", "wording") if is_text else ("PV314", "value")
            yield explain_text(code, f"{what} of slot {name!r}", before[name], placed, where)
        elif _has_other_syntax(old, new, before[name], placed):
            yield make_change("PV315", f"slot {name!r} has another template syntax", placed.locate_key(), where)
    if not same_order(before, after):
        yield make_change("PV325", "slots are in another order", new.locate("slots"), "slots")


def _compare_settings(old: Side, new: Side) -> Iterator[Change]:
    if old.pack.syntax != new.pack.syntax:
        message = f"template syntax changed from {old.pack.syntax} to {new.pack.syntax}"
        yield make_change("PV315", message, new.locate("syntax"), "syntax")
    if old.pack.json_indent != new.pack.json_indent:
        forms = ["on one line" if side.pack.json_indent is None else "indented" for side in (old, new)]
        message = f"JSON was printed {forms[0]} and is printed {forms[1]}"
        yield make_change("PV316", message, new.locate("json"), "json")
    if old.pack.description != new.pack.description:
        words = diff_words(old.pack.description, new.pack.description)
        message = "description of the pack changed"
        yield make_change("PV322", message, new.locate("description"), "description", words=words)
    yield from _compare_models(old, new)
    yield from _compare_tests(old, new)


def _compare_models(old: Side, new: Side) -> Iterator[Change]:
    before, after = ({glob: write_canonical(rest) for glob, *rest in side.content.get("models", ())}
                     for side in (old, new))  # fmt: skip
    for glob in (*before, *(glob for glob in after if glob not in before)):
        if before.get(glob) != after.get(glob):
            what = "added" if glob not in before else "removed" if glob not in after else "changed"
            placed = (new if glob in after else old).sections.models[glob]
            message = f"overlay for the models {glob!r} {what}"
            yield make_change("PV324", message, placed.locate_key(), f"models/{glob}")
    if not same_order(before, after):
        yield make_change("PV324", "overlays for models are in another order", new.locate("models"), "models")


def _compare_tests(old: Side, new: Side) -> Iterator[Change]:
    before, after = ({one.value["name"]: one.value for one in side.sections.tests} for side in (old, new))
    counts = (
        (sum(name not in before for name in after), "added"),
        (sum(name not in after for name in before), "removed"),
        (sum(name in after and after[name] != value for name, value in before.items()), "changed"),
    )
    if any(count for count, _ in counts):
        listed = ", ".join(f"{count} {what}" for count, what in counts if count)
        yield make_change("PV323", f"tests: {listed}", new.locate("tests"), "tests")
