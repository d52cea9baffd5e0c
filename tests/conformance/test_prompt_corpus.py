"""Templates as people write them, rendered by us and by Jinja's own sandbox: the same text, or both refuse."""

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jinja2 import StrictUndefined, Template, TemplateError
from jinja2.exceptions import TemplateRuntimeError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from promptpack.problem import PromptpackError
from promptpack.template.compiling import compile  # noqa: A004 -- the folder's verb
from promptpack.template.engine import Engine
from promptpack.template.model import Source

FOLDER = Path(__file__).parent / "prompts"
REFUSED = "refused"
# Templates that Jinja renders and we refuse; every one is a documented difference.
DIFFERENCES = {
    "agents 56 fails": "PP303",
    "agents 57 fails": "PP401",
    "agents 58 fails": "PP308",
    "agents 59 fails": "PP401",
    "generation prompt guards": "PP308",
}


def read_templates() -> Iterator[Any]:
    for file in sorted(FOLDER.glob("*.jinja")):
        for part in file.read_text(encoding="utf-8").removeprefix("=== ").split("\n=== "):
            name, _, text = part.partition("\n")
            yield pytest.param(name, text, id=f"{file.stem}: {name}")


def read_contexts() -> list[dict[str, Any]]:
    contexts: list[dict[str, Any]] = json.loads((FOLDER / "contexts.json").read_text(encoding="utf-8"))
    return contexts


TEMPLATES = list(read_templates())
CONTEXTS = read_contexts()
ENGINE = Engine()


def print_as_we_do(value: Any) -> Any:
    return dump(value) if value is None or isinstance(value, (bool, float, dict, list, tuple)) else value


def dump(value: Any, indent: int | None = 2, ensure_ascii: bool = False, **options: Any) -> str:
    return json.dumps(value, indent=indent, ensure_ascii=ensure_ascii, **options)


def raise_exception(message: str) -> None:
    raise TemplateRuntimeError(message)


def stock() -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
        finalize=print_as_we_do,
    )
    environment.filters["tojson"] = dump
    # As documented, filters on text get the printed form of a value.
    for name in ("string", "trim"):
        environment.filters[name] = _on_printed(environment.filters[name])
    environment.globals |= {"raise_exception": raise_exception, "fail": raise_exception}
    return environment


def _on_printed(original: Callable[..., Any]) -> Callable[..., Any]:
    return lambda value, *arguments: original(print_as_we_do(value), *arguments)


STOCK = stock()


@cache
def by_jinja(text: str) -> list[str]:
    """Return what a template prints with each context."""
    try:
        template = STOCK.from_string(text)
    except TemplateError:
        return [REFUSED] * len(CONTEXTS)
    return [render_by_jinja(template, context) for context in CONTEXTS]


def render_by_jinja(template: Template, context: dict[str, Any]) -> str:
    try:
        return template.render(context)
    except Exception:  # noqa: BLE001 -- every error of Jinja or Python is a refusal
        return REFUSED


def by_us(text: str, context: dict[str, Any]) -> str:
    try:
        return compile(Source.of_text(text), ENGINE).render(context)
    except PromptpackError as error:
        assert all(problem.hint for problem in error.problems), str(error)
        return REFUSED


@pytest.mark.parametrize(("name", "text"), TEMPLATES)
def test_a_template_prints_what_it_prints_in_jinja(name: str, text: str) -> None:
    if name in DIFFERENCES:
        with pytest.raises(PromptpackError, match=DIFFERENCES[name]):
            compile(Source.of_text(text), ENGINE).render(CONTEXTS[0])
        return
    for context, expected in zip(CONTEXTS, by_jinja(text), strict=True):
        assert by_us(text, context) == expected


@pytest.mark.parametrize(("name", "text"), TEMPLATES)
def test_some_context_suits_every_template(name: str, text: str) -> None:
    assert set(by_jinja(text)) != {REFUSED} or name.endswith("fails")
