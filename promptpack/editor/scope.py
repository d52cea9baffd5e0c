"""Find the names that a template sets before a cursor, with their types and schemas."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from promptpack.editor.buffer import Buffer
from promptpack.editor.cursor_word import find_block_start, find_tag_start
from promptpack.linter.data_flow import InputOrigin, trace_template
from promptpack.linter.parsed_texts import ParsedText
from promptpack.linter.schema_lookup import schema_at
from promptpack.linter.subject import Subject
from promptpack.linter.types import names_set_before
from promptpack.linter.types.lattice import Type
from promptpack.problem import PackError
from promptpack.template.model import Source
from promptpack.template.positions import decode

_PROBE: Final = "probe__here"
_TAG: Final = re.compile(r"\{%[-+]?\s*(end)?(for|if|macro|call|with|filter|block|set)\b([^%]*)%\}")
_HEADER: Final = re.compile(r"[|>][-+]?\d?[ \t]*(?:#.*)?\Z")


def find_names(buffer: Buffer, offset: int) -> Mapping[str, Type] | None:
    """Return the types of the names that the template sets before an offset; None if they are unknown."""
    subject, before = buffer.subject, _text_before(buffer, offset)
    if subject is None or before is None:
        return None
    try:
        return names_set_before(_PROBE, Source.of_text(_print_after(before, _PROBE)), subject.compiled)
    except PackError:
        return None  # half typed


def find_origins(buffer: Buffer, offset: int, *expressions: str) -> list[list[InputOrigin]]:
    """Return, for each expression at an offset, the inputs and keys that its value comes from."""
    origins: list[list[InputOrigin]] = [[] for _ in expressions]
    subject, before = buffer.subject, _text_before(buffer, offset)
    if subject is None or before is None:
        return origins
    # After text that is half typed, only the inputs are known.
    text = _parse(_print_after(before, *expressions), subject) or _parse(_print_after("", *expressions), subject)
    if text is not None:
        first = text.source.text.count("\n") + 2 - len(expressions)
        for found in trace_template(text, subject.partials, subject.dependencies):
            line = decode(found.position)[0]
            if found.text is text and line >= first:
                origins[line - first].append(found.origin)
    return origins


def find_schemas(buffer: Buffer, offset: int, *expressions: str) -> list[list[Mapping[str, Any]]]:
    """Return, for each expression at an offset, the known schemas of its value."""
    found = find_origins(buffer, offset, *expressions)
    return [[schema for origin in origins for schema in _schemas(buffer.subject, origin)] for origins in found]


def _schemas(subject: Subject | None, origin: InputOrigin) -> Iterator[Mapping[str, Any]]:
    roots: list[Mapping[str, Any]] = []
    keys = origin.keys
    if subject is None or origin.filters:
        return
    if origin.input in subject.inputs:
        roots = [subject.inputs[origin.input].schema]
    elif origin.input == "reply" and subject.contract is not None:
        roots = [subject.contract.json_schema()]
        if keys[:1] == ("params",) and subject.contract.has_actions:
            roots, keys = [action.params or {} for action in subject.contract.actions.values()], keys[1:]
    for root in roots:
        found = schema_at(root, keys)
        if found is not None:
            yield {**found, "$defs": root.get("$defs", {})}


def _parse(text: str, subject: Subject) -> ParsedText | None:
    source = Source.of_text(text)
    try:
        return ParsedText("content", source, tree=subject.engine.parse(source))
    except PackError:
        return None


def _text_before(buffer: Buffer, offset: int) -> str | None:
    """Return the text of the template before the tag at an offset; empty in an expression outside templates."""
    if buffer.syntax != "jinja":
        return None
    start = find_tag_start(buffer.text, offset)
    if start is None:
        return ""
    line_start = buffer.text.rfind("\n", 0, start) + 1
    opened = find_block_start(buffer.text, offset)
    header_end = buffer.text.find("\n", opened)
    if opened >= 0 and _HEADER.search(buffer.text[opened:header_end]):
        return buffer.text[header_end + 1 : start]
    return buffer.text[line_start:start].partition(": ")[2]


def _print_after(before: str, *expressions: str) -> str:
    """Return a template that prints each expression in a line after a text, and then closes the open blocks."""
    open_blocks: list[str] = []
    for tag in _TAG.finditer(before):
        if tag[1]:
            del open_blocks[-1:]
        elif tag[2] != "set" or "=" not in tag[3]:
            open_blocks.append(tag[2])
    printed = "".join(f"\n{{{{ {expression} }}}}" for expression in expressions)
    ends = "".join(f"{{% end{name} %}}" for name in reversed(open_blocks))
    return before + printed + ends
