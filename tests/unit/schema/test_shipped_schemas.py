"""The shipped schemas describe their formats in an editor, and agree with the types."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from promptpack import AgentOutput, schema
from promptpack.document import read_json
from promptpack.files import Folder
from promptpack.pack.model import ROLES
from promptpack.pack.pack_schema import schema_problems
from promptpack.pack.placed import Placed
from promptpack.pack.schema_references import References
from promptpack.verdict.output import Risk

FOLDER = Path(__file__).parents[3] / "schemas"
FILES = sorted(FOLDER.rglob("*.schema.json"))
SOURCES = {path.relative_to(FOLDER).as_posix(): json.loads(path.read_text("utf-8")) for path in FILES}
PACK = SOURCES["pack.schema.json"]

Property = tuple[str, dict[str, Any]]


def properties(node: Any, where: str = "") -> Iterator[Property]:
    """Yield every property; conditions are skipped because they only narrow properties described elsewhere."""
    if isinstance(node, list):
        for index, item in enumerate(node):
            yield from properties(item, f"{where}/{index}")
    elif isinstance(node, dict):
        for name, inner in node.get("properties", {}).items():
            yield f"{where}/{name}", inner
            yield from properties(inner, f"{where}/{name}")
        for name, inner in node.get("$defs", {}).items():
            yield from properties(inner, f"{where}#{name}")
        for keyword in ("items", "anyOf", "additionalProperties"):
            yield from properties(node.get(keyword), where)


@pytest.mark.parametrize("name", SOURCES)
def test_a_schema_has_its_address_a_title_a_description_and_examples_that_it_accepts(name: str) -> None:
    source = SOURCES[name]

    assert source["$id"] == f"https://promptpack.dev/schemas/1/{name}"
    assert source["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert source["title"]
    assert source["description"]
    assert source["examples"]
    bundled = schema.bundle(source, name, lambda _, file: (file, SOURCES[file]), schema.SchemaMeter())
    for example in source["examples"]:
        assert schema.compile(bundled).check(example) == ()


@pytest.mark.parametrize("name", SOURCES)
def test_packs_can_refer_to_a_schema_without_checking_it(name: str) -> None:
    document = read_json((FOLDER / name).read_bytes(), name)
    placed = Placed(document.data, document, ())
    assert schema_problems(placed) == []
    assert list(References(Folder(str(FOLDER)), name)._check(placed, name, set())) == []


@pytest.mark.parametrize("name", SOURCES)
def test_every_property_is_described(name: str) -> None:
    assert [where for where, found in properties(SOURCES[name]) if not found.get("description")] == []


def test_every_property_of_a_pack_shows_what_to_write() -> None:
    keywords = ("examples", "enum", "const", "default")
    undescribed = [
        where
        for where, found in properties(PACK)
        if found.get("type") != "boolean" and not any(key in found for key in keywords)
    ]
    assert undescribed == []


def test_every_example_of_a_property_is_accepted_by_it() -> None:
    for where, found in properties(PACK):
        compiled = schema.compile({**found, "$defs": PACK["$defs"]})
        assert [
            (where, compiled.check(example)) for example in found.get("examples", ()) if compiled.check(example)
        ] == []


def test_the_roles_are_those_of_the_type() -> None:
    assert PACK["$defs"]["message"]["properties"]["role"]["enum"] == list(ROLES)


def test_agent_output_has_the_fields_of_the_type() -> None:
    source = SOURCES["agent-output.schema.json"]
    model = AgentOutput.model_json_schema()
    risk = Risk.model_json_schema()

    assert set(source["properties"]) == set(model["properties"])
    assert set(source["required"]) == set(model["required"])
    assert set(source["properties"]["risk"]["properties"]) == set(risk["properties"])
    assert source["properties"]["risk"]["properties"]["level"]["enum"] == risk["properties"]["level"]["enum"]
