"""What the examples share: a scripted model, a tool that fails once, a user who agrees, and what is printed."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import yaml

from promptpack import Verdict
from promptpack.flow import FlowStep

TOOL = {
    "name": "count_tickets",
    "description": "Counts this week's open tickets by one field.",
    "parameters": {"type": "object", "required": ["by"], "properties": {"by": {"enum": ["priority", "area"]}}},
}
_DATA = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text("utf-8"))
GIVEN: dict[str, Any] = {**_DATA["given"], "AVAILABLE_TOOLS": [TOOL]}


class Script:
    """A model that answers each step with the next of its prepared replies."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self._replies = {step: iter(replies) for step, replies in _DATA["replies"].items()}

    def reply(self, step: str) -> str:
        """Return the next reply of a step."""
        self.asked[step] += 1
        return json.dumps(next(self._replies[step]))


def count_tickets(by: str) -> dict[str, int]:
    """Count the open tickets; the table of areas is on a server that does not answer."""
    if by == "area":
        raise ConnectionError("the ticket server does not answer")
    return {"high": 2, "medium": 1, "low": 1}


def finish(step: FlowStep, verdict: Verdict, script: Script) -> dict[str, Any]:
    """Call the tool that a reply names, and print the step; return the result as a value for the flow."""
    asked = script.asked.pop(step.name)
    words = [f"{step.name}: {verdict.data['action']}"] + ([f"after {asked - 1} correction"] if asked > 1 else [])
    result: dict[str, Any] = {}
    if verdict.data["action"] == TOOL["name"]:
        try:
            result = {"result": count_tickets(**verdict.data["params"])}
        except ConnectionError as error:
            result = {"result": {"error": str(error)}}
        words.append(str(result["result"]))
    words += [str(verdict.data["params"][key]) for key in ("feedback", "strategy") if key in verdict.data["params"]]
    print(", ".join(words))
    return result


def ask_user(question: str) -> bool:
    """Return the user's answer."""
    print(f"  {question} yes")
    return True
