"""Which files the studio opens, and how it writes them."""

from pathlib import Path

import pytest

from promptpack import PackError, UsageError
from promptpack.studio.project import digest_of
from promptpack.studio.studio import Studio
from tests.unit.studio.conftest import PACK, PATH


@pytest.mark.parametrize(
    "path",
    [
        "../x.yaml", "/etc/x.yaml", "a/../../x.yaml", ".git/hooks/x.yaml", "a/.hidden.yaml", "a.txt", "", "a//b.yaml", "./a.yaml",
        "C:\\x.yaml", "a\\b.yaml", "a/x.yaml\0.yaml", "a./b.yaml", "packs.lock", "a:b.yaml", "a/b.yaml ", "pre-commit",
        "a\u202eb.yaml", "a\ud800.yaml", "a\u200b.yaml",
    ],
)  # fmt: skip
def test_only_texts_below_the_folder_are_opened(studio: Studio, path: str) -> None:
    with pytest.raises(UsageError) as refused:
        studio.project.write(path, "x", "")
    assert str(refused.value) == (
        f"PP993 {path!r} is not a file that the studio opens\n"
        "  hint: it opens files in the folder 'packs' that end with .yaml, .yml, .j2"
    )


def test_a_long_path_is_refused_at_once(studio: Studio) -> None:
    with pytest.raises(UsageError) as refused:
        studio.project.read("a" * 100_000 + ".yaml")
    assert refused.value.problems[0].code == "PP993"


def test_links_are_not_followed(studio: Studio, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a.yaml").write_text("secret", "utf-8")
    (tmp_path / "packs" / "link").symlink_to(tmp_path / "outside")
    (tmp_path / "packs" / "greeter" / "b.yaml").symlink_to(tmp_path / "outside" / "a.yaml")
    for path in ("link/a.yaml", "greeter/b.yaml"):
        with pytest.raises(PackError) as refused:
            studio.project.read(path)
        assert refused.value.problems[0].code == "PP122"
        with pytest.raises(PackError):
            studio.project.write(path, "x", digest_of(b"secret"))
    for path in ("link/new.yaml", "link/deep/new.yaml"):
        with pytest.raises(PackError) as refused:
            studio.project.write(path, "x", "")
        assert refused.value.problems[0].code == "PP122"
    assert [one.name for one in (tmp_path / "outside").iterdir()] == ["a.yaml"]
    assert (tmp_path / "outside" / "a.yaml").read_text("utf-8") == "secret"


def test_a_file_is_replaced_only_as_it_was_read(studio: Studio) -> None:
    project = studio.project
    base = project.read(PATH).digest
    assert project.write(PATH, f"{PACK}# mine\n", "another digest") is None
    written = project.write(PATH, f"{PACK}# mine\n", base)
    assert written is not None
    assert written == project.read(PATH)
    assert project.write(PATH, PACK, base) is None
    assert project.read(PATH).text.endswith("# mine\n")


def test_line_ends_and_the_byte_order_mark_stay(studio: Studio, tmp_path: Path) -> None:
    file = tmp_path / "packs" / PATH
    raw = b"\xef\xbb\xbf" + PACK.replace("\n", "\r\n").encode()
    file.write_bytes(raw)
    stored = studio.project.read(PATH)
    assert stored.text == PACK
    assert studio.project.write(PATH, f"{PACK}# x\n", stored.digest) is not None
    assert file.read_bytes() == raw + b"# x\r\n"


def test_a_new_file_needs_no_file_at_its_place(studio: Studio) -> None:
    assert studio.project.write("greeter/2.0.0.yaml", "x", "") is not None
    assert studio.project.write("greeter/2.0.0.yaml", "y", "") is None


def test_too_large_a_text_is_refused(studio: Studio) -> None:
    with pytest.raises(PackError) as refused:
        studio.project.write(PATH, "x" * 1_000_001, studio.project.read(PATH).digest)
    assert refused.value.problems[0].code == "PP102"


def test_a_half_of_a_surrogate_pair_is_refused(studio: Studio) -> None:
    with pytest.raises(UsageError) as refused:
        studio.project.write(PATH, "\ud800", studio.project.read(PATH).digest)
    assert refused.value.problems[0].code == "PP408"
    assert studio.project.read(PATH).text == PACK


def test_a_file_that_is_not_text_is_refused(studio: Studio, tmp_path: Path) -> None:
    (tmp_path / "packs" / PATH).write_bytes(b"\xff\xfe")
    with pytest.raises(PackError) as refused:
        studio.project.read(PATH)
    assert refused.value.problems[0].code == "PP101"
