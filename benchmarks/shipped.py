"""The six shipped agents on contexts as services have them, compared with stock Jinja, jsonschema and pydantic.

Every context is new: rebuilt before each run as `json.loads` returns it, with other identifiers than the one before.
"""

import json
import re
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Any

from benchmarks import records
from benchmarks.measuring import Job
from benchmarks.sides import Side, Table
from benchmarks.twin import Twin

COMPARED = 8


def render(agent: str) -> Job:
    """Render new contexts with a pack."""
    pack = _pack(agent)
    return _render(agent, pack.render, lambda context: pack.render(context).to_dicts())


def stock(agent: str) -> Job:
    """Render new contexts with stock Jinja."""
    twin = _twin(agent)
    return _render(agent, twin.render, twin.render)


def stock_jsonschema(agent: str) -> Job:
    """Validate new contexts with jsonschema and render them with stock Jinja."""
    twin = _twin(agent)
    validate = twin.validator()

    def run(context: Any) -> Any:
        validate(context)
        return twin.render(context)

    return _render(agent, run, run)


def _render(agent: str, run: Any, result: Any) -> Job:
    return Job(run, lambda: list(map(result, islice(records.contexts(agent), COMPARED))), records.contexts(agent))


def check(agent: str) -> Job:
    """Check clean replies with all rules, and return typed output."""
    pack = _pack(agent)
    prompts = (pack.render(context) for context in records.contexts(agent))
    text = json.dumps(records.make_reply(agent))
    result = pack.render(records.make_context(agent, 0)).check(text)
    return Job(lambda prompt: prompt.check(text).output, lambda: result.data if result.ok else None, prompts)


def validate_json(agent: str) -> Job:
    """Validate the text of clean replies with a pydantic model."""
    validate, text = records.make_model(agent).model_validate_json, json.dumps(records.make_reply(agent))
    return Job(lambda: validate(text), lambda: validate(text).model_dump(exclude_unset=True))


def request(agent: str) -> Job:
    """Render a new record and check its reply; an executor gets new tools in each."""
    pack = _pack(agent)

    def run(one: tuple[Any, str]) -> Any:
        context, reply = one
        return pack.render(context).check(reply).data

    return _requests(agent, run)


def request_known_tools(agent: str) -> Job:
    """Render a new record and check its reply, with the same tools in each."""
    pack, reply = _pack(agent), json.dumps(records.make_reply(agent))
    texts = (context for context in records.contexts(agent))
    return Job(lambda context: pack.render(context).check(reply), lambda: None, texts)


def request_stock(agent: str) -> Job:
    """Do the same with stock Jinja and jsonschema."""
    from jsonschema import Draft202012Validator

    twin, pack = _twin(agent), _pack(agent)
    validate = twin.validator()
    accepts = Draft202012Validator(json.loads(json.dumps(dict(pack.contract.schema.source)))).is_valid

    def run(one: tuple[Any, str]) -> Any:
        context, reply = one
        validate(context)
        twin.render(context)
        value = json.loads(reply)
        return value if accepts(value) else None

    return _requests(agent, run)


def _requests(agent: str, run: Any) -> Job:
    return Job(run, lambda: list(map(run, islice(records.requests(agent), COMPARED))), records.requests(agent))


@cache
def _pack(agent: str) -> Any:
    from promptpack import Library

    return Library.open(cache=False).get(agent, locale="en")


def _twin(agent: str) -> Twin:
    from promptpack.prompt.reply_format import write_reply_format
    from promptpack.prompt.tool_actions import read_tool_actions

    contract = _pack(agent).contract
    mark = [{"name": "TOOL_NAMES", "parameters": {"type": "object", "properties": {}}}]
    tools = read_tool_actions(mark, "tools") if contract.tools_input else None
    return Twin(agent, re.sub(r"  - TOOL_NAMES:.*\n", "  - TOOL_LINES\n", write_reply_format(contract, "en", tools)))


def tables() -> tuple[Table, ...]:
    return (
        Table("shipped-render", "Rendering new contexts with the shipped packs", tuple(_render_sides())),
        Table(
            "shipped-check",
            "Checking clean replies with the rules of the shipped packs",
            tuple(_check_sides()),
            15,
            "cost",
        ),
        Table("shipped-request", "Rendering new records and checking their replies", tuple(_request_sides())),
    )


def _render_sides() -> Iterator[Side]:
    for agent in records.AGENTS:
        over = f"stock, {agent}"
        yield Side(over, stock, (agent,), packages=("jinja2",))
        yield Side(f"stock, jsonschema, {agent}", stock_jsonschema, (agent,), packages=("jsonschema",), over=over)
        yield Side(f"promptpack, {agent}", render, (agent,), over=over, note="inputs validated, limits on")


def _check_sides() -> Iterator[Side]:
    for agent in records.AGENTS:
        over = f"`model_validate_json`, {agent}"
        yield Side(over, validate_json, (agent,), packages=("pydantic",), note="no rules")
        yield Side(f"promptpack, {agent}", check, (agent,), over=over, note="typed output, all rules")


def _request_sides() -> Iterator[Side]:
    for agent in ("planner", "executor"):
        over = f"stock, jsonschema, {agent}"
        yield Side(over, request_stock, (agent,), packages=("jinja2", "jsonschema"), note="no rules")
        note = "new tools in each" if agent == "executor" else ""
        yield Side(f"promptpack, {agent}", request, (agent,), over=over, note=note)
    yield Side("promptpack, executor, known tools", request_known_tools, ("executor",))
