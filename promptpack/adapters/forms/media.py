"""Types of media: by the extension of a file name, and the short words that some APIs use for them."""

from typing import Final

_BY_SUFFIX: Final = {
    "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp",
    "heic": "image/heic", "heif": "image/heif", "bmp": "image/bmp", "svg": "image/svg+xml",
    "wav": "audio/wav", "mp3": "audio/mp3", "flac": "audio/flac", "ogg": "audio/ogg", "m4a": "audio/m4a",
    "pdf": "application/pdf", "txt": "text/plain", "md": "text/markdown", "csv": "text/csv", "html": "text/html",
    "json": "application/json",
    "doc": "application/msword",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xls": "application/vnd.ms-excel",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}  # fmt: skip
_SUFFIXES: Final = {media_type: suffix for suffix, media_type in reversed(_BY_SUFFIX.items())}


def guess_media_type(address: str) -> str:
    """Return the media type of a file name or a URL, or an empty text."""
    path = address.split("?", maxsplit=1)[0].split("#", maxsplit=1)[0]
    return _BY_SUFFIX.get(path.rpartition(".")[2].lower(), "")


def suffix_of(media_type: str) -> str:
    """Return the usual file extension of a media type, or an empty text."""
    return _SUFFIXES.get(media_type, "jpg" if media_type == "image/jpg" else "")
