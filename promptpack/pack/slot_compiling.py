"""Compile the `slots:` of a pack: texts to templates, `${NAME}` to the value of an input, `output` to types."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from promptpack.pack.model import InputValue
from promptpack.pack.output.output_schema import read_output_schema
from promptpack.pack.output.type_entry import TypeEntry, infer_output_format
from promptpack.problem import PackError
from promptpack.template.model import Syntax, Template

if TYPE_CHECKING:
    from promptpack.pack.pack_compiler import PackCompiler
    from promptpack.pack.placed import Placed
    from promptpack.pack.sections import Sections


_PLACEHOLDER: Final = re.compile(r"\$\{\s*([^}]+?)\s*\}")
_TAGS: Final[Mapping[Syntax, tuple[str, ...]]] = {"jinja": ("{{", "{%", "{#"), "handlebars": ("{{",)}
# Slots that contain no request to the model.
_WITHOUT_REQUEST: Final = frozenset(
    ("system", "developer", "chat_history", "tools", "action_results", "examples", "output_format", "options")
)


def compile_slots(sections: Sections, compiler: PackCompiler) -> dict[str, Any]:
    """Compile the slots of a pack; the compiler collects the problems."""
    if sections.slots and not sections.abstract and _WITHOUT_REQUEST.issuperset(sections.slots):
        first = next(iter(sections.slots.values()))
        hint = "add 'input', 'info', 'instruct', 'output', 'attachment' or a custom slot"
        compiler.problems.append(first.problem("PP241", "the slots contain no request to the model", hint, key=True))
    return {name: _compile_slot(name, placed, compiler) for name, placed in sections.slots.items()}


def find_json_output(slots: Mapping[str, Any]) -> Any:
    """Return the output if it requires JSON, so that it is a contract; None if any text is allowed."""
    written = slots.get("output_format")
    output, kind = infer_output_format(thaw(slots.get("output")), None if written is None else str(written))
    return freeze(output) if kind == "json" and isinstance(output, dict | list) else None


def freeze(value: Any) -> Any:
    """Return an immutable copy of a schema: lists become tuples, and tuples become `TypeEntry`."""
    if isinstance(value, dict):
        return MappingProxyType({key: freeze(item) for key, item in value.items()})
    if isinstance(value, TypeEntry):
        return value.convert(freeze)
    if isinstance(value, tuple):
        return TypeEntry([freeze(item) for item in value])
    return tuple(freeze(item) for item in value) if isinstance(value, list) else value


def thaw(value: Any) -> Any:
    """Return plain data again: the reverse of `freeze`."""
    if isinstance(value, Mapping):
        return {key: thaw(item) for key, item in value.items()}
    if isinstance(value, TypeEntry):
        return value.convert(thaw)
    return [thaw(item) for item in value] if isinstance(value, tuple) else value


def _compile_slot(name: str, placed: Placed, compiler: PackCompiler) -> Any:
    syntax: Syntax = placed.document.data.get("syntax", "jinja")
    if name == "output":
        return _compile_output(placed, syntax, compiler)
    return placed.convert_texts(lambda text: _compile_value(text, syntax, compiler))


def _compile_value(placed: Placed, syntax: Syntax, compiler: PackCompiler) -> Template | InputValue:
    whole = _PLACEHOLDER.fullmatch(placed.value.strip())
    return InputValue(compiler.check_input_name(placed, whole[1])) if whole else _compile_text(placed, syntax, compiler)


def _compile_text(placed: Placed, syntax: Syntax, compiler: PackCompiler) -> Template:
    for name in _find_embedded(placed.value, compiler):
        message = f"'${{{name}}}' inserts a value, not text, so it must be the whole text"
        compiler.problems.append(placed.problem("PP243", message, f"write {{{{ {name} }}}} within a text"))
    return compiler.compile_template(placed, syntax)


def _find_embedded(text: str, compiler: PackCompiler) -> Iterator[str]:
    return (found[1] for found in _PLACEHOLDER.finditer(text) if found[1] in compiler.inputs)


def _compile_output(placed: Placed, syntax: Syntax, compiler: PackCompiler) -> Any:
    data = thaw(placed.convert_texts(lambda text: _compile_tags(text, syntax, compiler)))
    try:
        schema = read_output_schema(data, locate=lambda path: placed.locate(*path), texts=(str, Template))
    except PackError as error:
        compiler.problems += error.problems
        return ""
    if isinstance(schema, TypeEntry):
        hint = "name the fields of the reply, as in `answer: {$type: str}`, or remove 'output' for plain text"
        compiler.problems.append(placed.problem("PP244", "the output is a single type without a field", hint, key=True))
    return freeze(schema)


def _compile_tags(placed: Placed, syntax: Syntax, compiler: PackCompiler) -> Template | str:
    """Compile a text with tags; any other text stays a text, since it may be a type name."""
    text: str = placed.value
    is_template = any(tag in text for tag in _TAGS[syntax]) or any(_find_embedded(text, compiler))
    return _compile_text(placed, syntax, compiler) if is_template else text
