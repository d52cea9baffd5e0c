"""Sides are compared before they are timed; what fails says so, and a refusal must be true."""

import pytest

from benchmarks.sides import Command, Side, Table, measure
from tests.unit.benchmarks.small_jobs import fail, give, give_an_object


def table(*sides: Side | Command) -> Table:
    return Table("numbers", "Giving numbers", sides, rounds=2)


def test_sides_in_processes_of_their_own_are_compared_and_timed() -> None:
    base, other = measure(
        table(Side("base", give, (1,), packages=("jinja2",)), Side("other", give, (1,), over="base", units=4))
    )
    assert (base.name, base.over, other.over) == ("base", "", "base")
    assert base.versions.startswith("jinja2 3.")
    assert len(base.rounds) == len(other.rounds) == 2
    assert all(seconds > 0 for seconds in (*base.rounds, *other.rounds))


def test_another_result_is_not_timed() -> None:
    with pytest.raises(SystemExit, match=r"^not the same result: other and base$"):
        measure(table(Side("base", give, (1,)), Side("other", give, (2,), over="base")))


def test_a_side_that_fails_stops_the_run_with_its_own_words() -> None:
    with pytest.raises(SystemExit, match=r"^other failed: ValueError: no such filter$"):
        measure(table(Side("base", give, (1,)), Side("other", fail, over="base")))


def test_a_result_that_is_no_json_stops_the_run() -> None:
    with pytest.raises(SystemExit, match=r"^base failed: TypeError: Object of type object is not JSON serializable$"):
        measure(table(Side("base", give_an_object)))


def test_a_refusal_has_a_reason_and_no_figure() -> None:
    _, refused, broken = measure(
        table(
            Side("base", give, (1,)),
            Side("refused", give, (2,), over="base", refused="it sorts keys"),
            Side("broken", fail, over="base", refused="it has no such filter"),
        )
    )
    assert (refused.refused, refused.rounds) == ("it sorts keys", ())
    assert (broken.refused, broken.rounds) == ("it has no such filter", ())


def test_a_refusal_that_is_not_true_stops_the_run() -> None:
    with pytest.raises(SystemExit, match=r"^other gives the same result after all; it needs no reason any more$"):
        measure(table(Side("base", give, (1,)), Side("other", give, (1,), over="base", refused="it sorts keys")))


def test_a_process_is_timed_whole_and_must_print_what_is_expected() -> None:
    bare = Command("bare", "pass")
    (figure, _) = measure(table(bare, Command("one", "print(1)", expected="1", over="bare")))
    assert all(seconds > 0 for seconds in figure.rounds)
    with pytest.raises(SystemExit, match=r"^not the same result: two and bare$"):
        measure(table(bare, Command("two", "print(2)", expected="1", over="bare")))


def test_a_process_that_fails_is_told() -> None:
    with pytest.raises(SystemExit, match=r"^(?s:broken failed:\n.*ZeroDivisionError.*)$"):
        measure(table(Command("broken", "1 / 0")))
