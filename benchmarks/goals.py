"""What must be reached, as bounds on the cost of one side over that of others."""

from dataclasses import dataclass
from typing import Protocol

from benchmarks.measuring import Spread, Timing, show_spread, show_time
from benchmarks.results import Result

PEERS = ("minijinja", "minijinja, orjson", "LangChain", "Haystack", "Prompty", "Prompt Poet", "Agently")


NOT_MEASURED = "not measured"


class Limit(Protocol):
    """Something that figures must keep to."""

    def is_met(self, results: dict[str, Result]) -> bool:
        """Whether the middle of all rounds keeps to it; what was not measured does not."""

    def tell(self, results: dict[str, Result]) -> str:
        """Say what was measured."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A side costs at most so many times what each of some others costs."""

    table: str
    side: str
    most: float
    over: tuple[str, ...]

    def hardest(self, results: dict[str, Result]) -> tuple[str, Spread] | None:
        """Give the other that comes nearest, and the cost over it; None where one of them was not measured."""
        result = results.get(self.table)
        costs = {other: result.cost(self.side, other) if result else None for other in self.over}
        known = {other: cost for other, cost in costs.items() if cost is not None}
        if len(known) < len(self.over):
            return None
        return max(known.items(), key=lambda entry: entry[1].median)

    def is_met(self, results: dict[str, Result]) -> bool:
        found = self.hardest(results)
        return found is not None and found[1].median <= self.most

    def tell(self, results: dict[str, Result]) -> str:
        found = self.hardest(results)
        if found is None:
            return NOT_MEASURED
        other, cost = found
        if self.most <= 1:
            return f"{show_spread(cost.inverse)} times as quick as {other}"
        return f"{show_spread(cost)} times {other}"


@dataclass(frozen=True, slots=True)
class EveryGrowth:
    """Every side of a table that is measured against another costs at most so many times what that one costs."""

    table: str
    most: float

    def is_met(self, results: dict[str, Result]) -> bool:
        found = self._worst(results)
        return found is not None and found[1].median <= self.most

    def tell(self, results: dict[str, Result]) -> str:
        found = self._worst(results)
        return NOT_MEASURED if found is None else f"{show_spread(found[1])} times at most: {found[0]}"

    def _worst(self, results: dict[str, Result]) -> tuple[str, Spread] | None:
        result = results.get(self.table)
        sides = [figure for figure in result.figures if figure.over] if result else []
        costs = [(side.name, result.cost(side.name, side.over)) for side in sides] if result else []
        known = [(name, cost) for name, cost in costs if cost is not None]
        return max(known, key=lambda entry: entry[1].median) if known and len(known) == len(costs) else None


@dataclass(frozen=True, slots=True)
class EveryTime:
    """Every side of a table takes less than so many seconds a unit."""

    table: str
    seconds: float

    def is_met(self, results: dict[str, Result]) -> bool:
        found = self._worst(results)
        return found is not None and found[1] < self.seconds

    def tell(self, results: dict[str, Result]) -> str:
        found = self._worst(results)
        return NOT_MEASURED if found is None else f"{show_time(found[1])} at most: {found[0]}"

    def _worst(self, results: dict[str, Result]) -> tuple[str, float] | None:
        figures = results[self.table].figures if self.table in results else ()
        if not figures or not all(figure.rounds for figure in figures):
            return None
        return max(((figure.name, Timing(figure.rounds).median) for figure in figures), key=lambda entry: entry[1])


@dataclass(frozen=True, slots=True)
class Goal:
    """A line of the table of goals."""

    job: str
    wanted: str
    bounds: tuple[Limit, ...]


def _linear(table: str, *names: str) -> Bound:
    """Bound the cost of a unit at the largest size, named last, by that at all smaller ones."""
    return Bound(table, names[-1], 1.5, names[:-1])


RENDER = "6 times as quick as stock; ahead of every peer"
CHECK = "40 times as quick as jsonschema; no slower than the model"
CLEAN = "within twice `model_validate_json` on the same object"
LINEAR = "linear: a unit at most 1.5 times what it costs at smaller sizes"
TASKS = ("5 tasks, 1.3 KB", "50 tasks, 9.6 KB", "500 tasks, 94.1 KB")
HISTORY = ("records, window, fold", "records, early summary", "budget, oldest history", "budget, observations")

GOALS = (
    *(
        Goal(job, RENDER, (Bound("render", side, 1 / 6, ("stock",)), Bound("render", side, 1, PEERS)))
        for job, side in (
            ("warm render of a planner's prompt, inputs checked", "promptpack, `pack.render`"),
            ("the same, history and goal new", "promptpack, `pack.render`, next turn"),
            ("the same, all inputs new", "promptpack, `pack.render`, all inputs new"),
            ("the same, the template alone", "promptpack, template"),
            ("the same with orjson, inputs checked", "promptpack, `pack.render`, orjson"),
            ("the same with orjson, all inputs new", "promptpack, `pack.render`, all inputs new, orjson"),
            ("the same with orjson, the template alone", "promptpack, template, orjson"),
        )
    ),
    *(
        Goal(job, CHECK, (Bound(table, ours, 1 / 40, (reference,)), Bound(table, ours, 1, (model,))))
        for job, table, ours, reference, model in (
            (
                "check of a clean reply against the full contract",
                "check-reply",
                "promptpack",
                "jsonschema",
                "pydantic model",
            ),
            (
                "check of a context against the inputs' schema",
                "check-context",
                "promptpack",
                "jsonschema",
                "pydantic model",
            ),
        )
    ),
    *(
        Goal(job, CLEAN, (Bound(table, side, 2, ("`model_validate_json`",)),))
        for job, table, side in (
            ("a clean reply of 1.3 KB from its text, no rules", "check-text", "promptpack, `pack.check`"),
            ("the same, to typed output", "check-text", "promptpack, typed output"),
            ("the same, to typed output with the planner's five rules", "check-text", "promptpack, `prompt.check`"),
            ("clean replies of the corpus from their texts", "replies-clean", "promptpack, `pack.check`"),
        )
    ),
    Goal(
        "reading pack files, with places",
        "twice as quick as CSafeLoader",
        (Bound("document", "promptpack, the shipped packs", 1 / 2, ("CSafeLoader, the shipped packs",)),),
    ),
    Goal(
        "cold start: import, six packs loaded and validated, first prompt",
        "within 6 times a bare interpreter from the cache, within 9 without",
        (
            Bound("start", "six packs validated, from the cache", 6, ("bare interpreter",)),
            Bound("start", "six packs validated", 9, ("bare interpreter",)),
        ),
    ),
    Goal(
        "1,000 packs loaded and validated, parsed and from the cache",
        "the cost of a pack flat from 10 to 1,000; 15 times as quick from the cache",
        (
            Bound("load", "1,000 packs, parsed", 1.25, ("10 packs, parsed",)),
            Bound("load", "1,000 packs, from the cache", 1 / 15, ("1,000 packs, parsed",)),
        ),
    ),
    Goal(
        "full lint of 1,000 packs",
        "cold quicker than check-jsonschema, warm a tenth of it",
        (
            Bound("lint", "promptpack, cold", 1, ("check-jsonschema",)),
            Bound("lint", "promptpack, warm", 1 / 10, ("check-jsonschema",)),
        ),
    ),
    Goal(
        "`import promptpack`",
        "under half of the four packages",
        (Bound("import", "promptpack", 1 / 2, ("the four packages",)),),
    ),
    Goal(
        "growth of a render with its context",
        LINEAR,
        (_linear("render-growth", "20 tools", "200 tools", "2,000 tools"),),
    ),
    Goal(
        "growth of a load with the packs",
        LINEAR,
        tuple(
            _linear("load", *(f"{size} packs, {how}" for size in ("10", "100", "1,000")))
            for how in ("parsed", "from the cache")
        ),
    ),
    Goal(
        "growth of a check with its reply, as data and as text",
        LINEAR,
        (_linear("check-growth", *TASKS), _linear("check-text-growth", *TASKS)),
    ),
    Goal(
        "growth of the history functions with the history",
        LINEAR,
        tuple(
            _linear("history-growth", *(f"{name}, {size}" for size in ("100", "1,000", "10,000"))) for name in HISTORY
        ),
    ),
    *(
        Goal(
            job,
            "under a second at 1 MB, and at most 5 times what 256 KB take",
            (EveryTime(table, 1), EveryGrowth(table, 5)),
        )
        for job, table in (
            ("hostile replies of every kind", "hostile-read"),
            ("hostile replies of every kind, in pieces", "hostile-stream"),
        )
    ),
)
