"""The goals: limits on the cost of a side, relative to other sides."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from benchmarks.measuring import Spread, Timing, show_spread, show_time
from benchmarks.records import AGENTS
from benchmarks.results import Result

NOT_MEASURED = "not measured"


class Limit(Protocol):
    """A limit that figures must respect."""

    def is_met(self, results: dict[str, Result]) -> bool:
        """Whether the median of all rounds is within the limit; False if a figure is missing."""

    def describe(self, results: dict[str, Result]) -> str:
        """Return the measured value as text."""


@dataclass(frozen=True, slots=True)
class RatioLimit:
    """A side costs at most `maximum` times as much as each of some other sides."""

    table: str
    side: str
    maximum: float
    over: tuple[str, ...]

    def closest(self, results: dict[str, Result]) -> tuple[str, Spread] | None:
        """Return the other side with the highest ratio, and that ratio; None if a side was not measured."""
        result = results.get(self.table)
        costs = {other: result.cost(self.side, other) if result else None for other in self.over}
        measured = {other: cost for other, cost in costs.items() if cost is not None}
        if len(measured) < len(self.over):
            return None
        return max(measured.items(), key=lambda entry: entry[1].median)

    def is_met(self, results: dict[str, Result]) -> bool:
        found = self.closest(results)
        return found is not None and found[1].median <= self.maximum

    def describe(self, results: dict[str, Result]) -> str:
        found = self.closest(results)
        if found is None:
            return NOT_MEASURED
        other, cost = found
        if self.maximum <= 1:
            return f"{show_spread(cost.inverse)} times as fast as {other}"
        return f"{show_spread(cost)} times the cost of {other}"


@dataclass(frozen=True, slots=True)
class GrowthLimit:
    """Every side of a table costs at most `maximum` times as much as the side it is compared with."""

    table: str
    maximum: float

    def is_met(self, results: dict[str, Result]) -> bool:
        found = self._worst(results)
        return found is not None and found[1].median <= self.maximum

    def describe(self, results: dict[str, Result]) -> str:
        found = self._worst(results)
        return NOT_MEASURED if found is None else f"at most {show_spread(found[1])} times: {found[0]}"

    def _worst(self, results: dict[str, Result]) -> tuple[str, Spread] | None:
        result = results.get(self.table)
        sides = [figure for figure in result.figures if figure.over] if result else []
        costs = [(side.name, result.cost(side.name, side.over)) for side in sides] if result else []
        measured = [(name, cost) for name, cost in costs if cost is not None]
        return max(measured, key=lambda entry: entry[1].median) if measured and len(measured) == len(costs) else None


@dataclass(frozen=True, slots=True)
class TimeLimit:
    """Every side of a table takes less than `seconds` per unit."""

    table: str
    seconds: float

    def is_met(self, results: dict[str, Result]) -> bool:
        found = self._worst(results)
        return found is not None and found[1] < self.seconds

    def describe(self, results: dict[str, Result]) -> str:
        found = self._worst(results)
        return NOT_MEASURED if found is None else f"at most {show_time(found[1])}: {found[0]}"

    def _worst(self, results: dict[str, Result]) -> tuple[str, float] | None:
        figures = results[self.table].figures if self.table in results else ()
        if not figures or not all(figure.rounds for figure in figures):
            return None
        return max(((figure.name, Timing(figure.rounds).median) for figure in figures), key=lambda entry: entry[1])


@dataclass(frozen=True, slots=True)
class SideTimeLimit:
    """One side of a table takes at most `seconds`."""

    table: str
    side: str
    seconds: float

    def is_met(self, results: dict[str, Result]) -> bool:
        found = self._median(results)
        return found is not None and found <= self.seconds

    def describe(self, results: dict[str, Result]) -> str:
        found = self._median(results)
        return NOT_MEASURED if found is None else show_time(found)

    def _median(self, results: dict[str, Result]) -> float | None:
        figures = results[self.table].figures if self.table in results else ()
        return next((Timing(one.rounds).median for one in figures if one.name == self.side and one.rounds), None)


@dataclass(frozen=True, slots=True)
class Goal:
    """One row of the table of goals."""

    job: str
    wanted: str
    limits: tuple[Limit, ...]


def _linear(table: str, *names: str) -> RatioLimit:
    """Limit the cost per unit at the largest size, named last, relative to all smaller sizes."""
    return RatioLimit(table, names[-1], 1.5, names[:-1])


CHECK = "40 times as fast as jsonschema; at least as fast as the model"
CLEAN = "at most twice the cost of `model_validate_json` on the same object"
LINEAR = "linear: at most 1.5 times the cost per unit at smaller sizes"
TASKS = ("5 tasks, 1.3 KB", "50 tasks, 9.6 KB", "500 tasks, 94.1 KB")
HISTORY = ("records, window, fold", "records, early summary", "budget, oldest history", "budget, observations")


def _render_goals() -> Iterator[Goal]:
    """Yield the rows of the 10 KB planner prompt: what is required, then the goal."""
    new, turn = "promptpack, `pack.render`, all inputs new", "promptpack, `pack.render`, next turn"
    for job, side, required, goal in (
        ("planner 10 KB, all inputs new", new, 2.5, 0.0),
        ("planner 10 KB, all inputs new, deep schemas", f"{new}, deep schemas", 2, 0.0),
        ("planner 10 KB, next turn", turn, 6, 8),
        ("planner 10 KB, next turn, deep schemas", f"{turn}, deep schemas", 4.5, 6),
        ("planner 10 KB, template only", "promptpack, template", 5.5, 7),
    ):
        yield _faster(f"{job}: required", "render", side, "stock", required)
        if goal:
            yield _faster(f"{job}: goal", "render", side, "stock", goal)
        else:
            wanted = "as fast as minijinja with orjson"
            yield Goal(f"{job}: goal", wanted, (RatioLimit("render", f"{side}, orjson", 1, ("minijinja, orjson",)),))


def _shipped_goals() -> Iterator[Goal]:
    """Yield the rows of the shipped packs; the worst pack decides."""
    for level, stock, validated, multiple, request in (("required", 1.2, 2, 3.5, 10), ("goal", 2, 4, 2, 20)):
        for over, times in (("stock", stock), ("stock, jsonschema", validated)):
            limits = (
                RatioLimit("shipped-render", f"promptpack, {agent}", 1 / times, (f"{over}, {agent}",))
                for agent in AGENTS
            )
            job = f"each shipped pack, all new, compared with {over}: {level}"
            yield Goal(job, f"{times:g} times as fast", tuple(limits))
        limits = (
            RatioLimit("shipped-check", f"promptpack, {agent}", multiple, (f"`model_validate_json`, {agent}",))
            for agent in AGENTS
        )
        job = f"complete check of a clean reply with rules, each shipped pack: {level}"
        yield Goal(job, f"at most {multiple:g} times the cost of `model_validate_json`", tuple(limits))
        yield _faster(
            f"render and check new records: {level}", "shipped-request", "promptpack, planner",
            "stock, jsonschema, planner", request,
        )  # fmt: skip
    known = ("promptpack, executor, known tools",)
    yield Goal(
        "executor with new tools in each request, render and check: required",
        "600 us, a quarter of the cost on 2026-11-17",
        (SideTimeLimit("shipped-request", "promptpack, executor", 600e-6),),
    )
    yield Goal(
        "executor with new tools in each request, render and check: goal",
        "the same as with known tools",
        (RatioLimit("shipped-request", "promptpack, executor", 1.1, known),),
    )


def _faster(job: str, table: str, side: str, over: str, times: float) -> Goal:
    return Goal(job, f"{times:g} times as fast as stock", (RatioLimit(table, side, 1 / times, (over,)),))


GOALS = (
    *(
        Goal(
            f"a file of 10,000 planner records: {job}",
            "at most 1.1 times the cost of a plain loop over the same file",
            (RatioLimit(table, "promptpack batch", 1.1, (loop,)),),
        )
        for job, table, loop in (
            ("render requests", "batch-render", "loop, promptpack"),
            ("check replies, with flat memory", "batch-check", "loop, promptpack, flat memory"),
            ("check replies, the loop has all contexts in memory", "batch-check", "loop, promptpack"),
        )
    ),
    Goal(
        "1,000 tests of a pack",
        "at most twice the cost of rendering and checking in a plain loop",
        (RatioLimit("pack-tests", "promptpack test", 2, ("a plain loop",)),),
    ),
    *_render_goals(),
    *_shipped_goals(),
    *(
        Goal(job, CHECK, (RatioLimit(table, ours, 1 / 40, (reference,)), RatioLimit(table, ours, 1, (model,))))
        for job, table, ours, reference, model in (
            (
                "check of a clean reply against the full contract",
                "check-reply",
                "promptpack",
                "jsonschema",
                "pydantic model",
            ),
            (
                "check of a context against the input schema",
                "check-context",
                "promptpack",
                "jsonschema",
                "pydantic model",
            ),
        )
    ),
    *(
        Goal(job, CLEAN, (RatioLimit(table, side, 2, ("`model_validate_json`",)),))
        for job, table, side in (
            ("check of the text of a clean 1.3 KB reply, no rules", "check-text", "promptpack, `pack.check`"),
            ("the same, to typed output", "check-text", "promptpack, typed output"),
            ("check of the texts of all clean replies in the corpus", "replies-clean", "promptpack, `pack.check`"),
        )
    ),
    Goal(
        "parsing pack files, with positions",
        "twice as fast as CSafeLoader",
        (RatioLimit("document", "promptpack, the shipped packs", 1 / 2, ("CSafeLoader, the shipped packs",)),),
    ),
    Goal(
        "one prompt in a new process: import, open six packs, render",
        "at most 18 times the cost of a bare interpreter, 13 times with the cache",
        (
            RatioLimit("start", "six packs opened", 18, ("bare interpreter",)),
            RatioLimit("start", "six packs opened, from the cache", 13, ("bare interpreter",)),
        ),
    ),
    Goal(
        "`promptpack lint` with nothing changed",
        "at most 10 times the cost of a bare interpreter",
        (RatioLimit("start", "`promptpack lint`, nothing changed", 10, ("bare interpreter",)),),
    ),
    Goal(
        "loading and validating 1,000 packs, parsed and from the cache",
        "constant cost per pack from 10 to 1,000 packs; 15 times as fast from the cache",
        (
            RatioLimit("load", "1,000 packs, parsed", 1.25, ("10 packs, parsed",)),
            RatioLimit("load", "1,000 packs, from the cache", 1 / 15, ("1,000 packs, parsed",)),
        ),
    ),
    Goal(
        "full lint of 1,000 packs",
        "cold faster than check-jsonschema; warm a tenth of its cost",
        (
            RatioLimit("lint", "promptpack, cold", 1, ("check-jsonschema",)),
            RatioLimit("lint", "promptpack, warm", 1 / 10, ("check-jsonschema",)),
        ),
    ),
    Goal(
        "`import promptpack`",
        "less than 1.5 times the cost of a bare interpreter",
        (RatioLimit("import", "promptpack", 1.5, ("bare interpreter",)),),
    ),
    Goal(
        "growth of rendering with the context",
        LINEAR,
        (_linear("render-growth", "20 tools", "200 tools", "2,000 tools"),),
    ),
    Goal(
        "growth of loading with the number of packs",
        LINEAR,
        tuple(
            _linear("load", *(f"{size} packs, {how}" for size in ("10", "100", "1,000")))
            for how in ("parsed", "from the cache")
        ),
    ),
    Goal(
        "growth of checking with the reply, as data and as text",
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
            "less than a second at 1 MB, and at most 5 times the cost of 256 KB",
            (TimeLimit(table, 1), GrowthLimit(table, 5)),
        )
        for job, table in (
            ("hostile replies of every kind", "hostile-read"),
            ("hostile replies of every kind, streamed", "hostile-stream"),
        )
    ),
)
