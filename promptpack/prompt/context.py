"""The context of a render: the caller's values as plain data, checked against the pack's inputs."""

import marshal
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from promptpack.pack import STANDARD_CONTEXT, Input, Pack
from promptpack.problem import ContextError, Problem, did_you_mean
from promptpack.prompt.plain import may_stay, to_plain
from promptpack.schema import Mismatch, pointer
from promptpack.template.model import Image
from promptpack.template.values import image_of

LARGEST_IMAGE: Final = 1_000_000


@dataclass(frozen=True)
class Context:
    """Checked values by input, and images of those that are no secret.

    Values that were `taken` as they are may be changed by their owner later.
    """

    values: Mapping[str, Any]
    images: Mapping[str, Image]
    taken: Collection[str]

    @property
    def known(self) -> set[int]:
        """The ids of the mappings and lists that were looked through."""
        return {id(self.values[name]) for name in self.taken}

    def keep(self) -> Mapping[str, Any]:
        """Give the values as they are now, whatever happens to those that were taken as they are."""
        return _Kept(self) if self.taken else self.values


class _Kept(Mapping[str, Any]):
    """The values of a context; those that were taken as they are are read from their images when asked for."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._read: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._context.taken:
            return self._context.values[name]
        if name not in self._read:
            image: Any = self._context.images[name]
            self._read[name] = marshal.loads(image)  # noqa: S302 -- written by this process
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._context.values)

    def __len__(self) -> int:
        return len(self._context.values)


def check_context(pack: Pack, context: Any, inputs: Mapping[str, Any]) -> Context:
    """Turn what the caller gave into checked plain data with defaults; raises every problem at once."""
    given = {**_given(context), **inputs}
    problems = list(_unknown(pack, given))
    taken = _Taken(pack)
    for name, declared in pack.inputs.items():
        try:
            if name in given:
                taken.take(declared, given[name])
            elif not declared.required:
                taken.take(declared, declared.schema["default"])
        except ContextError as error:
            problems += error.problems
    findings = pack.context_schema.check(taken.values)
    if findings:
        broken = {name for name in given if name in pack.inputs and name not in taken.values}
        problems += (_problem(pack, found) for found in findings if not found.path or found.path[0] not in broken)
    if problems:
        raise ContextError(problems)
    return Context(MappingProxyType(taken.values), taken.images, taken.as_they_are)


class _Taken:
    """The values of a context as they come in."""

    def __init__(self, pack: Pack) -> None:
        self._pack = pack
        self.values: dict[str, Any] = {}
        self.images: dict[str, Image] = {}
        self.as_they_are: set[str] = set()

    def take(self, declared: Input, value: Any) -> None:
        """Take a value as it is if it is plain, else a copy of it; of secrets, no image is made."""
        name = declared.name
        may_be_kept = not (declared.secret or name in self._pack.handed_on)
        if may_be_kept and type(value) in (dict, list) and self._take_as_it_is(name, value):
            return
        self.values[name] = copy = to_plain(value, name, self._pack.limits)
        if may_be_kept:
            image = copy if type(copy) is str else image_of(copy)
            if image is not None and len(image) <= LARGEST_IMAGE:
                self.images[name] = image

    def _take_as_it_is(self, name: str, value: Any) -> bool:
        """Take a value that is as it was the last time, or is looked through now; an image tells all kinds apart."""
        image = image_of(value)
        if image is None:
            return False
        last = self._pack.last_images.get(name)
        if image == last:
            image = last
        elif not may_stay(value, image, self._pack.limits):
            return False
        elif len(image) <= LARGEST_IMAGE:
            self._pack.last_images[name] = image
        self.values[name], self.images[name] = value, image
        self.as_they_are.add(name)
        return True


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


def _problem(pack: Pack, finding: Mismatch) -> Problem:
    name = str(finding.path[0]) if finding.path else ""
    declared: Input | None = pack.inputs.get(name)
    if finding.rule == "required" and len(finding.path) == 1 and declared:
        hint = declared.description or f"declared in {declared.location}"
        return Problem("PP415", f"input {name!r} is missing", None, hint)
    if declared and declared.secret:
        return Problem("PP416", f"input {name!r} does not meet its schema (the value is secret)", None)
    where = f"input {name!r}" + (f" at {pointer(finding.path[1:])}" if len(finding.path) > 1 else "")
    return Problem("PP416", f"{where}: {finding.message}", None, finding.hint)
