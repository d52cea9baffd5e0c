"""Writes `docs/reference/api.md` from the signatures and docstrings of the public modules.

Run `python -m tests.architecture.api_page > docs/reference/api.md` after a change.
"""

import ast
import inspect
import re
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib import import_module

from tests.architecture.api_source import (
    Field,
    Function,
    Member,
    find_definition,
    function_of,
    members,
    read_alias,
    read_literals,
)

MODULES = (
    "promptpack",
    "promptpack.batch",
    "promptpack.flow",
    "promptpack.providers",
    "promptpack.otel",
    "promptpack.stubs",
    "promptpack.testing",
    "promptpack.adapters",
    "promptpack.adapters.adk",
    "promptpack.adapters.agent_framework",
    "promptpack.adapters.haystack",
    "promptpack.adapters.langchain",
    "promptpack.adapters.langgraph",
    "promptpack.adapters.llama_index",
    "promptpack.adapters.openai_agents",
    "promptpack.adapters.pydantic_ai",
    "promptpack.adapters.semantic_kernel",
)
# In the docstring of a class that users do not construct.
FACTORY = re.compile(r"^Comes from `")
HEADING = re.compile(r"^(#+) (.*)$", re.MULTILINE)
HEAD = """\
# API

All public names, generated from the code. Everything else in the package may change without notice.

Classes with a list of fields take these fields as arguments, in this order; `AgentOutput` and other pydantic models take
them by name.
"""


def public_names(module: str) -> tuple[str, ...]:
    """Return the public names of a module."""
    return tuple(name for name in import_module(module).__all__ if not name.startswith("__"))


def write_api_page() -> str:
    """Return the text of `docs/reference/api.md`."""
    body = "\n".join((*(section for module in MODULES for section in write_module(module)), write_words()))
    return f"{HEAD}\n{''.join(write_contents(body))}\n{body}"


def write_words() -> str:
    """Return the section of the fixed words that arguments and fields accept."""
    functions = [one for module in MODULES for one in public_functions(module)]
    found = [
        *functions,
        *(one for cls in sorted(public_classes(), key=lambda cls: cls.__name__) for one in own_members(cls)),
    ]
    public = {name for module in MODULES for name in public_names(module)}
    words = {name: texts for one in found for name, texts in read_literals(one) if name not in public}
    lines = (f"- `{name}`: {', '.join(map(quote, texts))}\n" for name, texts in sorted(words.items()))
    return f"## Fixed words\n\nThese types have fixed words as values:\n{''.join(lines)}"


def quote(text: str) -> str:
    """Return a word as code."""
    return f"`{text}`" if text else "an empty text"


def public_functions(module: str) -> Iterator[Function]:
    """Yield the public functions of a module."""
    for name in public_names(module):
        node, _, home = find_definition(module, name)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield function_of(node, home)


def write_contents(body: str) -> Iterator[str]:
    """Yield the table of contents: a line per module, with links to its names."""
    seen: Counter[str] = Counter()
    links: dict[str, list[str]] = {}
    for level, title in HEADING.findall(body):
        slug = re.sub(r"[^\w-]", "", title.lower())
        anchor = f"{slug}-{seen[slug]}" if seen[slug] else slug
        seen[slug] += 1
        if level == "##":
            names = links[f"[`{title}`](#{anchor})"] = []
        elif level == "###":
            names.append(f"[{title}](#{anchor})")
    yield from (f"- {module}: {', '.join(names)}".rstrip(": ") + "\n" for module, names in links.items())


def write_module(module: str) -> Iterator[str]:
    """Yield the sections of a module: its docstring, then one section per name."""
    yield f"## {module}\n\n{inspect.getdoc(import_module(module))}\n"
    for name in sorted(public_names(module), key=lambda name: (name.islower(), name)):
        yield write_name(module, name)


def write_name(module: str, name: str) -> str:
    """Return the section of one public name."""
    node, doc, home = find_definition(module, name)
    if isinstance(node, ast.ClassDef):
        return write_class(getattr(import_module(module), name))
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return f"### {name}\n\n{write_function(function_of(node, home))}"
    return f"### {name}\n\n```py\n{name} = {read_alias(node)}\n```\n{doc}".rstrip() + "\n"


def write_class(cls: type) -> str:
    """Return the section of a class: docstring, constructor, fields, properties, methods."""
    base = next((one.__name__ for one in cls.__mro__[1:] if one in public_classes()), "")
    fields = [one for one in own_members(cls) if isinstance(one, Field)]
    functions = [one for one in own_members(cls) if isinstance(one, Function)]
    parts = [f"### {cls.__name__}\n\n{inspect.cleandoc(cls.__doc__ or '')}\n"]
    parts += [f"Base class: `{base}`.\n"] if base else []
    parts += [write_function(one, cls.__name__) for one in functions if one.name == "__init__"]
    parts += [f"Fields:\n{''.join(map(write_field, fields))}"] if fields else []
    properties = [Field(one.name, one.returns, "", one.doc) for one in functions if one.is_property]
    parts += [f"Properties:\n{''.join(map(write_field, properties))}"] if properties else []
    methods = [one for one in functions if not one.is_property and one.name != "__init__"]
    parts += [f"#### {cls.__name__}.{one.name}\n\n{write_function(one)}" for one in methods]
    return "\n".join(parts)


def own_members(cls: type) -> list[Member]:
    """Return the public members of a class and of its bases that are not public themselves."""
    found: dict[str, Member] = {}
    for one in cls.__mro__:
        if one is not cls and one in public_classes():
            break
        if one.__module__.startswith("promptpack"):
            for member in members(one):
                found.setdefault(member.name, member)
    if FACTORY.search(cls.__doc__ or ""):
        found.pop("__init__", None)
    return list(found.values())


@cache
def public_classes() -> frozenset[type]:
    """Return all public classes."""
    values = (getattr(import_module(module), name) for module in MODULES for name in public_names(module))
    return frozenset(value for value in values if isinstance(value, type))


def write_field(field: Field) -> str:
    """Return the line of a field."""
    default = f" = {field.default}" if field.default else ""
    doc = f": {' '.join(field.doc.split())}" if field.doc else ""
    return f"- `{field.name}: {field.type}{default}`{doc}\n"


def write_function(function: Function, name: str = "") -> str:
    """Return a signature as a block of code, on several lines if it is long, and the docstring."""
    start = f"{function.prefix}{name or function.name}("
    end = ")" if name else f") -> {function.returns}"
    line = f"{start}{', '.join(function.parameters)}{end}"
    if len(line) > 100:
        line = start + "".join(f"\n    {one}," for one in function.parameters) + f"\n{end}"
    return f"```py\n{line}\n```\n{function.doc}".rstrip() + "\n"


if __name__ == "__main__":
    sys.stdout.write(write_api_page())
