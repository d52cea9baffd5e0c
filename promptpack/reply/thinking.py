"""How models mark their thinking: one list for whole replies, for those that arrive, and for the log."""

import re
from functools import lru_cache

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
# Behind the first character of a mark, which a search has jumped to: what it is the first of.
MARK_REST = (
    rf"(?<=[<◁\[])(?=[/|\w])(?i:(?P<think>{_rest(_STARTS)})|(?P<unthink>{_rest(_FINISHES)})"
    rf"|(?P<channel>{_rest(_CHANNELS)}))"
)
ANY_END = re.compile(END, re.IGNORECASE)
CHANNEL_END = re.compile(r"<\|(?:end|start|channel|return|call)\|>")
# The beginning of a mark, as far as it has come.
HALF_MARK = r"[<◁\[][/|\w:]*+(?:(?<=\|)>\s{0,8}\w{0,8})?"
# The longest mark there is; what is shorter may be half of one.
LONGEST = 40


@lru_cache(200)
def end_of(start: str) -> re.Pattern[str]:
    """Give the pattern of the end that belongs to a start."""
    tag = start.lower()
    return re.compile(_ENDS.get(tag) or re.escape(f"</{tag[1:-1]}>"), re.IGNORECASE)
