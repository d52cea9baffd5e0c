"""`promptpack.adapters.langgraph` with the real packages."""

import asyncio
from pathlib import Path
from typing import Any

from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph

from promptpack import Library, Verdict
from promptpack.adapters.langgraph import node
from tests.sdks.server import Server, chat_texts
from tests.unit.adapters.prompts import DATA

PLANNER = Library.open(str(Path(__file__).parents[2] / "packs")).get("planner@^1", locale="en")


class State(MessagesState):  # type: ignore[misc]  # the package is in its own environment
    USER_GOAL: str
    verdict: dict[str, Any]


def graph_of(server: Server) -> Any:
    model = ChatOpenAI(model="m", base_url=server.address, api_key="k", max_retries=0, use_responses_api=False)
    graph = StateGraph(State)
    graph.add_node("plan", node(PLANNER, model))
    graph.add_edge(START, "plan")
    graph.add_edge("plan", END)
    return graph.compile(checkpointer=InMemorySaver())


def test_a_node_keeps_the_failed_reply_and_its_correction() -> None:
    config: dict[str, Any] = {"configurable": {"thread_id": "1"}}
    asked: dict[str, Any] = {"USER_GOAL": DATA, "messages": []}
    for is_async in (False, True):
        with Server("I cannot.", "Still not.") as server:
            graph = graph_of(server)
            state = asyncio.run(graph.ainvoke(asked, config)) if is_async else graph.invoke(asked, config)
        first, second, third = [chat_texts(body["messages"]) for body in server.bodies]
        assert DATA in first[-1][1]
        correction = PLANNER.render(USER_GOAL=DATA).check("I cannot.").correction
        assert second == [*first, ("assistant", "I cannot."), ("user", correction)]
        assert [message.type for message in state["messages"]] == ["ai", "human", "ai", "human", "ai"]
        assert len(third) == len(first) + 4
        assert not Verdict.from_dict(state["verdict"]).ok
