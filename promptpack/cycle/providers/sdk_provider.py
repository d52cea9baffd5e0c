"""The shared part of providers that use an official SDK: clients, streams, synchronous and asynchronous calls."""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing
from types import TracebackType
from typing import Any, ClassVar, Protocol, Self, TypeVar

from promptpack.cycle.provider import Completion, Request
from promptpack.cycle.providers.sdk_errors import SdkErrorTranslator, import_sdk, provider_error

Result = TypeVar("Result")


class StreamAccumulator(Protocol):
    """Collects the chunks of a streamed answer."""

    def add(self, chunk: Any) -> str:
        """Add the next chunk and return its text."""
        ...

    def completion(self) -> Completion:
        """Return the whole answer; raise `ProviderError` if its end is missing."""
        ...


class SdkProvider(ABC):
    """A provider that uses an SDK; its clients never retry because the cycle retries and emits an event.

    Without `base_url` and `api_key` the SDK reads its environment variables. A `client` or `async_client` passed by
    the caller is used unchanged and never closed.
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
        self._sdk = import_sdk(self.package)
        self._options = {"base_url": base_url, "api_key": api_key, "max_retries": 0}
        self._owns_client = client is None
        self._async_client = async_client
        with SdkErrorTranslator(self._sdk, api_key):
            self._client = self._open(0) if client is None else client

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        if self._owns_client:
            self._client.close()

    def complete(self, request: Request) -> Completion:
        """Send the request and wait for the answer."""
        with self._translate_errors():
            answer = self.create(self._client, self.write(request))
        if not request.stream:
            return self._read_safely(self.read, answer)
        accumulator = self.start_stream()
        with answer:
            for chunk in self._chunks(answer):
                _emit_delta(request, self._read_safely(accumulator.add, chunk))
        return accumulator.completion()

    async def acomplete(self, request: Request) -> Completion:
        """Send the request and await the answer; without an `async_client` each call opens a new connection."""
        if self._async_client is not None:
            return await self._send(self._async_client, request)
        with self._translate_errors():
            new_client = self._open(1)
        # Open connections belong to one event loop, but a provider may be used from several.
        async with new_client as client:
            return await self._send(client, request)

    async def _send(self, client: Any, request: Request) -> Completion:
        with self._translate_errors():
            answer = await self.create(client, self.write(request))
        if not request.stream:
            return self._read_safely(self.read, answer)
        accumulator = self.start_stream()
        async with answer, aclosing(self._achunks(answer)) as chunks:
            async for chunk in chunks:
                _emit_delta(request, self._read_safely(accumulator.add, chunk))
        return accumulator.completion()

    def _chunks(self, answer: Any) -> Iterator[Any]:
        # Translate only errors of the SDK, not those of the `on_delta` callback.
        with self._translate_errors():
            yield from answer

    async def _achunks(self, answer: Any) -> AsyncGenerator[Any, None]:
        with self._translate_errors():
            async for chunk in answer:
                yield chunk

    def _read_safely(self, read: Callable[[Any], Result], value: Any) -> Result:
        try:
            return read(value)
        except (AttributeError, IndexError, KeyError, TypeError) as error:
            # The SDKs do not validate answers, so they may have any shape.
            raise provider_error("PP608", self.package, f"part of it is missing ({error})") from error

    def _open(self, kind: int) -> Any:
        return getattr(self._sdk, self.client_names[kind])(**self._options)

    def _translate_errors(self) -> SdkErrorTranslator:
        key = getattr(self._client, "api_key", None)
        return SdkErrorTranslator(self._sdk, key if isinstance(key, str) else None)

    @abstractmethod
    def create(self, client: Any, arguments: dict[str, Any]) -> Any:
        """Call the SDK method of a synchronous or asynchronous client."""

    @abstractmethod
    def write(self, request: Request) -> dict[str, Any]:
        """Return the arguments of that method."""

    @abstractmethod
    def read(self, answer: Any) -> Completion:
        """Read an answer that was not streamed."""

    @abstractmethod
    def start_stream(self) -> StreamAccumulator:
        """Return an empty accumulator for a streamed answer."""


def _emit_delta(request: Request, text: str) -> None:
    if text and request.on_delta is not None:
        request.on_delta(text)
