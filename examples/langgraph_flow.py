"""The six agents as a LangGraph graph: each step is a checkpoint, and the user's confirmation an interrupt.

Install `langgraph`. The state holds plain data only: other types in checkpoints are refused.
"""

from typing import Any, TypedDict

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt

from promptpack import Library
from six_agents import GIVEN, Script, ask_user, finish


class State(TypedDict):
    """The run of the flow, as plain data."""

    run: dict[str, Any]


def build(script: Script) -> Any:
    """Return the graph: one node works on a step, one waits for the user."""
    flow = Library.open().flow(locale="en")

    def work(state: State) -> State:
        run = flow.resume(state["run"])
        step = run.next()
        verdict = step.render().correct(lambda messages: script.reply(step.name))
        return {"run": run.took(verdict, finish(step, verdict, script)).to_dict()}

    def confirm(state: State) -> State:
        answer = interrupt(state["run"]["visits"][-1]["reply"]["userMessage"])
        return {"run": flow.resume(state["run"], answer=answer).to_dict()}

    def route(state: State) -> str:
        run = flow.resume(state["run"])
        return END if run.ended else "confirm" if run.waits_for_user else "work"

    graph = StateGraph(State).add_node("work", work).add_node("confirm", confirm)
    graph.add_edge(START, "work").add_conditional_edges("work", route).add_conditional_edges("confirm", route)
    return graph.compile(checkpointer=InMemorySaver()), {"run": flow.start(GIVEN).to_dict()}


def main() -> None:
    """Run the graph until it ends; every interrupt asks the user."""
    graph, state = build(Script())
    config = {"configurable": {"thread_id": "1"}, "recursion_limit": 50}
    state = graph.invoke(state, config)
    while "__interrupt__" in state:
        state = graph.invoke(Command(resume=ask_user(state["__interrupt__"][0].value)), config)


if __name__ == "__main__":
    main()
