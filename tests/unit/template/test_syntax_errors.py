"""The exact messages of template syntax errors: in the author's words, at the tag where the mistake began."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptpack.problem import PackError
from promptpack.template.engine import Engine
from promptpack.template.model import Source

ENGINE = Engine()


def problem_of(text: str, *, is_expression: bool = False) -> str:
    engine = ENGINE
    parse = engine.parse_expression if is_expression else engine.parse
    with pytest.raises(PackError) as caught:
        parse(Source.of_text(text, "t"))
    return str(caught.value).replace("\n  hint:", " |")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('a {{ X } b', "t:1:8: PP302 '}' instead of '}}' | close '{{' with '}}'"),
        ('a {{ X\nb {% if Y %}c{% endif %}', "t:1:3: PP302 '{{' is not closed | close it with '}}'"),
        ('a {{ X', "t:1:3: PP302 '{{' is not closed | close it with '}}'"),
        ('{% if X %}\na\n', "t:1:1: PP302 '{% if %}' is not closed | close it with '{% endif %}'"),
        ('{% if X %}{% for y in Z %}\na{% endif %}', "t:1:11: PP302 '{% for %}' is not closed | close it with '{% endfor %}' before 'endif'"),
        ('{% for y in Z %}a{% endif %}{% endfor %}', "t:1:21: PP307 'endif' closes 'if', but the open tag is 'for' in line 1 | write 'endfor'"),
        ('{% if X = 1 %}a{% endif %}', "t:1:9: PP302 '=' does not compare | write '=='"),
        ('{% set x == [1] %}', "t:1:10: PP302 '==' does not assign | write '='"),
        ('{% for x in y }\n{{ x }}{% endfor %}', "t:1:15: PP302 '}' instead of '%}' | close '{%' with '%}'"),
        ('{% if {{ X }} %}a{% endif %}', "t:1:7: PP302 '{{' is not needed inside '{%' | write it without braces: X"),
        ('{% if a and %}x{% endif %}', "t:1:13: PP302 template syntax: an expression is missing after 'and', before '%}' | check the quotes, commas and brackets before this place"),
        ('{{ $X }}', "t:1:4: PP302 '$' is not part of a name | write 'NAME'"),
        ('{{#each X}}a{{/each}}', "t:1:1: PP302 '{{#each' is Handlebars, not Jinja | write '{% for ITEM in ... %}', or add 'syntax: handlebars' to the pack"),
        ('{% if X && Y %}a{% endif %}', "t:1:9: PP302 '&&' is not an operator | write 'and'"),
        ('{% if X || Y %}a{% endif %}', "t:1:9: PP302 '||' is not an operator | write 'or'"),
        ('{% if X %}a{% elseif Y %}b{% endif %}', "t:1:15: PP307 unknown tag 'elseif' | write 'elif'"),
        ('{% if X %}a{% else if Y %}b{% endif %}', "t:1:15: PP307 'else if' is not a tag | write 'elif'"),
        ('{{#if X}}a{{/if}}', "t:1:1: PP302 '{{#if' is Handlebars, not Jinja | write '{% if ... %}', or add 'syntax: handlebars' to the pack"),
        ('{{ X }}{{/if}}', "t:1:8: PP302 '{{/if' is Handlebars, not Jinja | write '{% if ... %}', or add 'syntax: handlebars' to the pack"),
        ('{% raw %}abc', "t:1:1: PP302 '{% raw %}' is not closed | close it with '{% endraw %}'"),
        ('{# comment', "t:1:1: PP302 '{#' is not closed | close it with '#}'"),
        ('{% if X }}a{% endif %}', "t:1:9: PP302 '}}' does not close '{%' | write '%}'"),
        ('{{ X %}', "t:1:6: PP302 '%}' does not close '{{' | write '}}'"),
        ("{{ X | join(', ) }}", "t:1:13: PP302 a quote is not closed | close it before '}}'"),
        ('{{ (X + 1 }}', "t:1:4: PP302 '(' is not closed | close it with ')'"),
        ('{{ X + ) }}', "t:1:8: PP302 ')' closes nothing | remove it, or open it with '('"),
        ('{% fi X %}a{% endif %}', "t:1:4: PP307 unknown tag 'fi' | did you mean 'if'?"),
        ('{% if X %}a{% end %}', "t:1:15: PP307 unknown tag 'end' | close 'if' with 'endif'"),
        ('{% if X %}a{% end if %}', "t:1:15: PP307 unknown tag 'end if' | close 'if' with 'endif'"),
        ('{% endif %}', "t:1:4: PP307 'endif' closes 'if', but no block is open | remove it, or open 'if' before it"),
        ('{% else %}', "t:1:4: PP307 'else' outside a block | open an 'if' before it"),
        ('{{ X Y }}', "t:1:6: PP302 template syntax: unexpected 'Y' | an operator, a filter's '|' or a quote is missing before it"),
        ('{% set x %}', "t:1:1: PP302 '{% set %}' is not closed | close it with '{% endset %}'"),
        ('{% set x = %}', "t:1:12: PP302 template syntax: an expression is missing after '=', before '%}' | check the quotes, commas and brackets before this place"),
        ('{{ X ? 1 : 2 }}', "t:1:6: PP302 '?' is not an operator | write 'A if B else C'"),
        ('{{ !X }}', "t:1:4: PP302 '!' is not an operator | write 'not'"),
        ('{% if !X %}a{% endif %}', "t:1:7: PP302 '!' is not an operator | write 'not'"),
        ('{% if X === 1 %}a{% endif %}', "t:1:9: PP302 '===' is not an operator | write '=='"),
        ('{{ “X” }}', 't:1:4: PP302 \'“\' is not a quote of templates | write " or \''),
        ('{% for x of Z %}a{% endfor %}', "t:1:10: PP302 template syntax: 'in' is missing after 'x', before 'of' | check the quotes, commas and brackets before this place"),
        ('{% for x in %}a{% endfor %}', "t:1:13: PP302 template syntax: an expression is missing after 'in', before '%}' | check the quotes, commas and brackets before this place"),
        ("{{ {'a': {'b': 1}}.a }}{{ Y", "t:1:24: PP302 '{{' is not closed | close it with '}}'"),
        ('{{ X. }}', "t:1:7: PP302 template syntax: a name is missing after '.' | check the quotes, commas and brackets before this place"),
        ('{{ X[ }}', "t:1:5: PP302 '[' is not closed | close it with ']'"),
        ('{% set x Y.z %}', "t:1:9: PP302 '=' is missing after 'x' | write '{% set x = Y.z %}'"),
        ('{{ include "tone" }}', "t:1:1: PP302 'include' is a tag, not a value | write '{% include \"tone\" %}'"),
        ('{% if X not Y %}a{% endif %}', "t:1:9: PP302 'not' cannot follow a value | write 'not in' or '!='"),
        ('{% if X %}a{% otherwise %}b{% endif %}', "t:1:15: PP307 unknown tag 'otherwise' | write 'else'"),
        ('{{ }}', "t:1:4: PP302 template syntax: an expression is missing before '}}' | check the quotes, commas and brackets before this place"),
        ('{% %}', "t:1:4: PP302 template syntax: the tag has no name | write for example '{% if X %}'"),
        ('{% if %}a{% endif %}', "t:1:7: PP302 template syntax: an expression is missing after 'if', before '%}' | check the quotes, commas and brackets before this place"),
        ('{% macro m(a %}x{% endmacro %}', "t:1:11: PP302 '(' is not closed | close it with ')'"),
        ('{{ m(a=1 }}', "t:1:5: PP302 '(' is not closed | close it with ')'"),
        ("{% if X == 'a' and Y = 2 %}a{% endif %}", "t:1:22: PP302 '=' does not compare | write '=='"),
        ("{{ X | default('a' }}", "t:1:15: PP302 '(' is not closed | close it with ')'"),
        ("{{ 'a", "t:1:4: PP302 a quote is not closed | close it before '}}'"),
        ('{% endfor X %}', "t:1:4: PP307 'endfor' closes 'for', but no block is open | remove it, or open 'for' before it"),
        ('{% if X %}{{ Y }', "t:1:16: PP302 '}' instead of '}}' | close '{{' with '}}'"),
        ('{% if X %}a{% endfi %}', "t:1:15: PP307 unknown tag 'endfi' | close 'if' with 'endif'"),
        ('{% unless X %}a{% endunless %}', "t:1:4: PP307 unknown tag 'unless' | write '{% if not ... %}'"),
        ('{% foreach x in y %}a{% endforeach %}', "t:1:4: PP307 unknown tag 'foreach' | write '{% for ITEM in LIST %}'"),
        ('{{ X | }}', "t:1:8: PP302 template syntax: the name of a filter is missing after '|', before '}}' | check the quotes, commas and brackets before this place"),
        ("{{ X || 'a' }}", "t:1:6: PP302 '||' is not an operator | write 'or'"),
        ('{% if not X %}a{% else %}b{% else %}c{% endif %}', "t:1:30: PP307 'else' follows an 'else' of the same block | remove one of them"),
        ('{% if X is not %}a{% endif %}', "t:1:16: PP302 template syntax: a name is missing after 'not', before '%}' | check the quotes, commas and brackets before this place"),
        ('{% call m() %}x', "t:1:1: PP302 '{% call %}' is not closed | close it with '{% endcall %}'"),
        ('{{ 1 +* 2 }}', "t:1:7: PP302 template syntax: unexpected '*' | check the quotes, commas and brackets before this place"),
        ('{%- if X -%}a', "t:1:1: PP302 '{% if %}' is not closed | close it with '{% endif %}'"),
        ('{% set a = 1 %}{% set b = a == 1 && 2 %}', "t:1:34: PP302 '&&' is not an operator | write 'and'"),
        ('{{ X|default(=1) }}', "t:1:14: PP302 template syntax: unexpected '=' | check the quotes, commas and brackets before this place"),
        ('{% filter upper %}a', "t:1:1: PP302 '{% filter %}' is not closed | close it with '{% endfilter %}'"),
        ('${X}{{ }', "t:1:8: PP302 '}' instead of '}}' | close '{{' with '}}'"),
    ],
)  # fmt: skip
def test_a_broken_template_has_this_problem(text: str, expected: str) -> None:
    assert problem_of(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{{ X }}', 't:1:1: PP302 this is already an expression | write it without braces: X'),
        ('X = 1', "t:1:3: PP302 '=' does not compare | write '=='"),
        ('X && Y', "t:1:3: PP302 '&&' is not an operator | write 'and'"),
        ('(X', "t:1:1: PP302 '(' is not closed | close it with ')'"),
        ('X ==', 't:1:3: PP302 template syntax: the expression is not complete | write the value after the last operator'),
        ("X == 'a", "t:1:6: PP302 a quote is not closed | close it with '"),
        ('X Y', "t:1:3: PP302 template syntax: unexpected text after the expression | an operator, a filter's '|' or a quote is missing before it"),
        ('X == “a”', 't:1:6: PP302 \'“\' is not a quote of templates | write " or \''),
        ('not', 't:1:1: PP302 template syntax: the expression is not complete | write the value after the last operator'),
        ('!X', "t:1:1: PP302 '!' is not an operator | write 'not'"),
        ('X | length > ', 't:1:12: PP302 template syntax: the expression is not complete | write the value after the last operator'),
        ('if X', "t:1:1: PP302 'if' is not needed here | write it without 'if': X"),
        ('X === 1', "t:1:3: PP302 '===' is not an operator | write '=='"),
    ],
)  # fmt: skip
def test_a_broken_expression_has_this_problem(text: str, expected: str) -> None:
    assert problem_of(text, is_expression=True) == expected


PIECES = ("{{ ", " }}", "{% if X %}", "{% endif %}", "{% else %}", "{%", "%}", "'", '"', "}", "{", "(", ")", "&&", " = ",
          "{% raw %}", "{% endraw %}", "{#", "#}", "X", "\n", "{% for a in X %}", "{% endfor %}", "|", "é")  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{% set x += 1 %}', "t:1:10: PP302 '+=' does not assign | write '{% set x = x + 1 %}'"),
        ("{% set x['y'] = 1 %}", "t:1:9: PP302 templates cannot change a value | write '{% set x = dict(x, KEY=VALUE) %}'"),
        ('{{ [a for a in X] }}', "t:1:7: PP302 templates have no comprehensions | write '{% for ... %}', or the filters 'map' and 'select'"),
        ('{{ f"a{X}" }}', "t:1:4: PP302 a text has no prefix 'f' | join texts with '~': 'a' ~ x"),
        ('{{ x := 1 }}', "t:1:6: PP302 ':=' is not an operator | write '{% set x = ... %}' before it"),
        ('{{ lambda: 1 }}', "t:1:4: PP302 templates have no 'lambda' | write a macro, or a filter such as 'map'"),
        ('{{ x => 1 }}', "t:1:6: PP302 '=>' is not an operator | compare with '>=', or write a macro"),
        ("{% if X contains 'a' %}{% endif %}", "t:1:9: PP302 'contains' is not an operator | write 'x in y', with the item first"),
        ("{% if X startswith 'a' %}{% endif %}", "t:1:9: PP302 'startswith' is not an operator | call the method of a text: 'x.startswith(y)', 'x.endswith(y)'"),
        ('{{ 0777 }}', 't:1:4: PP302 a number starts with 0 | remove the zeros, or write it as text, in quotes'),
        ('{{ x & y }}', "t:1:6: PP302 '&' is not an operator | write 'and', or join texts with '~'"),
        ('{{ x ^ y }}', "t:1:6: PP302 '^' is not an operator | write '**' for a power"),
        ('{{ x << 2 }}', "t:1:6: PP302 '<<' is not an operator | multiply by a power of 2, or divide with '//'"),
        ('{{ {1, 2} }}', "t:1:4: PP302 templates have no sets | write a list, with '[' and ']'"),
        ('{{ ~x }}', "t:1:4: PP302 '~' joins two values | write a value before it"),
        ('{{{ X }}}', "t:1:1: PP302 '{{{' is Handlebars, not Jinja | write '{{ X }}', or add 'syntax: handlebars' to the pack"),
        ('{{> rules}}', 't:1:1: PP302 \'{{>rules\' is Handlebars, not Jinja | write \'{% include "rules" %}\', or add \'syntax: handlebars\' to the pack'),
        ('{% assign x = 1 %}', "t:1:4: PP307 unknown tag 'assign' | write '{% set x = 1 %}'"),
        ("{{ 'a for b in c' ~ (X }}", "t:1:21: PP302 '(' is not closed | close it with ')'"),
    ],
)  # fmt: skip
def test_constructs_of_other_languages_have_a_hint(text: str, expected: str) -> None:
    assert problem_of(text) == expected


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join), st.booleans())
def test_every_broken_template_has_a_location_inside_it(text: str, is_expression: bool) -> None:
    engine = ENGINE
    parse = engine.parse_expression if is_expression else engine.parse
    try:
        parse(Source.of_text(text, "t"))
    except PackError as error:
        place = error.problems[0].location
        assert place is not None
        lines = text.split("\n")
        assert 1 <= place.line <= len(lines)
        assert 1 <= place.column <= len(lines[place.line - 1]) + 1
        assert "expected token" not in str(error)
        assert "{line}" not in str(error)
