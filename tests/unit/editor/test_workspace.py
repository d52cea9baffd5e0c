"""The workspace of an editor: which folders it opens, and how much it keeps."""

from pathlib import Path

import pytest

from promptpack import UsageError, files
from promptpack.editor import Workspace

PACK = "promptpack: 1\nname: demo\nversion: 1.0.0\nmessages:\n  - {role: user, content: hi}\n"


@pytest.mark.parametrize(
    ("path", "root"),
    [
        ("/x/1.0.0.yaml", "/x"),
        ("/x/y/1.0.0.yaml", "/x"),
        ("/x/_partials/a.j2", "/x"),
        ("/_partials/a.j2", "/_partials"),
    ],
)
def test_the_whole_disk_is_not_a_folder_of_packs(path: str, root: str) -> None:
    assert files.find_root(path)[0] == root


def test_a_file_at_the_root_of_the_disk_is_refused() -> None:
    with pytest.raises(UsageError) as refused:
        Workspace().report("/1.0.0.yaml", PACK)
    assert str(refused.value) == ("PP704 '/1.0.0.yaml' is not in a folder of packs\n  hint: move it into a folder")


def test_a_workspace_keeps_the_packs_of_the_last_folders_and_files(tmp_path: Path) -> None:
    workspace = Workspace()
    for folder in range(10):
        (tmp_path / str(folder)).mkdir()
        for file in range(5):
            path = str(tmp_path / str(folder) / f"p{file}.yaml")
            workspace.report(path, PACK)
            workspace.open(path, PACK)
    assert [len(kept) for kept in (workspace._libraries, workspace._caches, workspace._buffers)] == [8, 8, 32]
    assert str(tmp_path / "9") in workspace._libraries


def test_an_unchanged_text_is_parsed_once(tmp_path: Path) -> None:
    workspace, path = Workspace(), str(tmp_path / "demo" / "1.0.0.yaml")
    (tmp_path / "demo").mkdir()
    first = workspace.open(path, PACK)
    assert workspace.open(path, PACK) is first
    broken = workspace.open(path, "messages: [")
    assert broken.subject is first.subject
    workspace.refresh()
    assert workspace.open(path, PACK) is not first
