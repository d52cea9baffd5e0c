"""`ModelOverlay`: what a pack changes for the models whose names match a glob."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, cast

from promptpack.pack.model import Role
from promptpack.problem import Problem, UsageError
from promptpack.template.model import Syntax, Template

if TYPE_CHECKING:
    from promptpack.pack.pack_compiler import PackCompiler
    from promptpack.pack.placed import Placed

_MAX_NAME: Final = 1_000
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


def require_name(model: object) -> None:
    """Raise a `UsageError` unless `model` can be the name of a model."""
    if not issubclass(type(model), str):
        message = f"a {type(model).__name__} is not the name of a model"
    elif str.__len__(cast("str", model)) > _MAX_NAME:
        message = f"the name of a model has more than {_MAX_NAME:,} characters"
    else:
        return
    raise UsageError(Problem("PP245", message, None, "pass a string such as 'gpt-5'"))


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
    other = narrow if is_name else _sort_wildcards(narrow)
    return _compile_glob(wide, "." if is_name else "[^*]").fullmatch(other) is not None


@lru_cache(maxsize=1_000)
def _compile_glob(glob: str, one: str) -> re.Pattern[str]:
    """Return the pattern of a glob, with `one` in place of `?`.

    It takes at most a step for each pair of characters: a part between two stars never moves once it is found.
    """
    first, *others = (one.join(map(re.escape, part.split("?"))) for part in _sort_wildcards(glob).split("*"))
    middle = "".join(f"(?>.*?{part})" for part in others[:-1])
    return re.compile(first + middle + "".join(f".*{part}" for part in others[-1:]), re.DOTALL)


def _sort_wildcards(glob: str) -> str:
    """Return the same glob with each run of wildcards in one form: `*?` and `?**` become `?*`."""
    return _WILDCARDS.sub(lambda run: "?" * run[0].count("?") + "*" * ("*" in run[0]), glob)
