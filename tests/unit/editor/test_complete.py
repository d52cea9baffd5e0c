import pytest

from promptpack.editor import complete
from tests.unit.editor.conftest import PACK, OpenBuffer, typed


def proposed(open_buffer: OpenBuffer, text: str) -> list[str]:
    return [proposal.symbol.name for proposal in complete(*open_buffer(text))]


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
def test_valid_names_are_proposed_with_matches_first(
    open_buffer: OpenBuffer, text: str, first: str, all_of: set[str]
) -> None:
    found = proposed(open_buffer, typed(text))
    assert found[0] == first
    assert all_of <= set(found)
    assert len(found) == len(set(found))


def test_keys_of_the_reply_are_proposed_in_rules(open_buffer: OpenBuffer) -> None:
    text = typed("x").replace("¦", "").replace("require: reply.params.note", "require: reply.params.n¦")
    assert proposed(open_buffer, text)[0] == "note"
    text = typed("x").replace("¦", "").replace("require: reply.params", "require: reply.¦")
    assert {"thought", "action", "params", "risk", "confidence"} <= set(proposed(open_buffer, text))


@pytest.mark.parametrize(
    ("require", "first"),
    [
        ("reply.action == ¦", "'DONE'"),
        ("reply.action == '¦'", "DONE"),
        ("\"reply.action == 'D¦'\"", "DONE"),
        ("TASK.level != 'h¦'", "high"),
        ("GOAL or TASK.level == ¦", "'low'"),
    ],
)
def test_values_are_proposed_after_a_comparison(open_buffer: OpenBuffer, require: str, first: str) -> None:
    text = PACK.replace("¦", "").replace(
        'require: reply.params.note | length < 10 or GOAL == ""', f"require: {require}"
    )
    assert proposed(open_buffer, text)[0] == first


def test_words_of_an_enum_are_proposed_in_a_template(open_buffer: OpenBuffer) -> None:
    assert proposed(open_buffer, typed('{% if TASK.level == "l')) == ["low", "high"]


@pytest.mark.parametrize("test", ["verdict: [{rule: s¦}]", "verdict:\n      - rule: ¦"])
def test_rules_are_proposed_in_verdicts(open_buffer: OpenBuffer, test: str) -> None:
    assert proposed(open_buffer, PACK.replace("¦", "") + f"    {test}\n") == ["short"]


@pytest.mark.parametrize(
    "context",
    ["context: {T¦", "context: {GOAL: {a: 1}, T¦}", "context:\n      T¦", "context:\n      GOAL: x\n      T¦"],
)
def test_inputs_are_proposed_in_the_context_of_a_test(open_buffer: OpenBuffer, context: str) -> None:
    text = PACK.replace("¦", "").replace("context: {GOAL: write}", context)
    assert proposed(open_buffer, text)[0] == "TASK"


def test_values_in_a_context_are_not_completed(open_buffer: OpenBuffer) -> None:
    assert proposed(open_buffer, PACK.replace("¦", "").replace("context: {GOAL: write}", "context: {GOAL: w¦")) == []


def test_packs_and_inputs_are_proposed_as_yaml_values(open_buffer: OpenBuffer) -> None:
    text = typed("x").replace("¦", "")
    assert proposed(open_buffer, text.replace("extends: base@^1", "extends: b¦")) == ["base@^1"]
    assert proposed(open_buffer, text.replace("history: HISTORY", "history: H¦"))[0] == "HISTORY"


def test_nothing_is_proposed_in_plain_text(open_buffer: OpenBuffer) -> None:
    assert proposed(open_buffer, typed("plain words ")) == []


def test_a_pack_that_never_could_be_read_still_has_its_filters(open_buffer: OpenBuffer) -> None:
    buffer, offset = open_buffer(typed("{{ x | up"))
    unknown = type(buffer)(buffer.path, buffer.text, buffer.packs)
    assert complete(unknown, offset)[0].symbol.name == "upper"


TASKS = """\
  TASKS:
    type: array
    description: The tasks.
    items:
      type: object
      description: One of them
      properties:
        title: {type: string, description: In a few words}
        steps: {type: array, items: {type: object, properties: {tool: {enum: [mail, call]}}}}
partials:
"""
SCOPES = {
    "{% for t in TASKS %}{{ t.": {"title": "string", "steps": "array"},
    "{% for t in TASKS %}{% for s in t.steps %}{{ s.": {"tool": "one of mail, call"},
    "{% set first = TASKS[0] %}{{ first.": {"title": "string", "steps": "array"},
    "{% with x = TASK.owner %}{{ x.": {"name": "string"},
    '{% for t in TASKS | sort(attribute="title") %}{{ t.': {"title": "text", "steps": "a list"},
    '{% set x = {"one": 1, "two": GOAL} %}{{ x.': {"one": "a number", "two": "text"},
    "{% for t in TASKS %}{% if t.title %}{% set y = t.steps %}{% for s in y %}{{ s.": {"tool": "one of mail, call"},
}


@pytest.mark.parametrize("before", SCOPES)
def test_names_set_by_a_template_are_completed_with_their_types(open_buffer: OpenBuffer, before: str) -> None:
    text = typed(before).replace("partials:\n", TASKS)
    assert {one.symbol.name: one.symbol.detail for one in complete(*open_buffer(text))} == SCOPES[before]


@pytest.mark.parametrize(
    ("before", "visible", "hidden"),
    [
        ("{% for t in TASKS %}{{ ", {"t": "object, set here"}, set()),
        ("{% for t in TASKS %}{% endfor %}{{ ", {}, {"t"}),
        ("{% for t in TASKS %}{% set x = 1 %}{% endfor %}{% set n = TASKS | length %}{{ ", {"n": "a number, set here"}, {"x"}),
        ("{% macro m(a, b=1) %}{{ ", {"a": "any value, set here"}, set()),
        ("{% macro m(a) %}{% endmacro %}{{ ", {"m": "a macro, set here"}, {"a"}),
        ("{% if GOAL %}{% set x = 1 %}{% else %}{% set x = 2 %}{% endif %}{{ ", {"x": "a number, set here"}, set()),
    ],
)  # fmt: skip
def test_only_visible_names_are_proposed(
    open_buffer: OpenBuffer, before: str, visible: dict[str, str], hidden: set[str]
) -> None:
    text = typed(before).replace("partials:\n", TASKS)
    found = {one.symbol.name: one.symbol.detail for one in complete(*open_buffer(text))}
    assert visible.items() <= found.items()
    assert hidden.isdisjoint(found)


def test_scopes_are_known_in_a_block_of_text(open_buffer: OpenBuffer) -> None:
    text = typed("x").replace("¦", "").replace("partials:\n", TASKS)
    text = text.replace("{% for step in TASK.steps %}{{ step }}", "{% for step in TASKS %}\n      {{ step.ti¦ }}")
    assert proposed(open_buffer, text)[0] == "title"
