"""`Reading` + contract -> `Verdict`, by `judge.Judge.judge`: check the schema and the rules, write a correction."""

from promptpack.verdict.judge_options import JudgeOptions
from promptpack.verdict.model import RepairSummary, Verdict, Violation
from promptpack.verdict.output import AgentOutput, Risk
from promptpack.verdict.verdict_stream import VerdictStream

__all__ = ["AgentOutput", "JudgeOptions", "RepairSummary", "Risk", "Verdict", "VerdictStream", "Violation"]
