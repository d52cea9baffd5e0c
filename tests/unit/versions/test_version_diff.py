"""Differences of versions: declared bumps, and the version that precedes another."""

from collections.abc import Callable
from pathlib import Path

import pytest

from promptpack import Library
from promptpack.pack.version import parse_version
from promptpack.versions.version_diff import VersionDiff, declared_bump
from promptpack.versions.version_side import find_predecessor, list_versions


@pytest.mark.parametrize(
    ("old", "new", "bump"),
    [
        ("1.0.0", "2.0.0", "major"), ("1.9.0", "2.0.0-dev", "major"), ("1.0.0", "1.1.0", "minor"),
        ("1.0.0", "1.0.1-dev", "patch"), ("1.0.0-dev", "1.0.0", "none"), ("1.0.0", "1.0.0", "none"),
    ],
)  # fmt: skip
def test_the_first_number_that_differs_is_declared(old: str, new: str, bump: str) -> None:
    before, after = parse_version(old), parse_version(new)
    assert before is not None
    assert after is not None
    assert declared_bump(before, after) == bump


def test_the_release_before_a_version_precedes_it(
    write_pack: Callable[..., Path], open_packs: Callable[..., Library]
) -> None:
    for version in ("0.1.0-dev", "0.2.0-dev", "1.0.0", "1.1.0-dev", "1.1.0", "2.0.0-alpha", "2.0.0-dev"):
        write_pack(version=version)
    known = list_versions(open_packs())["demo"]
    found = {str(version): find_predecessor(version, known) for version in known}
    assert {version: str(side.version) if side else None for version, side in found.items()} == {
        "0.1.0-dev": None, "0.2.0-dev": "0.1.0-dev", "1.0.0": "0.2.0-dev", "1.1.0-dev": "1.0.0", "1.1.0": "1.0.0",
        "2.0.0-alpha": "1.1.0", "2.0.0-dev": "1.1.0",
    }  # fmt: skip


def test_a_difference_without_a_base_needs_no_version() -> None:
    diff = VersionDiff("demo", "added", None, None)
    assert (diff.required, diff.declared, diff.is_too_small, diff.bump) == (None, None, False, "none")
