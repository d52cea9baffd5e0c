"""Arithmetic of versions, also before 1.0.0 and with drafts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptpack.library.choosing import parse_reference
from promptpack.pack.version import Version, parse_version
from promptpack.versions.bumps import is_enough, next_version, required_version
from promptpack.versions.change import BUMPS, Bump

_VERSIONS = st.builds(
    Version, st.integers(0, 3), st.integers(0, 3), st.integers(0, 3), st.sampled_from([(), ("dev",), ("rc", "1")])
)


def _version(text: str) -> Version:
    found = parse_version(text)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("version", "bump", "expected"),
    [
        ("1.2.3", "none", "1.2.3"), ("1.2.3", "patch", "1.2.4"), ("1.2.3", "minor", "1.3.0"), ("1.2.3", "major", "2.0.0"),
        ("0.2.3", "patch", "0.2.4"), ("0.2.3", "minor", "0.3.0"), ("0.2.3", "major", "1.0.0"),
        ("1.2.4-dev", "none", "1.2.4-dev"), ("1.2.4-dev", "patch", "1.2.4"), ("1.2.4-dev", "minor", "1.3.0"),
        ("1.3.0-dev", "patch", "1.3.0"), ("1.3.0-dev", "minor", "1.3.0"), ("1.3.0-rc.1", "major", "2.0.0"),
        ("2.0.0-dev", "major", "2.0.0"), ("2.0.0-dev", "patch", "2.0.0"),
    ],
)  # fmt: skip
def test_the_next_version(version: str, bump: Bump, expected: str) -> None:
    assert str(next_version(_version(version), bump)) == expected


@pytest.mark.parametrize(
    ("version", "bump", "expected"),
    [
        ("1.2.3", "minor", "1.3.0"), ("0.2.3", "none", "0.2.3"), ("0.2.3", "patch", "0.2.4"),
        ("0.2.3", "minor", "0.2.4"), ("0.2.3", "major", "0.3.0"), ("0.0.3", "major", "0.1.0"),
        ("0.3.0-dev", "major", "0.3.0"), ("0.2.4-dev", "minor", "0.2.4"), ("0.2.4-dev", "major", "0.3.0"),
    ],
)  # fmt: skip
def test_before_one_the_second_number_counts_breaking_changes(version: str, bump: Bump, expected: str) -> None:
    assert str(required_version(_version(version), bump)) == expected


@pytest.mark.parametrize(
    ("old", "new", "bump", "expected"),
    [
        ("1.0.0", "1.0.0", "none", True), ("1.0.0", "1.0.0", "patch", False), ("1.0.0", "1.0.1", "patch", True),
        ("1.0.0", "1.0.1", "minor", False), ("1.0.0", "1.1.0-dev", "minor", True), ("1.0.0", "2.0.0-dev", "major", True),
        ("1.0.0", "1.9.0", "major", False), ("1.1.0", "1.0.0", "none", False), ("0.2.0", "0.3.0", "major", True),
        ("1.1.0-dev", "1.1.0-dev", "minor", True), ("1.1.0-dev", "1.1.0", "major", False),
    ],
)  # fmt: skip
def test_whether_a_version_is_enough(old: str, new: str, bump: Bump, expected: bool) -> None:
    assert is_enough(_version(old), _version(new), bump) is expected


@given(_VERSIONS, _VERSIONS, st.sampled_from(BUMPS))
def test_the_required_version_is_the_smallest_release_that_is_enough(old: Version, new: Version, bump: Bump) -> None:
    required = required_version(old, bump)
    assert is_enough(old, required, bump)
    assert is_enough(old, next_version(old, bump), bump)
    if is_enough(old, new, bump):
        assert new >= required or new.is_draft


@given(_VERSIONS)
def test_a_caret_range_does_not_accept_a_version_that_breaks(old: Version) -> None:
    release = next_version(old, "patch") if old.is_draft else old
    assert not parse_reference(f"planner@^{release}").accepts(required_version(release, "major"))
