"""The job of the render benchmark: a 10 KB planner prompt with tools, a history and three JSON dumps."""

import re
from collections.abc import Callable
from typing import Any

from benchmarks.records import Identifiers

TOOLS = 20
ENTRIES = 10
_TAG_LINE = re.compile(r"^({%.*%})\n", re.MULTILINE)
_JSON = re.compile(r"{{ (\w+) \| tojson\(indent=2\) }}")

TEMPLATE = """\
You are {{ AGENT.name }} ({{ AGENT.role }}), version {{ AGENT.version }}.
Split the goal into tasks and put them in order.

## Rules
1. Each task takes five to ten minutes; split what is longer, join what is shorter to its neighbour.
2. A task has one result, and its description says when it is done.
3. A dependency is a task of this plan whose result is needed. No cycles.
4. Use the tools below only. If a needed one is not there, answer ERROR.
{% if AGENT.strict %}
5. Answer with one JSON object and nothing else.
{% endif %}

## System state
{{ SYSTEM_STATE | tojson(indent=2) }}

## Task context
{{ TASK_CONTEXT | tojson(indent=2) }}

## Resources
{{ RESOURCE_POOL | tojson(indent=2) }}

## Tools ({{ TOOLS | length }})
{% for tool in TOOLS %}
{{ loop.index }}. {{ tool.name }} [{{ tool.category }}, risk {{ tool.risk.level }}]: {{ tool.description }}
{% for parameter in tool.parameters %}
   - {{ parameter.name }}: {{ parameter.type }}{% if parameter.required %}!{% endif %} -- {{ parameter.description }}
{% endfor %}
{% if tool.examples %}
   e.g. {{ tool.examples | join("; ") }}
{% endif %}
{% endfor %}

## History
{% for entry in HISTORY %}
[{{ entry.turn }}] {{ entry.role | upper }}{% if entry.tool %} via {{ entry.tool }}{% endif %}: {{ entry.content }}
{% else %}
Nothing yet.
{% endfor %}

## Goal
{{ GOAL }}

Plan for {{ AGENT.name }}; at most {{ RESOURCE_POOL.limits.tasks }} tasks, deadline {{ TASK_CONTEXT.deadline }}."""


def without_settings() -> str:
    """Return a template with the same output for libraries without `trim_blocks` and without our `tojson`."""
    return _JSON.sub(r"{{ \1_JSON }}", _TAG_LINE.sub(r"\1", TEMPLATE))


def as_yaml_part() -> str:
    """Return the template as a YAML part; Prompt Poet renders it before it parses the YAML."""
    text = re.sub(r"^(?=[^\n])(?!{%)", "    ", TEMPLATE, flags=re.MULTILINE)
    text = _JSON.sub(r"{{ escape_special_characters(\1_JSON) }}", _TAG_LINE.sub(r"\1", text))
    return "- name: planner\n  role: system\n  content: |\n" + text + "\n"


def with_placeholders() -> str:
    """Return the prompt with `${NAME}` for each value, for libraries without loops."""
    names = ("SYSTEM_STATE", "TASK_CONTEXT", "RESOURCE_POOL")
    empty = make_context(0, 0)
    marks = {"name": "${AGENT}", "role": "${ROLE}", "version": "${VERSION}", "strict": True}
    empty |= {"AGENT": marks, "GOAL": "${GOAL}"}
    empty["TASK_CONTEXT"] = empty["TASK_CONTEXT"] | {"deadline": "${DEADLINE}"}
    empty["RESOURCE_POOL"] = {"limits": {"tasks": "${TASKS}"}}
    text = write_by_hand(empty, dict(zip(names, ("${STATE}", "${CONTEXT}", "${POOL}"), strict=True)).__getitem__)
    return text.replace("## Tools (0)\n", "## Tools (${COUNT})\n${TOOLS}").replace("Nothing yet.\n", "${HISTORY}")


def placeholders(context: dict[str, Any], dump: Callable[[Any], str]) -> dict[str, str]:
    """Return the values for `with_placeholders`."""
    agent, pool, task = context["AGENT"], context["RESOURCE_POOL"], context["TASK_CONTEXT"]
    return {
        "AGENT": agent["name"],
        "ROLE": agent["role"],
        "VERSION": agent["version"],
        "STATE": dump(context["SYSTEM_STATE"]),
        "CONTEXT": dump(task),
        "POOL": dump(pool),
        "COUNT": str(len(context["TOOLS"])),
        "TOOLS": "".join(_write_tool(number, tool) for number, tool in enumerate(context["TOOLS"], 1)),
        "HISTORY": "".join(map(_write_entry, context["HISTORY"])) or "Nothing yet.\n",
        "GOAL": context["GOAL"],
        "TASKS": str(pool["limits"]["tasks"]),
        "DEADLINE": task["deadline"],
    }


def make_context(tools: int = TOOLS, entries: int = ENTRIES, tasks: int = 7) -> dict[str, Any]:
    """Return a context of the given sizes, with identifiers as services have them."""
    ids = Identifiers(0)
    return {
        "AGENT": {"name": "planner-agent", "role": "规划", "version": "1.0.0", "strict": True},
        "SYSTEM_STATE": {
            "phase": "planning",
            "attempt": 2,
            "healthy": True,
            "lastError": None,
            "load": 0.75,
            "locale": "zh-CN",
            "finished": [{"id": ids.uuid(), "result": "完成", "score": 90 + number} for number in range(tasks)],
        },
        "TASK_CONTEXT": {
            "goal": "写一份周报，并在周五之前发给团队",
            "deadline": "2026-03-06T18:00:00+08:00",
            "commit": ids.commit(),
            "digest": ids.sha256(),
            "constraints": ["不发送任何邮件", "only public data", "at most ten pages"],
            "review": {"approved": False, "score": 62, "remarks": ["name the sources", "check the totals"]},
        },
        "RESOURCE_POOL": {
            "capabilities": ["git", "writing", "spreadsheet", "search", "calendar"],
            "limits": {"tasks": 12, "minutes": 90, "tokens": 120000},
            "agents": [
                {"id": ids.uuid(), "busy": number % 2 == 0, "skills": ["read", "write"]} for number in range(tasks)
            ],
        },
        "TOOLS": [_tool(number) for number in range(tools)],
        "HISTORY": [_entry(number) for number in range(entries)],
        "GOAL": "Write this week's report from the commits, the tickets and the calendar; 用中文总结。",
    }


def changed(value: Any) -> Any:
    """Return a value of the same shape and size with other texts and numbers."""
    match value:
        case dict():
            return {key: changed(item) for key, item in value.items()}
        case list():
            return [changed(item) for item in value]
        case str():
            return f"{value[:-1]}~"
        case int() | float() if not isinstance(value, bool):
            return value + 1
    return value


def _tool(number: int) -> dict[str, Any]:
    parameters = [
        {"name": "query", "type": "string", "required": True, "description": "what to look for, in plain words"},
        {"name": "limit", "type": "integer", "required": False, "description": "how many results to give at most"},
        {"name": "since", "type": "string", "required": False, "description": "a day, as in 2026-03-01"},
    ]
    return {
        "name": f"tool_{number}",
        "category": ("search", "files", "calendar")[number % 3],
        "risk": {"level": ("low", "medium", "high")[number % 3]},
        "description": f"finds what belongs to area {number} of the workspace, and tells where each result comes from",
        "parameters": parameters[: 1 + number % 3],
        "examples": [f"tool_{number}(query='weekly')", "tool(query='周报', limit=5)"] if number % 2 else [],
    }


def _entry(number: int) -> dict[str, Any]:
    return {
        "turn": number + 1,
        "role": ("user", "assistant", "tool")[number % 3],
        "tool": f"tool_{number}" if number % 3 == 2 else None,
        "content": f"Step {number}: looked into the week's tickets and noted what is still open, what is late, "
        f"and who waits for whom; nothing was sent. 第{number}步完成了。",
    }


def write_by_hand(context: dict[str, Any], dump: Callable[[str], str]) -> str:
    """Return the prompt from plain Python code: the lower bound of the cost."""
    agent, pool, task = context["AGENT"], context["RESOURCE_POOL"], context["TASK_CONTEXT"]
    rule = "5. Answer with one JSON object and nothing else.\n" if agent["strict"] else ""
    rules = TEMPLATE[TEMPLATE.index("Split the goal") : TEMPLATE.index("{% if AGENT.strict")]
    tools = "".join(_write_tool(number, tool) for number, tool in enumerate(context["TOOLS"], 1))
    history = "".join(map(_write_entry, context["HISTORY"])) or "Nothing yet.\n"
    return (
        f"You are {agent['name']} ({agent['role']}), version {agent['version']}.\n{rules}{rule}\n"
        f"## System state\n{dump('SYSTEM_STATE')}\n\n## Task context\n{dump('TASK_CONTEXT')}\n\n"
        f"## Resources\n{dump('RESOURCE_POOL')}\n\n## Tools ({len(context['TOOLS'])})\n{tools}\n"
        f"## History\n{history}\n## Goal\n{context['GOAL']}\n\n"
        f"Plan for {agent['name']}; at most {pool['limits']['tasks']} tasks, deadline {task['deadline']}."
    )


def _write_tool(number: int, tool: dict[str, Any]) -> str:
    head = f"{number}. {tool['name']} [{tool['category']}, risk {tool['risk']['level']}]: {tool['description']}\n"
    parameters = "".join(
        f"   - {one['name']}: {one['type']}{'!' if one['required'] else ''} -- {one['description']}\n"
        for one in tool["parameters"]
    )
    examples = f"   e.g. {'; '.join(tool['examples'])}\n" if tool["examples"] else ""
    return head + parameters + examples


def _write_entry(entry: dict[str, Any]) -> str:
    tool = f" via {entry['tool']}" if entry["tool"] else ""
    return f"[{entry['turn']}] {entry['role'].upper()}{tool}: {entry['content']}\n"
