"""`make soak`: threads and an event loop use packs while their files are edited, broken, replaced and removed.

Every prompt must be of one version, in all of its messages, partials, parents and schemas; no call may fail.
"""

import asyncio
import gc
import json
import random
import shutil
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from promptpack import Library, Pack, Prompt, ReloadReport, Watch

THREADS = 8
TASKS = 16
MAX_SHOWN = 5
# The part of a run after which memory must not grow: packs are built, caches are filled.
WARM_UP = 0.25
# Each thread has memory of its own, which fills at its own pace; the count of objects shows a leak exactly.
MAX_GROWTH = {"bytes": 1.3, "objects": 1.1}

SINGLE = """\
promptpack: 1
name: single
version: 1.0.0
partials: {{mark: "{mark}"}}
messages: [
  {{role: system, content: '{mark} {{% include "mark" %}}'}},
  {{role: user, content: '{{{{ WHO }}}} {mark}'}},
  {{role: user, content: '{{% for _ in range(3) %}}{{% include "mark" %}} {{% endfor %}}'}}]
inputs: {{WHO: {{type: string}}}}
"""
BASE = """\
promptpack: 1
name: base
version: 1.0.0
inputs: {{WHO: {{type: string}}}}
messages: [
  {{role: system, id: first, content: '{mark} {{% include "shared" %}}'}},
  {{role: user, id: second, content: '{{{{ WHO }}}} {mark}'}}]
reply: {{contract: {{$ref: version.json}}}}
"""
CHILD = """\
promptpack: 1
name: child
version: 1.0.0
extends: base@^1
reply: {{contract: {{$ref: version.json}}}}
messages: [{{role: user, id: third, content: '{mark} {{% include "shared" %}}'}}]
"""

FLOW = "flow: 1\nsteps:\n  only: {pack: base@^1, inputs: {WHO: given}}\n"


def mark(version: int) -> str:
    return f"<v{version}>"


def write_folder(folder: Path, version: int) -> None:
    """Write a folder of packs, all of one version."""
    texts = {
        "single/1.0.0.yaml": SINGLE.format(mark=mark(version)),
        "base/1.0.0.yaml": BASE.format(mark=mark(version)),
        "child/1.0.0.yaml": CHILD.format(mark=mark(version)),
        "_partials/shared.j2": mark(version),
        "flow.yaml": FLOW,
        "base/version.json": schema_text(version),
        "child/version.json": schema_text(version),
    }
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def schema_text(version: int) -> str:
    properties = {"version": {"enum": [mark(version)]}}
    return json.dumps({"type": "object", "required": ["version"], "properties": properties})


@dataclass
class Editing:
    """Changes the files, as editors, deployments and accidents do; `single` also has versions of its own."""

    folder: Path
    chance: random.Random
    version: int = 0
    done: Counter[str] = field(default_factory=Counter)

    @property
    def single(self) -> Path:
        return self.folder / "single" / "1.0.0.yaml"

    @property
    def beside(self) -> Path:
        return self.folder.with_name("beside")

    def run(self, stop: threading.Event) -> None:
        changes: tuple[Callable[[], None], ...] = (
            self.edit, self.replace, self.write_in_pieces, self.break_and_repair, self.remove_and_rename_back,
            self.turn_into_a_folder, self.break_a_partial, self.break_a_parent, self.add_and_remove, self.swap,
            self.hide_the_folder, self.remove_the_folder,
        )  # fmt: skip
        while not stop.is_set():
            change = self.chance.choice(changes)
            change()
            self.done[change.__name__] += 1
            self.pause()

    def pause(self) -> None:
        time.sleep(self.chance.choice((0, 0.01, 0.05, 0.1, 0.3)))

    def next_text(self) -> str:
        self.version += 1
        return SINGLE.format(mark=mark(self.version))

    def edit(self) -> None:
        self.single.write_text(self.next_text(), encoding="utf-8")

    def replace(self) -> None:
        self.beside.write_text(self.next_text(), encoding="utf-8")
        self.beside.replace(self.single)

    def write_in_pieces(self) -> None:
        text = self.next_text()
        cut = self.chance.randrange(len(text) - 60)
        with self.single.open("w", encoding="utf-8") as stream:
            for piece in (text[:cut], text[cut:]):
                stream.write(piece)
                stream.flush()
                self.pause()

    def break_and_repair(self) -> None:
        broken = self.chance.choice((b"", b"\x00", b"messages: [", b"nope: 1\n", b"\xff\xfe"))
        self.single.write_bytes(broken)
        self.pause()
        self.edit()

    def remove_and_rename_back(self) -> None:
        self.single.rename(self.beside)
        self.pause()
        self.beside.rename(self.single)

    def turn_into_a_folder(self) -> None:
        self.single.rename(self.beside)
        self.single.mkdir()
        self.pause()
        self.single.rmdir()
        self.beside.rename(self.single)

    def break_a_partial(self) -> None:
        self._break(self.folder / "_partials" / "shared.j2")

    def break_a_parent(self) -> None:
        self._break(self.folder / "base" / "1.0.0.yaml")

    def _break(self, path: Path) -> None:
        text = path.read_bytes()
        path.write_bytes(b"\xff")
        self.pause()
        path.write_bytes(text)

    def add_and_remove(self) -> None:
        path = self.folder / "extra" / "1.0.0.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(SINGLE.format(mark="<extra>").replace("name: single", "name: extra"), encoding="utf-8")
        self.pause()
        shutil.rmtree(path.parent)

    def swap(self) -> None:
        self.version += 1
        new, old = self.folder.with_name("new"), self.folder.with_name("old")
        write_folder(new, self.version)
        self.folder.rename(old)
        self.pause()
        new.rename(self.folder)
        shutil.rmtree(old)

    def hide_the_folder(self) -> None:
        self.folder.rename(self.beside)
        self.pause()
        self.beside.rename(self.folder)

    def remove_the_folder(self) -> None:
        copy = self.folder.with_name("copy")
        shutil.copytree(self.folder, copy)
        shutil.rmtree(self.folder)
        self.pause()
        shutil.copytree(copy, self.folder)
        shutil.rmtree(copy)


@dataclass
class Use:
    """Renders and checks, and collects every call that fails and every prompt of two versions."""

    watch: Watch
    calls: Counter[str] = field(default_factory=Counter)
    versions: set[str] = field(default_factory=set)
    failures: list[str] = field(default_factory=list)

    def in_a_thread(self, stop: threading.Event) -> None:
        while not stop.wait(0.002):
            for name in ("single", "base", "child"):
                with self.collect():
                    pack = self.watch.library.get(name)
                    self.check(pack, pack.render(WHO="you"))

    async def in_a_loop(self, stop: threading.Event) -> None:
        while not stop.is_set():
            for name in ("single", "base", "child"):
                with self.collect():
                    library = self.watch.library
                    step = library.flow().start({"WHO": "me"}).next() if name == "base" else None
                    prompt = library.get(name).render(WHO="me") if step is None else step.render()
                    await asyncio.sleep(0.01)  # the files may change while a model answers
                    version = self.version_of(prompt)
                    replies = iter(("{}", json.dumps({"version": version})))

                    async def ask(_: object, replies: Iterator[str] = replies) -> str:
                        return next(replies)

                    if prompt.pack.contract is not None:
                        self.expect((await prompt.acorrect(ask)).ok, f"{name} refuses its own version {version}")
                    self.calls["in the loop"] += 1

    def collect(self) -> "_Collect":
        return _Collect(self.failures)

    def check(self, pack: Pack, prompt: Prompt) -> None:
        version = self.version_of(prompt)
        if pack.contract is not None:
            self.expect(prompt.check(json.dumps({"version": version})).ok, f"{pack.name} refuses its own {version}")
            self.expect(not prompt.check('{"version": "none"}').ok, f"{pack.name} accepts another version")
        self.calls["in threads"] += 1

    def version_of(self, prompt: Prompt) -> str:
        words = {word for message in prompt.messages for word in message.text.split() if word.startswith("<")}
        self.expect(len(words) == 1, f"{prompt.pack.name} is mixed: {sorted(words)}")
        self.expect(len(prompt.messages) == (2 if prompt.pack.name == "base" else 3), "a message is missing")
        version = min(words)
        self.versions.add(version)
        return version

    def expect(self, holds: bool, message: str) -> None:
        if not holds:
            self.failures.append(message)


@dataclass
class _Collect:
    failures: list[str]

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> bool:
        if isinstance(error, Exception):
            self.failures.append(f"{type(error).__name__}: {error}")
            return True
        return False


@dataclass(frozen=True)
class Result:
    """What a run did, and what went wrong."""

    use: Use
    changes: Counter[str]
    reloads: int
    before: dict[str, int]
    after: dict[str, int]

    @property
    def has_grown(self) -> bool:
        return any(self.after[kind] > self.before[kind] * limit for kind, limit in MAX_GROWTH.items())


def soak(root: Path, seconds: float, seed: int) -> Result:
    """Use the packs in a folder for some seconds while their files change."""
    folder = root / "packs"
    write_folder(folder, 0)
    library = Library.open(str(folder), cache=False)
    library.warm()
    reports: list[int] = []
    errors: list[str] = []

    def count(report: ReloadReport) -> None:
        reports.append(len(report.changed))

    with library.watch(count, on_error=lambda error: errors.append(repr(error))) as watch:
        use, editing, stop = Use(watch, failures=errors), Editing(folder, random.Random(seed)), threading.Event()  # noqa: S311
        jobs = [threading.Thread(target=use.in_a_thread, args=[stop]) for _ in range(THREADS)]
        jobs += [threading.Thread(target=_run_loop, args=[use, stop])]
        editor = threading.Thread(target=editing.run, args=[stop])
        for thread in (*jobs, editor):
            thread.start()
        time.sleep(seconds * WARM_UP)
        before = measure()
        time.sleep(seconds * (1 - WARM_UP))
        stop.set()
        for thread in (*jobs, editor):
            thread.join()
        after = measure()
    return Result(use, editing.done, len(reports), before, after)


def _run_loop(use: Use, stop: threading.Event) -> None:
    async def run() -> None:
        await asyncio.gather(*(use.in_a_loop(stop) for _ in range(TASKS)))

    asyncio.run(run())


def measure() -> dict[str, int]:
    """Return the memory of this process, 0 where there is no /proc, and the number of objects."""
    gc.collect()
    resident = 0
    with suppress(OSError):
        resident = int(Path("/proc/self/statm").read_text("utf-8").split()[1]) * 4096
    return {"bytes": resident, "objects": len(gc.get_objects())}


def main(minutes: float, seed: int) -> int:
    """Run, print what happened, and return the exit code."""
    with tempfile.TemporaryDirectory() as folder:
        result = soak(Path(folder), minutes * 60, seed)
    use, before, after = result.use, result.before, result.after
    lines = [
        f"{sum(use.calls.values()):,} prompts rendered and checked ({dict(use.calls)}), {len(use.versions):,} versions",
        f"{sum(result.changes.values()):,} changes of files, {result.reloads:,} reloads: {dict(result.changes)}",
        f"memory after a quarter of the time: {before['bytes'] / 1e6:.1f} MB, {before['objects']:,} objects",
        f"memory at the end: {after['bytes'] / 1e6:.1f} MB, {after['objects']:,} objects",
        f"{len(use.failures)} failures", *use.failures[:MAX_SHOWN],
    ]  # fmt: skip
    sys.stdout.write("\n".join(lines) + "\n")
    return 1 if use.failures or result.has_grown else 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1000)))  # noqa: S311
