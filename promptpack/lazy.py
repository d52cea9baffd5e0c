"""Values worked out on first use and kept."""

import sys
from functools import cached_property

if sys.version_info < (3, 12):
    from typing import TYPE_CHECKING

    if not TYPE_CHECKING:

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
