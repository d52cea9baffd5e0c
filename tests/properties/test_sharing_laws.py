"""What packs share is the same as if each were alone: partials in layers, and the messages that many packs inherit."""

from collections import ChainMap
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from promptpack import Library, Pack, PackError, lint
from promptpack.template.compiling import compile as compile_template
from promptpack.template.engine import Engine
from promptpack.template.model import Source

PARTIALS = ["p0", "p1", "p2", "p3"]
CONTEXT = {"A": "1", "B": "<2>", "C": ["x", "y"]}


def _weighted(choices: dict[st.SearchStrategy[str], int]) -> st.SearchStrategy[str]:
    """Draw from strategies, from each as often as its weight says."""
    several = [choice for choice, weight in choices.items() for _ in range(weight)]
    return st.integers(0, len(several) - 1).flatmap(several.__getitem__)


VALUES = {"string": "<1>", "array": ["x", "y"]}
INCLUDES = st.sampled_from(PARTIALS).map(lambda name: f"{{% include '{name}' %}}")
PIECES = st.one_of(
    st.sampled_from([
        "{{ A }}", "{{ B | upper }}", "{% set A = 'set' %}", "{% set D = 1 %}{{ D }}", "{% for A in C %}{{ A }}{% endfor %}",
        "{% macro m() %}{{ B }}{% endmacro %}{{ m() }}", "{% if A %}{% set E = 1 %}{% endif %}", "text",
    ]),
    INCLUDES,
    st.sampled_from(PARTIALS).map(lambda name: f"{{% import '{name}' as m with context %}}"),
)  # fmt: skip
FAULTS = st.sampled_from(["{{ A", "{{ A | uper }}", "{{ A.__class__ }}", "{% include 'missing' %}"])
TEXTS = st.lists(PIECES, max_size=3).map("".join)
RARELY_WRONG = _weighted({TEXTS: 20, FAULTS: 1})
LAYERS = st.lists(
    st.dictionaries(st.sampled_from(PARTIALS), _weighted({TEXTS: 6, FAULTS: 1}), max_size=4), min_size=2, max_size=4
)


@settings(max_examples=400)
@given(LAYERS)
def test_partials_in_layers_are_the_same_as_in_one(texts: list[dict[str, str]]) -> None:
    layers = [
        {name: Source.of_text(text, f"{index}/{name}") for name, text in layer.items()}
        for index, layer in enumerate(texts)
    ]
    engine = Engine(layers[0], caching=True)
    for layer in layers[1:]:
        _ = engine.analysed.problems
        engine = Engine(layer, base=engine, caching=True)
    alone = Engine(dict(ChainMap(*reversed(layers))), caching=True)
    assert sorted(map(str, engine.analysed.problems)) == sorted(map(str, alone.analysed.problems))
    assert engine.analysed.is_complete == alone.analysed.is_complete
    if not alone.analysed.problems:
        for name in alone.partials:
            assert _facts(name, engine) == _facts(name, alone)


def _facts(name: str, engine: Engine) -> tuple[object, ...]:
    tree = engine.partial_trees[name]
    found = engine.dependencies.find(tree)
    template = compile_template(Source.of_text(f"{{% include '{name}' %}}{{% include ['{name}'] %}}"), engine)
    try:
        text = template.render(CONTEXT)
    except Exception as error:  # noqa: BLE001 -- it is compared
        text = str(error)
    return found.names, found.partials, found.exports, engine.analysed.memoizer.is_pure(tree), text


NAMES = st.sampled_from(["A", "B", "C"])
SCHEMAS = st.sampled_from([{"type": "string"}, {"type": "array"}, {"type": "string", "trust": "untrusted"}])
MESSAGES = st.fixed_dictionaries(
    {
        "id": st.sampled_from(["m0", "m1", "m2"]),
        "role": st.sampled_from(["system", "user"]),
        "content": _weighted({INCLUDES: 3, RARELY_WRONG: 1}).map("say {}".format),
    },
    optional={"when": st.sampled_from(["A", "B == 'x'", "C | length"])},
)
RULES = st.lists(
    st.fixed_dictionaries(
        {
            "name": st.sampled_from(["r0", "r1"]),
            "require": st.sampled_from(["A", "reply.action == 'DO'", "B | upper", "C == 'x'", "reply.actio == 'DO'"]),
            "message": _weighted({INCLUDES: 1, RARELY_WRONG: 1}).map("do {}".format),
        },
        optional={
            "when": st.sampled_from(["A", "B == 'x'"]),
            "path": st.sampled_from(["/action", "/parms", "/params/first"]),
        },
    ),
    max_size=2,
    unique_by=lambda rule: rule["name"],
)
ACTIONS = st.sampled_from(["first", "frist", "other"]).map(
    lambda name: {"DO": {"params": {"type": "object", "properties": {name: {}}, "additionalProperties": False}}}
)
# Most include no other partial, so that few families have cycles.
OWN_PARTIALS = _weighted({st.integers(0, 9).map("{{{{ A }}}}{}".format): 6, RARELY_WRONG: 1})
PACKS = st.fixed_dictionaries(
    {
        "inputs": st.dictionaries(NAMES, SCHEMAS, max_size=3),
        "partials": st.dictionaries(st.sampled_from(PARTIALS), OWN_PARTIALS, max_size=2),
        "messages": st.lists(MESSAGES, max_size=1, unique_by=lambda message: message["id"]),
    },
    optional={"reply": st.fixed_dictionaries({"rules": RULES}, optional={"actions": ACTIONS})},
)
ROOTS = st.fixed_dictionaries(
    {
        "inputs": st.just({"A": {"type": "string"}, "B": {"type": "string"}, "C": {"type": "array"}}),
        "partials": st.fixed_dictionaries(dict.fromkeys(PARTIALS, OWN_PARTIALS)),
        "messages": st.lists(MESSAGES, min_size=1, max_size=3, unique_by=lambda message: message["id"]),
        "reply": st.fixed_dictionaries({"actions": ACTIONS, "rules": RULES}),
    }
)


@st.composite
def families(draw: st.DrawFn) -> dict[str, tuple[str, dict[str, Any]]]:
    """Draw packs by name, each with its parent: a root, and packs that extend it or each other."""
    found = {"k0": ("", draw(ROOTS))}
    for number in range(1, draw(st.integers(2, 6))):
        found[f"k{number}"] = draw(st.sampled_from(sorted(found))), draw(PACKS)
    return found


@settings(max_examples=150)
@given(families(), st.dictionaries(st.sampled_from(PARTIALS[2:]), TEXTS))
def test_packs_of_a_family_are_the_same_as_alone(
    family: dict[str, tuple[str, dict[str, Any]]], shared: dict[str, str]
) -> None:
    built, linted = _read(family, shared, list(family))
    alone: set[str] = set()
    for name, own in family.items():
        chain = {name: own}
        while parent := next(iter(chain.values()))[0]:
            chain = {parent: family[parent], **chain}
        built_alone, linted_alone = _read(chain, shared, [name])
        assert built[name] == built_alone[name]
        alone |= linted_alone
    assert linted <= alone
    # Rules are silent about a line with an error, also of another pack.
    errors = {_line(one) for one in linted if " PP" in one}
    assert all(_line(one) in errors and " PL" in one for one in alone - linted)


def _line(problem: str) -> str:
    return problem.split(" ", maxsplit=1)[0].rsplit(":", 2)[0]


def _read(
    family: Mapping[str, tuple[str, dict[str, Any]]], shared: Mapping[str, str], wanted: list[str]
) -> tuple[dict[str, object], set[str]]:
    """Return what the library makes of some packs, and the problems that lint finds."""
    with TemporaryDirectory() as place:
        root = Path(place)
        (root / "_partials").mkdir()
        for name, text in shared.items():
            (root / "_partials" / f"{name}.j2").write_text(text, encoding="utf-8")
        for name, (parent, data) in family.items():
            head = {"promptpack": 1, "name": name, "version": "1.0.0", **({"extends": parent} if parent else {})}
            (root / name).mkdir()
            text = yaml.safe_dump({**head, **{key: value for key, value in data.items() if value}}, sort_keys=False)
            (root / name / "1.0.0.yaml").write_text(text, encoding="utf-8")
        library = Library.open(place, cache=False)
        built = {name: _build(library, name, place) for name in wanted}
        return built, {
            str(problem).replace(place, "")
            for problem in lint([f"{place}/{name}/1.0.0.yaml" for name in wanted], cache=False).problems
        }


def _build(library: Library, name: str, place: str) -> object:
    try:
        pack = library.get(name)
    except PackError as error:
        return sorted(str(problem).replace(place, "") for problem in error.problems)
    return pack.digest, _render(pack).replace(place, "")


def _render(pack: Pack) -> str:
    try:
        return str(
            pack.render({name: VALUES[declared.schema["type"]] for name, declared in pack.inputs.items()}).messages
        )
    except Exception as error:  # noqa: BLE001 -- it is compared
        return str(error)
