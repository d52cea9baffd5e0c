"""Templates: what they print, what is refused, and which location a problem has."""

from typing import Any

import pytest

from promptpack.problem import ContextError, PackError, PromptpackError
from promptpack.template.compiling import compile, compile_expression  # noqa: A004 -- the folder's verb
from promptpack.template.engine import Engine
from promptpack.template.model import Source

ENGINE = Engine()


def render(text: str, engine: Engine | None = None, known: set[str] | None = None, **context: Any) -> str:
    return compile(Source.of_text(text, "t"), engine or ENGINE, known).render(context)


def problems(text: str, engine: Engine | None = None, known: set[str] | None = None, **context: Any) -> str:
    with pytest.raises(PromptpackError) as caught:
        render(text, engine, known, **context)
    return str(caught.value)


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        ("text", "text"),
        (5, "5"),
        (2.5, "2.5"),
        (True, "true"),
        (None, "null"),
        ([], "[]"),
        ({"b": 1, "a": "中"}, '{\n  "b": 1,\n  "a": "中"\n}'),
        (["x", None, False], '[\n  "x",\n  null,\n  false\n]'),
    ],
)
def test_values_print_as_text_or_json(value: Any, printed: str) -> None:
    assert render("{{ X }}", X=value) == printed


def test_a_block_tag_on_its_own_line_leaves_no_empty_line() -> None:
    text = "a\n  {% if X %}\nb\n  {% endif %}\n{% for i in L %}\n- {{ i }}\n{% endfor %}\nend"
    assert render(text, X=True, L=[1, 2]) == "a\nb\n- 1\n- 2\nend"


def test_the_last_newline_is_kept() -> None:
    assert render("a\n") == "a\n"


@pytest.mark.parametrize("value", ["{{ 7*7 }}", "{% raw %}", "{# x #}", "system: hi", "{{{{", "%}"])
def test_data_is_never_a_template(value: str) -> None:
    assert render("<{{ X }}>", X=value) == f"<{value}>"


def test_a_key_named_like_a_method_is_still_a_key() -> None:
    assert render("{{ X.items }} {{ X.items() | length }}", X={"items": 3, "k": 1}) == "3 2"


def test_lazy_values_of_filters_print_as_lists() -> None:
    assert render("{{ X | map('upper') | json(none) }}", X=["a", "b"]) == '["A", "B"]'


def test_macros_sets_loops_and_partials_work_together() -> None:
    engine = Engine({"item": Source.of_text("{{ loop.index }}:{{ x }}", "item.j2")})
    text = "{% macro m(a) %}<{{ a }}>{% endmacro %}{% for x in L %}{% include 'item' %}{{ m(x) }}{% endfor %}"
    assert render(text, engine, L=["p", "q"]) == "1:p<p>2:q<q>"


def test_rendering_twice_returns_the_same_text() -> None:
    template = compile(
        Source.of_text("{% set ns = namespace(n=0) %}{% for i in L %}{% set ns.n = ns.n + i %}{% endfor %}{{ ns.n }}"),
        ENGINE,
    )
    assert [template.render({"L": [1, 2]}), template.render({"L": [1, 2]})] == ["3", "3"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x\n{% fro a in b %}", "t:2:4: PP307 unknown tag 'fro'\n  hint: did you mean 'for'?"),
        ("{% if A %}{% endfor %}", "t:1:14: PP307 'endfor' closes 'for', but the open tag is 'if' in line 1\n  hint: write 'endif'"),
        ("a{% endif %}", "t:1:5: PP307 'endif' closes 'if', but no block is open\n  hint: remove it, or open 'if' before it"),
        ("{% if A %}a", "t:1:1: PP302 '{% if %}' is not closed\n  hint: close it with '{% endif %}'"),
        ("{{ A", "t:1:1: PP302 '{{' is not closed\n  hint: close it with '}}'"),
        ("{{ 1.٣ }}", "t:1:1: PP302 template syntax: invalid digit in a number\n  hint: write numbers with the digits 0 to 9"),
        ("{{ A | jsn }}", "t:1:8: PP303 unknown filter 'jsn'\n  hint: did you mean 'json'?"),
        ("{% if A is strng %}{% endif %}", "t:1:12: PP304 unknown test 'strng'\n  hint: did you mean 'string'?"),
        ("{{ A.startwith('x') }}", "t:1:6: PP308 unknown method 'startwith'\n  hint: did you mean 'startswith'?"),
        ("{{ A b }}", "t:1:6: PP302 template syntax: unexpected 'b'\n  hint: an operator, a filter's '|' or a quote is missing before it"),
        ("{% set l = A.append(1) %}", "t:1:14: PP308 unknown method 'append'\n"
         "  hint: templates cannot change a value; write '{% set l = l + [x] %}', with a 'namespace' inside a loop"),
        ("{% set d = A.update({}) %}", "t:1:14: PP308 unknown method 'update'\n"
         "  hint: templates cannot change a value; write '{% set a = dict(a, **b) %}', with a 'namespace' inside a loop"),
        ("{{ A | escape }}", "t:1:8: PP303 unknown filter 'escape'\n  hint: remove it: prompts are not escaped"),
        ("{{ A.format(1) }}", "t:1:6: PP308 'format' of a value could be controlled by its data\n"
         "  hint: write the format in quotes: '{}'.format(x)"),
        ("{% do A %}", "t:1:4: PP307 unknown tag 'do'\n  hint: write '{% set name = ... %}'"),
        ("{{ A.__class__ }}", "t:1:6: PP308 templates cannot access '__class__'\n"
         "  hint: templates can use plain data only"),
        ("{% set safe = 1 %}{% set ſafe = A %}", "t:1:26: PP325 the name 'ſafe' is not in NFKC form\n  hint: write 'safe'"),
        ("{{ __x }}", "t:1:4: PP308 the name '__x' is not allowed\n  hint: start it with a letter or a single '_'"),
        ("{% include A %}", "t:1:4: PP306 the name of a partial must not be an expression\n"
         '  hint: write a name in quotes: {% include "A" %}'),
        ("{% include 'ruls' %}", "t:1:13: PP305 unknown partial 'ruls'\n  hint: did you mean 'rules'?"),
        ("{% for a in A recursive %}{% endfor %}", "t:1:15: PP323 recursive loops are not allowed\n  hint: use a macro"),
        ("{% block a %}{{ self.a() }}{% endblock %}", "t:1:17: PP323 'self' is not allowed: a block could call itself\n  hint: use a macro"),
        ("{{ A | map('uper') | list }}", "t:1:13: PP303 unknown filter 'uper'\n  hint: did you mean 'upper'?"),
        ("{{ A | select('strng') | list }}", "t:1:16: PP304 unknown test 'strng'\n  hint: did you mean 'string'?"),
        ("{{ A | rejectattr('x', 'od') | list }}", "t:1:25: PP304 unknown test 'od'\n  hint: did you mean 'odd'?"),
        ("{% autoescape true %}{% endautoescape %}", "t:1:4: PP307 unknown tag 'autoescape'\n  hint: remove it: prompts are not escaped"),
        ("{{ '\\ud800' }}", "t:1:5: PP302 template syntax: half of a surrogate pair\n  hint: write the character itself"),
    ],
)  # fmt: skip
def test_templates_outside_the_language_are_refused_before_rendering(text: str, expected: str) -> None:
    assert problems(text, Engine({"rules": Source.of_text("", "rules.j2")})) == expected


def test_all_problems_of_a_template_are_reported_together() -> None:
    assert problems("{{ A | jsn }}{{ B | ymal }}").count("PP303") == 2


@pytest.mark.parametrize(
    ("text", "context", "expected"),
    [
        ("a\n {{ X.taskid }}", {"X": {"taskId": 1}}, "t:2:6: PP401 a mapping has no key 'taskid'\n  hint: did you mean 'taskId'?"),
        ("{{ X.y }}", {"X": "s"}, "t:1:5: PP401 text has no key 'y'\n  hint: pass it in the context, or test for it with 'is defined'"),
        ("{{ X[9] }}", {"X": [1]}, "t:1:5: PP401 a list has no item 9\n  hint: pass it in the context, or test for it with 'is defined'"),
        ("{{ X[Y] }}", {"X": {"a": 1}, "Y": "sec"}, "t:1:5: PP401 a mapping has no such key\n  hint: pass it"),
        ("{{ X[Y] }}", {"X": [1], "Y": 7}, "t:1:5: PP401 a list has no such item\n  hint: pass it"),
        ("{{ X[Y] }}", {"X": "text", "Y": "__sec"}, "t:1:5: PP402 templates cannot access a name that starts with '__'"),
        ("{{ X }}", {}, "t:1:4: PP401 'X' is undefined\n  hint: pass it in the context, or test for it with 'is defined'"),
        ("{{ X['__class__'] }}", {"X": "s"}, "t:1:5: PP402 templates cannot access '__class__'\n"
         "  hint: templates can use plain data only"),
        ("{{ X + 1 }}", {"X": "s"}, "t:1:4: PP403 text and a number cannot be added"),
        ("{{ X | round }}", {"X": "secret"}, "PP403"),
        ("{{ 1 // X }}", {"X": 0}, "t:1:4: PP404 a number is divided by zero"),
        ("{{ X > 1 }}", {"X": {}}, "PP403 a mapping and a number cannot be compared with '>'"),
        ("{{ X | length }}", {"X": 1}, "PP403 a number has no length\n  hint: add '| list' before 'length'"),
        ("{% for a in X %}{% endfor %}", {"X": 1}, "PP403 a number is not a list"),
        ("{% for a, b in X %}{% endfor %}", {"X": [[1, 2, 3]]}, "PP404 an item has more values than 2 names\n  hint: loop"),
        ("{{ X | replace('a') }}", {"X": "sec"}, "PP403 an argument is missing: 'new'\n  hint: check the number"),
        ("{{ X | center(nope=1) }}", {"X": "sec"}, "PP403 there is no argument 'nope'"),
        ("{{ X.split(1) }}", {"X": "sec"}, "PP403 text is needed, not a number\n  hint: convert it with '| string'"),
        ("{{ '{} {}'.format(X) }}", {"X": "sec"}, "PP404 the format has more places than values"),
        ("{{ X.index('a') }}", {"X": "sec"}, "PP404 the text is not in the other one"),
        ("{{ X ** X ** X }}", {"X": 99.0}, "PP404 a number is too large"),
        ("{% set X.y = 1 %}", {"X": {}}, "PP407 this is not a namespace, so its keys cannot be set"),
        ("{{ X }}", {"X": object()}, "PP402 a value of type 'object' cannot be printed"),
        ("{{ X() }}", {"X": "sec"}, "t:1:5: PP402 text cannot be called"),
    ],
)  # fmt: skip
def test_a_render_error_points_to_its_location(text: str, context: dict[str, Any], expected: str) -> None:
    message = problems(text, **context)
    assert expected in message
    assert "sec" not in message.removeprefix("PP")


@pytest.mark.parametrize(
    "text", ["{{ {}[X] | int }}", "{{ '%d' % X }}", "{{ '%(a)s' % {X: 1} }}", "{{ 'a'.index(X) }}"]
)
def test_no_chain_of_errors_carries_a_value(text: str) -> None:
    with pytest.raises(ContextError) as caught:
        compile(Source.of_text(text), ENGINE).render({"X": "s3cret"})
    assert "s3cret" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


def test_a_problem_inside_a_partial_points_into_the_partial() -> None:
    engine = Engine({"rules": Source.of_text("ok\n  {{ X.nope }}", "rules.j2")})
    message = problems("{% include 'rules' %}", engine, X={"a": 1})
    assert message.startswith("rules.j2:2:7: PP401 a mapping has no key 'nope'")


def test_a_partial_that_includes_itself_is_refused() -> None:
    engine = Engine(
        {"a": Source.of_text("{% include 'b' %}", "a.j2"), "b": Source.of_text("x{% include 'a' %}", "b.j2")}
    )
    message = problems("{% include 'a' %}", engine)
    assert "b.j2:1:5: PP310 partial 'b' includes itself, directly or through others\n  hint: remove one of" in message


@pytest.mark.parametrize(
    "text",
    [
        "{% if A %}{% set b = 1 %}{% else %}{% set b = 2 %}{% endif %}{{ b }}",
        "{% for x in A %}{{ x }}{{ loop.index }}{% endfor %}",
        "{% with b = A %}{{ b }}{% endwith %}",
        "{% macro m(q, r=A) %}{{ q }}{{ r }}{% endmacro %}{{ m(1) }}",
        "{% set b %}{{ A }}{% endset %}{{ b }}",
        "{% for x in A if x %}{{ x }}{% else %}{{ A }}{% endfor %}",
        "{% set ns = namespace(n=A) %}{% set ns.n = 1 %}{{ ns.n }}",
    ],
)
def test_names_that_a_template_sets_itself_are_not_inputs(text: str) -> None:
    template = compile(Source.of_text(text), ENGINE, {"A"})
    assert template.names == {"A"}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("{% for x in A %}{% endfor %}{{ x }}", "x"),
        ("{% with b = 1 %}{% endwith %}{{ b }}", "b"),
        ("{{ c }}{% set c = 1 %}", "c"),
        ("{% macro m(q) %}{% endmacro %}{{ q }}", "q"),
        ("{% for x in A %}{% set y = 1 %}{% endfor %}{{ y }}", "y"),
        ("{% for x in loop %}{% endfor %}", "loop"),
    ],
)
def test_names_outside_their_scope_are_undeclared(text: str, name: str) -> None:
    assert f"PP301 template uses undeclared input {name!r}" in problems(text, known={"A"})


def test_an_undeclared_input_names_the_nearest_declared_one() -> None:
    expected = "t:2:8: PP301 template uses undeclared input 'USER_GAOL'\n  hint: did you mean 'USER_GOAL'?"
    assert problems("x\n  y {{ USER_GAOL }}", known={"USER_GOAL", "HISTORY"}) == expected


def test_the_hint_for_an_undeclared_input_names_every_way_to_define_it() -> None:
    declare = "  hint: declare it under 'inputs'"
    assert problems("{{ x }}", known={"GOAL"}).endswith(f"{declare}, or set it in the template before this line")
    with pytest.raises(PackError) as caught:
        compile_expression(Source.of_text("x"), ENGINE, {"GOAL"})
    assert str(caught.value).endswith(declare)


def test_a_name_used_in_a_partial_must_be_known_where_it_is_included() -> None:
    engine = Engine({"p": Source.of_text("{{ x }}", "p.j2")})
    assert render("{% for x in A %}{% include 'p' %}{% endfor %}", engine, {"A"}, A=[1, 2]) == "12"
    assert "p.j2:1:4: PP301" in problems("{% include 'p' %}", engine, {"A"})


def test_an_expression_returns_its_value() -> None:
    expression = compile_expression(Source.of_text("A.b > 1 and 'x' in A.c"), ENGINE, {"A"})
    assert expression.evaluate({"A": {"b": 2, "c": ["x"]}}) is True
    assert expression.evaluate({"A": {"b": 1, "c": ["x"]}}) is False


def test_text_after_an_expression_is_refused() -> None:
    with pytest.raises(PackError) as caught:
        compile_expression(Source.of_text("a b", "when"), ENGINE)
    assert str(caught.value) == (
        "when:1:3: PP302 template syntax: unexpected text after the expression\n"
        "  hint: an operator, a filter's '|' or a quote is missing before it"
    )


def test_an_expression_whose_value_is_undefined_fails() -> None:
    expression = compile_expression(Source.of_text("A.nope"), ENGINE)
    with pytest.raises(ContextError):
        expression.evaluate({"A": {}})


def test_constants_are_not_computed_at_compile_time() -> None:
    assert render("{% if false %}{{ 'a' * 900000000000 }}{% endif %}ok") == "ok"


def test_a_line_that_only_includes_is_replaced_by_the_partials_lines() -> None:
    engine = Engine({"p": Source.of_text("one\ntwo", "p.j2")})
    assert render("a\n{% include 'p' %}\nb\n\n  {% include 'p' %}\n", engine) == "a\none\ntwo\nb\n\none\ntwo\n"
    assert render("{% include 'p' -%}\nb", engine) == "one\ntwob"
    assert render("{% if true %}\n{% include 'p' %}\n{% endif %}\nb", engine) == "one\ntwo\nb"


def test_misspelled_words_of_all_kinds_are_reported_together() -> None:
    text = "{{ QUESTON | fencd }} {% if GOAL is odds %}{% endif %}"
    with pytest.raises(PackError) as caught:
        compile(Source.of_text(text), ENGINE, {"QUESTION", "GOAL"})
    assert sorted(f"{problem.location}: {problem.code}" for problem in caught.value.problems) == [
        "<template>:1:14: PP303", "<template>:1:37: PP304", "<template>:1:4: PP301",
    ]  # fmt: skip
    with pytest.raises(PackError) as caught:
        compile_expression(Source.of_text("QUESTON | fencd"), ENGINE, {"QUESTION"})
    assert [problem.code for problem in caught.value.problems] == ["PP303", "PP301"]


def test_forbidden_words_are_reported_without_undeclared_inputs() -> None:
    with pytest.raises(PackError) as caught:
        compile(Source.of_text("{{ cycler.__init__ | attr('x') }}"), ENGINE, {"GOAL"})
    assert {problem.code for problem in caught.value.problems} == {"PP303", "PP308"}
