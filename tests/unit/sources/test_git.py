"""Folders of packs at git revisions."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from promptpack import Library
from promptpack.cache import Cache
from promptpack.files import Folder
from promptpack.library.contents import read_contents
from promptpack.problem import PackError, UsageError
from promptpack.sources import file_collection, git

WritePack = Callable[..., Path]
BODY = "messages:\n  - {role: user, content: '%s'}\n"


def run_git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "protocol.file.allow=always")
    done = subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def commit(folder: Path, subject: str, tag: str = "") -> None:
    run_git(folder, "add", "-A")
    run_git(folder, "commit", "-qm", subject)
    if tag:
        run_git(folder, "tag", tag)


@pytest.fixture
def repository(tmp_path: Path, write_pack: WritePack, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose only pack has another text in each of two tags, and again in the working tree."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    run_git(tmp_path, "init", "-q", "-b", "main")
    for tag in ("v1.0.0", "v1.1.0"):
        write_pack(body=BODY % tag)
        commit(tmp_path, f"text of {tag}", tag)
    write_pack(body=BODY % "now")
    return tmp_path


def open_folder(folder: Folder) -> Library:
    return Library(read_contents([folder], Cache()))


def text_of(folder: Folder) -> str:
    return str(open_folder(folder).get("demo").render().messages[0].content)


def message_of(error: pytest.ExceptionInfo[UsageError]) -> str:
    return str(error.value)


@pytest.mark.usefixtures("repository")
def test_a_revision_has_the_packs_of_then() -> None:
    assert text_of(git.open_revision("packs", "v1.0.0")) == "v1.0.0"
    assert text_of(git.open_revision("packs", "v1.1.0")) == "v1.1.0"
    assert text_of(git.open_revision("packs", "main")) == "v1.1.0"
    assert text_of(git.open_revision("packs", "main~1")) == "v1.0.0"


def test_a_folder_is_found_from_everywhere(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository / "packs" / "demo")
    assert text_of(git.open_revision("..", "v1.0.0")) == "v1.0.0"
    monkeypatch.chdir("/")
    assert text_of(git.open_revision(str(repository / "packs"), "v1.0.0")) == "v1.0.0"


def test_a_folder_that_is_gone_now_is_found_in_a_revision(repository: Path) -> None:
    (repository / "packs").rename(repository / "prompts")
    assert text_of(git.open_revision("packs", "v1.0.0")) == "v1.0.0"


@pytest.mark.usefixtures("repository")
def test_problems_name_the_file_with_its_revision(write_pack: WritePack, repository: Path) -> None:
    write_pack(body="messages: 1\n")
    commit(repository, "broken", "broken")
    with pytest.raises(PackError) as raised:
        text_of(git.open_revision("packs", "broken"))
    location = raised.value.problems[0].location
    assert location is not None
    assert str(location).startswith("git:broken:packs/demo/1.0.0.yaml:")


def test_the_schemas_of_a_revision_are_used(repository: Path, write_pack: WritePack) -> None:
    schemas = repository / "schemas"
    schemas.mkdir()
    (schemas / "word.schema.json").write_text('{"type": "string"}')
    write_pack(body="inputs:\n  WORD: {$ref: ../../schemas/word.schema.json}\n" + BODY % "{{ WORD }}")
    commit(repository, "schema", "v2")
    (schemas / "word.schema.json").write_text('{"type": "integer"}')
    folder = git.open_revision("packs", "v2")
    assert open_folder(folder).get("demo").inputs["WORD"].schema["$defs"] == {"word": {"type": "string"}}
    assert list(folder.sibling.find(".json")) == ["word.schema.json"]
    assert folder.show("../schemas/word.schema.json") == "git:v2:schemas/word.schema.json"


@pytest.mark.usefixtures("repository")
def test_a_missing_revision_suggests_the_nearest_one() -> None:
    with pytest.raises(UsageError) as error:
        git.open_revision("packs", "v1.0.00")
    assert message_of(error) == "PP772 the repository has no revision 'v1.0.00'\n  hint: did you mean 'v1.0.0'?"
    with pytest.raises(UsageError) as error:
        git.open_revision("packs", "production")
    assert message_of(error).startswith("PP772 the repository has no revision 'production'\n  hint: it has ")


@pytest.mark.parametrize("name", ["", "-h", "--help", "v1.0.0:packs", "a\nb", "a\0b"])
@pytest.mark.usefixtures("repository")
def test_what_is_not_a_revision_never_reaches_git(name: str) -> None:
    with pytest.raises(UsageError) as error:
        git.open_revision("packs", name)
    hint = "write a tag, a branch or a commit, such as v1.2.0"
    assert message_of(error) == f"PP772 {name!r} is not a revision\n  hint: {hint}"


@pytest.mark.usefixtures("repository")
def test_a_range_is_not_a_revision() -> None:
    with pytest.raises(UsageError, match="PP772"):
        git.open_revision("packs", "v1.0.0..v1.1.0")


def test_a_missing_folder_is_reported(repository: Path) -> None:
    with pytest.raises(UsageError) as error:
        git.open_revision("prompts", "v1.0.0")
    assert message_of(error) == "PP773 revision 'v1.0.0' has no folder 'prompts'"
    (repository / "packs").rename(repository / "inner")
    (repository / "outer").mkdir()
    (repository / "inner").rename(repository / "outer" / "packs")
    commit(repository, "moved", "moved")
    with pytest.raises(UsageError) as error:
        git.open_revision("packs", "moved")
    hint = "it has 'outer/packs', counted from the top of the repository"
    assert message_of(error) == f"PP773 revision 'moved' has no folder 'packs'\n  hint: {hint}"


def test_outside_a_repository(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        git.open_revision(str(tmp_path / "packs"), "HEAD")
    assert message_of(error).startswith(f"PP771 {str(tmp_path / 'packs')!r} is not in a git repository: fatal: ")


@pytest.mark.usefixtures("repository")
def test_without_git(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(UsageError) as error:
        git.open_revision("packs", "HEAD")
    hint = "install git, or use a folder or an archive"
    assert message_of(error) == f"PP771 git is not installed, and a revision needs it\n  hint: {hint}"


@pytest.mark.usefixtures("repository")
def test_variables_of_a_hook_do_not_lead_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_INDEX_FILE", "/nowhere")
    assert text_of(git.open_revision("packs", "v1.0.0")) == "v1.0.0"


def test_no_program_of_a_repository_runs(repository: Path) -> None:
    program = repository / "program"
    program.write_text(f"#!/bin/sh\ntouch {repository}/ran\ncat\n")
    program.chmod(0o755)
    (repository / ".gitattributes").write_text("* filter=own diff=own\n")
    commit(repository, "attributes", "v2")
    for name in (
        "filter.own.smudge", "filter.own.clean", "diff.own.textconv", "core.fsmonitor", "core.pager",
        "core.sshCommand", "gpg.program", "core.editor",
    ):  # fmt: skip
        run_git(repository, "config", name, str(program))
    run_git(repository, "config", "log.showSignature", "true")
    (repository / "ran").unlink(missing_ok=True)
    assert text_of(git.open_revision("packs", "v2")) == "now"
    assert git.log("packs", "demo/1.0.0.yaml")
    assert not (repository / "ran").exists()


def test_links_and_submodules_are_refused(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("other")
    run_git(other, "init", "-q")
    (other / "a.yaml").write_text("a: 1\n")
    commit(other, "x")
    run_git(repository, "submodule", "--quiet", "add", str(other), "packs/module")
    (repository / "packs" / "demo" / "2.0.0.yaml").symlink_to("/etc/passwd")
    (repository / "packs" / "linked").symlink_to("demo")
    (repository / "packs" / "README.md").symlink_to("demo")
    commit(repository, "links", "links")
    library = open_folder(git.open_revision("packs", "links"))
    assert sorted(map(str, library.problems)) == [
        "git:links:packs/demo/2.0.0.yaml: PP122 '2.0.0.yaml' is a symbolic link\n"
        "  hint: replace it with the file or folder itself",
        "git:links:packs/linked: PP122 'linked' is a symbolic link\n  hint: replace it with the file or folder itself",
        "git:links:packs/module: PP774 is a submodule, whose files are not part of the revision",
    ]
    assert library.get("demo@1.0.0").render().messages[0].content == "now"


def test_a_large_file_is_refused_and_others_are_used(repository: Path) -> None:
    (repository / "packs" / "demo" / "3.0.0.yaml").write_text("#" * 1_000_001)
    (repository / "packs" / "image.png").write_bytes(b"x" * 2_000_000)
    commit(repository, "large", "large")
    library = open_folder(git.open_revision("packs", "large"))
    assert [str(problem) for problem in library.problems] == [
        "git:large:packs/demo/3.0.0.yaml: PP102 file is larger than 1,000,000 bytes\n  hint: split it into partials"
    ]
    assert library.get("demo@1").render().messages[0].content == "now"


def test_names_that_git_quotes_are_read(repository: Path) -> None:
    folder = repository / "packs" / '名 "x"\t:(top)'
    folder.mkdir()
    (folder / "a.yaml").write_text("a: 1\n")
    commit(repository, "names", "names")
    found = git.open_revision("packs", "names")
    assert list(found.find(".yaml")) == ["demo/1.0.0.yaml", '名 "x"\t:(top)/a.yaml']
    own = git.open_revision(str(folder), "names")
    assert list(own.find(".yaml")) == ["a.yaml"]


@pytest.mark.usefixtures("repository")
def test_the_top_of_a_repository_can_be_the_folder() -> None:
    folder = git.open_revision(".", "v1.0.0")
    assert list(folder.find(".yaml")) == ["packs/demo/1.0.0.yaml"]
    assert folder.to_relative(folder.show("packs/demo/1.0.0.yaml")) == "packs/demo/1.0.0.yaml"
    assert folder.to_relative("packs/demo/1.0.0.yaml") is None


def test_hidden_files_are_skipped(repository: Path) -> None:
    for name in (".hidden/a.yaml", "node_modules/a.yaml", ".a.yaml"):
        path = repository / "packs" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("a: 1\n")
    commit(repository, "hidden", "hidden")
    assert list(git.open_revision("packs", "hidden").find(".yaml")) == ["demo/1.0.0.yaml"]


def test_the_log_of_a_file_is_newest_first(repository: Path) -> None:
    commit(repository, 'a "quoted" subject')
    found = git.log("packs", "demo/1.0.0.yaml")
    assert [(one.author, one.subject) for one in found] == [
        ("Ann", 'a "quoted" subject'), ("Ann", "text of v1.1.0"), ("Ann", "text of v1.0.0"),
    ]  # fmt: skip
    assert found[1].revision == run_git(repository, "rev-parse", "v1.1.0")
    assert found[1].date == run_git(repository, "log", "-1", "--format=%aI", "v1.1.0")
    assert git.log("packs", "demo/9.9.9.yaml") == ()


def test_a_damaged_repository_is_reported(repository: Path) -> None:
    blob = run_git(repository, "rev-parse", "v1.0.0:packs/demo/1.0.0.yaml")
    (repository / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(UsageError) as error:
        git.open_revision("packs", "v1.0.0")
    assert message_of(error).startswith(
        "packs: PP771 'demo/1.0.0.yaml' is missing in the repository\n  hint: run 'git fsck' to check the repository"
    )


def test_a_revision_with_too_much_is_refused(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for index in range(3):
        (repository / "packs" / f"{index}.json").write_text("x" * 300)
    commit(repository, "many", "many")
    monkeypatch.setattr(file_collection, "MAX_TOTAL_BYTES", 900)
    with pytest.raises(UsageError) as error:
        git.open_revision("packs", "many")
    hint = "use a source with packs only"
    assert message_of(error) == f"git:many:packs: PP775 has more than 900 bytes\n  hint: {hint}"
    monkeypatch.setattr(file_collection, "MAX_TOTAL_BYTES", 9_000)
    monkeypatch.setattr(file_collection, "MAX_FILES", 3)
    with pytest.raises(UsageError) as error:
        git.open_revision("packs", "many")
    assert message_of(error) == f"git:many:packs: PP775 has more than 3 files\n  hint: {hint}"
