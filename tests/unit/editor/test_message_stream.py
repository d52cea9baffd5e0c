"""The stream of an editor's messages ends at a broken header, before anything is read for it."""

from io import BytesIO

import pytest

from promptpack.editor.message_stream import MessageStream


def lines_of(data: bytes) -> tuple[list[bytes], bool]:
    """Return the lines and messages before the end, and whether the stream is broken."""
    stream = MessageStream(BytesIO(data))
    found = []
    while line := stream.readline():
        found.append(line)
        if line == b"\r\n":
            found.append(stream.read(2))
    return found, stream.is_broken


def test_messages_are_read_as_they_are() -> None:
    message = b"Content-Length: 2\r\nContent-Type: x; charset=utf-8\r\n\r\n{}"
    expected = [b"Content-Length: 2\r\n", b"Content-Type: x; charset=utf-8\r\n", b"\r\n", b"{}"]
    assert lines_of(message * 2) == (expected * 2, False)


@pytest.mark.parametrize(
    "data",
    [
        b"Content-Length: -5\r\n\r\n{}",
        b"Content-Length: abc\r\n\r\n{}",
        b"Content-Length: 0\r\n\r\n{}",
        b"Content-Length: 99999999999999999999\r\n\r\n{}",
        b"Content-Length: 17000000\r\n\r\n{}",
        b"Content-Length: 2\n\n{}",
        b"\r\n{}",
        b"{}Content-Length: 2\r\n",
        b"a" * 5_000,
        bytes(range(256)),
    ],
)
def test_a_broken_header_ends_the_stream(data: bytes) -> None:
    assert lines_of(data) == ([], True)


def test_each_message_needs_its_own_length() -> None:
    assert lines_of(b"Content-Length: 2\r\n\r\n{}X: 1\r\n\r\n{}") == (
        [b"Content-Length: 2\r\n", b"\r\n", b"{}", b"X: 1\r\n"],
        True,
    )
