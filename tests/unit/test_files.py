from pathlib import Path

import pytest

from promptpack import PackError
from promptpack.files import Folder


@pytest.mark.parametrize("relative", ["../other.yaml", "/etc/hostname", "a/../../b.yaml", "a\x00b"])
def test_a_path_cannot_lead_out_of_its_folder(tmp_path: Path, relative: str) -> None:
    with pytest.raises(PackError) as caught:
        Folder(str(tmp_path)).read(relative)
    assert [problem.message for problem in caught.value.problems] == [f"path {relative!r} leads out of the folder"]
    assert [problem.code for problem in caught.value.problems] == ["PP121"]
