"""One asynchronous client, and so one pool of connections, for each event loop that uses a provider."""

import threading
from collections.abc import AsyncGenerator, Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop


class LoopClients:
    """Opens a client when an event loop first needs one; it is closed when that loop ends, or earlier with `aclose`.

    Open connections belong to one event loop, but a provider may be used from several.
    """

    def __init__(self, open_client: Callable[[], Any]) -> None:
        self._open_client = open_client
        self._lock = threading.Lock()
        self._opened: dict[AbstractEventLoop, tuple[AsyncGenerator[Any, None], Any]] = {}

    async def get(self) -> Any:
        """Return the client of the running loop."""
        import asyncio

        loop = asyncio.get_running_loop()
        with self._lock:
            found = self._opened.get(loop)
        if found is not None:
            return found[1]
        # The loop closes its open generators when it ends (`shutdown_asyncgens`).
        keeper = _keep_open(self._open_client())
        client = await anext(keeper)
        with self._lock:
            for ended in [one for one in self._opened if one.is_closed()]:
                del self._opened[ended]
            self._opened[loop] = keeper, client
        return client

    async def aclose(self) -> None:
        """Close the client of the running loop, and have the other loops close theirs."""
        import asyncio

        with self._lock:
            found = self._opened.pop(asyncio.get_running_loop(), None)
        self.release()
        if found is not None:
            await found[0].aclose()

    def release(self) -> None:
        """Have each loop close its client soon: the loop closes a generator that nobody refers to."""
        with self._lock:
            self._opened.clear()


async def _keep_open(client: Any) -> AsyncGenerator[Any, None]:
    try:
        yield client
    finally:
        await client.close()
