"""The MCP server: answers prompts, tools and completion, reloads the packs, and announces changed prompts."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any, Final, TypeVar

import anyio
from anyio import to_thread
from mcp import MCPError, types
from mcp.server import NotificationOptions, Server, ServerRequestContext
from mcp.server.context import CallNext, HandlerResult
from mcp.server.models import InitializationOptions
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, PromptsListChanged, ServerEvent

from promptpack import __version__
from promptpack.library import Library
from promptpack.mcp import prompts
from promptpack.mcp.served_packs import ServedPacks
from promptpack.mcp.tools import TOOLS, find_tool, run_tool
from promptpack.problem import PackError, Problem, PromptpackError, UsageError

T = TypeVar("T")
ServerContext = ServerRequestContext[None, Any]
_POLL_SECONDS: Final = 1.0
_MAX_SESSIONS: Final = 1024
_INSTRUCTIONS: Final = (
    "Prompt packs: versioned prompts with typed inputs and checked replies. Clients without prompts use the tools: "
    "list_packs, then render, then check_reply with the reply of the model."
)


class PackMcpServer(Server[None]):
    """Serves the packs of a library, in `locale` if they have it; the folders are read again every `poll_seconds`."""

    def __init__(self, library: Library, locale: str = "", poll_seconds: float = _POLL_SECONDS) -> None:
        self.packs: ServedPacks = ServedPacks(library, locale)
        self._poll_seconds = poll_seconds
        self._bus = InMemorySubscriptionBus()
        self._listening = ListenHandler(self._bus)
        self._sessions = 0
        super().__init__(
            "promptpack",
            version=__version__,
            title="promptpack",
            instructions=_INSTRUCTIONS,
            lifespan=_reloading,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
            on_completion=self._complete,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_subscriptions_listen=self._listening,
        )
        # Clients of older protocols get the announcements in their session, without asking for them.
        self.add_notification_handler("notifications/initialized", types.NotificationParams, self._announce_in_session)
        self.middleware.append(_name_wrong_arguments)

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """Return the options of a session, in which changed prompts are announced."""
        announced = notification_options or NotificationOptions(prompts_changed=True)
        return super().create_initialization_options(announced, experimental_capabilities, extensions)

    def end_announcements(self) -> None:
        """Announce to listening clients that the server ends."""
        self._listening.close()

    async def poll(self) -> None:
        """Read the folders again and again, and announce changed prompts."""
        known = await to_thread.run_sync(prompts.list_prompts, self.packs)
        while True:
            await anyio.sleep(self._poll_seconds)
            before = self.packs.library
            await to_thread.run_sync(self.packs.reload)
            if self.packs.library is before:
                continue
            listed = await to_thread.run_sync(prompts.list_prompts, self.packs)
            if listed != known:
                known = listed
                await self._bus.publish(PromptsListChanged())

    async def _announce_in_session(self, ctx: ServerContext, _: types.NotificationParams) -> None:
        """Send the announcements to one session, until it ends and this task with it."""
        if self._sessions >= _MAX_SESSIONS:
            return
        send, receive = anyio.create_memory_object_stream[None](1)

        def wake(_: ServerEvent) -> None:
            with suppress(anyio.WouldBlock):
                send.send_nowait(None)

        unsubscribe = self._bus.subscribe(wake)
        self._sessions += 1
        try:
            async for _changed in receive:
                await ctx.session.send_prompt_list_changed()
        finally:
            self._sessions -= 1
            unsubscribe()
            send.close()
            receive.close()

    async def _list_prompts(self, _: ServerContext, __: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=await _answer(partial(prompts.list_prompts, self.packs)))

    async def _get_prompt(self, _: ServerContext, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        return await _answer(partial(prompts.get_prompt, self.packs, params.name, params.arguments or {}))

    async def _complete(self, _: ServerContext, params: types.CompleteRequestParams) -> types.CompleteResult:
        if not isinstance(params.ref, types.PromptReference):
            return types.CompleteResult(completion=types.Completion(values=[]))
        known = (params.context and params.context.arguments) or {}
        argument = params.argument
        words = partial(prompts.complete, self.packs, params.ref.name, argument.name, argument.value, known)
        return types.CompleteResult(completion=await _answer(words))

    async def _list_tools(self, _: ServerContext, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[tool.to_mcp() for tool in TOOLS.values()])

    async def _call_tool(self, _: ServerContext, params: types.CallToolRequestParams) -> types.CallToolResult:
        tool = await _answer(partial(find_tool, params.name))
        try:
            found = await to_thread.run_sync(run_tool, self.packs, tool, params.arguments or {})
        except PromptpackError as error:
            # A result, so that the model reads it and can call the tool again.
            return types.CallToolResult(content=[_text(str(error))], is_error=True)
        content = _text(json.dumps(found, ensure_ascii=False))
        return types.CallToolResult(content=[content], structured_content=json.loads(content.text))


@asynccontextmanager
async def _reloading(server: Server[None]) -> AsyncIterator[None]:
    async with anyio.create_task_group() as tasks:
        if isinstance(server, PackMcpServer):
            tasks.start_soon(server.poll)
        yield None
        tasks.cancel_scope.cancel()


async def _name_wrong_arguments(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Name an argument of a prompt that is not text; the SDK would only answer that some parameter is invalid."""
    arguments = (ctx.params or {}).get("arguments") if ctx.method == "prompts/get" else None
    for name, value in arguments.items() if isinstance(arguments, dict) else ():
        if not isinstance(value, str):
            hint = "MCP arguments are text: write numbers, objects and arrays as JSON text"
            raise _to_mcp_error(UsageError(Problem("PP651", f"argument {name!r} is not text", None, hint)))
    return await call_next(ctx)


async def _answer(work: Callable[[], T]) -> T:
    """Run synchronous work in a thread, so that other requests do not wait for it."""
    try:
        return await to_thread.run_sync(work)
    except PromptpackError as error:
        raise _to_mcp_error(error) from None


def _to_mcp_error(error: PromptpackError) -> MCPError:
    code = types.INTERNAL_ERROR if isinstance(error, PackError) else types.INVALID_PARAMS
    problems = [
        {"code": found.code, "message": _sendable(found.message), "hint": _sendable(found.hint)}
        for found in error.problems
    ]
    return MCPError(code, _sendable(str(error)), {"problems": problems})


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=_sendable(text))


def _sendable(text: str) -> str:
    """Replace surrogates, such as a part of a file name, which would end the connection."""
    return text.encode(errors="replace").decode()
