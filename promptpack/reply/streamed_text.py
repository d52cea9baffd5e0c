"""A streamed string: the part that is certain while it grows, and the whole text at its end."""

import re
from functools import lru_cache

from promptpack.reply.escapes import LATEX_WORDS, decode

_decode = lru_cache(1_000)(decode)
ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[0-9a-fA-F]{4}|u[0-9a-fA-F]{4}|u\{[0-9a-fA-F]{1,6}\}|x[0-9a-fA-F]{2}|U[0-9a-fA-F]{8}|[^u])",
    re.DOTALL,
)
# Signs that may be outside the string, if its last quote is lost at the end of the line.
_SIGNS = r"[,，;；}\]]{1,3}[^\S\n]{0,8}"
# Backslashes of a path or of LaTeX: a later backslash may show that they are literal.
_UNCERTAIN = re.compile(rf"\\\\|(?<=(?<![A-Za-z])[A-Za-z]:)\\|\\(?:{LATEX_WORDS})(?![a-z])|(?:{_SIGNS})?\n")
# The end of a piece may be the start of such a word, or such signs.
_OPEN_END = re.compile(rf"(?:(?<!\\)\\(?:[bfnrt][a-z]{{0,9}}|x[0-9a-fA-F]?|U[0-9a-fA-F]{{0,7}})|{_SIGNS})\Z")


class StreamedText:
    """The body of a string, added in pieces that end between escapes."""

    def __init__(self) -> None:
        self._raw: list[str] = []
        self._shown: list[str] = []
        self._waiting = self._before = ""
        self._is_certain = True

    def add(self, piece: str) -> None:
        """Append a piece."""
        self._raw.append(piece)
        if not self._is_certain:
            return
        piece = self._waiting + piece
        open_end = _OPEN_END.search(piece, max(0, len(piece) - 12))
        end = open_end.start() if open_end else len(piece)
        self._waiting = piece[end:]
        self._show(piece[:end])

    def _show(self, piece: str) -> None:
        whole = self._before + piece
        uncertain = _UNCERTAIN.search(whole, len(self._before)) if "\\" in piece or "\n" in piece else None
        if uncertain is not None:
            self._is_certain = False
            piece = whole[len(self._before) : uncertain.start()]
        self._shown.append(ESCAPE.sub(_decoded, piece))
        self._before = whole[-3:]

    def certain(self) -> str:
        """Return the start of the text that no later piece can change."""
        text = "".join(self._shown)
        self._shown = [text]
        return text

    def whole(self) -> str:
        """Return the whole text, once its end is known."""
        return decode("".join(self._raw))


def _decoded(found: re.Match[str]) -> str:
    return _decode(found[0])
