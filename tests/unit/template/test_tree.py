import pytest
from jinja2 import nodes

from promptpack import PackError
from promptpack.template.compiling import compile  # noqa: A004 -- the folder's verb
from promptpack.template.engine import Engine
from promptpack.template.model import Source
from promptpack.template.runtime import PackTemplate
from promptpack.template.tree import descendants, is_always_compilable, levels

ENGINE = Engine()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{ a.b | join(', ') }}{% for x in a %}{{ loop.index }}{{ x }}{% endfor %}", True),
        ("{% set a = 1 %}{% if a > 1 and not b %}{{ dict(c=1, d=2) }}{% endif %}", True),
        ("{% for x in a %}{% set loop = 1 %}{% endfor %}", False),
        ("{{ a | join(d=1, d=2) }}", False),
        ("{% macro m() %}{% endmacro %}", False),
        ("{% block b %}{% endblock %}", False),
        ("{% if a %}" * 17 + "{% endif %}" * 17, False),
    ],
)
def test_a_tree_is_always_compilable_if_neither_jinja_nor_python_can_refuse_it(text: str, expected: bool) -> None:
    assert is_always_compilable(levels(ENGINE.parse(Source.of_text(text)))) is expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{% for x in a %}{% set loop = 1 %}{% endfor %}", "PP302 template syntax: can't assign to special loop"),
        (
            "{% for x in a %}" * 30 + "{% endfor %}" * 30,
            "PP309 template is nested too deeply\n  hint: move the inner part into a partial",
        ),
        ("{% block b %}{% endblock %}{% block b %}{% endblock %}", "PP302 template syntax: block 'b' defined twice"),
    ],
)
def test_a_template_that_cannot_be_compiled_is_refused_before_rendering(text: str, message: str) -> None:
    with pytest.raises(PackError, match=message):
        compile(Source.of_text(text), ENGINE)


def test_code_is_compiled_once_on_first_use(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine()
    compiled: list[str] = []
    load = engine.load

    def record(tree: nodes.Template, source: Source) -> PackTemplate:
        compiled.append(source.text)
        return load(tree, source)

    monkeypatch.setattr(engine, "load", record)
    template = compile(Source.of_text("{{ a }}"), engine)
    assert compiled == []
    assert [template.render({"a": 1}), template.render({"a": 2}), template.code is template.code] == ["1", "2", True]
    assert compiled == ["{{ a }}"]


def test_descendants_are_all_nodes_level_by_level() -> None:
    tree = ENGINE.parse(Source.of_text("a{% if b.c(d, e=f) %}{{ [1, {'g': h}] }}{% else %}{{ i[1:2] }}{% endif %}z"))
    found = descendants(tree)
    assert found[: 1 + len(tree.body)] == [tree, *tree.body]
    assert sorted(map(id, found)) == sorted(map(id, [tree, *tree.find_all(nodes.Node)]))
