"""Names in generated code: valid identifiers that differ from each other."""

import keyword
import re
from collections.abc import Iterable
from typing import Final
from unicodedata import normalize

from pydantic import BaseModel

RESERVED_FIELDS: Final = frozenset(
    (*dir(BaseModel), "Any", "Field", "Literal", "Mapping", "Model", "Sequence", "bool", "dict", "float", "int", "list",
     "object", "str", "self")
)  # fmt: skip
"""Names that a field of a model must not have: methods of pydantic, and names that annotations use."""

_SPLIT: Final = re.compile(r"[\W_]+|(?<=[a-z0-9])(?=[A-Z])")


class Names:
    """Names of one scope; two words that lead to the same identifier get different ones."""

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self._reserved = frozenset(reserved)
        self._used: set[str] = set()

    def choose(self, wanted: str) -> str:
        """Return the wanted identifier, or a similar one that is not used yet."""
        wanted = f"{wanted}_" if wanted in self._reserved else wanted
        name, number = wanted, 2
        while name in self._used or name in self._reserved:
            name, number = f"{wanted}{number}", number + 1
        self._used.add(name)
        return name


def to_identifier(text: str, otherwise: str = "value") -> str:
    """Return a text as an identifier, unchanged if it is one."""
    name = normalize("NFKC", text)
    if not (name == text and name.isidentifier()):
        name = re.sub(r"\W+", "_", name).strip("_") or otherwise
        name = name if name.isidentifier() else f"{otherwise}_{name}"
        name = name if name.isidentifier() else otherwise
    if name.startswith("_"):
        name = f"{otherwise}{name}"
    return f"{name}_" if keyword.iskeyword(name) else name


def to_class_name(*words: str) -> str:
    """Return words as one class name, such as `TaskPlan` for `TASK_PLAN`."""
    parts = [part for word in words for part in _SPLIT.split(normalize("NFKC", word)) if part]
    joined = "".join(part[:1].upper() + (part[1:].lower() if part.isupper() else part[1:]) for part in parts)
    name = joined if joined.isidentifier() else f"Type{joined}"
    name = name if name.isidentifier() else "Type"
    return f"{name}_" if keyword.iskeyword(name) else name
