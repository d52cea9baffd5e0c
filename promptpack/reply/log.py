"""Write the log of an accepted reading: text edits in raw places first, then the edits by path."""

import re
from collections.abc import Iterator
from typing import Any

from promptpack.reply.judge import Judged, original_path
from promptpack.reply.layers import Layer
from promptpack.reply.reading import Repair
from promptpack.reply.repair import risk_of, value_at
from promptpack.reply.thinking import CHANNEL, END, START
from promptpack.reply.tree import Edit

_KINDS = (
    ("think", re.compile(f"{START}|{END}|{CHANNEL}", re.IGNORECASE)),
    ("fence", re.compile(r"```|~~~")),
    ("token", re.compile(r"<\|[^|]*\|>|</?s>|<eos>|\[/?INST\]|\[TOOL_CALLS\]")),
    ("tag", re.compile(r"</?[A-Za-z_][^<>]{0,60}>")),
    ("prose", re.compile(r"\w")),
    ("extra-bracket", re.compile(r"[\]})]")),
    ("fence", re.compile(r"`")),
)


def write_log(raw: str, layer: Layer, judged: Judged) -> tuple[Repair, ...]:
    """List every change that leads from the raw reply to the value."""
    edits = [*_outside(layer.text, judged), *_inside(judged)]
    places = judged.candidate.places
    known = places if edits and isinstance(places, dict) else {}
    paths = {(layer.raw(start), layer.raw(end)): path for path, (start, end) in known.items()}
    starts = {start: path for (start, _), path in paths.items()}
    texts = [
        _text_repair(raw, edit, starts.get(edit.end, "") if edit.kind == "missing-colon" else paths.get(edit[1:3], ""))
        for edit in _in_raw(layer, edits)
    ]
    return (*texts, *_repeats(layer, judged), *_steps(layer, judged))


def _outside(text: str, judged: Judged) -> Iterator[Edit]:
    start, end = judged.candidate.start, judged.candidate.end
    for left, right in ((0, start), (end, len(text))):
        if text[left:right].strip(" \t\r\n"):
            yield Edit(_kind(text[left:right]), left, right, "")


def _kind(around: str) -> str:
    piece = around if len(around) < 20_000 else around[:10_000] + around[-10_000:]
    return next((kind for kind, pattern in _KINDS if pattern.search(piece)), "white-space")


def _inside(judged: Judged) -> list[Edit]:
    """Sort the scanner's edits; of two edits on one span the later one knew more."""
    scan = judged.candidate.scan
    if scan is None:
        return []
    unique: dict[Any, Edit] = {}
    for index, edit in enumerate(scan.edits):
        unique[(edit.start, edit.end) if edit.end > edit.start else index] = edit
    return sorted(unique.values(), key=lambda edit: (edit.start, edit.end))


def _in_raw(layer: Layer, edits: list[Edit]) -> list[Edit]:
    """Carry edits over to the raw text; an edit absorbs what the coating changed inside its span."""
    if not layer.is_coated:
        return sorted(edits, key=lambda edit: (edit.start, edit.end))
    moved = sorted((_moved(layer, edit) for edit in edits), key=lambda edit: (edit.start, edit.end))
    result, index = [], 0
    for coat in layer.edits():
        while index < len(moved) and moved[index].end <= coat.start and moved[index].start < coat.start:
            result.append(moved[index])
            index += 1
        if index >= len(moved) or not moved[index].start <= coat.start < moved[index].end:
            result.append(coat)
    return sorted([*result, *moved[index:]], key=lambda edit: (edit.start, edit.end))


def _moved(layer: Layer, edit: Edit) -> Edit:
    return Edit(edit.kind, layer.raw(edit.start), layer.raw(edit.end), edit.after)


def _text_repair(raw: str, edit: Edit, path: str) -> Repair:
    return Repair(path, edit.kind, (edit.start, edit.end), raw[edit.start : edit.end], edit.after, risk_of(edit.kind))


def _repeats(layer: Layer, judged: Judged) -> Iterator[Repair]:
    """A key given twice with one value: strict readers keep the last, which is the same."""
    for path in judged.candidate.repeats:
        value = value_at(judged.candidate.value, path)
        span = _span(layer, judged, path)
        yield Repair(path, "duplicate-same", span, value, value, risk_of("duplicate-same"), "set")


def _steps(layer: Layer, judged: Judged) -> Iterator[Repair]:
    for index, step in enumerate(judged.steps):
        place = original_path(step.path, judged.steps[:index])
        span = _span(layer, judged, place)
        yield Repair(step.path, step.kind, span, step.before, step.after, risk_of(step.kind), step.edit)


def _span(layer: Layer, judged: Judged, path: str) -> tuple[int, int]:
    start, end = judged.candidate.span(path)
    return layer.raw(start), layer.raw(end)
