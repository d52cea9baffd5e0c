"""The limits of templates: every kind of work counts."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from promptpack import ContextError, Library, PackError
from promptpack.template.compiling import compile, compile_expression  # noqa: A004 -- the folder's verb
from promptpack.template.engine import Engine
from promptpack.template.model import Limits, Source

ENGINE = Engine()


def problem(text: str, **context: Any) -> str:
    with pytest.raises(ContextError) as caught:
        compile(Source.of_text(text, "t"), ENGINE).render(context)
    return str(caught.value)


STEPS = "PP421 template takes more than 1,000,000 steps\n  hint: loop over fewer items, or prepare the data before rendering"
OUTPUT = "PP422 template writes more than 4,000,000 characters\n  hint: print less, or pass shorter values"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{% for a in range(1000) %}{% for b in range(1000) %}{% endfor %}{% endfor %}", f"t:1:30: {STEPS}"),
        ("{% macro m() %}{% endmacro %}{% for a in range(100000) %}{{ m() }}{% endfor %}", STEPS),
        ("{% for a in range(100000) %}{{ 'x' * 100 }}{% endfor %}", OUTPUT),
        ("{% for a in range(100000) %}" + "x" * 100 + "{% endfor %}", OUTPUT),
        ("{% set b = 'x' * 3000000 %}{% for a in range(100000) %}{% if b == b ~ '' %}{% endif %}{% endfor %}", STEPS),
        ("{% set b = 'x' * 3000000 %}{% for a in range(100000) %}{% set c = b[1:] %}{% endfor %}", STEPS),
        ("{% set l = range(1000) | list %}{% for a in range(10000) %}{% if a in l %}{% endif %}{% endfor %}", STEPS),
        ("{% set l = range(1000) | list %}{% for a in range(10000) %}{{ l | max }}{% endfor %}", STEPS),
        ("{{ 'x' * 5000000 }}", "t:1:4: PP423 a text is longer than 4,000,000 characters"),
        ("{{ [1] * 300000 }}", "PP423 a list is longer than 200,000 items"),
        ("{{ 'x' | center(9000000) }}", "PP423 a text is longer"),
        ("{{ ('x' * 3000000) ~ ('x' * 3000000) }}", "PP423 a text is longer"),
        ("{{ ('x' * 3000000) + ('x' * 3000000) }}", "PP423 a text is longer"),
        ("{{ ('\n' * 100000) | indent(100, true, true) }}", "PP423 a text is longer"),
        ("{{ ['x'] * 1000 | join('y' * 100000) }}", "PP403"),
        ("{{ (['x'] * 1000) | join('y' * 100000) }}", "PP423 a text is longer"),
        ("{{ ('y' * 100000).join(['x'] * 1000) }}", "PP423 a text is longer"),
        ("{{ ('x' * 10000) | replace('x', 'y' * 10000) }}", "PP423 a text is longer"),
        ("{{ ('x' * 10000).replace('x', 'y' * 10000) }}", "PP423 a text is longer"),
        ("{{ [1] | batch(9000000, 0) }}", "PP423 a list is longer"),
        ("{{ [1] | slice(9000000) }}", "PP423 a list is longer"),
        ("{% set ns = namespace(x=[1]) %}{% for i in range(40) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}", "PP42"),
        ("{{ 9 ** (9 ** 9) }}", "t:1:4: PP424 a number has more than 4,096 bits"),
        ("{{ range(10 ** 12) | length }}", "PP425 a range is longer than 200,000"),
        ("{{ '%9000000d' % 1 }}", "t:1:4: PP426 the width of a format has more than three digits"),
        ("{{ '%*d' % (9000000, 1) }}", "PP426"),
        ("{{ 1.5 | round(9000000, 'floor') }}", "PP426 precision must be between -100 and 100"),
        ("{{ [1] | json(9000) }}", "PP426 indent must be between 0 and 8"),
        ("{{ ['a', 'b'] | sum(start='') }}", "PP407 sum adds numbers only"),
        ("{{ [1] | dictsort }}", "PP407 dictsort needs a mapping"),
        ("{{ 'x' | truncate(2) }}", "PP407 length must be a number, at least the length of 'end'"),
        ("{{ 'x' | truncate(5, leeway=-1) }}", "PP407 leeway must be at least 0"),
        ("{{ '%c' % 55296 }}", "PP407 a format produces half of a surrogate pair"),
        ("{{ ('x' * 1000000) | wordwrap(1) }}", STEPS),
        ("{{ ('x ' * 100000) | wordwrap(1, true, 'y' * 100) }}", "PP423 a text is longer"),
        ("{{ ('\"' * 3000000) | json }}", "PP423 a text is longer"),
        ("{{ ('x' * 3000000) | max }}", "PP423 a list is longer than 200,000 items"),
        ("{{ ('x,' * 300000).split(',') }}", "PP423 a list is longer"),
        ("{{ ('x ' * 300000).split() }}", "PP423 a list is longer"),
        ("{{ ('\n' * 300000).splitlines() }}", "PP423 a list is longer"),
        ("{{ ','.join((['x' * 1000000] * 100) | select) }}", "PP423 a text is longer"),
        ("{% set l = [range(9999) | list] %}{% for a in range(999) %}{% set b = l | select | flatten %}{% endfor %}", STEPS),
        ("{% set l = range(9999) | list %}{% for a in range(999) %}{% if loop.changed(l) %}{% endif %}{% endfor %}", STEPS),
        ("{% set l = [[1, 2]] * 9999 %}{% for a in range(999) %}{% set d = dict(l) %}{% endfor %}", STEPS),
        ("{% macro m() %}{% if varargs %}{% endif %}{% endmacro %}{% set l = range(9999) | list %}{% for a in range(999) %}{{ m(*l) }}{% endfor %}", STEPS),
        ("{% for a in range(9999) %}" + "{% for b in [] %}{% endfor %}" * 100 + "{% endfor %}", STEPS),
        ("{% if 'x' in range(300000) %}{% endif %}", "PP425 a range is longer"),
        ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "PP405 rendering is nested too deeply"),
    ],
)  # fmt: skip
def test_a_template_that_exceeds_a_limit_stops_at_that_location(text: str, expected: str) -> None:
    assert expected in problem(text)


def test_running_out_of_memory_is_a_problem() -> None:
    from promptpack.template.failure import render_error

    error = render_error(MemoryError(), Source.of_text("", "t"))
    assert str(error) == "t:1:1: PP406 template needs too much memory\n  hint: build smaller values"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x" * 200_001, "t:1:1: PP320 template is longer than 200,000 characters\n  hint: split it into partials"),
        ("{{ x }}" * 6_000, "t:1:1: PP321 template has more than 10,000 tokens\n  hint: split it into partials"),
        (
            "{{ [" + "1," * 6_000 + "] }}",
            "t:1:1: PP321 template has more than 10,000 tokens\n  hint: split it into partials",
        ),
        (
            "{{ " + "[" * 500 + "]" * 500 + " }}",
            "t:1:1: PP309 template is nested too deeply\n  hint: move the inner part into a partial",
        ),
        (
            "{{ 1" + " and 1" * 500 + " }}",
            "t:1:4: PP309 template is nested more than 128 levels deep\n  hint: split the expression, or use a partial",
        ),
        (
            "{% if x %}" * 800 + "{% endif %}" * 800,
            "t:1:1: PP309 template is nested too deeply\n  hint: move the inner part into a partial",
        ),
        (
            "{{ " + "9" * 5_000 + " }}",
            "t:1:1: PP322 template has a number that is too long\n  hint: write it as text, in quotes",
        ),
        (
            "a\n{{ 1 + 0x" + "f" * 2_000 + " }}",
            "t:2:8: PP322 template has a number that is too long\n  hint: write it as text, in quotes",
        ),
        (
            "{% if false %}{{ 1e999 }}{% endif %}",
            "t:1:18: PP322 template has a number that is too large\n  hint: write it as text, in quotes",
        ),
    ],
)
def test_a_template_that_is_too_large_is_refused_before_it_is_compiled(text: str, expected: str) -> None:
    with pytest.raises(PackError) as caught:
        compile(Source.of_text(text, "t"), ENGINE)
    assert str(caught.value) == expected


def test_expressions_have_the_same_limits() -> None:
    expression = compile_expression(Source.of_text("'x' * 5000000 == A"), ENGINE)
    with pytest.raises(ContextError, match="PP423"):
        expression.evaluate({"A": ""})


def test_an_application_can_set_other_limits() -> None:
    tight = compile(Source.of_text("{% for a in range(100) %}{% endfor %}"), Engine(limits=Limits(steps=50)))
    with pytest.raises(ContextError, match="PP421 template takes more than 50 steps"):
        tight.render({})


def test_all_messages_of_a_prompt_share_one_meter(
    write_pack: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_pack(body="messages:\n" + "  - {role: user, content: '{{ \"x\" * 60 }}'}\n" * 3)
    monkeypatch.chdir(tmp_path)
    assert Library.open("packs").get("demo").render().messages
    with pytest.raises(ContextError, match="PP422 template writes more than 100 characters"):
        Library.open("packs", limits=Limits(output=100)).get("demo").render()


def test_a_typical_large_prompt_is_within_the_limits() -> None:
    tools = [{"name": f"tool_{number}", "parameters": {"type": "object"}} for number in range(500)]
    text = "{% for tool in T %}- {{ tool.name | upper }}: {{ tool.parameters | json }}\n{% endfor %}"
    assert len(compile(Source.of_text(text), ENGINE).render({"T": tools})) > 15_000


RECORDS = "X | sort(attribute='id')", "X | selectattr('id', 'gt', 5)", "(X | groupby('kind') | first)[1]", "X | reverse"


@pytest.mark.parametrize("expression", RECORDS)
def test_a_context_of_the_maximum_size_can_be_sorted_filtered_or_grouped_and_printed(expression: str) -> None:
    records = [{"id": number, "kind": "one", "name": "n"} for number in range(49_000)]
    text = "{% for record in " + expression + " %}{{ record.name }}{% endfor %}"
    printed = compile(Source.of_text(text), ENGINE).render({"X": records})
    assert set(printed) == {"n"}


def test_a_hundred_thousand_numbers_can_be_sorted() -> None:
    template = compile(Source.of_text("{{ (X | sort)[0] }}"), ENGINE)
    assert template.render({"X": list(range(100_000, 0, -1))}) == "1"


def test_a_key_is_looked_up_without_counting_the_mapping() -> None:
    text = "{% for key in D %}{% if key in D and D.get(key) and D[key] %}x{% endif %}{% endfor %}"
    many = {f"k{number}": 1 for number in range(5_000)}
    assert compile(Source.of_text(text), ENGINE).render({"D": many}) == "x" * 5_000


def test_guarded_filters_do_what_jinja_does() -> None:
    text = (
        "{{ [1, 2, 3] | batch(2, 0) | json(none) }} {{ [1, 2, 3, 4, 5] | slice(2) | json(none) }} "
        "{{ [1, 2, 3] | slice(2, 9) | json(none) }} {{ [{'a': 1}, {'a': 2}] | sum(attribute='a') }} "
        "{{ [{'a': 'x'}, {'a': 'y'}] | join('-', attribute='a') }} {{ 'ab' | center(6) }} {{ 2.567 | round(1) }} "
        "{{ 'a\nb' | indent(2) }} {{ 'aXa' | replace('a', 'b', 1) }}"
    )
    assert compile(Source.of_text(text), ENGINE).render({}) == (
        "[[1, 2], [3, 0]] [[1, 2, 3], [4, 5]] [[1, 2], [3, 9]] 3 x-y   ab   2.6 a\n  b bXa"
    )


@pytest.mark.parametrize(
    ("expression", "steps"),
    [
        ("text | title", 30_000),
        ("text | wordcount", 30_000),
        ("text | wordwrap(20)", 30_000),
        ("text | fenced", 6_000),
        ("text | replace('é', '<') | fenced", 30_000),
        ("text | indent", 6_000),
        ("[{'content': text}] | history", 10_000),
        ("[text, text] | sort", 3_000),
        ("[text, text] | max", 3_000),
        ("[text, text] | unique | list", 3_000),
        ("[{'a': text}, {'a': text}] | groupby('a')", 3_000),
        ("{text: text} | dictsort", 3_000),
        ("numbers | dictsort", 3_000),
        ("numbers | yaml", 20_000),
    ],
)
def test_filters_that_process_every_character_or_key_count_each_of_them(expression: str, steps: int) -> None:
    """A hundred thousand characters or a thousand keys take time, so they must count as steps."""
    context = {"text": "é\n" * 50_000, "numbers": {str(number): number for number in range(1_000)}}
    template = compile(Source.of_text(f"{{% if {expression} %}}{{% endif %}}"), Engine(limits=Limits(steps=steps)))
    with pytest.raises(ContextError, match="PP421"):
        template.render(context)


@pytest.mark.parametrize("value", [0.5, None, True, [], {}])
def test_every_value_that_is_not_text_or_a_whole_number_counts_when_it_is_printed(value: Any) -> None:
    text = "{% for a in range(1000) %}" + "{{ X }}" * 30 + "{% endfor %}"
    with pytest.raises(ContextError, match="PP421"):
        compile(Source.of_text(text), Engine(limits=Limits(steps=30_000))).render({"X": value})
