"""A language server in its own process: every answer is awaited with one deadline, and the process is always ended."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Any

from lsprotocol import types
from pygls.protocol import default_converter
from pytest_lsp import LanguageClient
from pytest_lsp.client import DEFAULT_CLIENT_FEATURES, register_lsp_features
from pytest_lsp.protocol import LanguageClientProtocol

# In seconds. Only a server that never answers gets here, however busy the machine is.
DEADLINE = 120.0

IsAwaited = Callable[[types.PublishDiagnosticsParams], bool]


class _Protocol(LanguageClientProtocol):
    async def send_request_async(self, method: str, params: Any = None, msg_id: Any = None) -> Any:
        async with asyncio.timeout(DEADLINE):
            return await super().send_request_async(method, params, msg_id)  # type: ignore[no-untyped-call]


class ServerClient(LanguageClient):
    """A client that waits for the diagnostics of one document."""

    def __init__(self) -> None:
        super().__init__(converter_factory=default_converter, protocol_cls=_Protocol)
        self._published: dict[str, types.PublishDiagnosticsParams] = {}

        def publish(params: types.PublishDiagnosticsParams) -> None:
            self._published[params.uri] = params

        register_lsp_features(self, {**DEFAULT_CLIENT_FEATURES, types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS: publish})

    async def wait_for_diagnostics(self, uri: str, is_awaited: IsAwaited = lambda _: True) -> list[types.Diagnostic]:
        """Return the diagnostics of a document, as soon as they are the awaited ones."""
        async with asyncio.timeout(DEADLINE):
            while uri not in self._published or not is_awaited(self._published[uri]):
                await self.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        return list(self._published[uri].diagnostics)

    async def ask(self, method: str, params: Any, msg_id: str | None = None) -> Any:
        """Return the result of a request that is not part of the protocol."""
        return await self.protocol.send_request_async(method, params, msg_id)  # type: ignore[no-untyped-call]


@asynccontextmanager
async def start_server(
    command: Sequence[str], params: types.InitializeParams, settings: Any = None
) -> AsyncIterator[ServerClient]:
    """Start a server and its session; end the session afterwards, and the process even if that fails."""
    client = ServerClient()
    client.set_configuration(settings or {})
    await client.start_io(*command)
    try:
        await client.initialize_session(params)
        yield client
        async with asyncio.timeout(DEADLINE):
            await client.shutdown_session()
    finally:
        await _end(client)


def start_pack_server() -> AbstractAsyncContextManager[ServerClient]:
    """Start `promptpack lsp`."""
    params = types.InitializeParams(capabilities=types.ClientCapabilities(), process_id=None)
    return start_server([sys.executable, "-m", "promptpack", "lsp"], params)


async def _end(client: ServerClient) -> None:
    process = client._server
    assert process is not None
    with suppress(ProcessLookupError):
        if process.returncode is None:
            process.kill()
    async with asyncio.timeout(DEADLINE):
        await client.stop()  # type: ignore[no-untyped-call]
        if client._stderr_forwarder is not None:
            await asyncio.gather(client._stderr_forwarder, return_exceptions=True)
        # Pipes that are still open when the event loop closes are warnings, and warnings are errors.
        await process.communicate()
