"""The messages of an editor as a stream that ends at an invalid header, because the rest cannot be parsed."""

import re
from typing import BinaryIO, Final

_MAX_LINE: Final = 1_000
_MAX_MESSAGE: Final = 16_000_000
_HEADER: Final = re.compile(rb"([\w-]+): ([^\r\n]+)\r\n")


class MessageStream:
    """Reads headers and messages for the language server; `is_broken` after a header that is not valid."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._length = 0
        self.is_broken: bool = False

    def readline(self) -> bytes:
        """Return the next line of a header, or nothing if the stream has ended or is broken."""
        line = self._stream.readline(_MAX_LINE)
        self.is_broken = self.is_broken or not self._is_valid(line)
        return b"" if self.is_broken else line

    def read(self, length: int) -> bytes:
        """Return a message."""
        self._length = 0
        return self._stream.read(length)

    def _is_valid(self, line: bytes) -> bool:
        if line in (b"", b"\r\n"):
            return not line or self._length > 0
        header = _HEADER.fullmatch(line)
        if header is not None and header[1].lower() == b"content-length":
            self._length = int(header[2]) if header[2].isdigit() and len(header[2]) < len(str(_MAX_MESSAGE)) + 1 else 0
            return 0 < self._length <= _MAX_MESSAGE
        return header is not None
