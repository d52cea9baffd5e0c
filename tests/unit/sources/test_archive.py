"""Packs in zip files: good ones are read without writing anything, hostile ones are refused."""

import io
import pickle
import stat
import struct
import time
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptpack import Library, lint
from promptpack.problem import PackError, PromptpackError, UsageError
from promptpack.sources import archive as archives
from promptpack.sources import file_collection
from promptpack.sources.archive import read_archive

PACK = "promptpack: 1\nname: demo\nversion: 1.0.0\nmessages:\n  - {role: user, content: '%s'}\n"
PATH = "packs/demo/1.0.0.yaml"


def make_zip(files: Mapping[str, str | bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", compression) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return content.getvalue()


def make_member(name: str, text: str = "", *, mode: int = 0, flags: int = 0) -> bytes:
    """Return a zip file with a good pack and one more member."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr(PATH, PACK % "hi")
        member = zipfile.ZipInfo("x" * len(name))
        member.external_attr = mode << 16
        archive.writestr(member, text)
    patched = content.getvalue().replace(b"x" * len(name), name.encode())
    end = patched.rfind(b"PK\x01\x02")
    start = patched.rfind(b"PK\x03\x04")
    bits = struct.pack("<H", flags)
    patched = patched[: end + 8] + bits + patched[end + 10 :] if flags else patched
    return patched[: start + 6] + bits + patched[start + 8 :] if flags else patched


def problems_of(content: bytes) -> list[str]:
    with pytest.raises(PromptpackError) as raised:
        read_archive(content, "packs.zip")
    return [str(problem) for problem in raised.value.problems]


def text_of(library: Library) -> str:
    return str(library.get("demo").render().messages[0].content)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("path", [PATH, "demo/1.0.0.yaml"])
def test_packs_in_a_folder_or_at_the_top(here: Path, path: str) -> None:
    (here / "packs.zip").write_bytes(make_zip({path: PACK % "zipped", "README.md": "x"}))
    library = Library.open("packs.zip")
    assert text_of(library) == "zipped"
    assert [entry.path for entry in library.list()] == [f"packs.zip/{path}"]
    assert [path.name for path in here.iterdir()] == ["packs.zip"]


def test_partials_and_schemas_come_along(here: Path) -> None:
    body = "inputs:\n  WORD: {$ref: ../../schemas/word.json}\n"
    files = {
        PATH: PACK % '{% include "tone" %} {{ WORD }}' + body,
        "packs/_partials/tone.j2": "Be kind.\n",
        "schemas/word.json": '{"type": "string", "maxLength": 3}',
    }
    (here / "packs.zip").write_bytes(make_zip(files))
    pack = Library.open("packs.zip").get("demo")
    assert pack.render(WORD="abc").messages[0].content == "Be kind. abc"
    with pytest.raises(PromptpackError, match="3"):
        pack.render(WORD="abcd")


def test_a_library_of_an_archive_can_be_pickled(here: Path) -> None:
    (here / "packs.zip").write_bytes(make_zip({PATH: PACK % "zipped"}))
    stored = pickle.dumps(Library.open("packs.zip"))
    (here / "packs.zip").unlink()
    assert text_of(pickle.loads(stored)) == "zipped"  # noqa: S301 -- our own


def test_a_reload_reads_the_archive_again(here: Path) -> None:
    path = here / "packs.zip"
    path.write_bytes(make_zip({PATH: PACK % "old"}))
    library = Library.open("packs.zip")
    assert library.reload().library is library
    path.write_bytes(make_zip({PATH: PACK % "new"}))
    report = library.reload()
    assert [str(one.name) for one in report.changed] == ["demo"]
    assert (text_of(library), text_of(report.library)) == ("old", "new")


@pytest.mark.parametrize("content", [b"", None])
def test_a_reload_keeps_the_packs_of_a_broken_or_missing_archive(here: Path, content: bytes | None) -> None:
    path = here / "packs.zip"
    path.write_bytes(make_zip({PATH: PACK % "old"}))
    library = Library.open("packs.zip")
    path.unlink() if content is None else path.write_bytes(content)
    report = library.reload()
    assert [problem.code for problem in report.problems] == ["PP120" if content is None else "PP776"]
    assert text_of(report.library) == "old"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("../evil.yaml", "leads out of the archive"),
        ("packs/../../evil.yaml", "leads out of the archive"),
        ("/etc/evil.yaml", "is an absolute path"),
        ("C:/evil.yaml", "is an absolute path"),
        ("packs\\evil.yaml", "is not a plain path"),
        ("packs//evil.yaml", "is not a plain path"),
        ("packs/./evil.yaml", "is not a plain path"),
        ("packs/a\nb.yaml", "is not a plain path"),
        ("packs/a\0b.yaml", "is not a plain path"),
        (PATH, "is in the archive more than once"),
    ],
)
def test_hostile_names_are_refused(name: str, reason: str) -> None:
    hint = "build the archive again without it"
    assert problems_of(make_member(name)) == [f"packs.zip: PP777 {name!r} {reason}\n  hint: {hint}"]


@pytest.mark.parametrize(
    ("mode", "flags", "reason"),
    [
        (stat.S_IFLNK | 0o777, 0, "is a symbolic link"),
        (stat.S_IFIFO | 0o644, 0, "is not a regular file"),
        (stat.S_IFCHR | 0o644, 0, "is not a regular file"),
        (0, 1, "is encrypted"),
    ],
)
def test_hostile_kinds_are_refused(mode: int, flags: int, reason: str) -> None:
    hint = "build the archive again without it"
    found = problems_of(make_member("packs/a.yaml", "/etc/passwd", mode=mode, flags=flags))
    assert found == [f"packs.zip: PP777 'packs/a.yaml' {reason}\n  hint: {hint}"]


def test_all_problems_of_an_archive_are_reported() -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("../a.yaml", "x")
        archive.writestr("/b.yaml", "x")
    assert [problem.split(" ", 2)[2].split("\n")[0] for problem in problems_of(content.getvalue())] == [
        "'../a.yaml' leads out of the archive",
        "'../a.yaml' uses a compression other than deflate",
        "'/b.yaml' is an absolute path",
        "'/b.yaml' uses a compression other than deflate",
    ]


def test_a_bomb_of_one_file_is_not_unpacked() -> None:
    content = make_zip({PATH: PACK % "hi", "packs/bomb.yaml": b"\0" * 50_000_000})
    folder = read_archive(content, "packs.zip")
    assert sum(map(len, folder.texts.values())) < 1_000
    assert [str(problem) for problem in folder.refused.values()] == [
        "packs.zip/packs/bomb.yaml: PP102 file is larger than 1,000,000 bytes\n  hint: split it into partials"
    ]


def test_a_bomb_of_many_files_is_refused() -> None:
    files = {f"packs/{index}.yaml": b"\0" * 900_000 for index in range(20)}
    hint = "use a source with packs only"
    assert problems_of(make_zip(files)) == [
        f"packs.zip/packs: PP775 unpacks to more than 100 times its size\n  hint: {hint}"
    ]


def test_a_size_in_the_headers_is_not_believed() -> None:
    content = make_zip({PATH: b"#" * 900_000})
    lie = content.replace(struct.pack("<I", 900_000), struct.pack("<I", 10))
    assert lie != content
    with pytest.raises(UsageError, match="PP776"):
        read_archive(lie, "packs.zip")


def test_too_many_files_and_bytes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    content = make_zip({f"packs/{index}.yaml": "x" * 100 for index in range(4)})
    monkeypatch.setattr(file_collection, "MAX_FILES", 3)
    assert problems_of(content)[0].startswith("packs.zip/packs: PP775 has more than 3 files")
    monkeypatch.setattr(file_collection, "MAX_TOTAL_BYTES", 250)
    assert problems_of(content)[0].startswith("packs.zip/packs: PP775 has more than 250 bytes")


def test_a_long_list_of_files_is_refused_before_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "_MAX_LIST_BYTES", 100)
    content = make_zip({PATH: PACK % "hi", "packs/b.yaml": "x"})
    assert problems_of(content) == [
        "packs.zip: PP775 has a list of files that is too long\n  hint: use a source with packs only"
    ]


def test_what_is_not_a_zip_file(here: Path) -> None:
    (here / "packs.zip").write_text("promptpack: 1")
    with pytest.raises(UsageError) as raised:
        Library.open("packs.zip")
    assert str(raised.value) == (
        "packs.zip: PP776 is not a zip file, or is damaged: it has no list of files at its end\n"
        "  hint: download or build the archive again"
    )
    with pytest.raises(PackError) as missing:
        Library.open("other.zip")
    assert str(missing.value) == "other.zip: PP120 cannot be read: No such file or directory"


def test_every_truncated_archive_is_refused() -> None:
    content = make_zip({PATH: PACK % "hi", "schemas/a.json": "{}"})
    for length in range(len(content)):
        with pytest.raises(UsageError, match="PP776"):
            read_archive(content[:length], "packs.zip")


@given(st.data())
def test_a_damaged_archive_is_refused_or_read(data: st.DataObject) -> None:
    content = bytearray(make_zip({PATH: PACK % "hi", "packs/_partials/a.j2": "text " * 50, "schemas/a.json": "{}"}))
    for _ in range(data.draw(st.integers(1, 8))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    try:
        folder = read_archive(bytes(content), "packs.zip")
    except PromptpackError:
        return
    assert all(".." not in path.removeprefix("../").split("/") for path in folder.texts)


@given(st.binary(max_size=300))
def test_any_bytes_are_refused(content: bytes) -> None:
    with pytest.raises(PromptpackError):
        read_archive(content, "packs.zip")


def test_an_archive_without_packs() -> None:
    hint = "put the packs into the folder 'packs' of the archive"
    assert problems_of(make_zip({"docs/a.md": "x"})) == [
        f"packs.zip: PP778 the archive has no packs and no folder 'packs'\n  hint: {hint}"
    ]
    assert problems_of(make_zip({"packs/a.md": "x"})) == [
        f"packs.zip: PP778 the archive has no packs in the folder 'packs'\n  hint: {hint}"
    ]


def test_a_folder_may_have_the_name_of_an_archive(here: Path) -> None:
    folder = here / "packs.zip" / "demo"
    folder.mkdir(parents=True)
    (folder / "1.0.0.yaml").write_text(PACK % "folder")
    assert text_of(Library.open("packs.zip")) == "folder"


@pytest.mark.parametrize("name", ["x" * 20_000, "1" * 20_000, "d/" * 2_000 + "x"])
def test_long_names_and_deep_folders_are_read_in_linear_time(tmp_path: Path, name: str) -> None:
    path = tmp_path / "packs.zip"
    path.write_bytes(make_zip({PATH: PACK % "hi", f"packs/{name}.yaml": ""}))
    start = time.process_time()
    assert Library.open(str(path), cache=False).get("demo").messages
    assert time.process_time() - start < 1


@pytest.mark.parametrize("use", [Library.open, lint])
def test_an_archive_whose_name_has_a_nul(use: Callable[[str], object]) -> None:
    with pytest.raises(PromptpackError) as caught:
        use("a\0.zip")
    assert [one.code for one in caught.value.problems] == ["PP704"]
