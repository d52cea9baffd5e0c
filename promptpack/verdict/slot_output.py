"""Validate a reply with the output model of a slot prompt."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from promptpack.prompt.slot_rendering import resolve_types
from promptpack.prompt.slots.output_model import make_output_model
from promptpack.schema.pointers import pointer
from promptpack.verdict.model import Violation, code_of

_RULE = "output_model"


def read_output(output: Any, value: Any, scope: Mapping[str, Any] | None, violations: list[Violation]) -> Any:
    """Return the reply as an instance of the output model; without a scope, template types accept any value."""
    try:
        return make_output_model(resolve_types(output, scope)).model_validate(value)
    except ValidationError as error:
        violations += (_violation(pointer(found["loc"]), found["msg"]) for found in error.errors())
    except TypeError as error:
        violations.append(_violation("", str(error)))
    return None


def _violation(path: str, message: str) -> Violation:
    return Violation(code_of(_RULE), path, message, _RULE)
