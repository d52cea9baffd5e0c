"""The context of a render: the caller's values as plain data, checked against the pack's inputs."""

import marshal
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from promptpack.pack import STANDARD_CONTEXT, Input, Pack
from promptpack.problem import ContextError, Problem, did_you_mean
from promptpack.prompt.plain import is_plain, to_plain
from promptpack.schema import Finding, pointer
from promptpack.value import dataclass

# The one that every supported Python writes.
_MARSHAL_VERSION: Final = 4
LARGEST_IMAGE: Final = 1_000_000


@dataclass(frozen=True)
class Context:
    """Checked values by input; of those that were taken as they are, an image, since their owner may change them."""

    values: Mapping[str, Any]
    images: Mapping[str, bytes]

    @property
    def known(self) -> frozenset[int]:
        """The ids of the values that were looked through and need not be counted again."""
        return frozenset(id(self.values[name]) for name in self.images)

    def keep(self) -> Mapping[str, Any]:
        """Give the values as they are now, whatever happens to those that were taken as they are."""
        return _Kept(self.values, self.images) if self.images else self.values


class _Kept(Mapping[str, Any]):
    """Values that are read from their images when they are asked for."""

    def __init__(self, values: Mapping[str, Any], images: Mapping[str, bytes]) -> None:
        self._values = {name: value for name, value in values.items() if name not in images}
        self._images = images
        self._names = tuple(values)

    def __getitem__(self, name: str) -> Any:
        if name in self._images and name not in self._values:
            self._values[name] = marshal.loads(self._images[name])  # noqa: S302 -- written by this process
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def check_context(pack: Pack, context: Any, inputs: Mapping[str, Any]) -> Context:
    """Turn what the caller gave into checked plain data with defaults; raises every problem at once."""
    given = {**_given(context), **inputs}
    problems = list(_unknown(pack, given))
    values: dict[str, Any] = {}
    images: dict[str, bytes] = {}
    for name, declared in pack.inputs.items():
        if name in given:
            image = _image(pack, declared, given[name])
            if image:
                values[name], images[name] = given[name], image
                continue
            try:
                values[name] = to_plain(given[name], name, pack.limits)
            except ContextError as error:
                problems += error.problems
        elif not declared.required:
            values[name] = to_plain(declared.schema["default"], name, pack.limits)
    broken = {name for name in given if name in pack.inputs and name not in values}
    findings = pack.context_schema.check(values)
    problems += (_problem(pack, finding) for finding in findings if not finding.path or finding.path[0] not in broken)
    if problems:
        raise ContextError(problems)
    return Context(MappingProxyType(values), images)


def _image(pack: Pack, declared: Input, value: Any) -> bytes:
    """Write a value that can be taken as it is in Python's own form, which tells all kinds of values apart.

    What is the same as it was the last time is not looked through again. Empty for values that must be copied.
    """
    if type(value) not in (dict, list) or declared.secret or declared.name in pack.handed_on:
        return b""
    try:
        image = marshal.dumps(value, _MARSHAL_VERSION)
    except ValueError:
        return b""
    if image == pack.last_images.get(declared.name):
        return image
    if not is_plain(value, image, pack.limits):
        return b""
    if len(image) <= LARGEST_IMAGE:
        pack.last_images[declared.name] = image
    return image


def _given(context: Any) -> Mapping[str, Any]:
    if context is None:
        return {}
    if hasattr(context, "to_inputs"):
        return context.to_inputs()  # type: ignore[no-any-return]
    if isinstance(context, Mapping):
        return context
    hint = "give a mapping, a RenderContext or keyword arguments"
    raise ContextError(Problem("PP411", f"a {type(context).__name__} is not a context", None, hint))


def _unknown(pack: Pack, given: Mapping[str, Any]) -> list[Problem]:
    return [
        Problem(
            "PP414",
            f"{pack.label} has no input {name!r}",
            None,
            did_you_mean(str(name), pack.inputs) or f"its inputs are {', '.join(pack.inputs) or 'none'}",
        )
        for name in given
        if name not in pack.inputs and name not in STANDARD_CONTEXT
    ]


def _problem(pack: Pack, finding: Finding) -> Problem:
    name = str(finding.path[0]) if finding.path else ""
    declared: Input | None = pack.inputs.get(name)
    if finding.rule == "required" and len(finding.path) == 1 and declared:
        hint = declared.description or f"declared in {declared.location}"
        return Problem("PP415", f"input {name!r} is missing", None, hint)
    if declared and declared.secret:
        return Problem("PP416", f"input {name!r} does not meet its schema (the value is secret)", None)
    where = f"input {name!r}" + (f" at {pointer(finding.path[1:])}" if len(finding.path) > 1 else "")
    return Problem("PP416", f"{where}: {finding.message}", None, finding.hint)
