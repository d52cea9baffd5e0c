"""The history functions and the budget take linear time: measured with 100, 1,000 and 10,000 messages."""

from collections.abc import Callable
from typing import Any

from benchmarks.measuring import Job
from benchmarks.sides import Side, Table

SIZES = (100, 1_000, 10_000)

Message = dict[str, Any]


def growing(name: str, size: int) -> Job:
    """Run one function on the given number of messages; the result is whether it returns anything."""
    run, messages = _functions()[name], history(size)
    return Job(lambda: run(messages), lambda: bool(run(messages)))


def history(size: int) -> list[Message]:
    """Return a conversation that repeats a user input, a thought, a tool call and its result."""
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


def _functions() -> dict[str, Callable[[list[Message]], object]]:
    from promptpack.prompt.budget import Budget, fit
    from promptpack.template import history as functions

    records = functions.react_records
    return {
        "records": records,
        "records, window, fold": lambda given: functions.fold_repeated(functions.react_window(records(given))),
        "records, fold": lambda given: functions.fold_repeated(records(given)),
        "records, early summary": lambda given: functions.early_summary(records(given)),
        "first and last input": lambda given: functions.first_and_last_input(given, correction_texts=["try again"]),
        "tool catalogue": lambda given: functions.tool_catalog(tools(len(given))),
        "budget, oldest history": lambda given: fit(given, Budget(2_000)),
        "budget, observations": lambda given: fit(
            given, Budget(len(given) * 30, "characters", ("longest-observation", "oldest-history"), shortest=50)
        ),
    }


def tables() -> tuple[Table, ...]:
    sides = (
        Side(
            f"{name}, {size:,}",
            growing,
            (name, size),
            over=f"{name}, {SIZES[0]}" if size > SIZES[0] else "",
            units=size,
        )
        for name in _functions()
        for size in SIZES
    )
    return (Table("history-growth", "History functions, per message", tuple(sides), rounds=7, shown="cost"),)
