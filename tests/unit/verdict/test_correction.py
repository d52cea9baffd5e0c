"""The correction: short, in the language of the pack, only the violations."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from promptpack import Library, Pack, UsageError
from promptpack.pack.contract import Contract
from promptpack.pack.pack_schema import pack_schema
from promptpack.pack.version import Version
from promptpack.prompt.budget.counters import exact_counter
from promptpack.reply import KINDS, RISKS
from promptpack.verdict.correction import write_correction
from promptpack.verdict.model import VIOLATION_CODES, Violation, code_of
from promptpack.words import words
from tests.unit.verdict.test_judge import GOOD

LOCALES = ("en", "zh-CN")
# What a correction says instead of the violation's own rule.
CLAIMS = {"unclear", "unread", "others", "invisible"}
OTHERS = {"not", "anyOf", "oneOf", "dependentRequired", "output_model", "a-rule-of-the-pack"}
RULES = sorted({*VIOLATION_CODES, *CLAIMS, *OTHERS})
LONG = {
    "enum": [f"CHOICE_NUMBER_{number}" for number in range(200)],
    "const": "x" * 2_000,
    "pattern": "^(?:" + "abc|" * 300 + "x)$",
    "type": ["object", "array", "string", "number", "integer", "boolean", "null"],
    "required": {"enum": ["很长的取值" * 3 + str(number) for number in range(99)]},
    "maximum": 10**300,
    "minimum": "龘靐" * 30,
    "minLength": "🎉" * 30,
    "uniqueItems": [f"{number * 7919**9:x}" for number in range(99)],
    "ambiguous": ("/a: " + "龘靐" * 90, "🎉" * 90),
    "duplicate": ("x" * 999, "7919" * 99),
    "unclear": ("85 | 90" * 99,),
    "others": {"enum": [f"ACTION_{number}" for number in range(99)]},
    "invisible": "U+200B zero width space",
}
PATHS = [
    "",
    "/risk/level",
    "/params/" + "/".join(f"步骤{number}" for number in range(99)),
    "/" + "k" * 3_000,
    "/a/" + "龘" * 80 + "/🎉🎉",
]
COUNTERS = [exact_counter("o200k_base"), exact_counter("cl100k_base")]
HAN = re.compile(r"[\u4e00-\u9fff]")


def pack_in(locale: str) -> Pack:
    return Pack("demo", Version(1, 0, 0), "demo.yaml", locale=locale, contract=Contract("demo", {"type": "object"}))


def corrected(locale: str, violations: list[Violation], expected: dict[tuple[str, str], Any]) -> str:
    pack = pack_in(locale)
    assert pack.contract is not None
    return write_correction(pack, pack.contract, violations, expected)


def violation(rule: str, path: str) -> Violation:
    code = code_of("rule") if rule == "a-rule-of-the-pack" else code_of(rule)
    return Violation(code, path, "said at length " * 100, rule)


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("count", [1, 2])
def test_a_correction_of_one_or_two_violations_has_fewer_than_150_tokens(locale: str, rule: str, count: int) -> None:
    for path in PATHS:
        found = [violation(rule, path + "/x" * number) for number in range(count)]
        expected = {(rule, item.path): LONG.get(rule, 3) for item in found}
        text = corrected(locale, found, expected)
        assert max(count_tokens(text) for count_tokens in COUNTERS) < 150, text
        assert len(text.splitlines()) <= 1 + count


WRONG: tuple[dict[str, Any], ...] = (
    {"action": "很长" * 300},
    {"action": None},
    {"confidence": "x" * 500},
    {"risk": {"level": "严重" * 200, "description": 1}},
    {"risk": {}},
    {"params": 5},
    {"confidence": {"a": "b" * 400}, "requiresUserConfirmation": "🎉" * 99},
    {"thought": None, "alternativeActions": [1]},
)


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("name", ["understanding", "router", "planner", "executor", "reviewer", "orchestrator"])
def test_corrections_of_the_shipped_packs_are_short_and_complete(name: str, locale: str) -> None:
    pack = Library.open().get(name, locale=locale)
    assert pack.contract is not None
    good = next(iter(pack.contract.actions.values())).example if pack.contract.actions else GOOD
    for wrong in WRONG:
        verdict = pack.check(json.dumps({**GOOD, **(good or {}), **wrong}, ensure_ascii=False))
        assert 1 <= len(verdict.violations) <= 2, verdict.violations
        assert max(count_tokens(verdict.correction) for count_tokens in COUNTERS) < 150
        assert all(found.path in verdict.correction for found in verdict.violations)
        assert "…" not in verdict.correction


@pytest.mark.parametrize("rule", sorted((VIOLATION_CODES.keys() | CLAIMS) - {"rule"}))
def test_every_code_has_a_sentence_in_both_languages(rule: str) -> None:
    assert words("en").keys() == words("zh").keys()
    assert not HAN.search(words("en")[f"say.{rule}"])
    assert HAN.search(words("zh")[f"say.{rule}"])


@pytest.mark.parametrize("key", words("en"))
def test_both_languages_have_the_same_placeholders(key: str) -> None:
    english, chinese = (set(re.findall(r"\{\w+\}", words(locale)[key])) for locale in LOCALES)
    assert english == chinese


@pytest.mark.parametrize(
    ("rule", "expected", "english", "chinese"),
    [
        ("enum", ["a", 1, None], "must be one of a, 1, null", "只能取 a, 1, null"),
        ("required", {"enum": ["a", "b"]}, "is missing; must be one of a, b", "缺少该字段；只能取 a, b"),
        ("required", {"const": 1}, "is missing; must be 1", "缺少该字段；必须是 1"),
        ("required", {"type": "integer"}, "is missing", "缺少该字段"),
        ("required", {"$ref": "#/$defs/x"}, "is missing", "缺少该字段"),
        ("number", None, "is a number that is too long or too large", "数字过长或过大"),
        ("not", {}, "wrong", "不符合契约（wrong）"),
        ("pattern", "x" * 999, "must match the pattern …", "必须匹配 …"),
        (
            "duplicate",
            ("1", "2"),
            "appears twice with different values; send it once (you wrote 1 / 2)",
            "重复出现且取值不同（写的是 1 / 2）",
        ),
    ],
)
def test_a_line_names_the_allowed_values(rule: str, expected: Any, english: str, chinese: str) -> None:
    found = [Violation(code_of(rule), "/a/b", "wrong", rule)]
    for locale, sentence in zip(LOCALES, (english, chinese), strict=True):
        assert corrected(locale, found, {(rule, "/a/b"): expected}).splitlines()[1:] == [f"- /a/b: {sentence}"]


def test_a_long_list_of_allowed_values_ends_with_the_number_of_the_others() -> None:
    found = [Violation("PP512", "/a", "wrong", "enum"), Violation("PP512", "/b", "wrong", "enum")]
    allowed = [f"WORD_{number:02}" for number in range(40)]
    lines = corrected("en", found, {("enum", item.path): allowed for item in found}).splitlines()
    shown = lines[1].count("WORD_")
    assert shown > 5
    assert lines[1].endswith(f"WORD_{shown - 1:02}, … (+{40 - shown})")


def test_a_long_path_keeps_its_end() -> None:
    path = "/params" + "/tasks/0" * 50 + "/minutes"
    line = corrected("en", [Violation("PP513", path, "wrong", "minimum")], {("minimum", path): 1}).splitlines()[1]
    assert line.startswith("- …/")
    assert line.endswith("/tasks/0/minutes: must be at least 1")


def test_equal_lines_are_written_once() -> None:
    found = [Violation("PP508", "", f"the repair {kind!r} is not allowed", "repair") for kind in ("quotes", "comment")]
    assert len(corrected("en", found, {}).splitlines()) == 2


def test_a_rule_that_fails_reveals_no_details_to_the_model() -> None:
    found = [Violation("PP521", "/a", "rule 'odd' cannot be evaluated: a mapping has no key 'nope'", "odd")]
    assert corrected("zh", found, {}).endswith("- /a: 无法检查，请按契约填写")


def test_an_unknown_repair_in_a_pack_is_a_problem_with_its_location(problems_of: Callable[[str], str]) -> None:
    text = problems_of("messages:\n  - {role: user, content: hi}\nreply:\n  refuse: [low, trailing-coma]\n")
    assert "PP205 'trailing-coma' is not one of 'none', 'low', 'medium'" in text
    assert text.startswith("packs/demo/1.0.0.yaml:7:17: ")
    assert text.endswith("hint: did you mean 'trailing-comma'?")


def test_an_unknown_repair_from_a_caller_is_a_usage_error() -> None:
    with pytest.raises(UsageError) as raised:
        pack_in("en").check("{}", refuse=["fense", "Xyz"])
    assert str(raised.value) == (
        "PP531 unknown repair or risk 'Xyz'\n  hint: the risks are none, low, medium, high\n"
        "PP531 unknown repair or risk 'fense'\n  hint: did you mean 'fence'?"
    )
    with pytest.raises(UsageError, match="PP531 unknown repair or risk 'fense'"):
        pack_in("en").stream(refuse=["fense"])


def test_the_pack_format_lists_every_repair() -> None:
    allowed = pack_schema().source["$defs"]["reply"]["properties"]["refuse"]["items"]["enum"]
    assert allowed == [*RISKS, *sorted(KINDS)]
