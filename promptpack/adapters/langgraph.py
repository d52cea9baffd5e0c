"""LangGraph: `graph.add_node("plan", node(pack, model))`."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from promptpack.adapters.forms.langchain_exchange import (
    DEFAULT_ROUNDS,
    Exchange,
    ExchangeSteps,
    adrive,
    converse,
    drive,
)
from promptpack.adapters.langchain import messages
from promptpack.cycle.providers.sdk_errors import import_sdk

if TYPE_CHECKING:
    from promptpack.pack.model import Pack

__all__ = ["node"]


def node(pack: "Pack", model: Any, *, rounds: int = DEFAULT_ROUNDS, key: str = "verdict") -> Any:
    """Return a node that renders a pack with the state, asks a model, checks its reply and corrects it.

    `pack` takes its inputs from the keys of the state with their names, `model` is a chat model of LangChain, `rounds`
    limits how often it is asked, and `key` is the key of the state for the verdict. The verdict is plain data
    (`Verdict.from_dict` reads it), which every checkpoint can store. If the state has `messages`, every reply and every
    correction is added to them.
    """

    def ask(state: Mapping[str, Any], config: Any) -> dict[str, Any]:
        return _update(drive(_converse(pack, state, rounds), model, config), state, key)

    async def aask(state: Mapping[str, Any], config: Any) -> dict[str, Any]:
        return _update(await adrive(_converse(pack, state, rounds), model, config), state, key)

    runnables = import_sdk("langchain_core.runnables", "langchain-core")
    ask.__annotations__["config"] = aask.__annotations__["config"] = runnables.RunnableConfig
    return runnables.RunnableLambda(ask, aask, name=f"promptpack {pack.label}")


def _converse(pack: "Pack", state: Mapping[str, Any], rounds: int) -> ExchangeSteps:
    prompt = pack.render({name: state[name] for name in pack.inputs if name in state})
    return converse(prompt, messages(prompt), rounds)


def _update(exchange: Exchange, state: Mapping[str, Any], key: str) -> dict[str, Any]:
    added = {"messages": [*exchange.messages]} if "messages" in state else {}
    return {key: exchange.verdict.to_dict(), **added}
