"""Text -> `Document`: YAML as plain data that remembers the place of every key and value."""

from promptpack.document.model import Document, Limits
from promptpack.document.parse import parse, read_json, restore

__all__ = ["Document", "Limits", "parse", "read_json", "restore"]
