"""A clean value is checked at least 40 times quicker than by jsonschema, and no slower than by a pydantic model."""

import json
import sys
from pathlib import Path
from typing import Any, Literal

from jsonschema import Draft202012Validator
from pydantic import BaseModel, ConfigDict, Field

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.measuring import interleave  # noqa: E402
from promptpack import Library  # noqa: E402 -- the checkout, whatever is installed
from promptpack.schema import Schema  # noqa: E402


class Risk(BaseModel):
    level: Literal["low", "medium", "high"]
    description: str
    mitigation: str | None = None


class Task(BaseModel):
    id: str
    description: str
    dependencies: list[str]
    requiredCapabilities: list[str]  # noqa: N815 -- the contract's own name
    estimatedDuration: int = Field(ge=0)  # noqa: N815


class Plan(BaseModel):
    tasks: list[Task] = Field(min_length=1)
    executionOrder: list[str]  # noqa: N815


class Output(BaseModel):
    """The planner's contract as somebody would write it by hand."""

    model_config = ConfigDict(strict=True)

    thought: str
    action: Literal["TASK_PLAN"]
    params: Plan
    expectedOutcome: str  # noqa: N815
    risk: Risk
    confidence: float = Field(ge=0, le=100)
    alternativeActions: list[str] | None = None  # noqa: N815
    requiresUserConfirmation: bool | None = None  # noqa: N815
    userMessage: str | None = None  # noqa: N815


def main() -> None:
    """Print the check of a reply at three sizes, of a context, and of a reply from its text."""
    pack = Library.open(cache=False).get("planner", locale="en")
    assert pack.contract is not None
    for tasks in (5, 50, 500):
        compare(f"reply of {tasks} tasks", pack.contract.schema, reply(tasks), Output)
    context = {"USER_GOAL": "Write the weekly report", "RESOURCE_POOL": {"agents": ["a"] * 20}, "SYSTEM_STATE": {}}
    compare("context of three inputs", pack.context_schema, context, None)
    whole(pack.render(USER_GOAL="Write the weekly report"), json.dumps(reply(5)))


def compare(name: str, schema: Schema, value: Any, model: type[BaseModel] | None) -> None:
    reference = Draft202012Validator(dict(schema.source))
    assert schema.check(value) == ()
    assert reference.is_valid(value)
    runs = {"ours": lambda: schema.check(value), "jsonschema": lambda: reference.is_valid(value)}
    if model is not None:
        runs["pydantic"] = lambda: model.model_validate(value)
    times = interleave(runs, rounds=20, burst=3)
    print(f"{name} ({len(json.dumps(value)):,} characters): {times['ours'].median * 1e6:.1f} us")
    for peer in list(runs)[1:]:
        print(f"  quicker than {peer:12}{times['ours'].times_quicker(times[peer])}")


def whole(prompt: Any, text: str) -> None:
    """Time a reply from text to typed output, with the pack's rules, against reading and checking alone."""
    reference = Draft202012Validator(dict(prompt.pack.contract.schema.source))
    assert prompt.check(text).ok
    runs = {
        "prompt.check": lambda: prompt.check(text),
        "json and jsonschema": lambda: reference.is_valid(json.loads(text)),
        "model_validate_json": lambda: Output.model_validate_json(text),
    }
    times = interleave(runs, rounds=20, burst=3)
    print(f"prompt.check with rules and typed output: {times['prompt.check'].median * 1e6:.1f} us")
    for peer in list(runs)[1:]:
        print(f"  quicker than {peer:20}{times['prompt.check'].times_quicker(times[peer])}")


def reply(tasks: int) -> dict[str, Any]:
    names = [f"task-{number}" for number in range(tasks)]
    return {
        "thought": "The report needs data from version control and the tracker, then a draft. Nothing blocks it.",
        "action": "TASK_PLAN",
        "params": {
            "tasks": [
                {
                    "id": name,
                    "description": "Collect this week's commits and closed issues",
                    "dependencies": names[max(number - 1, 0) : number],
                    "requiredCapabilities": ["git"],
                    "estimatedDuration": 300000,
                }
                for number, name in enumerate(names)
            ],
            "executionOrder": names,
        },
        "expectedOutcome": "A list of tasks that covers the goal",
        "risk": {"level": "low", "description": "One more round trip"},
        "confidence": 85,
        "alternativeActions": ["ask the user"],
        "requiresUserConfirmation": False,
        "userMessage": "Here is the plan.",
    }


if __name__ == "__main__":
    main()
