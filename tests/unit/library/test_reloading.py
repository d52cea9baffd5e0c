"""A reload returns the packs on the disk, and keeps the last good version of a broken pack."""

import gc
import os
import pickle
import shutil
import weakref
from collections.abc import Callable
from pathlib import Path

import pytest

from promptpack import ContextError, Library, UsageError
from promptpack.files import Folder

WritePack = Callable[..., Path]
Open = Callable[..., Library]
TOOLS = "inputs:\n  TOOLS: {type: array}\nreply:\n  tools: TOOLS\n"


def say(text: str) -> str:
    return f"messages:\n  - {{role: user, content: {text!r}}}\n"


def text_of(library: Library, name: str = "demo") -> str:
    return library.get(name).render().messages[0].text


def test_a_reload_without_changes_returns_the_same_library(write_pack: WritePack, open_packs: Open) -> None:
    write_pack(body=say("a"))
    write_pack(name="broken", body="nope: 1\n")
    library = open_packs()
    assert library.reload().library is library


def test_packs_are_added_changed_and_removed(write_pack: WritePack, open_packs: Open) -> None:
    gone = write_pack(name="gone", body=say("x"))
    write_pack(body=say("a"))
    write_pack(name="same", locale="en", body=say("a"))
    library = open_packs(grace=0)
    gone.unlink()
    write_pack(body=say("b"))
    write_pack(name="new", locale="de", body=say("c"))
    write_pack(name="broken", body="nope: 1\n")
    report = library.reload()
    assert [entry.name for entry in report.library.list()] == ["broken", "demo", "new", "same"]
    assert [text_of(report.library), text_of(report.library, "new"), text_of(library)] == ["b", "c", "a"]
    assert report.added == (("new", "1.0.0", "de"),)
    assert report.removed == (("gone", "1.0.0", ""),)
    assert report.changed == (("demo", "1.0.0", ""),)
    assert [str(name) for name in (*report.added, *report.changed)] == ["new@1.0.0 (de)", "demo@1.0.0"]
    assert [str(problem).split("\n")[0] for problem in report.problems] == [
        "packs/broken/1.0.0.yaml:4:1: PP202 unknown key 'nope'"
    ]


def test_an_unchanged_pack_is_not_built_again(write_pack: WritePack, open_packs: Open) -> None:
    write_pack(name="same", body=say("a"))
    write_pack(body=say("a"))
    library = open_packs()
    write_pack(body=say("b"))
    assert library.reload().library.get("same") is library.get("same")


@pytest.mark.parametrize("body", ["nope: 1\n", "messages: [\n", say("{{ x }}"), "\x00"])
def test_a_broken_pack_keeps_its_last_good_version_until_it_is_fixed(
    write_pack: WritePack, open_packs: Open, body: str
) -> None:
    write_pack(body=say("good"))
    library = open_packs()
    write_pack(body=body)
    broken = library.reload().library
    assert text_of(broken) == "good"
    assert broken.problems
    assert broken.reload().library is broken
    write_pack(body=say("better"))
    fixed = broken.reload().library
    assert text_of(fixed) == "better"
    assert fixed.problems == ()


def test_a_change_of_the_parent_changes_the_child(write_pack: WritePack, open_packs: Open) -> None:
    write_pack(name="base", body=say("a"))
    write_pack(body="extends: base@^1\n")
    library = open_packs()
    assert text_of(library) == "a"
    write_pack(name="base", body=say("b"))
    assert text_of(library.reload().library) == "b"
    write_pack(name="base", body=say("{{ x }}"))
    assert text_of(library.reload().library) == "a"


def test_a_shared_partial_is_read_again(write_pack: WritePack, open_packs: Open, tmp_path: Path) -> None:
    partial = tmp_path / "packs" / "_partials" / "rules.j2"
    partial.parent.mkdir(parents=True)
    partial.write_text("one", encoding="utf-8")
    write_pack(body=say('{% include "rules" %}'))
    library = open_packs()
    assert text_of(library) == "one"
    partial.write_text("two", encoding="utf-8")
    assert text_of(library.reload().library) == "two"
    partial.write_bytes(b"\xff")
    reloaded = library.reload().library
    assert text_of(reloaded) == "one"
    problems = [str(problem).split("\n")[0] for problem in reloaded.problems]
    assert problems == [
        "packs/demo/1.0.0.yaml:5:40: PP305 unknown partial 'rules'",
        "packs/_partials/rules.j2:1:1: PP101 file is not UTF-8",
    ]


def test_a_schema_file_is_read_again(write_pack: WritePack, open_packs: Open) -> None:
    body = "inputs:\n  A: {$ref: a.json}\n" + say("{{ A }}")
    file = write_pack(body=body)
    library = open_packs()
    assert [problem.code for problem in library.problems] == ["PP213"]
    schema = file.with_name("a.json")
    schema.write_text('{"type": "string"}', encoding="utf-8")
    fixed = library.reload().library
    assert fixed.get("demo").render(A="x").messages[0].text == "x"
    assert fixed.reload().library is fixed
    schema.write_text('{"type": "integer"}', encoding="utf-8")
    with pytest.raises(ContextError, match="PP416"):
        fixed.reload().library.get("demo").render(A="x")


def test_many_broken_files_are_all_reported_and_do_not_affect_a_good_pack(
    write_pack: WritePack, open_packs: Open, tmp_path: Path
) -> None:
    write_pack(body=say("good"))
    for number in range(50):
        write_pack(name=f"bad-{number}", body=f"nope{number}: 1\n")
    folder = tmp_path / "packs" / "_partials"
    folder.mkdir()
    (folder / "latin.j2").write_bytes(b"caf\xe9")
    (folder / "link.j2").symlink_to("/etc/hostname")
    (folder / "esc.j2").write_text("\x1b[2J", encoding="utf-8")
    library = open_packs()
    assert text_of(library) == "good"
    problems = library.problems_by_file()
    assert len(problems) == 53
    assert [
        problem.code for name in ("esc", "latin", "link") for problem in problems[f"packs/_partials/{name}.j2"]
    ] == [
        "PP103",
        "PP101",
        "PP122",
    ]


def test_warnings_are_not_problems(write_pack: WritePack, open_packs: Open) -> None:
    write_pack(body="messages:\n  - {role: user, content: a\u200bb}\n")
    library = open_packs()
    assert library.problems == ()
    assert [str(problem).split("\n")[0] for problem in library.warnings] == [
        "packs/demo/1.0.0.yaml:5:28: PP104 hidden character U+200B in the file"
    ]


def test_a_pack_file_replaced_by_a_folder_keeps_the_last_good_pack(write_pack: WritePack, open_packs: Open) -> None:
    path = write_pack(body=say("a"))
    library = open_packs()
    path.unlink()
    path.mkdir()
    reloaded = library.reload().library
    again = reloaded.reload().library
    assert [text_of(reloaded), text_of(again)] == ["a", "a"]
    assert [str(problem) for problem in again.problems] == ["packs/demo/1.0.0.yaml: PP123 is not a regular file"]
    assert again.reload().library is again


class Clock:
    """A clock that the tests move."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_a_pack_whose_file_is_gone_stays_until_the_grace_period_is_over(
    write_pack: WritePack, open_packs: Open, clock: Clock
) -> None:
    path = write_pack(body=say("a"))
    library = open_packs(clock=clock)
    path.unlink()
    report = library.reload()
    held = report.library
    assert (report.added, report.removed, report.changed, report.problems) == ((), (), (), ())
    assert [text_of(held), [one.path for one in held.list()]] == ["a", ["packs/demo/1.0.0.yaml"]]
    clock.now += 4.9
    assert held.reload().library is held
    clock.now += 0.2
    over = held.reload()
    assert over.removed == (("demo", "1.0.0", ""),)
    assert over.library.list() == ()
    assert over.library.reload().removed == ()


def test_a_file_that_comes_back_is_the_same_pack_and_starts_a_new_grace_period(
    write_pack: WritePack, open_packs: Open, clock: Clock
) -> None:
    path = write_pack(body=say("a"))
    beside = path.with_suffix(".bak")
    library = open_packs(clock=clock)
    path.rename(beside)
    held = library.reload().library
    beside.rename(path)
    back = held.reload()
    assert (back.added, back.removed, back.changed) == ((), (), ())
    assert back.library.get("demo") is library.get("demo")
    clock.now += 60
    path.unlink()
    assert text_of(back.library.reload().library) == "a"


def test_a_grace_period_of_zero_removes_at_once_and_a_negative_one_is_refused(
    write_pack: WritePack, open_packs: Open
) -> None:
    path = write_pack(body=say("a"))
    library = open_packs(grace=0)
    path.unlink()
    assert library.reload().removed == (("demo", "1.0.0", ""),)
    for wrong in (-1, float("nan")):
        with pytest.raises(UsageError) as caught:
            open_packs(grace=wrong)
        assert str(caught.value) == f"PP732 the grace period is {wrong!r} seconds\n  hint: pass 0 or more"


def test_a_folder_that_disappears_for_a_moment_loses_nothing(
    write_pack: WritePack, open_packs: Open, tmp_path: Path, clock: Clock
) -> None:
    write_pack(name="base", body=say('{% include "rules" %}'))
    write_pack(body="extends: base@^1\n")
    partials = tmp_path / "packs" / "_partials"
    partials.mkdir()
    (partials / "rules.j2").write_text("one", encoding="utf-8")
    library = open_packs(clock=clock)
    (tmp_path / "packs").rename(tmp_path / "elsewhere")
    report = library.reload()
    assert [text_of(report.library), report.problems, report.removed] == ["one", (), ()]
    (tmp_path / "elsewhere").rename(tmp_path / "packs")
    back = report.library.reload()
    assert [back.added, back.removed, back.changed, back.problems] == [(), (), (), ()]
    assert back.library.get("demo") is library.get("demo")
    (tmp_path / "packs").rename(tmp_path / "elsewhere")
    held = back.library.reload().library
    clock.now += 6
    assert [str(name) for name in held.reload().removed] == ["base@1.0.0", "demo@1.0.0"]


@pytest.mark.parametrize("file", ["base/1.0.0.yaml", "_partials/rules.j2", "demo/name.json"])
def test_a_parent_a_partial_or_a_schema_that_is_gone_keeps_the_last_good_pack(
    write_pack: WritePack, open_packs: Open, tmp_path: Path, file: str
) -> None:
    write_pack(name="base", body=say("of base {{ NAME }}"))
    body = "extends: base@^1\ninputs:\n  NAME: {$ref: name.json, default: x}\n"
    path = write_pack(body=body + "messages: [{role: user, id: r, content: '{% include \"rules\" %}'}]\n")
    path.with_name("name.json").write_text('{"type": "string"}', encoding="utf-8")
    (tmp_path / "packs" / "_partials").mkdir()
    (tmp_path / "packs" / "_partials" / "rules.j2").write_text("rules", encoding="utf-8")
    write_pack(name="base", body="inputs:\n  NAME: {type: string, default: x}\n" + say("of base {{ NAME }}"))
    library = open_packs()
    before = library.get("demo").render().to_text()
    (tmp_path / "packs" / file).unlink()
    report = library.reload()
    assert report.library.get("demo").render().to_text() == before
    assert (report.added, report.removed, report.changed) == ((), (), ())
    assert [problem.code for problem in report.problems] != []


def test_a_new_child_is_not_built_on_a_parent_that_is_gone(write_pack: WritePack, open_packs: Open) -> None:
    parent = write_pack(name="base", body=say("old base"))
    library = open_packs()
    parent.unlink()
    write_pack(body="extends: base@^1\n")
    report = library.reload()
    assert report.added == ()
    assert text_of(report.library, "base") == "old base"
    assert [problem.code for problem in report.problems] == ["PP231"]


def test_a_schema_file_of_the_parent_is_read_again(write_pack: WritePack, open_packs: Open) -> None:
    parent = write_pack(name="base", body="inputs:\n  A: {$ref: a.json}\n" + say("{{ A }}"))
    schema = parent.with_name("a.json")
    schema.write_text('{"type": "string"}', encoding="utf-8")
    write_pack(body="extends: base@^1\n")
    library = open_packs()
    assert library.problems == ()
    schema.write_text('{"type": "integer"}', encoding="utf-8")
    report = library.reload()
    assert [str(name) for name in report.changed] == ["base@1.0.0", "demo@1.0.0"]
    with pytest.raises(ContextError, match="PP416"):
        report.library.get("demo").render(A="x")


def test_an_unchanged_pack_with_a_parent_is_shared(write_pack: WritePack, open_packs: Open) -> None:
    write_pack(name="base", body=say("a"))
    write_pack(body="extends: base@^1\n")
    library = open_packs()
    write_pack(name="other", body=say("b"))
    report = library.reload()
    assert report.library.get("demo") is library.get("demo")
    assert report.changed == ()


def test_packs_that_come_to_extend_each_other_keep_their_last_good_versions(
    write_pack: WritePack, open_packs: Open
) -> None:
    write_pack(name="base", body=say("a"))
    write_pack(body="extends: base@^1\n")
    library = open_packs()
    write_pack(name="base", body="extends: demo@^1\n")
    report = library.reload()
    assert [text_of(report.library), text_of(report.library, "base")] == ["a", "a"]
    assert {problem.code for problem in report.problems} == {"PP232"}


def test_a_moved_file_is_neither_added_nor_removed(write_pack: WritePack, open_packs: Open) -> None:
    path = write_pack(body=say("a"))
    library = open_packs()
    path.rename(path.with_name("moved.yaml"))
    report = library.reload()
    assert [report.added, report.removed, report.changed, report.problems] == [(), (), (), ()]
    assert [one.path for one in report.library.list()] == ["packs/demo/moved.yaml"]


def test_a_file_that_is_moved_and_broken_keeps_the_last_good_pack(write_pack: WritePack, open_packs: Open) -> None:
    path = write_pack(body=say("a"))
    library = open_packs()
    path.unlink()
    write_pack(body="nope: 1\n", file="moved.yaml")
    report = library.reload()
    assert [text_of(report.library), report.removed] == ["a", ()]
    assert [problem.code for problem in report.problems] == ["PP202"]


def test_a_broken_file_that_is_gone_has_no_problems(write_pack: WritePack, open_packs: Open) -> None:
    path = write_pack(body=say("a"))
    never_good = write_pack(name="never-good", body="nope: 1\n")
    library = open_packs()
    write_pack(body="nope: 1\n")
    broken = library.reload().library
    path.unlink()
    never_good.unlink()
    report = broken.reload()
    assert [text_of(report.library), report.problems, report.removed] == ["a", (), ()]
    assert [one.name for one in report.library.list()] == ["demo"]


def test_a_pack_below_a_folder_that_cannot_be_read_stays(
    write_pack: WritePack, open_packs: Open, tmp_path: Path, clock: Clock
) -> None:
    write_pack(body=say("a"))
    library = open_packs(clock=clock)
    (tmp_path / "packs").rename(tmp_path / "elsewhere")
    (tmp_path / "packs").write_text("a file", encoding="utf-8")
    clock.now += 60
    report = library.reload()
    clock.now += 60
    report = report.library.reload()
    assert text_of(report.library) == "a"
    assert [str(problem) for problem in report.problems] == ["packs: PP120 cannot be read: Not a directory"]


def test_a_description_changes_the_library_but_not_what_the_pack_does(write_pack: WritePack, open_packs: Open) -> None:
    write_pack(body=say("a"))
    library = open_packs()
    write_pack(body="description: new\n" + say("a"))
    report = library.reload()
    assert (report.changed, report.library.get("demo").description) == ((), "new")


def test_a_fixed_pack_is_added(write_pack: WritePack, open_packs: Open) -> None:
    write_pack(body="nope: 1\n")
    library = open_packs()
    write_pack(body=say("a"))
    assert library.reload().added == (("demo", "1.0.0", ""),)


def test_files_that_change_while_they_are_read_change_nothing(
    write_pack: WritePack, open_packs: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_pack(body=say("1"))
    library = open_packs()
    read = Folder.read

    def read_and_change(folder: Folder, relative: str) -> bytes:
        content = read(folder, relative)
        path.write_text(path.read_text("utf-8") + "#\n", encoding="utf-8")
        return content

    monkeypatch.setattr(Folder, "read", read_and_change)
    report = library.reload()
    assert report.library is library
    assert [str(problem) for problem in report.problems] == [
        "PP730 the files changed while they were read, 5 times\n"
        "  hint: reload again; until then all packs stay as they are"
    ]
    monkeypatch.undo()


def test_a_folder_that_is_swapped_while_it_is_read_is_read_again(
    write_pack: WritePack, open_packs: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packs, other = tmp_path / "packs", tmp_path / "other"
    partial = packs / "_partials" / "version.j2"
    partial.parent.mkdir(parents=True)
    partial.write_text("1", encoding="utf-8")
    write_pack(body=say('1 {% include "version" %}'))
    shutil.copytree(packs, other)
    library = open_packs()
    write_pack(body=say('2 {% include "version" %}'))
    partial.write_text("2", encoding="utf-8")
    assert text_of(library) == "1 1"
    read = Folder.read

    def read_and_swap(folder: Folder, relative: str) -> bytes:
        content = read(folder, relative)
        if relative.endswith(".yaml") and other.exists():
            packs.rename(tmp_path / "old")
            other.rename(packs)
        return content

    monkeypatch.setattr(Folder, "read", read_and_swap)
    assert text_of(library.reload().library) == "1 1"


def test_a_changed_pack_is_freed_with_all_that_was_cached_of_it(write_pack: WritePack, open_packs: Open) -> None:
    body = TOOLS + say("{{ TOOLS }} {{ reply_format }}")
    write_pack(body=body)
    library = open_packs()
    library.get("demo").render(TOOLS=[]).check("{}")
    old = weakref.ref(library.get("demo"))
    assert library._render_cache.entries
    write_pack(body=body + "# changed\n")
    library = library.reload().library
    gc.collect()
    assert old() is None
    assert (library._render_cache.entries, library._render_cache.size) == ({}, 0)


def test_a_reload_keeps_what_was_cached_of_an_unchanged_pack(write_pack: WritePack, open_packs: Open) -> None:
    write_pack(body=TOOLS + say("{{ TOOLS }} {{ reply_format }}"))
    library = open_packs()
    library.get("demo").render(TOOLS=[])
    cached = dict(library._render_cache.entries)
    write_pack(name="new", body=say("b"))
    assert library.reload().library._render_cache.entries == cached != {}


@pytest.mark.parametrize("body", ["", "nope: 1\n"])
def test_a_pickle_of_a_library_has_the_packs_whose_files_are_gone_or_broken(
    write_pack: WritePack, open_packs: Open, body: str
) -> None:
    path = write_pack(body=say("good"))
    library = open_packs()
    library.get("demo")
    if body:
        write_pack(body=body)
    else:
        path.unlink()
    kept = library.reload().library
    for copy in (kept, pickle.loads(pickle.dumps(kept))):  # noqa: S301 -- our own pickle
        assert text_of(copy) == "good"
    assert pickle.loads(pickle.dumps(kept.get("demo"))).digest == library.get("demo").digest  # noqa: S301 -- "


FLOW = "flow: 1\nsteps:\n  only: {{pack: demo@^1, title: {title}}}\n"


def title_of(library: Library) -> str:
    return library.flow().file.steps["only"].title


def test_a_flow_stays_as_it_was_until_it_is_reloaded_and_while_its_file_is_broken_or_gone(
    write_pack: WritePack, open_packs: Open, clock: Clock
) -> None:
    path = write_pack(body=say("a")).parents[1] / "flow.yaml"
    path.write_text(FLOW.format(title="one"), encoding="utf-8")
    library = open_packs(clock=clock)
    path.write_text(FLOW.format(title="two"), encoding="utf-8")
    report = library.reload()
    assert [title_of(library), title_of(report.library)] == ["one", "two"]
    path.write_text("flow: [", encoding="utf-8")
    broken = report.library.reload()
    assert [title_of(broken.library), [problem.code for problem in broken.problems]] == ["two", ["PP110"]]
    path.unlink()
    gone = broken.library.reload()
    assert [title_of(gone.library), gone.problems] == ["two", ()]
    assert title_of(pickle.loads(pickle.dumps(gone.library))) == "two"  # noqa: S301 -- our own pickle
    clock.now += 6
    with pytest.raises(UsageError, match="PP907"):
        gone.library.reload().library.flow()


def test_a_file_that_was_back_between_two_reloads_starts_a_new_grace_period(
    write_pack: WritePack, open_packs: Open, clock: Clock
) -> None:
    path = write_pack(body=say("a"))
    library = open_packs(clock=clock)
    path.unlink()
    held = library.reload().library
    clock.now += 4
    write_pack(body=say("a")).unlink()
    os.utime(path.parent, (1, 1))  # the clock of the file system may be too coarse
    held = held.reload().library
    clock.now += 4
    assert held.reload().removed == ()
    clock.now += 4
    assert [str(name) for name in held.reload().removed] == ["demo@1.0.0"]
