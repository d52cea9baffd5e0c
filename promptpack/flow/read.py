"""`flow.yaml` -> `Flow`: checked against its JSON Schema, every problem at its line."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from promptpack import files, schema
from promptpack.document import Document, parse
from promptpack.files import Folder
from promptpack.flow.model import END, Composed, Fixed, Flow, Given, Path, Reply, Routes, Step, Value
from promptpack.problem import PackError, Problem

FILE = "flow.yaml"


def find(folder: Folder) -> Flow | None:
    """Read the flow of a folder of packs, or give None when it has none; raises every problem of the file."""
    return read(parse(folder.read(FILE), folder.show(FILE))) if folder.exists(FILE) else None


def read_text(folder: Folder, text: str) -> Flow:
    """Read a text as the flow of a folder, as an editor's unsaved buffer."""
    return read(parse(text, folder.show(FILE)))


def read(document: Document) -> Flow:
    """Read a document as a flow."""
    findings = flow_schema().check(document.data)
    if findings:
        raise PackError(Problem("PP711", found.message, document.locate(found.path), found.hint) for found in findings)
    data: Mapping[str, Any] = document.data
    steps = {name: _step(name, value) for name, value in data["steps"].items()}
    return Flow(MappingProxyType(steps), tuple(data.get("tools", ())), document)


@cache
def flow_schema() -> schema.Schema:
    """The schema of a flow, read once."""
    return schema.compile(parse(files.shipped("schemas").read("flow.schema.json"), "flow.schema.json").data)


def _step(name: str, data: Mapping[str, Any]) -> Step:
    place: Path = ("steps", name, "inputs")
    inputs = {key: _value(value, (*place, key)) for key, value in data.get("inputs", {}).items()}
    then = data.get("next", END)
    routes = None if isinstance(then, str) else Routes(then["by"], MappingProxyType(then["to"]))
    return Step(
        name,
        data["pack"],
        data.get("title", name),
        MappingProxyType(inputs),
        data.get("action", ""),
        then if isinstance(then, str) else END,
        routes,
    )


def _value(data: Any, place: Path) -> Value:
    if data == "given":
        return Given()
    if "from" in data:
        return Reply(data["from"], data.get("action", ""), data.get("path", ""), place)
    if "fields" in data:
        return Composed({name: _value(inner, (*place, "fields", name)) for name, inner in data["fields"].items()})
    return Fixed(data["value"])
