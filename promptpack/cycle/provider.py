"""The interface to a model: any object with these two methods is a provider."""

from typing import Protocol

from promptpack.cycle.request import Completion, Request


class Provider(Protocol):
    """Send a request once and return the whole answer; raise `ProviderError` on failure, the cycle does the retries.

    With `request.stream`, also pass the text to `request.on_delta` piece by piece as it arrives.
    """

    def complete(self, request: Request) -> Completion:
        """Send the request and wait for the answer."""
        ...

    async def acomplete(self, request: Request) -> Completion:
        """Send the request and await the answer."""
        ...
