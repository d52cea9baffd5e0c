"""The six agents as a LangGraph graph: a checkpoint after each step, and an interrupt for the user's confirmation.

Install `langgraph`. The state holds plain data only: other types in checkpoints are refused.
"""

from typing import Any, TypedDict

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt
from six_agents import GIVEN, Script, ask_user, finish

from promptpack import Library


class State(TypedDict):
    """The run of the flow, as plain data."""

    run: dict[str, Any]


def main() -> None:
    """Run the graph until it ends; every interrupt asks the user."""
    script = Script()
    flow = Library.open().flow(locale="en")

    def work(state: State) -> State:
        run = flow.resume(state["run"])
        if run.waits_for_user:  # LangGraph runs a node again from its start, so nothing may happen before
            run = run.answered(interrupt(run.visits[-1].reply["userMessage"]))
        if step := run.next():
            verdict = step.render().correct(lambda _: script.reply(step.name))
            run = run.took(verdict, finish(step, verdict, script))
        return {"run": run.to_dict()}

    graph = StateGraph(State).add_node("work", work).add_edge(START, "work")
    graph.add_conditional_edges("work", lambda state: END if flow.resume(state["run"]).ended else "work")
    app = graph.compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "1"}, "recursion_limit": 50}
    state = app.invoke({"run": flow.start(GIVEN).to_dict()}, config)
    while "__interrupt__" in state:
        state = app.invoke(Command(resume=ask_user(state["__interrupt__"][0].value)), config)


if __name__ == "__main__":
    main()
