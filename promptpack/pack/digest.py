"""The digest of a pack: one hash over everything that decides what is rendered and how replies are judged."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

# Values that are printed as they stand, so the order of the keys anywhere in them shows in the prompt.
_PRINTED: Final = frozenset(("arguments", "const", "default", "enum", "example", "slots"))
# Mappings from names whose order shows, as it is that of the fields in `reply_format`; what they hold is schemas.
_LISTED: Final = "properties"


def digest(resolved: Mapping[str, Any]) -> str:
    """Hash the canonical form: keys are sorted wherever their order does not show, and there is no white space."""
    canonical = json.dumps(_canonical(resolved), ensure_ascii=False, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


def _canonical(value: Any, under: str = "") -> Any:
    if type(value) is str or under in _PRINTED:
        return value
    if isinstance(value, Mapping):
        keys = value if under == _LISTED else sorted(value)
        return {key: _canonical(value[key], "" if under == _LISTED else key) for key in keys}
    return [_canonical(item) for item in value] if isinstance(value, list | tuple) else value
