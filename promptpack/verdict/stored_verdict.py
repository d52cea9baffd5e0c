"""Verdicts as plain data, which JSON can store: the form that `promptpack check --format json` prints."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any, Final

from pydantic import TypeAdapter

from promptpack import files, schema
from promptpack.document import read_json
from promptpack.problem import Problem, UsageError
from promptpack.verdict.model import Verdict
from promptpack.verdict.output import AgentOutput, copy_plain, to_agent_output

_HINT: Final = "pass what Verdict.to_dict returned"
_verdicts = cache(lambda: TypeAdapter(Verdict))


def write_verdict(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as plain data."""
    ok, error, output = verdict.ok, verdict.error_output, verdict.output
    data = _verdicts().dump_python(verdict, mode="json", exclude={"make_output", "find_extras", "error_output"})
    if verdict.attempt is not None:
        data["attempt"]["uncertain"].sort()
    return {
        "ok": ok,
        **data,
        "output": verdict.data if ok else None,
        "output_type": AgentOutput.__name__ if isinstance(output, AgentOutput) else None,
        "data": None if ok else verdict.data,
        "extras": list(verdict.extras),
        "error_output": error and error.to_wire(),
    }


def read_verdict(data: Any) -> Verdict:
    """Return the verdict that plain data describes; raise a `UsageError` with all problems of the data."""
    try:
        data = copy_plain(dict(data) if isinstance(data, Mapping) else data)  # the caller may change it later
    except ValueError as error:
        problem = Problem("PP532", "invalid stored verdict: it is not plain data", None, _HINT)
        raise UsageError(problem) from error
    if mismatches := _verdict_schema().check(data):
        raise UsageError(
            Problem("PP532", f"invalid stored verdict: {one.pointer or '/'}: {one.message}", None, one.hint)
            for one in mismatches
        )
    output, extras = data["output"], tuple(data["extras"])
    verdict = _verdicts().validate_python({**data, "data": data["data"] if data["violations"] else output})
    make_output = (lambda: to_agent_output(output)) if data["output_type"] else None
    return replace(verdict, make_output=make_output, find_extras=lambda: extras)


@cache
def _verdict_schema() -> schema.Schema:
    name = "verdict.schema.json"
    return schema.compile(read_json(files.shipped("schemas").read(name), name).data)
