"""The markers around a model's thinking: one list for whole replies, streamed replies and the repair log."""

import re
from functools import lru_cache

_TAGS = (
    "think", "thinking", "thought", "thoughts", "reasoning", "reflection", "scratchpad", "analysis", "seed:think",
    "chain_of_thought", "cot", "inner_monologue", "internal_monologue", "deliberation",
)  # fmt: skip
_TAG = rf"(?:antml:)?(?:{'|'.join(_TAGS)})"
_ENDS = {"◁think▷": "◁/think▷", "[think]": r"\[/THINK\]", "<|begin_of_thought|>": r"<\|end_of_thought\|>"}

# The first character of each marker is separate, so that a search can jump to it.
_STARTS = (("<", f"{_TAG}>"), ("◁", "think▷"), (r"\[", r"THINK\]"), ("<", r"\|begin_of_thought\|>"))
_FINISHES = (("<", f"/{_TAG}>"), ("◁", "/think▷"), (r"\[", r"/THINK\]"), ("<", r"\|end_of_thought\|>"))
_CHANNELS = (("<", r"\|channel\|>\s{0,8}analysis"),)


def _whole(markers: tuple[tuple[str, str], ...]) -> str:
    return "|".join(first + rest for first, rest in markers)


def _rest(markers: tuple[tuple[str, str], ...]) -> str:
    return "|".join(f"(?<={first}){rest}" for first, rest in markers)


START, END, CHANNEL = _whole(_STARTS), _whole(_FINISHES), _whole(_CHANNELS)
# Follows the first character of a marker, which a search has jumped to.
MARKER_REST = (
    rf"(?<=[<◁\[])(?=[/|\w])(?i:(?P<think>{_rest(_STARTS)})|(?P<think_end>{_rest(_FINISHES)})"
    rf"|(?P<channel>{_rest(_CHANNELS)}))"
)
ANY_END = re.compile(END, re.IGNORECASE)
CHANNEL_END = re.compile(r"<\|(?:end|start|channel|return|call)\|>")
# The start of a marker that is not complete yet.
PARTIAL_MARKER = r"[<◁\[][/|\w:]*+(?:(?<=\|)>\s{0,8}\w{0,8})?"
# No marker is longer; a shorter text may be the start of one.
MAX_MARKER_LENGTH = 40


@lru_cache(200)
def end_pattern(start: str) -> re.Pattern[str]:
    """Return the pattern of the end marker for a start marker."""
    tag = start.lower()
    return re.compile(_ENDS.get(tag) or re.escape(f"</{tag[1:-1]}>"), re.IGNORECASE)
