"""The message that asks a model to mend its reply: short, in the pack's language, only what is wrong."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from promptpack.pack import Contract, Pack
from promptpack.verdict.model import Violation, code_of
from promptpack.words import words

_SHOWN = 8
# One or two violations take under 150 tokens of 3.66 bytes each.
_ROOM = 540
_LINES = 2

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
    room = (_ROOM - _size(said["correction"])) // min(len(shown), _LINES) - 1
    lines = [_line(found, expected.get((found.rule, found.path)), said, room) for found in shown]
    more = [f"- (+{len(violations) - _SHOWN})"] if len(violations) > _SHOWN else []
    return "\n".join([said["correction"], *lines, *more])


def _line(found: Violation, expected: Any, said: Mapping[str, str], room: int) -> str:
    start = f"- {_short_path(found.path, room // 2) or said['whole_reply']}: "
    return start + _sentence(found, expected, said, room - _size(start))


def _short_path(path: str, room: int) -> str:
    """Leave out the beginning of a long path, step by step: its end says more."""
    if _size(path) <= room:
        return path
    steps = path.split("/")[1:]
    while len(steps) > 1 and _size("/".join(steps)) > room - 4:
        steps.pop(0)
    return "…/" + _cut("/".join(steps), room - 4)


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
    shown, left = [], room - len(", … (+000000)")
    for choice in choices:
        left -= _size(choice) + 2
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
    return text.encode(errors="replace")[: max(room - 3, 0)].decode(errors="ignore") + "…"


def _size(text: str) -> int:
    return len(text.encode(errors="replace"))
