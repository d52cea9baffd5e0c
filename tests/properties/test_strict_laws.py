"""A strict schema and its contract mean the same: every strict reply is accepted, every accepted reply can be written.

Law 1: a reply that a strict schema allows is read without a violation, except of a keyword that the strict schema lists
as lost for that value (or of a union with such a keyword in it). Law 2: a value that meets the contract, with only the
keys that one of its branches declares, meets the strict schema once its missing keys are null.
"""

import json
from typing import Any

import anthropic
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from openai.lib._pydantic import _ensure_strict_json_schema

from promptpack import Library, PackError
from promptpack import schema as schemas
from promptpack.reply import SchemaCheck, Shape, find_extras, read
from promptpack.schema.strict import STRICT_PROVIDERS, WRAPPER
from promptpack.schema.strict.writing import StrictSchema, build_strict_schema
from tests.properties.strict_schemas import contracts, replies, values, with_nulls

_PACKS = ("understanding", "router", "planner", "executor", "reviewer", "orchestrator", "meeting-notes")
_TOOLS = [
    {"name": "read_file", "parameters": {"type": "object", "required": ["path"], "properties": {"path": {"type": "string"}}}},
    {"name": "move", "parameters": {"type": "object", "properties": {"day": {"type": "integer", "maximum": 7}}}},
]  # fmt: skip


def _shipped() -> list[dict[str, Any]]:
    from promptpack.prompt.tool_actions import read_tool_actions

    found = []
    for name in _PACKS:
        for locale in ("zh-CN", "en"):
            contract = Library.open("packs").get(name, locale=locale).contract
            assert contract is not None
            found.append(contract.json_schema(read_tool_actions(_TOOLS, "tools") if contract.tools_input else None))
    return found


providers = st.sampled_from(STRICT_PROVIDERS)
schemas_of_contracts = contracts() | st.sampled_from(_shipped())


def _build(schema: dict[str, Any], provider: str) -> StrictSchema:
    try:
        return build_strict_schema(schema, provider, "the contract")
    except PackError as error:
        # Too large for the provider, or a contract that accepts nothing.
        assume(not {problem.code for problem in error.problems} <= {"PP644", "PP645"})
        raise


@settings(max_examples=60, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(st.data(), schemas_of_contracts, providers)
def test_a_strict_reply_violates_only_what_is_lost(data: st.DataObject, schema: dict[str, Any], provider: str) -> None:
    strict = _build(schema, provider)
    reply = data.draw(replies(strict.schema, strict.schema))
    assert Draft202012Validator(strict.schema).is_valid(reply)
    check = SchemaCheck(schemas.compile(schema))
    reading = read(json.dumps(reply), Shape.of(schema), check)
    unexpected = [fault for fault in reading.violations if not _is_lost(fault.rule, fault.path, strict)]
    assert not unexpected, (reply, strict.lost)


def _is_lost(rule: str, path: str, strict: StrictSchema) -> bool:
    steps = path.removeprefix(f"/{WRAPPER}").split("/")
    place = "/".join("*" if step.isdecimal() else step for step in steps)
    if rule in ("anyOf", "oneOf", "type"):  # a limit that is lost in an option makes the whole union fail
        return any(where.startswith(place) for where, _ in strict.lost)
    return (place, rule) in strict.lost


@settings(max_examples=60, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(st.data(), schemas_of_contracts, providers)
def test_an_accepted_value_can_be_written_in_a_strict_reply(
    data: st.DataObject, schema: dict[str, Any], provider: str
) -> None:
    value = data.draw(values(schema, schema))
    assume(schemas.compile(schema).accepts(value) and not find_extras(value, Shape.of(schema)))
    strict = _build(schema, provider).schema
    wrapped = {WRAPPER: value} if list(strict["properties"]) == [WRAPPER] else value
    reply = with_nulls(wrapped, strict, strict)
    errors = [error.message for error in Draft202012Validator(strict).iter_errors(reply)]
    assert not errors, (reply, strict)


@settings(max_examples=60, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(schemas_of_contracts)
def test_the_sdks_leave_strict_schemas_unchanged(schema: dict[str, Any]) -> None:
    strict = _build(schema, "openai").schema
    assert _ensure_strict_json_schema(json.loads(json.dumps(strict)), path=(), root=strict) == strict
    strict = _build(schema, "anthropic").schema
    assert _without_enum_types(anthropic.transform_schema(strict)) == _without_enum_types(strict)


def _without_enum_types(schema: Any) -> Any:
    """Anthropic's function removes the type next to an enum, and writes no `required` where none is given."""
    if isinstance(schema, list):
        return [_without_enum_types(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: _without_enum_types(item) for key, item in schema.items() if not (key == "type" and "enum" in schema)}
