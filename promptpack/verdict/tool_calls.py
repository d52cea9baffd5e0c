"""Native tool calls + the available tools -> `Verdict`: each call must name a tool and meet its schema."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Any, Final

from promptpack import strict_json
from promptpack.characters import is_encodable
from promptpack.pack.contract import Action
from promptpack.pack.model import Pack
from promptpack.problem import did_you_mean
from promptpack.prompt.message import ToolCall
from promptpack.prompt.secrets import Secrets
from promptpack.schema.validation import Schema
from promptpack.schema.validation import compile as compile_schema
from promptpack.verdict.correction import write_violations
from promptpack.verdict.model import Verdict, Violation, code_of
from promptpack.verdict.output import error_output
from promptpack.words import words

_MAX_VIOLATIONS: Final = 100


def judge_calls(
    pack: Pack, calls: Sequence[ToolCall], tools: Mapping[str, Action], values: Mapping[str, Any] | None
) -> Verdict:
    """Return a verdict with the outcome `tool_call`; accepted if all calls are valid, else with the first faults."""
    expected: dict[tuple[str, str], Any] = {}
    secrets = Secrets(pack, values)
    schemas = cache(lambda name: compile_schema(tools[name].params or {}))
    every = (one for number, call in enumerate(calls) for one in _check(call, number, tools, schemas, expected))
    found = islice(every, _MAX_VIOLATIONS)
    violations = tuple(
        Violation(code_of(one.rule), secrets.hide(one.path), secrets.hide(one.message), one.rule) for one in found
    )
    if not violations:
        return Verdict("tool_call", tool_calls=tuple(calls))
    texts = words(pack.locale)
    correction = secrets.hide(write_violations(texts["correction_calls"], violations, expected, texts))
    summary = "; ".join(str(violation) for violation in violations[:5])
    return Verdict(
        "tool_call",
        violations=violations,
        correction=correction,
        error_output=error_output("tool_unavailable", summary, correction),
        tool_calls=tuple(calls),
    )


def _check(
    call: ToolCall,
    number: int,
    tools: Mapping[str, Action],
    schemas: Callable[[str], Schema],
    expected: dict[tuple[str, str], Any],
) -> Iterator[Violation]:
    path = f"/tool_calls/{number}"
    if call.name not in tools:
        expected["enum", f"{path}/name"] = list(tools)
        near = did_you_mean(call.name, tools)
        message = f"there is no tool {call.name!r}{f'; {near}' if near else ''}"
        yield Violation("", f"{path}/name", message, "enum")
        return
    try:
        arguments = strict_json.read(call.arguments or "{}")
    except (ValueError, RecursionError) as error:
        yield Violation("", f"{path}/arguments", f"the arguments are not valid JSON: {error}", "syntax")
        return
    if not isinstance(arguments, dict):
        expected["type", f"{path}/arguments"] = "object"
        yield Violation("", f"{path}/arguments", "the arguments must be an object", "type")
        return
    if not is_encodable(json.dumps(arguments, ensure_ascii=False)):
        yield Violation("", f"{path}/arguments", "the arguments contain half of a surrogate pair", "surrogate")
    for one in schemas(call.name).check(arguments):
        pointer = f"{path}/arguments{one.pointer}"
        expected[one.keyword, pointer] = one.expected
        yield Violation("", pointer, one.message, one.keyword)
