"""Collects the problems of a template: each one once, at its location in the file of the template."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from jinja2 import nodes

from promptpack.linter.types.lattice import (
    ANY,
    AnyType,
    LazyLocation,
    MissingReason,
    MissingType,
    Type,
    UnionType,
    describe,
    drop_missing,
    form_of,
    is_never,
    members,
    union,
)
from promptpack.linter.types.narrowing import constant_key
from promptpack.linter.types.signatures import KINDS_IN_WORDS, AcceptedKinds
from promptpack.problem import Location, Problem
from promptpack.template.model import Source

UNKNOWN_KEY: Final = "PL201"
WRONG_KIND: Final = "PL202"
MAYBE_MISSING: Final = "PL203"
IMPOSSIBLE_VALUE: Final = "PL204"
DEAD_BRANCH: Final = "PL205"
WRONG_ARGUMENT: Final = "PL206"


class ProblemCollector:
    """Collects problems, and tracks which source is being checked."""

    def __init__(self) -> None:
        self.problems: dict[Problem, None] = {}
        self.count: int = 0
        """The number of times that a problem was found."""
        self.source: Source = Source.of_text("")
        """The source that is being checked."""
        self.only_warnings: bool = False
        self._missing: dict[tuple[str, str], Location] = {}
        # In a partial or macro, a branch that is dead for this use may be taken for another.
        self.is_shared: bool = False

    @contextmanager
    def inside(self, source: Source, *, is_shared: bool = True) -> Iterator[None]:
        """Check this source, and return to the current one afterwards; partials and macros are shared."""
        before = self.source, self.is_shared
        self.source, self.is_shared = source, is_shared
        try:
            yield
        finally:
            self.source, self.is_shared = before

    def locate_lazily(self, node: nodes.Node, word: str = "") -> LazyLocation:
        """Return the location of a node, or of a word in it, to be resolved only if it is needed."""
        return LazyLocation(self.source, node.lineno, word)

    def locate(self, node: nodes.Node, word: str = "") -> Location:
        """Return the location of a node, or of a word in it."""
        return self.locate_lazily(node, word).resolve()

    @contextmanager
    def as_warnings(self) -> Iterator[None]:
        """Report errors as warnings, since the code in this block may never run."""
        before, self.only_warnings = self.only_warnings, True
        try:
            yield
        finally:
            self.only_warnings = before

    def add(self, problem: Problem) -> None:
        """Add a problem; an error replaces the same problem as a warning."""
        self.count += 1
        if problem.code == MAYBE_MISSING and problem.location is not None:
            # The same value, missing in several places, is one mistake.
            first = self._missing.setdefault((problem.location.path, problem.message), problem.location)
            if first != problem.location:
                return
        warning = replace(problem, severity="warning")
        if self.only_warnings:
            problem = warning
        if problem != warning:
            self.problems.pop(warning, None)
        elif replace(problem, severity="error") in self.problems:
            return
        self.problems[problem] = None

    def add_dead_branch(self, test: nodes.Node, message: str, count_before: int) -> None:
        """Report a dead branch, unless its condition itself has a problem, found since `count_before`."""
        if not self.is_shared and self.count == count_before:
            self.add(Problem(DEAD_BRANCH, message, self.locate(test), "", "warning"))

    def use(self, type_: Type) -> Type:
        """Report a missing value where it is used, and return the type of the value if present."""
        if not isinstance(type_, (MissingType, UnionType)):
            return type_
        present = drop_missing(type_)
        reasons = [one.reason for one in members(type_) if isinstance(one, MissingType) and one.reason is not None]
        unknown = any(isinstance(one, MissingType) and one.reason is None for one in members(type_))
        certain = is_never(present) and not unknown
        for reason in reasons if certain or not is_never(present) else ():
            self.add(_missing_problem(reason, certain=certain))
        return ANY if is_never(present) and (reasons or unknown) else present

    def expect(self, type_: Type, accepts: AcceptedKinds, what: str, node: nodes.Node, at: LazyLocation) -> Type:
        """Report values of a kind that `what` does not accept, and return the type of the others."""
        wrong = [one for one in members(type_) if not isinstance(one, AnyType) and form_of(one) not in accepts]
        if not wrong:
            return type_
        certain = len(wrong) == len(members(type_))
        self.add(_kind_problem(what, accepts, node, wrong, at, certain=certain))
        return ANY if certain else union(one for one in members(type_) if one not in wrong)

    def warn_meaningless(
        self, type_: Type, meaningful: AcceptedKinds, what: str, node: nodes.Node, at: LazyLocation
    ) -> None:
        """Warn about values of a kind that `what` accepts, but that make no sense."""
        wrong = [one for one in members(type_) if not isinstance(one, AnyType) and form_of(one) not in meaningful]
        if wrong:
            certain = len(wrong) == len(members(type_))
            self.add(replace(_kind_problem(what, meaningful, node, wrong, at, certain=certain), severity="warning"))


def _missing_problem(reason: MissingReason, *, certain: bool) -> Problem:
    location = reason.location.resolve() if reason.location else None
    if certain or reason.is_definite:
        return Problem(reason.code, reason.certain_message, location, reason.hint, "error" if certain else "warning")
    code = MAYBE_MISSING if reason.code == UNKNOWN_KEY else reason.code
    return Problem(code, reason.possible_message, location, reason.hint, "warning")


def _kind_problem(
    what: str, accepts: AcceptedKinds, node: nodes.Node, wrong: Sequence[Type], at: LazyLocation, *, certain: bool
) -> Problem:
    names = " or ".join(dict.fromkeys(describe(one) for one in wrong))
    message = f"{what} needs {KINDS_IN_WORDS[accepts]}, but {spell(node)} {'is' if certain else 'may be'} {names}"
    lazy = any(form_of(one) == "lazy" for one in wrong)
    hint = "add '| list' before it" if lazy else "" if certain else "test its type first, or make the schema stricter"
    return Problem(WRONG_KIND, message, at.resolve(), hint, "error" if certain else "warning")


def spell(node: nodes.Node) -> str:
    """Return a name or a lookup as the author wrote it, and 'this value' for other expressions."""
    path = _path(node)
    return repr(path) if path else "this value"


def _path(node: nodes.Node) -> str:
    if isinstance(node, nodes.Name):
        return node.name
    key = constant_key(node)
    if key is not None:
        owner = _path(node.node)  # type: ignore[attr-defined]  # both kinds of lookup have it
        return f"{owner}.{key}" if owner else ""
    return ""
