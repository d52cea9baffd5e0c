"""The texts that promptpack itself puts into prompts and corrections, by language."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_TEXTS: Final[Mapping[str, tuple[str, str]]] = {
    "only_json": (
        "Answer with one JSON object and nothing else: no text before or after it, no code fence.",
        "只输出一个 JSON 对象：前后不要任何文字，不要代码围栏。",
    ),
    "fields": ("Fields:", "字段："),
    "required": ("required", "必填"),
    "optional": ("optional", "可选"),
    "one_of": ("one of", "取值:"),
    "range": ("{low} to {high}", "{low} 到 {high}"),
    "at_least": ("at least {low}", "不小于 {low}"),
    "at_most": ("at most {high}", "不大于 {high}"),
    "not_empty": ("not empty", "不能为空"),
    "by_action": ("depends on the action", "随 action 而定"),
    "any_tool": ("the arguments of the chosen tool", "所选工具的参数"),
    "free": ("free form", "自由结构"),
    "example": ("Example:", "示例："),
    "correction": (
        "Your last reply breaks the output contract. Fix only the following and resend the JSON object:",
        "上一次的回复不符合输出契约。只修正下列问题，然后重新输出 JSON 对象：",
    ),
    "correction_unread": (
        "Your last reply contains no readable JSON object. Answer with one JSON object only.",
        "上一次的回复中没有可读取的 JSON 对象。请只输出一个 JSON 对象。",
    ),
    "list_of": ("list [{item}]", "列表 [{item}]"),
    "whole_reply": ("the reply", "整个回复"),
    "or": (" or ", " 或 "),
    "and": ("; ", "；"),
    "kind.object": ("an object", "对象"),
    "kind.array": ("a list", "列表"),
    "kind.string": ("text", "文本"),
    "kind.number": ("a number", "数字"),
    "kind.integer": ("a whole number", "整数"),
    "kind.boolean": ("true or false", "true 或 false"),
    "kind.null": ("null", "null"),
    "say.required": ("is missing", "缺少该字段"),
    "say.type": ("must be {expected}", "必须是{expected}"),
    "say.enum": ("must be one of {expected}", "只能取 {expected}"),
    "say.const": ("must be {expected}", "必须是 {expected}"),
    "say.minimum": ("must be at least {expected}", "不能小于 {expected}"),
    "say.maximum": ("must be at most {expected}", "不能大于 {expected}"),
    "say.minItems": ("must have at least {expected} item(s)", "至少要有 {expected} 项"),
    "say.maxItems": ("must have at most {expected} item(s)", "最多 {expected} 项"),
    "say.minLength": ("must have at least {expected} character(s)", "至少要有 {expected} 个字符"),
    "say.maxLength": ("must have at most {expected} character(s)", "最多 {expected} 个字符"),
    "say.pattern": ("must match the pattern {expected}", "必须匹配 {expected}"),
    "say.additionalProperties": ("is not a known field; remove it", "不是已知字段，请删除"),
    "say.ambiguous": (
        "contains conflicting answers; send exactly one JSON object",
        "有多个互相冲突的答案，只能输出一个 JSON 对象",
    ),
    "say.truncated": ("is cut off; send it in full", "回复在中途被截断，请完整输出"),
    "say.duplicate": ("is given twice with different values; send it once", "重复出现且取值不同"),
    "say.unclear": ("can be read in more than one way; write one value", "有多种读法，请只写一个值"),
    "say.unclosed": (
        "has no closing brace and may be cut off or incomplete; send it complete",
        "缺少结尾的大括号，可能被截断或不完整，请完整输出",
    ),
    "say.unread": (
        "could not be read with certainty; send the complete JSON object alone, as strict JSON",
        "无法确定其内容，请只输出一个完整、严格的 JSON 对象",
    ),
    "say.others": (
        "is unknown to this agent, the object may belong to another agent",
        "不是本智能体的动作，该对象可能属于另一个智能体",
    ),
    "say.invisible": (
        "contains the invisible character {expected}; remove it",
        "含有不可见字符 {expected}，请去掉",
    ),
    "written": (" (you wrote {expected})", "（写的是 {expected}）"),
    "say.non_finite": ("must be a finite number", "必须是有限的数字"),
    "say.elided": ("was shortened; write it in full", "有内容被省略，请完整写出"),
    "say.uniqueItems": ("must not contain duplicate items", "各项不能重复"),
    "say.exclusiveMinimum": ("must be more than {expected}", "必须大于 {expected}"),
    "say.exclusiveMaximum": ("must be less than {expected}", "必须小于 {expected}"),
    "say.multipleOf": ("must be a multiple of {expected}", "必须是 {expected} 的倍数"),
    "say.minProperties": ("must have at least {expected} field(s)", "至少要有 {expected} 个字段"),
    "say.maxProperties": ("must have at most {expected} field(s)", "最多 {expected} 个字段"),
    "say.unevaluatedProperties": ("is not a known field; remove it", "不是已知字段，请删除"),
    "say.multiple": ("contains more than one JSON object; send exactly one", "输出了多个对象，只能输出一个"),
    "say.no_json": ("contains no readable JSON object; send exactly one", "没有可读取的 JSON 对象，请只输出一个"),
    "say.empty": ("is empty; send one JSON object", "回复为空，请输出一个 JSON 对象"),
    "say.echo": ("repeats the example; send your own answer", "重复了示例，请给出你自己的答案"),
    "say.number": ("is a number that is too long or too large", "数字过长或过大"),
    "say.limit": ("is too large to check; shorten it", "内容过大，无法检查，请精简"),
    "say.size": ("is too long; shorten it", "回复过长，请精简"),
    "say.depth": ("is nested too deeply", "嵌套过深"),
    "say.nodes": ("contains too many values; send fewer", "值的数量过多，请精简"),
    "say.candidates": ("contains too many JSON objects; send exactly one", "输出的对象过多，只能输出一个"),
    "say.wrapped": (
        "must be the JSON object alone, without text or a code fence around it",
        "只输出 JSON 对象，前后不要文字或代码围栏",
    ),
    "say.repair": ("must be strict JSON, as the contract requires", "必须按契约写成严格的 JSON"),
    "say.syntax": ("is not valid JSON; write strict JSON", "不是 JSON，请写成严格的 JSON"),
    "say.encoding": ("is not valid UTF-8 text", "不是 UTF-8 文本"),
    "say.surrogate": ("contains half of a surrogate pair; write the whole character", "含有半个代理对，请写出完整字符"),
    "say.rule_error": ("could not be checked; follow the contract", "无法检查，请按契约填写"),
    "say.other": ("{message}", "不符合契约（{message}）"),
}
_ENGLISH: Final = MappingProxyType({key: english for key, (english, _) in _TEXTS.items()})
_CHINESE: Final = MappingProxyType({key: chinese for key, (_, chinese) in _TEXTS.items()})


def words(locale: str) -> Mapping[str, str]:
    """Return the texts for a language tag; English unless it is Chinese."""
    return _CHINESE if locale.split("-", maxsplit=1)[0] == "zh" else _ENGLISH
