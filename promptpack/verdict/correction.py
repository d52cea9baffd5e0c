"""Write the correction, a message to the model: short, in the language of the pack, only the violations."""

import json
from collections.abc import Mapping, Sequence
from itertools import accumulate
from string import ascii_letters
from typing import Any

from promptpack.pack.contract import Contract
from promptpack.pack.model import Pack
from promptpack.verdict.claims import Expected
from promptpack.verdict.model import Violation, code_of
from promptpack.words import words

_MAX_VIOLATIONS = 8
# A correction with one or two violations has fewer than 150 tokens. Sizes are in tenths of a token, estimated high, so
# that random letters, rare characters and long numbers stay within the limit too.
_MAX_SIZE = 1_540
_MAX_FULL_LINES = 2
_LETTER, _SIGN, _CHINESE, _OTHER = 4, 9, 18, 30
_ELLIPSIS = 18
_WITHOUT_LETTERS = dict.fromkeys(map(ord, ascii_letters + " "))


def write_correction(pack: Pack, contract: Contract, violations: Sequence[Violation], expected: Expected) -> str:
    """Return the correction, from the template of the pack if it has one."""
    if contract.correction is not None:
        listed = [{"code": found.code, "path": found.path, "message": found.message} for found in violations]
        return contract.correction.render({"violations": listed, "pack": pack._about})
    texts = words(pack.locale)
    if [found.rule for found in violations] in (["no_json"], ["empty"]):
        return texts["correction_unread"]
    return write_violations(texts["correction"], violations, expected, texts)


def write_violations(title: str, violations: Sequence[Violation], expected: Expected, texts: Mapping[str, str]) -> str:
    """Return a title and one line for each violation."""
    shown = violations[:_MAX_VIOLATIONS]
    lines = _write_lines(shown, expected, texts, _MAX_SIZE - _size(title))
    more = [f"- (+{len(violations) - _MAX_VIOLATIONS})"] if len(violations) > _MAX_VIOLATIONS else []
    return "\n".join([title, *dict.fromkeys(lines), *more])


def _write_lines(shown: Sequence[Violation], expected: Expected, texts: Mapping[str, str], limit: int) -> list[str]:
    """Return one line for each violation; of two lines, the longer one gets the space that the shorter one leaves."""
    wanted = [expected.get((found.rule, found.path)) for found in shown]
    share = limit // min(len(shown), _MAX_FULL_LINES) - _SIGN
    lines = [_write_line(found, value, texts, share) for found, value in zip(shown, wanted, strict=True)]
    if len(lines) == _MAX_FULL_LINES:
        short, long = sorted((0, 1), key=lambda index: _size(lines[index]))
        lines[long] = _write_line(shown[long], wanted[long], texts, limit - _size(lines[short]) - 2 * _SIGN)
    return lines


def _write_line(found: Violation, expected: Any, texts: Mapping[str, str], limit: int) -> str:
    start = f"- {_shorten_path(found.path, limit // 2) or texts['whole_reply']}: "
    return start + _write_sentence(found, expected, texts, limit - _size(start))


def _shorten_path(path: str, limit: int) -> str:
    """Return a path without its first steps if it is too long: the end is more informative."""
    size = _size(path)
    if size <= limit:
        return path
    steps, size = path.split("/")[1:], size - _SIGN
    while len(steps) > 1 and size > limit - _ELLIPSIS - _SIGN:
        size -= _size(steps.pop(0)) + _SIGN
    return "…/" + _cut("/".join(steps), limit - _ELLIPSIS - _SIGN)


def _write_sentence(found: Violation, expected: Any, texts: Mapping[str, str], limit: int) -> str:
    if found.code == code_of("rule"):
        return _cut(found.message, limit)
    if found.code == code_of("rule_error"):
        return texts["say.rule_error"]
    sentence = texts.get(f"say.{found.rule}", texts["say.other"])
    if isinstance(expected, tuple):
        return sentence + _show_written(expected, texts, limit - _size(sentence))
    if found.rule in ("required", "others") and isinstance(expected, Mapping):
        return sentence + _describe_choices(expected, texts, limit - _size(sentence))
    remaining = limit - _size(sentence.format(expected="", message=""))
    shown = _show(found.rule, expected, texts, remaining) if "{expected}" in sentence else ""
    return sentence.format(expected=shown, message=_cut(found.message, remaining))


def _describe_choices(schema: Mapping[str, Any], texts: Mapping[str, str], limit: int) -> str:
    """Return the allowed values of a missing field, if its schema lists them."""
    rule = next((rule for rule in ("enum", "const") if rule in schema), None)
    if rule is None:
        return ""
    text = texts["and"] + texts[f"say.{rule}"]
    return text.format(expected=_show(rule, schema[rule], texts, limit - _size(text)))


def _show_written(written: Sequence[str], texts: Mapping[str, str], limit: int) -> str:
    """Return the values that the model wrote, each shortened to its share of the space."""
    share = (limit - _size(texts["written"].format(expected=""))) // len(written) - _size(" / ")
    return texts["written"].format(expected=" / ".join(_cut(text, share) for text in written))


def _show(rule: str, expected: Any, texts: Mapping[str, str], limit: int) -> str:
    if rule == "type":
        kinds = expected if isinstance(expected, list) else [expected]
        return texts["or"].join(texts.get(f"kind.{kind}", str(kind)) for kind in kinds)
    if rule == "enum" and isinstance(expected, list):
        return _list_choices([_to_text(choice) for choice in expected], limit)
    # A truncated value is useless, and may be part of a secret.
    return shown if _size(shown := _to_text(expected)) <= limit else "…"


def _list_choices(choices: Sequence[str], limit: int) -> str:
    """List as many allowed values as fit, and the number of the others."""
    shown, remaining = [], limit - _size(", … (+000000)")
    for choice in choices:
        remaining -= _size(choice + ", ")
        if remaining < 0:
            break
        shown.append(choice)
    more = len(choices) - len(shown)
    whole = ", ".join(choices)
    return whole if _size(whole) <= limit else ", ".join([*shown, f"… (+{more})"])


def _to_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _cut(text: str, limit: int) -> str:
    if _size(text) <= limit:
        return text
    sizes = accumulate(map(_cost, text), initial=_ELLIPSIS)
    return text[: max(sum(size <= limit for size in sizes) - 1, 0)] + "…"


def _size(text: str) -> int:
    others = text.translate(_WITHOUT_LETTERS)
    letters = (len(text) - len(others)) * _LETTER
    return letters + (len(others) * _SIGN if others.isascii() else sum(map(_cost, others)))


def _cost(character: str) -> int:
    if character.isascii():
        return _LETTER if character.isalpha() or character == " " else _SIGN
    return _CHINESE if "\u2010" <= character <= "\uffef" and character.isprintable() else _OTHER
