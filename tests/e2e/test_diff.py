"""`promptpack diff` and `promptpack log` in a real git repository: what they show, what they demand, and bad input."""

import json
import os
import subprocess
import zipfile
from pathlib import Path

import pytest

from tests.e2e.conftest import run

PACK = """\
promptpack: 1
name: {name}
version: 1.0.0
description: Answers a question.
inputs:
  QUESTION: {{type: string, description: What to answer}}
  TONE: {{enum: [kind, brief], default: kind, description: How to answer}}
messages:
  - id: task
    role: system
    content: |
      You answer the question in one sentence.
      Be {{{{ TONE }}}}.
      {{{{ reply_format }}}}
  - role: user
    content: "{{{{ QUESTION }}}}"
reply:
  contract: agent-output
  actions:
    ANSWER:
      params: {{type: object, required: [text], properties: {{text: {{type: string}}}}}}
"""
CHANGES = {
    "word": ("in one sentence", "in two sentences"),
    "optional": ("  TONE:", "  HINTS: {type: string, default: '', description: More}\n  TONE:"),
    "required": ("  TONE:", "  TOPIC: {type: string, description: About what}\n  TONE:"),
    "enum": ("[kind, brief]", "[kind]"),
    "action": ("  actions:\n", "  actions:\n    REFUSE:\n      params: {type: object}\n"),
}
NEEDED = {"word": "patch", "optional": "minor", "required": "major", "enum": "major", "action": "major"}
CODES = {"word": "PV301", "optional": "PV102", "required": "PV101", "enum": "PV108", "action": "PV201"}


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    subprocess.run(["git", *who, *words], cwd=folder, check=True)


def commit(folder: Path) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "x")


def write(folder: Path, name: str, version: str, old: str = "", new: str = "", *, file: str = "") -> Path:
    path = folder / "packs" / name / f"{file or version}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    text = PACK.format(name=name).replace("version: 1.0.0", f"version: {version}")
    path.write_text(text.replace(old, new) if old else text, encoding="utf-8")
    return path


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one release for each change, on the branch main."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    git(tmp_path, "init", "-q", "-b", "main")
    for name in CHANGES:
        write(tmp_path, name, "1.0.0")
    commit(tmp_path)
    return tmp_path


def test_a_pull_request_needs_versions_that_are_large_enough(repository: Path) -> None:
    git(repository, "checkout", "-qb", "change")
    for name, change in CHANGES.items():
        write(repository, name, "1.0.0", *change)
    commit(repository)
    done = run(repository, "diff", "--from", "main", "--check", "--format", "json")
    found = json.loads(done.stdout)
    assert done.returncode == 1
    assert {pack["name"]: pack["bump"] for pack in found["packs"]} == NEEDED
    assert {pack["name"]: pack["changes"][0]["code"] for pack in found["packs"]} == CODES
    lines = {pack["name"]: pack["changes"][0]["line"] for pack in found["packs"]}
    assert lines == {"word": 12, "optional": 7, "required": 7, "enum": 7, "action": 20}
    assert [problem["code"] for problem in found["problems"]] == ["PP728"] * 5
    assert {(problem["line"], problem["column"]) for problem in found["problems"]} == {(3, 10)}
    for problem in found["problems"]:
        name = problem["path"].split("/")[1]
        assert problem["hint"] == (
            f"run: promptpack bump {name} {NEEDED[name]}, then: git checkout main -- packs/{name}/1.0.0.yaml"
        )


def test_all_files_of_a_changed_release_are_to_be_restored(repository: Path) -> None:
    for locale in ("fr", "de"):
        write(
            repository, "word", "1.0.0", "description: An", f"locale: {locale}\ndescription: An", file=f"1.0.0.{locale}"
        )
    path = write(repository, "word", "1.0.0", "description: An", "locale: en\ndescription: An")
    commit(repository)
    git(repository, "branch", "-f", "start")
    path.with_name("1.0.0.fr.yaml").write_text(path.with_name("1.0.0.fr.yaml").read_text().replace("Be ", "Stay "))
    commit(repository)
    hint = "  hint: run: promptpack bump word patch, then: git checkout start -- packs/word/1.0.0.fr.yaml\n"
    assert hint in run(repository, "diff", "--from", "start", "--check").stdout
    path.with_name("1.0.0.de.yaml").unlink()
    write(repository, "word", "1.0.0", "description: An", "locale: it\ndescription: An", file="1.0.0.it")
    files = "packs/word/1.0.0.de.yaml packs/word/1.0.0.fr.yaml, then delete packs/word/1.0.0.it.yaml\n"
    assert f"then: git checkout start -- {files}" in run(repository, "diff", "--from", "start", "--check").stdout


@pytest.mark.parametrize(("name", "bump"), NEEDED.items())
def test_a_new_version_must_be_large_enough(repository: Path, name: str, bump: str) -> None:
    enough = {"patch": "1.0.1", "minor": "1.1.0", "major": "2.0.0"}
    for version in ("1.0.1-dev", "1.1.0-dev", "1.0.1", "1.1.0", "2.0.0"):
        path = write(repository, name, version, *CHANGES[name])
        done = run(repository, "diff", name, "--check")
        is_enough = version.partition("-")[0] >= enough[bump]
        assert done.returncode == (0 if is_enough else 1), done.stdout
        assert (f"needs {enough[bump]} ({bump})" in done.stdout) is True
        if not is_enough:
            assert (
                f"packs/{name}/{version}.yaml:3:10: PP765 version {version} is too small: the change since"
                in done.stdout
            )
            assert f"hint: run: promptpack bump {name} {bump}\n" in done.stdout
        path.unlink()


def test_a_version_that_is_too_small_in_full(repository: Path) -> None:
    write(repository, "required", "1.0.1", *CHANGES["required"])
    done = run(repository, "diff", "--check")
    assert done.stdout == (
        "required 1.0.0 → 1.0.1: 1 breaking; too small: needs 2.0.0 (major)\n"
        "  CALL: what callers must provide\n"
        "    packs/required/1.0.1.yaml:7:3: PV101 required input 'TOPIC' added (breaking, major)\n"
        "      callers do not pass it yet\n\n"
        "packs/required/1.0.1.yaml:3:10: PP765 version 1.0.1 is too small: the change since 1.0.0 needs 2.0.0 (major), "
        "because of PV101 (required input 'TOPIC' added)\n"
        "  hint: run: promptpack bump required major\n\n"
        "1 pack changed, the largest change is major, 1 version is too small\n"
    )


def test_words_are_marked_in_a_pipe(repository: Path) -> None:
    write(repository, "word", "1.0.0", *CHANGES["word"])
    done = run(repository, "diff")
    assert done.returncode == 0
    assert done.stdout == (
        "word 1.0.0: 1 cosmetic; a release changed: needs 1.0.1 (patch)\n"
        "  TEXT: wording\n"
        "    packs/word/1.0.0.yaml:12:34: PV301 wording of message 'task' changed (cosmetic, patch)\n"
        "      | You answer the question in [-one sentence-]{+two sentences+}.\n"
        "      | Be {{ TONE }}.\n\n"
        "1 pack changed, the largest change is patch\n"
    )


def test_the_markdown_of_a_pull_request(repository: Path) -> None:
    write(repository, "word", "1.0.1", *CHANGES["word"])
    write(repository, "enum", "1.0.1", *CHANGES["enum"])
    done = run(repository, "diff", "--from", "main", "--check", "--format", "markdown")
    assert done.stdout == (
        "### 2 packs changed, the largest change is major, 1 version is too small\n\n"
        "| pack | version | changes | needed | |\n"
        "|---|---|---|---|---|\n"
        "| <b>enum</b> | 1.0.0 → 1.0.1 | 1 breaking | too small: needs 2.0.0 (major) | ❌ |\n"
        "| <b>word</b> | 1.0.0 → 1.0.1 | 1 cosmetic | needs 1.0.1 (patch) | ✅ |\n\n"
        "- ❌ packs/enum/1.0.1.yaml:3:10: **PP765** version 1.0.1 is too small: the change since 1.0.0 needs 2.0.0 (major), "
        "because of PV108 (input 'TONE' accepts fewer values: 'brief' is not one of 'kind')<br>run: promptpack bump enum major\n\n"
        "<details><summary><b>enum</b> 1.0.0 → 1.0.1: 1 breaking</summary>\n\n"
        "**CALL**: what callers must provide\n\n"
        "- 💥 PV108 <b>input 'TONE' accepts fewer values: 'brief' is not one of 'kind'</b> (breaking, major): callers may pass a value that is refused now"
        "<br>packs/enum/1.0.1.yaml:7:10\n"
        '  <br>for example <code>"brief"</code>\n\n'
        "</details>\n\n"
        "<details><summary><b>word</b> 1.0.0 → 1.0.1: 1 cosmetic</summary>\n\n"
        "**TEXT**: wording\n\n"
        "- PV301 <b>wording of message 'task' changed</b> (cosmetic, patch)<br>packs/word/1.0.1.yaml:12:34\n"
        "  <pre>You answer the question in <del>one sentence</del><ins>two sentences</ins>.&#10;Be {{ TONE }}.</pre>\n\n"
        "</details>\n\n"
    )


def test_annotations_for_github(repository: Path) -> None:
    write(repository, "action", "1.1.0", *CHANGES["action"])
    done = run(repository, "diff", "--check", "--format", "github")
    assert done.returncode == 1
    first, second = done.stdout.splitlines()
    assert first.startswith(
        "::error file=packs/action/1.1.0.yaml,line=3,col=10,endColumn=14,title=PP765::version 1.1.0 is"
    )
    assert second.startswith("::warning file=packs/action/1.1.0.yaml,line=20,col=5,endColumn=10,title=PV201::")


def test_new_and_removed_packs(repository: Path) -> None:
    write(repository, "fresh", "1.0.0")
    (repository / "packs" / "word" / "1.0.0.yaml").unlink()
    done = run(repository, "diff", "--check")
    assert (done.returncode, done.stdout) == (
        0,
        "fresh 1.0.0: new pack\n\n"
        "word 1.0.0: removed\n\n"
        "git:HEAD:packs/word/1.0.0.yaml:3:10: PP767 the release word@1.0.0 was removed\n"
        "  hint: restore the file, unless nobody requests this version now\n\n"
        "2 packs changed, no version needs to grow\n",
    )


def test_the_first_packs_of_a_repository_are_new(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    write(repository / "more", "fresh", "1.0.0")
    done = run(repository, "diff", "--check", "-p", "more/packs", "-p", "packs")
    assert (done.returncode, done.stdout) == (0, "fresh 1.0.0: new pack\n\n1 pack changed, no version needs to grow\n")
    empty = tmp_path_factory.mktemp("empty")
    git(empty, "init", "-q")
    write(empty, "fresh", "1.0.0")
    assert run(empty, "diff").stdout == done.stdout


def test_a_trial_needs_a_key(repository: Path) -> None:
    write(repository, "word", "1.0.1", *CHANGES["word"])
    (repository / "packs" / "labels.yaml").write_text("labels: {word: {trial: {1.0.0: 1, 1.0.1: 0}}}\n", "utf-8")
    done = run(repository, "diff", "word@trial", "word@1.0.1")
    assert (done.returncode, done.stderr.partition(",")[0]) == (2, "PP746 word@trial is a trial of 2 versions")
    assert "word 1.0.0 → 1.0.1" in run(repository, "diff", "word@trial", "word@1.0.1", "--key", "a").stdout


def test_commits_are_compared_without_the_working_tree(repository: Path) -> None:
    write(repository, "word", "1.0.1", *CHANGES["word"])
    commit(repository)
    write(repository, "enum", "1.0.0", *CHANGES["enum"])
    done = run(repository, "diff", "--from", "HEAD^1", "--to", "HEAD", "--format", "json")
    found = json.loads(done.stdout)
    assert (found["from"], found["to"]) == ("git:HEAD^1:packs", "git:HEAD:packs")
    assert [pack["name"] for pack in found["packs"]] == ["word"]
    assert found["packs"][0]["new"]["files"] == [{"path": "git:HEAD:packs/word/1.0.1.yaml", "locale": ""}]


def test_a_draft_is_compared_with_itself_and_must_exceed_the_last_release(repository: Path) -> None:
    write(repository, "word", "1.0.1-dev", *CHANGES["word"])
    commit(repository)
    write(repository, "word", "1.0.1-dev", *CHANGES["required"])
    done = run(repository, "diff", "--check")
    assert done.returncode == 1
    assert "[-two sentences-]{+one sentence+}" in done.stdout
    assert done.stdout.startswith(
        "word 1.0.1-dev: 1 breaking, 1 cosmetic; too small: needs 2.0.0 since 1.0.0 (major)\n"
    )


def test_the_newest_release_is_the_base_of_the_next_version(repository: Path) -> None:
    write(repository, "word", "1.1.0", *CHANGES["optional"])
    write(repository, "word", "1.2.0", *CHANGES["optional"])
    write(repository, "word", "0.9.0")
    done = run(repository, "diff", "--check")
    assert done.returncode == 0
    titles = [line for line in done.stdout.splitlines() if line.startswith("word")]
    assert titles == [
        "word 0.9.0: new pack",
        "word 1.0.0 → 1.1.0: 1 compatible; needs 1.1.0 (minor)",
        "word 1.1.0 → 1.2.0: no changes",
    ]


def test_a_release_that_changed_through_a_partial(repository: Path) -> None:
    partial = repository / "packs" / "_partials" / "tone.j2"
    partial.parent.mkdir()
    partial.write_text("Be kind.", "utf-8")
    write(repository, "word", "1.0.0", "Be {{ TONE }}.", '{{ TONE }} {% include "tone" %}')
    commit(repository)
    partial.write_text("Be brief.", "utf-8")
    done = run(repository, "diff", "--check")
    assert done.returncode == 1
    assert (
        "packs/word/1.0.0.yaml:3:10: PP728 word@1.0.0 is a release, but has changed; the change needs 1.1.0 (minor), "
        "because of PV308 (partial 'tone' changed)\n"
        "  hint: the change is in a file that it uses, such as a partial or a parent; undo it, and change a copy instead\n"
    ) in done.stdout


def test_comments_and_layout_are_not_changes(repository: Path) -> None:
    path = repository / "packs" / "word" / "1.0.0.yaml"
    path.write_text("# a comment\n" + path.read_text("utf-8"), "utf-8")
    done = run(repository, "diff", "--check")
    assert (done.returncode, done.stdout) == (0, "no pack changed\n")


def test_sides_are_versions_labels_ranges_and_paths_in_any_place(repository: Path) -> None:
    git(repository, "tag", "v1")
    write(repository, "word", "1.0.1", *CHANGES["word"])
    (repository / "packs" / "labels.yaml").write_text("labels: {word: {production: 1.0.0, staging: 1.0.1}}\n", "utf-8")
    with zipfile.ZipFile(repository / "old.zip", "w") as archive:
        archive.write(repository / "packs" / "word" / "1.0.0.yaml", "packs/word/1.0.0.yaml")
    for words in (
        ("word@1.0.0", "word@1.0.1"),
        ("word@production", "word@staging"),
        ("word@=1.0.0", "word"),
        ("packs/word/1.0.0.yaml", "packs/word/1.0.1.yaml"),
        ("word", "word", "--from", "v1"),
        ("word", "word", "--from", "git:v1:packs"),
        ("word", "word", "--from", "old.zip", "--to", "packs"),
        ("packs/word/1.0.0.yaml", "word", "--from", "HEAD"),
    ):
        done = run(repository, "diff", *words)
        assert (done.returncode, done.stderr) == (0, ""), words
        assert done.stdout.startswith("word 1.0.0 → 1.0.1: 1 cosmetic; needs 1.0.1 (patch)\n"), words
    write(repository, "word", "1.0.0", *CHANGES["word"])
    for word in ("word@1.0.0", "packs/word/1.0.0.yaml"):
        assert "a release changed" in run(repository, "diff", word, "--from", "v1").stdout
    done = run(repository, "diff", "word@production", "--from", "v1")
    assert (done.returncode, done.stderr.splitlines()[0]) == (2, "git:v1:packs: PP745 'word' has no label 'production'")


def test_locales_are_compared_together_or_one_at_a_time(repository: Path) -> None:
    path = write(repository, "word", "1.0.0", file="1.0.0.fr")
    path.write_text(path.read_text("utf-8").replace("version: 1.0.0", "version: 1.0.0\nlocale: fr"), "utf-8")
    both = write(repository, "word", "1.0.1", *CHANGES["word"])
    done = run(repository, "diff", "word@1.0.0", "word@1.0.1")
    assert "PV125 locale 'fr' removed (breaking, major)" in done.stdout
    done = run(repository, "diff", "word@1.0.0", "word@1.0.1", "--locale", "fr")
    assert done.returncode == 0
    assert "PV301" in done.stdout
    both.unlink()
    done = run(repository, "diff", "--check")
    assert "packs/word/1.0.0.fr.yaml:4:1: PV126 locale 'fr' added (compatible, minor)" in done.stdout
    assert done.returncode == 1


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("wrd",), "PP701 no pack named 'wrd'\n  hint: did you mean 'word'?\n"),
        (("word@1.0.0", "word@9.0.0"), "PP702 no version of 'word' matches 'word@9.0.0'\n  hint: the library has 1.0.0\n"),
        (("word@9.0.0", "--from", "main"), "git:main:packs: PP702 no version of 'word' matches 'word@9.0.0'\n"),
        (("word@live", "word"), "PP745 'word' has no label 'live'\n"),
        (("word", "enum"), "PP947 'word' and 'enum' are different packs\n  hint: compare two versions of one pack; for a renamed pack, pass the paths of both files\n"),
        (("packs/word/1.0.0.yaml", "enum"), "PP947 word@1.0.0 and enum@1.0.0 are different packs\n"),
        (("--from", "v9"), "PP772 the repository has no revision 'v9'\n"),
        (("--from", "packs"), "PP946 'packs' is a folder and a git revision\n  hint: write ./packs for the folder, or git:packs:packs for the revision\n"),
        (("HEAD",), "PP945 'HEAD' is a git revision, not a pack\n  hint: to compare it with the working tree, run: promptpack diff --from HEAD\n"),
        (("--from", "main", "-p", "none"), "PP704 no folder 'none'\n"),
        (("--from", "main", "-p", "old.zip"), "PP945 'old.zip' has no revision 'main'\n  hint: a revision needs a folder in a git repository\n"),
        (("packs/word/9.0.0.yaml", "--from", "main"), "git:main:packs: PP704 no pack file 'packs/word/9.0.0.yaml'\n"),
        (("--locale", "fr"), "PP945 --locale and --key need two versions to compare\n  hint: name the pack and a version, such as planner@1.0.0\n"),
        (("other/word/1.0.0.yaml", "word", "--from", "./packs"), "PP945 'other' is not in ./packs\n  hint: name the pack instead of its file, or a git revision\n"),
    ],
)  # fmt: skip
def test_bad_input(repository: Path, words: tuple[str, ...], problem: str) -> None:
    git(repository, "branch", "packs")
    done = run(repository, "diff", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(problem), done.stderr


def test_a_folder_that_is_not_in_a_repository(tmp_path: Path) -> None:
    write(tmp_path, "word", "1.0.0")
    done = run(tmp_path, "diff", GIT_CEILING_DIRECTORIES=str(tmp_path.parent))
    assert done.returncode == 2
    assert done.stderr.startswith("PP771 'packs' is not in a git repository: ")


def test_renamed_packs_are_compared_by_their_files(repository: Path) -> None:
    done = run(repository, "diff", "packs/word/1.0.0.yaml", "packs/enum/1.0.0.yaml")
    assert done.returncode == 0
    assert "PV128 name of the pack changed from 'word' to 'enum'" in done.stdout


def test_a_pack_that_is_broken_now_is_never_hidden(repository: Path) -> None:
    path = write(repository, "word", "1.0.0", "{{ TONE }}", "{{ TOME }}")
    done = run(repository, "diff")
    assert done.returncode == 1
    assert done.stdout.startswith(
        "word 1.0.0: cannot be compared, because it is broken\n\npacks/word/1.0.0.yaml:13:13: PP301 "
    )
    path.write_text("promptpack: [", "utf-8")
    done = run(repository, "diff", "--format", "json")
    assert (done.returncode, json.loads(done.stdout)["packs"][0]["status"]) == (1, "broken")
    done = run(repository, "diff", "word@1.0.0", "--from", "HEAD")
    assert done.returncode == 1
    assert "packs/word/1.0.0.yaml:" in done.stderr


def test_a_pack_that_was_broken_before_is_a_warning(repository: Path) -> None:
    path = write(repository, "word", "1.0.0", "{{ TONE }}", "{{ TOME }}")
    commit(repository)
    path.write_text(path.read_text("utf-8").replace("TOME", "TONE"), "utf-8")
    done = run(repository, "diff", "--check")
    assert done.returncode == 0
    assert "git:HEAD:packs/word/1.0.0.yaml:13:13: PP301 " in done.stdout
    assert (
        "packs/word/1.0.0.yaml:3:10: PP766 word@1.0.0 cannot be compared, because the old side is broken\n"
        "  hint: read the new file itself, and choose its version\n"
    ) in done.stdout


def test_the_log_lists_versions_with_classes_bumps_and_labels(repository: Path) -> None:
    write(repository, "word", "1.0.1", *CHANGES["required"])
    write(repository, "word", "2.0.0", *CHANGES["word"])
    write(repository, "word", "2.1.0-dev", *CHANGES["word"])
    labels = "labels: {word: {production: 1.0.1, live: production, trial: {1.0.1: 1, 2.0.0: 1}}}\n"
    (repository / "packs" / "labels.yaml").write_text(labels, "utf-8")
    done = run(repository, "log", "word")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "2.1.0-dev  draft                             equal     minor, needs none       no changes\n"
        "2.0.0      release  trial                    breaking  major, needs major      1 breaking, 1 cosmetic\n"
        "1.0.1      release  production, live, trial  breaking  patch, but needs major  1 breaking\n"
        "1.0.0      release                           first\n"
    )
    rows = json.loads(run(repository, "log", "word", "--format", "json").stdout)
    assert [row["version"] for row in rows] == ["2.1.0-dev", "2.0.0", "1.0.1", "1.0.0"]
    assert rows[2]["labels"] == ["production", "live", "trial"]
    assert (rows[2]["class"], rows[2]["required_bump"], rows[2]["declared_bump"]) == ("breaking", "major", "patch")


def test_the_log_of_a_broken_version_and_of_no_pack(repository: Path) -> None:
    write(repository, "word", "1.1.0", "{{ TONE }}", "{{ TOME }}")
    done = run(repository, "log", "word")
    assert done.returncode == 1
    assert done.stdout.startswith("1.1.0  release  broken\n")
    assert done.stderr.startswith("packs/word/1.1.0.yaml:13:13: PP301 ")
    done = run(repository, "log", "wrd")
    assert (done.returncode, done.stderr) == (2, "PP701 no pack named 'wrd'\n  hint: did you mean 'word'?\n")
    done = run(repository, "log", "word@1.0.0")
    assert (done.returncode, done.stderr) == (2, "PP945 'word@1.0.0' is a single version\n  hint: write word\n")


def test_texts_of_packs_do_not_control_the_terminal(repository: Path) -> None:
    write(repository, "word", "1.0.0", "in one sentence", "in \u202e\u2066 sentence")
    for form in ("text", "json", "github", "markdown", "html"):
        assert "\u202e" not in run(repository, "diff", "--format", form).stdout
