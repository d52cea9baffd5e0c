"""The progress bar."""

import io

import pytest

from promptpack.cli import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def seconds(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time of each look at the clock; the last one stays."""
    times = [0.0]
    monkeypatch.setattr("promptpack.cli.progress.time.monotonic", lambda: times.pop(0) if len(times) > 1 else times[0])
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    return times


def test_slow_work_is_drawn_and_removed_at_the_end(seconds: list[float]) -> None:
    seconds[:] = [0.0, 0.0, 1.0, 3.0, 3.05, 300.0]
    terminal = Terminal()
    assert list(progress.track(range(5), "packs", terminal)) == [0, 1, 2, 3, 4]
    assert terminal.getvalue().split("\r\x1b[K")[1:] == [
        "█████████░░░░░░░░░░░░░░░ 2/5 packs, 0.7 per second, 4 s left",
        "███████████████████░░░░░ 4/5 packs, 0.0 per second, 1 min 15 s left",
        "",
    ]


def test_fast_work_is_not_drawn(seconds: list[float]) -> None:
    seconds[:] = [0.0, 1.9]
    terminal = Terminal()
    assert list(progress.track("abc", "packs", terminal)) == ["a", "b", "c"]
    assert terminal.getvalue() == ""


@pytest.mark.parametrize(("terminal", "ci"), [(io.StringIO(), ""), (Terminal(), "true")])
def test_pipes_and_ci_get_no_bar(
    seconds: list[float], monkeypatch: pytest.MonkeyPatch, terminal: io.StringIO, ci: str
) -> None:
    seconds[:] = [0.0, 9.0, 19.0]
    monkeypatch.setenv("CI", ci)
    assert list(progress.track("abc", "packs", terminal)) == ["a", "b", "c"]
    assert terminal.getvalue() == ""


def test_the_bar_is_removed_when_the_work_fails(seconds: list[float]) -> None:
    seconds[:] = [0.0, 5.0, 10.0, 15.0]
    terminal = Terminal()
    bar = progress.track("abc", "packs", terminal)
    assert [next(bar), next(bar)] == ["a", "b"]
    bar.close()  # type: ignore[attr-defined]
    assert terminal.getvalue().endswith("left\r\x1b[K")
