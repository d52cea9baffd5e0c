"""A reload returns the packs on the disk, and keeps the last good version of a broken pack."""

from collections.abc import Callable
from pathlib import Path

import pytest

from promptpack import ContextError, Library

WritePack = Callable[..., Path]
Open = Callable[[], Library]


def say(text: str) -> str:
    return f"messages:\n  - {{role: user, content: {text!r}}}\n"


def text_of(library: Library, name: str = "demo") -> str:
    return library.get(name).render().messages[0].text


def test_a_reload_without_changes_returns_the_same_library(write_pack: WritePack, open_packs: Open) -> None:
    write_pack(body=say("a"))
    write_pack(name="broken", body="nope: 1\n")
    library = open_packs()
    assert library.reload() is library


def test_packs_are_added_changed_and_removed(write_pack: WritePack, open_packs: Open) -> None:
    gone = write_pack(name="gone", body=say("x"))
    write_pack(body=say("a"))
    library = open_packs()
    gone.unlink()
    write_pack(body=say("b"))
    write_pack(name="new", body=say("c"))
    reloaded = library.reload()
    assert [entry.name for entry in reloaded.list()] == ["demo", "new"]
    assert [text_of(reloaded), text_of(reloaded, "new"), text_of(library)] == ["b", "c", "a"]


def test_an_unchanged_pack_is_not_built_again(write_pack: WritePack, open_packs: Open) -> None:
    write_pack(name="same", body=say("a"))
    write_pack(body=say("a"))
    library = open_packs()
    write_pack(body=say("b"))
    assert library.reload().get("same") is library.get("same")


@pytest.mark.parametrize("body", ["nope: 1\n", "messages: [\n", say("{{ x }}"), "\x00"])
def test_a_broken_pack_keeps_its_last_good_version_until_it_is_fixed(
    write_pack: WritePack, open_packs: Open, body: str
) -> None:
    write_pack(body=say("good"))
    library = open_packs()
    write_pack(body=body)
    broken = library.reload()
    assert text_of(broken) == "good"
    assert broken.problems
    assert broken.reload() is broken
    write_pack(body=say("better"))
    fixed = broken.reload()
    assert text_of(fixed) == "better"
    assert fixed.problems == ()


def test_a_change_of_the_parent_changes_the_child(write_pack: WritePack, open_packs: Open) -> None:
    write_pack(name="base", body=say("a"))
    write_pack(body="extends: base@^1\n")
    library = open_packs()
    assert text_of(library) == "a"
    write_pack(name="base", body=say("b"))
    assert text_of(library.reload()) == "b"
    write_pack(name="base", body=say("{{ x }}"))
    assert text_of(library.reload()) == "a"


def test_a_shared_partial_is_read_again(write_pack: WritePack, open_packs: Open, tmp_path: Path) -> None:
    partial = tmp_path / "packs" / "_partials" / "rules.j2"
    partial.parent.mkdir(parents=True)
    partial.write_text("one", encoding="utf-8")
    write_pack(body=say('{% include "rules" %}'))
    library = open_packs()
    assert text_of(library) == "one"
    partial.write_text("two", encoding="utf-8")
    assert text_of(library.reload()) == "two"
    partial.write_bytes(b"\xff")
    reloaded = library.reload()
    assert text_of(reloaded) == "one"
    problems = [str(problem).split("\n")[0] for problem in reloaded.problems]
    assert problems == [
        "packs/demo/1.0.0.yaml:5:40: PP305 unknown partial 'rules'",
        "packs/_partials/rules.j2: PP101 file is not UTF-8",
    ]


def test_a_schema_file_is_read_again(write_pack: WritePack, open_packs: Open) -> None:
    body = "inputs:\n  A: {$ref: a.json}\n" + say("{{ A }}")
    file = write_pack(body=body)
    library = open_packs()
    assert [problem.code for problem in library.problems] == ["PP213"]
    schema = file.with_name("a.json")
    schema.write_text('{"type": "string"}', encoding="utf-8")
    fixed = library.reload()
    assert fixed.get("demo").render(A="x").messages[0].text == "x"
    assert fixed.reload() is fixed
    schema.write_text('{"type": "integer"}', encoding="utf-8")
    with pytest.raises(ContextError, match="PP416"):
        fixed.reload().get("demo").render(A="x")


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
    reloaded = library.reload()
    again = reloaded.reload()
    assert [text_of(reloaded), text_of(again)] == ["a", "a"]
    assert [str(problem) for problem in again.problems] == ["packs/demo/1.0.0.yaml: PP123 is not a regular file"]
    assert again.reload() is again
    path.rmdir()
    assert again.reload().list() == ()
