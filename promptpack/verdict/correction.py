"""The message that asks a model to mend its reply: short, in the pack's language, only what is wrong."""

import json
from collections.abc import Mapping, Sequence
from itertools import accumulate
from string import ascii_letters
from typing import Any

from promptpack.pack import Contract, Pack
from promptpack.verdict.model import Violation, code_of
from promptpack.words import words

_SHOWN = 8
# One or two violations take under 150 tokens. Sizes are about tenths of a token, rather too much than too little,
# so that random letters, rare characters and long numbers stay within the limit too.
_ROOM = 1_540
_LINES = 2
_LETTER, _SIGN, _CHINESE, _OTHER = 4, 9, 18, 30
_ELLIPSIS = 18
_WITHOUT_LETTERS = dict.fromkeys(map(ord, ascii_letters + " "))

Expected = Mapping[tuple[str, str], Any]
"""What a keyword asked for, by the keyword and the pointer."""


def write_correction(pack: Pack, contract: Contract, violations: Sequence[Violation], expected: Expected) -> str:
    """Write the correction, by the pack's own template where it has one."""
    if contract.correction is not None:
        listed = [{"code": found.code, "path": found.path, "message": found.message} for found in violations]
        return contract.correction.render({"violations": listed, "pack": pack.about})
    said = words(pack.locale)
    if [found.rule for found in violations] in (["no_json"], ["empty"]):
        return said["correction_unread"]
    shown = violations[:_SHOWN]
    lines = _lines(shown, expected, said, _ROOM - _size(said["correction"]))
    more = [f"- (+{len(violations) - _SHOWN})"] if len(violations) > _SHOWN else []
    return "\n".join([said["correction"], *lines, *more])


def _lines(shown: Sequence[Violation], expected: Expected, said: Mapping[str, str], room: int) -> list[str]:
    """Write one line a violation; of two, the shorter one leaves its room to the other."""
    asked = [expected.get((found.rule, found.path)) for found in shown]
    share = room // min(len(shown), _LINES) - _SIGN
    lines = [_line(found, wanted, said, share) for found, wanted in zip(shown, asked, strict=True)]
    if len(lines) == _LINES:
        short, long = sorted((0, 1), key=lambda index: _size(lines[index]))
        lines[long] = _line(shown[long], asked[long], said, room - _size(lines[short]) - 2 * _SIGN)
    return lines


def _line(found: Violation, expected: Any, said: Mapping[str, str], room: int) -> str:
    start = f"- {_short_path(found.path, room // 2) or said['whole_reply']}: "
    return start + _sentence(found, expected, said, room - _size(start))


def _short_path(path: str, room: int) -> str:
    """Leave out the beginning of a long path, step by step: its end says more."""
    if _size(path) <= room:
        return path
    steps = path.split("/")[1:]
    while len(steps) > 1 and _size("/".join(steps)) > room - _ELLIPSIS - _SIGN:
        steps.pop(0)
    return "…/" + _cut("/".join(steps), room - _ELLIPSIS - _SIGN)


def _sentence(found: Violation, expected: Any, said: Mapping[str, str], room: int) -> str:
    if found.code == code_of("rule"):
        return _cut(found.message, room)
    if found.code == code_of("rule_error"):
        return said["say.rule_error"]
    sentence = said.get(f"say.{found.rule}", said["say.other"])
    if found.rule == "required" and isinstance(expected, Mapping):
        return sentence + _wanted(expected, said, room - _size(sentence))
    left = room - _size(sentence.format(expected="", message=""))
    shown = _show(found.rule, expected, said, left) if "{expected}" in sentence else ""
    return sentence.format(expected=shown, message=_cut(found.message, left))


def _wanted(schema: Mapping[str, Any], said: Mapping[str, str], room: int) -> str:
    """Name the values that a missing field may have, where its schema lists them."""
    rule = next((rule for rule in ("enum", "const") if rule in schema), None)
    if rule is None:
        return ""
    wanted = said["and"] + said[f"say.{rule}"]
    return wanted.format(expected=_show(rule, schema[rule], said, room - _size(wanted)))


def _show(rule: str, expected: Any, said: Mapping[str, str], room: int) -> str:
    if rule == "type":
        kinds = expected if isinstance(expected, list) else [expected]
        return said["or"].join(said.get(f"kind.{kind}", str(kind)) for kind in kinds)
    if rule == "enum" and isinstance(expected, list):
        return _choices([_plain(choice) for choice in expected], room)
    # A cut value could be half of a secret, and is of no use.
    return shown if _size(shown := _plain(expected)) <= room else "…"


def _choices(choices: Sequence[str], room: int) -> str:
    """List as many of the allowed values as there is room for, and say how many more there are."""
    shown, left = [], room - _size(", … (+000000)")
    for choice in choices:
        left -= _size(choice + ", ")
        if left < 0:
            break
        shown.append(choice)
    more = len(choices) - len(shown)
    whole = ", ".join(choices)
    return whole if _size(whole) <= room else ", ".join([*shown, f"… (+{more})"])


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _cut(text: str, room: int) -> str:
    if _size(text) <= room:
        return text
    sizes = accumulate(map(_cost, text), initial=_ELLIPSIS)
    return text[: max(sum(size <= room for size in sizes) - 1, 0)] + "…"


def _size(text: str) -> int:
    others = text.translate(_WITHOUT_LETTERS)
    letters = (len(text) - len(others)) * _LETTER
    return letters + (len(others) * _SIGN if others.isascii() else sum(map(_cost, others)))


def _cost(character: str) -> int:
    if character.isascii():
        return _LETTER if character.isalpha() or character == " " else _SIGN
    return _CHINESE if "\u2010" <= character <= "\uffef" and character.isprintable() else _OTHER
