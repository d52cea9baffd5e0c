"""The history functions and the budget take time in proportion to the messages: 100, 1,000 and 10,000 of them."""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from promptpack.prompt.budget import Budget, fit
from promptpack.prompt.history import (
    early_summary,
    first_and_last_input,
    fold_repeated,
    react_records,
    react_window,
    tool_catalog,
)

SIZES = (100, 1_000, 10_000)
ROUNDS = 7

Message = dict[str, Any]


def main() -> None:
    """Print the time per message at each size, as a ratio to the smallest size."""
    print(f"{'':24}" + "".join(f"{size:>16,}" for size in SIZES) + "   us per message (ratio to the first)")
    worst = 0.0
    for name, run in CLAIMS.items():
        per_message = measure(run)
        ratios = [cost / per_message[0] for cost in per_message]
        worst = max(worst, *ratios)
        cells = (f"{cost * 1e6:8.2f} ({ratio:4.2f})" for cost, ratio in zip(per_message, ratios, strict=True))
        print(f"{name:24}" + "".join(f"{cell:>16}" for cell in cells))
    print(f"\nworst ratio {worst:.2f}; a quadratic function would show {SIZES[-1] // SIZES[0]}")


def measure(run: Callable[[list[Message]], object]) -> list[float]:
    """Take the best of some rounds, the sizes interleaved so that all see the same machine."""
    histories = [history(size) for size in SIZES]
    best = [float("inf")] * len(SIZES)
    for _ in range(ROUNDS):
        for index, messages in enumerate(histories):
            started = time.perf_counter()
            run(messages)
            best[index] = min(best[index], (time.perf_counter() - started) / len(messages))
    return best


def history(size: int) -> list[Message]:
    """Make a conversation: a user's input, a thought, a call and its result, again and again."""
    turns = [turn(number) for number in range(size // 4)]
    return [message for messages in turns for message in messages]


def turn(number: int) -> list[Message]:
    call = {"id": f"c{number}", "function": {"name": f"tool_{number % 50}", "arguments": '{"day": 5}'}}
    return [
        {"role": "user", "content": f"input {number} " * 10, "history": True},
        {"role": "assistant", "content": f"thought {number} " * 10, "history": True},
        {"role": "assistant", "content": "", "tool_calls": [call], "history": True},
        {"role": "tool", "tool_call_id": f"c{number}", "content": f"line {number}\n" * 20, "history": True},
    ]


def tools(size: int) -> list[Message]:
    text = '{"parameters": {"day": "int", "mode": {"type": "string", "enum": ["a", "b"]}}}'
    return [{"name": f"tool_{number}", "desc": "moves a task", "schema_text": text} for number in range(size)]


CLAIMS: dict[str, Callable[[list[Message]], object]] = {
    "react_records": react_records,
    "records, window, fold": lambda messages: fold_repeated(react_window(react_records(messages))),
    "fold without a window": lambda messages: fold_repeated(react_records(messages)),
    "early_summary": lambda messages: early_summary(react_records(messages)),
    "first_and_last_input": lambda messages: first_and_last_input(messages, correction_texts=["try again"]),
    "tool_catalog": lambda messages: tool_catalog(tools(len(messages))),
    "budget: oldest-history": lambda messages: fit(messages, Budget(2_000)),
    "budget: observations": lambda messages: fit(
        messages, Budget(len(messages) * 30, "characters", ("longest-observation", "oldest-history"), shortest=50)
    ),
}


if __name__ == "__main__":
    main()
