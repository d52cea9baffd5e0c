"""The digest of a pack: one hash over everything that decides what is rendered and how replies are judged."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any


def digest(resolved: Mapping[str, Any]) -> str:
    """Hash the canonical form: keys sorted, no white space, so order, comments and line endings do not matter."""
    canonical = json.dumps(resolved, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=list)
    return "sha256:" + hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()
