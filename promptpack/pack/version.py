"""SemVer versions of packs; drafts sort before their release."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import total_ordering

_NUMBER = r"(0|[1-9]\d{0,8})"
_VERSION = re.compile(rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?\Z", re.ASCII)


@total_ordering
@dataclass(frozen=True)
class Version:
    """A version; with a pre-release part, it is a draft."""

    major: int
    minor: int
    patch: int
    pre: tuple[str, ...] = ()

    @property
    def is_draft(self) -> bool:
        """Whether the pack may still change under this version."""
        return bool(self.pre)

    def __str__(self) -> str:
        number = f"{self.major}.{self.minor}.{self.patch}"
        return f"{number}-{'.'.join(self.pre)}" if self.pre else number

    def __lt__(self, other: Version) -> bool:
        return self._key() < other._key()

    def _key(self) -> tuple[int, int, int, bool, tuple[tuple[bool, int, str], ...]]:
        # SemVer: numbers before words, a release after its drafts. Numbers stay texts, so length decides first.
        pre = tuple((not part.isdigit(), len(part) if part.isdigit() else 0, part) for part in self.pre)
        return self.major, self.minor, self.patch, not self.pre, pre


def parse_version(text: str) -> Version | None:
    """Return the version in a text, or None if the text is not a version."""
    found = _VERSION.match(text)
    if found is None:
        return None
    return Version(int(found[1]), int(found[2]), int(found[3]), tuple(found[4].split(".")) if found[4] else ())
