"""The shared part of providers that use an official SDK: clients, streams, synchronous and asynchronous calls."""

import threading
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import aclosing
from functools import partial
from types import TracebackType
from typing import Any, ClassVar, Protocol, Self, TypeVar

from promptpack.cycle.provider import Completion, Request
from promptpack.cycle.providers.loop_clients import LoopClients
from promptpack.cycle.providers.sdk_errors import SdkErrorTranslator, import_sdk, provider_error
from promptpack.problem import Problem, UsageError

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

    `model` is the default model. Without `base_url` and `api_key` the SDK reads its environment variables. A `client`
    or `async_client` passed by the caller is used unchanged and never closed; with an `async_client`, no other client
    is opened unless a synchronous call needs one. Asynchronous calls share one pool of connections for each event loop.

    Use it with `with` or `async with`, or call `close` or `aclose`. A pool is also closed when its event loop ends.
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
        _require_sendable(api_key)
        self.model = model
        self._sdk = import_sdk(self.package)
        options = {"base_url": base_url, "api_key": api_key, "max_retries": 0}
        self._open_client, open_async_client = (
            partial(_open_client, self._sdk, name, options) for name in self.client_names
        )
        self._owns_client = client is None
        self._async_client = async_client
        self._loop_clients = LoopClients(open_async_client)
        self._lock = threading.Lock()
        # Opened at once, so that a missing key is reported here.
        self._client = self._open_client() if client is None and async_client is None else client

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.model!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

    def close(self) -> None:
        """Close the connections; those of event loops are closed by their loops, soon."""
        self._loop_clients.release()
        if self._owns_client and self._client is not None:
            self._client.close()

    async def aclose(self) -> None:
        """Close the connections, and wait until those of the running event loop are closed."""
        await self._loop_clients.aclose()
        self.close()

    def complete(self, request: Request) -> Completion:
        """Send the `request` and wait for the answer."""
        client = self._sync_client()
        with self._translate_errors(client):
            answer = self._create(client, self._write(request))
        if not request.stream:
            return self._read_safely(self._read, answer)
        accumulator = self._start_stream()
        with answer:
            for chunk in self._chunks(client, answer):
                _emit_delta(request, self._read_safely(accumulator.add, chunk))
        return accumulator.completion()

    async def acomplete(self, request: Request) -> Completion:
        """Send the `request` and await the answer."""
        client = await self._loop_clients.get() if self._async_client is None else self._async_client
        with self._translate_errors(client):
            answer = await self._create(client, self._write(request))
        if not request.stream:
            return self._read_safely(self._read, answer)
        accumulator = self._start_stream()
        async with answer, aclosing(self._achunks(client, answer)) as chunks:
            async for chunk in chunks:
                _emit_delta(request, self._read_safely(accumulator.add, chunk))
        return accumulator.completion()

    def _sync_client(self) -> Any:
        with self._lock:
            if self._client is None:
                self._client = self._open_client()
            return self._client

    def _chunks(self, client: Any, answer: Any) -> Iterator[Any]:
        # Translate only errors of the SDK, not those of the `on_delta` callback.
        with self._translate_errors(client):
            yield from answer

    async def _achunks(self, client: Any, answer: Any) -> AsyncGenerator[Any, None]:
        with self._translate_errors(client):
            async for chunk in answer:
                yield chunk

    def _read_safely(self, read: Callable[[Any], Result], value: Any) -> Result:
        try:
            return read(value)
        except (AttributeError, IndexError, KeyError, TypeError) as error:
            # The SDKs do not validate answers, so they may have any shape.
            raise provider_error("PP608", self.package, f"part of it is missing ({error})") from error

    def _translate_errors(self, client: Any) -> SdkErrorTranslator:
        key = getattr(client, "api_key", None)
        return SdkErrorTranslator(self._sdk, key if isinstance(key, str) else None)

    @abstractmethod
    def _create(self, client: Any, arguments: dict[str, Any]) -> Any:
        """Call the SDK method of a synchronous or asynchronous client."""

    @abstractmethod
    def _write(self, request: Request) -> dict[str, Any]:
        """Return the arguments of that method."""

    @abstractmethod
    def _read(self, answer: Any) -> Completion:
        """Read an answer that was not streamed."""

    @abstractmethod
    def _start_stream(self) -> StreamAccumulator:
        """Return an empty accumulator for a streamed answer."""


def _require_sendable(key: str | None) -> None:
    """Refuse an API key that no HTTP header can contain; the message does not show it."""
    if key is not None and not (key.isascii() and key.isprintable()):
        hint = "copy it again, without line ends and without quotes around it"
        raise UsageError(Problem("PP616", "the API key contains a character that API keys never contain", None, hint))


def _open_client(sdk: Any, name: str, options: Mapping[str, Any]) -> Any:
    with SdkErrorTranslator(sdk, options["api_key"]):
        return getattr(sdk, name)(**options)


def _emit_delta(request: Request, text: str) -> None:
    if text and request.on_delta is not None:
        request.on_delta(text)
