"""The scope of a cursor: the names that the template around it has set, with their types, and the schemas they have."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from promptpack.editor.buffer import Buffer
from promptpack.editor.cursor import block_start, tag_start
from promptpack.linter.data_flow import InputOrigin, trace_template
from promptpack.linter.schema_lookup import schema_at
from promptpack.linter.subject import ParsedText, Subject
from promptpack.linter.types import env_at, rendering_env
from promptpack.linter.types.lattice import Type
from promptpack.problem import PackError
from promptpack.template import Source

_PROBE: Final = "probe__here"
_TAG: Final = re.compile(r"\{%[-+]?\s*(end)?(for|if|macro|call|with|filter|block|set)\b([^%]*)%\}")
_HEADER: Final = re.compile(r"[|>][-+]?\d?[ \t]*(?:#.*)?\Z")


def names_at(buffer: Buffer, offset: int) -> Mapping[str, Type] | None:
    """Give the names that can be seen at a place because the template has set them; None when nobody can tell."""
    subject, before = buffer.subject, _before(buffer, offset)
    if subject is None or before is None:
        return None
    known = rendering_env(subject.sketch)
    source = Source.of_text(_closed(before, _PROBE))
    try:
        found = env_at(source, subject.engine, known, _PROBE)
    except PackError:
        return None  # half typed
    types = {} if found is None else {name: found.get(name) for name in found.types if name not in known.types}
    return {name: one for name, one in types.items() if one is not None}


def origins_at(buffer: Buffer, offset: int, expression: str) -> tuple[InputOrigin, ...]:
    """Give the inputs that an expression at a place takes its value from, and the keys on the way."""
    subject, before = buffer.subject, _before(buffer, offset)
    if subject is None or before is None:
        return ()
    source = Source.of_text(_closed(before, expression))
    try:
        tree = subject.engine.read(source)
    except PackError:
        return ()  # half typed
    printed = trace_template(ParsedText("content", source, tree), subject.partials)
    last = max((found.position for found in printed if found.text.source is source), default=0)
    return tuple(found.origin for found in printed if found.position == last and found.text.source is source)


def schemas_at(buffer: Buffer, offset: int, expression: str) -> Iterator[Mapping[str, Any]]:
    """Give the schemas of an expression's value, where they are known."""
    for origin in origins_at(buffer, offset, expression):
        found = _schema(buffer.subject, origin) if buffer.subject else None
        if found is not None:
            yield found


def _schema(subject: Subject, origin: InputOrigin) -> Mapping[str, Any] | None:
    declared = subject.inputs.get(origin.input)
    if declared is None or origin.filters:
        return None
    found = schema_at(declared.schema, origin.keys)
    return None if found is None else {**found, "$defs": declared.schema.get("$defs", {})}


def _before(buffer: Buffer, offset: int) -> str | None:
    """Give the text of the template before the tag that a place is in."""
    start = tag_start(buffer.text, offset, buffer.syntax)
    if start is None or buffer.syntax != "jinja":
        return None
    line_start = buffer.text.rfind("\n", 0, start) + 1
    opened = block_start(buffer.text, offset)
    header_end = buffer.text.find("\n", opened)
    if opened >= 0 and _HEADER.search(buffer.text[opened:header_end]):
        return buffer.text[header_end + 1 : start]
    return buffer.text[line_start:start].partition(": ")[2]


def _closed(before: str, expression: str) -> str:
    """Print an expression after a text, and close what the text has left open."""
    waiting: list[str] = []
    for tag in _TAG.finditer(before):
        if tag[1]:
            waiting = waiting[:-1]
        elif tag[2] != "set" or "=" not in tag[3]:
            waiting.append(tag[2])
    ends = "".join(f"{{% end{name} %}}" for name in reversed(waiting))
    return f"{before}{{{{ {expression} }}}}{ends}"
