"""pydantic-ai: `agent.run(**run_arguments(prompt))`; without earlier turns `prompt.to("pydantic-ai")` is the same."""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from promptpack.adapters.forms.turns import merge_turns
from promptpack.adapters.outgoing import Carries, Outgoing, TargetOption
from promptpack.cycle.providers.sdk_errors import import_sdk
from promptpack.prompt.message import Message, Part
from promptpack.prompt.message_data import called_tools, parts_of, read_image

if TYPE_CHECKING:
    from promptpack.prompt.prompt import Prompt
    from promptpack.verdict import Verdict

__all__ = ["output_validator", "run_arguments"]

OPTIONS: Final[frozenset[TargetOption]] = frozenset()
INSTEAD: Final[Mapping[TargetOption, str]] = {
    "strict": "check replies with output_validator(prompt) of promptpack.adapters.pydantic_ai",
    "tools": "pass functions to Agent(tools=...)",
}
CARRIES: Final = Carries(parts=frozenset(("image_url",)), turn_needed=True)


def write(outgoing: Outgoing) -> dict[str, Any]:
    """Return `instructions`, `user_prompt` (a text at the end) and `message_history` (other turns, as plain data)."""
    turns = outgoing.turns()
    system = outgoing.system_text()
    written: dict[str, Any] = {"instructions": system} if system else {}
    if turns[-1].role == "user" and all(part.type == "text" for part in parts_of(turns[-1])):
        written["user_prompt"] = turns[-1].text
        turns = turns[:-1]
    if turns:
        written["message_history"] = _history(turns)
    return written


def run_arguments(prompt: "Prompt") -> dict[str, Any]:
    """Return the arguments of `Agent.run`, with the history as message objects.

    `prompt` is the rendered prompt.
    """
    arguments = prompt.to("pydantic-ai")
    if "message_history" in arguments:
        adapter = import_sdk("pydantic_ai.messages", "pydantic-ai-slim").ModelMessagesTypeAdapter
        arguments["message_history"] = adapter.validate_python(arguments["message_history"])
    return arguments


def output_validator(prompt: "Prompt") -> Callable[..., "Verdict"]:
    """Return a function for `Agent(output_type=TextOutput(...))` that checks replies; the output is a `Verdict`.

    `prompt` is the prompt that the agent answers. An invalid reply stays in the conversation and is sent back with its
    correction as a `ModelRetry`, as often as the `retries` of the agent allow.
    """
    sdk = import_sdk("pydantic_ai", "pydantic-ai-slim")

    def check(context: Any, text: str) -> "Verdict":
        verdict = prompt.check(text, after=_last_failure(prompt, context, text))
        if not verdict.ok:
            raise sdk.ModelRetry(verdict.correction)
        return verdict

    # The package decides by the type of the first parameter whether the function takes the context.
    check.__annotations__ |= {"context": sdk.RunContext[Any], "text": str, "return": object}
    return check


def _last_failure(prompt: "Prompt", context: Any, text: str) -> "Verdict | None":
    """Return the verdict of the reply before this one in the same run, whose correction this reply answers."""
    texts = [
        "".join(part.content for part in message.parts if part.part_kind == "text")
        for message in context.messages
        if message.kind == "response" and message.run_id == context.run_id
    ]
    earlier = texts[:-1] if texts and texts[-1] == text else texts
    verdict: Verdict | None = None
    for one in filter(None, earlier):
        verdict = prompt.check(one, after=verdict)
    return verdict


def _history(messages: Iterable[Message]) -> list[dict[str, Any]]:
    messages = tuple(messages)
    names = called_tools(messages)
    turns = merge_turns((_kind(message), [*_parts(message, names)]) for message in messages)
    return [{"kind": kind, "parts": parts} for kind, parts in turns]


def _kind(message: Message) -> str:
    return "response" if message.role == "assistant" else "request"


def _parts(message: Message, names: Mapping[str, str]) -> Iterable[dict[str, Any]]:
    identifier = message.tool_call_id or ""
    if message.role == "tool":
        name = names.get(identifier) or message.name or ""
        yield {"part_kind": "tool-return", "tool_name": name, "content": message.text, "tool_call_id": identifier}
    elif message.role == "user":
        yield {"part_kind": "user-prompt", "content": _content(message)}
    elif message.text:
        yield {"part_kind": "text", "content": message.text}
    for call in message.tool_calls:
        yield {"part_kind": "tool-call", "tool_name": call.name, "args": call.arguments, "tool_call_id": call.id}


def _content(message: Message) -> str | list[Any]:
    parts = parts_of(message)
    if all(part.type == "text" for part in parts):
        return message.text
    return [part.payload if part.type == "text" else _image(part) for part in parts]


def _image(part: Part) -> dict[str, Any]:
    return {"kind": "image-url", "url": read_image(part).url}
