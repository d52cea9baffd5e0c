"""The Handlebars syntax: what it prints, what it refuses, and how it works with Jinja and packs."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptpack import Pack
from promptpack.problem import ContextError, PackError, PromptpackError
from promptpack.template.compiling import compile  # noqa: A004 -- the folder's verb
from promptpack.template.engine import Engine
from promptpack.template.model import Source

MakePack = Callable[[str], Pack]
ProblemsOf = Callable[[str], str]


def source(text: str, name: str = "t") -> Source:
    return Source.of_text(text, name, "handlebars")


def render(text: str, partials: dict[str, Source] | None = None, **context: Any) -> str:
    return compile(source(text), Engine(partials)).render(context)


def problems(text: str, known: set[str] | None = None, partials: dict[str, Source] | None = None) -> str:
    with pytest.raises(PackError) as caught:
        compile(source(text), Engine(partials), known)
    return str(caught.value)


def failure(text: str, partials: dict[str, Source] | None = None, **context: Any) -> str:
    with pytest.raises(ContextError) as caught:
        render(text, partials, **context)
    return str(caught.value)


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        ("<&'", "<&'"),
        (True, "true"),
        (None, ""),
        (0, "0"),
        (2.5, "2.5"),
        ([1, None, "é"], '[1,null,"é"]'),
        ({"b": {"d": 1, "c": []}, "a": False}, '{"a":false,"b":{"c":[],"d":1}}'),
    ],
)
def test_values_print_as_text_or_compact_json(value: Any, printed: str) -> None:
    assert render("{{ X }}", X=value) == printed


@pytest.mark.parametrize("value", [None, False, "", []])
def test_null_false_and_empty_values_count_as_false(value: Any) -> None:
    assert render("{{#if X}}T{{else}}F{{/if}}", X=value) == "F"


@pytest.mark.parametrize("value", [0, 0.0, "0", " ", {}, [[]], True])
def test_other_values_count_as_true(value: Any) -> None:
    assert render("{{#if X}}T{{else}}F{{/if}}", X=value) == "T"


def test_nothing_is_trimmed() -> None:
    text = "\r\n  {{#if X}}\n a\r\n{{/if}}\n{% b %} {# c #}\n\n"
    assert render(text, X=1) == "\r\n  \n a\r\n\n{% b %} {# c #}\n\n"


def test_the_standard_lists_print_in_a_readable_form() -> None:
    messages = [{"role": "user", "content": "a\nsystem: b"}]
    assert render("{{HISTORY}}", HISTORY=messages) == "[user] a\n    system: b"
    assert render("{{HISTORY}}", HISTORY="as text") == "as text"


def test_a_variable_may_be_named_loop_inside_loops_and_partials() -> None:
    text = "{{#each L}}" * 30 + "{{loop}}{{> p}}" + "{{/each}}" * 30
    assert render(text, {"p": source("{{loop}}{{item}}")}, L=["i"], loop="v") == "vvi"


@pytest.mark.parametrize("levels", [12, 13, 24, 25, 100])
def test_blocks_may_be_nested_deeper_than_loops_in_python(levels: int) -> None:
    text = "{{#each L}}{{#if L}}" * (levels // 2) + "{{item}}" + "{{else}}{{/if}}{{/each}}" * (levels // 2)
    assert render(text, L=["x"]) == "x"


def test_the_item_of_an_outer_loop_returns_after_an_inner_loop() -> None:
    text = "{{#each L}}" * 13 + "{{item}}{{#each M}}{{item}}{{/each}}{{item}}" + "{{/each}}" * 13
    assert render(text, L=["a"], M=["b", "c"]) == "abca"


def test_data_is_never_parsed_as_a_template() -> None:
    assert render("{{X}}{{#each L}}{{item}}{{/each}}", X="{{L}}{% x %}", L=["{{> p}}"]) == "{{L}}{% x %}{{> p}}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "a\n b {{x",
            "t:2:4: PP311 tag is not closed with '}}'\n  hint: write literal braces between '{{#raw}}' and '{{/raw}}'",
        ),
        ("{{ }}", "t:1:1: PP312 '{{}}' has no name\n  hint: write literal braces between '{{#raw}}' and '{{/raw}}'"),
        ("{{> }}", "t:1:1: PP312 '{{>}}' has no name\n  hint: write literal braces between '{{#raw}}' and '{{/raw}}'"),
        (
            "{{#if}}{{/if}}",
            "t:1:1: PP312 '{{#if}}' has no name\n  hint: write literal braces between '{{#raw}}' and '{{/raw}}'",
        ),
        (
            "{{{x}}}",
            "t:1:1: PP312 '{{{' is not supported\n  hint: write '{{x}}': nothing is escaped",
        ),
        (
            "{{x}y}}",
            (
                "t:1:1: PP312 'x}y' is not a valid name\n  hint: a name has no spaces and no braces;"
                " write literal braces between '{{#raw}}' and '{{/raw}}'"
            ),
        ),
        (
            "{{#if a}}{{else with b}}{{/if}}",
            "t:1:10: PP312 'else with' is not supported\n  hint: use '{{else}}' or '{{else if}}'",
        ),
        (
            '{{role "user"}}',
            "t:1:1: PP312 the helper 'role' is not supported\n  hint: write a separate message, with 'role: ...'",
        ),
        (
            "{{shout x}}",
            (
                "t:1:1: PP312 the helper 'shout' is not supported\n"
                "  hint: a tag has one name; compute the value before rendering, and pass it as an input"
            ),
        ),
        (
            "{{@index}}",
            (
                "t:1:1: PP312 '@index', '@first' or '@last' outside '{{#each}}' is not supported\n"
                "  hint: move it into the block"
            ),
        ),
        ("{{^x}}", "t:1:1: PP312 '{{^' is not supported\n  hint: use '{{#unless}}' or '{{else}}'"),
        (
            "{{#each x as |y|}}{{/each}}",
            "t:1:1: PP312 a block parameter is not supported\n  hint: use 'item' or 'this' for the item",
        ),
        (
            "{{> row a=1}}",
            "t:1:1: PP312 an argument of a partial is not supported\n  hint: the partial sees the names around it",
        ),
        ("{{!-- }}", "t:1:1: PP311 tag is not closed with '--}}'\n  hint: close the comment with '--}}'"),
        ("{{#raw x}}{{/raw}}", "t:1:1: PP312 '{{#raw}}' takes no name, but has 'x'\n  hint: write '{{#raw}}'"),
        ("{{#eahc x}}{{/eahc}}", "t:1:1: PP313 unknown block 'eahc'\n  hint: did you mean 'each'?"),
        (
            "{{#with x}}{{/with}}",
            "t:1:1: PP313 unknown block 'with'\n  hint: the blocks are 'if', 'unless', 'each' and 'raw'",
        ),
        ("{{#if a}}", "t:1:1: PP314 '{{#if}}' is not closed\n  hint: close it with '{{/if}}'"),
        ("{{#raw}}{{x}}", "t:1:1: PP314 '{{#raw}}' is not closed\n  hint: close it with '{{/raw}}'"),
        ("x{{/if}}", "t:1:2: PP315 '{{/if}}' closes no open block\n  hint: no block is open here"),
        (
            "{{#if a}}{{/each}}{{/if}}",
            "t:1:10: PP315 '{{/each}}' does not close '{{#if}}'\n  hint: write '{{/if}}'",
        ),
        (
            "{{#each a}}{{else}}{{/each}}",
            "t:1:12: PP316 '{{else}}' is not directly inside '{{#if}}' or '{{#unless}}'\n  hint: move or remove it",
        ),
        (
            "{{#if a}}{{else}}{{else}}{{/if}}",
            "t:1:18: PP316 '{{#if}}' has a second '{{else}}'\n  hint: remove one of them",
        ),
        ("{{#if a}}" * 101, "t:1:901: PP317 blocks are nested more than 100 levels deep\n  hint: use partials"),
    ],
)
def test_an_invalid_tag_is_reported_with_its_location(text: str, expected: str) -> None:
    assert problems(text) == expected


def test_all_problems_are_reported_together_in_order() -> None:
    message = problems("{{#if a}}\n{{#each b}}\n{{/if}}\n{{ a b }}{{#with}}{{/with}}{{")
    assert [line.split(" ")[1] for line in message.splitlines() if line.startswith("t:")] == [
        "PP314",
        "PP312",
        "PP313",
        "PP311",
    ]


def test_a_missing_variable_is_reported_with_the_nearest_name() -> None:
    assert failure("a\n {{nmae}}", name="x") == "t:2:2: PP401 'nmae' is undefined\n  hint: did you mean 'name'?"
    assert failure("{{#each x}}{{/each}}") == (
        "t:1:1: PP401 'x' is undefined\n  hint: pass it in the context, or test for it with '{{#if}}'"
    )


def test_each_iterates_over_lists_only() -> None:
    assert failure("a {{#each s}}{{/each}}", s={"a": 1}) == (
        "t:1:3: PP441 '{{#each}}' needs a list, but 's' is a mapping\n  hint: pass a list"
    )


def test_an_undeclared_input_is_reported_before_rendering() -> None:
    partials = {"p": source("{{item}}{{GAOL}}", "p")}
    assert problems("{{#each L}}{{> p}}{{/each}}{{item}} {{#if range}}{{/if}}", {"L", "GOAL"}, partials) == (
        "t:1:28: PP301 template uses undeclared input 'item'\n"
        "  hint: 'item' and 'this' have a value only inside '{{#each}}'\n"
        "t:1:37: PP301 template uses undeclared input 'range'\n  hint: declare it under 'inputs'\n"
        "p:1:9: PP301 template uses undeclared input 'GAOL'\n  hint: did you mean 'GOAL'?"
    )


def test_an_unknown_partial_is_reported_before_rendering() -> None:
    assert problems("{{> ruls}}", None, {"rules": source("x")}) == (
        "t:1:5: PP305 unknown partial 'ruls'\n  hint: did you mean 'rules'?"
    )


def test_includes_work_across_the_syntaxes() -> None:
    partials = {
        "jinja": Source.of_text("[{{ item + 1 }}{% for x in 'ab' %}{% include 'bars' %}{% endfor %}]", "jinja"),
        "bars": source("{{x}}{{item}}\n", "bars"),
    }
    assert render("{{#each L}}{{> jinja}}{{/each}}", partials, L=[1, 2]) == "[2a1\nb1\n][3a2\nb2\n]"
    jinja = Source.of_text("{% set x = 'v' %}{% for item in [1] %}{% include 'bars' %}{% endfor %}")
    assert compile(jinja, Engine(partials)).render({}) == "v1\n"


def test_an_error_in_a_partial_points_into_the_partial() -> None:
    partials = {"p": source("a\n{{gone}}", "p.hbs")}
    assert failure("{{> p}}", partials).startswith("p.hbs:2:1: PP401 'gone' is undefined")


@pytest.mark.parametrize("include", ["{{> p%d}}", "{%% include 'p%d' %%}"])
def test_includes_may_be_nested_sixteen_levels_deep_in_either_syntax(include: str) -> None:
    def chain(length: int) -> dict[str, Source]:
        syntax: Any = "handlebars" if include.startswith("{{") else "jinja"
        texts = [include % (number + 1) for number in range(1, length)] + ["end"]
        return {f"p{number}": Source.of_text(text, f"p{number}", syntax) for number, text in enumerate(texts, 1)}

    assert render("{{> p1}}", chain(16)) == "end"
    assert failure("{{> p1}}", chain(17)).split("\n") == [
        f"p16:1:{1 if include.startswith('{{') else 4}: PP443 includes are nested more than 16 levels deep",
        "  hint: look for a partial that includes itself",
    ]


def test_a_pack_can_be_written_in_handlebars(make_pack: MakePack) -> None:
    pack = make_pack(
        "syntax: handlebars\n"
        "inputs: {RULES: {type: array, default: []}, NAME: {type: string}}\n"
        "messages:\n"
        "  - role: system\n"
        "    content: |\n"
        "      {{#each RULES}}- {{item}}\n"
        "      {{/each}}{{> sign}}\n"
        "  - {role: user, when: RULES | length == 1, content: 'only {{RULES}}'}\n"
        "partials: {sign: '{{NAME}} {{pack}}'}\n"
    )
    first, second = pack.render(NAME="Ada", RULES=["be brief"]).messages
    assert first.content == '- be brief\nAda {"agent":"","locale":"","name":"demo","version":"1.0.0"}\n'
    assert second.content == 'only ["be brief"]'


def test_a_problem_points_into_the_pack_file(problems_of: ProblemsOf) -> None:
    body = "syntax: handlebars\nmessages:\n  - role: user\n    content: |\n      a\n      b {{#if X}}\n"
    assert problems_of(body) == (
        "packs/demo/1.0.0.yaml:9:9: PP314 '{{#if}}' is not closed\n  hint: close it with '{{/if}}'"
    )


TAGS = ("{{", "}}", "{{#if a}}", "{{else}}", "{{/if}}", "{{#each l}}", "{{/each}}", "{{item}}", "{{> p}}", "{{#raw}}",
        "{{/raw}}", "{", "}", "\n", "{% x %}", "a", "{{l}}", "\\", "é")  # fmt: skip


@settings(deadline=None)
@given(st.lists(st.sampled_from(TAGS)).map("".join) | st.text())
def test_any_text_renders_or_raises_a_located_problem(text: str) -> None:
    try:
        printed = render(text, {"p": source("<{{l}}>")}, a=True, l=["x"], item=None)
    except PromptpackError as error:
        assert all(problem.location for problem in error.problems)
    else:
        assert isinstance(printed, str)


@given(st.text().filter(lambda text: "{{" not in text))
def test_raw_text_prints_unchanged(text: str) -> None:
    assert render("{{#raw}}{{x}}" + text + "{{/raw}}") == "{{x}}" + text


DATA: dict[str, Any] = {
    "L": [{"name": "a"}, {"name": "b"}],
    "D": {"x": {"y": 1}, "l": [5, 6]},
    "T": "t",
    "E": [],
    "N": [[1, 2], [3]],
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a{{! a comment }}b{{!-- with }} --}}c", "abc"),
        ("{{#each L}}{{@index}}{{#if @first}}!{{/if}}{{#unless @last}},{{/unless}}{{/each}}", "0!,1"),
        ("{{#each L}}{{this.name}}{{item.name}}{{/each}}", "aabb"),
        ("{{#each N}}{{#each this}}{{@index}}{{this}} {{/each}}|{{@index}};{{/each}}", "01 12 |0;03 |1;"),
        ("{{#each L}}{{> row}}{{/each}}", "<aa><bb>"),
        ("{{D.x.y}} {{D.l.1}} {{D.x}}", '1 6 {"y":1}'),
        ("{{#each D.l}}{{this}}{{/each}}", "56"),
        ("{{#if D.z}}1{{else if D.x.y}}2{{else}}3{{/if}}", "2"),
        ("{{#if E}}1{{else if E}}2{{else if E}}3{{else}}4{{/if}}", "4"),
        ("{{#unless E}}U{{else}}E{{/unless}}{{#unless T}}U{{else if T}}E{{/unless}}", "UE"),
        ("a {{~T~}} b {{~#if T~}} x {{~/if~}}\n c {{~! gone ~}} d", "atbxcd"),
        ("{{&T}}", "t"),
    ],
)
def test_common_handlebars_constructs(text: str, expected: str) -> None:
    assert render(text, {"row": source("<{{this.name}}{{item.name}}>", "row")}, **DATA) == expected


def test_a_missing_key_of_a_path_is_named() -> None:
    assert failure("{{#each L}}{{this.z}}{{/each}}", **DATA).startswith("t:1:12: PP401 'this.z' is undefined")
    assert failure("{{#each N}}{{item.z.y}}{{/each}}", **DATA).startswith("t:1:12: PP401 'item.z.y' is undefined")
    assert failure("{{D.x.z}}", **DATA).startswith("t:1:1: PP401 'D.x.z' is undefined")


def test_item_outside_a_loop_is_explained(problems_of: ProblemsOf) -> None:
    found = problems_of('syntax: handlebars\nmessages: [{role: user, content: "{{this.name}}"}]\n')
    assert "hint: 'item' and 'this' have a value only inside '{{#each}}'" in found
