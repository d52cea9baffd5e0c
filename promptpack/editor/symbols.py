"""Find the symbols at a cursor: inputs, keys of values, filters, tests, functions, tags, partials."""

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from promptpack.editor.buffer import Buffer
from promptpack.editor.cursor_word import CursorWord, find_block_start
from promptpack.editor.scope import find_names, find_schemas
from promptpack.linter.schema_lookup import properties_of
from promptpack.linter.subject import Subject
from promptpack.linter.types.lattice import AnyType, MappingType, Type, members
from promptpack.linter.types.lattice import describe as describe_type
from promptpack.pack.model import Input
from promptpack.template.language import FILTERS, FUNCTIONS, LOOP_ATTRIBUTES, LOOP_METHODS, TAGS, TESTS

_PACK_KEYS = ("agent", "locale", "name", "version")
_SETTING_TAG = re.compile(r"\{%-?\s*(for|set|macro)\s([^%]*)")
_GIVEN = {
    "pack": "The pack itself: `name`, `version`, `agent`, `locale`.",
    "reply_format": "The output instructions, written from the reply contract.",
    "reply": "The reply that is being checked.",
    "violations": "The violations of the reply: each has `code`, `path` and `message`.",
    "loop": "The loop around this place: `index`, `first`, `last` and more.",
}
_BLOCKS = ("each", "if", "raw")
_MAX_PARTIAL_LINES = 20


@dataclass(frozen=True, slots=True)
class Symbol:
    """A name, with a short and a full explanation."""

    name: str
    detail: str = ""
    text: str = ""

    @property
    def markdown(self) -> str:
        """The name and its explanation."""
        head = f"**{self.name}**" + (f" ({self.detail})" if self.detail else "")
        return f"{head}\n\n{self.text}".strip()


def find_symbols(buffer: Buffer, word: CursorWord) -> Iterator[Symbol]:
    """Yield all symbols that are valid at the cursor."""
    subject = buffer.subject
    match word.kind:
        case "filter":
            yield from (Symbol(name, "filter", _summary(function)) for name, function in sorted(FILTERS.items()))
        case "test":
            named = ((name, function) for name, function in sorted(TESTS.items()) if name.isidentifier())
            yield from (Symbol(name, "test", _summary(function)) for name, function in named)
        case "tag":
            yield from (Symbol(name, "tag") for name in TAGS)
        case "block":
            yield from (Symbol(name, "block") for name in _BLOCKS)
        case "partial" if subject is not None:
            yield from _partials(subject)
        case "pack" if subject is not None:
            yield from _packs(subject)
        case "input" if subject is not None:
            yield from (_input(declared) for declared in subject.inputs.values())
        case "rule" if subject is not None and subject.contract is not None:
            yield from (Symbol(rule.name, "rule") for rule in subject.contract.rules)
        case "value":
            yield from _values(buffer, word)
        case "attribute" if subject is not None:
            yield from _keys(buffer, word)
        case "name" if subject is not None:
            yield from (replace(one, name=f"'{one.name}'") for one in _values(buffer, word))
            yield from _names(buffer, subject, word.start)


def _values(buffer: Buffer, word: CursorWord) -> Iterator[Symbol]:
    """Yield the texts that the compared expression can be: actions, words of an enum."""
    (schemas,) = find_schemas(buffer, word.start, word.owner) if word.owner else ([],)
    for schema in schemas:
        words = schema.get("enum", [schema["const"]] if "const" in schema else [])
        yield from (Symbol(one, f"value of {word.owner}") for one in words if isinstance(one, str))


def _names(buffer: Buffer, subject: Subject, offset: int) -> Iterator[Symbol]:
    yield from (_input(declared) for declared in subject.inputs.values())
    types = find_names(buffer, offset)
    names = sorted(_set_before(buffer.text, offset) if types is None else types)
    for name, schemas in zip(names, find_schemas(buffer, offset, *names), strict=True):
        yield _set_here(name, schemas, (types or {}).get(name))
    yield from (Symbol(name, "given", text) for name, text in _GIVEN.items())
    if buffer.syntax == "jinja":
        yield from (Symbol(name, "function", _summary(function)) for name, function in FUNCTIONS.items())


def _set_here(name: str, schemas: list[Mapping[str, Any]], type_: Type | None) -> Symbol:
    """Explain a name that the template sets: by its schema if known, else by its type."""
    for schema in schemas:
        return Symbol(name, f"{_kind(schema)}, set here", str(schema.get("description", "")))
    return Symbol(name, "set here" if type_ is None else f"{_spell_type(type_)}, set here")


def _spell_type(type_: Type) -> str:
    spelled = ("any value" if isinstance(member, AnyType) else describe_type(member) for member in members(type_))
    return " or ".join(dict.fromkeys(spelled)) or "nothing"


def _set_before(text: str, offset: int) -> set[str]:
    """Return the names that the template sets before the cursor, in the block of the cursor."""
    above = text[max(find_block_start(text, offset), 0) : offset]
    found: set[str] = set()
    for tag, rest in _SETTING_TAG.findall(above):
        words = re.findall(r"\w+", rest)
        found.update(words[: words.index("in")] if tag == "for" and "in" in words else words[:1])
    return found


def _input(declared: Input) -> Symbol:
    words = [_kind(declared.schema)]
    words.append("required" if declared.required else "optional")
    words += ["untrusted"] if not declared.trusted else []
    words += ["secret"] if declared.secret else []
    return Symbol(declared.name, ", ".join(words), declared.description)


def _keys(buffer: Buffer, word: CursorWord) -> Iterator[Symbol]:
    owner = word.owner
    if owner == "pack":
        yield from (Symbol(name, "text") for name in _PACK_KEYS)
        return
    if owner == "loop":
        yield from (Symbol(name, "loop") for name in sorted(LOOP_ATTRIBUTES | LOOP_METHODS))
        return
    (schemas,) = find_schemas(buffer, word.start, owner)
    found = {name: inner for schema in schemas for name, inner in properties_of(schema, schema).items()}
    for name, schema in found.items():
        yield Symbol(name, _kind(schema), str(schema.get("description", "")))
    if not found:
        types = _keys_by_type(find_names(buffer, word.start) or {}, owner)
        yield from (Symbol(name, _spell_type(type_)) for name, type_ in types.items())


def _keys_by_type(types: Mapping[str, Type], path: str) -> dict[str, Type]:
    """Return the keys of a name, or of a value in it, by its type."""
    first, *keys = path.split(".")
    found: dict[str, Type] = {first: types[first]} if first in types else {}
    for key in (first, *keys):
        shapes = [one for one in members(found[key]) if isinstance(one, MappingType)] if key in found else []
        found = {name: known.type for shape in shapes for name, known in shape.properties.items()}
    return found


def _partials(subject: Subject) -> Iterator[Symbol]:
    for name, source in subject.engine.partials.items():
        lines = source.text.split("\n")
        shown = "\n".join(lines[:_MAX_PARTIAL_LINES]) + ("\n..." if len(lines) > _MAX_PARTIAL_LINES else "")
        fence = "`" * max(3, *(len(run) + 1 for run in re.findall(r"`+", shown) or [""]))
        yield Symbol(name, "partial", f"{fence}jinja\n{shown}\n{fence}")


def _packs(subject: Subject) -> Iterator[Symbol]:
    own = subject.identity[0]
    for document in subject.library.documents():
        data = document.data
        if data["name"] != own:
            major = str(data["version"]).split(".", maxsplit=1)[0]
            yield Symbol(f"{data['name']}@^{major}", "pack", str(data.get("description", "")))


def _kind(schema: Mapping[str, Any]) -> str:
    if isinstance(schema.get("enum"), list):
        return "one of " + ", ".join(str(word) for word in schema["enum"])
    kinds = schema.get("type", "any")
    return " or ".join(map(str, kinds)) if isinstance(kinds, list) else str(kinds)


def _summary(function: Any) -> str:
    """Return the first paragraph of the docstring of a function."""
    lines = (inspect.getdoc(function) or "").split("\n\n", 1)[0].split("\n")
    return " ".join(line.strip() for line in lines)
