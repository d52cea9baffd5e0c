"""Limits on how fast requests are sent: requests and tokens per minute, and the pauses that a server asks for."""

import asyncio

from promptpack.cycle import Clock

_MINUTE = 60.0


class Pace:
    """Spaces requests evenly, without bursts; shared by all conversations of an evaluation."""

    def __init__(self, clock: Clock, requests_per_minute: float | None, tokens_per_minute: float | None) -> None:
        self._clock = clock
        self._request_gap = _MINUTE / requests_per_minute if requests_per_minute else 0.0
        self._token_gap = _MINUTE / tokens_per_minute if tokens_per_minute else 0.0
        self._next_request = self._next_token = self._resumes = 0.0
        self._turn = asyncio.Lock()

    async def wait(self, tokens: int) -> None:
        """Wait for the turn of a request with this many tokens; `correct_tokens` corrects the number later."""
        async with self._turn:
            now = self._clock.now()
            while (start := max(self._next_request, self._next_token, self._resumes)) > now:
                await self._clock.asleep(start - now)
                now = self._clock.now()
            self._next_request = now + self._request_gap
            self._next_token = max(now, self._next_token) + tokens * self._token_gap

    def correct_tokens(self, estimated: int, used: int) -> None:
        """Correct the tokens of a request, now that the server has counted them."""
        self._next_token += (used - estimated) * self._token_gap

    def pause(self, seconds: float) -> None:
        """Send nothing for this many seconds, because the server asked for it."""
        self._resumes = max(self._resumes, self._clock.now() + seconds)
