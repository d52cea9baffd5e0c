"""A model's text -> `Reading`, by `read.read`: find the JSON object, repair it, stream it, and log every repair."""

from promptpack.reply.align import parse_text
from promptpack.reply.clean import read_clean
from promptpack.reply.extra_keys import find_extras
from promptpack.reply.merge import is_partial_answer, merge
from promptpack.reply.read import read
from promptpack.reply.reading import Attempt, Fault, PromptEcho, Reading, ReadingOutcome, ReadingPolicy, Repair
from promptpack.reply.repair import KINDS, RISKS, replay
from promptpack.reply.schema_check import SchemaCheck
from promptpack.reply.shape import Shape
from promptpack.reply.stream import Progress, ReplyStream

__all__ = [
    "KINDS",
    "RISKS",
    "Attempt",
    "Fault",
    "Progress",
    "PromptEcho",
    "Reading",
    "ReadingOutcome",
    "ReadingPolicy",
    "Repair",
    "ReplyStream",
    "SchemaCheck",
    "Shape",
    "find_extras",
    "is_partial_answer",
    "merge",
    "parse_text",
    "read",
    "read_clean",
    "replay",
]  # fmt: skip
