import pytest
from jinja2 import nodes

from promptpack import PackError
from promptpack.template import Engine, Source, compile  # noqa: A004
from promptpack.template.partials import PackTemplate
from promptpack.template.tree import descendants, is_certain

ENGINE = Engine()


@pytest.mark.parametrize(
    ("text", "certain"),
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
def test_only_what_neither_jinja_nor_python_refuses_is_certain(text: str, certain: bool) -> None:
    assert is_certain(ENGINE.read(Source.of_text(text))) is certain


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{% for x in a %}{% set loop = 1 %}{% endfor %}", "PP302 template syntax: can't assign to special loop"),
        ("{% for x in a %}" * 30 + "{% endfor %}" * 30, "PP309 template nests too deeply"),
        ("{% block b %}{% endblock %}{% block b %}{% endblock %}", "PP302 template syntax: block 'b' defined twice"),
    ],
)
def test_what_cannot_be_compiled_is_told_before_it_is_rendered(text: str, told: str) -> None:
    with pytest.raises(PackError, match=told):
        compile(Source.of_text(text), ENGINE)


def test_code_is_made_once_and_when_it_is_first_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine()
    made: list[str] = []
    load = engine.load

    def noted(tree: nodes.Template, source: Source) -> PackTemplate:
        made.append(source.text)
        return load(tree, source)

    monkeypatch.setattr(engine, "load", noted)
    template = compile(Source.of_text("{{ a }}"), engine)
    assert made == []
    assert [template.render({"a": 1}), template.render({"a": 2}), template.code is template.code] == ["1", "2", True]
    assert made == ["{{ a }}"]


def test_everything_below_a_node_comes_in_the_order_in_which_jinja_finds_it() -> None:
    tree = ENGINE.read(Source.of_text("a{% if b.c(d, e=f) %}{{ [1, {'g': h}] }}{% else %}{{ i[1:2] }}{% endif %}z"))
    assert descendants(tree) == list(tree.find_all(nodes.Node))
