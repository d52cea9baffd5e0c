"""A JSON Schema as Python functions that only say yes or no, exactly as `jsonschema` would, and far sooner.

What these functions cannot decide exactly is left to `jsonschema`: some keywords, references other than local ones,
values that are not plain JSON data, and work without end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from promptpack.schema.forms import PLAIN, only_kind
from promptpack.schema.keywords import DEEPEST, MOST_STEPS, FallbackError, TooMuchWorkError, form, is_multiple
from promptpack.schema.patterns import PatternError

if TYPE_CHECKING:
    Steps = list[int]
    Function = Callable[[Any, Steps, int], bool]
    """Takes a value, the steps that are left, and how deep in the whole value it stands."""


FALLBACK: Final = (FallbackError, TooMuchWorkError, PatternError, RecursionError)
"""What a test raises where only the reference can tell."""

_FIRST_HEAD: Final = """\
def {0}(v):
 s, d = [steps], 0
"""
_HEAD: Final = """\
def {0}(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > deepest: stop()
"""


def make_test(source: Mapping[str, Any]) -> Callable[[Any], bool] | None:
    """Make the test of a schema, or nothing where the schema is beyond it; the test may raise one of `FALLBACK`."""
    try:
        return Program(source).compile("test", source, _FIRST_HEAD)
    except (FallbackError, PatternError, RecursionError):
        return None


class Parts:
    """The tests of the parts of a schema, each made on first use."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._program = Program(root)
        # A part is kept beside its test, so that its identity cannot pass to another.
        self._tests: dict[int, tuple[Any, Function]] = {}

    def accept(self, part: Any, value: Any, steps: Steps) -> bool:
        """Say whether a value meets a part, within the steps that are left; may raise `FallbackError`."""
        known = self._tests.get(id(part))
        if known is None:
            known = self._tests[id(part)] = (part, self._test(part))
        if steps[0] <= 0:
            raise FallbackError
        try:
            return known[1](value, steps, 0)
        except FALLBACK as error:
            raise FallbackError from error

    def _test(self, part: Any) -> Function:
        try:
            return self._program.compile_part(part)
        except (FallbackError, PatternError, RecursionError):
            return _fall_back


class Program:
    """The functions of a schema, each written and compiled when it is first called."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._references: dict[str, str] = {}
        self._kinds: dict[str, str] = {}
        self._names: dict[str, Any] = {"__builtins__": {}, **_REACHABLE}
        self._names["functions"] = self._names

    def compile(self, name: str, schema: Any, head: str = _HEAD) -> Callable[..., bool]:
        """Make a function of a schema, under that name for the others."""
        code = self.write(name, schema, head)
        exec(compile(code, "<schema>", "exec"), self._names)  # noqa: S102 -- no text of the schema is in the code
        return self._names[name]  # type: ignore[no-any-return]

    def write(self, name: str, schema: Any, head: str = _HEAD) -> str:
        """Write a schema as a function of that name."""
        from promptpack.schema.writer import Writer

        lines = Writer(self._constant, self._function, self._refer).write(schema)
        return head.format(name) + "".join(f" {line}\n" for line in (*lines, "return True"))

    def compile_part(self, schema: Any) -> Function:
        """Write a part of the schema as a function."""
        self._refuse_identity(schema)
        return self.compile(self._constant(None), schema)

    def _refuse_identity(self, schema: Any) -> None:
        if schema is not self._root and isinstance(schema, Mapping) and "$id" in schema:
            raise FallbackError

    def _new_name(self) -> str:
        return f"n{len(self._names)}"

    def _constant(self, value: Any) -> str:
        name = self._new_name()
        self._names[name] = value
        return name

    def _function(self, schema: Any) -> str:
        self._refuse_identity(schema)
        kind = only_kind(schema)
        if kind in self._kinds:
            return self._kinds[kind]
        name = self._new_name()
        if kind:
            self._kinds[kind] = name
        self._names[name] = self._later(name, schema)
        return name

    def _later(self, name: str, schema: Any) -> Function:
        def compile_first(value: Any, steps: Steps, depth: int) -> bool:
            return self.compile(name, schema)(value, steps, depth)

        return compile_first

    def _refer(self, reference: str) -> str:
        if reference not in self._references:
            self._references[reference] = self._function(self._find(reference))
        return self._references[reference]

    def _find(self, reference: str) -> Any:
        if not (reference == "#" or reference.startswith("#/")) or "%" in reference:
            raise FallbackError
        node: Any = self._root
        for step in reference.split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            if not isinstance(node, Mapping) or name not in node:
                raise FallbackError
            node = node[name]
        return node


def _fall_back(_: Any, __: Steps, ___: int) -> bool:
    raise FallbackError


def _stop() -> None:
    raise TooMuchWorkError


def _wrong(value: Any) -> bool:
    """Refuse a value of the wrong kind, unless it is of a kind that only the reference knows."""
    if type(value) not in PLAIN:
        raise FallbackError
    return False


def _are_unique(values: Sequence[Any]) -> bool:
    return len({form(value) for value in values}) == len(values)


def _words(value: Any, key: str, table: Mapping[str, str]) -> Iterable[Any]:
    """Give the word under a key; where there are no keys, nothing keeps any word of the table away."""
    return (value.get(key),) if type(value) is dict else table


# Everything that the code of a schema can reach besides its own constants.
_REACHABLE: Final = {
    "KeyError": KeyError,
    "are_unique": _are_unique,
    "bool": bool,
    "deepest": DEEPEST,
    "dict": dict,
    "float": float,
    "form": form,
    "int": int,
    "is_multiple": is_multiple,
    "len": len,
    "list": list,
    "plain": PLAIN,
    "steps": MOST_STEPS,
    "stop": _stop,
    "str": str,
    "type": type,
    "words": _words,
    "wrong": _wrong,
}
