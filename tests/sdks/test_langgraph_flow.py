"""The example of the six agents on LangGraph, with the real package."""

from tests.sdks.flow_examples import EXPECTED, run_example


def test_the_six_agents_confirm_correct_replan_and_handle_a_failing_tool() -> None:
    assert run_example("langgraph_flow") == EXPECTED
