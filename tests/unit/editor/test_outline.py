from promptpack.editor import OutlineItem, outline
from tests.unit.editor.conftest import PACK


def tree(items: tuple[OutlineItem, ...]) -> dict[str, object]:
    return {f"{item.name} {item.location.line}-{item.last_line}": tree(item.items) for item in items}


def test_the_outline_has_sections_and_their_items() -> None:
    assert tree(outline(PACK)) == {
        "promptpack 1-1": {},
        "name 2-2": {},
        "version 3-3": {},
        "extends 4-4": {},
        "inputs 5-13": {"GOAL 6-6": {}, "TASK 7-13": {}},
        "partials 14-16": {"rules 15-16": {}},
        "messages 17-26": {"system 18-22": {}, "HISTORY 23-23": {}, "user 24-26": {}},
        "reply 27-33": {"actions 28-29": {"DONE 29-29": {}}, "rules 30-33": {"short 31-33": {}}},
        "tests 34-36": {"a 35-36": {}},
    }


def test_a_text_that_cannot_be_parsed_has_no_outline() -> None:
    assert outline("a: [") == ()


def test_items_of_an_alias_are_listed_only_at_its_anchor() -> None:
    text = "inputs: &x\n  A: {type: string}\nmessages: [1, null, {role: user}]\nreply: {actions: *x}\n"
    assert tree(outline(text)) == {
        "inputs 1-2": {"A 2-2": {}},
        "messages 3-3": {"1 3-3": {}, "None 3-3": {}, "user 3-3": {}},
        "reply 4-4": {"actions 4-4": {}},
    }
