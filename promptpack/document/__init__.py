"""Text -> `Document`, by `parse.parse`: YAML as plain data, with the position of every key and value."""

from promptpack.document.model import Document, DocumentLimits
from promptpack.document.parse import normalize, parse, parse_cached, read_json, restore

__all__ = ["Document", "DocumentLimits", "normalize", "parse", "parse_cached", "read_json", "restore"]
