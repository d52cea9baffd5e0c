"""The spans of values in strict JSON, computed on demand."""

import re
from json import JSONDecoder

from promptpack.reply.syntax_tree import escape

Offsets = tuple[int, int]

_BEFORE_KEY = re.compile(r'[ \t\r\n,]*+"')
_BEFORE_VALUE = re.compile(r"[ \t\r\n]*+:[ \t\r\n]*+")
_BEFORE_ITEM = re.compile(r"[ \t\r\n,]*+(?!\])")
_DECODER = JSONDecoder()


class StrictSpans:
    """The spans in a text that is strict JSON; only the containers on the path to a value are parsed."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self._text = text
        self._spans: dict[str, Offsets] = {"": (start, end)}
        self._opened: set[str] = set()

    def get(self, path: str) -> Offsets | None:
        """Return the span of the value at a path, or None."""
        if path not in self._spans:
            keys = path.split("/")
            for depth in range(1, len(keys)):
                self._open("/".join(keys[:depth]))
        return self._spans.get(path)

    def _open(self, path: str) -> None:
        if path in self._opened or path not in self._spans:
            return
        self._opened.add(path)
        opener = self._text[self._spans[path][0]]
        if opener == "{":
            self._open_object(path)
        elif opener == "[":
            self._open_list(path)

    def _open_object(self, path: str) -> None:
        position = self._spans[path][0] + 1
        while key := _BEFORE_KEY.match(self._text, position):
            name, position = _DECODER.raw_decode(self._text, key.end() - 1)
            colon = _BEFORE_VALUE.match(self._text, position)
            position = self._place(f"{path}/{escape(name)}", colon.end() if colon else position)

    def _open_list(self, path: str) -> None:
        position, index = self._spans[path][0] + 1, 0
        while before := _BEFORE_ITEM.match(self._text, position):
            position = self._place(f"{path}/{index}", before.end())
            index += 1

    def _place(self, path: str, start: int) -> int:
        _, end = _DECODER.raw_decode(self._text, start)
        self._spans[path] = (start, end)
        return end


ValueSpans = dict[str, Offsets] | StrictSpans
"""The spans of values by pointer."""
