"""A watch reloads after every change; the tests wait for a callback, never for a time."""

import queue
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from promptpack import Library, MissingExtraError, ReloadReport, Watch

WritePack = Callable[..., Path]
Reports = queue.Queue[ReloadReport]
# How long a test that fails waits.
PATIENCE = 60


def say(text: str) -> str:
    return f"messages:\n  - {{role: user, content: {text!r}}}\n"


def text_of(library: Library, name: str = "demo") -> str:
    return library.get(name).render().messages[0].text


def wait_for(reports: Reports, is_wanted: Callable[[ReloadReport], bool]) -> ReloadReport:
    while True:
        report = reports.get(timeout=PATIENCE)
        if is_wanted(report):
            return report


@pytest.fixture
def reports() -> Reports:
    return queue.Queue()


@pytest.fixture
def library(write_pack: WritePack, open_packs: Callable[..., Library]) -> Library:
    write_pack(body=say("a"))
    write_pack(name="other", body=say("other"))
    return open_packs(grace=0.1)


@pytest.fixture
def watch(library: Library, reports: Reports) -> Iterator[Watch]:
    with library.watch(reports.put) as watching:
        yield watching


def test_a_change_is_reported(watch: Watch, library: Library, reports: Reports, write_pack: WritePack) -> None:
    write_pack(body=say("b"))
    report = wait_for(reports, lambda report: bool(report.changed))
    assert [str(name) for name in report.changed] == ["demo@1.0.0"]
    assert report.library is watch.library
    assert [text_of(watch.library), text_of(library)] == ["b", "a"]


def test_a_removed_pack_is_reported_after_the_grace_period(watch: Watch, reports: Reports, tmp_path: Path) -> None:
    (tmp_path / "packs" / "demo" / "1.0.0.yaml").unlink()
    report = wait_for(reports, lambda report: bool(report.removed))
    assert [str(name) for name in report.removed] == ["demo@1.0.0"]
    assert [one.name for one in watch.library.list()] == ["other"]


def test_a_broken_file_is_reported_and_the_last_good_pack_stays(
    watch: Watch, reports: Reports, write_pack: WritePack
) -> None:
    write_pack(body="nope: 1\n")
    report = wait_for(reports, lambda report: bool(report.problems))
    assert [problem.code for problem in report.problems] == ["PP202"]
    assert text_of(watch.library) == "a"
    write_pack(body=say("b"))
    assert wait_for(reports, lambda report: bool(report.changed)).problems == ()


def test_a_folder_that_is_swapped_is_still_watched(
    watch: Watch, reports: Reports, write_pack: WritePack, tmp_path: Path
) -> None:
    packs, old, new = (tmp_path / name for name in ("packs", "old", "new"))
    shutil.copytree(packs, new)
    packs.rename(old)
    new.rename(packs)
    write_pack(body=say("b"))
    wait_for(reports, lambda report: text_of(report.library) == "b")
    write_pack(body=say("c"))
    wait_for(reports, lambda report: text_of(report.library) == "c")
    assert text_of(watch.library, "other") == "other"


def test_a_folder_that_is_removed_and_created_again_is_still_watched(
    watch: Watch, reports: Reports, write_pack: WritePack, tmp_path: Path
) -> None:
    shutil.rmtree(tmp_path / "packs")
    wait_for(reports, lambda report: len(report.removed) == 2)
    assert watch.library.list() == ()
    write_pack(body=say("b"))
    wait_for(reports, lambda report: bool(report.added))
    write_pack(body=say("c"))
    wait_for(reports, lambda report: bool(report.changed))
    assert text_of(watch.library) == "c"


def test_files_of_a_new_folder_are_found(watch: Watch, reports: Reports, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    shutil.copytree(tmp_path / "packs" / "demo", outside)
    path = outside / "1.0.0.yaml"
    path.write_text(path.read_text("utf-8").replace("name: demo", "name: moved-in"), encoding="utf-8")
    outside.rename(tmp_path / "packs" / "moved.in")
    wait_for(reports, lambda report: report.added == (("moved-in", "1.0.0", ""),))
    (tmp_path / "packs" / "moved.in").rename(outside)
    wait_for(reports, lambda report: report.removed == (("moved-in", "1.0.0", ""),))
    assert len(watch.library.list()) == 2


def test_a_schema_file_next_to_the_folder_is_watched(
    write_pack: WritePack, open_packs: Callable[..., Library], reports: Reports, tmp_path: Path
) -> None:
    schema = tmp_path / "schemas" / "a.json"
    schema.parent.mkdir()
    schema.write_text('{"type": "string"}', encoding="utf-8")
    write_pack(body="inputs:\n  A: {$ref: ../../schemas/a.json}\n" + say("{{ A }}"))
    with open_packs().watch(reports.put):
        schema.write_text('{"type": "integer"}', encoding="utf-8")
        report = wait_for(reports, lambda report: bool(report.changed))
    assert report.library.get("demo").render(A=1).messages[0].text == "1"


def test_a_callback_that_fails_does_not_stop_the_watch(
    library: Library, reports: Reports, write_pack: WritePack
) -> None:
    errors: queue.Queue[Exception] = queue.Queue()

    def fail_first(report: ReloadReport) -> None:
        if errors.empty():
            raise RuntimeError("first")
        reports.put(report)

    with library.watch(fail_first, on_error=errors.put):
        write_pack(body=say("b"))
        assert str(errors.get(timeout=PATIENCE)) == "first"
        errors.put(RuntimeError("seen"))
        write_pack(body=say("c"))
        report = wait_for(reports, lambda _: True)
    assert text_of(report.library) == "c"


def fail_too(_: Exception) -> None:
    raise RuntimeError("the handler failed too")


@pytest.mark.parametrize("on_error", [None, fail_too])
def test_an_error_that_nobody_handles_reaches_the_hook_of_threads(
    library: Library,
    write_pack: WritePack,
    monkeypatch: pytest.MonkeyPatch,
    on_error: Callable[[Exception], None] | None,
) -> None:
    seen: queue.Queue[threading.ExceptHookArgs] = queue.Queue()
    monkeypatch.setattr(threading, "excepthook", seen.put)

    def fail(_: ReloadReport) -> None:
        raise RuntimeError("the callback failed")

    with library.watch(fail, on_error=on_error):
        write_pack(body=say("b"))
        args = seen.get(timeout=PATIENCE)
    assert str(args.exc_value) == ("the callback failed" if on_error is None else "the handler failed too")
    assert args.thread is not None
    assert args.thread.name == "promptpack-watch"


def test_a_callback_may_stop_the_watch(library: Library, write_pack: WritePack) -> None:
    stopped = threading.Event()

    def stop(_: ReloadReport) -> None:
        watching.stop()
        stopped.set()

    watching = library.watch(stop)
    write_pack(body=say("b"))
    assert stopped.wait(PATIENCE)
    watching.stop()
    assert not any(thread.name == "promptpack-watch" for thread in threading.enumerate())


def test_a_watch_needs_no_callback(library: Library) -> None:
    with library.watch() as watch:
        assert watch.library is library


def test_the_missing_extra_says_what_to_install(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    with pytest.raises(MissingExtraError) as caught:
        library.watch()
    assert str(caught.value) == (
        "PP731 watching files needs the extra 'watch'\n"
        "  hint: run: python -m pip install 'promptpack-agents[watch]', or install watchfiles"
    )


def test_a_program_ends_while_it_watches(library: Library, tmp_path: Path) -> None:
    assert library.problems == ()
    code = "from promptpack import Library; Library.open('packs').watch(print); print('end')"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, check=False, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE)
    assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", "")
