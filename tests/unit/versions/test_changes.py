"""Every change has its code, its text, its location and a proof: `changes.txt` has all of them."""

from pathlib import Path

import pytest

from promptpack import Library
from promptpack.versions.sides import ComparisonMeter, read_side
from promptpack.versions.unclassified_changes import find_unclassified
from tests.unit.versions.change_cases import CASES, FULL, HEAD, MORE, Case, compare_case, describe

_FILE = Path(__file__).with_name("changes.txt")


def _read() -> dict[str, str]:
    sections = (section.partition("\n") for section in _FILE.read_text("utf-8").split("=== ")[1:])
    return {name: text.rstrip("\n") for name, _, text in sections}


@pytest.mark.parametrize("case", [*CASES, *MORE], ids=lambda case: case.code.replace(" ", "-"))
def test_the_full_text_of_a_change(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = compare_case(case, tmp_path)
    assert "\n".join(map(describe, found.changes)) == _read()[case.code]
    assert case in MORE or case.code in {change.code for change in found.changes}


def test_unexplained_changes_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "packs" / "demo" / "1.0.0.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(HEAD + FULL, "utf-8")
    old = read_side(Library.open("packs").get("demo"), ComparisonMeter())
    new = old._replace(content={**old.content, "promptpack": 2})
    assert list(find_unclassified(old, old, ())) == []
    assert "\n".join(map(describe, find_unclassified(old, new, ()))) == (
        "packs/demo/1.0.0.yaml:1:1: PV399 'promptpack' changed in a way that promptpack cannot classify\n"
        "  TEXT breaking major promptpack: it cannot be classified, so it counts as breaking"
    )
