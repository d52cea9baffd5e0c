"""What the providers through an official SDK share: clients, streams, and the way of a call, waiting or awaiting."""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing
from types import TracebackType
from typing import Any, ClassVar, Protocol, Self, TypeVar

from promptpack.cycle.providers.sdk_errors import Translated, failure, load
from promptpack.cycle.request import Completion, Request

Result = TypeVar("Result")


class Gathering(Protocol):
    """A streamed answer as it comes together."""

    def add(self, chunk: Any) -> str:
        """Take the next piece and give the text that is new in it."""
        ...

    def completion(self) -> Completion:
        """Give the whole, or say that the end is missing."""
        ...


class SdkProvider(ABC):
    """A provider through an SDK; its own clients never retry, because the cycle does and tells.

    Without `base_url` and `api_key` the SDK looks into its environment variables. A `client` or `async_client` of the
    caller's is used as it is and never closed.
    """

    package: ClassVar[str]
    client_names: ClassVar[tuple[str, str]]

    def __init__(
        self,
        model: str = "",
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        client: Any = None,
        async_client: Any = None,
    ) -> None:
        self.model = model
        self._sdk = load(self.package)
        self._options = {"base_url": base_url, "api_key": api_key, "max_retries": 0}
        self._own_client = client is None
        self._async_client = async_client
        with Translated(self._sdk, api_key):
            self._client = self._open(0) if client is None else client

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        if self._own_client:
            self._client.close()

    def complete(self, request: Request) -> Completion:
        """Ask the model and wait."""
        with self._translated():
            answer = self.create(self._client, self.write(request))
        if not request.stream:
            return self._understand(self.read, answer)
        gathering = self.gather()
        with answer:
            for chunk in self._pieces(answer):
                _tell(request, self._understand(gathering.add, chunk))
        return gathering.completion()

    async def acomplete(self, request: Request) -> Completion:
        """Ask the model and await; without an `async_client` each call has a connection of its own."""
        if self._async_client is not None:
            return await self._ask(self._async_client, request)
        with self._translated():
            own = self._open(1)
        # Kept connections belong to one event loop, and a provider may be used from several.
        async with own as client:
            return await self._ask(client, request)

    async def _ask(self, client: Any, request: Request) -> Completion:
        with self._translated():
            answer = await self.create(client, self.write(request))
        if not request.stream:
            return self._understand(self.read, answer)
        gathering = self.gather()
        async with answer, aclosing(self._apieces(answer)) as chunks:
            async for chunk in chunks:
                _tell(request, self._understand(gathering.add, chunk))
        return gathering.completion()

    def _pieces(self, answer: Any) -> Iterator[Any]:
        # Only what the SDK raises is translated, never what is raised by those who are told.
        with self._translated():
            yield from answer

    async def _apieces(self, answer: Any) -> AsyncGenerator[Any, None]:
        with self._translated():
            async for chunk in answer:
                yield chunk

    def _understand(self, read: Callable[[Any], Result], said: Any) -> Result:
        try:
            return read(said)
        except (AttributeError, IndexError, KeyError, TypeError) as error:
            # The SDKs do not check what a server sends, so it may have any shape.
            raise failure("PP608", self.package, f"a part of it is missing ({error})") from error

    def _open(self, kind: int) -> Any:
        return getattr(self._sdk, self.client_names[kind])(**self._options)

    def _translated(self) -> Translated:
        key = getattr(self._client, "api_key", None)
        return Translated(self._sdk, key if isinstance(key, str) else None)

    @abstractmethod
    def create(self, client: Any, arguments: dict[str, Any]) -> Any:
        """Call the SDK's method, of a client of either kind."""

    @abstractmethod
    def write(self, request: Request) -> dict[str, Any]:
        """Write the arguments of that method."""

    @abstractmethod
    def read(self, answer: Any) -> Completion:
        """Read a whole answer."""

    @abstractmethod
    def gather(self) -> Gathering:
        """Begin to read a streamed answer."""


def _tell(request: Request, text: str) -> None:
    if text and request.on_delta is not None:
        request.on_delta(text)
