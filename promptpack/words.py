"""The words that promptpack itself puts into prompts and corrections, by language."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_ENGLISH: Final[Mapping[str, str]] = MappingProxyType(
    {
        "only_json": "Answer with one JSON object and nothing else: no text before or after it, no code fence.",
        "fields": "Fields:",
        "required": "required",
        "optional": "optional",
        "one_of": "one of",
        "range": "{low} to {high}",
        "at_least": "at least {low}",
        "at_most": "at most {high}",
        "not_empty": "not empty",
        "by_action": "depends on the action",
        "any_tool": "the arguments of the chosen tool",
        "free": "free form",
        "example": "Example:",
        "correction": "Your last reply breaks the output contract. Mend only this and send the JSON object again:",
        "correction_unread": "No JSON object could be read from your last reply. Answer with one JSON object only.",
        "allowed": "allowed: {values}",
        "list_of": "list [{item}]",
        "whole_reply": "the reply",
        "hidden": "(hidden)",
    }
)
_CHINESE: Final[Mapping[str, str]] = MappingProxyType(
    {
        "only_json": "只输出一个 JSON 对象：前后不要任何文字，不要代码围栏。",
        "fields": "字段：",
        "required": "必填",
        "optional": "可选",
        "one_of": "取值:",
        "range": "{low} 到 {high}",
        "at_least": "不小于 {low}",
        "at_most": "不大于 {high}",
        "not_empty": "不能为空",
        "by_action": "随 action 而定",
        "any_tool": "所选工具的参数",
        "free": "自由结构",
        "example": "示例：",
        "correction": "上一次的回复不符合输出契约。只修正下列问题，然后重新输出 JSON 对象：",
        "correction_unread": "上一次的回复中没有可读取的 JSON 对象。请只输出一个 JSON 对象。",
        "allowed": "允许的取值：{values}",
        "list_of": "列表 [{item}]",
        "whole_reply": "整个回复",
        "hidden": "（已隐藏）",
    }
)


def words(locale: str) -> Mapping[str, str]:
    """Give the words for a language tag; English where there is no other."""
    return _CHINESE if locale.split("-", maxsplit=1)[0] == "zh" else _ENGLISH
