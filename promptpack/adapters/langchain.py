"""LangChain: `model.invoke(**prompt.to("langchain"))`; `messages(prompt)` returns its message objects."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from promptpack.adapters.forms.chat import CHAT, with_values, write_chat, write_chat_tools, write_response_format
from promptpack.adapters.outgoing import Option, Outgoing
from promptpack.cycle.providers.sdk_errors import import_sdk
from promptpack.problem import Problem, UsageError

if TYPE_CHECKING:
    from promptpack.prompt.prompt import Prompt

OPTIONS: Final[frozenset[Option]] = frozenset(("strict", "tools"))
INSTEAD: Final[Mapping[Option, str]] = {}
CARRIES: Final = CHAT


def write(outgoing: Outgoing) -> dict[str, Any]:
    """Return `input`, `response_format` (only if strict) and `tools`, the last two as OpenAI models accept them.

    For other models pass them to `model.bind_tools` and `model.with_structured_output`.
    """
    if outgoing.strict and outgoing.tools:
        hint = "pass the tools to model.bind_tools, or the schema to model.with_structured_output"
        raise UsageError(Problem("PP635", "target 'langchain' takes tools or a strict schema, not both", None, hint))
    return {"input": write_chat(outgoing.messages)} | with_values(
        response_format=write_response_format(outgoing) if outgoing.strict else None,
        tools=write_chat_tools(outgoing.tools),
    )


def messages(prompt: "Prompt") -> list[Any]:
    """Return the messages of a prompt as LangChain messages, in which braces are only text.

    `prompt` is the rendered prompt.
    """
    converted: list[Any] = import_sdk("langchain_core.messages", "langchain-core").convert_to_messages(
        prompt.to("langchain")["input"]
    )
    return converted
