"""The `slots:` of a pack: texts become templates, `${NAME}` an input's value, and the output a schema of live types."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from promptpack.pack.model import InputValue
from promptpack.pack.output.output_format import infer_output_format
from promptpack.pack.output.output_schema import read_output_schema
from promptpack.pack.output.type_entry import TypeEntry
from promptpack.problem import PackError
from promptpack.template import Template

if TYPE_CHECKING:
    from promptpack.pack.link import Linker
    from promptpack.pack.placed import Placed
    from promptpack.pack.sections import Sections
    from promptpack.template.model import Syntax


_PLACEHOLDER: Final = re.compile(r"\$\{\s*([^}]+?)\s*\}")
_TAGS: Final[Mapping[Syntax, tuple[str, ...]]] = {"jinja": ("{{", "{%", "{#"), "handlebars": ("{{",)}
# Slots that say how to ask, and not what.
_ASK_NOTHING: Final = frozenset(
    ("system", "developer", "chat_history", "tools", "action_results", "examples", "output_format", "options")
)


def link_slots(sections: Sections, linker: Linker) -> dict[str, Any]:
    """Compile the slots of a pack; problems are kept by the linker."""
    if sections.slots and not sections.abstract and _ASK_NOTHING.issuperset(sections.slots):
        first = next(iter(sections.slots.values()))
        hint = "add 'input', 'info', 'instruct', 'output', 'attachment' or a slot of your own"
        linker.problems.append(first.problem("PP241", "the slots ask nothing", hint, key=True))
    return {name: _slot(name, placed, linker) for name, placed in sections.slots.items()}


def asked_output(slots: Mapping[str, Any]) -> Any:
    """Give the output when it asks for JSON, and so is a contract; None when any text will do."""
    written = slots.get("output_format")
    output, kind = infer_output_format(thawed(slots.get("output")), None if written is None else str(written))
    return frozen(output) if kind == "json" and isinstance(output, dict | list) else None


def frozen(value: Any) -> Any:
    """Make a schema immutable: lists become tuples, described types stay what they are."""
    if isinstance(value, dict):
        return MappingProxyType({key: frozen(item) for key, item in value.items()})
    if isinstance(value, TypeEntry):
        return value.convert(frozen)
    if isinstance(value, tuple):
        return TypeEntry([frozen(item) for item in value])
    return tuple(frozen(item) for item in value) if isinstance(value, list) else value


def thawed(value: Any) -> Any:
    """Make what `frozen` froze into plain data again."""
    if isinstance(value, Mapping):
        return {key: thawed(item) for key, item in value.items()}
    if isinstance(value, TypeEntry):
        return value.convert(thawed)
    return [thawed(item) for item in value] if isinstance(value, tuple) else value


def _slot(name: str, placed: Placed, linker: Linker) -> Any:
    syntax: Syntax = placed.document.data.get("syntax", "jinja")
    if name == "output":
        return _output(placed, syntax, linker)
    return _value(placed, syntax, linker)


def _value(placed: Placed, syntax: Syntax, linker: Linker) -> Any:
    match placed.value:
        case str() as text:
            whole = _PLACEHOLDER.fullmatch(text.strip())
            if whole:
                return InputValue(linker.input_name(placed, whole[1]))
            return _template(placed, syntax, linker)
        case dict() as mapping:
            return MappingProxyType({key: _value(placed.child(key), syntax, linker) for key in mapping})
        case list() as items:
            return tuple(_value(placed.child(index), syntax, linker) for index in range(len(items)))
        case value:
            return value


def _template(placed: Placed, syntax: Syntax, linker: Linker) -> Template:
    for name in _misplaced(placed.value, linker):
        message = f"'${{{name}}}' stands for the value itself, and so must stand alone"
        linker.problems.append(placed.problem("PP243", message, f"write {{{{ {name} }}}} inside a text"))
    return linker.template(placed, syntax)


def _misplaced(text: str, linker: Linker) -> Iterator[str]:
    return (found[1] for found in _PLACEHOLDER.finditer(text) if found[1] in linker.inputs)


def _output(placed: Placed, syntax: Syntax, linker: Linker) -> Any:
    data = _with_templates(placed, syntax, linker)
    try:
        schema = read_output_schema(data, locate=lambda path: placed.locate(*path), texts=(str, Template))
    except PackError as error:
        linker.problems += error.problems
        return ""
    if isinstance(schema, TypeEntry):
        hint = "name the fields of the reply, as in `answer: {$type: str}`, or leave 'output' out for plain text"
        linker.problems.append(placed.problem("PP244", "the output is a single type, without a field", hint, key=True))
    return frozen(schema)


def _with_templates(placed: Placed, syntax: Syntax, linker: Linker) -> Any:
    """Compile the texts that have tags; all others are left for the names of types among them to be read."""
    match placed.value:
        case str() as text:
            is_template = any(tag in text for tag in _TAGS[syntax]) or any(_misplaced(text, linker))
            return _template(placed, syntax, linker) if is_template else text
        case dict() as mapping:
            return {key: _with_templates(placed.child(key), syntax, linker) for key in mapping}
        case list() as items:
            return [_with_templates(placed.child(index), syntax, linker) for index in range(len(items))]
        case value:
            return value
