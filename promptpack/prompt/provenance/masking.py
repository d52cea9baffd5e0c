"""Hide secrets in pieces of a text, also those that reach over several pieces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

from promptpack.prompt.secrets import HIDDEN, Secrets


def hide_secrets(pieces: Sequence[str], secret: Sequence[bool], secrets: Secrets) -> list[str]:
    """Return the pieces with `***` instead of secret pieces, and instead of every secret in the others."""
    text = "".join(pieces)
    hidden = _find(text, secrets)
    if not hidden and not any(secret):
        return list(pieces)
    starts = accumulate(map(len, pieces), initial=0)
    return [
        HIDDEN if is_secret else "".join(_show(text, hidden, start, start + len(piece)))
        for start, piece, is_secret in zip(starts, pieces, secret, strict=False)
    ]


def _find(text: str, secrets: Secrets) -> list[tuple[int, int]]:
    """Return where secrets are, without overlaps."""
    found = []
    for form in secrets.key:
        start = text.find(form)
        while start >= 0:
            found.append((start, start + len(form)))
            start = text.find(form, start + 1)
    joined: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if joined and start < joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined


def _show(text: str, hidden: Sequence[tuple[int, int]], start: int, end: int) -> Iterator[str]:
    for first, last in hidden:
        if last <= start or first >= end:
            continue
        yield text[start : max(first, start)]
        yield HIDDEN
        start = min(last, end)
    yield text[start:end]
