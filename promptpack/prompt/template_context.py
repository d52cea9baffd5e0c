"""`TemplateContext`: the values that a `PromptTemplate` renders."""

import json
from collections.abc import Mapping
from typing import Any

from promptpack.problem import ContextError, Problem
from promptpack.prompt.plain_data import to_plain
from promptpack.strict_json import reject_constant


class TemplateContext:
    """Values by name; `from_json` converts numbers and null as Handlebars prints them, other methods keep them."""

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}

    def __repr__(self) -> str:
        return f"TemplateContext({', '.join(self._values)})"

    @classmethod
    def from_map(cls, values: Mapping[str, Any]) -> "TemplateContext":
        """Read `values` from a mapping, as plain data."""
        context = cls()
        for name, value in values.items():
            context.insert(name, value)
        return context

    @classmethod
    def from_json(cls, document: Any) -> "TemplateContext":
        """Read values from a JSON object: numbers become their JSON text, null becomes "".

        `document` is text, bytes or parsed JSON.
        """
        if isinstance(document, (str, bytes)):
            document = _read(document)
        if not isinstance(document, Mapping):
            raise ContextError(Problem("PP444", "the context is not a JSON object", None, 'write {"name": "value"}'))
        context = cls()
        context._values = {name: _without_numbers(value) for name, value in to_plain(document, "context").items()}
        return context

    def insert(self, name: str, value: Any) -> "TemplateContext":
        """Set `name` to a `value`, which must be plain data; return the context."""
        self._values[name] = to_plain(value, name)
        return self

    def get(self, name: str, default: Any = None) -> Any:
        """Return the value of `name`, or `default` if it is not set."""
        return self._values.get(name, default)

    def to_inputs(self) -> dict[str, Any]:
        """Return all values in the form that `Pack.render` accepts."""
        return dict(self._values)


def _read(document: str | bytes) -> Any:
    try:
        # `str` keeps the text of each number unchanged.
        return json.loads(document, parse_int=str, parse_float=str, parse_constant=reject_constant)
    except (ValueError, RecursionError) as error:
        raise ContextError(Problem("PP444", "the context is not JSON", None, 'write {"name": "value"}')) from error


def _without_numbers(value: Any) -> Any:
    match value:
        case None:
            return ""
        case bool() | str():
            return value
        case dict():
            return {key: _without_numbers(item) for key, item in value.items()}
        case list():
            return [_without_numbers(item) for item in value]
        case _:
            return json.dumps(value)
