"""`flow.yaml` + packs -> `Flow`: which agent follows which, which data they pass on, and the runs of it."""

from promptpack.flow.flow import Flow, FlowRun, FlowStep, Visit
from promptpack.flow.model import END

__all__ = ["END", "Flow", "FlowRun", "FlowStep", "Visit"]
