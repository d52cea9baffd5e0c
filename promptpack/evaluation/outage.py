"""`Outage`: whether a server fails so often that further calls are pointless."""

from typing import Final

from promptpack.cycle import ProviderError

# The server rejects the key or the account, so every further call would fail too.
_REJECTED: Final = "PP602"
_MAX_FAILURES_IN_A_ROW: Final = 10


class Outage:
    """Counts the calls in a row that failed."""

    def __init__(self) -> None:
        self._in_a_row = 0

    def note_answer(self) -> None:
        """Note that the server answered."""
        self._in_a_row = 0

    def note_failure(self, error: ProviderError) -> str:
        """Note a call that failed after all retries; return why to stop, or an empty text."""
        self._in_a_row += 1
        if error.problems[0].code == _REJECTED:
            return "the server rejects the key or the account"
        return f"{self._in_a_row} calls in a row failed" if self._in_a_row >= _MAX_FAILURES_IN_A_ROW else ""
