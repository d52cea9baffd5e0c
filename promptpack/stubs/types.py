"""JSON Schemas -> Python types: pydantic models for objects with declared keys, literals for fixed words."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from unicodedata import east_asian_width

from promptpack.schema.strict.alternative import Alternative, ExpansionNode, implied_kinds, is_impossible
from promptpack.schema.strict.expansion import Expansion, ExpansionError
from promptpack.schema.supported_keywords import KINDS
from promptpack.stubs.python_names import RESERVED_FIELDS, Names, to_class_name, to_identifier

TypeExpression = tuple[str, ...]
"""The members of a union."""

WIDTH: Final = 120
_MAX_INLINE: Final = 60
_MAX_DEPTH: Final = 20
_SCALARS: Final = {"string": "str", "number": "float", "integer": "int", "boolean": "bool", "null": "None"}


@dataclass(frozen=True)
class ContainerTypes:
    """How generated code writes lists, objects with any keys, and objects with declared keys."""

    list_of: str
    any_object: str
    beside_models: TypeExpression = ()


REPLY: Final = ContainerTypes("list[{}]", "dict[str, Any]")
INPUT: Final = ContainerTypes("Sequence[{}]", "Mapping[str, Any]", ("Mapping[str, Any]",))


@dataclass
class TypeWriter:
    """Writes the types of schemas; `classes` collects the models and the names of long unions."""

    names: Names
    kinds: ContainerTypes
    classes: list[str] = field(default_factory=list)

    def write(self, schema: Mapping[str, Any], name: str) -> TypeExpression:
        """Return the type of the values that a schema accepts; `name` is a name for its model."""
        return _SchemaTypes(self, Expansion(schema)).write((schema,), name)

    def write_literal(self, words: Iterable[Any], name: str) -> TypeExpression:
        """Return the type of fixed words; a long one gets a name."""
        words = tuple(words)
        if not all(word is None or isinstance(word, str | int) for word in words):
            return ("Any",)
        shown = [quote(word) if isinstance(word, str) else repr(word) for word in words if word is not None]
        kind = f"Literal[{', '.join(shown)}]"
        if len(kind) > _MAX_INLINE:
            kind = self.names.choose(name)
            self.classes.append("\n".join([f"{kind}: TypeAlias = Literal[", *(f"    {word}," for word in shown), "]"]))
        return join_types(((kind,) if shown else (), ("None",) if None in words else ()))


@dataclass
class _SchemaTypes:
    writer: TypeWriter
    expansion: Expansion
    open_models: dict[frozenset[int], TypeExpression] = field(default_factory=dict)
    depth: int = 0

    def write(self, nodes: tuple[ExpansionNode, ...], name: str) -> TypeExpression:
        key = frozenset(map(id, nodes))
        if key and key in self.open_models:
            return self.open_models[key]
        try:
            alternatives = self.expansion.expand(nodes)
        except ExpansionError:
            return ("Any",)
        if self.depth >= _MAX_DEPTH:  # lists that contain themselves
            return ("Any",)
        self.depth += 1
        found = join_types(self._write_alternative(one, name, key) for one in alternatives)
        self.depth -= 1
        self.open_models.pop(key, None)
        return found

    def _write_alternative(self, one: Alternative, name: str, key: frozenset[int]) -> TypeExpression:
        words = one.fixed_words
        if words is not None:
            return self.writer.write_literal(words, name)
        kinds = sorted(one.kinds, key=KINDS.index) if one.kinds is not None else implied_kinds(one)
        return join_types(self._write_kind(kind, one, name, key) for kind in kinds)

    def _write_kind(self, kind: str, one: Alternative, name: str, key: frozenset[int]) -> TypeExpression:
        if kind == "object":
            return self._write_object(one, name, key)
        if kind != "array":
            return (_SCALARS[kind],)
        items = ("Any",) if one.prefix or not one.items else self.write(one.items, to_class_name(name, "item"))
        return (self.writer.kinds.list_of.format(show_type(items)),)

    def _write_object(self, one: Alternative, name: str, key: frozenset[int]) -> TypeExpression:
        properties = {declared: nodes for declared, nodes in one.properties.items() if not is_impossible(nodes)}
        if not properties:
            return (self.writer.kinds.any_object,)
        model = self.writer.names.choose(name)
        kind = (model, *self.writer.kinds.beside_models)
        self.open_models[key] = kind
        fields, names = [], Names(RESERVED_FIELDS)
        for declared, nodes in properties.items():
            inner = self.write(nodes, to_class_name(name, declared))
            field_name = names.choose(to_identifier(declared, "field"))
            fields += _write_field(field_name, declared, inner, is_required=declared in one.required)
        doc = write_doc(" ".join(one.descriptions) or f"An object with {', '.join(properties)}.")
        self.writer.classes.append("\n".join([f"class {model}(Model):", f"    {doc}", "", *fields]))
        return kind


def _write_field(name: str, declared: str, kind: TypeExpression, *, is_required: bool) -> list[str]:
    kind = kind if is_required else join_types((kind, ("None",)))
    value = "" if is_required else " = None"
    if name != declared:
        value = f" = Field({'' if is_required else 'default=None, '}alias={quote(declared)})"
    return write_typed(f"    {name}", kind, value)


def write_typed(name: str, kind: TypeExpression, value: str = "") -> list[str]:
    """Return a name with its type and value, over several lines if it is long."""
    line = f"{name}: {show_type(kind)}{value}"
    if len(line) <= WIDTH or len(kind) == 1:
        return [line]
    indent = " " * (len(name) - len(name.lstrip()))
    parts = [f"{indent}    {'| ' if index else ''}{part}" for index, part in enumerate(kind)]
    return [f"{name}: (", *parts, f"{indent}){value}"]


def show_type(kind: TypeExpression) -> str:
    """Return a type as code."""
    return " | ".join(kind)


def join_types(kinds: Iterable[TypeExpression]) -> TypeExpression:
    """Return the union of types; `Any` includes all others, and None comes last."""
    parts = list(dict.fromkeys(part for kind in kinds for part in kind))
    if "Any" in parts or not parts:
        return ("Any",)
    return tuple(sorted(parts, key=lambda part: part == "None"))


def quote(text: str) -> str:
    """Return a text as a literal; characters that are not printable are escaped."""
    escaped = "".join(
        one if one.isprintable() else one.encode("unicode_escape").decode("ascii")
        for one in text.replace("\\", "\\\\").replace('"', '\\"')
    )
    return f'"{escaped}"'


def write_doc(text: str) -> str:
    """Return a text as a docstring of one line."""
    words = " ".join("".join(one if one.isprintable() else " " for one in text).split())
    cut = _cut(words, WIDTH - 20)
    return '"""' + cut.replace("\\", "\\\\").replace('"', '\\"') + '"""'


def _cut(text: str, width: int) -> str:
    """Return the start of a text that fits; some characters are two columns wide, quotes and backslashes get one."""
    used = 0
    for index, one in enumerate(text):
        used += 2 if east_asian_width(one) in "FW" or one in '\\"' else 1
        if used > width:
            return f"{text[: index - 3].rstrip()}..."
    return text
