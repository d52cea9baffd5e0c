"""Folders of packs -> `Library`: finds packs by name, version range and locale."""

from promptpack.library.library import Library, Listed

__all__ = ["Library", "Listed"]
