"""Plain data -> YAML text, as a person would write it."""

from typing import Any, Final

import yaml

# Long texts stay on one line.
_WIDTH: Final = 10**6


class _BlockDumper(yaml.SafeDumper):
    """Writes texts of several lines as blocks."""

    def represent_text(self, text: str) -> yaml.ScalarNode:
        """Return the node of a text."""
        return self.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_BlockDumper.add_representer(str, _BlockDumper.represent_text)


def dump(data: Any, *, ascii_only: bool = False) -> str:
    """Return data as YAML in block style; with `ascii_only`, all other characters are escaped."""
    return yaml.dump(data, Dumper=_BlockDumper, allow_unicode=not ascii_only, sort_keys=False, width=_WIDTH)
