"""Labels name exact versions, trials split keys, and a moving label never mixes versions."""

import pickle
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from promptpack import Library, PackError, UsageError, hook, lint
from promptpack.observation import RenderStarted

WritePack = Callable[..., Path]
Open = Callable[..., Library]
TRIAL = "labels:\n  demo:\n    trial: {1.0.0: 90, 1.1.0: 10}\n"


def say(text: str) -> str:
    return f"messages:\n  - {{role: user, content: {text!r}}}\n"


@pytest.fixture
def label(tmp_path: Path, write_pack: WritePack) -> Callable[[str], Path]:
    """Write two versions and a file of labels."""
    write_pack(body=say("one"))
    write_pack(version="1.1.0", body=say("two"))

    def write(text: str) -> Path:
        path = tmp_path / "packs" / "labels.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


Write = Callable[[str], Path]


def test_a_label_is_an_exact_version(label: Write, open_packs: Open) -> None:
    label("labels:\n  demo: {production: 1.0.0, staging: 1.1.0, beta: staging}\n")
    library = open_packs()
    assert library.problems == ()
    assert [library.get(f"demo@{name}").label for name in ("production", "staging", "beta")] == [
        "demo@1.0.0", "demo@1.1.0", "demo@1.1.0",
    ]  # fmt: skip
    pack = library.get("demo@production")
    assert pack == library.get("demo@1.0.0")
    assert pack.requested_label == "production"
    assert pack is library.get("demo@production")
    assert library.get("demo@1.0.0").requested_label == ""
    assert [one.label for one in library.select("demo@beta")[0]] == ["demo@1.1.0"]


def test_a_label_survives_pickling_and_storing(label: Write, open_packs: Open) -> None:
    label("labels:\n  demo: {production: 1.0.0}\n")
    library = open_packs()
    pack = library.get("demo@production")
    assert pickle.loads(pickle.dumps(pack)).requested_label == "production"  # noqa: S301 -- our own bytes
    assert pickle.loads(pickle.dumps(library)).get("demo@production") == pack  # noqa: S301 -- our own bytes
    row = pack.render().to_dict()
    assert (row["pack"], row["label"]) == ("demo@1.0.0", "production")
    assert library.restore(row).pack.requested_label == "production"
    assert library.restore({**row, "pack": "demo@production"}).pack.label == "demo@1.0.0"


def test_extends_follows_a_label(label: Write, write_pack: WritePack, open_packs: Open) -> None:
    path = label("labels:\n  demo: {production: 1.0.0}\n")
    write_pack(name="child", body="extends: demo@production\n")
    library = open_packs()
    assert library.get("child").render().to_text() == library.get("demo@1.0.0").render().to_text()
    path.write_text("labels:\n  demo: {production: 1.1.0}\n")
    report = library.reload()
    assert [str(one) for one in report.changed] == ["child@1.0.0"]
    assert report.library.get("child").render().messages[0].text == "two"


def test_extends_refuses_a_trial(label: Write, write_pack: WritePack, open_packs: Open) -> None:
    label(TRIAL)
    write_pack(name="child", body="extends: demo@trial\n")
    with pytest.raises(PackError, match="PP231 demo@trial is a trial of 2 versions, and needs a key"):
        open_packs().get("child")


def test_a_trial_needs_a_key(label: Write, open_packs: Open) -> None:
    label(TRIAL)
    library = open_packs()
    with pytest.raises(UsageError) as raised:
        library.get("demo@trial")
    assert str(raised.value) == (
        "PP746 demo@trial is a trial of 2 versions, and needs a key\n"
        "  hint: pass key= (a command: --key), such as the id of the user: each key gets the same version every time"
    )
    with pytest.raises(UsageError, match="PP746 the key of demo@trial is of type 'int', not text"):
        library.get("demo@trial", key=7)  # type: ignore[arg-type]
    assert {pack.label for pack in library.select("demo@trial")[0]} == {"demo@1.0.0", "demo@1.1.0"}


_DRAW = """
import hashlib, sys
from promptpack import Library
labels = Library.open(sys.argv[1])._labels
drawn = [str(labels.choose("demo", "trial", f"user-{n}")) for n in range(100_000)]
print(drawn.count("1.1.0"), hashlib.sha256("".join(drawn).encode()).hexdigest())
"""


def test_a_trial_splits_keys_by_weight_and_identically_in_every_process(label: Write, tmp_path: Path) -> None:
    path = label(TRIAL)

    def draw() -> list[str]:
        command = [sys.executable, "-c", _DRAW, str(tmp_path / "packs")]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()

    first = draw()
    assert abs(int(first[0]) / 100_000 - 0.1) < 0.005
    path.write_text(TRIAL.replace("{1.0.0: 90, 1.1.0: 10}", "{1.1.0: 0.1, 1.0.0: 0.9}"))
    assert draw() == first  # neither the order nor the sum of the weights matters


def test_a_larger_share_moves_no_key_back(label: Write, open_packs: Open) -> None:
    path = label(TRIAL)
    keys = [f"user-{number}" for number in range(2000)]
    labels = open_packs()._labels
    before = [labels.choose("demo", "trial", key) for key in keys]
    path.write_text(TRIAL.replace("90", "50").replace("10}", "50}"))
    labels = open_packs()._labels
    after = [labels.choose("demo", "trial", key) for key in keys]
    moved = Counter((str(old), str(new)) for old, new in zip(before, after, strict=True) if old != new)
    assert set(moved) == {("1.0.0", "1.1.0")}


def test_a_version_without_a_share_is_never_chosen(label: Write, open_packs: Open) -> None:
    label("labels: {demo: {trial: {1.0.0: 0, 1.1.0: 1}}}\n")
    labels = open_packs()._labels
    assert {str(labels.choose("demo", "trial", str(number))) for number in range(200)} == {"1.1.0"}


def test_an_unknown_label_is_a_problem(label: Write, open_packs: Open) -> None:
    label("labels: {demo: {production: 1.0.0}}\n")
    library = open_packs()
    with pytest.raises(UsageError) as raised:
        library.get("demo@prodution")
    assert str(raised.value) == "PP745 'demo' has no label 'prodution'\n  hint: did you mean 'production'?"
    with pytest.raises(UsageError, match="PP701 no pack named 'nope'"):
        library.get("nope@production")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("labels: {demo: {a: b, b: a}}\n", "packs/labels.yaml:1:20: PP743 labels of 'demo' form a cycle: a -> b -> a"),
        (
            "labels: {demo: {a: c}}\n",
            "packs/labels.yaml:1:20: PP744 label 'a' names 'c', which is not a label of 'demo'",
        ),
        ("labels: {demo: {a: 3.0.0}}\n", "PP744 label 'a' names demo@3.0.0, which does not exist"),
        ("labels: {dem: {a: 1.0.0}}\n", "packs/labels.yaml:1:10: PP744 label 'a': no pack named 'dem'"),
        ("labels: {demo: {A: 1.0.0}}\n", "packs/labels.yaml:1:17: PP742"),
        ("labels: {demo: {a: 01.0.0}}\n", "packs/labels.yaml:1:20: PP742 '01.0.0' is not a version"),
        ("labels: {demo: {a: {1.0.0: 0}}}\n", "PP742 no version of the trial 'a' has a weight above 0"),
        ("labels: {demo: {a: {1.0.0: -1}}}\n", "PP742"),
        ("labels: {demo: {a: {1.0.0: .nan}}}\n", "PP"),
        ("labels: {demo: {a: 1.0}}\n", "PP742"),
        ("labels: [demo]\n", "PP742"),
        ("nope: 1\n", "PP742"),
        ("- a\n", "PP742"),
        ("labels: {demo: &a {b: *a}}\n", "packs/labels.yaml:1:"),
        ("labels: " + "{a: " * 200 + "1" + "}" * 200 + "\n", "packs/labels.yaml"),
        ("labels: {demo: {a: 1.0.0, a: 1.1.0}}\n", "packs/labels.yaml:1:"),
        ("<<<<<<< HEAD\nlabels: {}\n", "packs/labels.yaml:1:"),
        ("x" * 1_000_001, "PP102"),
    ],
)
def test_bad_labels_are_located_problems(label: Write, open_packs: Open, text: str, problem: str) -> None:
    label(text)
    library = open_packs()
    assert any(problem in str(one) for one in library.problems), library.problems
    assert all(one.location is not None for one in library.problems)
    assert library.get("demo").label == "demo@1.1.0"
    with pytest.raises((PackError, UsageError)):
        library.get("demo@a")


def test_linked_labels_are_refused(label: Write, open_packs: Open, tmp_path: Path) -> None:
    path = label("labels: {demo: {a: 1.0.0}}\n")
    path.rename(tmp_path / "elsewhere.yaml")
    path.symlink_to(tmp_path / "elsewhere.yaml")
    with pytest.raises(PackError, match=r"PP122 'labels.yaml' is a symbolic link"):
        open_packs().get("demo@a")


@pytest.mark.parametrize("broken", ["labels: [", "labels: {demo: {a: 7.0.0}}\n", "labels: {demo: {a: a}}\n"])
def test_a_reload_keeps_the_last_good_labels(label: Write, open_packs: Open, broken: str) -> None:
    path = label("labels: {demo: {a: 1.0.0}}\n")
    library = open_packs()
    path.write_text(broken)
    report = library.reload()
    assert report.library.get("demo@a").label == "demo@1.0.0"
    assert [one.location.path for one in report.problems if one.location] == ["packs/labels.yaml"]
    path.write_text("labels: {demo: {a: 1.1.0}}\n")
    fixed = report.library.reload()
    assert fixed.problems == ()
    assert fixed.library.get("demo@a").label == "demo@1.1.0"


def test_labels_that_are_gone_stay_for_the_grace_period(label: Write, open_packs: Open) -> None:
    now = [0.0]
    path = label("labels: {demo: {a: 1.0.0}}\n")
    library = open_packs(grace=5, clock=lambda: now[0])
    path.unlink()
    held = library.reload().library
    assert held.get("demo@a").label == "demo@1.0.0"
    now[0] = 6
    with pytest.raises(UsageError, match="PP745"):
        held.reload().library.get("demo@a")


def test_every_prompt_is_one_version_while_the_label_moves(label: Write, open_packs: Open) -> None:
    path = label("labels: {demo: {production: 1.0.0}}\n")
    holder = [open_packs()]
    wrong: list[object] = []
    done = threading.Event()
    seen = threading.local()
    rendered = Counter[str]()
    texts = {"1.0.0": "one", "1.1.0": "two"}

    def listen(event: object) -> None:
        if isinstance(event, RenderStarted):
            seen.pack = event.pack

    def render() -> None:
        while not done.is_set():
            prompt = holder[0].get("demo@production").render()
            named = seen.pack
            if texts[named.version] != prompt.messages[0].text or named.label != "production":
                wrong.append((named, prompt.messages))
            rendered[named.version] += 1
            time.sleep(0.002)  # leave time to the thread that moves the label

    unsubscribe = hook.subscribe(listen)
    try:
        threads = [threading.Thread(target=render) for _ in range(8)]
        for thread in threads:
            thread.start()
        for move in range(1000):
            path.write_text(f"labels: {{demo: {{production: 1.{move % 2}.0}}}}\n")
            holder[0] = holder[0].reload().library
        done.set()
        for thread in threads:
            thread.join()
    finally:
        done.set()
        unsubscribe()
    assert wrong == []
    assert set(rendered) == {"1.0.0", "1.1.0"}


def test_more_tests_in_a_file_are_not_a_pack(write_pack: WritePack, open_packs: Open, tmp_path: Path) -> None:
    write_pack(body=say("hi"))
    tests = tmp_path / "packs" / "demo" / "1.0.0.tests.yaml"
    tests.write_text("tests:\n  - name: greets\n    expect: {contains: [hi]}\n")
    library = open_packs()
    assert [entry.file for entry in library.entries] == ["demo/1.0.0.yaml"]
    assert [test.name for test in library.get("demo").tests] == ["greets"]
    tests.write_text("tests:\n  - name: greets\n    expects: {contains: [hi]}\n")
    with pytest.raises(PackError) as raised:
        open_packs().get("demo")
    assert str(raised.value).startswith("packs/demo/1.0.0.tests.yaml:3:5: PP759 unknown key 'expects'")
    tests.write_text("tests:\n  - {name: a}\n  - {name: a}\n")
    with pytest.raises(PackError, match=r"tests.yaml:3:12: PP206 name 'a' is used twice in 'tests'"):
        open_packs().get("demo")


@pytest.mark.parametrize(
    ("file", "problem"),
    [
        ("demo/2.0.0.tests.yaml", "PP759 there is no pack demo/2.0.0.yaml that these tests belong to"),
        ("labels.yml", "PP742 this file is not read\n  hint: rename it to labels.yaml"),
    ],
)
def test_a_file_that_nothing_reads_is_a_problem(
    write_pack: WritePack, open_packs: Open, tmp_path: Path, file: str, problem: str
) -> None:
    write_pack(body=say("hi"))
    (tmp_path / "packs" / file).write_text("tests: []\n")
    assert [f"packs/{file}: {problem}" in str(one) for one in open_packs().problems] == [True]
    assert [f"packs/{file}: {problem}" in str(one) for one in lint(["packs"], select=["PL001"]).problems] == [True]
