"""Our own filters: values as JSON, as YAML or in a fence, chat histories and tools in a readable form."""

import re
from collections.abc import Callable, Mapping
from itertools import chain
from types import MappingProxyType
from typing import Any, Final

from jinja2.exceptions import TemplateRuntimeError

from promptpack.characters import break_special_tokens
from promptpack.template.meter import LimitError, check_items, current_meter, measure, step
from promptpack.template.values import PACK_INDENT, resolve_lazy, to_json, to_text

_WIDEST_INDENT: Final = 8
# Searching special tokens or line ends and writing YAML take longer than other work on the same text.
_CHARACTERS_A_STEP_OF_A_FENCE: Final = 16
_CHARACTERS_A_STEP_OF_AN_ENTRY: Final = 8
_STEPS_OF_A_YAML_VALUE: Final = 25
# Every character sequence that a program may display as a line break.
_LINE_END = re.compile("\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_FENCE_RUN = re.compile(r"`{3,}|~{3,}")


def as_json(
    value: Any,
    indent: int | None = PACK_INDENT,
    ensure_ascii: bool = False,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """Print a value as JSON; with `indent=none` on one line, with `ensure_ascii=true` in ASCII."""
    if indent is not None and indent != PACK_INDENT and not 0 <= indent <= _WIDEST_INDENT:
        raise LimitError("format", f"indent must be between 0 and {_WIDEST_INDENT}")
    if separators is not None and sum(map(len, separators)) > _WIDEST_INDENT:
        raise LimitError("format", f"separators must not be longer than {_WIDEST_INDENT} characters")
    if not ensure_ascii and separators is None and not sort_keys:
        return to_json(value, indent)
    return to_json(value, indent, ensure_ascii=bool(ensure_ascii), separators=separators, sort_keys=bool(sort_keys))


def as_yaml(value: Any) -> str:
    """Print a value as YAML; keep key order and non-ASCII characters, without a newline at the end."""
    import yaml

    step(_STEPS_OF_A_YAML_VALUE * measure(value))
    data = resolve_lazy(value)
    text: str = yaml.dump(
        data, Dumper=yaml.CSafeDumper, allow_unicode=True, sort_keys=False, default_flow_style=False, width=1000
    )
    return text.removesuffix("\n").removesuffix("\n...")


def fenced(value: Any, tag: str = "") -> str:
    """Wrap a value in a fence that is too long for the value to close; special tokens get a space."""
    if not isinstance(tag, str) or "`" in tag or len(tag.splitlines()) > 1:
        raise TemplateRuntimeError(
            "the tag of a fence must be one line without backticks\nwrite a short word, such as 'json'"
        )
    text = to_text(value)
    # Characters that may start a token take longer than others.
    starts = text.count("<") + text.count("[")
    meter = current_meter()
    meter.step(1 + len(text) // _CHARACTERS_A_STEP_OF_A_FENCE + starts // 2)
    if starts:
        text = break_special_tokens(text)
    runs = _FENCE_RUN.findall(text) if "`" in text or "~" in text else ()
    fence = "`" * (1 + max(map(len, runs), default=2))
    meter.check_text(len(text) + len(tag) + 2 * len(fence) + 2)
    return f"{fence}{tag}\n{text}\n{fence}"


def history(value: Any, empty: str = "") -> str:
    """Print chat messages as `[role] text`; further lines are indented, so that none looks like a role."""
    if not isinstance(value, list):
        raise TemplateRuntimeError("history needs a list of messages\npass a list, each item with 'role' and 'content'")
    return "\n".join(_message_lines(message) for message in value) or empty


def _message_lines(message: Any) -> str:
    if not isinstance(message, Mapping):
        return _entry("note", to_text(message))
    name = message.get("name")
    role = to_text(message.get("role", "user"))
    body = [to_text(message["content"])] if message.get("content") not in (None, "") else []
    body += [f"-> {_call_line(call)}" for call in message.get("tool_calls") or ()]
    return _entry(f"{role} {name}" if name else role, "\n".join(body))


def _call_line(call: Any) -> str:
    function = call.get("function", call) if isinstance(call, Mapping) else {}
    arguments = function.get("arguments", {})
    return f"{function.get('name', 'tool')}({arguments if isinstance(arguments, str) else to_json(arguments, None)})"


def _entry(label: str, text: str) -> str:
    step(len(text) // _CHARACTERS_A_STEP_OF_AN_ENTRY)
    return f"[{' '.join(label.split())}] " + _LINE_END.sub("\n    ", text)


def tools(value: Any, empty: str = "") -> str:
    """Print one tool per line, required parameters first, as `name(a: string, b?: integer): description`."""
    if not isinstance(value, list):
        raise TemplateRuntimeError("tools needs a list of tools\npass a list, each item with 'name' and 'parameters'")
    return "\n".join(_tool_line(tool) for tool in value) or empty


def flatten(value: Any) -> list[Any]:
    """Merge a list of lists into one list."""
    meter = current_meter()
    lists = [items if isinstance(items, (list, tuple)) else (items,) for items in meter.collect(value, 1)]
    meter.check_items(sum(map(len, lists)))
    return list(chain.from_iterable(lists))


def out_of_order(tasks: Any, order: Any, key: str = "id", needs: str = "dependencies") -> list[str]:
    """List the tasks that come before a task they need, as `b before a`; includes tasks that need themselves."""
    if not isinstance(tasks, list) or not isinstance(order, list):
        raise TemplateRuntimeError("out_of_order needs a list of tasks and a list of their ids\npass two lists")
    needed = [task[needs] for task in tasks]
    check_items(len(order) + sum(map(len, needed)))
    positions: dict[str, int] = {}
    for position, name in enumerate(order):
        positions.setdefault(name if type(name) is str else to_text(name), position)
    pairs = [(task[key], need) for task, names in zip(tasks, needed, strict=True) for need in names]
    return [
        f"{task} before {need}"
        for task, need in map(_as_texts, pairs)
        if task in positions and need in positions and positions[task] <= positions[need]
    ]


def _as_texts(pair: tuple[Any, Any]) -> tuple[str, str]:
    task, need = pair
    if type(task) is type(need) is str:
        return pair
    return to_text(task), to_text(need)


def _tool_line(tool: Any) -> str:
    inner = tool.get("function", tool) if isinstance(tool, Mapping) else {}
    schema: Any = next((inner[key] for key in ("parameters", "input_schema", "inputSchema") if key in inner), {})
    parameters = _parameters(schema) if isinstance(schema, Mapping) else ""
    description = " ".join(str(inner.get("description", inner.get("desc", ""))).split())
    return f"- {inner.get('name', '?')}({parameters})" + (f": {description}" if description else "")


def _parameters(schema: Mapping[str, Any]) -> str:
    properties = schema.get("properties", {} if schema.get("type") == "object" else schema)
    required = schema.get("required", ())
    named = [
        (name not in required, f"{name}{'' if name in required else '?'}: {_parameter_kind(field)}")
        for name, field in properties.items()
    ]
    return ", ".join(text for _, text in sorted(named, key=lambda entry: entry[0]))


def _parameter_kind(field: Any) -> str:
    if isinstance(field, Mapping):
        if isinstance(field.get("enum"), list):
            return "|".join(to_text(choice) for choice in field["enum"])
        return to_text(field.get("type", "any"))
    return to_text(field)


FILTERS: Final[Mapping[str, Callable[..., Any]]] = MappingProxyType(
    {
        "json": as_json,
        "tojson": as_json,
        "yaml": as_yaml,
        "fenced": fenced,
        "history": history,
        "tools": tools,
        "flatten": flatten,
        "out_of_order": out_of_order,
    }
)
