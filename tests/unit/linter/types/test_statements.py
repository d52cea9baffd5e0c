"""Check templates and expressions against types: the exact problems, and templates without any."""

from typing import Any

import pytest

from promptpack.linter.analysis_meter import MAX_STEPS, AnalysisMeter, limit_analysis
from promptpack.linter.types.narrowing import TypeScope
from promptpack.linter.types.schemas import from_schema
from promptpack.linter.types.statements import StatementChecker
from promptpack.problem import Problem
from promptpack.template.engine import Engine
from promptpack.template.model import Source

TASK = {
    "type": "object",
    "required": ["taskId", "tags"],
    "additionalProperties": False,
    "properties": {
        "taskId": {"type": "string"},
        "note": {"type": "string"},
        "route": {"enum": ["new_task", "wait"]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "owner": {"type": ["object", "null"], "required": ["name"], "properties": {"name": {"type": "string"}}},
    },
}
KNOWN: dict[str, Any] = {
    name: from_schema(schema)
    for name, schema in {
        "TASK": TASK,
        "OPEN": {"type": "object", "properties": {"progress": {"type": "number"}}, "required": ["progress"]},
        "GOAL": {"type": "string"},
        "COUNT": {"type": "integer"},
        "COLOUR": {"enum": ["red", "blue"]},
        "LABEL": {"type": ["string", "null"]},
        "TASKS": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["id"],
                "additionalProperties": False,
                "properties": {"id": {"type": "string"}, "size": {"type": "integer"}},
            },
        },
        "OWNER": {"anyOf": [{"type": "string"}, {"type": "object", "required": ["name"]}]},
        "ANY": {},
    }.items()
}


def check_template(source: Source, engine: Engine, known: dict[str, Any]) -> tuple[Problem, ...]:
    checker = StatementChecker(engine)
    checker.check_template(source, TypeScope(known))
    return checker.problems


def check(template: str, **partials: str) -> list[str]:
    engine = Engine({name: Source.of_text(text, f"{name}.j2") for name, text in partials.items()})
    return [
        str(problem).replace("\n  hint:", " |")
        for problem in check_template(Source.of_text(template, "t"), engine, KNOWN)
    ]


HINT = "add it to 'required', test it with 'is defined', or give a default"


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{{ TASK.taskid }}", "t:1:9: PL201 'TASK' has no key 'taskid' | did you mean 'taskId'?"),
        ("{{ OPEN.progres }}", "t:1:9: PL201 'OPEN' declares no key 'progres' | did you mean 'progress'?"),
        ("{% for t in TASKS %}{{ t.name }}{% endfor %}", "t:1:26: PL201 't' has no key 'name' | its keys are id, size"),
        ("{% for t in TASKS %}{{ loop.indx }}{% endfor %}", "t:1:29: PL201 'loop' has no 'indx' | did you mean 'index'?"),
        ("{{ TASKS | map(attribute='ids') | join }}", "t:1:27: PL201 'item' has no key 'ids' | did you mean 'id'?"),
        ("{{ dict(a=1).b }}", "t:1:14: PL201 this value has no key 'b' | its keys are a"),
        ("{{ GOAL.id }}", "t:1:9: PL202 'GOAL' is text, which has no key 'id'"),
        ("{{ LABEL.id }}", "t:1:10: PL202 'LABEL' is text or null, which has no key 'id'"),
        ("{{ OWNER.name }}", "t:1:10: PL202 'OWNER' may be text, which has no key 'name' | test it with 'is mapping' first"),
        ("{% for c in COUNT %}{% endfor %}", "t:1:13: PL202 a loop needs a list, but 'COUNT' is a number"),
        ("{% for k, v in TASK %}{% endfor %}", "t:1:9: PL202 text cannot be unpacked into 2 names | to loop over keys and values, add '.items()'"),
        ("{{ GOAL | abs }}", "t:1:11: PL202 filter 'abs' needs a number, but 'GOAL' is text"),
        ("{{ TASK | upper }}", "t:1:11: PL202 filter 'upper' needs text or a number, but 'TASK' is a mapping"),
        ("{{ TASKS | map('abs') | list }}", "t:1:17: PL202 filter 'abs' needs a number, but this value is a mapping"),
        ("{{ TASKS | sum(attribute='id') }}", "t:1:12: PL202 filter 'sum' needs numbers, but an item is text"),
        ("{{ TASKS[:1].id }}", "t:1:14: PL202 this value is a list, which has no key 'id'"),
        ("{{ COUNT[0] }}", "t:1:9: PL202 'COUNT' is a number, which cannot be indexed"),
        ("{{ GOAL - 1 }}", "t:1:4: PL202 '-' cannot be applied to text and a number"),
        ("{{ GOAL < COUNT }}", "t:1:4: PL202 '<' cannot compare text with a number"),
        ("{{ COUNT in GOAL }}", "t:1:4: PL202 'in' with text on its right needs text, but 'COUNT' is a number"),
        (
            "{{ [] in TASK }}",
            "t:1:4: PL202 'in' with a mapping on its right needs text or a number, but this value is a list",
        ),
        ("{{ GOAL is even }}", "t:1:12: PL202 test 'even' needs a number, but 'GOAL' is text"),
        ("{{ GOAL() }}", "t:1:8: PL202 'GOAL' is text and cannot be called | remove the parentheses"),
        ("{{ GOAL.get('a') }}", "t:1:9: PL202 'GOAL' is text, which has no method 'get'"),
        ("{{ (TASKS | map(attribute='id')) == ['a'] }}", "t:1:13: PL202 this value is a lazy list, which equals nothing | add '| list' before it"),
        ("{{ TASK.note }}", f"t:1:9: PL203 'TASK' may have no key 'note' | {HINT}"),
        ("{{ TASKS | map(attribute='size') | sum }}", f"t:1:27: PL203 'item' may have no key 'size' | {HINT}"),
        ("{% if TASK.note is undefined %}{{ TASK.note }}{% endif %}", "t:1:40: PL203 'TASK' has no key 'note' here"),
        ("{% if GOAL %}{% set a = 1 %}{% endif %}{{ a }}", "t:1:43: PL203 'a' may be unset here | set it in every branch, or before them, or give it a default"),
        ("{% macro m(a) %}{{ a }}{% endmacro %}{{ m() }}", "t:1:42: PL203 macro 'm' is called without 'a' | give it a value here, or a default in the macro: 'a=...'"),
        ("{{ COLOUR == 'green' }}", "t:1:14: PL204 'COLOUR' is never 'green' | it is one of blue, red"),
        ("{{ COLOUR in ['rde', 'red'] }}", "t:1:15: PL204 'COLOUR' is never 'rde' | did you mean 'red'?"),
        ("{{ 'green' in [COLOUR] }}", "t:1:4: PL204 'green' is never in the list | it contains only blue, red"),
        ("{{ COUNT == 'three' }}", "t:1:13: PL204 'COUNT' is a number and never equals 'three'"),
        ("{% if COUNT is mapping %}x{% endif %}", "t:1:13: PL205 this branch never runs: its condition is never true"),
        ("{% if COLOUR == 'red' %}{% elif COLOUR == 'blue' %}{% else %}x{% endif %}", "t:1:50: PL205 the branches after this one never run: its condition is always true"),
        ("{% for t in TASKS if t is string %}x{% endfor %}", "t:1:24: PL205 this loop never runs: its condition is never true"),
        ("{% if TASKS | selectattr('size', 'defined') %}x{% endif %}", "t:1:15: PL205 this value is a lazy list, which counts as true even when it is empty | add '| list' before it"),
        ("{{ TASK.tags | join(sep=',') }}", "t:1:16: PL206 filter 'join' has no argument 'sep' | its arguments are d, attribute"),
        ("{{ TASKS | batch }}", "t:1:12: PL206 filter 'batch' needs the argument 'linecount' | its arguments are linecount, fill_with"),
        ("{{ GOAL is divisibleby }}", "t:1:12: PL206 test 'divisibleby' takes 1 argument, not 0"),
        ("{% macro m(a) %}{{ a }}{% endmacro %}{{ m(1, 2) }}", "t:1:42: PL206 macro 'm' takes 1 argument, not 2"),
    ],
)  # fmt: skip
def test_this_is_reported(template: str, expected: str) -> None:
    problems = check(template)
    assert expected in problems
    assert [problem for problem in problems if "PL202" not in problem or problem == expected] == [expected]


@pytest.mark.parametrize(
    "template",
    [
        "{{ ANY.a.b | upper }}{% for x in ANY %}{{ x.y }}{% endfor %}{{ ANY + 1 }}{{ OPEN.other.thing }}",
        "{% if TASK.note is defined %}{{ TASK.note }}{% endif %}",
        "{% if TASK.note is defined and TASK.note %}{{ TASK.note | upper }}{% endif %}",
        "{{ TASK.note if 'note' in TASK else '' }}{{ TASK['note'] | default('') | upper }}",
        "{% if TASK.note | default('') %}{{ TASK.note }}{% endif %}",
        "{% if TASK.owner is defined and TASK.owner %}{{ TASK.owner.name }}{% endif %}",
        "{% if not (TASK.note is undefined or TASK.owner is undefined) %}{{ TASK.note }}{{ TASK.owner }}{% endif %}",
        "{% if LABEL is none %}-{% else %}{{ LABEL | upper }}{% endif %}{{ LABEL and LABEL | upper }}",
        "{{ OWNER if OWNER is string else OWNER.name }}{% if OWNER is mapping %}{{ OWNER.name }}{% endif %}",
        "{% if GOAL %}{% set a = 1 %}{% else %}{% set a = 2 %}{% endif %}{{ a + 1 }}",
        "{% if GOAL %}{% set a = 1 %}{% elif COUNT %}{% set a = 3 %}{% else %}{% set a = 2 %}{% endif %}{{ a }}",
        "{% set a = 'x' %}{% for t in TASKS %}{% set a = t.id %}{{ a }}{% endfor %}{{ a }}",
        "{% with a = TASK.taskId, b = COUNT %}{{ a ~ b }}{% endwith %}",
        "{% macro m(a, b=2) %}{{ a.id }}{{ b + 1 }}{% endmacro %}{% for t in TASKS %}{{ m(t) }}{% endfor %}",
        "{% macro m() %}{{ x }}{% endmacro %}{% set x = 1 %}{{ m() }}",
        "{% macro m() %}{{ caller() }}{% endmacro %}{% call m() %}{{ GOAL }}{% endcall %}",
        "{% for key, value in TASK.items() %}{{ key }}{{ value }}{{ TASK[key] }}{% endfor %}",
        "{% for colour, tasks in TASKS | groupby('id') %}{{ tasks[0].id }}{% endfor %}",
        "{% set ns = namespace(n=0) %}{% for t in TASKS %}{% set ns.n = ns.n + 1 %}{% endfor %}{{ ns.n }}",
        "{{ TASKS | selectattr('size', 'defined') | map(attribute='size') | sum }}",
        "{{ TASKS | map(attribute='id') | map('upper') | join(', ') }}{{ TASKS | map(attribute='id') | list | length }}",
        "{% for t in TASKS if t.size is defined %}{{ t.size + 1 }}{% else %}none{% endfor %}",
        "{% filter upper %}{{ GOAL }}{% endfilter %}{% set a %}{{ GOAL }}{% endset %}{{ a | trim }}",
        "{{ COLOUR in ['red', 'blue'] }}{{ COUNT == 3 }}{{ LABEL == none }}{{ GOAL.split(',')[0] | upper }}",
        "{{ TASKS[0].id }}{{ TASKS | first | json }}{{ (TASKS | last).id }}{{ range(COUNT) | list }}",
    ],
)
def test_this_is_accepted(template: str) -> None:
    assert check(template) == []


def test_a_problem_in_a_partial_is_reported_in_its_own_file() -> None:
    assert check("{% include 'p' %}", p="\n{{ TASK.taskid }}") == [
        "p.j2:2:9: PL201 'TASK' has no key 'taskid' | did you mean 'taskId'?"
    ]


def test_a_partial_sees_the_scope_around_its_include() -> None:
    assert check("{% for t in TASKS %}{% include 'p' %}{% endfor %}", p="{{ t.id }}{{ loop.index }}") == []
    assert check("{% for t in TASKS %}{% include 'p' %}{% endfor %}", p="{{ t.name }}") != []


def test_a_branch_of_a_partial_is_never_reported_as_dead() -> None:
    assert check("{% include 'p' %}", p="{% if COUNT is string %}x{% endif %}") == []


def test_blocks_fill_the_layout_that_is_extended() -> None:
    layout = "{% block body %}{{ GOAL.id }}{% endblock %}{{ a }}"
    assert check("{% extends 'p' %}{% set a = 1 %}{% block body %}{{ GOAL }}{% endblock %}", p=layout) == []
    assert check("{% extends 'p' %}{% set a = 1 %}{{ GOAL.id }}", p=layout) == [
        "p.j2:1:25: PL202 'GOAL' is text, which has no key 'id'"
    ]


def test_macros_of_imported_partials_are_followed() -> None:
    shared = "{% macro line(task) %}{{ task.id }}{% endmacro %}"
    assert check("{% from 'p' import line %}{{ line(GOAL) }}", p=shared) == [
        "p.j2:1:31: PL202 'task' is text, which has no key 'id'"
    ]
    assert check("{% import 'p' as lib %}{% for t in TASKS %}{{ lib.line(t) }}{% endfor %}", p=shared) == []
    assert check("{% from 'p' import lin %}", p=shared) == [
        "t:1:20: PL201 the partial does not define 'lin' | did you mean 'line'?"
    ]


def test_a_macro_that_nothing_calls_is_checked_too() -> None:
    assert check("{% macro m(a) %}{{ a.b }}{{ GOAL.id }}{% endmacro %}") == [
        "t:1:34: PL202 'GOAL' is text, which has no key 'id'"
    ]


def handlebars(template: str) -> list[str]:
    source = Source.of_text(template, "t", "handlebars")
    return [str(problem) for problem in check_template(source, Engine(), KNOWN)]


def test_handlebars_is_checked_like_jinja() -> None:
    assert handlebars("{{#each TASKS}}{{item}}{{/each}}{{#if LABEL}}{{LABEL}}{{else}}-{{/if}}{{TASK}}") == []
    assert handlebars("{{#each GOAL}}{{item}}{{/each}}") == [
        "t:1:1: PL202 '{{#each}}' needs a list, but 'GOAL' is text"
    ]


REPLY = from_schema(
    {
        "type": "object",
        "required": ["action", "params"],
        "properties": {"action": {"enum": ["PLAN", "ERROR"]}, "params": {"type": "object"}},
        "allOf": [
            {"if": {"properties": {"action": {"const": "PLAN"}}, "required": ["action"]}, "then": {"properties": {"params": {"$ref": "#/$defs/plan"}}}},
            {"if": {"properties": {"action": {"enum": ["ERROR"]}}, "required": ["action"]}, "then": {"properties": {"params": {"$ref": "#/$defs/error"}}}},
        ],
        "$defs": {
            "plan": {"type": "object", "required": ["tasks"], "properties": {"tasks": {"type": "array"}}, "additionalProperties": False},
            "error": {"type": "object", "required": ["message"], "properties": {"message": {"type": "string"}}, "additionalProperties": False},
        },
    }
)  # fmt: skip


def expression(text: str, **known: Any) -> list[str]:
    checker = StatementChecker(Engine())
    checker.check_expression(Source.of_text(text, "t"), TypeScope({**KNOWN, **known}))
    return [str(problem) for problem in checker.problems]


@pytest.mark.parametrize(
    "text",
    [
        'reply.action == "PLAN" and reply.params.tasks | length > 0',
        'reply.action != "PLAN" or reply.params.tasks',
        'reply.params.tasks if reply.action == "PLAN" else reply.params.message',
        'not (reply.action == "PLAN") and reply.params.message',
        'reply.action in ["PLAN"] and reply.params.tasks',
        '(reply.action == "PLAN" or reply.action == "ERROR") and reply.params',
    ],
)
def test_the_action_decides_which_params_exist(text: str) -> None:
    assert expression(text, reply=REPLY) == []


def test_params_of_another_action_are_reported() -> None:
    assert expression("reply.params.tasks", reply=REPLY) == [
        "t:1:14: PL203 'reply.params' may have no key 'tasks'\n  hint: its keys are message"
    ]
    assert expression('reply.action == "ERROR" and reply.params.tasks', reply=REPLY) == [
        "t:1:42: PL201 'reply.params' has no key 'tasks'\n  hint: its keys are message"
    ]


def test_a_condition_narrows_the_types_after_it() -> None:
    checker, known = StatementChecker(Engine()), TypeScope(KNOWN)
    red = checker.check_expression(Source.of_text("COLOUR == 'red'"), known).true
    assert red is not None
    assert checker.problems == ()
    checker.check_template(Source.of_text("{{ COLOUR == 'blue' }}"), red)
    assert checker.problems != ()
    assert checker.check_expression(Source.of_text("COUNT is string"), known).true is None
    assert checker.check_expression(Source.of_text("COUNT is number"), known).false is None


def test_a_partial_that_is_included_often_is_checked_once() -> None:
    fan_out = {f"p{level}": f"{{% include 'p{level + 1}' %}}" * 8 for level in range(12)}
    found = check("{% include 'p0' %}{{ GOAL.id }}", **fan_out, p12="{{ GOAL.id }}")
    assert [line.partition(" ")[0] for line in found] == ["p12.j2:1:9:", "t:1:27:"]


def count(template: str, **partials: str) -> AnalysisMeter:
    with limit_analysis() as counter:
        check(template, **partials)
    return counter


def steps(template: str, **partials: str) -> int:
    return MAX_STEPS - count(template, **partials).remaining


def test_names_that_a_partial_does_not_use_do_not_make_it_checked_again() -> None:
    few, many = ("".join(f"{{% set x{n} = 1 %}}{{% include 'p' %}}" for n in range(width)) for width in (10, 20))
    partial = "{{ GOAL | upper }}" * 100
    assert steps(many, p=partial) - steps(few, p=partial) < 10 * 10
    assert steps(many, p=partial + "{{ x1 }}") - steps(many, p=partial) > 100


def test_all_templates_share_the_partials_that_were_checked() -> None:
    engine = Engine({"p": Source.of_text("{{ GOAL | upper }}" * 100)})
    checker, known = StatementChecker(engine), TypeScope(KNOWN)
    with limit_analysis() as counter:
        for number in range(20):
            checker.check_template(Source.of_text(f"{number}{{% include 'p' %}}"), known)
    assert MAX_STEPS - counter.remaining < 20 * 100


@pytest.mark.parametrize("value", ["{'a': NAME, 'b': NAME}", "[NAME, {'a': NAME}]", "(NAME, NAME)"])
def test_equal_values_are_compared_in_one_step(value: str) -> None:
    """Two values of the same shape, whose parts repeat at each level."""
    growth = "".join(f"{{% set {name} = {value.replace('NAME', name)} %}}" for name in ("x", "y"))
    assert steps("{% set x = 1 %}{% set y = 1 %}" + growth * 30 + "{{ [x, y] }}") < 1_000


def test_many_branches_take_few_steps() -> None:
    branches = "".join(f"{{% elif GOAL == 'word{number}' %}}{number}" for number in range(1_200))
    assert steps(f"{{% if GOAL == 'x' %}}x{branches}{{% endif %}}") < 20_000


def test_a_macro_is_checked_once_with_the_same_types() -> None:
    doubling = "".join(f"{{% macro m{n}(x) %}}{{{{ m{n + 1}(x) ~ m{n + 1}(x) }}}}{{% endmacro %}}" for n in range(40))
    assert steps(doubling + "{{ m0(GOAL) }}") < 2_000


def test_an_endless_template_stops_at_the_limit_of_steps() -> None:
    """Each partial includes the next one twice, with other types."""
    doubling = {
        f"p{level}": f"{{% set x = [x] %}}{{% include 'p{level + 1}' %}}{{% set x = (x,) %}}{{% include 'p{level + 1}' %}}"
        for level in range(20)
    }
    counter = count("{% set x = 1 %}{% include 'p0' %}", **doubling, p20="{{ x }}")
    assert counter.is_exceeded


def test_a_missing_value_is_only_a_warning_for_a_filter_that_accepts_it() -> None:
    problems = check_template(Source.of_text("{{ ('red').id | items }}", "t"), Engine(), {})
    assert [(problem.code, problem.severity) for problem in problems] == [("PL202", "warning")]


@pytest.mark.parametrize(
    ("template", "severity"),
    [
        ("{{ ('red').id in WORDS }}", "warning"),
        ("{{ ('red').id not in [] }}", "warning"),
        ("{{ ('red').id is in(WORDS) }}", "warning"),
        ("{{ ('red').id in ['red'] }}", "error"),
        ("{{ ('red').id is in(['red']) }}", "error"),
        ("{{ ('red').id in {} }}", "error"),
    ],
)
def test_a_missing_value_is_only_a_warning_if_it_may_be_sought_in_an_empty_list(template: str, severity: str) -> None:
    known = {"WORDS": from_schema({"type": "array", "items": {"type": "string"}})}
    problems = check_template(Source.of_text(template, "t"), Engine(), known)
    assert [(problem.code, problem.severity) for problem in problems] == [("PL202", severity)]
