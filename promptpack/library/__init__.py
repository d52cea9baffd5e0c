"""Folders of packs -> `Library`, by `library.Library.open`: finds packs by name, version range and locale."""

from promptpack.library.entry import Listed
from promptpack.library.library import Library

__all__ = ["Library", "Listed"]
