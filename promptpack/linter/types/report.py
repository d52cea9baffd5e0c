"""What the walk through a template tells: each finding once, at its place in the file the template came from."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final

from jinja2 import nodes

from promptpack.linter.types.lattice import (
    ANY,
    Anything,
    Gap,
    Missing,
    Spot,
    Type,
    describe,
    is_never,
    join,
    members,
    present,
)
from promptpack.linter.types.narrowing import constant_key
from promptpack.linter.types.signatures import (
    CUT,
    LISTS,
    LOOPED,
    MAPPINGS,
    NUMBERS,
    SIZED,
    TEXTS,
    WALKED,
    WRITTEN,
    Kinds,
    form_of,
)
from promptpack.problem import Location, Problem
from promptpack.template import Source

UNKNOWN_KEY: Final = "PL201"
WRONG_KIND: Final = "PL202"
MAYBE_MISSING: Final = "PL203"
IMPOSSIBLE_VALUE: Final = "PL204"
DEAD_BRANCH: Final = "PL205"
WRONG_ARGUMENT: Final = "PL206"

# An honest template takes a few thousand; one that includes and calls itself wider and wider would be without end.
_MOST_STEPS: Final = 200_000
_NEEDS: Final[Mapping[Kinds, str]] = {
    NUMBERS: "a number",
    WALKED: "a list",
    SIZED: "a list, text or a mapping",
    WRITTEN: "text or a number",
    LISTS: "a list",
    MAPPINGS: "a mapping",
    LOOPED: "a list",
    CUT: "text or a list",
    TEXTS: "text",
}


class TooMuchError(Exception):
    """The walk takes more steps than there are; what was found so far is told, the rest is not."""


@dataclass(slots=True)
class Steps:
    """The steps that are left for a pack."""

    left: int = _MOST_STEPS


class Report:
    """Collects problems; knows which source the walk is in."""

    def __init__(self, source: Source, steps: Steps) -> None:
        self.problems: dict[Problem, None] = {}
        self._source = source
        self._steps = steps
        self._mild = False
        # Inside of what is used from more than one place, a branch that is dead here may be alive there.
        self.shared = False

    @contextmanager
    def inside(self, source: Source | None = None) -> Iterator[None]:
        """Walk through a partial, or through a macro of this source, and come back."""
        before = self._source, self.shared
        self._source, self.shared = source or self._source, True
        try:
            yield
        finally:
            self._source, self.shared = before

    @property
    def source(self) -> Source:
        """The source that the walk is in."""
        return self._source

    def step(self) -> None:
        """Count one step."""
        self._steps.left -= 1
        if self._steps.left < 0:
            raise TooMuchError

    def spot(self, node: nodes.Node, word: str = "") -> Spot:
        """Give what leads to the place of a node, or of a word in it."""
        return Spot(self._source, node.lineno, word)

    def place(self, node: nodes.Node, word: str = "") -> Location:
        """Give the place of a node, or of a word in it."""
        return self.spot(node, word).place

    @contextmanager
    def mildly(self) -> Iterator[None]:
        """Tell what fails only as a warning, since what is inside may never run."""
        before, self._mild = self._mild, True
        try:
            yield
        finally:
            self._mild = before

    def tell(self, problem: Problem) -> None:
        """Keep a finding; one that is an error on one way and a warning on another is an error."""
        warning = replace(problem, severity="warning")
        if self._mild:
            problem = warning
        if problem != warning:
            self.problems.pop(warning, None)
        elif replace(problem, severity="error") in self.problems:
            return
        self.problems[problem] = None

    @property
    def count(self) -> int:
        """How much has been told so far."""
        return len(self.problems)

    def dead(self, test: nodes.Node, message: str, told: int) -> None:
        """Tell a dead branch, unless its condition has been told to be wrong since `told`."""
        if not self.shared and self.count == told:
            self.tell(Problem(DEAD_BRANCH, message, self.place(test), "", "warning"))

    def use(self, type_: Type) -> Type:
        """Tell what is missing where a value is used, and give what is left."""
        there = present(type_)
        gaps = [one.gap for one in members(type_) if isinstance(one, Missing) and one.gap is not None]
        quiet = any(isinstance(one, Missing) and one.gap is None for one in members(type_))
        certain = is_never(there) and not quiet
        for gap in gaps if certain or not is_never(there) else ():
            self.tell(_gap_problem(gap, certain=certain))
        return ANY if is_never(there) and (gaps or quiet) else there

    def expect(self, type_: Type, takes: Kinds, what: str, node: nodes.Node, spot: Spot) -> Type:
        """Tell that `what` is given a value of a kind that it does not take, and give what is left."""
        wrong = [one for one in members(type_) if not isinstance(one, Anything) and form_of(one) not in takes]
        if not wrong:
            return type_
        certain = len(wrong) == len(members(type_))
        self.tell(_kind_problem(what, takes, node, wrong, spot, certain=certain))
        return ANY if certain else join(one for one in members(type_) if one not in wrong)

    def doubt(self, type_: Type, suits: Kinds, what: str, node: nodes.Node, spot: Spot) -> None:
        """Warn that `what` is given a value of a kind that it makes no sense of, though it does not fail."""
        wrong = [one for one in members(type_) if not isinstance(one, Anything) and form_of(one) not in suits]
        if wrong:
            certain = len(wrong) == len(members(type_))
            self.tell(replace(_kind_problem(what, suits, node, wrong, spot, certain=certain), severity="warning"))


def _gap_problem(gap: Gap, *, certain: bool) -> Problem:
    place = gap.spot.place if gap.spot else None
    if certain or gap.sure:
        return Problem(gap.code, gap.certain, place, gap.hint, "error" if certain else "warning")
    code = MAYBE_MISSING if gap.code == UNKNOWN_KEY else gap.code
    return Problem(code, gap.possible, place, gap.hint, "warning")


def _kind_problem(
    what: str, takes: Kinds, node: nodes.Node, wrong: Sequence[Type], spot: Spot, *, certain: bool
) -> Problem:
    names = " or ".join(dict.fromkeys(describe(one) for one in wrong))
    message = f"{what} needs {_NEEDS[takes]}, but {spell(node)} {'is' if certain else 'may be'} {names}"
    lazy = any(form_of(one) == "lazy" for one in wrong)
    hint = "add '| list' before it" if lazy else "" if certain else "test its kind first, or tighten the schema"
    return Problem(WRONG_KIND, message, spot.place, hint, "error" if certain else "warning")


def spell(node: nodes.Node) -> str:
    """Write an expression the way the author did, where it is a name or a look-up."""
    path = _path(node)
    return repr(path) if path else "this value"


def _path(node: nodes.Node) -> str:
    if isinstance(node, nodes.Name):
        return node.name
    key = constant_key(node)
    if key is not None:
        owner = _path(node.node)  # type: ignore[attr-defined]  # both look-ups have it
        return f"{owner}.{key}" if owner else ""
    return ""
