"""The page shows the figures and every goal."""

import pytest

from benchmarks import __main__ as command
from benchmarks import counting, page, results
from benchmarks.goals import GOALS, GrowthLimit, RatioLimit, TimeLimit
from benchmarks.results import Result
from benchmarks.sides import Figure

JOBS = (
    "planner 10 KB, all inputs new",
    "planner 10 KB, next turn",
    "planner 10 KB, template only",
    "each shipped pack, all new",
    "complete check of a clean reply with rules",
    "executor with new tools in each request",
    "render and check new records",
    "check of a clean reply",
    "check of a context",
    "check of the text of a clean 1.3 KB reply",
    "parsing pack files",
    "one prompt in a new process",
    "`promptpack lint`",
    "loading and validating 1,000 packs",
    "full lint of 1,000 packs",
    "`import promptpack`",
    "growth of rendering",
    "growth of loading",
    "growth of checking",
    "growth of the history functions",
    "hostile replies of every kind",
)
RENDER = Result(
    "render",
    "render",
    "Rendering",
    "faster",
    "a machine",
    (
        Figure("stock", versions="jinja2 3.1.6", rounds=(8e-4, 8e-4, 9e-4), instructions=3_869_457.7),
        Figure("ours", "stock", rounds=(1e-4, 2e-4, 1e-4), note="limits on"),
        Figure("peer", "stock", rounds=(2e-4, 2e-4, 3e-4)),
        Figure("other", "stock", refused="it sorts keys"),
    ),
)


def test_a_table_shows_ratios_with_quartiles_and_reasons() -> None:
    assert page.section(RENDER) == (
        "### Rendering\n"
        "|  | CPU time | times as fast | instructions | with |\n"
        "| --- | --- | --- | --- | --- |\n"
        "| stock | 800 us | 1 | 3,869,458 | jinja2 3.1.6 |\n"
        "| ours | 100 us | 8.00 (5.33 to 8.47) |  | limits on |\n"
        "| peer | 200 us | 4.00 (3.43 to 4.00) |  |  |\n"
        "| other |  | none: it sorts keys |  |  |\n"
    )


@pytest.mark.parametrize(
    ("limit", "is_met"),
    [
        (RatioLimit("render", "ours", 1 / 8, ("stock",)), True),
        (RatioLimit("render", "ours", 1 / 9, ("stock",)), False),
        (RatioLimit("render", "ours", 1, ("stock", "peer")), True),
        (RatioLimit("render", "peer", 1, ("stock", "ours")), False),
        (RatioLimit("render", "ours", 1, ("stock", "other")), False),
        (RatioLimit("load", "ours", 1, ("stock",)), False),
    ],
)
def test_a_ratio_limit_is_met_only_if_all_sides_are_measured_and_within_it(limit: RatioLimit, is_met: bool) -> None:
    assert limit.is_met({"render": RENDER}) is is_met


def test_the_closest_side_is_named() -> None:
    found = RatioLimit("render", "ours", 1, ("stock", "peer")).closest({"render": RENDER})
    assert found is not None
    assert found[0] == "peer"


def test_a_limit_on_all_sides_names_the_worst() -> None:
    figures = (
        Figure("a", rounds=(0.1,)),
        Figure("a twice", "a", rounds=(0.3,)),
        Figure("b", rounds=(0.1,)),
        Figure("b twice", "b", rounds=(0.2,)),
    )
    found = {"hostile": Result("hostile", "hostile_replies", "Hostile", "worst", "a machine", figures)}
    assert GrowthLimit("hostile", 3.1).is_met(found)
    assert not GrowthLimit("hostile", 2.9).is_met(found)
    assert GrowthLimit("hostile", 3).describe(found) == "at most 3.00 (3.00 to 3.00) times: a twice"
    assert TimeLimit("hostile", 0.31).is_met(found)
    assert not TimeLimit("hostile", 0.3).is_met(found)
    assert TimeLimit("hostile", 1).describe(found) == "at most 300 ms: a twice"


@pytest.mark.parametrize("limit", [GrowthLimit("hostile", 9), TimeLimit("hostile", 9)])
def test_a_limit_is_not_met_if_a_side_has_no_figure(limit: GrowthLimit | TimeLimit) -> None:
    figures = (Figure("a", rounds=(0.1,)), Figure("a twice", "a", failed="was killed by signal 9"))
    found = {"hostile": Result("hostile", "hostile_replies", "Hostile", "worst", "a machine", figures)}
    assert not limit.is_met(found)
    assert not limit.is_met({})
    assert limit.describe(found) == limit.describe({}) == "not measured"


def test_a_table_shows_which_side_failed_and_no_ratio_without_a_base() -> None:
    figures = (Figure("stock", failed="a | b"), Figure("ours", "stock", rounds=(1e-4,)))
    shown = page.section(Result("render", "render", "Rendering", "faster", "a machine", figures)).splitlines()[3:]
    assert shown == ["| stock |  | failed: a \\| b |  |", "| ours | 100 us |  |  |"]


def test_a_summary_shows_only_the_worst() -> None:
    figures = [
        figure
        for number in range(7)
        for figure in (
            Figure(f"{number} small", rounds=(1.0,)),
            Figure(f"{number} large", f"{number} small", rounds=(1.0 + number,)),
        )
    ]
    shown = page.section(Result("hostile", "hostile_replies", "Hostile", "worst", "a machine", tuple(figures)))
    assert "The 5 kinds of 7 that grow fastest." in shown
    assert [line.split(" |")[0] for line in shown.splitlines()[5:]] == [
        f"| {number} large" for number in (6, 5, 4, 3, 2)
    ]


def test_the_page_is_generated_from_the_figures() -> None:
    text = page.PAGE.read_text("utf-8")
    written = text[text.index(page.BEGIN) + len(page.BEGIN) : text.index(page.END)]
    assert written == page.body(results.read())


def test_the_page_shows_every_goal_and_whether_it_is_met() -> None:
    rows = page.goals(results.read()).splitlines()[3:]
    assert len(rows) == len(GOALS)
    assert all(row.endswith(("| yes |", "| **no** |")) for row in rows)
    assert not [row for row in rows if "not measured" in row]
    assert not [job for job in JOBS if not any(row.startswith(f"| {job}") for row in rows)]


def test_missing_valgrind_is_reported(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(counting, "is_possible", lambda: False)
    monkeypatch.setattr(command, "run", lambda *_: ())
    command.main(["render"])
    errors = capsys.readouterr().err.splitlines()
    assert errors[0] == "cannot count instructions: valgrind is not installed"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["rendr"], "unknown benchmark rendr; choose from render, shipped, schemas"),
        (["render", "--rounds", "0"], "--rounds must be at least 1"),
    ],
)
def test_invalid_arguments_are_reported(arguments: list[str], problem: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(arguments)
    assert problem in capsys.readouterr().err
