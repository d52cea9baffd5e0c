"""`flow.yaml` -> `Flow`: validate it against its JSON Schema, with a location for every problem."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from promptpack import schema
from promptpack.document import Document, parse
from promptpack.files import Folder
from promptpack.flow.model import END, Branches, CallerValue, FixedValue, Flow, FlowValue, ObjectValue, ReplyValue, Step
from promptpack.pack.pack_schema import read_shipped
from promptpack.problem import PackError, Problem

FILE = "flow.yaml"


def find(folder: Folder) -> Flow | None:
    """Read the flow of a folder of packs; return None when it has none, raise all problems of the file."""
    return read(parse(folder.read(FILE), folder.show(FILE))) if folder.exists(FILE) else None


def read_text(folder: Folder, text: str) -> Flow:
    """Read a text as the flow of a folder, such as an unsaved buffer of an editor."""
    return read(parse(text, folder.show(FILE)))


def read(document: Document) -> Flow:
    """Read a document as a flow."""
    mismatches = flow_schema().check(document.data)
    if mismatches:
        raise PackError(Problem("PP711", one.message, document.locate(one.path), one.hint) for one in mismatches)
    data: Mapping[str, Any] = document.data
    steps = {name: _step(name, value) for name, value in data["steps"].items()}
    return Flow(MappingProxyType(steps), tuple(data.get("tools", ())), document)


@cache
def flow_schema() -> schema.Schema:
    """Return the schema of a flow; it is read once."""
    return schema.compile(read_shipped("flow.schema.json"))


def _step(name: str, data: Mapping[str, Any]) -> Step:
    inputs = {key: _value(value, "steps", name, "inputs", key) for key, value in data.get("inputs", {}).items()}
    following = data.get("next", END)
    branches = None if isinstance(following, str) else Branches(following["by"], MappingProxyType(following["to"]))
    return Step(
        name,
        data["pack"],
        data.get("title", name),
        MappingProxyType(inputs),
        data.get("action", ""),
        following if isinstance(following, str) else END,
        branches,
    )


def _value(data: Any, *place: str) -> FlowValue:
    if data == "given":
        return CallerValue()
    if "from" in data:
        return ReplyValue(data["from"], data.get("action", ""), data.get("path", ""), place)
    if "fields" in data:
        return ObjectValue({name: _value(inner, *place, "fields", name) for name, inner in data["fields"].items()})
    return FixedValue(data["value"])
