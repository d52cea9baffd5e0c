"""How models mark their thinking: one list for whole replies, for those that arrive, and for the log."""

import re

_TAGS = (
    "think", "thinking", "thought", "thoughts", "reasoning", "reflection", "scratchpad", "analysis", "seed:think",
    "chain_of_thought", "cot", "inner_monologue", "internal_monologue", "deliberation",
)  # fmt: skip
_TAG = rf"(?:antml:)?(?:{'|'.join(_TAGS)})"
_ENDS = {"◁think▷": "◁/think▷", "[think]": r"\[/THINK\]", "<|begin_of_thought|>": r"<\|end_of_thought\|>"}

# The first character of each mark stands apart, so that a search can go by it.
_STARTS = (("<", f"{_TAG}>"), ("◁", "think▷"), (r"\[", r"THINK\]"), ("<", r"\|begin_of_thought\|>"))
_FINISHES = (("<", f"/{_TAG}>"), ("◁", "/think▷"), (r"\[", r"/THINK\]"), ("<", r"\|end_of_thought\|>"))
_CHANNELS = (("<", r"\|channel\|>\s{0,8}analysis"),)


def _whole(marks: tuple[tuple[str, str], ...]) -> str:
    return "|".join(first + rest for first, rest in marks)


def _rest(marks: tuple[tuple[str, str], ...]) -> str:
    return "|".join(f"(?<={first}){rest}" for first, rest in marks)


START, END, CHANNEL = _whole(_STARTS), _whole(_FINISHES), _whole(_CHANNELS)
START_REST, END_REST, CHANNEL_REST = _rest(_STARTS), _rest(_FINISHES), _rest(_CHANNELS)
CHANNEL_END = re.compile(r"<\|(?:end|start|channel|return|call)\|>")
# The longest mark there is; what is shorter may be half of one.
LONGEST = 40


def end_of(start: str) -> str:
    """Give the pattern of the end that belongs to a start."""
    tag = start.lower()
    return _ENDS.get(tag) or re.escape(f"</{tag[1:-1]}>")
