"""The planner's contract in other forms: a handwritten model, a pydantic-core schema, and replies to check."""

from typing import Any, Literal


def make_reply(tasks: int = 5) -> dict[str, Any]:
    """Return a clean reply; five tasks make 1.3 KB."""
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


def make_context() -> dict[str, Any]:
    """Return a clean context with the three inputs of the planner."""
    pool = {"capabilities": ["git", "writing"], "agents": [f"agent-{number}" for number in range(20)]}
    return {"USER_GOAL": "Write the weekly report", "RESOURCE_POOL": pool, "SYSTEM_STATE": {"phase": "planning"}}


REPLIES: tuple[dict[str, Any], ...] = (
    make_reply(),
    *({key: value for key, value in make_reply().items() if key != name} for name in ("thought", "params", "risk")),
    make_reply() | {"action": "GUESS"},
    make_reply() | {"confidence": 101},
    make_reply() | {"confidence": "85"},
    make_reply() | {"risk": {"level": "none", "description": ""}},
    make_reply() | {"params": {"tasks": [], "executionOrder": []}},
    make_reply() | {"params": {"tasks": [{"id": "task-1"}], "executionOrder": []}},
    make_reply() | {"alternativeActions": [1]},
    make_reply() | {"userMessage": None},
)
CONTEXTS: tuple[dict[str, Any], ...] = (
    make_context(),
    {"USER_GOAL": "Write"},
    {},
    {"USER_GOAL": ""},
    {"USER_GOAL": 1},
    make_context() | {"SYSTEM_STATE": []},
    make_context() | {"RESOURCE_POOL": {"capabilities": [1]}},
)


def models() -> dict[str, Any]:
    """Return the contract and the inputs as handwritten pydantic models."""
    from pydantic import BaseModel, ConfigDict, Field

    class Strict(BaseModel):
        model_config = ConfigDict(strict=True)

    class Risk(Strict):
        level: Literal["low", "medium", "high"]
        description: str
        mitigation: str = ""

    class Task(Strict):
        id: str
        description: str
        dependencies: list[str]
        requiredCapabilities: list[str]  # noqa: N815 -- the contract's own names
        estimatedDuration: int = Field(ge=0)  # noqa: N815

    class Plan(Strict):
        tasks: list[Task] = Field(min_length=1)
        executionOrder: list[str]  # noqa: N815

    class Output(Strict):
        thought: str
        action: Literal["TASK_PLAN"]
        params: Plan
        expectedOutcome: str  # noqa: N815
        risk: Risk
        confidence: float = Field(ge=0, le=100)
        alternativeActions: list[str] = Field(default_factory=list)  # noqa: N815
        requiresUserConfirmation: bool = False  # noqa: N815
        userMessage: str = ""  # noqa: N815

    class Pool(Strict):
        model_config = ConfigDict(strict=True, extra="allow")
        capabilities: list[str] = Field(default_factory=list)

    class Inputs(Strict):
        USER_GOAL: str = Field(min_length=1)
        SYSTEM_STATE: dict[str, Any] = Field(default_factory=dict)
        RESOURCE_POOL: Pool = Field(default_factory=Pool)

    return {"reply": Output, "context": Inputs}


def core_schema(schema: dict[str, Any]) -> Any:
    """Compile the JSON Schema of a plan or of the inputs to a pydantic-core validator; supports only their keywords."""
    from pydantic_core import SchemaValidator

    return SchemaValidator(_compile(_plain(schema), schema))


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """Replace the conditions by their result for a plan, because pydantic-core has no conditions."""
    if "allOf" not in schema:
        return schema
    plan = {"action": {"const": "TASK_PLAN"}, "params": {"$ref": "#/$defs/params.TASK_PLAN"}}
    return schema | {"properties": schema["properties"] | plan}


def _compile(schema: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        found = root
        for key in schema["$ref"].removeprefix("#/").split("/"):
            found = found[key]
        return _compile(found, root)
    if "const" in schema or "enum" in schema:
        return {"type": "literal", "expected": schema.get("enum", [schema.get("const")])}
    made = {"type": _KINDS[schema["type"]], "strict": True}
    made |= {name: schema[keyword] for keyword, name in _BOUNDS.items() if keyword in schema}
    if "items" in schema:
        made["items_schema"] = _compile(schema["items"], root)
    if "properties" in schema:
        made |= {"type": "typed-dict", "extra_behavior": "allow", "fields": _compile_fields(schema, root)}
    return made


_KINDS = {"object": "dict", "array": "list", "string": "str", "boolean": "bool", "integer": "int", "number": "float"}
_BOUNDS = {"minimum": "ge", "maximum": "le", "minLength": "min_length", "minItems": "min_length"}


def _compile_fields(schema: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    required = schema.get("required", ())
    return {
        name: {"type": "typed-dict-field", "schema": _compile(part, root), "required": name in required}
        for name, part in schema["properties"].items()
    }
