"""Run the vectors of the execute context; the results have the form of `expect`."""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from promptpack import Library
from promptpack.pack.model import Pack
from promptpack.template import history
from promptpack.template.history.go_format import format_value
from promptpack.template.history.go_json import read

PACKS: Final = Path(__file__).parents[2] / "packs"

RETURN_TYPE: Final = "string（自然语言文本）"
DEFAULT_RETURN: Final = "自然语言结果（成功/失败原因/关键数据摘要）。"
FOLDED: Final = "当前工具调用结果过于久远，已经被删除。"
RECORD_TEXTS: Final[dict[str, Any]] = {"no_thought": "（未记录）", "no_observation": "该工具调用尚未返回结果。"}
SUMMARY_TEXTS: Final[dict[str, Any]] = {
    "empty": "暂无。",
    "covered": "无（当前窗口已覆盖全部 ReAct 记录）。",
    "folded": "已折叠 {count} 条旧记录，涉及：{tools}。",
    "tool": "{name}×{count}",
    "separator": "、",
}
PARAMETER_TEXTS: Final[dict[str, Any]] = {"required": "必填", "optional": "可选", "separator": "；"}
CATALOG_TEXTS: Final[dict[str, Any]] = {
    "header": "可用工具（简表）：",
    "entry": (
        "{number}. {name}：{description}\n   参数：{parameters}\n"
        f"   返回类型：{RETURN_TYPE}\n   返回示例：{{returns}}"
    ),
    "no_description": "无描述",
    "default_return": DEFAULT_RETURN,
}
# The names of a record's fields in the vectors -> our names.
RECORD_FIELDS: Final = {
    "thought": "thought",
    "tool_name": "tool",
    "tool_args": "arguments",
    "observation": "observation",
}


def run_executor(case: Mapping[str, Any]) -> Any:
    """Run one case of `vectors.json` or `unit_vectors.json`."""
    given = case["input"]
    return UNITS[given["fn"]](given) if "fn" in given else _run_whole(given)


def _run_whole(given: Mapping[str, Any]) -> dict[str, Any]:
    inputs = _inputs(given)
    records = history.react_records(inputs["HISTORY"], **RECORD_TEXTS)
    window = history.fold_repeated(history.react_window(records), FOLDED)
    asked = history.first_and_last_input(inputs["HISTORY"], **_corrections())
    return {
        "messages": [{"role": one.role, "content": one.content} for one in _pack().render(inputs).messages],
        "merged_system_prompt": _merged_prompt(inputs),
        "first_user": asked["first"],
        "last_user": asked["last"],
        "rough_build_done": _rough_build_done(inputs),
        "records": _to_vector_names(records),
        "window": _to_vector_names(window),
        "early_summary": history.early_summary(records, **SUMMARY_TEXTS),
        "tool_catalog": _tool_catalog(inputs["AVAILABLE_TOOLS"]),
        "param_summaries": [_parameter_summary(tool) for tool in inputs["AVAILABLE_TOOLS"]],
        "task_class_text": _task_class_text(inputs["SYSTEM_STATE"] or {}),
    }


def _inputs(given: Mapping[str, Any]) -> dict[str, Any]:
    context = given["ctx"]
    return {
        "SYSTEM_PROMPT": context["system_prompt"] if context else "",
        "STAGE_PROMPT": given["stage_system_prompt"],
        "INSTRUCTION": given["runtime_user_prompt"],
        "HISTORY": (context["history"] or []) if context else None,
        "AVAILABLE_TOOLS": (context["tool_schemas"] or []) if context else [],
        "PINNED_BLOCKS": (context["pinned_blocks"] or []) if context else [],
        "SYSTEM_STATE": given["state"],
    }


@cache
def _pack() -> Pack:
    return Library.open(str(PACKS)).get("smart-executor")


def _default(name: str) -> Any:
    return _pack().inputs[name].schema["default"]


def _corrections() -> dict[str, Any]:
    return {"correction_extra": _default("CORRECTION_EXTRA"), "correction_texts": _default("CORRECTION_TEXTS")}


def _merged_prompt(inputs: Mapping[str, Any]) -> str:
    parts = [history.trim_space(inputs[name]) for name in ("SYSTEM_PROMPT", "STAGE_PROMPT")]
    return "\n\n".join(part for part in parts if part)


def _rough_build_done(inputs: Mapping[str, Any]) -> bool:
    return "rough_build_done" in [history.trim_space(block["key"]) for block in inputs["PINNED_BLOCKS"]]


def _tool_catalog(tools: list[dict[str, Any]]) -> str:
    return history.tool_catalog(
        tools, style="flat", returns=_default("RETURN_HINTS"), **CATALOG_TEXTS, **PARAMETER_TEXTS
    )


def _parameter_summary(tool: Mapping[str, Any]) -> str:
    return history.parameter_text(history.tool_parameters(tool, "flat"), **PARAMETER_TEXTS)


def _task_class_text(state: Mapping[str, Any]) -> str:
    ids = state.get("task_class_ids") or []
    return f"task_class_ids=[{','.join(str(one) for one in ids)}]" if ids else ""


def _to_vector_names(records: list[dict[str, str]]) -> list[dict[str, str]]:
    return [{vector_name: record[name] for vector_name, name in RECORD_FIELDS.items()} for record in records]


def _to_our_names(records: list[dict[str, str]]) -> list[dict[str, str]]:
    return [{name: record[vector_name] for vector_name, name in RECORD_FIELDS.items()} for record in records]


def _return_hint(given: Mapping[str, Any]) -> list[str]:
    return [RETURN_TYPE, history.return_hint(given["tool_name"], _default("RETURN_HINTS"), DEFAULT_RETURN)]


UNITS: Final[Mapping[str, Callable[[Mapping[str, Any]], Any]]] = MappingProxyType(
    {
        "compact_text": lambda given: history.compact(given["text"], given["max_len"]),
        "first_line": lambda given: history.first_line(given["text"]),
        "go_v": lambda given: format_value(read(given["value_json"])),
        "param_summary": _parameter_summary,
        "return_hint": _return_hint,
        "tool_call_text": lambda given: history.tool_call_text(
            {"tool": given["tool_name"], "arguments": given["tool_args"]}
        ),
        "tail_loops": lambda given: _to_vector_names(
            history.react_window(_to_our_names(given["records"]), given["limit"])
        ),
        "compress": lambda given: _to_vector_names(history.fold_repeated(_to_our_names(given["records"]), FOLDED)),
        "early_summary": lambda given: history.early_summary(
            _to_our_names(given["records"]), given["limit"], **SUMMARY_TEXTS
        ),
    }
)
