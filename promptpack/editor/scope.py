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

_PROBE: Final = "probe__here"
_TAG: Final = re.compile(r"\{%[-+]?\s*(end)?(for|if|macro|call|with|filter|block|set)\b([^%]*)%\}")
_HEADER: Final = re.compile(r"[|>][-+]?\d?[ \t]*(?:#.*)?\Z")


def find_names(buffer: Buffer, offset: int) -> Mapping[str, Type] | None:
    """Return the types of the names that the template sets before an offset; None if they are unknown."""
    subject, before = buffer.subject, _text_before(buffer, offset)
    if subject is None or before is None:
        return None
    source = Source.of_text(_close_blocks(before, _PROBE))
    try:
        return names_set_before(_PROBE, source, subject.compiled)
    except PackError:
        return None  # half typed


def find_origins(buffer: Buffer, offset: int, expression: str) -> tuple[InputOrigin, ...]:
    """Return the inputs and keys that the value of an expression at an offset comes from."""
    subject, before = buffer.subject, _text_before(buffer, offset)
    if subject is None or before is None:
        return ()
    source = Source.of_text(_close_blocks(before, expression))
    try:
        tree = subject.engine.parse(source)
    except PackError:
        return ()  # half typed
    printed = trace_template(ParsedText("content", source, tree), subject.partials, subject.dependencies)
    last = max((found.position for found in printed if found.text.source is source), default=0)
    return tuple(found.origin for found in printed if found.position == last and found.text.source is source)


def find_schemas(buffer: Buffer, offset: int, expression: str) -> Iterator[Mapping[str, Any]]:
    """Yield the known schemas of the value of an expression."""
    for origin in find_origins(buffer, offset, expression):
        found = _schema(buffer.subject, origin) if buffer.subject else None
        if found is not None:
            yield found


def _schema(subject: Subject, origin: InputOrigin) -> Mapping[str, Any] | None:
    declared = subject.inputs.get(origin.input)
    if declared is None or origin.filters:
        return None
    found = schema_at(declared.schema, origin.keys)
    return None if found is None else {**found, "$defs": declared.schema.get("$defs", {})}


def _text_before(buffer: Buffer, offset: int) -> str | None:
    """Return the text of the template before the tag at an offset."""
    start = find_tag_start(buffer.text, offset, buffer.syntax)
    if start is None or buffer.syntax != "jinja":
        return None
    line_start = buffer.text.rfind("\n", 0, start) + 1
    opened = find_block_start(buffer.text, offset)
    header_end = buffer.text.find("\n", opened)
    if opened >= 0 and _HEADER.search(buffer.text[opened:header_end]):
        return buffer.text[header_end + 1 : start]
    return buffer.text[line_start:start].partition(": ")[2]


def _close_blocks(before: str, expression: str) -> str:
    """Return a template that prints an expression after a text and closes its open blocks."""
    open_blocks: list[str] = []
    for tag in _TAG.finditer(before):
        if tag[1]:
            open_blocks = open_blocks[:-1]
        elif tag[2] != "set" or "=" not in tag[3]:
            open_blocks.append(tag[2])
    ends = "".join(f"{{% end{name} %}}" for name in reversed(open_blocks))
    return f"{before}{{{{ {expression} }}}}{ends}"
