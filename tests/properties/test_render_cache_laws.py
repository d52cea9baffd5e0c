"""Cached texts never show: each render equals the first render of a new pack."""

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from promptpack.pack.model import Input, MessageTemplate, Pack
from promptpack.pack.version import Version
from promptpack.problem import ContextError, Location
from promptpack.template.compiling import compile  # noqa: A004 -- the folder's verb
from promptpack.template.engine import Engine
from promptpack.template.limits import Limits
from promptpack.template.meter import meter, metered
from promptpack.template.model import Source
from tests.properties.template_grammar import PARTIALS, contexts, templates

SOURCES = {name: Source.of_text(text, name) for name, text in PARTIALS.items()}

# Two engines, since one that has rendered other values might remember them.
ENGINE, OTHER_ENGINE = Engine(SOURCES, caching=True), Engine(SOURCES, caching=True)

Context = dict[str, Any]


def make_messages(text: str, engine: Engine) -> tuple[MessageTemplate, ...]:
    content = compile(Source.of_text(text), engine)
    return MessageTemplate("system", content), MessageTemplate("user", content)


def make_pack(messages: tuple[MessageTemplate, ...], limits: Limits, secret: str, names: Mapping[str, Any]) -> Pack:
    """Return a pack with an empty render cache."""
    inputs = {
        name: Input(name, {}, lambda: Location("pack.yaml", 1, 1), secret=name == secret) for name in (*names, "U")
    }
    inputs["U"] = Input("U", {"default": None}, inputs["U"].locate)
    return Pack("law", Version(1, 0, 0), "pack.yaml", inputs=inputs, messages=messages, limits=limits)


def outcome(pack: Pack, context: Context) -> list[Any] | str:
    try:
        prompt = pack.render(context)
    except ContextError as error:
        return str(error)
    return [*prompt.messages, dict(prompt.context)]


def limits_near(pack: Pack, context: Context) -> st.SearchStrategy[Limits]:
    """Return limits near what a render uses, where exact counts matter."""
    full = Limits()
    with metered(full):
        outcome(pack, context)
        left = meter()
        assert left is not None
        steps, output = full.steps - left.steps, full.output - left.output
    return st.builds(
        Limits, steps=st.integers(steps // 2, steps * 2), output=st.integers(output // 2, output * 2)
    ) | st.just(full)


def change(draw: Callable[[Any], Any], context: Context, other: Context) -> None:
    """Change some values: to other values, to equal copies, or in place, which the mapping around them does not show."""
    for name in draw(st.sets(st.sampled_from(sorted(context)), max_size=3)):
        how = draw(st.sampled_from(["other", "copy", "in place", "in place"]))
        if how == "other":
            context[name], other[name] = other[name], context[name]
        elif how == "copy":
            context[name] = deepcopy(context[name])
        else:
            change_in_place(draw, context[name])


def change_in_place(draw: Callable[[Any], Any], value: Any) -> None:
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    inner = [item for item in items if isinstance(item, (dict, list))]
    if inner and draw(st.booleans()):
        change_in_place(draw, draw(st.sampled_from(inner)))
    elif isinstance(value, list):
        draw(st.sampled_from([value.reverse, lambda: value.append(1), lambda: value.append(True), value.clear]))()
    elif isinstance(value, dict) and value:
        key = next(iter(value))
        item = value.pop(key)
        # The same pairs in another order are another text, and so are equal numbers of other kinds.
        value[key] = draw(st.sampled_from([item, item == 1, 1.0, "changed"]))


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(templates(), contexts, contexts, st.sampled_from(["", "S", "D"]), st.data())
def test_what_is_kept_never_shows(
    text: str, context: Context, other: Context, secret: str, data: st.DataObject
) -> None:
    messages = make_messages(text, ENGINE)
    limits = data.draw(limits_near(make_pack(messages, Limits(), secret, context), context))
    pack = make_pack(messages, limits, secret, context)
    for _ in range(data.draw(st.integers(3, 6))):
        assert outcome(pack, context) == outcome(make_pack(messages, limits, secret, context), context)
        change(data.draw, context, other)
    # Templates are compiled only twice, because that takes most of the time: the second ones have never rendered.
    assert outcome(pack, context) == outcome(
        make_pack(make_messages(text, OTHER_ENGINE), limits, secret, context), context
    )
