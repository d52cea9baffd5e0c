"""Author's texts with `{name}` places in them."""

import re
from collections.abc import Mapping
from typing import Final

_PLACE: Final = re.compile(r"\{([a-z_]+)\}")


def fill(text: str, values: Mapping[str, str]) -> str:
    """Put values into their places in one pass, so that a value that looks like a place stays as it is."""
    return _PLACE.sub(lambda place: values.get(place[1], place[0]), text)
