"""`Limits`: how much work and memory a template may use."""

from dataclasses import dataclass
from typing import Final

DEFAULT_INDENT: Final = 2
"""The indent of JSON, unless the pack chooses one line."""


@dataclass(frozen=True)
class Limits:
    """The defaults are far above what a pack needs; an application may set others, a pack may not."""

    steps: int = 1_000_000
    output: int = 4_000_000
    text: int = 4_000_000
    items: int = 200_000
    bits: int = 4_096
    source: int = 200_000
    tokens: int = 10_000
    nodes: int = 15_000
