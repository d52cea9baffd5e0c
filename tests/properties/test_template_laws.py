"""Our compiled templates against Jinja's own immutable sandbox: the same text, or the same kind of failure."""

import json
from collections.abc import Mapping
from typing import Any

from hypothesis import HealthCheck, given, settings
from jinja2 import DictLoader, StrictUndefined, TemplateRuntimeError, UndefinedError
from jinja2.exceptions import SecurityError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from promptpack.problem import ContextError
from promptpack.template.compiling import compile  # noqa: A004 -- the folder's verb
from promptpack.template.engine import Engine
from promptpack.template.model import Source
from tests.properties.template_grammar import PARTIALS, contexts, templates

ENGINE = Engine({name: Source.of_text(text, name) for name, text in PARTIALS.items()})


def print_as_we_do(value: Any) -> Any:
    """Return a value as we print it: other values than text print as JSON, as documented."""
    return dump(value) if value is None or isinstance(value, (bool, float, dict, list, tuple)) else value


def dump(value: Any, indent: int = 2) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent, default=str)


def stock() -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
        finalize=print_as_we_do,
        loader=DictLoader(PARTIALS),
    )
    environment.filters["json"] = environment.filters["tojson"] = dump
    return environment


STOCK = stock()

Outcome = tuple[str, str]


def by_jinja(template: str, context: Mapping[str, Any]) -> Outcome:
    try:
        return "text", STOCK.from_string(template).render(context)
    except Exception as error:  # noqa: BLE001 -- every exception of Jinja or Python is compared
        return "failure", _kind(error)


def by_us(template: str, context: Mapping[str, Any]) -> Outcome:
    try:
        return "text", compile(Source.of_text(template), ENGINE).render(context)
    except ContextError as error:
        return "failure", CODES[error.problems[0].code]


CODES = {"PP401": "undefined", "PP402": "security", "PP403": "type", "PP404": "value", "PP407": "other"}


def _kind(error: Exception) -> str:
    match error:
        case UndefinedError():
            return "undefined"
        case SecurityError():
            return "security"
        case TemplateRuntimeError():
            return "other"
        case TypeError():
            return "type"
        case ValueError() | ArithmeticError() | LookupError():
            return "value"
        case _:
            raise error


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(templates(), contexts)
def test_a_template_does_what_it_does_in_jinja(template: str, context: dict[str, Any]) -> None:
    assert by_us(template, context) == by_jinja(template, context)
