"""`ModelOverlay`: what a pack changes for the models whose names match a glob."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from promptpack.pack.model import Role
from promptpack.template.model import Syntax, Template

if TYPE_CHECKING:
    from promptpack.pack.pack_compiler import PackCompiler
    from promptpack.pack.placed import Placed

_WILDCARDS: Final = re.compile(r"[*?]+")


@dataclass(frozen=True)
class ModelOverlay:
    """The changes of a pack for some models.

    `glob` matches the names of the models: `*` stands for any text, `?` for one character. `roles` replaces the roles
    of messages. `prefix` and `suffix` are the templates of the lines before and after the system prompt. `parameters`
    are arguments of each request. `strict` is the default for the option of `Prompt.to`; None leaves it to the caller.
    """

    glob: str
    roles: Mapping[Role, Role] = field(default_factory=dict)
    prefix: Template | None = None
    suffix: Template | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    strict: bool | None = None

    def matches(self, model: str) -> bool:
        """Return whether the glob matches the whole name of a `model`."""
        return covers(self.glob, model, is_name=True)


def compile_overlay(glob: str, placed: Placed, syntax: Syntax, compiler: PackCompiler) -> ModelOverlay:
    """Compile the overlay of one glob; the compiler collects the problems."""
    from promptpack.pack.slot_compiling import freeze

    value: Mapping[str, Any] = placed.value
    prefix, suffix = (
        compiler.compile_template(placed.child(key), syntax) if key in value else None for key in ("prefix", "suffix")
    )
    roles = MappingProxyType(value.get("roles", {}))
    parameters = freeze(value.get("parameters", {}))
    return ModelOverlay(glob, roles, prefix, suffix, parameters, value.get("strict"))


def covers(wide: str, narrow: str, *, is_name: bool = False) -> bool:
    """Return whether a glob matches everything that `narrow` matches: a glob too, or a name.

    For two globs, True is certain; a few pairs such as `a?*b` and `a*xb` are not found.
    """
    wide, other = _sort_wildcards(wide), narrow if is_name else _sort_wildcards(narrow)
    at = start = retry = 0
    star = -1
    while start < len(other):
        if at < len(wide) and wide[at] == "*":
            star, retry, at = at, start, at + 1
        elif at < len(wide) and _accepts(wide[at], other[start], is_name):
            at, start = at + 1, start + 1
        elif star >= 0:
            retry += 1
            at, start = star + 1, retry
        else:
            return False
    return not wide[at:].strip("*")


def _accepts(one: str, other: str, is_name: bool) -> bool:
    return one == other if one != "?" else is_name or other != "*"


def _sort_wildcards(glob: str) -> str:
    """Return the same glob with each run of wildcards in one form: `*?` and `?**` become `?*`."""
    return _WILDCARDS.sub(lambda run: "?" * run[0].count("?") + "*" * ("*" in run[0]), glob)
