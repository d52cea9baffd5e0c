import json
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest

from promptpack import Library, PackError, UsageError
from promptpack.library.choosing import parse_reference
from promptpack.pack.version import parse_version

SHIPPED = Path(__file__).parents[3] / "packs"
WritePack = Callable[..., Path]
Open = Callable[[], Library]


@pytest.mark.parametrize(
    ("reference_text", "accepted", "refused"),
    [
        ("p", ["0.1.0", "9.9.9", "1.0.0-dev"], []),
        ("p@*", ["0.1.0", "1.0.0-dev"], []),
        ("p@1.2.0", ["1.2.0"], ["1.2.1", "1.2.0-dev"]),
        ("p@1.2.0-dev", ["1.2.0-dev"], ["1.2.0"]),
        ("p@1", ["1.0.0", "1.9.0"], ["2.0.0", "0.9.0"]),
        ("p@1.2", ["1.2.0", "1.2.9"], ["1.3.0"]),
        ("p@^1", ["1.0.0", "1.9.9", "1.0.0-dev"], ["2.0.0", "2.0.0-dev", "0.9.9"]),
        ("p@^1.2.3", ["1.2.3", "1.9.0"], ["1.2.2", "2.0.0"]),
        ("p@^0.2.3", ["0.2.3", "0.2.9"], ["0.3.0", "0.2.2"]),
        ("p@^0.0.3", ["0.0.3"], ["0.0.4"]),
        ("p@~1.2", ["1.2.0", "1.2.9"], ["1.3.0", "1.1.0"]),
        ("p@~1", ["1.0.0", "1.9.0"], ["2.0.0"]),
        ("p@>=1,<2", ["1.0.0", "1.9.9"], ["2.0.0", "2.0.0-dev", "0.9.0"]),
        ("p@>1.0.0", ["1.0.1"], ["1.0.0"]),
        ("p@<=1.0.0", ["1.0.0", "0.1.0"], ["1.0.1"]),
    ],
)
def test_ranges_match_the_versions_that_semver_users_expect(
    reference_text: str, accepted: list[str], refused: list[str]
) -> None:
    reference = parse_reference(reference_text)
    versions = {text: parse_version(text) for text in (*accepted, *refused)}
    assert [text for text, version in versions.items() if version and reference.accepts(version)] == accepted


def test_versions_sort_as_in_semver() -> None:
    texts = ["1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0"]
    versions = [version for text in texts if (version := parse_version(text))]
    assert sorted(versions) == versions
    assert [str(version) for version in versions] == texts


@pytest.mark.parametrize(
    "text", ["1.0", "01.0.0", "1.0.0-", "1.0.0-a..b", "1.0.0+b", "1.0.0\n", "１.0.0", f"{'9' * 5000}.0.0"]
)
def test_the_schema_rejects_the_same_versions_as_the_parser(write_pack: WritePack, open_packs: Open, text: str) -> None:
    assert parse_version(text) is None
    write_pack(version=json.dumps(text), file="demo.yaml")
    [problem] = open_packs().problems
    assert str(problem).startswith("packs/demo/demo.yaml:3:10: PP201 '")
    assert str(problem).endswith(" must be a version such as 1.0.0 or 1.1.0-dev (in /version)")


def test_drafts_with_long_numbers_are_sorted(write_pack: WritePack, open_packs: Open) -> None:
    for number in ("9" * 4400, "1" + "0" * 4400):
        write_pack(version=f'"1.0.0-{number}"', file=f"{len(number)}.yaml")
    assert str(open_packs().get("demo").version) == "1.0.0-1" + "0" * 4400


def test_a_range_with_a_huge_number_breaks_only_its_own_pack(write_pack: WritePack, open_packs: Open) -> None:
    write_pack("good")
    write_pack("bad", body=f"extends: good@^{'9' * 5000}\n")
    library = open_packs()
    assert library.get("good").name == "good"
    with pytest.raises(PackError, match="PP231 invalid version range in"):
        library.get("bad")
    with pytest.raises(UsageError, match="PP703 invalid version range in"):
        library.get(f"good@{'9' * 5000}")


def test_the_newest_release_is_preferred_to_newer_drafts(write_pack: WritePack, open_packs: Open) -> None:
    for version in ("1.0.0", "1.10.0", "1.9.0", "2.0.0-dev"):
        write_pack(version=version)
    library = open_packs()
    assert str(library.get("demo").version) == "1.10.0"
    assert str(library.get("demo@~1.9").version) == "1.9.0"
    assert str(library.get("demo@>=2.0.0-dev").version) == "2.0.0-dev"


def test_locales_fall_back_within_the_language(write_pack: WritePack, open_packs: Open) -> None:
    write_pack(locale="zh-CN", file="1.0.0.yaml")
    write_pack(locale="en")
    library = open_packs()
    for wanted, found in (("en-US", "en"), ("en", "en"), ("EN_us", "en"), ("ZH", "zh-CN"), ("zh-TW", "zh-CN")):
        assert library.get("demo", wanted).locale == found
    assert library.get("demo").locale == "zh-CN"


def test_another_language_needs_a_fallback(write_pack: WritePack, open_packs: Open) -> None:
    write_pack(locale="zh-CN", file="1.0.0.yaml")
    write_pack(locale="en")
    library = open_packs()
    with pytest.raises(UsageError) as refused:
        library.get("demo", "fr")
    expected = "PP707 demo@1.0.0 has no variant for the locale 'fr'\n  hint: its locales are en, zh-CN"
    assert str(refused.value) == expected
    assert library.get("demo", "fr", fallback="en-GB").locale == "en"
    assert library.get("demo", "fr", fallback="default").locale == "zh-CN"
    with pytest.raises(UsageError, match="no variant for the locale 'de'"):
        library.get("demo", "fr", fallback="de")


def test_a_pack_without_a_locale_suits_every_locale(write_pack: WritePack, open_packs: Open) -> None:
    write_pack()
    write_pack(locale="en")
    assert open_packs().get("demo", "fr").locale == ""
    assert open_packs().get("demo", "en-GB").locale == "en"


def test_extends_falls_back_to_the_default_variant(write_pack: WritePack, open_packs: Open) -> None:
    write_pack("base", body="messages:\n  - {role: user, content: zh}\n", locale="zh-CN", file="1.0.0.yaml")
    write_pack("base", body="messages:\n  - {role: user, content: en}\n", locale="en")
    write_pack(body="extends: base\n", locale="fr")
    assert open_packs().get("demo", "fr").render().messages[0].content == "zh"


@pytest.mark.parametrize(
    ("reference_text", "expected"),
    [
        ("dmeo", "PP701 no pack named 'dmeo'\n  hint: did you mean 'demo'?"),
        (
            "planner",
            f"PP701 no pack named 'planner'\n  hint: it is a shipped pack; use '--packs {SHIPPED}' or Library.open()",
        ),
        ("demo@^2", "PP702 no version of 'demo' matches 'demo@^2'\n  hint: the library has 1.0.0"),
        ("demo@One", "PP703 invalid version range in 'demo@One'\n  hint: write 1.2.0, ^1, ~1.2 or >=1,<2"),
        ("De mo", "PP703 invalid pack reference 'De mo'\n  hint: write name or name@range"),
    ],
)
def test_an_unknown_pack_is_reported_with_a_hint(
    write_pack: WritePack, open_packs: Open, reference_text: str, expected: str
) -> None:
    write_pack()
    with pytest.raises(UsageError) as caught:
        open_packs().get(reference_text)
    assert str(caught.value) == expected


def test_opening_a_missing_folder_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="PP704 no folder 'nowhere'"):
        Library.open("nowhere")


def test_a_broken_pack_does_not_hide_the_others(write_pack: WritePack, open_packs: Open) -> None:
    write_pack("good")
    write_pack("bad").write_text("promptpack: 1\nname: [", encoding="utf-8")
    write_pack("worse", body="mesages: []\n")
    library = open_packs()
    assert library.get("good").name == "good"
    with pytest.raises(PackError, match="PP110"):
        library.get("bad")
    with pytest.raises(PackError, match="PP202"):
        library.get("worse@1.0.0")
    assert {problem.code for problem in library.problems} == {"PP110", "PP202"}
    assert [pack.name for pack in library.packs()] == ["good"]


def test_two_packs_with_the_same_name_version_and_locale_are_refused(write_pack: WritePack, open_packs: Open) -> None:
    write_pack(file="1.0.0.yaml")
    write_pack(file="copy.yaml")
    library = open_packs()
    with pytest.raises(PackError) as caught:
        library.get("demo")
    assert str(caught.value) == (
        "packs/demo/1.0.0.yaml:2:1: PP705 demo@1.0.0 is also in packs/demo/copy.yaml\n"
        "  hint: change the name, version or locale of one"
    )
    assert len(library.problems) == 2


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_symbolic_links_are_refused(write_pack: WritePack, open_packs: Open, tmp_path: Path, kind: str) -> None:
    outside = tmp_path / "outside" / "1.0.0.yaml"
    outside.parent.mkdir()
    outside.write_text("secret: 1", encoding="utf-8")
    path = write_pack()
    if kind == "file":
        (path.parent / "2.0.0.yaml").symlink_to(outside)
        assert [str(problem) for problem in open_packs().problems] == [
            "packs/demo/2.0.0.yaml: PP122 '2.0.0.yaml' is a symbolic link\n  hint: replace it with the file itself"
        ]
    else:
        (path.parent.parent / "linked").symlink_to(outside.parent)
        (path.parent.parent / "_apart").symlink_to(outside.parent)
        library = open_packs()
        assert [entry.name for entry in library.list()] == ["demo"]
        assert [str(problem) for problem in library.problems] == [
            "packs/linked: PP122 'linked' is a symbolic link\n  hint: replace it with the folder itself"
        ]


def test_a_file_in_two_of_the_folders_is_one_pack(write_pack: WritePack, open_packs: Open) -> None:
    path = write_pack()
    open_packs()
    for folders in (("packs", "packs"), ("packs", "packs/demo"), ("packs/demo", str(path.parent))):
        library = Library.open(*folders)
        assert [entry.name for entry in library.list()] == ["demo"]
        assert library.problems == ()
        assert library.reload().library is library


def test_a_pipe_is_refused_without_waiting(write_pack: WritePack, open_packs: Open) -> None:
    import os

    os.mkfifo(write_pack().parent / "2.0.0.yaml")
    assert [str(problem) for problem in open_packs().problems] == ["packs/demo/2.0.0.yaml: PP123 is not a regular file"]


def test_a_library_can_be_used_from_many_threads(write_pack: WritePack, open_packs: Open) -> None:
    write_pack(body="inputs: {A: {type: string}}\nmessages:\n  - {role: user, content: '{{ A }}'}\n")
    library = open_packs()
    seen: list[str] = []

    def work(number: int) -> None:
        seen.append(library.get("demo").render(A=str(number)).messages[0].text)

    threads = [Thread(target=work, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seen, key=int) == [str(number) for number in range(16)]


def test_a_pack_without_problems_is_built_without_computing_locations(monkeypatch: pytest.MonkeyPatch) -> None:
    from promptpack.document import yaml_nodes

    def refuse(text: str) -> None:
        raise AssertionError(text)

    monkeypatch.setattr(yaml_nodes, "read_nodes", refuse)

    assert Library.open().problems == ()
