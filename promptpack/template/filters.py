"""Our own filters, which print values as JSON, as YAML, in a fence or in a readable form; and Jinja's filters on text.

Those get the printed form of a value, and refuse a result that would be too long.
"""

import re
from collections.abc import Callable, Mapping
from functools import wraps
from itertools import chain
from types import MappingProxyType
from typing import Any, Final

from jinja2.exceptions import TemplateRuntimeError
from jinja2.filters import FILTERS as JINJA_FILTERS
from jinja2.filters import do_center, do_indent, do_trim, do_truncate, do_wordwrap, make_attrgetter
from jinja2.utils import pass_environment

from promptpack.characters import break_special_tokens
from promptpack.template.meter import (
    CHARACTERS_A_STEP,
    LimitError,
    check_items,
    check_text,
    current_meter,
    measure,
    step,
    to_list,
)
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


def _on_text(original: Callable[[str], Any]) -> Callable[..., Any]:
    """Pass a filter the text that a template prints for a value, not Python's `str`."""

    @wraps(original)
    def filter_text(value: Any) -> Any:
        return original(to_text(value))

    return filter_text


def _trim(value: Any, chars: str | None = None) -> str:
    return do_trim(to_text(value), chars)


def _center(value: Any, width: int = 80) -> str:
    check_text(width if isinstance(width, int) else 0)
    return do_center(to_text(value), width)


def _indent(s: Any, width: int | str = 4, first: bool = False, blank: bool = False) -> str:
    text = to_text(s)
    unit = width if isinstance(width, int) else len(width)
    check_text(len(text) + (text.count("\n") + 1) * max(unit, 0))
    return do_indent(text, width, first, blank)


@pass_environment
def _join(environment: Any, value: Any, d: Any = "", attribute: Any = None) -> str:
    if attribute is not None:
        value = list(map(make_attrgetter(environment, attribute), to_list(value)))
    if type(value) is list and type(d) is str:
        try:
            characters = sum(map(len, value)) + len(d) * len(value)
            if characters >= CHARACTERS_A_STEP:
                check_text(characters)
            step(1 + len(value))
            return d.join(value)
        except TypeError:
            pass  # not all items are text
    texts = [to_text(item) for item in to_list(value)]
    separator = to_text(d)
    check_text(sum(map(len, texts)) + len(separator) * len(texts))
    return separator.join(texts)


def _replace(s: Any, old: Any, new: Any, count: int | None = None) -> str:
    text = to_text(s)
    check_replacement(text, to_text(old), to_text(new))
    return text.replace(to_text(old), to_text(new), -1 if count is None else count)


def check_replacement(text: str, old: str, new: str) -> None:
    """Refuse a replacement whose result would be too long."""
    places = text.count(old) if old else len(text) + 1
    check_text(len(text) + places * max(len(new) - len(old), 0))


@pass_environment
def _truncate(
    environment: Any, s: Any, length: int = 255, killwords: bool = False, end: str = "...", leeway: int | None = None
) -> str:
    if not isinstance(end, str) or not isinstance(length, int) or length < len(end):
        raise TemplateRuntimeError("length must be a number, at least the length of 'end'\nuse a larger length")
    if leeway is not None and (not isinstance(leeway, int) or leeway < 0):
        raise TemplateRuntimeError("leeway must be at least 0\nuse 0 or more")
    return do_truncate(environment, to_text(s), length, killwords, end, leeway)


@pass_environment
def _wordwrap(
    environment: Any,
    s: Any,
    width: int = 79,
    break_long_words: bool = True,
    wrapstring: str | None = None,
    break_on_hyphens: bool = True,
) -> str:
    if not isinstance(width, int) or width < 1:
        raise TemplateRuntimeError("width must be at least 1\nuse 1 or more")
    text = to_text(s)
    # Wrapping processes each character; two consecutive lines together are longer than one width.
    step(len(text))
    lines = text.count("\n") + 1 + 2 * len(text) // width
    check_text(len(text) + lines * len(wrapstring or "\n"))
    return do_wordwrap(environment, text, width, break_long_words, wrapstring, break_on_hyphens)


TEXT_FILTERS: Final[Mapping[str, Callable[..., Any]]] = MappingProxyType(
    {
        **{
            name: _on_text(JINJA_FILTERS[name])
            for name in ("capitalize", "lower", "string", "title", "upper", "wordcount")
        },
        "center": _center,
        "indent": _indent,
        "join": _join,
        "replace": _replace,
        "safe": to_text,  # prompts are not escaped, so there is nothing to mark as safe
        "trim": _trim,
        "truncate": _truncate,
        "wordwrap": _wordwrap,
    }
)
