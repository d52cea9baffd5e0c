"""The files of a version, and their copies under another version."""

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptpack import Library, PackError, UsageError
from promptpack.pack.version import Version, parse_version
from promptpack.versions.version_files import read_version, replace_version

PACKS = Path(__file__).parents[3] / "packs"
NEXT = Version(2, 3, 4, ("dev",))


@pytest.mark.parametrize("name", sorted(path.name for path in PACKS.iterdir() if path.is_dir()))
def test_in_every_shipped_pack_only_the_version_line_changes(name: str) -> None:
    library = Library.open(str(PACKS))
    found = read_version(library, library.folders[0], name, Version(1, 0, 0))
    copies = found.copies(NEXT)
    assert found.packs
    for path, text in found.texts.items():
        copy = copies[path.replace("1.0.0", "2.3.4-dev")]
        lines = list(zip(text.splitlines(keepends=True), copy.splitlines(keepends=True), strict=True))
        is_other = path.endswith((".tests.yaml", ".txt"))
        expected = [] if is_other else [("version: 1.0.0\n", "version: 2.3.4-dev\n")]
        assert [pair for pair in lines if pair[0] != pair[1]] == expected


_BODY = "messages:\n  - {role: user, content: 'version: 1.0.0'}\n"


@given(
    st.sampled_from(("1.0.0", "0.0.1", "10.20.30-dev", "1.0.0-rc.1")),
    st.sampled_from(("2.0.0", "1.0.0-dev", "1.0.1")),
    st.sampled_from(("{}", '"{}"', "'{}'", "   {}", "\n  {}", "&v {}", ">-\n  {}")),
    st.sampled_from(("", "  # since 1.0.0", " ")),
    st.sampled_from(("\n", "\r\n")),
    st.sampled_from(("", "\ufeff")),
    st.booleans(),
)
def test_every_layout_of_the_version_is_kept(
    old: str, new: str, form: str, after: str, end: str, mark: str, is_first: bool
) -> None:
    line = "version: " + form
    after = "" if ">" in form else after  # a block has no comment
    head = [line + after, "promptpack: 1  # 1.0.0"] if is_first else ["# version: 1.0.0", "name: demo", line + after]
    text = mark + ("\n".join(head) + "\n" + _BODY).replace("\n", end)
    version = parse_version(new)
    assert version is not None
    assert replace_version(text.replace("{}", old), "demo.yaml", version) == text.replace("{}", new)


def test_a_flow_mapping_and_a_file_without_a_last_line_end_are_kept() -> None:
    text = "{promptpack: 1, version: '1.0.0', name: demo, messages: [{role: user, content: hi}]}"
    assert replace_version(text, "demo.yaml", Version(1, 0, 1)) == text.replace("1.0.0", "1.0.1")


@pytest.mark.parametrize(
    "text",
    [
        "version: &v 1.0.0\nx-old: *v\n",
        'version: "1\\x2e0.0"\n',
        "name: demo\n",
    ],
)
def test_a_version_that_cannot_be_changed_alone_is_refused(text: str) -> None:
    assert replace_version(text, "demo.yaml", NEXT) is None


def test_variants_tests_and_snapshots_belong_to_a_version(tmp_path: Path) -> None:
    folder = tmp_path / "packs" / "demo"
    (folder / "snapshots").mkdir(parents=True)
    head = "promptpack: 1\nname: demo\nversion: {}\nlocale: {}\nmessages: [{{role: user, content: hi}}]\n"
    for file, version, locale in (
        ("1.0.0.yml", "1.0.0", "en"),
        ("1.0.0.fr.yaml", "1.0.0", "fr"),
        ("1.0.0-dev.yaml", "1.0.0-dev", "en"),
        ("1.0.0-dev.1.yaml", "1.0.0-dev.1", "en"),
    ):
        (folder / file).write_text(head.format(version, locale))
    (folder / "1.0.0.tests.yaml").write_text("tests: [{name: a, context: {}}]\n")
    for file in ("1.0.0.a", "1.0.0.fr.a", "1.0.0-dev.a", "1.0.0-dev.1.a", "1.0.0.de.a"):
        (folder / "snapshots" / f"{file}.txt").write_text("1.0.0\n")
    library = Library.open(str(tmp_path / "packs"))
    found = read_version(library, library.folders[0], "demo", Version(1, 0, 0))
    assert list(found.texts) == [
        "demo/snapshots/1.0.0.a.txt", "demo/snapshots/1.0.0.fr.a.txt",
        "demo/1.0.0.yml", "demo/1.0.0.fr.yaml", "demo/1.0.0.tests.yaml",
    ]  # fmt: skip
    copies = found.copies(Version(1, 1, 0))
    assert copies["demo/snapshots/1.1.0.fr.a.txt"] == "1.0.0\n"
    assert "version: 1.1.0\n" in copies["demo/1.1.0.fr.yaml"]
    draft = read_version(library, library.folders[0], "demo", Version(1, 0, 0, ("dev",)))
    assert list(draft.texts) == ["demo/snapshots/1.0.0-dev.a.txt", "demo/1.0.0-dev.yaml"]


def test_bad_files_are_located(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(PACKS / "smart-executor", "packs/demo")
    Path("packs/demo/1.0.0.yaml").rename("packs/demo/draft.yaml")

    def read() -> str:
        library = Library.open("packs")
        with pytest.raises((PackError, UsageError)) as caught:
            read_version(library, library.folders[0], library.entries[0].name, Version(1, 0, 0)).copies(NEXT)
        return str(caught.value)

    assert read() == (
        "packs/demo/draft.yaml: PP935 the name of the file does not start with its version 1.0.0\n"
        "  hint: rename it to 1.0.0.yaml"
    )
    text = Path("packs/demo/draft.yaml").read_text(encoding="utf-8")
    Path("packs/demo/draft.yaml").unlink()
    path = Path("packs/demo/1.0.0.yaml")
    path.write_text(text.replace("version: 1.0.0", 'version: "1\\x2e0.0"'), encoding="utf-8")
    assert "PP935 the version is written in a way that cannot be changed\n" in read()
    path.write_text(text, encoding="utf-8")
    Path("packs/demo/snapshots/1.0.0.a.txt").write_bytes(b"\xff")
    assert read() == "packs/demo/snapshots/1.0.0.a.txt:1:1: PP101 file is not UTF-8\n  hint: save it as UTF-8"
