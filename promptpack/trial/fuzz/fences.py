"""Find text outside the fences of a message, as a reader of Markdown sees them."""

import re
from collections.abc import Iterator

_LINE_END = re.compile("\r\n|\r|\n")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")


def text_outside_fences(text: str) -> str:
    """Return the lines of a text outside all fences."""
    return "\n".join(line for fence, line in _iterate_lines(text) if not fence)


def find_fence(text: str, part: str) -> str:
    """Return the marks of the fence around a part of a text; empty if there is none."""
    return next((fence for fence, line in _iterate_lines(text) if part in line), "")


def _iterate_lines(text: str) -> Iterator[tuple[str, str]]:
    """Yield each line except fences, with the marks of the fence around it."""
    fence = ""
    for line in _LINE_END.split(text):
        found = _FENCE.fullmatch(line)
        if fence and found is not None and found[1].startswith(fence) and not found[2].strip():
            fence = ""
        elif not fence and found is not None and not (found[1][0] == "`" and "`" in found[2]):
            fence = found[1]
        else:
            yield fence, line
