"""Sides are compared before they are timed; a side that fails says why and does not stop the others."""

from pathlib import Path

import pytest

from benchmarks import environments
from benchmarks.sides import Command, Side, Table, measure
from tests.unit.benchmarks.small_jobs import die, die_when_timed, fail, give, give_an_object


def table(*sides: Side | Command) -> Table:
    return Table("numbers", "Giving numbers", sides, rounds=2)


def test_sides_in_separate_processes_are_compared_and_timed() -> None:
    base, other = measure(
        table(Side("base", give, (1,), packages=("jinja2",)), Side("other", give, (1,), over="base", units=4))
    )
    assert (base.name, base.over, other.over) == ("base", "", "base")
    assert base.versions.startswith("jinja2 3.")
    assert len(base.rounds) == len(other.rounds) == 2
    assert all(seconds > 0 for seconds in (*base.rounds, *other.rounds))


@pytest.mark.parametrize(
    ("other", "failed"),
    [
        (Side("other", give, (2,), over="base"), "gives a different result than base"),
        (Side("other", fail, over="base"), "ValueError: no such filter"),
        (Side("other", give_an_object, over="base"), "TypeError: Object of type object is not JSON serializable"),
        (Side("other", die, over="base"), "was killed by signal 9"),
        (Side("other", die_when_timed, (1,), over="base"), "was killed by signal 9"),
        (
            Side("other", give, (1,), over="base", refused="it sorts keys"),
            "gives the same result; remove 'refused'",
        ),
        (Command("other", "print(2)", expected="1", over="base"), "gives a different result than base"),
        (Command("other", "1 / 0", over="base"), "exited with 1: ZeroDivisionError: division by zero"),
        (Command("other", "import os; os.kill(os.getpid(), 9)", over="base"), "was killed by signal 9"),
    ],
)
def test_a_side_that_fails_has_no_figure_and_does_not_stop_the_others(
    other: Side | Command, failed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    base, figure, last = measure(table(Side("base", give, (1,)), other, Side("last", give, (1,), over="base")))
    assert (figure.failed, figure.rounds) == (failed, ())
    assert [len(one.rounds) for one in (base, last)] == [2, 2]
    assert f"other failed: {failed}\n" in capsys.readouterr().err


def test_sides_are_timed_even_if_their_base_fails() -> None:
    base, other = measure(table(Side("base", fail), Side("other", give, (1,), over="base")))
    assert (base.failed, len(other.rounds)) == ("ValueError: no such filter", 2)


def test_an_environment_that_cannot_be_installed_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "broken.txt").write_text("no such requirement\n", "utf-8")
    monkeypatch.setattr(environments, "REQUIREMENTS", tmp_path)
    monkeypatch.setattr(environments, "ENVIRONMENTS", tmp_path / "bench")
    (figure,) = measure(table(Side("base", give, (1,), environment="broken")))
    assert figure.failed == "pip cannot install benchmarks/requirements/broken.txt"


def test_a_refused_side_has_a_reason_and_no_figure() -> None:
    _, refused, broken = measure(
        table(
            Side("base", give, (1,)),
            Side("refused", give, (2,), over="base", refused="it sorts keys"),
            Side("broken", fail, over="base", refused="it has no such filter"),
        )
    )
    assert (refused.refused, refused.rounds) == ("it sorts keys", ())
    assert (broken.refused, broken.rounds) == ("it has no such filter", ())


def test_a_whole_process_is_timed_and_must_print_the_expected_text() -> None:
    bare = Command("bare", "pass")
    (figure, _) = measure(table(bare, Command("one", "print(1)", expected="1", over="bare")))
    assert all(seconds > 0 for seconds in figure.rounds)
