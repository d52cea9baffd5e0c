"""Run the tests of a pack on each of its changes, until one of them fails."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from promptpack.document import parse
from promptpack.document.edits import apply_edits
from promptpack.library.pickling import StoredPack
from promptpack.pack.model import Pack
from promptpack.problem import PackError, Problem
from promptpack.trial.mutation.mutants import Mutant, find_mutants
from promptpack.trial.run_tests import run_test
from promptpack.trial.snapshot import Snapshots

MutationResult = Literal["detected", "survived", "refused"]


@dataclass(frozen=True, slots=True)
class Mutation:
    """A change, and its result.

    A test fails (`detected`), no test fails (`survived`), or the changed pack cannot be loaded (`refused`).
    """

    mutant: Mutant
    result: MutationResult
    test: str = ""
    """The test that failed first."""

    @property
    def problem(self) -> Problem:
        """The problem of a change that survived."""
        return Problem("PP950", f"no test fails if {self.mutant.message}", self.mutant.location, "", "warning")


@dataclass(frozen=True, slots=True)
class Score:
    """How many changes the tests of some packs notice; changes that cannot be loaded do not count."""

    detected: int
    total: int
    refused: int

    @classmethod
    def of(cls, mutations: Iterable[Mutation]) -> Score:
        """Count the results."""
        results = [one.result for one in mutations]
        refused = results.count("refused")
        return cls(results.count("detected"), len(results) - refused, refused)

    @property
    def percent(self) -> float:
        """The share of changes that a test notices; 100 if there are none."""
        return 100 * self.detected / self.total if self.total else 100.0

    def __str__(self) -> str:
        refused = f", {self.refused} that cannot be loaded" if self.refused else ""
        # Rounded down, so that 100 means all.
        return f"{self.detected} of {self.total} changes detected ({int(self.percent)} %){refused}"


def run_mutants(pack: Pack) -> Iterator[Mutation]:
    """Try the changes of a pack, one after the other; its tests must pass without a change."""
    stored: StoredPack = pack.__reduce__()[1][0]
    snapshots = Snapshots(pack)
    for mutant in find_mutants(stored):
        changed = _change(stored, mutant)
        if changed is not None:
            yield _try(pack, mutant, changed, snapshots)


def _try(pack: Pack, mutant: Mutant, changed: StoredPack, snapshots: Snapshots) -> Mutation:
    try:
        other = changed.build()
    except PackError:
        return Mutation(mutant, "refused")
    if [test.name for test in other.tests] != [test.name for test in pack.tests]:
        return Mutation(mutant, "refused")
    for test in other.tests:
        if run_test(other, test, snapshots):
            return Mutation(mutant, "detected", test.name)
    return Mutation(mutant, "survived")


def _change(stored: StoredPack, mutant: Mutant) -> StoredPack | None:
    """Return the pack with the change; None if the layout of the file is too unusual to change only this."""
    texts = stored.texts[mutant.root]
    changed = apply_edits(texts[mutant.file].decode(), mutant.edits)
    try:
        found = parse(changed, mutant.location.path).data
    except PackError:
        return None
    if found != mutant.wanted:
        return None
    files = {**texts, mutant.file: changed.encode()}
    return stored._replace(texts={**stored.texts, mutant.root: files})
