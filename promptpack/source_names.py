"""The names of sources of packs that are not folders on this disk."""

_KINDS = ("git:", "package:")
_ARCHIVES = (".zip", ".whl")


def is_source(text: str) -> bool:
    """Return whether a text names a git revision, an installed package or a URL; `./git:x` is a path."""
    return text.startswith(_KINDS) or "://" in text or "::" in text


def is_archive(text: str) -> bool:
    """Return whether a path has the name of a zip file or wheel."""
    return text.lower().endswith(_ARCHIVES)
