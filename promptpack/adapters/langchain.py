"""LangChain: `model.invoke(**prompt.to("langchain"))`; `messages(prompt)` returns its message objects.

`runnable(pack, model)` renders, asks, checks and corrects.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from promptpack.adapters.forms import langchain_exchange
from promptpack.adapters.forms.chat import CHAT, with_values, write_chat_tools, write_parsed_chat, write_response_format
from promptpack.adapters.outgoing import Outgoing, TargetOption
from promptpack.cycle.providers.sdk_errors import import_sdk
from promptpack.problem import Problem, UsageError

if TYPE_CHECKING:
    from promptpack.adapters.forms.langchain_exchange import ExchangeSteps
    from promptpack.pack.model import Pack
    from promptpack.prompt.prompt import Prompt
    from promptpack.verdict import Verdict

__all__ = ["messages", "runnable"]

OPTIONS: Final[frozenset[TargetOption]] = frozenset(("strict", "tools"))
INSTEAD: Final[Mapping[TargetOption, str]] = {}
CARRIES: Final = CHAT


def write(outgoing: Outgoing) -> dict[str, Any]:
    """Return `input`, `response_format` (only if strict) and `tools`, the last two as OpenAI models accept them.

    For other models pass them to `model.bind_tools` and `model.with_structured_output`.
    """
    if outgoing.strict and outgoing.tools:
        hint = "pass the tools to model.bind_tools, or the schema to model.with_structured_output"
        raise UsageError(Problem("PP635", "target 'langchain' takes tools or a strict schema, not both", None, hint))
    return {"input": write_parsed_chat(outgoing.messages)} | with_values(
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


def runnable(source: "Pack | Prompt", model: Any, *, rounds: int = langchain_exchange.DEFAULT_ROUNDS) -> Any:
    """Return a runnable from the inputs of a pack to the `Verdict` of the reply.

    `source` is a pack, which is rendered with the mapping that the runnable receives, or a prompt, which is sent
    unchanged; `model` is a chat model; `rounds` limits how often it is asked. A failed reply stays in the conversation,
    and its correction is sent after it.
    """

    def ask(inputs: Any, config: Any) -> "Verdict":
        return langchain_exchange.drive(_converse(source, inputs, rounds), model, config).verdict

    async def aask(inputs: Any, config: Any) -> "Verdict":
        return (await langchain_exchange.adrive(_converse(source, inputs, rounds), model, config)).verdict

    runnables = import_sdk("langchain_core.runnables", "langchain-core")
    ask.__annotations__["config"] = aask.__annotations__["config"] = runnables.RunnableConfig
    return runnables.RunnableLambda(ask, aask, name=f"promptpack {_label(source)}")


def _converse(source: "Pack | Prompt", inputs: Any, rounds: int) -> "ExchangeSteps":
    from promptpack.pack.model import Pack

    prompt = source.render(inputs) if isinstance(source, Pack) else source
    return langchain_exchange.converse(prompt, messages(prompt), rounds)


def _label(source: "Pack | Prompt") -> str:
    from promptpack.pack.model import Pack

    return source.label if isinstance(source, Pack) else source.pack.label
