"""Git repositories with packs, the states of their files, and plans that stop after each step."""

import os
import subprocess
from pathlib import Path

from promptpack import Library, files
from promptpack.versions.file_plan import FilePlan

HEAD = "promptpack: 1\nname: {}\nversion: {}\nlocale: {}\ndescription: Says hi.\n"
MESSAGES = "messages:\n  - {role: user, content: Be kind and say hi.}\n"
TESTS = "tests:\n  - {name: more hi, context: {}, expect: {contains: [hi], snapshot: true}}\n"


def write_pack(root: Path, version: str, locale: str = "en", body: str = MESSAGES, name: str = "demo") -> Path:
    """Write a pack file; every locale but `en` is a variant."""
    path = root / "packs" / name / (f"{version}.yaml" if locale == "en" else f"{version}.{locale}.yaml")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(HEAD.format(name, version, locale) + body, encoding="utf-8")
    return path


def write_version(root: Path, version: str) -> None:
    """Write a version in two languages, with tests and snapshots."""
    write_pack(root, version)
    write_pack(root, version, "fr", MESSAGES.replace("say hi", "dis hi"))
    (root / "packs" / "demo" / f"{version}.tests.yaml").write_text(TESTS, encoding="utf-8")
    snapshots = root / "packs" / "demo" / "snapshots"
    snapshots.mkdir(exist_ok=True)
    (snapshots / f"{version}.more-hi.txt").write_text("[user]\nBe kind and say hi.\n", encoding="utf-8")
    (snapshots / f"{version}.fr.more-hi.txt").write_text("[user]\nBe kind and dis hi.\n", encoding="utf-8")


def commit(root: Path) -> None:
    """Commit all files."""
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "x"]):
        subprocess.run([*git, *words], cwd=root, env=environment, check=True)


def state(root: Path) -> dict[str, bytes]:
    """Return all visible files of the packs."""
    found = (path for path in (root / "packs").rglob("*") if path.is_file() and not path.name.startswith("."))
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in found}


def apply_some(plan: FilePlan, count: int) -> None:
    """Carry out the first steps of a plan."""
    for path, text in list(plan.writes.items())[:count]:
        files.write(plan.folder.show(path), text)
    for path in plan.removes[: max(0, count - len(plan.writes))]:
        files.remove(plan.folder.show(path))


def digests() -> dict[tuple[str, str], str]:
    """Return the digest of each pack in the current folder; all of them must be without problems."""
    library = Library.open("packs")
    assert library.problems == ()
    return {(pack.label, pack.locale): pack.digest for pack in library.packs()}
