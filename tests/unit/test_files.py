import os
from pathlib import Path
from typing import Any

import pytest

from promptpack import Library, PackError, files
from promptpack.files import Folder
from promptpack.problem import Problem, UsageError


def refused(folder: Path, relative: str) -> list[str]:
    with pytest.raises(PackError) as caught:
        Folder(str(folder)).read(relative)
    return [f"{problem.code} {problem.message}" for problem in caught.value.problems]


@pytest.mark.parametrize("relative", ["../other.yaml", "/etc/hostname", "a/../../b.yaml", "a\x00b"])
def test_a_path_cannot_lead_out_of_its_folder(tmp_path: Path, relative: str) -> None:
    assert refused(tmp_path, relative) == [f"PP121 path {relative!r} leads out of the folder"]


def test_links_pipes_devices_and_folders_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "real.yaml").write_text("x", encoding="utf-8")
    (tmp_path / "link.yaml").symlink_to(tmp_path / "real.yaml")
    (tmp_path / "device.yaml").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "folder.yaml").mkdir()
    assert refused(tmp_path, "link.yaml") == ["PP122 'link.yaml' is a symbolic link"]
    assert refused(tmp_path, "device.yaml") == ["PP122 'device.yaml' is a symbolic link"]
    assert refused(tmp_path, "pipe.yaml") == ["PP123 is not a regular file"]
    assert refused(tmp_path, "folder.yaml") == ["PP123 is not a regular file"]


def test_a_device_given_by_its_own_path_is_not_opened() -> None:
    with pytest.raises(PackError, match="PP123 is not a regular file"):
        files.read("/dev/zero")


def test_a_large_file_is_refused_even_if_it_reports_no_size(tmp_path: Path) -> None:
    (tmp_path / "large.yaml").write_bytes(b"x" * 11)
    with pytest.raises(PackError, match="PP102 file is larger than 10 bytes"):
        files.read(tmp_path / "large.yaml", limit=10)
    assert files.read(tmp_path / "large.yaml", limit=11) == b"x" * 11
    with pytest.raises(PackError, match="PP102"):
        files.read("/proc/self/maps", limit=10)


def test_a_file_is_read_completely_even_if_it_reports_no_size() -> None:
    limits = Path("/proc/self/limits")
    assert limits.stat().st_size == 0
    assert files.read(limits) == limits.read_bytes() != b""


@pytest.mark.parametrize("swapped", ["inner", "inner/a.yaml"])
def test_a_link_created_after_the_check_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, swapped: str
) -> None:
    root, secret = tmp_path / "packs", tmp_path / "secret"
    for folder, content in ((root / "inner", "open"), (secret, "canary")):
        folder.mkdir(parents=True)
        (folder / "a.yaml").write_text(content, encoding="utf-8")
    check = files._require_regular

    def check_and_swap(*given: Any) -> None:
        check(*given)
        monkeypatch.setattr(files, "_require_regular", check)
        (root / swapped).rename(tmp_path / "aside")
        (root / swapped).symlink_to(secret if swapped == "inner" else secret / "a.yaml")

    monkeypatch.setattr(files, "_require_regular", check_and_swap)
    [problem] = refused(root, "inner/a.yaml")
    assert problem.startswith("PP120 cannot be read: ")


def test_a_folder_that_cannot_be_read_is_reported_and_others_still_load(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pack = "promptpack: 1\nname: {name}\nversion: 1.0.0\nmessages: [{{role: user, content: hi}}]\n"
    for name in ("closed", "open"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "1.0.0.yaml").write_text(pack.format(name=name), encoding="utf-8")
    listed = os.scandir

    def scandir(path: str) -> Any:
        if path == str(tmp_path / "closed"):
            raise PermissionError(13, "Permission denied", path)
        return listed(path)

    monkeypatch.setattr(os, "scandir", scandir)
    library = Library.open(str(tmp_path))
    assert [str(problem) for problem in library.problems] == [
        f"{tmp_path / 'closed'}: PP120 cannot be read: Permission denied"
    ]
    assert library.get("open").name == "open"


def test_a_folder_with_too_many_folders_is_not_read_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("promptpack.files._MAX_FOLDERS", 3)
    for name in "abc":
        (tmp_path / name).mkdir()
        (tmp_path / name / "1.0.0.yaml").write_text("", encoding="utf-8")
    refused: dict[str, tuple[Problem, ...]] = {}
    assert list(Folder(str(tmp_path)).find(".yaml", refused=refused)) == ["a/1.0.0.yaml", "b/1.0.0.yaml"]
    [[problem]] = refused.values()
    assert str(problem) == (
        f"{tmp_path}: PP127 contains more than 3 folders; the others are not read\n  hint: use a folder with packs only"
    )


def test_a_file_that_becomes_a_folder_while_it_is_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    before = (tmp_path / "file").stat()
    monkeypatch.setattr("promptpack.files.os.stat", lambda _: before)
    for below in ("", str(tmp_path)):
        with pytest.raises(PackError, match="PP123 is not a regular file"):
            files.read(str(tmp_path / "folder"), below=below)


def test_nothing_is_written_unless_all_files_can_be_prepared(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    texts = {"new": "1", "file": "2", "file/below": "3"}
    with pytest.raises(UsageError, match="PP126 cannot be written"):
        Folder(str(tmp_path)).write(texts)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == "old"
    texts.popitem()
    Folder(str(tmp_path)).write(texts)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"new": "1", "file": "2"}


def test_a_folder_that_becomes_a_link_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "packs").mkdir()
    (tmp_path / "packs" / "link").symlink_to(tmp_path / "outside")
    folder = Folder(str(tmp_path / "packs"))
    for write in (lambda: folder.write({"link/a.yaml": "x"}), lambda: folder.replace("link/deep/a.yaml", None, b"x")):
        with pytest.raises(UsageError, match="PP126 cannot be written"):
            write()
    assert list((tmp_path / "outside").iterdir()) == []


def test_a_write_cannot_go_up(tmp_path: Path) -> None:
    (tmp_path / "packs").mkdir()
    with pytest.raises(UsageError, match="PP126 cannot be written: Operation not permitted"):
        Folder(str(tmp_path / "packs")).write({"../a.yaml": "x"})
    assert [path.name for path in tmp_path.iterdir()] == ["packs"]


@pytest.mark.parametrize(
    "name", ["https://user:secret@host/a.zip?key=secret/x.yaml", "zip://x::https://u:secret@host/x.yaml"]
)
def test_a_source_is_never_a_path_to_write_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=r"host.*: PP784 cannot be written: it is in a read-only source") as raised:
        files.write(name, "x")
    assert "secret" not in str(raised.value)
    assert not list(tmp_path.iterdir())
