"""Where the values of strict JSON stand: one quick pass for replies that the compiled parser has read."""

import json
import re

from promptpack.reply.tree import escape

_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[{}\[\],:]|[^\s{}\[\],:"]+')

Places = dict[str, tuple[int, int]]


def strict_places(text: str, start: int, end: int) -> Places:
    """Give the span of every value under its pointer; the text is known to be strict JSON."""
    places: Places = {}
    # One entry an open container: its pointer, its start, and the index of the next item or -1 in an object.
    stack: list[tuple[str, int, int]] = []
    path, key = "", ""
    for match in _TOKEN.finditer(text, start, end):
        piece = match[0]
        if piece in "{[":
            stack.append((path, match.start(), -1 if piece == "{" else 0))
            path = f"{path}/0"
        elif piece in "}]":
            path, opened, _ = stack.pop()
            places[path] = (opened, match.end())
        elif piece == ":":
            path = f"{stack[-1][0]}/{escape(key)}"
        elif piece == ",":
            path = _next_item(stack)
        elif stack and stack[-1][2] < 0 and not path:
            key = json.loads(piece) if "\\" in piece else piece[1:-1]
        else:
            places[path] = (match.start(), match.end())
        if piece in ("{", ",") and stack[-1][2] < 0:
            path = ""
    return places


def _next_item(stack: list[tuple[str, int, int]]) -> str:
    """Step to the next item of a list; in an object the path waits for its key."""
    path, opened, index = stack[-1]
    if index < 0:
        return ""
    stack[-1] = (path, opened, index + 1)
    return f"{path}/{index + 1}"
