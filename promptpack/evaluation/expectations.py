"""The expectations of a case: texts, an outcome, and values at JSON pointers."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, get_args

from promptpack.evaluation.answer import Answer
from promptpack.problem import Location, Problem, did_you_mean
from promptpack.schema.pointers import value_at
from promptpack.verdict.model import Outcome

_TEXTS: Final = ("contains", "excludes")
_KEYS: Final = (*_TEXTS, "outcome", "values")


def find_expectation_problems(expect: Any, place: Location) -> Iterator[Problem]:
    """Yield the problems of the expectations of a case."""
    if not isinstance(expect, dict):
        yield Problem("PP970", "'expect' is not a mapping", place)
        return
    for key, wanted in expect.items():
        if key not in _KEYS:
            hint = did_you_mean(key, _KEYS) or f"use {', '.join(_KEYS)}"
            yield Problem("PP970", f"unknown expectation {key!r}", place, hint)
        elif key in _TEXTS and not all(isinstance(one, str) for one in _listed(wanted)):
            yield Problem("PP970", f"{key!r} is neither text nor a list of texts", place)
        elif key == "outcome" and wanted not in get_args(Outcome):
            yield Problem("PP970", f"unknown outcome {wanted!r}", place, f"use one of {', '.join(get_args(Outcome))}")
        elif key == "values" and not (isinstance(wanted, dict) and all(path.startswith("/") for path in wanted)):
            hint = 'write {"/params/route": "new_task"}'
            yield Problem("PP970", "'values' is not a mapping of JSON pointers", place, hint)


def check_expectations(expect: Mapping[str, Any], answer: Answer) -> Iterator[str]:
    """Yield the expectations that an answer does not meet."""
    for one in _listed(expect.get("contains", ())):
        if one not in answer.text:
            yield f"the reply does not contain {one!r}"
    for one in _listed(expect.get("excludes", ())):
        if one in answer.text:
            yield f"the reply contains {one!r}"
    if "outcome" in expect and answer.outcome != expect["outcome"]:
        yield f"the reply is {answer.outcome or 'not checked'}, not {expect['outcome']}"
    for path, wanted in expect.get("values", {}).items():
        try:
            found = value_at(answer.data, path)
        except LookupError:
            yield f"the reply has no {path}"
            continue
        if found != wanted or isinstance(found, bool) != isinstance(wanted, bool):
            yield f"{path} is {found!r}, not {wanted!r}"


def _listed(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, list | tuple) else (value,)
