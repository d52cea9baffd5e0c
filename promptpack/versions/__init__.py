"""Two packs -> `Comparison`, by `compare.compare`: the differences, and the version that they need."""

from promptpack.versions.bumps import is_enough, next_version, required_version
from promptpack.versions.change import Bump, Change, Comparison
from promptpack.versions.compare import compare
from promptpack.versions.word_diff import WordDiff, diff_words

__all__ = [
    "Bump",
    "Change",
    "Comparison",
    "WordDiff",
    "compare",
    "diff_words",
    "is_enough",
    "next_version",
    "required_version",
]
