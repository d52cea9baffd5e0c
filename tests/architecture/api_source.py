"""Reads signatures, fields and docstrings from the source of the package, as its authors wrote them."""

import ast
import inspect
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Literal, TypeAlias, get_args, get_origin

Definition: TypeAlias = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.Assign | ast.AnnAssign


@dataclass(frozen=True)
class Field:
    """An annotated attribute of a class, with the docstring below it."""

    name: str
    type: str
    default: str
    doc: str
    module: str = ""

    @property
    def types(self) -> str:
        """All types in its line."""
        return self.type


@dataclass(frozen=True)
class Function:
    """A function, a method or a property."""

    name: str
    prefix: str
    parameters: tuple[str, ...]
    returns: str
    doc: str
    is_property: bool = False
    names: tuple[str, ...] = ()
    """The names of its parameters."""
    module: str = ""

    @property
    def types(self) -> str:
        """All types in its signature."""
        return " ".join((*self.parameters, self.returns))


Member: TypeAlias = Field | Function


@cache
def parse(module: str) -> ast.Module:
    """Parse a module."""
    return ast.parse(Path(inspect.getfile(import_module(module))).read_text(encoding="utf-8"))


def find_definition(module: str, name: str) -> tuple[Definition, str, str]:
    """Return where a name is defined, the docstring below it, and its module; follow imports."""
    body = list(_statements(parse(module).body))
    for index, node in enumerate(body):
        if _defined(node) == name:
            assert isinstance(node, Definition)
            return node, _doc_below(body, index), module
    for node in body:
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("promptpack"):
            continue
        if any((one.asname or one.name) == name for one in node.names):
            return find_definition(node.module or "", name)
    raise LookupError(f"{module}.{name}")


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        yield node
        if isinstance(node, ast.If):
            yield from _statements(node.body)


def _defined(node: ast.stmt) -> str:
    if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return node.name
    target = (
        node.targets[0] if isinstance(node, ast.Assign) else node.target if isinstance(node, ast.AnnAssign) else None
    )
    return target.id if isinstance(target, ast.Name) else ""


def _doc_below(body: list[ast.stmt], index: int) -> str:
    below = body[index + 1] if index + 1 < len(body) else None
    if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant) and isinstance(below.value.value, str):
        return inspect.cleandoc(below.value.value)
    return ""


def read_alias(node: Definition) -> str:
    """Return the value of a constant or of a type alias, with short names."""
    assert isinstance(node, ast.Assign | ast.AnnAssign)
    assert node.value is not None
    return _short(node.value)


def members(cls: type) -> Iterator[Member]:
    """Yield the public members that a class itself defines, and its constructor."""
    node, _, module = find_definition(cls.__module__, cls.__name__)
    assert isinstance(node, ast.ClassDef)
    for index, one in enumerate(node.body):
        name = _defined(one)
        if name.startswith("_") and name != "__init__":
            continue
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef):
            if not any(ast.unparse(decorator).endswith(".setter") for decorator in one.decorator_list):
                yield function_of(one, module)
        elif isinstance(one, ast.AnnAssign) and not ast.unparse(one.annotation).startswith("ClassVar"):
            default = _default(one.value, module)
            yield Field(name, _short(one.annotation), default, _doc_below(node.body, index), module)


def _default(value: ast.expr | None, module: str) -> str:
    if isinstance(value, ast.Call) and ast.unparse(value.func) in ("field", "Field", "dataclasses.field"):
        options = {one.arg: one.value for one in value.keywords}
        default = options.get("default") or (value.args[0] if value.args else None)
        return "..." if "default_factory" in options else _default(default, module)
    return "" if value is None else _value(value, module)


def function_of(node: ast.FunctionDef | ast.AsyncFunctionDef, module: str) -> Function:
    """Read a function."""
    decorators = {ast.unparse(one) for one in node.decorator_list}
    is_async = isinstance(node, ast.AsyncFunctionDef)
    parameters = tuple(_parameters(node.args, module))
    names = tuple(one.split(":")[0].split(" =")[0] for one in parameters if one not in ("*", "/"))
    return Function(
        node.name,
        "async " if is_async else "",
        parameters,
        _short(node.returns) if node.returns else "None",
        inspect.cleandoc(ast.get_docstring(node) or ""),
        bool(decorators & {"property", "cached_property"}),
        names,
        module,
    )


def _parameters(arguments: ast.arguments, module: str) -> Iterator[str]:
    plain = [*arguments.posonlyargs, *arguments.args]
    missing = [None] * (len(plain) - len(arguments.defaults))
    for index, (one, default) in enumerate(zip(plain, [*missing, *arguments.defaults], strict=True)):
        if not (index == 0 and one.arg in ("self", "cls")):
            yield _parameter(one, default, module)
        if index + 1 == len(arguments.posonlyargs) and plain[0].arg != one.arg:
            yield "/"
    if arguments.vararg:
        yield "*" + _parameter(arguments.vararg, None, module)
    elif arguments.kwonlyargs:
        yield "*"
    for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield _parameter(one, default, module)
    if arguments.kwarg:
        yield "**" + _parameter(arguments.kwarg, None, module)


def _parameter(one: ast.arg, default: ast.expr | None, module: str) -> str:
    annotation = f": {_short(one.annotation)}" if one.annotation else ""
    return one.arg + annotation + (f" = {_value(default, module)}" if default is not None else "")


def _value(default: ast.expr, module: str) -> str:
    """Return a default as written, or the value of a constant."""
    text = ast.unparse(default)
    if not isinstance(default, ast.Name | ast.Attribute) or not hasattr(import_module(module), text.split(".")[0]):
        return text
    value = attrgetter(text)(import_module(module))
    return f"{value.__module__}.{value.__name__}" if callable(value) else repr(value)


def _short(annotation: ast.expr) -> str:
    """Return a type without quotes and without the modules of its names."""
    return ast.unparse(_Short().visit(ast.parse(ast.unparse(annotation), mode="eval").body))


class _Short(ast.NodeTransformer):
    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        return ast.Name(node.attr)

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if not isinstance(node.value, str):
            return node
        parsed: ast.expr = self.visit(ast.parse(node.value, mode="eval").body)
        return parsed

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        return node if ast.unparse(node.value) == "Literal" else self.generic_visit(node)


def read_literals(one: Member) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the names and the words of the `Literal` types of a member."""
    for name in re.findall(r"\b[A-Z]\w+", one.types):
        with suppress(LookupError):
            node, _, module = find_definition(one.module, name)
            value = getattr(import_module(module), name) if isinstance(node, ast.Assign | ast.AnnAssign) else None
            if get_origin(value) is Literal:
                yield name, get_args(value)
