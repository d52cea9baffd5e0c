# ruff: noqa: ARG001 -- all defects have the same signature, with or without randomness
"""Strict JSON with texts that look like structure, one defect in another place, and an envelope around it."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from promptpack import Library, Pack

Object = dict[str, Any]
Defect = Callable[[Object, Random], tuple[str, Object]]
LIBRARY = Library.open(str(Path(__file__).parents[2] / "packs"))
AGENTS = ("executor", "orchestrator", "planner", "reviewer", "router", "understanding")
TRICKY = (
    "{&quot;id&quot;:1}", "a &amp; b &lt; c &#34;d&#34;", "Tom &amp; Jerry's", "see “# Title” below", "a “// b” c", "“whole”",
    "“a”, “b”", "say “yes”, then “no”", "he said “stop”, and “risk”: none", "open “ only", "close ” only", "„low” quotes‟",
    "「角」，『白』", "«a», ‹b›", "it's", "the users' plan, it's ok", "'quoted', 'twice'", "‘a’, ‘b’", "`code`, `more`",
    '{"id": 1, "ok": true}', '["a", "b"]', 'a "b" c', '"quoted"', 'say "x", then "y": 1', 'ends with "', '", "risk": "low"',
    '"}', "}", "]}", "{", "[", "{{name}}", "${a}", "{% if x %}", "f({a: 1})", "a: b, c: d", "x, risk: low", 'a, "b": "c"',
    "# Title", "x # y", "// c", "see https://a.b/c//d?x=1#y", "/* c */", "a /* b", "*/ c", "<!-- c -->", "-- c", "; c",
    "```json\n{}\n```", "```", "~~~", "<think>", "</think>", "<think>x</think>", "<answer>", "</tool_call>", "<|im_end|>",
    "<|channel|>final<|message|>", "[TOOL_CALLS]", "[THINK]", "◁think▷", "</s>", "C:\\new\\table", "a\\b", "\\", "\\\\",
    "\\n", "\\u0041", "\\u00", "\\frac{a}{b}", "\\(x\\)", "\\d+\\s*", "user\\_name", "if (a && b) { return c; }", "a => b",
    "a = b", "a == b", "x -> y", "a → b", "print('x')", 'print("x")', "| a | b |\n|---|---|\n| 1 | 2 |", "| a", "😀 👍🏽",
    "中文，标点：「引号」；（括号）。", "，", "：", "低", "> quote", "+ added", "- removed", "1: one", "1. one\n2. two", "2 | x",
    "> a\n> b", "+ a\n+ b", "1: a\n2: b", "line one\nline two", "\ttab", "a\r\nb", " padded ", "", " ", ".", "...", "and so on…",
    "etc.", "true", "None", "null", "NaN", "080", "85%", "85/100", "0x1F", "1e5", "Low", "low or high", "a | b", 'a\n"risk": {',
    "a\n}", "a,\nb: c", "\u200bzero", "soft\u00adhyphen", "\ufeffmark", "\u2028", "**bold**", "<br>", 'f"x"', "r'x'", 'u"x"',
    '@"x"', '"a" "b"', '"a" + "b"', '("a" "b")', "&#123;", "&#x22;", "&quot;", "%7B%22a%22%7D", "key=value&b=c", "a,", ",a",
    ",,", "::", "$ref", "\x7f", "a\u00a0b", "plain words", "plain, words",
)  # fmt: skip
KEYS = (
    "it's", "a b", "a.b", "x: y", "“k”", "risk?", "# k", "// k", "{k}", "&quot;k&quot;", 'say "k"', "键", "k,", "a\\b", "", "=",
    "→", "k→", "plain",
)  # fmt: skip


class Sample(NamedTuple):
    """A valid reply of a shipped pack, its context, and the paths of its texts that may be any text."""

    pack: Pack
    context: Mapping[str, Any] | None
    reply: dict[str, Any]
    texts: tuple[tuple[Any, ...], ...]


@cache
def samples() -> tuple[Sample, ...]:
    """Return the accepted replies in the shipped packs' own tests."""
    return tuple(sample for agent in AGENTS for sample in _samples(LIBRARY.get(agent)))


def _samples(pack: Pack) -> Iterator[Sample]:
    for test in pack.tests:
        if "error" in test.expect:
            continue
        if isinstance(test.reply, Mapping) and pack.check(dump(test.reply), test.context).outcome == "valid":
            reply = json.loads(dump(test.reply))
            texts = [path for path, item in _leaves(reply) if isinstance(item, str)]
            free = tuple(path for path in texts if pack.check(dump(_put(reply, path, "@ @")), test.context).ok)
            yield Sample(pack, test.context, reply, free)


def dump(value: Any) -> str:
    """Write a value as strict JSON."""
    return json.dumps(value, ensure_ascii=False, default=dict)


def _leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from _leaves(value[key], (*path, key))
    else:
        yield path, value


def _put(value: Any, path: tuple[Any, ...], item: Any) -> Any:
    if not path:
        return item
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = _put(copy[path[0]], path[1:], item)
    return copy


PIECES = (
    *"“”‘’\"'`「」«»,:;.{}[]()#/\\&<>*|+-=→@$~_%? \n\t", "risk", "a", "low", "u", "n", "&quot;", "//", "/*", "*/", "```", "**",
    '": "', '", "', "”, “", "”: “", "\u200b", "，", "：", "<br>", "<think>", "</think>", "85", "true", "...", "中",
)  # fmt: skip


def text(random: Random) -> str:
    """Return a tricky text."""
    if random.random() < 0.3:
        return "".join(random.choices(PIECES, k=random.randrange(12)))
    return " ".join(random.choices(TRICKY, k=random.choice([1, 1, 1, 2, 3])))


def fill(sample: Sample, random: Random) -> dict[str, Any]:
    """Put tricky texts into a reply, add a tricky key, and shuffle its members."""
    value: Any = sample.reply
    for path in sample.texts:
        value = _put(value, path, text(random))
    members = [*value.items(), (random.choice(KEYS), text(random))]
    random.shuffle(members)
    return dict(members)


# --- defects: each one changes the structure, or the form of a value without tricky text -------------------------------

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
_WORD = re.compile(r'"[A-Za-z_]+"')


class Text:
    """A strict text with its tokens."""

    def __init__(self, value: Any, random: Random, *, lines: bool = False) -> None:
        self.text = json.dumps(
            value, ensure_ascii=random.random() < 0.2, indent=random.choice([2, 4] if lines else [None, 2])
        )
        self.tokens = [*_TOKEN.finditer(self.text)]
        self.random = random

    def replace(self, accepts: Callable[[str, str, str], bool], form: str) -> str:
        """Replace one token, chosen by itself and its neighbours; `{}` is the token and `{0[1]}` its first character."""
        texts = ["", *(token[0] for token in self.tokens), ""]
        found = [token for index, token in enumerate(self.tokens) if accepts(texts[index], token[0], texts[index + 2])]
        if not found:
            return self.text
        token = self.random.choice(found)
        new = form.replace("{}", token[0]).replace("{word}", token[0].strip('"'))
        return self.text[: token.start()] + new + self.text[token.end() :]


def at_key(form: str) -> Defect:
    return lambda value, random: (
        Text(value, random).replace(lambda _, token, after: bool(after == ":" and _WORD.fullmatch(token)), form), value
    )  # fmt: skip


def at_word(form: str) -> Defect:
    return lambda value, random: (
        Text(value, random).replace(
            lambda before, token, _: before == ":" and token.strip('"') in ("low", "medium", "high"), form
        ),
        value,
    )


def at_token(form: str, *tokens: str, lines: bool = False) -> Defect:
    return lambda value, random: (
        Text(value, random, lines=lines).replace(
            lambda _, token, after: token in tokens and after.startswith('"'), form
        ),
        value,
    )


def at_end(form: str) -> Defect:
    return lambda value, random: (
        Text(value, random).replace(lambda before, token, _: token in ("}", "]") and before not in ("{", "["), form), value
    )  # fmt: skip


def noted(written: str, meant: str) -> Defect:
    """Write the message to the user in another way."""

    def add(value: Object, random: Random) -> tuple[str, Object]:
        members = [member for member in value.items() if member[0] != "userMessage"]
        members.insert(random.randrange(len(members)), ("userMessage", meant))
        text = Text(dict(members), random).text
        return re.sub(r'("userMessage": )"(?:[^"\\]|\\.)*"', lambda match: match[1] + written, text), dict(members)

    return add


def changed(path: tuple[str, ...], form: Callable[[Any], Any]) -> Defect:
    return lambda value, random: (Text(_put(value, path, form(_at(value, path))), random).text, value)


def renamed(old: str, new: str) -> Defect:
    return lambda value, random: (
        Text({new if key == old else key: one for key, one in value.items()}, random).text,
        value,
    )


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def missing_comma(value: Object, random: Random) -> tuple[str, Object]:
    text = json.dumps(value, ensure_ascii=False, indent=2)
    place = random.choice([match.start() for match in re.finditer(r',(?=\n  "(?:[^"\\]|\\.)*":)', text)])
    return text[:place] + text[place + 1 :], value


def python_literals(value: Object, random: Random) -> tuple[str, Object]:
    meant = {**value, "flag": True, "empty": None}
    words = {"true": "True", "false": "False", "null": "None"}
    found = Text(meant, random)
    return _TOKEN.sub(lambda match: words.get(match[0], match[0]), found.text), meant


def repeated(value: Object, random: Random) -> tuple[str, Object]:
    key = random.choice([*value])
    return f"{Text(value, random).text[:-1].rstrip()}, {dump(key)}: {dump(value[key])}}}", value


def odd_space(value: Object, random: Random) -> tuple[str, Object]:
    space = random.choice(["\u00a0", "\u3000", "\u200b ", "\ufeff"])
    text = json.dumps(value, ensure_ascii=False, indent=2)
    return re.sub(r"(?m)^ +", lambda match: space * len(match[0]), text), value


def written_newlines(value: Object, random: Random) -> tuple[str, Object]:
    return json.dumps(value, ensure_ascii=False, indent=2).replace("\n", "\\n"), value


def lost_brace(value: Object, random: Random) -> tuple[str, Object]:
    """Lose the last brace after a complete text; after a number, the rest of the number may be lost too."""
    meant = {**value, "last": "plain words"}
    return Text(meant, random).text[:-1].rstrip(), meant


DEFECTS: Mapping[str, Defect] = {
    "none": lambda value, random: (Text(value, random).text, value),
    "trailing_comma": at_end(",{}"),
    "missing_comma": missing_comma,
    "double_comma": at_token(",,", ","),
    "leading_comma": at_token("{},", "{"),
    "line_comment": at_token("{} // a note\n", ",", "{"),
    "hash_comment": at_token("{} # a note\n", ",", "{"),
    "block_comment": at_token("{} /* a note */", ",", "{", ":"),
    "unquoted_key": at_key("{word}"),
    "single_quoted_key": at_key("'{word}'"),
    "curly_key": at_key("“{word}”"),
    "backtick_key": at_key("`{word}`"),
    "half_quoted_key": at_key('{word}"'),
    "single_quoted": at_word("'{word}'"),
    "curly": at_word("“{word}”"),
    "backticks": at_word("`{word}`"),
    "corners": at_word("「{word}」"),
    "unquoted": at_word("{word}"),
    "python_literals": python_literals,
    "lost_brace": lost_brace,
    "raw_newline": noted('"line one\nline two"', "line one\nline two"),
    "inner_quotes": noted('"she said "stop" today"', 'she said "stop" today'),
    "bad_escape": noted(r'"see user\_name in D:\Work"', r"see user_name in D:\Work"),
    "concatenation": noted('"one" + " two"', "one two"),
    "triple": noted('"""one two"""', "one two"),
    "number_text": changed(("confidence",), str),
    "percent": changed(("confidence",), lambda number: f"{number}%"),
    "level_case": changed(("risk", "level"), str.title),
    "risk_text": changed(("risk",), dump),
    "params_text": changed(("params",), dump),
    "listed_risk": changed(("risk",), lambda risk: [risk]),
    "snake_case": renamed("expectedOutcome", "expected_outcome"),
    "arguments": renamed("params", "arguments"),
    "wide_colon": at_token("：", ":"),
    "wide_comma": at_token("，", ","),
    "semicolon": at_token(";", ","),
    "arrow": at_token(" =>", ":"),
    "odd_space": odd_space,
    "leading_comma_in_a_list": at_token("{},", "["),
    "double_colon": at_token("::", ":"),
    "two_colons": at_token(": :", ":"),
    "arrow_sign": at_token(" →", ":"),
    "thin_arrow": at_token(" ->", ":"),
    "equals": at_token(" =", ":"),
    "symbol": at_key(":{word}"),
    "bold_key": at_key("**{}**"),
    "bold_bare_key": at_key("**{word}**"),
    "prefixed_key": at_key("u'{word}'"),
    "prefixed": at_word("u'{word}'"),
    "template": at_word('f"{word}"'),
    "raw": at_word('r"{word}"'),
    "verbatim": at_word('@"{word}"'),
    "doubled": noted('@"say ""x"", then y"', 'say "x", then y'),
    "html_break": at_token("{}<br>", ",", "{", ":"),
    "parentheses": noted('("one "\n  "two")', "one two"),
    "sum_in_parentheses": noted('("one " + "two")', "one two"),
    "written_newlines": written_newlines,
    "invisible_in_word": changed(("risk", "level"), lambda word: f"{word[0]}\u200b{word[1:]}\ufe0f"),
    "invisible_in_key": renamed("expectedOutcome", "\ufeffexpected\u00adOutcome"),
    "repeated": repeated,
    "brace_more": lambda value, random: (Text(value, random).text + "\n}", value),
}


# --- envelopes -----------------------------------------------------------------------------------------------------


def _lines(text: str, form: Callable[[int], str]) -> str:
    return "\n".join(form(index) + line for index, line in enumerate(text.split("\n")))


def _entities(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def _brace_entities(text: str) -> str:
    return _TOKEN.sub(
        lambda match: match[0].replace("{", "&#123;").replace("}", "&#x7D;") if len(match[0]) == 1 else match[0], text
    )


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


ENVELOPES: Mapping[str, Callable[[str], str]] = {
    "bare": str,
    "fence": lambda text: f"```json\n{text}\n```",
    "tilde_fence": lambda text: f"~~~\n{text}\n~~~",
    "prose": lambda text: f"Here's my {{answer}}, as “JSON”:\n\n{text}\n\nIt's all I have (see [1]).",
    "tag": lambda text: f"<answer>\n{text}\n</answer>",
    "tool_call": lambda text: f'<tool_call>\n{{"name": "submit", "arguments": {text}}}\n</tool_call>',
    "wrapper": lambda text: f'{{"output": {text}}}',
    "list_of_one": lambda text: f"[{text}]",
    "text_arguments": lambda text: f'{{"name": "submit", "arguments": {_quoted(text)}}}',
    "message": lambda text: f'{{"choices": [{{"message": {{"role": "assistant", "content": {_quoted(text)}}}}}]}}',
    "block_quote": lambda text: _lines(text, lambda _: "> "),
    "quoted_list": lambda text: _lines(f"[{text}]", lambda _: "> "),
    "diff": lambda text: _lines(text, lambda _: "+ "),
    "listed_list": lambda text: _lines(f"[\n{text}\n]", lambda index: f"{index + 1}. "),
    "listing": lambda text: _lines(text, lambda index: f"{index + 1:>3}: "),
    "thinking": lambda text: f'<think>\nA draft: {{"action": "NO"}}, with "quotes".\n</think>\n{text}',
    "channel": lambda text: (
        f"<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>{text}"
    ),
    "token": lambda text: f"{text}<|im_end|>",
    "byte_order_mark": lambda text: f"\ufeff{text}",
    "entities": _entities,
    "numeric_entities": lambda text: re.sub(r'["{}\[\]&<>]', lambda match: f"&#{ord(match[0])};", text),
    "brace_entities": _brace_entities,
    "hex_entities": lambda text: re.sub(r'["&<>]', lambda match: f"&#x{ord(match[0]):x};", text),
    "verbatim": lambda text: '@"' + text.replace('"', '""') + '"',
    "column": lambda text: _lines(text, lambda _: "| "),
    "entities_in_a_fence": lambda text: f"```json\n{_entities(text)}\n```",
    "escaped": lambda text: _quoted(text)[1:-1],
    "json_string": _quoted,
    "assignment": lambda text: f"const output = {text};",
    "printed": lambda text: f"print(json.dumps({text}))",
}
# Envelopes of encoded objects, and of objects in a string.
HIDING = frozenset(
    ("entities", "entities_in_a_fence", "numeric_entities", "hex_entities", "brace_entities", "escaped", "verbatim", "json_string",
     "text_arguments", "message"),
)  # fmt: skip


def is_unclear(text: str, envelope: str) -> bool:
    """Return whether a string has an entity that may be a brace, because the other braces are entities."""
    return envelope == "brace_entities" and "&#123;" in text
