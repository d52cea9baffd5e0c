"""The digest of a pack: one hash of everything that determines what it renders and how it checks replies."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

RENDERING_RULES: Final = 1
"""The version of the texts that promptpack itself writes into prompts; raise it when one of them changes."""
# Values that are printed unchanged, so the order of all their keys is visible in the prompt.
_PRINTED: Final = frozenset(("arguments", "const", "default", "enum", "example", "slots"))
# Maps names to schemas; the order of the names is visible as the order of the fields in `reply_format`.
_ORDERED: Final = "properties"


def digest(resolved: Mapping[str, Any]) -> str:
    """Return the hash of the canonical form: no white space, keys sorted wherever their order is not visible."""
    return "sha256:" + hashlib.sha256(write_canonical(resolved).encode("utf-8", "surrogatepass")).hexdigest()


def write_canonical(value: Any, under: str = "") -> str:
    """Return the canonical form of a value below the key `under`; equal forms mean that the digest is the same."""
    return json.dumps(_canonicalize(value, under), ensure_ascii=False, separators=(",", ":"))


def _canonicalize(value: Any, under: str = "") -> Any:
    if type(value) is str or under in _PRINTED:
        return value
    if isinstance(value, Mapping):
        keys = value if under == _ORDERED else sorted(value)
        return {key: _canonicalize(value[key], "" if under == _ORDERED else key) for key in keys}
    return [_canonicalize(item) for item in value] if isinstance(value, list | tuple) else value
