"""Text -> `Document`: YAML as plain data, with the position of every key and value."""

from promptpack.document.model import Document, DocumentLimits
from promptpack.document.parse import parse, read_json, restore

__all__ = ["Document", "DocumentLimits", "parse", "read_json", "restore"]
