"""The names of sources of packs that are not folders on this disk."""

import re

_KINDS = ("git:", "package:")
_ARCHIVES = (".zip", ".whl")
_USER = re.compile(r"://[^/]*@")


def is_source(text: str) -> bool:
    """Return whether a text names a git revision, an installed package or a URL; `./git:x` is a path."""
    return text.startswith(_KINDS) or "://" in text or "::" in text


def is_archive(text: str) -> bool:
    """Return whether a path has the name of a zip file or wheel; no file has a name with a NUL."""
    return text.lower().endswith(_ARCHIVES) and "\0" not in text


def without_credentials(text: str) -> str:
    """Return a URL, or a path below one, without user names, passwords and query strings."""
    return _USER.sub("://", re.split(r"[?#]", text, maxsplit=1)[0]) if "://" in text else text
