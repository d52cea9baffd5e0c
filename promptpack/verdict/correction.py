"""The message that asks a model to mend its reply: short, in the pack's language, only what is wrong."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from promptpack.pack import Contract, Pack
from promptpack.verdict.model import Violation
from promptpack.words import words

_SHOWN = 8

Expected = Mapping[tuple[str, str], Any]
"""What a keyword asked for, by the keyword and the pointer."""


def write_correction(pack: Pack, contract: Contract, violations: Sequence[Violation], expected: Expected) -> str:
    """Write the correction, by the pack's own template where it has one."""
    if contract.correction is not None:
        listed = [{"code": found.code, "path": found.path, "message": found.message} for found in violations]
        return contract.correction.render({"violations": listed, "pack": pack.about})
    said = words(pack.locale)
    if [found.rule for found in violations] == ["no_json"]:
        return said["correction_unread"]
    lines = [
        f"- {found.path or said['whole_reply']}: {_sentence(found, expected, said)}" for found in violations[:_SHOWN]
    ]
    more = [f"- (+{len(violations) - _SHOWN})"] if len(violations) > _SHOWN else []
    return "\n".join([said["correction"], *lines, *more])


def _sentence(found: Violation, expected: Expected, said: Mapping[str, str]) -> str:
    sentence = said.get(f"say.{found.rule}")
    if sentence is None or found.code == "PP520":
        return found.message
    return sentence.format(expected=_show(found.rule, expected.get((found.rule, found.path)), said))


def _show(rule: str, expected: Any, said: Mapping[str, str]) -> str:
    if rule == "type":
        kinds = expected if isinstance(expected, list) else [expected]
        return said["or"].join(said.get(f"kind.{kind}", str(kind)) for kind in kinds)
    if rule == "enum" and isinstance(expected, list):
        return ", ".join(_show("const", choice, said) for choice in expected)
    return expected if isinstance(expected, str) else json.dumps(expected, ensure_ascii=False)
