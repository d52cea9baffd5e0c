"""Values computed, and names imported, on first use."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property
else:
    import functools

    class cached_property(functools.cached_property):  # noqa: N801 -- the name in functools
        """Without the lock of Python 3.11: a lock that is held during a fork is never released in the child."""

        def __get__(self, instance, owner=None):
            if instance is None:
                return self
            return instance.__dict__.setdefault(self.attrname, self.func(instance))


__all__ = ["cached_property", "import_name", "import_stages"]

_STAGES = ("document", "schema", "template", "pack", "library", "prompt", "reply", "verdict", "adapters", "flow")
# The other modules that they import on first use.
_LATE_IMPORTS = (
    "difflib", "encodings.unicode_escape", "fractions", "hmac", "jsonschema", "orjson",
    "promptpack._version", "promptpack.private_folder", "promptpack.temporary_files", "promptpack.warming",
    "promptpack.watching", "pydantic", "referencing", "secrets", "tempfile", "unicodedata", "yaml",
)  # fmt: skip


def import_name(name: str, modules: Mapping[str, str], namespace: dict[str, object]) -> object:
    """Import one name of a package from its module, for the `__getattr__` of the package.

    `modules` maps names to modules; the value is stored in `namespace`, the `globals()` of the package.
    """
    package = namespace["__name__"]
    if name not in modules:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    value = namespace[name] = getattr(import_module(f"{package}.{modules[name]}"), name)
    return value


@cache
def import_stages() -> None:
    """Import everything that packs use.

    Before a fork, because a child waits forever for an import that another thread has begun.
    """
    from pkgutil import walk_packages

    folders = {f"promptpack.{stage}.": import_module(f"promptpack.{stage}").__path__ for stage in _STAGES}
    modules = [module.name for prefix, path in folders.items() for module in walk_packages(path, prefix)]
    for name in (*modules, *_LATE_IMPORTS):
        with suppress(ImportError):  # of an extra that is not installed
            import_module(name)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=import_stages)
