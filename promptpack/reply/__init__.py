"""Model text to data: read replies as models really send them, and say exactly what was done."""

from promptpack.reply.checking import SchemaCheck
from promptpack.reply.extras import find_extras
from promptpack.reply.mend import gives_only_parts, mend
from promptpack.reply.quick import quick_value
from promptpack.reply.read import read
from promptpack.reply.reading import Attempt, Finding, Outcome, Policy, Reading, Repair, Violation
from promptpack.reply.repair import KINDS, RISKS, replay
from promptpack.reply.shape import Shape
from promptpack.reply.stream import Partial, ReplyStream

__all__ = [
    "KINDS",
    "RISKS",
    "Attempt",
    "Finding",
    "Outcome",
    "Partial",
    "Policy",
    "Reading",
    "Repair",
    "ReplyStream",
    "SchemaCheck",
    "Shape",
    "Violation",
    "find_extras",
    "gives_only_parts",
    "mend",
    "quick_value",
    "read",
    "replay",
]
