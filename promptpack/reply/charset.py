"""Decode bytes as UTF-8, or as the encoding that a byte order mark names."""

import codecs

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def decode_reply(raw: str | bytes) -> str:
    """Return the text of a reply; raise `UnicodeDecodeError` for bytes that are not text."""
    if isinstance(raw, str):
        return raw
    encoding = next((name for mark, name in _MARKS if raw.startswith(mark)), "utf-8")
    return bytes(raw).decode(encoding)
