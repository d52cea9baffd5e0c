"""The page says what the figures say, and every goal is on it."""

import pytest

from benchmarks import __main__ as command
from benchmarks import counting, page, results
from benchmarks.goals import GOALS, Bound, EveryGrowth, EveryTime
from benchmarks.results import Result
from benchmarks.sides import Figure

JOBS = (
    "warm render of a planner's prompt",
    "check of a clean reply",
    "check of a context",
    "reading pack files",
    "cold start",
    "1,000 packs loaded and validated",
    "full lint of 1,000 packs",
    "`import promptpack`",
    "growth of a render",
    "growth of a load",
    "growth of a check",
    "growth of the history functions",
    "hostile replies of every kind",
)
RENDER = Result(
    "render",
    "render",
    "Rendering",
    "quicker",
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
        "|  | CPU time | times as quick | instructions | with |\n"
        "| --- | --- | --- | --- | --- |\n"
        "| stock | 800 us | 1 | 3,869,458 | jinja2 3.1.6 |\n"
        "| ours | 100 us | 8.00 (5.33 to 8.47) |  | limits on |\n"
        "| peer | 200 us | 4.00 (3.43 to 4.00) |  |  |\n"
        "| other |  | none: it sorts keys |  |  |\n"
    )


@pytest.mark.parametrize(
    ("bound", "is_met"),
    [
        (Bound("render", "ours", 1 / 8, ("stock",)), True),
        (Bound("render", "ours", 1 / 9, ("stock",)), False),
        (Bound("render", "ours", 1, ("stock", "peer")), True),
        (Bound("render", "peer", 1, ("stock", "ours")), False),
        (Bound("render", "ours", 1, ("stock", "other")), False),
        (Bound("load", "ours", 1, ("stock",)), False),
    ],
)
def test_a_bound_holds_against_the_nearest_and_not_without_figures(bound: Bound, is_met: bool) -> None:
    assert bound.is_met({"render": RENDER}) is is_met


def test_the_nearest_is_named() -> None:
    found = Bound("render", "ours", 1, ("stock", "peer")).hardest({"render": RENDER})
    assert found is not None
    assert found[0] == "peer"


def test_every_side_keeps_to_a_limit_or_the_worst_is_named() -> None:
    figures = (
        Figure("a", rounds=(0.1,)),
        Figure("a twice", "a", rounds=(0.3,)),
        Figure("b", rounds=(0.1,)),
        Figure("b twice", "b", rounds=(0.2,)),
    )
    found = {"hostile": Result("hostile", "hostile_replies", "Hostile", "worst", "a machine", figures)}
    assert EveryGrowth("hostile", 3.1).is_met(found)
    assert not EveryGrowth("hostile", 2.9).is_met(found)
    assert EveryGrowth("hostile", 3).tell(found) == "3.00 (3.00 to 3.00) times at most: a twice"
    assert EveryTime("hostile", 0.31).is_met(found)
    assert not EveryTime("hostile", 0.3).is_met(found)
    assert EveryTime("hostile", 1).tell(found) == "300 ms at most: a twice"


@pytest.mark.parametrize("limit", [EveryGrowth("hostile", 9), EveryTime("hostile", 9)])
def test_a_limit_does_not_hold_while_a_side_has_no_figure(limit: EveryGrowth | EveryTime) -> None:
    figures = (Figure("a", rounds=(0.1,)), Figure("a twice", "a", failed="was killed by signal 9"))
    found = {"hostile": Result("hostile", "hostile_replies", "Hostile", "worst", "a machine", figures)}
    assert not limit.is_met(found)
    assert not limit.is_met({})
    assert limit.tell(found) == limit.tell({}) == "not measured"


def test_a_table_says_which_side_failed_and_gives_no_ratio_without_a_base() -> None:
    figures = (Figure("stock", failed="a | b"), Figure("ours", "stock", rounds=(1e-4,)))
    shown = page.section(Result("render", "render", "Rendering", "quicker", "a machine", figures)).splitlines()[3:]
    assert shown == ["| stock |  | failed: a \\| b |  |", "| ours | 100 us |  |  |"]


def test_of_a_summary_the_worst_are_shown() -> None:
    figures = [
        figure
        for number in range(7)
        for figure in (
            Figure(f"{number} small", rounds=(1.0,)),
            Figure(f"{number} large", f"{number} small", rounds=(1.0 + number,)),
        )
    ]
    shown = page.section(Result("hostile", "hostile_replies", "Hostile", "worst", "a machine", tuple(figures)))
    assert "The 5 of 7 kinds that grow fastest." in shown
    assert [line.split(" |")[0] for line in shown.splitlines()[5:]] == [
        f"| {number} large" for number in (6, 5, 4, 3, 2)
    ]


def test_the_page_is_written_from_the_figures() -> None:
    text = page.PAGE.read_text("utf-8")
    written = text[text.index(page.BEGIN) + len(page.BEGIN) : text.index(page.END)]
    assert written == page.body(results.read())


def test_every_goal_is_on_the_page_and_whether_it_is_met() -> None:
    rows = page.goals(results.read()).splitlines()[3:]
    assert len(rows) == len(GOALS)
    assert all(row.endswith(("| yes |", "| **no** |")) for row in rows)
    assert not [row for row in rows if "not measured" in row]
    assert not [job for job in JOBS if not any(row.startswith(f"| {job}") for row in rows)]


def test_a_machine_without_valgrind_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(counting, "is_possible", lambda: False)
    monkeypatch.setattr(command, "run", lambda *_: ())
    command.main(["render"])
    told = capsys.readouterr().err.splitlines()
    assert told[0] == "instructions are not counted: valgrind is not on this machine"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["rendr"], "no benchmark named rendr; there are render, schemas"),
        (["render", "--rounds", "0"], "there must be a round"),
    ],
)
def test_what_cannot_be_run_is_told(arguments: list[str], problem: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(arguments)
    assert problem in capsys.readouterr().err
