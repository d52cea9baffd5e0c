"""The connections of providers: one pool for each event loop, reused by its calls and closed with it."""

import asyncio
import gc
import threading
import time
from collections.abc import Callable

import openai
import pytest

from promptpack.cycle.providers.sdk_provider import SdkProvider
from promptpack.prompt.message import Message
from promptpack.providers import AnthropicProvider, OpenAIProvider, Request
from tests.e2e.loopback import Answer, Loopback, Received, anthropic_answer, openai_answer

pytestmark = pytest.mark.usefixtures("no_certificates")
REQUEST = Request("", (Message("user", "hi"),), timeout=30.0)
KINDS = pytest.mark.parametrize("kind", [OpenAIProvider, AnthropicProvider])


@pytest.fixture(autouse=True)
def _no_settings_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "ANTHROPIC_BASE_URL",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def answer(received: Received) -> Answer:
    if received.path.endswith("/messages"):
        return anthropic_answer([{"type": "text", "text": "yes"}])
    return openai_answer("yes")


def connect(kind: type[SdkProvider], server: Loopback) -> SdkProvider:
    base_url = f"{server.address}/v1" if kind is OpenAIProvider else server.address
    return kind("loopback-1", base_url=base_url, api_key="none")


async def ask(provider: SdkProvider, times: int = 3) -> None:
    for _ in range(times):
        assert (await provider.acomplete(REQUEST)).text == "yes"


@KINDS
def test_calls_of_one_loop_share_a_connection(kind: type[SdkProvider]) -> None:
    async def use(server: Loopback) -> None:
        async with connect(kind, server) as provider:
            await ask(provider)

    with Loopback(answer, keep_alive=True) as server:
        asyncio.run(use(server))
    assert (len(server.received), server.opened, server.closed) == (3, 1, 1)


@KINDS
def test_every_loop_has_a_pool_that_ends_with_it(kind: type[SdkProvider]) -> None:
    with Loopback(answer, keep_alive=True) as server:
        provider = connect(kind, server)
        for _ in range(4):
            asyncio.run(ask(provider))
            wait_for(lambda: server.closed == server.opened)
        # The provider is not closed: each loop has closed its own connections.
        assert len(provider._loop_clients._opened) == 1
        provider.close()
    assert (len(server.received), server.opened) == (12, 4)


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait until the server notices something; give up after many tries."""
    for _ in range(3000):
        if condition():
            return
        time.sleep(0.01)
    pytest.fail("it never happened")


@KINDS
def test_loops_in_threads_have_pools_of_their_own(kind: type[SdkProvider]) -> None:
    with Loopback(answer, keep_alive=True) as server, connect(kind, server) as provider:
        threads = [threading.Thread(target=asyncio.run, args=(ask(provider),)) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert (len(server.received), server.opened, server.closed) == (9, 3, 3)


@KINDS
def test_with_in_a_coroutine_closes_the_pool_soon(kind: type[SdkProvider]) -> None:
    async def use(server: Loopback) -> None:
        with connect(kind, server) as provider:
            await ask(provider)
        for _ in range(3000):
            if server.closed:
                return
            await asyncio.sleep(0.01)
        pytest.fail("the pool stays open")

    with Loopback(answer, keep_alive=True) as server:
        asyncio.run(use(server))
    assert (server.opened, server.closed) == (1, 1)


@KINDS
def test_a_closed_pool_is_opened_again_when_it_is_needed(kind: type[SdkProvider]) -> None:
    async def use(server: Loopback) -> None:
        provider = connect(kind, server)
        await ask(provider)
        await provider.aclose()
        await provider.aclose()
        await ask(provider)

    with Loopback(answer, keep_alive=True) as server:
        asyncio.run(use(server))
    assert (len(server.received), server.opened, server.closed) == (6, 2, 2)


@KINDS
def test_concurrent_first_calls_open_one_client(kind: type[SdkProvider]) -> None:
    async def use(server: Loopback) -> int:
        async with connect(kind, server) as provider:
            await asyncio.gather(*(ask(provider, 1) for _ in range(5)))
            clients = {id(await provider._loop_clients.get()) for _ in range(2)}
        return len(clients)

    with Loopback(answer, keep_alive=True) as server:
        assert asyncio.run(use(server)) == 1
    assert server.opened <= 5
    assert server.closed == server.opened


def test_an_async_client_needs_no_other_client_and_no_key() -> None:
    async def use(server: Loopback) -> bool:
        async with openai.AsyncOpenAI(api_key="mine", base_url=f"{server.address}/v1") as client:
            async with OpenAIProvider("m", async_client=client) as provider:
                await ask(provider)
                assert provider._client is None
            return client.is_closed()

    with Loopback(answer, keep_alive=True) as server:
        assert asyncio.run(use(server)) is False
    assert {received.headers["authorization"] for received in server.received} == {"Bearer mine"}


def test_a_synchronous_call_next_to_an_async_client_opens_a_client() -> None:
    async_client = openai.AsyncOpenAI(api_key="mine")
    with (
        Loopback(answer, keep_alive=True) as server,
        OpenAIProvider("m", base_url=f"{server.address}/v1", api_key="own", async_client=async_client) as provider,
    ):
        assert [provider.complete(REQUEST).text for _ in range(2)] == ["yes", "yes"]
    assert {received.headers["authorization"] for received in server.received} == {"Bearer own"}
    assert (server.opened, server.closed) == (1, 1)


@KINDS
def test_a_provider_that_is_forgotten_closes_its_pool(kind: type[SdkProvider]) -> None:
    async def use(server: Loopback) -> None:
        await ask(connect(kind, server))
        gc.collect()
        for _ in range(3000):
            if server.closed:
                return
            await asyncio.sleep(0.01)
        pytest.fail("the pool stays open")

    with Loopback(answer, keep_alive=True) as server:
        asyncio.run(use(server))
