"""`promptpack label`, `--key`, and what lint says about labels."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from promptpack import Library
from promptpack.cli.main import main
from promptpack.library.labels import read
from tests.e2e.conftest import run
from tests.e2e.killing import assert_killed_anywhere_is_whole


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two releases of one pack, the first in two languages."""
    for version, locale in (("1.0.0", "en"), ("1.0.0", "fr"), ("1.1.0", "en"), ("2.0.0-dev", "en")):
        name = f"{version}.yaml" if locale == "en" else f"{version}.{locale}.yaml"
        path = tmp_path / "packs" / "demo" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = f"promptpack: 1\nname: demo\nversion: {version}\nlocale: {locale}\ndescription: Says hi.\n"
        path.write_text(f"{text}messages:\n  - {{role: user, content: hi {version}}}\n")
    return tmp_path


def test_labels_are_set_listed_and_deleted(folder: Path) -> None:
    assert run(folder, "label").stdout == ""
    done = run(folder, "label", "demo", "production", "1.0.0")
    assert (done.returncode, done.stderr) == (0, "wrote packs/labels.yaml\n")
    path = folder / "packs" / "labels.yaml"
    path.write_text(path.read_text().replace("1.0.0\n", "1.0.0  # since May\n"))
    run(folder, "label", "demo", "trial", "1.0.0=90", "1.1.0=10")
    run(folder, "label", "demo", "production", "1.1.0")
    run(folder, "label", "demo", "beta", "trial")
    assert path.read_text().splitlines()[1:] == [
        "labels:", "  demo:", "    production: 1.1.0  # since May", "    trial: {1.0.0: 90, 1.1.0: 10}", "    beta: trial",
    ]  # fmt: skip
    assert run(folder, "label").stdout == (
        "demo  production  1.1.0\ndemo  trial       1.0.0=90 1.1.0=10\ndemo  beta        trial\n"
    )
    assert '"target": {\n      "1.0.0": 90' in run(folder, "label", "--format", "json").stdout
    assert "hi 1.1.0" in run(folder, "render", "demo@production").stdout
    assert run(folder, "label", "demo", "beta", "--delete").returncode == 0
    assert "beta" not in path.read_text()


def test_a_lock_follows_a_label_that_moved(folder: Path) -> None:
    run(folder, "label", "demo", "production", "1.0.0")
    run(folder, "lock")
    moved = "wrote packs/labels.yaml\npacks/packs.lock has the old labels; run: promptpack lock packs\n"
    assert run(folder, "label", "demo", "production", "1.1.0").stderr == moved
    assert run(folder, "label", "demo", "production", "1.1.0").stderr == "wrote packs/labels.yaml\n"
    assert run(folder, "lock", "--check").returncode == 1
    assert run(folder, "lock", "packs").returncode == 0
    assert run(folder, "lock", "--check").returncode == 0


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("demo", "production", "9.0.0"), "PP930 label 'production' names demo@9.0.0, which does not exist\n  hint: its versions are 1.0.0, 1.1.0, 2.0.0-dev\n"),
        (("demo", "production", "production"), "PP930 labels of 'demo' form a cycle: production -> production"),
        (("demo", "Production", "1.0.0"), "PP930 invalid label 'Production'\n  hint: start with a-z, and use only a-z, 0-9 and '-'\n"),
        (("demo", "trial", "1.0.0", "1.1.0=10"), "PP930 '1.0.0' has no weight\n  hint: write versions with weights, such as 1.0.0=90 1.1.0=10\n"),
        (("demo", "production", "1.0.0 # x"), "PP930 '1.0.0 # x' is neither a version nor a label\n  hint: write an exact version, such as 1.1.0, or another label\n"),
        (("demo", "trial", "{1.0.0=90", "1.1.0=10"), "PP930 '{1.0.0' is neither a version nor a label\n  hint: write an exact version, such as 1.1.0, or another label\n"),
        (("demo", "production", "--delete"), "PP745 'demo' has no label 'production'"),
        (("demo", "production", "1.0.0", "--delete"), "PP930 --delete takes a pack and a label"),
        (("dem", "production", "1.0.0"), "PP701 no pack named 'dem'"),
    ],
)  # fmt: skip
def test_bad_labels_are_refused_and_nothing_is_written(folder: Path, words: tuple[str, ...], problem: str) -> None:
    done = run(folder, "label", *words)
    assert done.returncode == 2
    assert problem in done.stderr
    assert not (folder / "packs" / "labels.yaml").exists()


def test_an_unusual_layout_is_refused(folder: Path) -> None:
    path = folder / "packs" / "labels.yaml"
    text = "labels: {other: &x {p: 1.0.0}, demo: *x}\n"
    path.write_text(text)
    done = run(folder, "label", "demo", "p", "1.1.0")
    assert "PP931 no label can be changed in this layout\n" in done.stderr
    assert (done.returncode, path.read_text()) == (2, text)


def test_shipped_packs_have_no_own_labels(tmp_path: Path) -> None:
    done = run(tmp_path, "label", "planner", "production", "1.0.0")
    assert (done.returncode, "PP930 the labels of the shipped pack 'planner' cannot be changed" in done.stderr) == (
        2,
        True,
    )


def test_every_command_takes_a_label_and_a_key(folder: Path) -> None:
    run(folder, "label", "demo", "trial", "1.0.0=1", "1.1.0=1")
    library = Library.open(str(folder / "packs"))
    for key in ("a", "b", "c"):
        version = library.get("demo@trial", key=key).version
        assert f"hi {version}" in run(folder, "render", "demo@trial", "--key", key).stdout
        assert f"version: {version}" in run(folder, "show", "demo@trial", "--key", key).stdout
    assert "PP746 demo@trial is a trial of 2 versions" in run(folder, "render", "demo@trial").stderr
    assert run(folder, "test", "demo@trial").returncode == 0


def test_lint_reports_labels_at_their_lines(folder: Path) -> None:
    text = "labels:\n  demo:\n    gone: 3.0.0\n    draft: 2.0.0-dev\n    fewer: 1.1.0\n    fine: 1.0.0\n"
    (folder / "packs" / "labels.yaml").write_text(text)
    done = run(folder, "lint", "packs", "--select", "PL001")
    lines = [line for line in done.stdout.splitlines() if line.startswith("packs/labels.yaml")]
    assert lines == [
        "packs/labels.yaml:3:11: PP744 label 'gone' names demo@3.0.0, which does not exist",
        "packs/labels.yaml:4:12: PP748 label 'draft' names demo@2.0.0-dev, a draft that may change",
        "packs/labels.yaml:4:12: PP750 label 'draft' names demo@2.0.0-dev, which has no variant for fr",
        "packs/labels.yaml:5:12: PP750 label 'fewer' names demo@1.1.0, which has no variant for fr",
    ]
    assert done.returncode == 1
    ignored = text.replace("3.0.0", "3.0.0  # promptpack: ignore=PP744 comes soon")
    (folder / "packs" / "labels.yaml").write_text(ignored)
    assert "PP744" not in run(folder, "lint", "packs", "--select", "PL001").stdout
    assert "PP744" not in run(folder, "lint", "packs/labels.yaml", "--select", "PL001").stdout


def test_lint_reports_a_label_of_an_abstract_version(folder: Path) -> None:
    path = folder / "packs" / "demo" / "1.1.0.yaml"
    path.write_text(path.read_text().replace("description", "abstract: true\ndescription"))
    (folder / "packs" / "labels.yaml").write_text("labels: {demo: {production: 1.1.0}}\n")
    found = run(folder, "lint", "packs").stdout
    assert "PP747 label 'production' names demo@1.1.0, which is abstract and cannot be rendered" in found


def test_a_flow_uses_labels_and_trials(folder: Path) -> None:
    run(folder, "label", "demo", "production", "1.0.0")
    run(folder, "label", "demo", "trial", "1.0.0=1", "1.1.0=1")
    flow = folder / "packs" / "flow.yaml"
    flow.write_text("flow: 1\nsteps:\n  first: {pack: demo@production, next: second}\n  second: {pack: demo@trial}\n")
    library = Library.open(str(folder / "packs"))
    opened = library.flow("en", key="a")
    assert opened.packs["first"].label == "demo@1.0.0"
    assert opened.packs["second"] == library.get("demo@trial", key="a")
    bad = folder / "packs" / "demo" / "1.1.0.yaml"
    bad.write_text(bad.read_text().replace("messages:", "inputs: {WHO: {type: string}}\nmessages:"))
    found = run(folder, "lint", "packs").stdout
    assert "PP715 step 'second' has no value for 'WHO', which demo@1.1.0 requires" in found


def test_a_killed_command_leaves_the_old_or_the_new_labels(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(folder, "label", "demo", "production", "1.0.0")
    monkeypatch.chdir(folder)
    assert_killed_anywhere_is_whole(folder / "packs" / "labels.yaml", ["label", "demo", "production", "1.1.0"])


def test_commands_at_the_same_time_lose_no_label(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    run(folder, "label", "demo", "production", "1.0.0")
    start = Barrier(8)

    def set_labels(worker: int) -> None:
        start.wait()
        for number in range(5):
            main(["label", "demo", f"l{worker}-{number}", "1.1.0"], standalone_mode=False)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(set_labels, range(8)))
    found = read((folder / "packs" / "labels.yaml").read_bytes(), "labels.yaml").data["labels"]["demo"]
    assert found == {"production": "1.0.0", **{f"l{w}-{n}": "1.1.0" for w in range(8) for n in range(5)}}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"labels:\r\n  demo:\r\n    p: 1.0.0  # why\r\n", b"labels:\r\n  demo:\r\n    p: 1.1.0  # why\r\n"),
        (b"# a\nlabels: {demo: {a: 1.0.0, p: 1.0.0}} # b", b"# a\nlabels: {demo: {a: 1.0.0, p: 1.1.0}} # b"),
        (b"labels:\n    demo:\n        'p': \"1.0.0\"\n\n# end\n", b"labels:\n    demo:\n        'p': 1.1.0\n\n# end\n"),
        (b"\xef\xbb\xbflabels: {demo: {p: 1.0.0}}\n", b"\xef\xbb\xbflabels: {demo: {p: 1.1.0}}\n"),
        (b"labels:\n  demo:\n    p:\n      1.0.0: 1\n      1.1.0: 2  # half\n    z: 1.0.0\n", b"labels:\n  demo:\n    p: 1.1.0\n    z: 1.0.0\n"),
    ],
)  # fmt: skip
def test_the_layout_stays(folder: Path, before: bytes, after: bytes) -> None:
    path = folder / "packs" / "labels.yaml"
    path.write_bytes(before)
    assert run(folder, "label", "demo", "p", "1.1.0").returncode == 0
    assert path.read_bytes() == after


def test_a_pack_may_have_a_thousand_labels(folder: Path) -> None:
    names = [f"a-rather-long-label-{number}" for number in range(1_000)]
    rows = "".join(
        f"    {name}: {'1.1.0' if number == 0 else names[number - 1]}\n" for number, name in enumerate(names)
    )
    (folder / "packs" / "labels.yaml").write_text(f"labels:\n  demo:\n{rows}")
    library = Library.open(str(folder / "packs"))
    assert library.get(f"demo@{names[-1]}").label == "demo@1.1.0"
    assert library.problems == ()


def test_lint_reports_labels_that_are_not_a_file(folder: Path) -> None:
    path = folder / "packs" / "labels.yaml"
    path.symlink_to(folder / "nowhere")
    assert "packs/labels.yaml: PP122 'labels.yaml' is a symbolic link" in run(folder, "lint", "packs").stdout
    path.unlink()
    path.mkdir()
    assert "packs/labels.yaml: PP123 is not a regular file" in run(folder, "lint", "packs").stdout
