"""Files that are replaced in one step, also while other programs change them."""

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from promptpack import open_folder, temporary_files
from promptpack.files import Folder
from promptpack.open_folder import OpenFolder

OLD, NEW, THEIRS = b"old", b"new and longer", b"theirs"
Change = Callable[[Path], Any]


def replace_by_rename(file: Path, content: bytes = THEIRS) -> None:
    (file.parent / "other").write_bytes(content)
    (file.parent / "other").rename(file)


def replace_by_link(file: Path) -> None:
    file.unlink()
    file.symlink_to("/etc/hostname")


def replace_by_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    found = tmp_path / "a.yaml"
    found.write_bytes(OLD)
    return found


def change_at(monkeypatch: pytest.MonkeyPatch, moment: int, change: Callable[[], Any]) -> None:
    """Make a change right before the exchange with this number."""
    exchange, seen = OpenFolder.exchange, []

    def changed(self: OpenFolder, name: str, target: str) -> bool:
        seen.append(name)
        if len(seen) == moment:
            change()
        return exchange(self, name, target)

    monkeypatch.setattr(OpenFolder, "exchange", changed)


def replace(file: Path, old: bytes | None = OLD, new: bytes = NEW) -> bool:
    found = Folder(str(file.parent)).replace(file.name, old, new)
    assert [path.name for path in file.parent.iterdir() if path.name.startswith(".")] == []
    return found


def test_a_file_is_replaced_only_if_it_has_the_old_content(file: Path) -> None:
    file.chmod(0o600)
    assert not replace(file, b"another")
    assert file.read_bytes() == OLD
    assert replace(file)
    assert file.read_bytes() == NEW
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_new_file_is_created_only_if_its_name_is_free(file: Path) -> None:
    assert not replace(file, None)
    assert file.read_bytes() == OLD
    assert replace(file.parent / "b.yaml", None)
    assert stat.S_IMODE((file.parent / "b.yaml").stat().st_mode) == 0o644


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        (lambda file: file.write_bytes(THEIRS), lambda file: file.read_bytes() == THEIRS),
        (replace_by_rename, lambda file: file.read_bytes() == THEIRS),
        (Path.unlink, lambda file: not file.exists()),
        (replace_by_link, Path.is_symlink),
        (replace_by_folder, Path.is_dir),
    ],
    ids=["written", "renamed", "deleted", "link", "folder"],
)
def test_a_change_in_the_last_moment_stays(
    file: Path, monkeypatch: pytest.MonkeyPatch, change: Change, kept: Change
) -> None:
    change_at(monkeypatch, 1, lambda: change(file))
    assert not replace(file)
    assert kept(file)


def test_a_file_that_another_program_is_about_to_write_stays(file: Path) -> None:
    with file.open("r+b") as writer:
        assert not replace(file)
        writer.write(THEIRS)
    assert file.read_bytes() == THEIRS


def test_a_program_that_only_reads_prevents_nothing(file: Path) -> None:
    with file.open("rb") as reader:
        assert replace(file)
        assert reader.read() == OLD
    assert file.read_bytes() == NEW


def test_of_two_changes_the_last_one_stays(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change_at(monkeypatch, 2, lambda: replace_by_rename(file, b"the last"))
    file.write_bytes(THEIRS)
    assert not replace(file)
    assert file.read_bytes() == b"the last"


def test_a_folder_that_is_swapped_for_a_link_meanwhile_leads_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner, outside = tmp_path / "packs" / "inner", tmp_path / "outside"
    for folder in (inner, outside):
        folder.mkdir(parents=True)
        (folder / "a.yaml").write_bytes(OLD)

    def swap() -> None:
        inner.rename(tmp_path / "aside")
        inner.symlink_to(outside)

    change_at(monkeypatch, 1, swap)
    Folder(str(tmp_path / "packs")).replace("inner/a.yaml", OLD, NEW)
    assert {path.name: path.read_bytes() for path in outside.iterdir()} == {"a.yaml": OLD}


@pytest.mark.parametrize("is_windows", [False, True])
def test_without_an_exchange_the_file_is_compared_right_before(
    file: Path, monkeypatch: pytest.MonkeyPatch, is_windows: bool
) -> None:
    monkeypatch.setattr(open_folder, "_find_rename", lambda: None)
    monkeypatch.setattr(open_folder, "_HAS_DESCRIPTORS", not is_windows)
    assert not replace(file, b"another")
    assert file.read_bytes() == OLD
    assert replace(file)
    assert file.read_bytes() == NEW
    Folder(str(file.parent)).write({"deep/er/b.yaml": "b"})
    assert (file.parent / "deep" / "er" / "b.yaml").read_text() == "b"


def test_a_disk_without_second_names_gets_new_files_too(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(OpenFolder, "link", refuse)
    assert not replace(file, None)
    assert replace(file.parent / "b.yaml", None)


def test_a_disk_that_cannot_exchange_files_says_so(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_folder, "_find_rename", lambda: lambda *_: 22)
    assert replace(file)


def test_what_was_replaced_survives_an_error_afterwards(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(temporary_files.TemporaryFile, "_read", fail)
    with pytest.raises(MemoryError):
        Folder(str(file.parent)).replace(file.name, OLD, NEW)
    (hidden,) = (path for path in file.parent.iterdir() if path.name.startswith("."))
    assert (hidden.read_bytes(), file.read_bytes()) == (OLD, NEW)


def test_a_name_may_be_as_long_as_the_disk_allows(tmp_path: Path) -> None:
    name = "a" * (os.pathconf(tmp_path, "PC_NAME_MAX") - 5) + ".yaml"
    assert replace(tmp_path / name, None)
    assert replace(tmp_path / name, NEW, OLD)
