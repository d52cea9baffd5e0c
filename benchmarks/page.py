"""The page of figures: its tables are generated from the figures of the last run, between two markers."""

from collections.abc import Iterable, Sequence

from benchmarks.environments import ROOT
from benchmarks.goals import GOALS
from benchmarks.measuring import Spread, Timing, show_spread, show_time
from benchmarks.results import Result
from benchmarks.sides import Figure

PAGE = ROOT / "benchmarks" / "README.md"
BEGIN, END = "<!-- written by `python -m benchmarks --write` -->\n", "<!-- end of what is written -->\n"
WORST = 5


def write(results: dict[str, Result]) -> None:
    """Write the tables between the markers of the page."""
    text = PAGE.read_text("utf-8")
    before, after = text[: text.index(BEGIN) + len(BEGIN)], text[text.index(END) :]
    PAGE.write_text(before + body(results) + after, "utf-8")


def body(results: dict[str, Result]) -> str:
    """Return the goals, then every table."""
    machines = sorted({result.machine for result in results.values()})
    head = f"Measured on: {'; '.join(machines)}.\n"
    return "\n".join([head, goals(results), *(section(result) for result in results.values())])


def goals(results: dict[str, Result]) -> str:
    rows = (
        (
            goal.job,
            goal.wanted,
            "; ".join(limit.describe(results) for limit in goal.limits),
            "yes" if all(limit.is_met(results) for limit in goal.limits) else "**no**",
        )
        for goal in GOALS
    )
    return "### Goals\n" + _table(("job", "goal", "measured (with quartiles)", "met"), rows)


def section(result: Result) -> str:
    """Return one table; only the worst rows if it is a summary."""
    figures = result.figures
    note = ""
    if result.shown == "worst":
        costs = {figure.name: _cost(result, figure) for figure in figures if figure.over}
        figures = tuple(sorted((one for one in figures if one.over), key=lambda one: -_median(costs[one.name]))[:WORST])
        note = f"The {WORST} kinds of {len(costs)} that grow fastest.\n\n"
    columns = ["", "CPU time", "times as fast" if result.shown == "faster" else "times the cost"]
    counted = any(figure.instructions for figure in figures)
    rows = [_row(result, figure, counted) for figure in figures]
    return f"### {result.title}\n{note}" + _table([*columns, *(["instructions"] if counted else []), "with"], rows)


def _row(result: Result, figure: Figure, counted: bool) -> Sequence[str]:
    cost = _cost(result, figure)
    spread = cost.inverse if cost is not None and result.shown == "faster" else cost
    ratio = show_spread(spread) if spread is not None else _no_ratio(figure)
    instructions = [f"{figure.instructions:,.0f}" if figure.instructions else ""] if counted else []
    time = show_time(Timing(figure.rounds).median) if figure.rounds else ""
    about = "; ".join(filter(None, (figure.versions, figure.note)))
    return [figure.name, time, ratio, *instructions, about]


def _no_ratio(figure: Figure) -> str:
    if figure.rounds:
        return "" if figure.over else "1"
    return f"failed: {figure.failed}".replace("|", "\\|") if figure.failed else f"none: {figure.refused}"


def _cost(result: Result, figure: Figure) -> Spread | None:
    return result.cost(figure.name, figure.over) if figure.over else None


def _median(cost: Spread | None) -> float:
    return cost.median if cost is not None else 0.0


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
