import re
from pathlib import Path

import jinja2
import pytest

import promptpack.template.history
from promptpack.template.language import HISTORY_FILTER_NAMES

HISTORY = [
    {"role": "user", "content": "go"},
    {"role": "assistant", "content": "look"},
    {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "find", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "1", "content": "found"},
]


def render(template: str) -> str:
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=True)
    functions = {name: getattr(promptpack.template.history, name) for name in HISTORY_FILTER_NAMES}
    environment.filters.update(functions)
    return environment.from_string(template).render(HISTORY=HISTORY, TOOLS=[{"name": "find"}])


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{{ ' a\nb' | compact(limit=5) }}{{ ' b ' | trim_space }}{{ 'c\nd' | first_line }}", "abc"),
        ("{% for r in HISTORY | react_records | react_window(size=1) %}{{ r.thought }} {{ r.observation }}{% endfor %}",
         "look found"),
        ("{{ (HISTORY | react_records | fold_repeated('old') | first).observation }}", "found"),
        ("{{ HISTORY | react_records | map('tool_call_text') | join }}", "find({})"),
        ("{{ HISTORY | react_records | early_summary(0) }}", "1 older records: find x1"),
        ("{{ (HISTORY | react_records | outside_window(0)).tools[0].name }}", "find"),
        ("{{ HISTORY | user_inputs | join }} {{ (HISTORY | first_and_last_input).last }}", "go go"),
        ("{{ TOOLS | tool_catalog(header='T') }}", "T\n1. find: no description\n   parameters: {}"),
        ("{{ (TOOLS | tool_entries | first).number }}{{ TOOLS[0] | tool_parameters | parameter_text }}", "1{}"),
        ("{{ 'find' | return_hint({'find': 'text'}) }}", "text"),
        ("{{ HISTORY | selectattr('role', 'equalto', 'user') | user_inputs | length }}", "1"),
    ],
)  # fmt: skip
def test_every_function_is_a_filter(template: str, expected: str) -> None:
    assert render(template) == expected


def test_the_filters_are_the_public_functions() -> None:
    assert set(HISTORY_FILTER_NAMES) == set(promptpack.template.history.__all__)


def test_an_undefined_history_is_not_an_empty_one() -> None:
    with pytest.raises(jinja2.UndefinedError):
        render("{{ MISSING | react_records | length }}")
    with pytest.raises(jinja2.UndefinedError):
        render("{{ MISSING | compact }}")


def test_the_code_contains_no_texts_of_a_product() -> None:
    folder = Path(promptpack.template.history.__file__).parent
    texts = [path.read_text(encoding="utf-8") for path in folder.glob("*.py")]
    assert len(texts) > 10
    assert not [found for text in texts for found in re.findall(r"[\u4e00-\u9fff]+|(?i:smartflow|newagent)", text)]
