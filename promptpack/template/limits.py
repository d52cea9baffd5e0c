"""What a template may use up, as an application sets it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """No honest pack comes near these; an application may set others, a pack may not."""

    steps: int = 1_000_000
    output: int = 4_000_000
    text: int = 4_000_000
    items: int = 200_000
    bits: int = 4_096
    source: int = 200_000
    tokens: int = 10_000
