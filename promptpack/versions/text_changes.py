"""TEXT: the changes of messages, partials, slots and settings of the text."""

from __future__ import annotations

from collections.abc import Iterator

from promptpack.pack.digest import write_canonical
from promptpack.problem import Location
from promptpack.versions.catalogue import make_change
from promptpack.versions.change import Change
from promptpack.versions.message_changes import compare_messages
from promptpack.versions.sides import Side, same_order
from promptpack.versions.word_diff import diff_words
from promptpack.versions.wording import explain_text, has_other_syntax


def compare_texts(old: Side, new: Side) -> Iterator[Change]:
    """Yield the changes of the wording."""
    yield from compare_messages(old, new)
    yield from _compare_partials(old, new)
    yield from _compare_slots(old, new)
    yield from _compare_settings(old, new)


def _compare_partials(old: Side, new: Side) -> Iterator[Change]:
    before, after = old.content["partials"], new.content["partials"]
    for name in (*before, *(name for name in after if name not in before)):
        where = f"partials/{name}"
        if name not in after:
            yield make_change("PV310", f"partial {name!r} is no longer included", _locate_partial(old, name), where)
        elif name not in before:
            yield make_change("PV309", f"partial {name!r} is included now", _locate_partial(new, name), where)
        elif before[name] != after[name]:
            words = diff_words(before[name][0], after[name][0], new.meter.words)
            message = f"partial {name!r} changed"
            yield make_change("PV308", message, _locate_partial(new, name, words.offset), where, words=words)


def _locate_partial(side: Side, name: str, offset: int = 0) -> Location:
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
            yield explain_text(code, f"{what} of slot {name!r}", (before[name], placed), where, new.meter)
        elif has_other_syntax(old, new, before[name], placed):
            yield make_change("PV315", f"slot {name!r} has a different template syntax", placed.locate_key(), where)
    if not same_order(before, after):
        yield make_change("PV325", "slots are in a different order", new.locate("slots"), "slots")


def _compare_settings(old: Side, new: Side) -> Iterator[Change]:
    if old.pack.syntax != new.pack.syntax:
        message = f"template syntax changed from {old.pack.syntax} to {new.pack.syntax}"
        yield make_change("PV315", message, new.locate("syntax"), "syntax")
    if old.pack.json_indent != new.pack.json_indent:
        forms = ["on one line" if side.pack.json_indent is None else "indented" for side in (old, new)]
        message = f"JSON was printed {forms[0]} and is printed {forms[1]}"
        yield make_change("PV316", message, new.locate("json"), "json")
    if old.pack.description != new.pack.description:
        words = diff_words(old.pack.description, new.pack.description, new.meter.words)
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
        yield make_change("PV324", "overlays for models are in a different order", new.locate("models"), "models")


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
