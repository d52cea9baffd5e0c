"""The context of a render: the caller's values as plain data, checked against the pack's inputs."""

import marshal
from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from types import MappingProxyType
from typing import Any, NamedTuple

from promptpack.pack.model import STANDARD_CONTEXT, Input, Pack
from promptpack.problem import ContextError, Problem, did_you_mean
from promptpack.prompt.foreign_history import is_foreign, to_chat_messages
from promptpack.prompt.plain_data import can_skip_copy, to_plain
from promptpack.prompt.value_encoders import Encode, is_a
from promptpack.schema.pointers import Mismatch, pointer
from promptpack.schema.predicates import FALLBACK_ERRORS
from promptpack.schema.supported_keywords import MAX_STEPS
from promptpack.template.model import Fingerprint
from promptpack.template.render_cache import LARGEST_VALUE
from promptpack.template.values import fingerprint

# The cell in the render cache of the validated inputs, with the limits and the schemas they were validated with.
_VALIDATED = "validated"
_MAX_UNKNOWN = 100
_Validated = tuple[bytes, int | None]
"""The fingerprint of an input, and the steps that its schema took; None if only `jsonschema` could decide."""


class Context(NamedTuple):
    """Checked values by input, a snapshot of them, and fingerprints of values that may be cached.

    Some values are the caller's own objects, `validated` has their ids. Another thread may change them at any time, so
    the texts in the render cache are made from the snapshot.
    """

    values: Mapping[str, Any]
    snapshot: Mapping[str, Any]
    fingerprints: Mapping[str, Fingerprint]
    validated: Collection[int]

    def __repr__(self) -> str:
        return f"Context({', '.join(self.values)})"


class _Snapshot(Mapping[str, Any]):
    """The values of a context; uncopied ones are restored from their marshal bytes on first use.

    Its repr shows no values: some may be secret, and a repr may be logged.
    """

    def __init__(self, values: Mapping[str, Any], uncopied: Mapping[str, bytes]) -> None:
        self._values = values
        self._uncopied = uncopied
        self._restored: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._uncopied:
            return self._values[name]
        if name not in self._restored:
            self._restored[name] = marshal.loads(self._uncopied[name])  # noqa: S302 -- written by this process
        return self._restored[name]

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"Context({', '.join(self._values)})"


def check_context(pack: Pack, context: Any, inputs: Mapping[str, Any], encode: Encode | None = None) -> Context:
    """Return the caller's values as checked plain data with defaults; raise all problems together.

    `encode` has functions for the caller's own classes.
    """
    passed = {**_to_mapping(context), **inputs}
    problems = [] if passed.keys() <= pack.inputs.keys() else _find_unknown(pack, passed)
    builder = _ContextBuilder(pack, encode or {})
    for name, declared in pack.inputs.items():
        if name in passed or not declared.required:
            try:
                builder.add(declared, passed[name] if name in passed else declared.schema["default"])
            except ContextError as error:
                problems += error.problems
    if problems or len(builder.values) < len(pack.inputs) or not builder.is_valid():
        broken = {name for name in passed if name in pack.inputs and name not in builder.values}
        mismatches = pack._context_schema.check(builder.values)
        problems += (_to_problem(pack, found) for found in mismatches if not found.path or found.path[0] not in broken)
    if problems:
        raise ContextError(problems)
    builder.cache_validated()
    return builder.build()


class _ContextBuilder:
    """Collects validated inputs."""

    def __init__(self, pack: Pack, encode: Encode) -> None:
        self._pack = pack
        self._encode = encode
        limits, inputs, last = pack._render_cache.get(_VALIDATED) or (None, None, {})
        # Within other limits, or for other schemas, a value is validated again.
        self._last: Mapping[str, _Validated] = last if limits is pack.limits and inputs is pack.inputs else {}
        self._new: dict[str, bytes] = {}
        self._steps: dict[str, int | None] = {}
        self.values: dict[str, Any] = {}
        self._fingerprints: dict[str, Fingerprint] = {}
        self._uncopied: dict[str, bytes] = {}

    def add(self, declared: Input, value: Any) -> None:
        """Add a value: uncopied if it is plain data, else as a plain copy. Secrets get no fingerprint."""
        name = declared.name
        is_private = declared.secret or name in self._pack._copied_inputs
        is_container = type(value) in (dict, list)
        if not is_container or not (self._add_copy if is_private else self._add_uncopied)(name, value):
            self.values[name] = copy = to_plain(
                value, name, self._pack.limits, self._encode, shows_place=not declared.secret
            )
            found = None if is_private else copy if type(copy) is str else fingerprint(copy)
            if found is not None and len(found) <= LARGEST_VALUE:
                self._fingerprints[name] = found
        if name in self._pack._history_inputs:
            self._read_history(name)

    def _read_history(self, name: str) -> None:
        """Convert a history in the form of another SDK."""
        value = self.values[name]
        if is_foreign(value):
            for found in (self._uncopied, self._fingerprints, self._new, self._steps):
                found.pop(name, None)
            self.values[name] = to_chat_messages(value, name)

    def _add_copy(self, name: str, value: Any) -> bool:
        """Accept a copy of plain data, restored from its marshal bytes."""
        found = fingerprint(value)
        copy = None if found is None else marshal.loads(found)  # noqa: S302 -- written by this process
        if found is None or not can_skip_copy(copy, found, self._pack.limits):
            return False
        self.values[name] = copy
        return True

    def _add_uncopied(self, name: str, value: Any) -> bool:
        """Accept without copying: unchanged since the last render, or validated now.

        A new value gets no fingerprint: its texts are cached if the next render has it too.
        """
        found = fingerprint(value)
        if found is None:
            return False
        last = self._last.get(name)
        if last is not None and found == last[0]:
            found, self._steps[name] = last
            self._fingerprints[name] = found
        elif not can_skip_copy(value, found, self._pack.limits):
            return False
        elif len(found) <= LARGEST_VALUE:
            self._new[name] = found
        self.values[name], self._uncopied[name] = value, found
        return True

    def is_valid(self) -> bool:
        """Return whether all values meet their schemas; False if that takes `jsonschema` to decide.

        The steps of unchanged values are counted too, so that the result does not depend on the last render.
        """
        predicates, remaining = self._pack._context_schema.definitions, [MAX_STEPS]
        try:
            for name, value in self.values.items():
                before, known = remaining[0], self._steps.get(name)
                if known is not None:
                    remaining[0] -= known
                elif predicates[name](value, remaining, 1):
                    self._steps[name] = before - remaining[0]
                else:
                    return False
        except FALLBACK_ERRORS:
            return False
        return remaining[0] >= 0

    def cache_validated(self) -> None:
        """Store the validated inputs for the next render."""
        if self._new:
            known = {**self._last, **{name: (found, self._steps.get(name)) for name, found in self._new.items()}}
            value = self._pack.limits, self._pack.inputs, known
            self._pack._render_cache.put(_VALIDATED, value, *[found for found, _ in known.values()])

    def build(self) -> Context:
        """Return the context."""
        values = MappingProxyType(self.values)
        return Context(
            values, _Snapshot(values, self._uncopied), self._fingerprints, {id(values[name]) for name in self._uncopied}
        )


def _to_mapping(context: Any) -> Mapping[str, Any]:
    if context is None:
        return {}
    if type(context) is dict:
        return context
    if hasattr(type(context), "to_inputs"):
        return context.to_inputs()  # type: ignore[no-any-return]
    if is_a(context, Mapping):
        return context  # type: ignore[no-any-return]
    hint = "pass a mapping, a RenderContext or keyword arguments"
    raise ContextError(Problem("PP411", f"a {type(context).__name__} is not a context", None, hint))


def _find_unknown(pack: Pack, passed: Mapping[str, Any]) -> list[Problem]:
    return [
        Problem(
            "PP414",
            f"{pack.label} has no input {name!r}",
            None,
            did_you_mean(str(name), pack.inputs) or f"its inputs are {', '.join(pack.inputs) or 'none'}",
        )
        for name in islice(
            (one for one in passed if one not in pack.inputs and one not in STANDARD_CONTEXT), _MAX_UNKNOWN
        )
    ]


def _to_problem(pack: Pack, mismatch: Mismatch) -> Problem:
    name = str(mismatch.path[0]) if mismatch.path else ""
    declared: Input | None = pack.inputs.get(name)
    if mismatch.keyword == "required" and len(mismatch.path) == 1 and declared:
        hint = declared.description or f"declared in {declared.location}"
        return Problem("PP415", f"input {name!r} is missing", None, hint)
    if declared and declared.secret:
        return Problem("PP416", f"input {name!r} does not meet its schema (the value is secret)", None)
    if not mismatch.path:
        return Problem("PP416", f"the context {mismatch.message}", None, mismatch.hint)
    where = f"input {name!r}" + (f" at {pointer(mismatch.path[1:])}" if len(mismatch.path) > 1 else "")
    return Problem("PP416", f"{where}: {mismatch.message}", None, mismatch.hint)
