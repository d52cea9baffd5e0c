"""Find text outside the fences of a message, as a reader of Markdown sees them."""

import re
from collections.abc import Iterator

_LINE_END = re.compile("\r\n|\r|\n")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")


def text_outside_fences(text: str) -> str:
    """Return the lines of a text that stand in no fence."""
    return "\n".join(_iterate_outside(text))


def _iterate_outside(text: str) -> Iterator[str]:
    fence = ""
    for line in _LINE_END.split(text):
        found = _FENCE.fullmatch(line)
        if not fence:
            is_opening = found is not None and not (found[1][0] == "`" and "`" in found[2])
            if found is not None and is_opening:
                fence = found[1]
            else:
                yield line
        elif found is not None and found[1].startswith(fence) and not found[2].strip():
            fence = ""
