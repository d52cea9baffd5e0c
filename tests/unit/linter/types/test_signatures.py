"""The table of signatures matches the template language: the same names, and the same parameters."""

import inspect
from collections.abc import Iterator

import pytest

from promptpack.linter.types import signatures
from promptpack.linter.types.lattice import ANY
from promptpack.template import history, language

PASSED_BY_JINJA = ("environment", "eval_ctx", "context")


def test_the_table_has_every_filter_test_function_and_method_and_no_other() -> None:
    assert set(signatures.FILTERS) == set(language.FILTERS)
    assert set(signatures.TESTS) == set(language.TESTS)
    assert set(signatures.FUNCTIONS) == set(language.FUNCTIONS)
    assert set(signatures.TEXT_METHODS) == language.METHODS[str]
    assert set(signatures.LIST_METHODS) == language.METHODS[list]
    assert set(signatures.MAPPING_METHODS) == language.METHODS[dict]
    assert set(signatures.LOOP_METHODS) == language.LOOP_METHODS
    assert set(signatures.loop_attributes(ANY)) == language.LOOP_ATTRIBUTES


def parameters_of(name: str) -> Iterator[str]:
    """Yield the parameters of a filter function, written as in the table."""
    function = getattr(history, name) if name in language.HISTORY_FILTER_NAMES else language.FILTERS[name]
    parameters = list(inspect.signature(function).parameters.values())
    if parameters[0].name in PASSED_BY_JINJA:
        parameters = parameters[1:]
    keyword_only = False
    for parameter in parameters[1:]:
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            yield "*"
        yield parameter.name + ("" if parameter.default is parameter.empty else "=")


@pytest.mark.parametrize(
    "name", [name for name, one in signatures.FILTERS.items() if "..." not in one.parameters], ids=str
)
def test_the_table_has_the_parameters_of_the_function(name: str) -> None:
    assert signatures.FILTERS[name].parameters.split() == list(parameters_of(name))
