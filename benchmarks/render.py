"""A planner prompt, rendered warm with all limits on, compared with template engines, prompt libraries and plain code.

Libraries without our template settings or our `tojson` get an equivalent template: tags on the same lines as the text,
and JSON dumped by the caller.
"""

import json
import sys
from collections.abc import Callable, Iterator
from itertools import cycle, repeat
from typing import Any

from benchmarks import planner
from benchmarks.environments import scratch_folder
from benchmarks.measuring import Job, job
from benchmarks.sides import Side, Table

SIZES = (20, 200, 2_000)
DUMPED = ("SYSTEM_STATE", "TASK_CONTEXT", "RESOURCE_POOL")
BY_CALLER = "JSON dumped by the caller"


def pack_render(orjson: bool, deep: bool) -> Job:
    return _pack_render(orjson, deep, ())


def pack_render_turn(orjson: bool, deep: bool) -> Job:
    return _pack_render(orjson, deep, ("HISTORY", "GOAL"))


def pack_render_all_new(orjson: bool, deep: bool) -> Job:
    return _pack_render(orjson, deep, tuple(planner.make_context()))


def _pack_render(orjson: bool, deep: bool, new: tuple[str, ...]) -> Job:
    """Render two contexts in turn, each rebuilt as `json.loads` returns it; the `new` inputs change every time."""
    _choose_writer(orjson)
    pack, context = make_pack(deep), planner.make_context()
    changed = context | {name: planner.changed(context[name]) for name in new}
    contexts = map(json.loads, cycle([json.dumps(context), json.dumps(changed)]))
    return Job(pack.render, lambda: str(pack.render(context).messages[0].content), contexts)


def template(orjson: bool) -> Job:
    _choose_writer(orjson)
    return _rebuilt(_template())


def _rebuilt(render: Callable[[dict[str, Any]], str]) -> Job:
    """Return a job that renders a context, rebuilt for every run as `json.loads` returns it."""
    context = planner.make_context()
    return Job(render, lambda: render(context), map(json.loads, repeat(json.dumps(context))))


def stock() -> Job:
    from jinja2 import StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    environment.filters["tojson"] = dump
    compiled = environment.from_string(planner.TEMPLATE)
    return _rebuilt(compiled.render)


def minijinja() -> Job:
    return _minijinja(None)


def minijinja_orjson() -> Job:
    return _minijinja(dump_orjson)


def by_hand() -> Job:
    context = planner.make_context()
    return job(lambda: planner.write_by_hand(context, lambda name: dump_orjson(context[name])))


def langchain() -> Job:
    from langchain_core.prompts import PromptTemplate

    prompt = PromptTemplate.from_template(planner.without_settings(), template_format="jinja2")
    context = planner.make_context()
    return job(lambda: prompt.format(**dumped(context)))


def haystack() -> Job:
    from haystack.components.builders import PromptBuilder

    builder, context = PromptBuilder(planner.without_settings()), planner.make_context()
    return job(lambda: builder.run(**dumped(context))["prompt"])


def prompty() -> Job:
    import prompty as library

    file = scratch_folder() / "planner.prompty"
    head = "---\nname: planner\ntemplate:\n  format: jinja2\n  parser: prompty\n---\n"
    file.write_text(head + planner.without_settings(), encoding="utf-8")
    agent, context = library.load(str(file)), planner.make_context()
    return job(lambda: library.render(agent, dumped(context)))


def prompt_poet() -> Job:
    from prompt_poet import Prompt
    from prompt_poet.template_loaders import LocalFSTemplateLoader

    file = scratch_folder() / "planner.yml.j2"
    file.write_text(planner.as_yaml_part(), encoding="utf-8")
    loader, context = LocalFSTemplateLoader(str(file)), planner.make_context()
    return job(lambda: Prompt(template_data=dumped(context), template_loader=loader, from_cache=True).string)


def agently() -> Job:
    from agently import Agently

    context, text = planner.make_context(), planner.with_placeholders()

    def run() -> str:
        request = Agently.create_request()
        request.prompt.set("input", text, mappings=planner.placeholders(context, dump))
        return str(request.prompt.to_messages()[0]["content"])

    return job(run)


def _choose_writer(orjson: bool) -> None:
    """Hide orjson from this process unless it is wanted; our environment has it."""
    if not orjson:
        sys.modules["orjson"] = None  # type: ignore[assignment]  # None makes an import fail


def _template() -> Callable[[dict[str, Any]], str]:
    from promptpack.template.compiling import compile  # noqa: A004 -- the folder's verb
    from promptpack.template.engine import Engine
    from promptpack.template.model import Source

    return compile(Source.of_text(planner.TEMPLATE), Engine()).render


def _minijinja(dumps: Callable[..., str] | None) -> Job:
    from minijinja import Environment

    environment = Environment(
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, undefined_behavior="strict"
    )
    if dumps is not None:
        environment.add_filter("tojson", dumps)
    environment.add_template("planner", planner.TEMPLATE)
    return _rebuilt(lambda context: str(environment.render_template("planner", **context)))


def growing(tools: int) -> Job:
    """Render a context with the given number of tools; the result is whether the text equals the handwritten one."""
    context = planner.make_context(tools, tools // 2, tools // 4)
    render = _template()
    return Job(
        lambda: render(context),
        lambda: render(context) == planner.write_by_hand(context, lambda name: dump(context[name])),
    )


def dump(value: Any, indent: int = 2) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def dump_orjson(value: Any, indent: int = 2) -> str:
    import orjson

    assert indent == 2  # the only indent that orjson supports
    return str(orjson.dumps(value, option=orjson.OPT_INDENT_2), "utf-8")


def dumped(context: dict[str, Any]) -> dict[str, Any]:
    """Return a context with additional JSON texts of some inputs."""
    return context | {f"{name}_JSON": dump(context[name]) for name in DUMPED}


def make_pack(deep: bool) -> Any:
    """Load a pack with the template as its only message; its inputs have the schema `{}`, or one of every level."""
    from promptpack import Library

    body = {
        "promptpack": 1,
        "name": "bench",
        "version": "1.0.0",
        "agent": "bench-agent",
        "description": "The planner prompt of the benchmark.",
        "locale": "en",
        "inputs": {name: describe(value) if deep else {} for name, value in planner.make_context().items()},
        "messages": [{"role": "system", "content": planner.TEMPLATE}],
    }
    file = scratch_folder() / "packs" / "bench" / "1.0.0.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(body, ensure_ascii=False), encoding="utf-8")
    return Library.open(str(file.parents[1]), cache=False).get("bench")


def describe(value: Any) -> dict[str, Any]:
    """Return a schema of every level of a value; the items of a list are like its first or its last."""
    match value:
        case dict():
            properties = {key: describe(item) for key, item in value.items()}
            return {"type": "object", "required": list(value), "properties": properties}
        case list():
            return {"type": "array", "items": {"anyOf": [describe(value[0]), describe(value[-1])]} if value else {}}
        case str():
            return {"type": "string"}
        case bool():
            return {"type": "boolean"}
        case int() | float():
            return {"type": "number"}
    return {"type": ["string", "null"]}


def tables() -> tuple[Table, ...]:
    return (
        Table("render", "Rendering a 10 KB planner prompt, warm", tuple(_sides())),
        Table("render-growth", "Rendering, per tool in the context", tuple(_sizes()), shown="cost"),
    )


def _sides() -> Iterator[Side]:
    over, jinja = "stock", ("jinja2",)
    yield Side(over, stock, counted=True, packages=jinja, note="immutable sandbox, strict, `json.dumps`")
    for name, ours, note in OURS:
        for deep in (False, True):
            label = f"{name}, deep schemas" if deep else name
            yield Side(label, ours, (False, deep), not deep, over=over, note=note)
            yield Side(f"{label}, orjson", ours, (True, deep), packages=("orjson",), over=over, note=note)
    yield Side("promptpack, template", template, (False,), counted=True, over=over, note="limits on")
    with_orjson = "promptpack, template, orjson"
    yield Side(with_orjson, template, (True,), packages=("orjson",), over=over, note="limits on")
    for name, make, packages, note in PEERS:
        environment = packages[0].removesuffix("-core").removesuffix("-ai")
        is_counted = name == "minijinja"
        yield Side(name, make, (), is_counted, environment=environment, packages=packages, over=over, note=note)
    yield Side(
        "handwritten code",
        by_hand,
        (),
        counted=True,
        environment="minijinja",
        packages=("orjson",),
        over=over,
        note="f-strings",
    )


def _sizes() -> Iterator[Side]:
    for size in SIZES:
        yield Side(
            f"{size:,} tools", growing, (size,), over="" if size == SIZES[0] else f"{SIZES[0]} tools", units=size
        )


OURS = (
    ("promptpack, `pack.render`", pack_render, "same inputs as in the last render; loops and JSON cached"),
    (
        "promptpack, `pack.render`, next turn",
        pack_render_turn,
        "new history and goal; other loops and JSON cached",
    ),
    ("promptpack, `pack.render`, all inputs new", pack_render_all_new, "nothing cached"),
)
PEERS = (
    ("minijinja", minijinja, ("minijinja",), ""),
    ("minijinja, orjson", minijinja_orjson, ("minijinja", "orjson"), ""),
    ("LangChain", langchain, ("langchain-core", "jinja2"), BY_CALLER),
    ("Haystack", haystack, ("haystack-ai", "jinja2"), BY_CALLER),
    ("Prompty", prompty, ("prompty", "jinja2"), BY_CALLER),
    ("Prompt Poet", prompt_poet, ("prompt-poet", "jinja2"), BY_CALLER),
    ("Agently", agently, ("agently",), f"loops and {BY_CALLER}"),
)
