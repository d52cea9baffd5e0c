"""`flow.yaml` + packs -> `Flow`, by `Library.flow`: the order of the agents, the data they pass on, and its runs."""

from promptpack.flow.flow import Flow, FlowRun, FlowStep, Visit
from promptpack.flow.model import END

__all__ = ["END", "Flow", "FlowRun", "FlowStep", "Visit"]
