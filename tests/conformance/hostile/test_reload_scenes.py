"""The reload scenes: a service whose files change; each test has the name of its scene in the vectors."""

import json
import os
import subprocess
import sys
import threading
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from promptpack import Library, PackError, UsageError, files
from promptpack.linter.lint_paths import lint
from tests.conformance.hostile.cases import VECTORS

WritePack = Callable[..., Path]
GOOD = "messages:\n  - {role: user, content: good}\n"
OTHER = "messages:\n  - {role: user, content: other}\n"
BAD = "mesages: []\n"


@pytest.fixture
def library(write_pack: WritePack, open_packs: Callable[[], Library]) -> Library:
    write_pack(body=GOOD)
    opened = open_packs()
    opened.raise_for_problems()
    return opened


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "packs" / "demo" / "1.0.0.yaml"


def text_of(library: Library) -> str:
    return library.get("demo").render().messages[0].text


def test_l05_a_pipe_instead_of_the_file_keeps_the_last_good_pack(library: Library, file: Path) -> None:
    file.unlink()
    os.mkfifo(file)
    reloaded = library.reload().library
    assert text_of(reloaded) == "good"
    assert [str(problem) for problem in reloaded.problems] == ["packs/demo/1.0.0.yaml: PP123 is not a regular file"]


def test_l07_a_huge_file_is_refused_before_it_is_read(library: Library, file: Path) -> None:
    with file.open("r+b") as stream:
        stream.truncate(2 * 1024**3)
    tracemalloc.start()
    reloaded = library.reload().library
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 32 * 1024**2
    assert text_of(reloaded) == "good"
    assert [problem.code for problem in reloaded.problems] == ["PP102"]


def test_l08_a_prompt_is_rendered_from_the_checked_bytes(library: Library, file: Path, write_pack: WritePack) -> None:
    done = threading.Event()

    def swap() -> None:
        while not done.is_set():
            for body in (OTHER, BAD, GOOD):
                beside = write_pack(body=body, file="beside.txt")
                beside.replace(file)

    swapping = threading.Thread(target=swap)
    swapping.start()
    try:
        current = library
        for _ in range(200):
            current = current.reload().library
            checked = {pack.digest: pack.messages[0].content for pack in current.packs()}
            prompt = current.get("demo").render()
            assert str(checked[prompt.digest]) == prompt.messages[0].text
    finally:
        done.set()
        swapping.join()


def test_l10_a_file_replaced_by_a_rename_is_read_once(library: Library, file: Path, write_pack: WritePack) -> None:
    write_pack(body=OTHER, file="new.txt").replace(file)
    reloaded = library.reload().library
    assert reloaded is not library
    assert text_of(reloaded) == "other"
    assert text_of(library) == "good"
    assert reloaded.reload().library is reloaded


def test_l11_many_touches_compile_nothing_and_do_not_disturb_renders(library: Library, file: Path) -> None:
    done = threading.Event()
    texts: set[str] = set()

    def render() -> None:
        # Without a pause, eight threads would keep the storm itself from running.
        while not done.wait(0.0005):
            texts.add(text_of(library))

    threads = [threading.Thread(target=render) for _ in range(8)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(20):
            library.reload()
        tracemalloc.start()
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(300):
            file.touch()
            assert library.reload().library is library
        after, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert texts == {"good"}
    assert after - before < 1024**2


FORKING = """
import os, sys, threading
from promptpack import Library
library = Library.open("packs")
def build():
    while True:
        Library.open("packs").get("demo").render()
for _ in range(4):
    threading.Thread(target=build, daemon=True).start()
for _ in range(40):
    child = os.fork()
    if child == 0:
        os._exit(0 if library.get("demo").render().messages[0].text == "good" else 1)
    assert os.waitpid(child, 0)[1] == 0
os._exit(0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
def test_l14_a_forked_process_renders(library: Library, tmp_path: Path) -> None:
    assert library.problems == ()
    # Python 3.12 warns about every fork next to threads; whether a render survives it is the question here.
    command = [sys.executable, "-W", "ignore:This process:DeprecationWarning", "-c", FORKING]
    done = subprocess.run(command, cwd=tmp_path, timeout=120, capture_output=True, text=True, check=True)
    assert (done.returncode, done.stderr) == (0, "")


FULL_DISK = """
import resource, signal, sys
from promptpack import UsageError, files
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
for size in (0, 1, 100, 5000):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    try:
        files.write(sys.argv[1], "x" * 10_000)
    except UsageError as error:
        print(error.problems[0].code, error.problems[0].message)
"""


def test_l16_a_full_disk_leaves_only_the_old_file(library: Library, file: Path) -> None:
    before = file.read_bytes()
    done = subprocess.run([sys.executable, "-c", FULL_DISK, str(file)], capture_output=True, text=True, check=True)
    assert done.stdout == "PP126 cannot be written: File too large\n" * 4
    assert file.read_bytes() == before
    assert [path.name for path in file.parent.iterdir()] == [file.name]
    assert library.reload().library is library


def test_l19_a_service_does_not_start_with_a_bad_pack(write_pack: WritePack, open_packs: Callable[[], Library]) -> None:
    write_pack(body=BAD)
    opened = open_packs()
    with pytest.raises(PackError) as caught:
        opened.raise_for_problems()
    assert set(caught.value.problems) <= set(lint(["packs"]).problems)
    assert "PP202 unknown key 'mesages'" in str(caught.value)


def test_every_scene_of_the_vectors_has_a_test() -> None:
    scenes = {scene["id"].split("-")[0] for scene in json.loads((VECTORS / "reload_scenarios.json").read_text("utf-8"))}
    tested = {name.split("_")[1] for name in globals() if name.startswith("test_l")}
    assert scenes == tested


def test_writing_below_a_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(UsageError, match="PP126 cannot be written: File exists"):
        files.write(tmp_path / "file" / "below", "x")
