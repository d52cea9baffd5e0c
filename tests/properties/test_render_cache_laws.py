"""Cached texts never show: each render equals the first render of a new pack."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from promptpack.pack.model import Input, MessageTemplate, Pack
from promptpack.pack.version import Version
from promptpack.problem import ContextError, Location
from promptpack.template.compiling import compile  # noqa: A004 -- the folder's verb
from promptpack.template.engine import Engine
from promptpack.template.meter import meter, metered
from promptpack.template.model import Limits, Source
from tests.properties.template_grammar import PARTIALS, VALUES, contexts, templates

SOURCES = {name: Source.of_text(text, name) for name, text in PARTIALS.items()}

# Two engines, since one that has rendered other values might remember them.
ENGINE, OTHER_ENGINE = Engine(SOURCES, caching=True), Engine(SOURCES, caching=True)

Context = dict[str, Any]
Messages = tuple[MessageTemplate, ...]


def make_messages(text: str, engine: Engine) -> Messages:
    content = compile(Source.of_text(text), engine)
    return MessageTemplate("system", content), MessageTemplate("user", content)


def make_inputs(secret: str = "") -> dict[str, Input]:
    inputs = {
        name: Input(name, {}, lambda: Location("pack.yaml", 1, 1), secret=name == secret) for name in (*VALUES, "U")
    }
    return {**inputs, "U": Input("U", {"default": None}, inputs["U"].locate)}


CONTEXT_SCHEMA = Pack("law", Version(1, 0, 0), "pack.yaml", inputs=make_inputs())._context_schema


def make_pack(messages: Messages, limits: Limits, secret: str) -> Pack:
    """Return a pack with an empty render cache."""
    pack = Pack("law", Version(1, 0, 0), "pack.yaml", inputs=make_inputs(secret), messages=messages, limits=limits)
    # All packs share the compiled schema of their inputs: to compile it takes longer than to render.
    vars(pack)["_context_schema"] = CONTEXT_SCHEMA
    return pack


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


NAMES = st.sets(st.sampled_from(sorted(VALUES)), max_size=3)
WAYS = st.sampled_from(["other", "copy", "in place", "in place"])
LIST_CHANGES: st.SearchStrategy[Callable[[list[Any]], None]] = st.sampled_from(
    [list.reverse, lambda value: value.append(1), lambda value: value.append(True), list.clear]
)


def change(draw: Callable[[Any], Any], context: Context, other: Context) -> None:
    """Change some values: to other values and back, to equal copies, or in place, which their mapping does not show."""
    for name in draw(NAMES):
        how = draw(WAYS)
        if how == "other":
            value = other[name] if name in other else draw(VALUES[name])
            context[name], other[name] = value, context[name]
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
        draw(LIST_CHANGES)(value)
    elif isinstance(value, dict) and value:
        key = next(iter(value))
        item = value.pop(key)
        # The same pairs in another order are another text, and so are equal numbers of other kinds.
        value[key] = draw(st.sampled_from([item, item == 1, 1.0, "changed"]))


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(templates(), contexts, st.sampled_from(["", "S", "D"]), st.data())
def test_cached_texts_never_show(text: str, context: Context, secret: str, data: st.DataObject) -> None:
    messages = make_messages(text, ENGINE)
    limits = data.draw(limits_near(make_pack(messages, Limits(), secret), context))
    pack, other = make_pack(messages, limits, secret), Context()
    for _ in range(data.draw(st.integers(3, 6))):
        assert outcome(pack, context) == outcome(make_pack(messages, limits, secret), context)
        change(data.draw, context, other)
    # Templates are compiled only twice, because that takes most of the time: the second ones have never rendered.
    unused = make_messages(text, OTHER_ENGINE)
    assert outcome(pack, context) == outcome(make_pack(unused, limits, secret), context)
