"""A plan of writes does not overwrite what has changed since it was made."""

from pathlib import Path

import pytest

from promptpack.files import Folder
from promptpack.library.contents import LOCK
from promptpack.problem import UsageError
from promptpack.versions.file_plan import FilePlan


@pytest.mark.parametrize("name", ["new.yaml", LOCK])
def test_a_file_that_changes_after_the_plan_was_made_stays(tmp_path: Path, name: str) -> None:
    (tmp_path / LOCK).write_text("old", "utf-8")
    plan = FilePlan(Folder(str(tmp_path)), {name: "mine"}).pending()
    (tmp_path / name).write_text("theirs", "utf-8")
    with pytest.raises(UsageError) as refused:
        plan.apply()
    assert str(refused.value) == f"{tmp_path / name}: PP126 cannot be written: it has changed meanwhile; try again"
    assert (tmp_path / name).read_text("utf-8") == "theirs"


def test_a_plan_writes_new_files_and_the_lock(tmp_path: Path) -> None:
    (tmp_path / LOCK).write_text("old", "utf-8")
    FilePlan(Folder(str(tmp_path)), {"new.yaml": "a", LOCK: "new"}).pending().apply()
    assert ((tmp_path / "new.yaml").read_text("utf-8"), (tmp_path / LOCK).read_text("utf-8")) == ("a", "new")
