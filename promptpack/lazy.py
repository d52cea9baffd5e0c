"""Values worked out, and names imported, on first use and kept."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any
if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property
else:

    class cached_property:  # noqa: N801 -- the name it has in the library of Python
        """Without the lock of Python 3.11: a process that forks while it is held would never get it again."""

        def __init__(self, work):
            self._work = work
            self.__doc__ = work.__doc__

        def __set_name__(self, owner, name):
            self._name = name

        def __get__(self, instance, owner=None):
            if instance is None:
                return self
            return instance.__dict__.setdefault(self._name, self._work(instance))


__all__ = ["cached_property"]


def late_names(package: str, homes: Mapping[str, str], names: dict[str, Any]) -> Callable[[str], Any]:
    """Make the `__getattr__` of a package: each name is imported from its home, a module of it, when it is first used.

    `names` are the package's own, where what was imported is kept.
    """

    def look_up(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        from importlib import import_module

        value = names[name] = getattr(import_module(f"{package}.{homes[name]}"), name)
        return value

    return look_up
