"""The page of changes is in step with the catalogue, and every code has a test of its full text."""

from pathlib import Path

from promptpack.versions.catalogue import CHANGES, write_page
from tests.unit.versions.change_cases import CASES

_PAGE = Path(__file__).parents[2] / "docs" / "reference" / "changes.md"


def test_the_page_is_in_step_with_the_catalogue() -> None:
    assert _PAGE.read_text("utf-8") == write_page()


def test_every_code_has_a_case() -> None:
    # No pack has a change that nothing explains; `test_changes.py` makes one.
    assert [case.code for case in CASES] == [code for code in CHANGES if code != "PV399"]
