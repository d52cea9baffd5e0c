"""`Pack` -> contexts that it accepts, replies that meet its contract, and replies that just miss it."""

from promptpack.trial.generation.contexts import ContextGenerator
from promptpack.trial.generation.near_replies import NearReply, make_near_reply
from promptpack.trial.generation.replies import ReplyGenerator, has_only_rule_violations

__all__ = ["ContextGenerator", "NearReply", "ReplyGenerator", "has_only_rule_violations", "make_near_reply"]
