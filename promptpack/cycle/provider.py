"""The one door to a model: whatever has these two methods is a provider."""

from typing import Protocol

from promptpack.cycle.request import Completion, Request


class Provider(Protocol):
    """Sends a request once and gives the whole answer; retries are the cycle's work, failures a `ProviderError`.

    With `request.stream`, the text also goes to `request.on_delta` piece by piece as it arrives.
    """

    def complete(self, request: Request) -> Completion:
        """Ask the model and wait."""
        ...

    async def acomplete(self, request: Request) -> Completion:
        """Ask the model and await."""
        ...
