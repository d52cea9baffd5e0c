import pytest

from promptpack.problem import ContextError
from promptpack.template.history import parameter_text, return_hint, tool_catalog, tool_entries

TOOLS = [
    {"name": " move ", "desc": " moves\na task ", "schema_text": '{"parameters":{"id":"int"}}'},
    {"name": " ", "desc": "nameless"},
    {"type": "function", "function": {"name": "Swap", "description": "", "parameters": {"type": "object"}}},
]


def test_entries_keep_their_numbers_when_nameless_tools_are_left_out() -> None:
    entries = tool_entries(TOOLS, returns={" SWAP ": "done"}, default_return="text")
    assert entries == [
        {
            "number": 1,
            "name": "move",
            "description": "moves\na task",
            "parameters": [{"name": "id", "required": True, "type": "int"}],
            "returns": "text",
        },
        {"number": 3, "name": "Swap", "description": "", "parameters": [], "returns": "done"},
    ]


def test_the_default_catalogue() -> None:
    assert tool_catalog(TOOLS) == (
        "Available tools:\n"
        "1. move: moves\na task\n   parameters: id(required,int)\n"
        "3. Swap: no description\n   parameters: {}"
    )


def test_every_text_of_the_catalogue_is_a_parameter() -> None:
    catalogue = tool_catalog(
        [{"name": "{returns}", "parameters": {"b": "x", "a": {}}}],
        returns={"{returns}": "{name}"}, header="H", entry="{number}|{name}|{description}|{parameters}|{returns}",
        no_description="-", required="R", optional="O", separator="/", no_parameters="0",
    )  # fmt: skip
    assert catalogue == "H\n1|{returns}|-|a(O)/b(R,x)|{name}"
    assert tool_catalog([{"name": "a"}], header="", entry="{parameters}", no_parameters="0") == "0"


def test_the_catalogue_is_empty_without_tools_and_only_a_header_without_names() -> None:
    assert tool_catalog([]) == tool_catalog(None) == ""
    assert tool_catalog([{"name": ""}, None]) == "Available tools:"


def test_return_hints_ignore_letter_case() -> None:
    assert return_hint(" MOVE ", {"Move": "moved"}) == "moved"
    assert return_hint("", {"move": "moved"}, default="text") == "text"


def test_the_text_for_no_parameters_can_be_set() -> None:
    assert parameter_text([]) == "{}"
    assert parameter_text([], empty="none") == "none"


def test_a_value_that_is_not_a_list_of_tools_is_refused() -> None:
    with pytest.raises(ContextError) as raised:
        tool_catalog({"name": "move"})
    assert str(raised.value) == "PP431 the list of tools must be a list, not a mapping\n  hint: pass a list of mappings"
