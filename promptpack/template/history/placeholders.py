"""Fill the `{name}` placeholders in the texts of a pack author."""

import re
from collections.abc import Mapping
from typing import Final

_PLACEHOLDER: Final = re.compile(r"\{([a-z_]+)\}")


def fill(text: str, values: Mapping[str, str]) -> str:
    """Fill placeholders in one pass, so that a value that looks like a placeholder stays unchanged."""
    return _PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), text)
