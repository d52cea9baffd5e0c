"""A schema of our own as a Python module: its functions, written before a process needs them.

`make ready` writes them anew; whoever wrote the schema wrote the product, so its words may stand in the code.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from promptpack.schema.patterns import Pattern
from promptpack.schema.predicates import PredicateCompiler

if TYPE_CHECKING:
    from promptpack.schema.predicates import Predicate

_HEAD: Final = '''\
"""The pack schema as functions, written by `make ready` from schemas/pack.schema.json; not to be changed by hand."""

# mypy: ignore-errors
from promptpack.schema.patterns import found_in
from promptpack.schema.predicates import predicate_globals

globals().update(predicate_globals(), functions=globals())
'''


def write_module(source: Mapping[str, Any]) -> str:
    """Write every function of a schema, with the values they look at, and `TESTS`: the functions by reference."""
    return _Recorder(source).module()


class _Recorder(PredicateCompiler):
    """Writes the functions of a schema one after the other, and runs none."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        super().__init__(root)
        self._known = set(self._names)
        self._waiting: list[tuple[str, Any]] = [("test", root)]

    def module(self) -> str:
        functions = []
        written = set()
        while self._waiting:
            name, schema = self._waiting.pop(0)
            functions.append(self.write(name, schema))
            written.add(name)
        values = [
            f"{name} = {_shown(self._names[name])}\n" for name in self._names if name not in self._known | written
        ]
        tests = {"#": "test", **self._references}
        table = "".join(f"    {reference!r}: {name},\n" for reference, name in tests.items())
        return f"{_HEAD}{''.join(values)}\n\n{''.join(functions)}\n\nTESTS = {{\n{table}}}\n"

    def _lazy(self, name: str, schema: Any) -> Predicate:
        self._waiting.append((name, schema))
        return super()._lazy(name, schema)


def _shown(value: Any) -> str:
    """Write a value so that Python reads the same one; in the same way each time, whatever the order of a set is."""
    match value:
        case str() | int() | float():
            return repr(value)
        case dict():
            return f"{{{', '.join(f'{key!r}: {_shown(item)}' for key, item in value.items())}}}"
        case frozenset():
            return f"frozenset(({''.join(sorted(f'{_shown(item)}, ' for item in value))}))"
        case _ if isinstance(getattr(value, "__self__", None), Pattern):
            return f"found_in({value.__self__.text!r})"
    raise ValueError(f"no way to write {value!r}")
