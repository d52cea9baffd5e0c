"""The API page is up to date, and every public name, method and argument is described."""

import inspect
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.architecture.api_page import MODULES, own_members, public_classes, public_functions, write_api_page
from tests.architecture.api_source import Field, Function

ROOT = Path(__file__).parents[2]
CLASSES = sorted(public_classes(), key=lambda cls: cls.__name__)
# Arguments that every render takes; `Pack.render` describes them.
EVERYWHERE = {"context", "**inputs"}
REFERENCE = re.compile(r"(?:see|like|those of) `([\w.]+)`")


def test_the_page_is_generated_from_the_code() -> None:
    page = (ROOT / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
    assert page == write_api_page(), "regenerate it: python -m tests.architecture.api_page > docs/reference/api.md"


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_a_class_and_its_methods_describe_themselves_and_their_arguments(cls: type) -> None:
    assert "__doc__" in vars(cls)
    assert [problem for one in methods(cls) for problem in missing(one, f"{cls.__name__}.{one.name}")] == []


@pytest.mark.parametrize("module", MODULES)
def test_a_function_describes_its_arguments(module: str) -> None:
    assert [problem for one in public_functions(module) for problem in missing(one, one.name)] == []


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_a_field_is_described_below_it_or_in_the_docstring_of_the_class(cls: type) -> None:
    fields = [one for one in own_members(cls) if isinstance(one, Field) and not one.doc]
    assert [one.name for one in fields if f"`{one.name}`" not in (cls.__doc__ or "")] == []


def test_a_missing_description_is_found() -> None:
    one = Function(
        "get", "", ("name: str", "*", "locale: str"), "Pack", "Return the pack `name`.", False, ("name", "locale")
    )
    assert missing(one, "Library.get") == ["Library.get does not describe `locale`"]
    assert missing(Function("get", "", (), "Pack", ""), "Library.get") == ["Library.get has no docstring"]


def missing(one: Function, label: str) -> list[str]:
    """Return what the docstring of a function lacks."""
    if not one.doc:
        return [f"{label} has no docstring"]
    text = "\n".join(described(one.doc, label.rpartition(".")[0]))
    names = [name for name in one.names if name not in EVERYWHERE]
    return [f"{label} does not describe `{name}`" for name in names if f"`{name.lstrip('*')}`" not in text]


def described(doc: str, owner: str) -> Iterator[str]:
    """Yield a docstring, and those that it refers to, as in "see `run`"."""
    yield doc
    for reference in REFERENCE.findall(doc):
        name, _, method = (f"{owner}.{reference}" if "." not in reference and owner else reference).rpartition(".")
        target = next(
            (one for cls in CLASSES if cls.__name__ == name for one in methods(cls) if one.name == method), None
        )
        if target is not None:
            yield from described(target.doc, name)


def methods(cls: type) -> Iterator[Function]:
    """Yield the constructor and the public methods of a class; the docstring of the class describes its constructor."""
    for one in own_members(cls):
        if isinstance(one, Function):
            doc = f"{one.doc}\n{inspect.getdoc(cls)}" if one.name == "__init__" else one.doc
            yield replace(one, doc=doc)
