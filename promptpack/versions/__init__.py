"""Two packs, and what differs between them."""

from promptpack.versions.change import Bump, Change, Comparison
from promptpack.versions.compare import compare
from promptpack.versions.word_diff import WordDiff, diff_words

__all__ = ["Bump", "Change", "Comparison", "WordDiff", "compare", "diff_words"]
