# ruff: noqa: ARG001 -- all defects have the same signature, with or without randomness
"""Defects that models put into a reply without changing its meaning."""

import json
import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from random import Random
from typing import Any

Object = dict[str, Any]
TEXT_FIELDS = ("thought", "expectedOutcome", "userMessage")
KNOWN_ACTIONS = (
    "INTENT_ANALYSIS", "ROUTE_DECISION", "TASK_PLAN", "REVIEW_RESULT", "PHASE_TRANSITION", "RESOURCE_ALLOCATE",
    "EXCEPTION_HANDLE",
)  # fmt: skip
REQUIRED = ("thought", "expectedOutcome", "confidence", "action", "params", "risk")
OPTIONAL = ("alternativeActions", "requiresUserConfirmation", "userMessage")
CHINESE_KEYS = {
    "thought": "推理过程", "action": "行动", "params": "行动参数", "expectedOutcome": "预期结果", "risk": "风险评估",
    "confidence": "置信度", "alternativeActions": "备选方案", "requiresUserConfirmation": "需要用户确认",
    "userMessage": "给用户看的消息",
}  # fmt: skip


# --- values and keys in other forms ----------------------------------------------------------------------------


def number_text(value: Object, random: Random) -> Object:
    digits = json.dumps(value["confidence"])
    forms = ["{}", "{}%", "{} %", "{}％", "{}/100", "{} / 100", " {} ", "+{}", "{} out of 100"]
    return {**value, "confidence": random.choice(forms).format(digits)}


def wide_number(value: Object, random: Random) -> Object:
    wide = json.dumps(value["confidence"]).translate({ord("0") + n: chr(0xFF10 + n) for n in range(10)})
    return {**value, "confidence": wide + random.choice(["", "％"])}


def level_case(value: Object, random: Random) -> Object:
    level = value["risk"]["level"]
    chinese = {"low": "低", "medium": "中", "high": "高"}[level]
    form = random.choice([level.upper(), level.title(), f" {level} ", f"{level}\n", chinese, chinese + "风险"])
    return {**value, "risk": {**value["risk"], "level": form}}


def action_case(value: Object, random: Random) -> Object:
    if not value["action"].isupper() or value["action"] not in KNOWN_ACTIONS:
        return value
    words = value["action"].lower().split("_")
    forms = ["_".join(words), "-".join(words), " ".join(words), "".join(word.title() for word in words)]
    return {
        **value,
        "action": random.choice([*forms, " ".join(word.title() for word in words), f" {value['action']} "]),
    }


def boolean_text(value: Object, random: Random) -> Object:
    flag = value.get("requiresUserConfirmation")
    if not isinstance(flag, bool):
        return value
    return {**value, "requiresUserConfirmation": random.choice([str(flag), str(flag).lower(), str(flag).upper()])}


def single_item(value: Object, random: Random) -> Object:
    items = value.get("alternativeActions") or []
    return {**value, "alternativeActions": items[0]} if isinstance(items, list) and len(items) == 1 else value


def null_optional(value: Object, random: Random) -> Object:
    missing = [name for name in OPTIONAL if name not in value]
    return {**value, **{name: None for name in missing if random.random() < 0.7}}


def empty_optional(value: Object, random: Random) -> Object:
    missing = [name for name in ("alternativeActions", "requiresUserConfirmation") if name not in value]
    return {**value, **{name: "" for name in missing[:1] if name != "alternativeActions"}}


def text_params(value: Object, random: Random) -> Object:
    indent = random.choice([None, 2])
    return {**value, "params": json.dumps(value["params"], ensure_ascii=random.random() < 0.3, indent=indent)}


def text_risk(value: Object, random: Random) -> Object:
    return {**value, "risk": json.dumps(value["risk"], ensure_ascii=random.random() < 0.3)}


def listed_risk(value: Object, random: Random) -> Object:
    return {**value, "risk": [value["risk"]]}


def empty_params(value: Object, random: Random) -> Object:
    return {**value, "params": random.choice(["", [], " "])} if value["params"] == {} else value


def respelled_keys(value: Object, random: Random) -> Object:
    def snake(key: str) -> str:
        return re.sub(r"(?<!^)([A-Z])", r"_\1", key).lower()

    forms: list[Callable[[str], str]] = [
        snake,
        lambda key: snake(key).replace("_", "-"),
        lambda key: snake(key).replace("_", " "),
        lambda key: key[0].upper() + key[1:],
        lambda key: snake(key).upper(),
        lambda key: f" {key}",
        lambda key: f"{key} ",
    ]
    form = random.choice(forms)
    return {form(key): item for key, item in value.items()}


def other_params_name(value: Object, random: Random) -> Object:
    name = random.choice(["parameters", "arguments", "args", "action_input", "actionInput", "tool_input"])
    return {name if key == "params" else key: item for key, item in value.items()}


def chinese_keys(value: Object, random: Random) -> Object:
    return {CHINESE_KEYS.get(key, key): item for key, item in value.items()}


VALUE_DEFECTS: Mapping[str, Callable[[Object, Random], Object]] = {
    "number_text": number_text, "wide_number": wide_number, "level_case": level_case, "action_case": action_case,
    "boolean_text": boolean_text, "single_item": single_item, "null_optional": null_optional,
    "empty_optional": empty_optional, "text_params": text_params, "text_risk": text_risk, "listed_risk": listed_risk,
    "empty_params": empty_params,
}  # fmt: skip
KEY_DEFECTS = {"respelled_keys": respelled_keys, "other_params_name": other_params_name, "chinese_keys": chinese_keys}


# --- wrappers around the object --------------------------------------------------------------------------------


def wrapped(value: Any, random: Random) -> Any:
    text = json.dumps(value, ensure_ascii=random.random() < 0.3)
    name = random.choice(["AgentOutput", "agent_output", "submit"])
    shapes: list[Callable[[], Any]] = [
        lambda: {random.choice(["output", "data", "result", "response", "AgentOutput", "answer", "json"]): value},
        lambda: {"data": {"output": value}},
        lambda: {"status": "ok", "result": value},
        lambda: [value],
        lambda: {"name": name, "arguments": value},
        lambda: {"name": name, "arguments": text},
        lambda: {"name": name, "parameters": value},
        lambda: {"type": "tool_use", "id": "toolu_01", "name": name, "input": value},
        lambda: {"type": "function", "function": {"name": name, "arguments": text}},
        lambda: {"tool_calls": [{"id": "c", "type": "function", "function": {"name": name, "arguments": text}}]},
        lambda: {"function_call": {"name": name, "arguments": text}},
        lambda: {"choices": [{"index": 0, "message": {"role": "assistant", "content": text}}]},
        lambda: {"content": [{"type": "text", "text": text}]},
        lambda: {"content": [{"type": "tool_use", "id": "x", "name": name, "input": value}]},
        lambda: {"type": "object", "properties": value},
        lambda: {"properties": value, "required": ["thought", "action"]},
    ]
    return random.choice(shapes)()


# --- styles of JSON --------------------------------------------------------------------------------------------


PAIRS = {"「": "」", "『": "』", "«": "»", "‹": "›"}


class Writer:
    """Writes JSON with the given bad habits."""

    def __init__(self, **habits: Any) -> None:
        self.habits = habits

    def write(self, value: Any, depth: int = 0) -> str:
        if isinstance(value, dict):
            return self._braces(
                "{", "}", [self.key(k) + self.colon() + self.write(v, depth + 1) for k, v in value.items()], depth
            )
        if isinstance(value, list):
            return self._braces("[", "]", [self.write(item, depth + 1) for item in value], depth)
        if isinstance(value, str):
            return self.text(value)
        return self.scalar(value)

    def _braces(self, left: str, right: str, parts: list[str], depth: int) -> str:
        if not parts:
            return left + right
        if self.habits.get("double") and left == "{":
            left, right = "{{", "}}"
        comma = self.habits.get("comma", ",")
        last = comma if self.habits.get("trailing") else ""
        indent = self.habits.get("indent")
        if indent is None:
            return str(left + (comma + " ").join(parts) + last + right)
        pad, end = "\n" + " " * indent * (depth + 1), "\n" + " " * indent * depth
        comments = self.habits.get("comments", ())
        lines = []
        for index, part in enumerate(parts):
            tail = comma if index < len(parts) - 1 else last
            note = comments[(depth + index) % len(comments)] if comments and index % 2 == 0 and depth < 2 else ""
            lines.append(pad + part + tail + note)
        return str(left + "".join(lines) + end + right)

    def key(self, key: str) -> str:
        if self.habits.get("bare_keys") and re.fullmatch(r"[A-Za-z_]\w*", key):
            return key
        return self.text(key, plain=True)

    def colon(self) -> str:
        return str(self.habits.get("colon", ": "))

    def scalar(self, value: Any) -> str:
        words = {True: "true", False: "false", None: "null"}
        if self.habits.get("python"):
            return repr(value)
        if value is True or value is False or value is None:
            return str(words[value])
        text = json.dumps(value)
        if self.habits.get("plus") and not text.startswith("-"):
            return "+" + text
        return text[1:] if self.habits.get("dot") and text.startswith("0.") else text

    def text(self, value: str, *, plain: bool = False) -> str:
        quote = str(self.habits.get("quote", '"'))
        words = ("true", "false", "null", "none", "nan", "undefined", "nil", "infinity", "inf")
        bare = self.habits.get("bare_values") and not plain and re.fullmatch(r"[A-Za-z_][\w]*", value)
        if bare and value.lower() not in words:
            return value
        if quote == "'":
            body = json.dumps(value, ensure_ascii=False)[1:-1].replace('\\"', '"').replace("'", "\\'")
            return f"'{body}'"
        if quote == "“":
            return "“" + json.dumps(value, ensure_ascii=False)[1:-1] + "”"
        if quote in PAIRS and not set(value) & {quote, PAIRS[quote]}:
            return quote + json.dumps(value, ensure_ascii=False)[1:-1] + PAIRS[quote]
        body = json.dumps(value, ensure_ascii=bool(self.habits.get("ascii")))
        return body.replace("\\n", "\n").replace("\\t", "\t") if self.habits.get("raw_lines") and not plain else body


WRITERS: Mapping[str, Mapping[str, Any]] = {
    "plain": {},
    "ascii": {"ascii": True},
    "trailing": {"trailing": True},
    "single": {"quote": "'"},
    "smart": {"quote": "“"},
    "corners": {"quote": "「"},
    "white_corners": {"quote": "『", "comma": "，", "colon": "："},
    "guillemets": {"quote": "«"},
    "single_guillemets": {"quote": "‹"},
    "python": {"quote": "'", "python": True},
    "literals": {"python": True},
    "bare_keys": {"bare_keys": True},
    "bare_values": {"bare_keys": True, "bare_values": True},
    "wide": {"colon": "：", "comma": "，"},
    "wide_smart": {"colon": "：", "comma": "，", "quote": "“"},
    "semicolons": {"comma": ";"},
    "arrows": {"colon": " => "},
    "equals": {"colon": " = ", "bare_keys": True},
    "double": {"double": True},
    "slashes": {"comments": ("  // the reasoning", "  // 0-100, it's a number"), "indent": 2},
    "stars": {"comments": ("  /* the reasoning */", "  /* it's a number */"), "indent": 4},
    "hashes": {"comments": ("  # the reasoning", "  # 0-100, it's a number"), "indent": 2},
    "slashes_trailing": {"comments": ("  // 详细分析", "  // 0-100 之间，不含 %"), "indent": 2, "trailing": True},
    "plus": {"plus": True},
    "dot": {"dot": True},
    "no_commas": {"comma": "", "indent": 2},
}


def written(value: Any, style: str, random: Random) -> str:
    habits = dict(WRITERS[style])
    habits.setdefault("indent", random.choice([None, 2, 4]))
    return Writer(**habits).write(value)


# --- lost or repeated text -------------------------------------------------------------------------------------

SAYINGS = (
    'The user said "stop" and then left.', '用户说"停止"并要求确认。', 'The user said "stop", then asked again.',
    '他说："可以", 所以继续。', 'A 1/2" wrench, sold in pairs, is listed.', '用户提到"task-7"这个任务，语气为"请尽快"处理。',
    'He wrote "a: b" there.', 'The "risk": none of it', 'Use "x" or "y" here', '"Stop" was said', 'said "stop"', 'a "b" c "d"',
)  # fmt: skip


def unescaped_quotes(value: Object, random: Random) -> tuple[str, Object]:
    saying = random.choice(SAYINGS)
    field = random.choice(["thought", "expectedOutcome"])
    meant = {**value, field: saying}
    text = json.dumps(meant, ensure_ascii=False, indent=random.choice([2, 4, None]))
    return text.replace(json.dumps(saying, ensure_ascii=False), f'"{saying}"'), meant


def unescaped_apostrophes(value: Object, random: Random) -> tuple[str, Object]:
    saying = random.choice(["It's fine, the plan's steps don't clash", "The users' plan, it's ok", "don't", "'tis so"])
    meant = {**value, "thought": saying}
    text = Writer(quote="'", indent=random.choice([2, None])).write(meant)
    return text.replace("\\'", "'") if "\\\\'" not in text else text, meant


def other_strings(value: Object, random: Random) -> tuple[str, Object]:
    saying = random.choice(["line one\nline two", "第一行\n\n第二行\n\t- x", "one line"])
    meant = {**value, "thought": saying}
    text = json.dumps(meant, ensure_ascii=False, indent=random.choice([2, None]))
    half = len(saying) // 2
    forms = [f'"{saying}"', f'"""{saying}"""', f"'''{saying}'''", f"`{saying}`"]
    joined = json.dumps(saying[:half], ensure_ascii=False) + " + " + json.dumps(saying[half:], ensure_ascii=False)
    return text.replace(json.dumps(saying, ensure_ascii=False), random.choice([*forms, joined]), 1), meant


def bad_escapes(value: Object, random: Random) -> tuple[str, Object]:
    body, saying = random.choice(
        [("It\\'s safe", "It's safe"), ("angle \\( \\alpha \\) \\[ x \\]", "angle \\( \\alpha \\) \\[ x \\]"),
         ("D:\\Work\\Yuan\\中文", "D:\\Work\\Yuan\\中文"), ("\\d+\\s*", "\\d+\\s*"), ("100\\%", "100\\%"),
         ("see user\\_name", "see user_name"), ("a\\theta \\( x", "a\\theta \\( x")]
    )  # fmt: skip
    meant = {**value, "thought": saying}
    text = json.dumps({**value, "thought": "@@"}, ensure_ascii=False, indent=random.choice([2, None]))
    return text.replace('"@@"', f'"{body}"'), meant


def lost_quote(value: Object, random: Random) -> tuple[str, Object]:
    text = json.dumps(value, ensure_ascii=False, indent=random.choice([2, 4]))
    key = random.choice([key for key in value if key != "thought"])
    action = json.dumps(value["action"])
    forms = [(f'"{key}":', f'{key}":'), (f'"{key}":', f'"{key}:'), (f": {action}", f": {action[1:]}"),
             (f": {action}", f": {action[:-1]}")]  # fmt: skip
    old, new = random.choice(forms)
    return text.replace(old, new, 1), value


def lost_end(value: Object, random: Random) -> tuple[str, Object]:
    text = json.dumps(value, ensure_ascii=False, indent=random.choice([2, 4, None]))
    cut = text.rstrip("}] \n")
    keep = text[len(cut) :]
    shorter = cut + keep[: random.randrange(len(keep))] if keep else text
    return (shorter if not cut[-1].isdigit() or shorter != cut else text), value


def lost_opening(value: Object, random: Random) -> tuple[str, Object]:
    return json.dumps(value, ensure_ascii=False, indent=random.choice([2, 4, None]))[1:], value


def lost_inner_brace(value: Object, random: Random) -> tuple[str, Object]:
    key = random.choice(["risk", "params"])
    if key == "params" and not value["params"]:
        key = "risk"
    rest = [name for name in value if name != key]
    split = random.randrange(len(rest) - 1)
    order = [*rest[:split], key, *rest[split:]]
    meant = {name: value[name] for name in order}
    # After free params, only a required key shows where the brace was: an optional key could be a param.
    if rest[split] in OPTIONAL and (key == "params" or not set(REQUIRED) & set(rest[split:])):
        return json.dumps(meant, ensure_ascii=False), meant
    body = json.dumps(value[key], ensure_ascii=False)
    text = json.dumps({**meant, key: "@@"}, ensure_ascii=False)
    return text.replace('"@@"', body[:-1]), meant


def lost_braces(value: Object, random: Random) -> tuple[str, Object]:
    text = json.dumps(value, ensure_ascii=False, indent=random.choice([2, 4, None]))
    return text[1:-1].strip() + "\n", value


def lost_inner_brackets(value: Object, random: Random) -> tuple[str, Object]:
    """Lose two brackets at one position: those of the params and of their last value."""
    meant = {"action": value["action"], "params": value["params"], **value}
    if value["action"] not in ("ROUTE_DECISION", "REVIEW_RESULT"):
        return json.dumps(meant, ensure_ascii=False), meant
    text = json.dumps({**meant, "params": "@@"}, ensure_ascii=False, indent=random.choice([2, None]))
    return text.replace('"@@"', json.dumps(value["params"], ensure_ascii=False)[:-2]), meant


def lost_colon(value: Object, random: Random) -> tuple[str, Object]:
    text = json.dumps(value, ensure_ascii=False, indent=random.choice([2, 4, None]))
    key = random.choice([*REQUIRED, "level", "description"])
    return text.replace(f'"{key}": ', f'"{key}" ', 1), value


def lost_inner_bracket(value: Object, random: Random) -> tuple[str, Object]:
    meant = {**value, "alternativeActions": ["a", "b"]}
    order = [name for name in meant if name != "alternativeActions"]
    order.insert(random.randrange(len(order)), "alternativeActions")
    meant = {name: meant[name] for name in order}
    indent = random.choice([2, None])
    text = json.dumps({**meant, "alternativeActions": "@@"}, ensure_ascii=False, indent=indent)
    return text.replace('"@@"', random.choice(['["a", "b"', '["a", "b",'][:1])), meant


def repeated_key(value: Object, random: Random) -> tuple[str, Object]:
    key = random.choice(["confidence", "action", "thought", "risk"])
    text = json.dumps(value, ensure_ascii=False)
    return text[:-1] + f", {json.dumps(key)}: {json.dumps(value[key], ensure_ascii=False)}}}", value


def lost_comma(value: Object, random: Random) -> tuple[str, Object]:
    text = json.dumps(value, ensure_ascii=False, indent=random.choice([2, 4]))
    places = [match.start() for match in re.finditer(r",(?=\n)", text)]
    place = random.choice(places)
    return text[:place] + text[place + 1 :], value


def stray_marks(value: Object, random: Random) -> tuple[str, Object]:
    text = json.dumps(value, ensure_ascii=False, indent=random.choice([2, 4]))
    places = [match.start() for match in re.finditer(r",(?=\n)", text)]
    place = random.choice(places)
    return text[:place] + random.choice(["\\", ",", ""]) + text[place:], value


def odd_space(value: Object, random: Random) -> tuple[str, Object]:
    text = json.dumps(value, ensure_ascii=False, indent=2)
    space = random.choice(["\u00a0", "\u3000", "\u2003", "\u200b "])
    return re.sub(r"(?m)^ +", lambda match: space * len(match[0]), text), value


LOSSES: Mapping[str, Callable[[Object, Random], tuple[str, Object]]] = {
    "unescaped_quotes": unescaped_quotes, "unescaped_apostrophes": unescaped_apostrophes,
    "other_strings": other_strings, "bad_escapes": bad_escapes, "lost_quote": lost_quote, "lost_end": lost_end,
    "lost_opening": lost_opening, "lost_inner_brace": lost_inner_brace, "lost_inner_bracket": lost_inner_bracket,
    "lost_braces": lost_braces, "lost_inner_brackets": lost_inner_brackets, "lost_colon": lost_colon,
    "repeated_key": repeated_key, "lost_comma": lost_comma, "stray_marks": stray_marks, "odd_space": odd_space,
}  # fmt: skip


# --- text and encodings around the reply -----------------------------------------------------------------------


def fenced(text: str, random: Random) -> str:
    form = random.choice(["```json\n{}\n```", "```\n{}\n```", "```{}```", "~~~json\n{}\n~~~", "````json\n{}\n````",
                          "```JSON\n{}\n```\n", "```json5\n{}\n```", "```json\n{}", "`{}`", "```javascript\n{}\n```"])  # fmt: skip
    return form.replace("{}", text)


def with_prose(text: str, random: Random) -> str:
    before = ["", "Here's my decision:\n", "根据您的要求，输出如下 JSON：\n", "I analysed it.\n\n### Result\n", "Output: ",
              "当然可以！\n\n**输出**：\n", "Following the template {thought, action}, with [1] as reference:\n",
              "按照 {角色} 与 {目标} 的模板，参考 [日志] 得出：\n", "The set {1, 2, 3} and f(x) = {x > 0} matter.\n",
              'Log lines start with "I, [" so I looked.\n', "Assistant: ", "data: ", "It's what I'd do; don't worry.\n"]  # fmt: skip
    after = ["", "\n\nNote: confidence is an estimate.", "\nHope this helps :)", "\n\n注：{占位符} 未替换。",
             "\n\n(see {appendix} and [2])", "\n\n以上是我的判断，如有问题请告诉我。", "\n\ndata: [DONE]\n"]  # fmt: skip
    return random.choice(before) + text + random.choice(after)


def with_thinking(text: str, random: Random) -> str:
    draft = '{"thought": "draft", "action": "ERROR", "params": {"errorType": "parse_error", "message": "x"}, '
    draft += '"expectedOutcome": "x", "risk": {"level": "low", "description": "x"}, "confidence": 41}'
    blocks = ["<think>\n{}\n</think>\n\n", "<thinking>\nWe must output JSON only. {}\n</thinking>\n", "{}\n</think>\n",
              "<think>The level is one of {low, medium, high}. {}</think>", "<reasoning>{}</reasoning>\n",
              "<|channel|>analysis<|message|>Draft {}<|end|><|start|>assistant<|channel|>final<|message|>"]  # fmt: skip
    return random.choice(blocks).replace("{}", random.choice([draft, "", "Let me think about {this}."])) + text


def tagged(text: str, random: Random) -> str:
    forms = ["<result>\n{}\n</result>", "<output>{}</output>", "<json>\n{}\n</json>", "<tool_call>\n{}\n</tool_call>",
             "{}<|im_end|>", "{}</s>", "{}<eos>", "{}<|endoftext|>", "[TOOL_CALLS] {}", "<|python_tag|>{}",
             "<function=AgentOutput>{}</function>", "\x1b[32m{}\x1b[0m", "\ufeff{}", "\u200b{}\u200b"]  # fmt: skip
    return random.choice(forms).replace("{}", text)


def in_code(text: str, random: Random) -> str:
    forms = ["print(json.dumps({}))", "export default {};\n", "const output = {};", "return {}", "output = {}",
             "callback({});", "module.exports = {};"]  # fmt: skip
    return random.choice(forms).replace("{}", text)


def with_company(text: str, random: Random) -> str:
    others = ['{"status": "ok"}', '{"usage": {"prompt_tokens": 812, "completion_tokens": 133}}', '{"query": "x"}']
    schema = '{"type": "object", "properties": {"thought": {"type": "string"}, "action": {"type": "string"}, '
    schema += '"params": {"type": "object"}, "expectedOutcome": {"type": "string"}, "risk": {"type": "object"}, '
    schema += '"confidence": {"type": "number"}}, "required": ["thought"]}'
    forms = [random.choice(others) + "\n\n" + text, text + "\n" + random.choice(others), text + "\n\n" + text,
             "Schema:\n" + schema + "\n\nOutput:\n" + text, text + "\n重复一遍：\n" + text]  # fmt: skip
    return random.choice(forms)


def quoted(text: str, random: Random) -> str:
    return "\n".join("> " + line for line in text.split("\n"))


def added(text: str, random: Random) -> str:
    mark = random.choice(["+", "+ "])
    return "\n".join(mark + line for line in text.split("\n"))


def numbered(text: str, random: Random) -> str:
    form, first = random.choice(["{}: ", "{:>3} | ", "{}\t", "{:>6}\t", "{:02d}. "]), random.choice([1, 1, 40])
    return "\n".join(form.format(first + index) + line for index, line in enumerate(text.split("\n")))


def escaped(text: str, random: Random) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def doubly_encoded(text: str, random: Random) -> str:
    return json.dumps(text, ensure_ascii=random.random() < 0.3)


def with_entities(text: str, random: Random) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def one_bracket_more(text: str, random: Random) -> str:
    return text + random.choice(["}", "\n}", "]}", "]"])


WRAPS: Mapping[str, Callable[[str, Random], str]] = {
    "fenced": fenced, "with_prose": with_prose, "with_thinking": with_thinking, "tagged": tagged, "in_code": in_code,
    "with_company": with_company, "one_bracket_more": one_bracket_more,
}  # fmt: skip
ENCODINGS = {
    "quoted": quoted, "added": added, "numbered": numbered, "escaped": escaped, "doubly_encoded": doubly_encoded,
    "with_entities": with_entities,
}  # fmt: skip


def add_defects(value: Object, random: Random) -> tuple[str, list[str]]:
    """Write an object with a chain of defects; return the text and the names of the defects."""
    names: list[str] = []
    current: Any = deepcopy(value)
    for _ in range(random.choice([0, 0, 1, 1, 2])):
        name = random.choice(list(VALUE_DEFECTS))
        current = VALUE_DEFECTS[name](current, random) if _untouched(value, current, name) else current
        names.append(name)
    if random.random() < 0.3:
        name = random.choice(list(KEY_DEFECTS))
        current, names = KEY_DEFECTS[name](current, random), [*names, name]
    if random.random() < 0.25:
        current, names = wrapped(current, random), [*names, "wrapped"]
    style = random.choice(list(WRITERS)) if random.random() < 0.7 else "plain"
    text, names = written(current, style, random), [*names, style]
    if style == "plain" and random.random() < 0.15:
        name = random.choice(list(ENCODINGS))
        return ENCODINGS[name](text, random), [*names, name]
    for _ in range(random.choice([0, 1, 1, 2])):
        name = random.choice(list(WRAPS))
        text, names = WRAPS[name](text, random), [*names, name]
    return text, names


def _untouched(value: Object, current: Object, name: str) -> bool:
    fields = {"number_text": "confidence", "wide_number": "confidence", "level_case": "risk", "text_risk": "risk",
              "listed_risk": "risk", "text_params": "params", "empty_params": "params"}  # fmt: skip
    part = fields.get(name)
    return part is None or current.get(part) is value[part] or current.get(part) == value[part]


def lose(value: Object, random: Random) -> tuple[str, Object, list[str]]:
    """Write an object with one loss in its text, perhaps wrapped; return the text, the meant object and the defects."""
    name = random.choice(list(LOSSES))
    text, meant = LOSSES[name](deepcopy(value), random)
    names = [name]
    if name not in ("lost_end", "lost_opening", "lost_braces") and random.random() < 0.6:
        is_open = name in ("lost_inner_brace", "lost_inner_brackets")
        wrap = random.choice([wrap for wrap in WRAPS if not is_open or wrap in ("fenced", "with_thinking")])
        text, names = WRAPS[wrap](text, random), [name, wrap]
    return text, meant, names
