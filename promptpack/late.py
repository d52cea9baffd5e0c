"""A field whose value is worked out when it is first looked at."""

from __future__ import annotations

from functools import partial

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Call = partial[Any]
else:
    Call = partial


class Later(Call):
    """What a `LateField` is given in place of a value: the call that makes it."""

    __slots__ = ()


class LateField:
    """A field of a dataclass; what is given as `Later` is made when it is first looked at."""

    def __init__(self, default: Any = None) -> None:
        self._default = default

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self._default
        fields = instance.__dict__
        value = fields.get(self._name, self._default)
        if type(value) is Later:
            value = fields[self._name] = value()
        return value

    def __set__(self, instance: Any, value: Any) -> None:
        instance.__dict__[self._name] = value
