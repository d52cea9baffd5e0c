"""A clean value is checked at least 40 times as fast as by jsonschema, and at least as fast as by a pydantic model."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from benchmarks import contract
from benchmarks.measuring import Job, job
from benchmarks.sides import Side, Table

VALUES: dict[str, Sequence[Any]] = {"reply": contract.REPLIES, "context": contract.CONTEXTS}
SIZES = (5, 50, 500)
COMPILED = "compiled from the schema"


def promptpack(kind: str) -> Job:
    check = planner_schemas()[kind].check
    return _check(kind, check, lambda value: check(value) == ())


def jsonschema(kind: str) -> Job:
    from jsonschema import Draft202012Validator

    validator = Draft202012Validator(planner_sources()[kind])
    return _check(kind, validator.is_valid, validator.is_valid)


def pydantic_model(kind: str) -> Job:
    validate = contract.models()[kind].model_validate
    return _check(kind, validate, _accepts(validate))


def pydantic_core(kind: str) -> Job:
    validate = contract.core_schema(planner_sources()[kind]).validate_python
    return _check(kind, validate, _accepts(validate))


def jsonschema_rs(kind: str, source: dict[str, Any]) -> Job:
    import jsonschema_rs as library

    validator = library.validator_for(source)
    return _check(kind, validator.is_valid, validator.is_valid)


def fastjsonschema(kind: str, source: dict[str, Any]) -> Job:
    import fastjsonschema as library

    validate = library.compile(source, use_default=False)
    return _check(kind, validate, _accepts(validate))


def pack_check() -> Job:
    """Check the text of a reply, without rules."""
    check, text = _without_rules().check, json.dumps(contract.make_reply())
    return Job(lambda: check(text), lambda: check(text).data)


def pack_check_typed() -> Job:
    """Check the text of a reply and return typed output, without rules."""
    check, text = _without_rules().check, json.dumps(contract.make_reply())
    return Job(lambda: check(text).output, check(text).output.to_wire)


def prompt_check() -> Job:
    """Check the text of a reply and return typed output, with the rules of the pack."""
    prompt, text = _planner().render(contract.make_context()), json.dumps(contract.make_reply())
    return Job(lambda: prompt.check(text).output, prompt.check(text).output.to_wire)


def text_jsonschema() -> Job:
    from jsonschema import Draft202012Validator

    return _read_and_check(json.loads, Draft202012Validator(planner_sources()["reply"]).is_valid)


def text_jsonschema_rs(source: dict[str, Any]) -> Job:
    import jsonschema_rs as library
    import orjson

    return _read_and_check(orjson.loads, library.validator_for(source).is_valid)


def text_pydantic_model() -> Job:
    validate, text = contract.models()["reply"].model_validate_json, json.dumps(contract.make_reply())
    return Job(lambda: validate(text), lambda: validate(text).model_dump(exclude_unset=True))


def growing(tasks: int) -> Job:
    """Check a reply with the given number of tasks."""
    schema, reply = planner_schemas()["reply"], contract.make_reply(tasks)
    return Job(lambda: schema.check(reply), lambda: schema.check(reply) == ())


def growing_text(tasks: int) -> Job:
    """Check the text of a reply with the given number of tasks."""
    prompt, text = _planner().render(contract.make_context()), json.dumps(contract.make_reply(tasks))
    return Job(lambda: prompt.check(text), lambda: prompt.check(text).ok)


def _check(kind: str, run: Callable[[Any], object], accepts: Callable[[Any], bool]) -> Job:
    """Time the clean value; compare the verdicts on all values, including broken ones."""
    value = VALUES[kind][0]
    return Job(lambda: run(value), lambda: [accepts(one) for one in VALUES[kind]])


def _read_and_check(loads: Callable[[str], Any], is_valid: Callable[[Any], bool]) -> Job:
    text = json.dumps(contract.make_reply())

    def run() -> Any:
        value = loads(text)
        return value if is_valid(value) else None

    return job(run)


def _accepts(validate: Callable[[Any], object]) -> Callable[[Any], bool]:
    """Return a function that tells whether a validator accepts a value; all of them raise a kind of ValueError."""

    def accepts(value: Any) -> bool:
        try:
            validate(value)
        except ValueError:
            return False
        return True

    return accepts


@cache
def _planner() -> Any:
    from promptpack import Library

    return Library.open(cache=False).get("planner", locale="en")


def _without_rules() -> Any:
    pack = _planner()
    return replace(pack, contract=replace(pack.contract, rules=()))


def planner_schemas() -> dict[str, Any]:
    pack = _planner()
    return {"reply": pack.contract.schema, "context": pack._context_schema}


def planner_sources() -> dict[str, dict[str, Any]]:
    """Return both schemas as plain JSON, for peers whose environment does not contain promptpack."""
    return {kind: json.loads(json.dumps(dict(schema.source))) for kind, schema in planner_schemas().items()}


def _table(kind: str, title: str) -> Table:
    is_reply, over = kind == "reply", "jsonschema"
    sides = [
        Side(over, jsonschema, (kind,), is_reply, packages=("jsonschema",)),
        Side("promptpack", promptpack, (kind,), is_reply, over=over),
        Side("pydantic model", pydantic_model, (kind,), is_reply, packages=("pydantic",), over=over),
        Side("pydantic-core", pydantic_core, (kind,), is_reply, packages=("pydantic-core",), over=over, note=COMPILED),
    ]
    sides += [
        Side(name, make, (kind, planner_sources()[kind]), environment="schemas", packages=(name,), over=over)
        for name, make in (("jsonschema-rs", jsonschema_rs), ("fastjsonschema", fastjsonschema))
    ]
    return Table(f"check-{kind}", title, tuple(sides))


def _text_table() -> Table:
    over, rust = "json, jsonschema", ("orjson", "jsonschema-rs")
    return Table(
        "check-text",
        "Checking the text of a clean 1.3 KB reply",
        (
            Side(over, text_jsonschema, counted=True, packages=("jsonschema",)),
            Side("promptpack, `pack.check`", pack_check, counted=True, over=over, note="no rules"),
            Side("promptpack, typed output", pack_check_typed, counted=True, over=over, note="no rules"),
            Side("promptpack, `prompt.check`", prompt_check, counted=True, over=over, note="typed output, five rules"),
            Side("`model_validate_json`", text_pydantic_model, counted=True, packages=("pydantic",), over=over),
            Side(
                ", ".join(rust),
                text_jsonschema_rs,
                (planner_sources()["reply"],),
                environment="schemas",
                packages=rust,
                over=over,
            ),
        ),
    )


def _growth(name: str, title: str, make: Callable[[int], Job]) -> Table:
    texts = {size: f"{size} tasks, {len(json.dumps(contract.make_reply(size))) / 1000:,.1f} KB" for size in SIZES}
    first = texts[SIZES[0]]
    sides = (Side(text, make, (size,), over=first if text != first else "", units=size) for size, text in texts.items())
    return Table(name, title, tuple(sides), shown="cost")


def tables() -> tuple[Table, ...]:
    return (
        _table("reply", "Checking a clean 1.3 KB reply against the full contract"),
        _table("context", "Checking a context against the input schema"),
        _text_table(),
        _growth("check-growth", "Checking a value, per task in the reply", growing),
        _growth("check-text-growth", "Checking a text, per task in the reply", growing_text),
    )
