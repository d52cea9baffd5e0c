"""How models mark their thinking: one list for whole replies, for those that arrive, and for the log."""

import re

_TAGS = (
    "think", "thinking", "thought", "thoughts", "reasoning", "reflection", "scratchpad", "analysis", "seed:think",
    "chain_of_thought", "cot", "inner_monologue", "internal_monologue", "deliberation",
)  # fmt: skip
_TAG = rf"(?:antml:)?(?:{'|'.join(_TAGS)})"
_ENDS = {"◁think▷": "◁/think▷", "[think]": r"\[/THINK\]", "<|begin_of_thought|>": r"<\|end_of_thought\|>"}

START = rf"<{_TAG}>|◁think▷|\[THINK\]|<\|begin_of_thought\|>"
END = rf"</{_TAG}>|◁/think▷|\[/THINK\]|<\|end_of_thought\|>"
CHANNEL = r"<\|channel\|>\s{0,8}analysis"
CHANNEL_END = re.compile(r"<\|(?:end|start|channel|return|call)\|>")
# The longest mark there is; what is shorter may be half of one.
LONGEST = 40


def end_of(start: str) -> str:
    """Give the pattern of the end that belongs to a start."""
    tag = start.lower()
    return _ENDS.get(tag) or re.escape(f"</{tag[1:-1]}>")
