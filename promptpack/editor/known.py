"""What can be said about a name in a template: inputs, keys of values, filters, tests, functions, tags, partials."""

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from promptpack.editor.buffer import Buffer
from promptpack.editor.cursor import Cursor, block_start
from promptpack.editor.scope import names_at, schemas_at
from promptpack.linter.subject import Subject
from promptpack.linter.types.lattice import Anything, MappingOf, Type, members
from promptpack.linter.types.lattice import describe as describe_type
from promptpack.pack import Input
from promptpack.template.language import FILTERS, FUNCTIONS, LOOP_ATTRIBUTES, LOOP_METHODS, TAGS, TESTS

_PACK_KEYS = ("agent", "locale", "name", "version")
_SET_HERE = re.compile(r"\{%-?\s*(?:for\s+(?P<loop>[\w\s,]+?)\s+in\b|(?:set|macro)\s+(?P<name>\w+))")
_GIVEN = {
    "pack": "The pack itself: `name`, `version`, `agent`, `locale`.",
    "reply_format": "The output instructions, written from the reply contract.",
    "reply": "The reply that is being judged.",
    "violations": "What is wrong with the reply: each has `path`, `rule`, `message` and `code`.",
    "loop": "The loop around this place: `index`, `first`, `last` and more.",
}
_BLOCKS = ("each", "if", "raw")
_PARTIAL_LINES = 20
# References may go in circles.
_DEEPEST_REFERENCE = 8


@dataclass(frozen=True, slots=True)
class Known:
    """A name, in a few words and in full."""

    name: str
    detail: str = ""
    text: str = ""

    @property
    def markdown(self) -> str:
        """The name, explained."""
        head = f"**{self.name}**" + (f" ({self.detail})" if self.detail else "")
        return f"{head}\n\n{self.text}".strip()


def known_at(buffer: Buffer, cursor: Cursor) -> Iterator[Known]:
    """Give everything that may stand where the cursor is."""
    subject = buffer.subject
    match cursor.kind:
        case "filter":
            yield from (Known(name, "filter", _summary(function)) for name, function in sorted(FILTERS.items()))
        case "test":
            named = ((name, function) for name, function in sorted(TESTS.items()) if name.isidentifier())
            yield from (Known(name, "test", _summary(function)) for name, function in named)
        case "tag":
            yield from (Known(name, "tag") for name in TAGS)
        case "block":
            yield from (Known(name, "block") for name in _BLOCKS)
        case "partial" if subject is not None:
            yield from _partials(subject)
        case "pack" if subject is not None:
            yield from _packs(subject)
        case "input" if subject is not None:
            yield from (_input(declared) for declared in subject.inputs.values())
        case "attribute" if subject is not None:
            yield from _keys(buffer, subject, cursor)
        case "name" if subject is not None:
            yield from _names(buffer, subject, cursor.start)


def _names(buffer: Buffer, subject: Subject, offset: int) -> Iterator[Known]:
    yield from (_input(declared) for declared in subject.inputs.values())
    types = names_at(buffer, offset)
    for name in sorted(_set_before(buffer.text, offset) if types is None else types):
        yield _set_here(buffer, offset, name, (types or {}).get(name))
    yield from (Known(name, "given", text) for name, text in _GIVEN.items())
    if buffer.syntax == "jinja":
        yield from (Known(name, "function", _summary(function)) for name, function in FUNCTIONS.items())


def _set_here(buffer: Buffer, offset: int, name: str, one: Type | None) -> Known:
    """Tell what is known of a name that the template sets: what its schema says, or else what the types say."""
    schema = next(schemas_at(buffer, offset, name), None)
    if schema is not None:
        return Known(name, f"{_kind(schema)}, set here", str(schema.get("description", "")))
    return Known(name, "set here" if one is None else f"{_spelt(one)}, set here")


def _spelt(one: Type) -> str:
    spelt = ("any value" if isinstance(member, Anything) else describe_type(member) for member in members(one))
    return " or ".join(dict.fromkeys(spelt)) or "nothing"


def _set_before(text: str, offset: int) -> set[str]:
    """Find the names that the template sets above the cursor, in the block that the cursor stands in."""
    above = text[max(block_start(text, offset), 0) : offset]
    found: set[str] = set()
    for match in _SET_HERE.finditer(above):
        found.update(re.findall(r"\w+", match["loop"] or match["name"]))
    return found


def _input(declared: Input) -> Known:
    words = [_kind(declared.schema)]
    words.append("required" if declared.required else "optional")
    words += ["untrusted"] if not declared.trusted else []
    words += ["secret"] if declared.secret else []
    return Known(declared.name, ", ".join(words), declared.description)


def _keys(buffer: Buffer, subject: Subject, cursor: Cursor) -> Iterator[Known]:
    owner = cursor.owner
    if owner == "pack":
        yield from (Known(name, "text") for name in _PACK_KEYS)
        return
    if owner == "loop":
        yield from (Known(name, "loop") for name in sorted(LOOP_ATTRIBUTES | LOOP_METHODS))
        return
    found = dict(properties_of(subject, owner))
    for schema in () if found else schemas_at(buffer, cursor.start, owner):
        found |= _properties(schema, schema)
    for name, schema in found.items():
        yield Known(name, _kind(schema), str(schema.get("description", "")))
    if not found:
        yield from (
            Known(name, _spelt(one)) for name, one in _fields(names_at(buffer, cursor.start) or {}, owner).items()
        )


def _fields(types: Mapping[str, Type], path: str) -> dict[str, Type]:
    """Give the keys that a name of the template has by its type."""
    first, *steps = path.split(".")
    found: dict[str, Type] = {first: types[first]} if first in types else {}
    for step in (first, *steps):
        shapes = [one for one in members(found[step]) if isinstance(one, MappingOf)] if step in found else []
        found = {name: field.type for shape in shapes for name, field in shape.fields.items()}
    return found


def properties_of(subject: Subject, path: str) -> Mapping[str, Mapping[str, Any]]:
    """Give the keys that a value has by its schema: an input or the reply, or a value inside of them."""
    first, *steps = path.split(".")
    if first in subject.inputs:
        root: Mapping[str, Any] = subject.inputs[first].schema
    elif first == "reply" and subject.contract is not None:
        root = subject.contract.shape()
        if steps[:1] == ["params"] and subject.contract.has_actions:
            return _of_params(subject, steps[1:])
    else:
        return {}
    return _walk(root, steps)


def _of_params(subject: Subject, steps: list[str]) -> Mapping[str, Mapping[str, Any]]:
    found: dict[str, Mapping[str, Any]] = {}
    actions = subject.contract.actions.values() if subject.contract else ()
    for action in actions:
        found.update(_walk(action.params or {}, steps))
    return found


def _walk(root: Mapping[str, Any], steps: list[str]) -> Mapping[str, Mapping[str, Any]]:
    found = _properties(root, root)
    for step in steps:
        if step not in found:
            return {}
        found = _properties(found[step], root)
    return found


def _properties(schema: Mapping[str, Any], root: Mapping[str, Any], depth: int = 0) -> dict[str, Mapping[str, Any]]:
    if depth > _DEEPEST_REFERENCE:
        return {}
    reference = schema.get("$ref")
    found: dict[str, Mapping[str, Any]] = {}
    if isinstance(reference, str) and reference.startswith("#/$defs/"):
        name = reference.removeprefix("#/$defs/").replace("~1", "/").replace("~0", "~")
        target = root.get("$defs", {}).get(name)
        found.update(_properties(target, root, depth + 1) if isinstance(target, Mapping) else {})
    for part in schema.get("allOf", ()):
        found.update(_properties(part, root, depth + 1) if isinstance(part, Mapping) else {})
    own = schema.get("properties", {})
    return {**found, **{name: value for name, value in own.items() if isinstance(value, Mapping)}}


def _partials(subject: Subject) -> Iterator[Known]:
    for name, source in subject.engine.partials.items():
        lines = source.text.split("\n")
        shown = "\n".join(lines[:_PARTIAL_LINES]) + ("\n..." if len(lines) > _PARTIAL_LINES else "")
        fence = "`" * max(3, *(len(run) + 1 for run in re.findall(r"`+", shown) or [""]))
        yield Known(name, "partial", f"{fence}jinja\n{shown}\n{fence}")


def _packs(subject: Subject) -> Iterator[Known]:
    own = subject.identity[0]
    for document in subject.library.documents():
        data = document.data
        if data["name"] != own:
            major = str(data["version"]).split(".", maxsplit=1)[0]
            yield Known(f"{data['name']}@^{major}", "pack", str(data.get("description", "")))


def _kind(schema: Mapping[str, Any]) -> str:
    if isinstance(schema.get("enum"), list):
        return "one of " + ", ".join(str(word) for word in schema["enum"])
    kinds = schema.get("type", "any")
    return " or ".join(map(str, kinds)) if isinstance(kinds, list) else str(kinds)


def _summary(function: Any) -> str:
    """Give the first sentence of what a function says about itself."""
    lines = (inspect.getdoc(function) or "").split("\n\n", 1)[0].split("\n")
    return " ".join(line.strip() for line in lines)
