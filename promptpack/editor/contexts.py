"""The contexts of a pack in an editor: its inputs for a form, those of its tests, and an example."""

from collections.abc import Mapping
from typing import Any

from promptpack.pack.cases.checking import codes_of
from promptpack.pack.model import Input, Pack
from promptpack.schema.generation import NoValueError
from promptpack.trial.find_test import find_test
from promptpack.trial.generation import ContextGenerator


def find_context(pack: Pack, test: str = "") -> tuple[Mapping[str, Any], str]:
    """Return the context and the model of a test; without a name, of the first one that renders, else an example."""
    if test:
        found = find_test(pack, test)
        return found.context, found.model
    rendered = next((one for one in pack.tests if not any(codes_of(one.expect))), None)
    return (rendered.context, rendered.model) if rendered else (make_example(pack), "")


def make_example(pack: Pack) -> dict[str, Any]:
    """Return a small context that the pack accepts; an empty one if none can be made."""
    try:
        return ContextGenerator(pack).make_example()
    except NoValueError:
        return {}  # rendering it names what is missing


def describe_inputs(pack: Pack) -> list[dict[str, Any]]:
    """Return the inputs as plain data for a form."""
    return [_describe(declared) for declared in pack.inputs.values()]


def _describe(declared: Input) -> dict[str, Any]:
    return {
        "name": declared.name,
        "schema": dict(declared.schema),
        "description": declared.description,
        "required": declared.required,
        "trusted": declared.trusted,
        "secret": declared.secret,
    }
