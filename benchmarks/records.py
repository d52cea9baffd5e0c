"""Contexts and replies of the six shipped agents as services have them: with UUIDs, digests, dates and nested data.

This module imports only the standard library, so that it works in the environment of any peer.
"""

import json
import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import count, cycle
from typing import Any, Literal
from uuid import UUID

AGENTS = ("understanding", "router", "planner", "executor", "reviewer", "orchestrator")
RECORDS = 64
_START = datetime(2026, 3, 2, 8, 30, tzinfo=UTC)


class Identifiers:
    """Identifiers as databases, storage and version control make them; the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 -- not for secrets

    def uuid(self) -> str:
        return str(UUID(int=self._random.getrandbits(128), version=4))

    def sha256(self) -> str:
        return f"{self._random.getrandbits(256):064x}"

    def commit(self) -> str:
        """Return a short digest that looks like a number with an exponent."""
        return f"{self._random.randrange(10**3):03d}e{self._random.randrange(10**3):03d}"

    def date(self) -> str:
        return (_START + timedelta(minutes=self._random.randrange(10**5))).isoformat()


def contexts(agent: str) -> Iterator[Any]:
    """Yield the contexts of an agent again and again, each time as new objects."""
    return map(json.loads, cycle([json.dumps(make_context(agent, seed)) for seed in range(RECORDS)]))


def requests(agent: str) -> Iterator[tuple[Any, str]]:
    """Yield contexts and the texts of their replies, never the same twice; the tools are new each time too."""
    for seed in count(1):
        context = json.loads(json.dumps(make_context(agent, seed, new_tools=True)))
        yield context, json.dumps(make_reply(agent, seed))


def make_context(agent: str, seed: int, *, new_tools: bool = False) -> dict[str, Any]:
    """Return a context; the tools of the executor are new only on request, because services rarely change them."""
    ids = Identifiers(seed)
    match agent:
        case "understanding":
            return (
                _state(ids) | _task(ids) | _history(ids) | {"USER_INPUT": f"Translate report {ids.uuid()} to English"}
            )
        case "router":
            return _state(ids) | _task(ids) | {"INTENT_ANALYSIS": _intent(ids)}
        case "planner":
            return _state(ids) | _pool(ids) | {"USER_GOAL": f"Write the weekly report for project {ids.uuid()}"}
        case "executor":
            return _task(ids) | _history(ids) | {"AVAILABLE_TOOLS": make_tools(seed if new_tools else 0)}
        case "reviewer":
            return {
                "USER_GOAL": f"Write the weekly report for project {ids.uuid()}",
                "REVIEWED_OUTPUT": make_reply("planner", seed),
                "ALLOWED_ACTIONS": ["TASK_PLAN", "TASK_REPLAN"],
            }
    return _state(ids) | _task(ids) | _pool(ids) | _history(ids)


def make_model(agent: str) -> Any:
    """Return the contract of an agent as a handwritten pydantic model."""
    from pydantic import BaseModel, ConfigDict, Field, create_model

    class Strict(BaseModel):
        model_config = ConfigDict(strict=True)

    class Risk(Strict):
        level: Literal["low", "medium", "high"]
        description: str
        mitigation: str = ""

    def model(**fields: Any) -> Any:
        required: dict[str, Any] = {name: (kind, ...) for name, kind in fields.items()}
        return create_model("Params", __base__=Strict, **required)

    action, params = _model_of(agent, model)
    return create_model(
        "Output",
        __base__=Strict,
        thought=(str, ...),
        action=(action, ...),
        params=(params, ...),
        expectedOutcome=(str, ...),
        risk=(Risk, ...),
        confidence=(float, Field(ge=0, le=100)),
        alternativeActions=(list[str], Field(default_factory=list)),
        requiresUserConfirmation=(bool, False),
        userMessage=(str, ""),
    )


def _model_of(agent: str, model: Callable[..., Any]) -> tuple[Any, Any]:
    match agent:
        case "understanding":
            intent = model(goal=str, action=str, scope=str, urgency=str)
            relation = model(type=str, confidence=float, reasoning=str)
            needs = model(needsCurrentTaskContext=bool, needsExecutionHistory=bool, referencedEntities=list[str])
            params = model(normalizedIntent=intent, taskRelation=relation, contextDependency=needs)
            return Literal["INTENT_ANALYSIS"], params
        case "router":
            return Literal["ROUTE_DECISION"], model(route=str, payload=model(reason=str, requiresConfirmation=bool))
        case "planner":
            names = {"dependencies": list[str], "requiredCapabilities": list[str]}
            task = model(id=str, description=str, estimatedDuration=int, **names)
            tasks = list[task]  # type: ignore[valid-type]  # a class made at run time
            return Literal["TASK_PLAN"], model(tasks=tasks, executionOrder=list[str])
        case "executor":
            return str, model(path=str, options=model(limit=int))
        case "reviewer":
            fields = {"feedback": str, "requiredFixes": list[str]}
            return Literal["REVIEW_RESULT"], model(approved=bool, score=float, **fields)
    return Literal["PHASE_TRANSITION"], model(fromPhase=str, toPhase=str, reason=str, blockers=list[str])


def make_tools(seed: int) -> list[dict[str, Any]]:
    """Return tools with schemas two levels deep."""
    label = Identifiers(seed).commit()
    return [_tool(f"{verb}_{noun}_{label}", noun) for verb in ("read", "list") for noun in ("file", "ticket", "commit")]


def make_reply(agent: str, seed: int = 0) -> dict[str, Any]:
    """Return a reply that meets the contract and all rules of an agent, for the context of the same seed."""
    ids = Identifiers(seed)
    action, params = _decision(agent, seed, ids)
    return {
        "thought": f"The records of {ids.date()} are complete; {ids.commit()} is the last commit. Nothing blocks it.",
        "action": action,
        "params": params,
        "expectedOutcome": f"A result that covers goal {ids.uuid()}",
        "risk": {"level": "low", "description": "One more round trip"},
        "confidence": 85,
        "alternativeActions": ["ask the user"],
        "requiresUserConfirmation": False,
        "userMessage": "Here is the result.",
    }


def _decision(agent: str, seed: int, ids: Identifiers) -> tuple[str, dict[str, Any]]:
    match agent:
        case "understanding":
            return "INTENT_ANALYSIS", _intent(ids)
        case "router":
            payload = {"reason": f"the same task as {ids.uuid()}", "requiresConfirmation": False}
            return "ROUTE_DECISION", {"route": "minor_replan", "payload": payload}
        case "planner":
            return "TASK_PLAN", _plan(ids)
        case "executor":
            return make_tools(seed)[0]["name"], {"path": f"reports/{ids.sha256()}.md", "options": {"limit": 5}}
        case "reviewer":
            fixes: list[str] = []
            return "REVIEW_RESULT", {"approved": True, "score": 92, "feedback": "Complete.", "requiredFixes": fixes}
    reason = f"the plan {ids.uuid()} is approved"
    return "PHASE_TRANSITION", {"fromPhase": "planning", "toPhase": "executing", "reason": reason, "blockers": []}


def _plan(ids: Identifiers) -> dict[str, Any]:
    names = [f"task-{number}" for number in range(5)]
    tasks = [
        {
            "id": name,
            "description": f"Collect the commits since {ids.commit()}",
            "dependencies": names[max(number - 1, 0) : number],
            "requiredCapabilities": ["git"],
            "estimatedDuration": 300000,
        }
        for number, name in enumerate(names)
    ]
    return {"tasks": tasks, "executionOrder": names}


def _state(ids: Identifiers) -> dict[str, Any]:
    finished = [
        {"id": ids.uuid(), "digest": ids.sha256(), "finishedAt": ids.date(), "score": 0.25 * number}
        for number in range(4)
    ]
    state = {"phase": "planning", "phases": ["planning", "executing"], "session": ids.uuid(), "attempt": 2}
    return {"SYSTEM_STATE": state | {"healthy": True, "lastError": None, "finished": finished}}


def _task(ids: Identifiers) -> dict[str, Any]:
    task = {"taskId": ids.uuid(), "goal": "写一份周报，并在周五之前发给团队", "deadline": ids.date(), "progress": 40}
    review = {"approved": False, "score": 62.5, "remarks": ["name the sources", f"check {ids.sha256()}"]}
    return {"TASK_CONTEXT": task | {"commit": ids.commit(), "review": review}}


def _pool(ids: Identifiers) -> dict[str, Any]:
    agents = [{"id": ids.uuid(), "busy": number % 2 == 0, "skills": ["git", "writing"]} for number in range(4)]
    return {"RESOURCE_POOL": {"capabilities": ["git", "writing"], "agents": agents, "tools": ["read_file"]}}


def _history(ids: Identifiers) -> dict[str, Any]:
    roles = ("user", "assistant")
    messages = [{"role": role, "content": f"Step {ids.uuid()} was finished at {ids.date()}."} for role in roles * 3]
    return {"HISTORY": messages}


def _intent(ids: Identifiers) -> dict[str, Any]:
    entities = [ids.uuid(), ids.commit()]
    relation = {"type": "same_task_minor_change", "confidence": 0.92, "reasoning": f"the same as {ids.uuid()}"}
    return {
        "normalizedIntent": {"goal": "Translate it", "action": "modify", "scope": "partial_task", "urgency": "medium"},
        "taskRelation": relation,
        "contextDependency": {
            "needsCurrentTaskContext": True,
            "needsExecutionHistory": False,
            "referencedEntities": entities,
        },
    }


def _tool(name: str, noun: str) -> dict[str, Any]:
    limit = {"type": "integer", "description": "how many results to return"}
    since = {"type": "string", "description": "a day, as in 2026-03-01"}
    options = {"type": "object", "required": ["limit"], "properties": {"limit": limit, "since": since}}
    path = {"type": "string", "description": f"where the {noun} is"}
    properties = {"path": path, "options": options | {"description": "what to leave out"}}
    parameters = {"type": "object", "required": ["path"], "properties": properties}
    return {"name": name, "description": f"Returns a {noun} with its author and its date", "parameters": parameters}
