"""The context of a render: the caller's values as plain data, checked against the pack's inputs."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from promptpack.pack import STANDARD_CONTEXT, Input, Pack
from promptpack.problem import ContextError, Problem, did_you_mean
from promptpack.prompt.plain import to_plain
from promptpack.schema import Finding, pointer


def check_context(pack: Pack, context: Any, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    """Turn what the caller gave into checked plain data with defaults; raises every problem at once."""
    given = {**_given(context), **inputs}
    problems = list(_unknown(pack, given))
    values: dict[str, Any] = {}
    for name, declared in pack.inputs.items():
        if name in given:
            try:
                values[name] = to_plain(given[name], name, pack.limits)
            except ContextError as error:
                problems += error.problems
        elif not declared.required:
            values[name] = to_plain(declared.schema["default"], name, pack.limits)
    broken = {name for name in given if name in pack.inputs and name not in values}
    findings = pack.context_schema.check(values)
    problems += (_problem(pack, finding) for finding in findings if not finding.path or finding.path[0] not in broken)
    if problems:
        raise ContextError(problems)
    return MappingProxyType(values)


def _given(context: Any) -> Mapping[str, Any]:
    if context is None:
        return {}
    if hasattr(context, "to_inputs"):
        return context.to_inputs()  # type: ignore[no-any-return]
    if isinstance(context, Mapping):
        return context
    hint = "give a mapping, a RenderContext or keyword arguments"
    raise ContextError(Problem("PP411", f"a {type(context).__name__} is not a context", None, hint))


def _unknown(pack: Pack, given: Mapping[str, Any]) -> list[Problem]:
    return [
        Problem(
            "PP414",
            f"{pack.label} has no input {name!r}",
            None,
            did_you_mean(str(name), pack.inputs) or f"its inputs are {', '.join(pack.inputs) or 'none'}",
        )
        for name in given
        if name not in pack.inputs and name not in STANDARD_CONTEXT
    ]


def _problem(pack: Pack, finding: Finding) -> Problem:
    name = str(finding.path[0]) if finding.path else ""
    declared: Input | None = pack.inputs.get(name)
    if finding.rule == "required" and len(finding.path) == 1 and declared:
        hint = declared.description or f"declared in {declared.location}"
        return Problem("PP415", f"input {name!r} is missing", None, hint)
    if declared and declared.secret:
        return Problem("PP416", f"input {name!r} does not meet its schema (the value is secret)", None)
    where = f"input {name!r}" + (f" at {pointer(finding.path[1:])}" if len(finding.path) > 1 else "")
    return Problem("PP416", f"{where}: {finding.message}", None, finding.hint)
