"""`flow.yaml` -> `FlowFile`: validate it against its JSON Schema, with a location for every problem."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from promptpack import schema
from promptpack.document import Document, parse
from promptpack.files import Folder
from promptpack.flow.model import (
    END,
    CallerValue,
    FirstValue,
    FixedValue,
    FlowFile,
    FlowValue,
    Next,
    ObjectValue,
    ReplyValue,
    Step,
)
from promptpack.library.contents import FLOW
from promptpack.pack.pack_schema import find_mismatches, find_misread, read_shipped
from promptpack.problem import PackError, Problem
from promptpack.schema.pointers import ValuePath

FILE = FLOW


def find(folder: Folder) -> FlowFile | None:
    """Read the flow of a folder of packs; return None when it has none, raise all problems of the file."""
    return read(parse(folder.read(FILE), folder.show(FILE))) if folder.exists(FILE) else None


def read_text(folder: Folder, text: str) -> FlowFile:
    """Read a text as the flow of a folder, such as an unsaved buffer of an editor."""
    return read(parse(text, folder.show(FILE)))


def read(document: Document) -> FlowFile:
    """Read a document as a flow."""
    problems = [
        Problem("PP711", one.message, (place.locate_key if one.at_key else place.locate)(one.path), _hint(one))
        for place, one in find_mismatches(flow_schema(), document)
    ]
    if problems:
        raise PackError(find_misread(document) or problems)
    data: Mapping[str, Any] = document.data
    steps = {name: _step(name, value) for name, value in data["steps"].items()}
    return FlowFile(MappingProxyType(steps), tuple(data.get("tools", ())), document)


def _hint(mismatch: schema.Mismatch) -> str:
    """Return the hint of a mismatch; a plain word in place of a value may be meant as a fixed value."""
    is_word = mismatch.keyword == "const" and mismatch.expected == "given"
    return (
        "write '{value: ...}' for a fixed value, or 'given' for one that the caller passes"
        if is_word
        else mismatch.hint
    )


@cache
def flow_schema() -> schema.Schema:
    """Return the schema of a flow; it is read once."""
    return schema.compile(read_shipped("flow.schema.json"))


def _step(name: str, data: Mapping[str, Any]) -> Step:
    inputs = {key: _value(value, key, ("steps", name, "inputs", key)) for key, value in data.get("inputs", {}).items()}
    title, action, limit = data.get("title", name), data.get("action", ""), data.get("limit", 0)
    return Step(name, data["pack"], title, MappingProxyType(inputs), action, _next(data.get("next", END)), limit)


def _next(data: str | Mapping[str, Any]) -> Next:
    if isinstance(data, str):
        return Next({"": data})
    to = data["to"]
    targets = {"": to} if isinstance(to, str) else to
    return Next(MappingProxyType(targets), data.get("by", ""), data.get("over", ""), data.get("done", ""))


def _value(data: Any, name: str, place: ValuePath) -> FlowValue:
    """Return a value; `name` is the name of the input or field that it is for."""
    if data == "given":
        return CallerValue(name)
    if "given" in data:
        return CallerValue(data["given"], data.get("path", ""), "item" in data)
    if "from" in data:
        return ReplyValue(data["from"], data.get("action", ""), data.get("path", ""), place, "item" in data)
    if "fields" in data:
        return ObjectValue({key: _value(one, key, (*place, "fields", key)) for key, one in data["fields"].items()})
    if "first" in data:
        return FirstValue(tuple(_value(one, name, (*place, "first", at)) for at, one in enumerate(data["first"])))
    return FixedValue(data["value"])
