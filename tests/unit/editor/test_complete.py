import pytest

from promptpack.editor import complete
from tests.unit.editor.conftest import OpenBuffer, typed


def proposed(open_buffer: OpenBuffer, text: str) -> list[str]:
    return [proposal.known.name for proposal in complete(*open_buffer(text))]


@pytest.mark.parametrize(
    ("text", "first", "all_of"),
    [
        ("{{ G", "GOAL", {"TASK", "HISTORY", "pack", "range", "reply_format"}),
        ("{{ TASK.", "owner", {"level"}),
        ("{{ TASK.owner.", "name", set()),
        ("{{ pack.v", "version", {"agent", "locale", "name"}),
        ("{{ GOAL | fen", "fenced", {"json", "default", "react_window"}),
        ("{% if GOAL is def", "defined", {"mapping", "string"}),
        ("{% incl", "include", {"if", "for"}),
        ('{% include "gr', "greeting", {"rules"}),
        ("{% for item in TASK.steps %}{{ it", "item", {"GOAL"}),
        ("{% for item in TASK.steps %}{{ loop.l", "last", {"index", "length"}),
    ],
)
def test_what_fits_is_proposed_and_what_was_typed_comes_first(
    open_buffer: OpenBuffer, text: str, first: str, all_of: set[str]
) -> None:
    found = proposed(open_buffer, typed(text))
    assert found[0] == first
    assert all_of <= set(found)
    assert len(found) == len(set(found))


def test_rules_know_the_reply(open_buffer: OpenBuffer) -> None:
    text = typed("x").replace("¦", "").replace("require: reply.params.note", "require: reply.params.n¦")
    assert proposed(open_buffer, text)[0] == "note"
    text = typed("x").replace("¦", "").replace("require: reply.params", "require: reply.¦")
    assert {"thought", "action", "params", "risk", "confidence"} <= set(proposed(open_buffer, text))


def test_names_of_packs_and_inputs_are_proposed_where_yaml_takes_them(open_buffer: OpenBuffer) -> None:
    text = typed("x").replace("¦", "")
    assert proposed(open_buffer, text.replace("extends: base@^1", "extends: b¦")) == ["base@^1"]
    assert proposed(open_buffer, text.replace("history: HISTORY", "history: H¦"))[0] == "HISTORY"


def test_nothing_is_proposed_in_plain_text(open_buffer: OpenBuffer) -> None:
    assert proposed(open_buffer, typed("plain words ")) == []


def test_a_pack_that_never_could_be_read_still_has_its_filters(open_buffer: OpenBuffer) -> None:
    buffer, offset = open_buffer(typed("{{ x | up"))
    unknown = type(buffer)(buffer.path, buffer.text, buffer.library)
    assert complete(unknown, offset)[0].known.name == "upper"
