"""`python -m tests.fuzz.fragments SEEDS [FIRST]`: find replies whose reading takes more than linear time.

Each seed is a short piece of fragments that the reader reacts to, repeated after a head of such fragments. A text
of four times the length may take four times the time, whole and in chunks; a text that takes longer is saved as
`.cache/fuzz/found-fragments-*`.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Final

from tests.fuzz.targets import PACK, ROOT

SIZES: Final = (64_000, 256_000)
MAX_GROWTH: Final = 6.0
# Shorter times are noise.
MIN_SECONDS: Final = 0.06
MAX_SECONDS: Final = 1.0
TRIES: Final = 4
CHUNK: Final = 64
FRAGMENTS: Final = (
    *"{}[]()<>,:;=\"'`“”‘’„＂「」«»‹›{｛［｝］，：；、。.…|/\\#*+-_~&%$!?\n\r\t 0179aZé中\u00a0\u200b\ufeff\u2028\x00",
    '{"', '":', '": "', '", "', '"}', '"]', "{'", "':", "', '", "{{", "}}", "[[", "]]", "[{", "}]", "},{", "{}", "[]",
    "```", "```json\n", "\n```\n", "~~~", "`{", "<think>", "</think>", "<thinking>", "[THINK]", "[/THINK]", "◁think▷",
    "<|channel|>analysis", "<|channel|>final<|message|>", "<|end|>", "<tool_call>", "</tool_call>", "<a>", "</", "</s>",
    '\\"', "\\n", "\\\\", "\\u", "\\u4e2d", "\\ud83d", "\\ud83d\\ude00", "\\_", "\\'", "\\x", "C:\\new", "\\frac", "\\(",
    ", ", ",\n", ",,", ": ", " => ", " = ", "==", "//", "// x\n", "/*", "*/", "/* x */", "# ", "# x\n", "...", "etc., ",
    "-1", "0.5", "1e9", "1e999", "007", "+3", "85%", "85/100", "1_000", "٣", "NaN", "Infinity", "true", "None", "null",
    "undefined", '"answer": ', '"answer"', "answer: ", '"score": 5', '"level": "low"', '"level": "l', "low", "lo w", "LOW ",
    '"tags": ["a", ', '"inner": {"a": 1', '"name": "f", "arguments": ', '{"answer": "x"}', '"""', "'''", '"a" + ', ' or "b"',
    "f(a=", "f(", "(1, 2)", "properties", "said", "it's ", 'say "x" to ', "> ", "\n> ", "&quot;", "&amp;", "\x1b[0m",
    "+ ", "\n+ ", "1: ", "\n1 | ", "\n12\t", "   ", "\n\n", "\t\t", "data: ", "aaaaaaaaaaaaaaaa", "Here it is:\n",
    '""', '{""', "**", "<br>", "→", "->", "::", ": : ", 'u"', 'f"', '@"', '("a" ', "{&quot;", "&#34;", "&#123;", '{\\"',
    "\n| ", "\u00ad", "{,", "[,", ":a: ",
)  # fmt: skip

OPENINGS: Final = (
    "",
    "",
    "{",
    '{"answer": ',
    '{"answer": "',
    '{"tags": [',
    '{"inner": {',
    "{'answer': '",
    "```json\n{",
)


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of a text at two lengths."""

    small: float
    large: float

    @property
    def is_too_much(self) -> bool:
        """Whether the cost grows faster than the text, or exceeds the limit."""
        outgrown = self.large > MIN_SECONDS and self.large > MAX_GROWTH * self.small
        return outgrown or max(self.small, self.large) > MAX_SECONDS


def text_of(seed: int, size: int) -> str:
    """Return `size` characters: a head and one repeated piece."""
    random = Random(seed)  # noqa: S311 -- reproducible randomness
    head = random.choice(OPENINGS) + "".join(random.choices(FRAGMENTS, k=random.choice((0, 0, 1, 3))))
    piece = "".join(random.choices(FRAGMENTS, k=random.choice((1, 2, 2, 3, 3, 4, 6))))
    return (head + piece * (size // len(piece) + 1))[:size]


def measure(seed: int, cost: Callable[[str], float]) -> Cost:
    """Measure the cost of a seed; repeat a measurement that is too high, and return the minimum."""
    small, large = (text_of(seed, size) for size in SIZES)
    found = Cost(cost(small), cost(large))
    for _ in range(TRIES):
        if not found.is_too_much:
            break
        found = Cost(min(found.small, cost(small)), min(found.large, cost(large)))
    return found


def read(text: str) -> None:
    """Read a whole text."""
    PACK.check(text)


def receive(text: str) -> None:
    """Read a text in chunks."""
    stream = PACK.stream()
    for start in range(0, len(text), CHUNK):
        stream.feed(text[start : start + CHUNK])


def seconds(work: Callable[[str], None]) -> Callable[[str], float]:
    """Return a function that measures the processor time for a text."""

    def cost(text: str) -> float:
        before = time.process_time()
        work(text)
        return time.process_time() - before

    return cost


def main(seeds: str, first: str = "0") -> None:
    """Measure the seeds, save those that cost too much, and print the slowest."""
    folder = ROOT / ".cache" / "fuzz"
    slowest: list[tuple[float, str, int]] = []
    folder.mkdir(parents=True, exist_ok=True)
    for seed in range(int(first), int(first) + int(seeds)):
        for work in (read, receive):
            found = measure(seed, seconds(work))
            slowest = sorted([*slowest, (found.large, work.__name__, seed)])[-5:]
            if found.is_too_much:
                (folder / f"found-fragments-{work.__name__}-{seed}").write_text(text_of(seed, 2_000), "utf-8")
                sys.stdout.write(f"{work.__name__} {seed}: {found.small:.3f} s, then {found.large:.3f} s\n")
    for large, name, seed in reversed(slowest):
        sys.stdout.write(f"slowest: {name} {seed}: {large:.3f} s for {text_of(seed, 60)!r}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
