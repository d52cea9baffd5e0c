"""Synonyms of well-known keys and values; a schema adds more by `x-aliases` and `x-values`."""

import re
from collections.abc import Mapping
from itertools import accumulate
from types import MappingProxyType
from unicodedata import normalize

from promptpack.reply.lookahead import INVISIBLE

_SEPARATORS = re.compile(r"[\s_\-\u2010-\u2015\u2212.,;。\\*`\"':]+")
_INVISIBLE = re.compile(INVISIBLE)
_HUMP = re.compile(r"(?<=[a-z\d])(?=[A-Z])")

# Each group is one idea. A key is read as a property only if the property is the only one of its group in the object.
_GROUPS: tuple[tuple[str, ...], ...] = (
    ("params", "parameters", "arguments", "args", "actioninput", "toolinput", "input", "param", "parameter",
     "actionparams", "actionparameters", "actionargs", "参数", "行动参数", "动作参数", "操作参数", "执行参数"),
    ("thought", "thoughts", "thinking", "推理过程", "思考", "思考过程", "推理", "思路", "想法", "思维过程"),
    ("action", "行动", "动作", "操作", "行为"),
    ("expectedoutcome", "expectedresult", "预期结果", "期望结果", "预期产出", "预期成果"),
    ("risk", "riskassessment", "风险", "风险评估"),
    ("level", "risklevel", "等级", "风险等级", "级别", "风险级别"),
    ("description", "riskdescription", "描述", "风险描述", "说明"),
    ("mitigation", "缓解措施", "应对措施", "缓解方案", "缓解"),
    ("confidence", "confidencescore", "置信度", "信心", "信心度", "可信度"),
    ("alternativeactions", "alternatives", "备选方案", "备选行动", "替代方案", "备选动作", "备选操作", "替代行动"),
    ("requiresuserconfirmation", "需要用户确认", "是否需要用户确认", "需用户确认"),
    ("usermessage", "用户消息", "给用户看的消息", "给用户的消息", "用户提示"),
    ("errortype", "错误类型"), ("message", "消息", "错误信息"), ("suggestion", "建议"), ("question", "问题"),
    ("goal", "目标"), ("scope", "范围"), ("urgency", "紧急程度", "紧急度"), ("reasoning", "推理依据"),
    ("route", "路由"), ("payload", "载荷"), ("reason", "原因", "理由"),
    ("requiresconfirmation", "需要确认", "是否需要确认"),
    ("tasks", "任务列表", "任务"), ("executionorder", "执行顺序"), ("dependencies", "依赖"),
    ("requiredcapabilities", "所需能力"), ("estimatedduration", "预计时长", "预计耗时"),
    ("approved", "是否通过", "通过"), ("score", "评分", "分数"), ("feedback", "反馈"),
    ("requiredfixes", "需要修复", "必须修复"),
)  # fmt: skip

GROUP_OF: Mapping[str, int] = MappingProxyType({name: index for index, group in enumerate(_GROUPS) for name in group})

# One-to-one translations; each applies only where the schema lists the word on the right.
TRANSLATIONS: Mapping[str, str] = MappingProxyType(
    {
        "低": "low", "低风险": "low", "中": "medium", "中等": "medium", "中风险": "medium", "中等风险": "medium",
        "高": "high", "高风险": "high", "lowrisk": "low", "mediumrisk": "medium", "highrisk": "high",
        "创建": "create", "新建": "create", "修改": "modify", "查询": "query", "取消": "cancel", "继续": "continue",
        "澄清": "clarify",
        "完整任务": "fulltask", "全部任务": "fulltask", "部分任务": "partialtask", "元控制": "metacontrol",
        "继续执行": "continueexecution", "小幅重规划": "minorreplan", "完全重规划": "fullreplan",
        "全面重规划": "fullreplan", "新任务": "newtask", "控制动作": "controlaction",
        "等待用户决定": "waituserdecision", "等待用户决策": "waituserdecision",
        "不同任务": "differenttask", "控制指令": "controlinstruction",
        "意图分析": "intentanalysis", "路由决策": "routedecision", "任务计划": "taskplan", "任务规划": "taskplan",
        "评审结果": "reviewresult", "审核结果": "reviewresult", "阶段转换": "phasetransition",
        "资源分配": "resourceallocate", "异常处理": "exceptionhandle",
        "错误": "error", "需要澄清": "clarificationrequired", "升级": "escalate",
        "解析错误": "parseerror", "上下文缺失": "contextmissing", "工具不可用": "toolunavailable",
    }
)  # fmt: skip

TRUE_WORDS = frozenset(("true", "yes", "是", "真"))
FALSE_WORDS = frozenset(("false", "no", "否", "假"))


def fold(word: str) -> str:
    """Normalize a name so that its different spellings are equal."""
    return _SEPARATORS.sub("", normalize_visible(word)).casefold()


def normalize_visible(text: str) -> str:
    """Return a text without invisible characters and without the variants of compatibility characters."""
    plain = normalize("NFKC", text)
    return plain if plain.isascii() else _INVISIBLE.sub("", plain)


def fold_apart(word: str) -> str:
    """Fold a word and decompose its accents, so that the result for a prefix is a prefix of the result for the text."""
    return normalize("NFKD", fold(word))


def spells(text: str, name: str) -> bool:
    """Return whether a text that folds like a name splits it only between its words: `lo w` is not `low`."""
    return _splits(text) <= _splits(_HUMP.sub(" ", name))


def _splits(word: str) -> set[int]:
    """Return the positions in the folded word where it is split."""
    words = _SEPARATORS.sub(" ", normalize_visible(word)).casefold().split()
    return set(accumulate(map(len, words[:-1])))
