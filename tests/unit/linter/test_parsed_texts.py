"""Packs that inherit messages share their analysis, and each is still checked with its own inputs and partials."""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType

import pytest

from promptpack import Library, PackError, lint

BASE = "promptpack: 1\nname: base\nversion: 1.0.0\nabstract: true\n"


def write(folder: Path, name: str, text: str) -> None:
    (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / name / "1.0.0.yaml").write_text(text)


def child(name: str, more: str = "") -> str:
    return f"promptpack: 1\nname: {name}\nversion: 1.0.0\nextends: base@1.0.0\n{more}"


def count_calls(work: Callable[[], object]) -> int:
    """Return how many functions a piece of work calls."""
    calls = 0

    def count(_: FrameType, event: str, __: object) -> None:
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return calls


def messages(count: int) -> str:
    return "messages:\n" + "".join(f"  - {{role: user, content: 'm{number} {{{{ 1 }}}}'}}\n" for number in range(count))


def test_packs_share_the_analysis_of_what_they_inherit(tmp_path: Path) -> None:
    write(tmp_path / "few", "base", BASE + messages(100))
    write(tmp_path / "many", "base", BASE + messages(100))
    for number in range(20):
        write(tmp_path / "many", f"child{number}", child(f"child{number}"))
    few, many = (count_calls(partial(lint, [str(tmp_path / root)])) for root in ("few", "many"))
    assert many < 6 * few  # without sharing, 20 times as many


@pytest.mark.parametrize(
    ("text", "most"), [("{% include 'none' %}", 3_000), ("{# promptpack: ignore=PL001 #}hi", 1_000)]
)
def test_packs_share_the_analysis_of_partial_files(tmp_path: Path, text: str, most: int) -> None:
    calls = []
    for files in (5, 105):
        root = tmp_path / str(files)
        (root / "_partials").mkdir(parents=True)
        for number in range(files):
            (root / "_partials" / f"p{number}.j2").write_text(text.replace("none", f"none{number}"))
        for number in range(20):
            body = "partials: {own: hi}\nmessages: [{role: user, content: hi}]\n"
            write(root, f"k{number}", BASE.replace("base", f"k{number}") + body)
        calls.append(count_calls(partial(lint, [str(root)], cache=False)))
    assert (calls[1] - calls[0]) / 100 < most  # for each file more; without sharing, over 11,000 and 1,500


@pytest.mark.parametrize("order", ["ab", "ba"])
@pytest.mark.parametrize(
    ("base", "good", "bad", "code"),
    [
        ("messages: [{role: user, content: '{{ A }}'}]\n", "inputs: {A: {type: string}}\n", "", "PP301"),
        (
            "inputs: {A: {type: object, properties: {x: {type: string}}, additionalProperties: false}}\n"
            "messages: [{role: user, content: '{{ A.x }}'}]\n", "",
            "inputs: {A: {type: object, properties: {y: {type: string}}, additionalProperties: false}}\n", "PL201",
        ),
        (
            "partials: {p: hi}\nmessages: [{role: user, content: '{% include \"p\" %}'}]\n", "",
            "partials: {p: '{{ B }}'}\n", "PP301",
        ),
        ("messages: [{role: user, content: 'hi {A}'}]\n", "", "inputs: {A: {type: string}}\n", "PL028"),
        ("messages: [{history: A}]\n", "inputs: {A: {type: array}}\n", "", "PP301"),
        (
            "inputs: {A: {}}\nmessages: [{role: user, content: hi}]\nreply:\n  actions: {DO: {params: {type: object, properties: {value: {}}}}}\n"
            "  rules:\n  - {name: r, require: A,\n    path: /params/value, message: bad}\n", "",
            "reply: {actions: {DO: {params: {type: object, properties: {valve: {}}, additionalProperties: false}}}}\n",
            "PL201",
        ),
    ],
)  # fmt: skip
def test_each_pack_is_checked_with_its_own_parts(
    tmp_path: Path, base: str, good: str, bad: str, code: str, order: str
) -> None:
    write(tmp_path, "base", BASE + base)
    names = dict(zip(order, ("good", "bad"), strict=True))  # packs are linted by name
    for name, kind in names.items():
        write(tmp_path, name, child(name, good if kind == "good" else bad))
    alone = {}
    for name, kind in names.items():
        alone[kind] = [one for one in lint([str(tmp_path / name)]).problems if one.code == code]
    assert (bool(alone["bad"]), alone["good"]) == (True, [])
    assert [one for one in lint([str(tmp_path)]).problems if one.code == code] == alone["bad"]


@pytest.mark.parametrize("step", [1, -1])
def test_the_length_of_a_chain_does_not_depend_on_the_order(tmp_path: Path, step: int) -> None:
    write(tmp_path, "p0", "promptpack: 1\nname: p0\nversion: 1.0.0\nmessages: [{role: user, content: hi}]\n")
    for number in range(1, 12):
        text = child(f"p{number}").replace("base@1.0.0", f"p{number - 1}@1.0.0")
        write(tmp_path, f"p{number}", text)
    library = Library.open(str(tmp_path), cache=False)
    broken = set()
    for number in range(12)[::step]:
        try:
            library.get(f"p{number}")
        except PackError as error:
            assert [problem.code for problem in error.problems] == ["PP233"]
            broken.add(number)
    assert broken == {8, 9, 10, 11}
