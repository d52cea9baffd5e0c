"""Merge the answer to a correction: the whole object again, or only the parts that failed."""

from collections.abc import Mapping, Sequence
from typing import Any

_MISSING = object()


def merge(previous: Mapping[str, Any], answer: Mapping[str, Any], paths: Sequence[str]) -> dict[str, Any]:
    """Take the failing paths from a partial answer and leave the rest as it was; a whole answer stands for itself."""
    tops = {_steps(path)[0] for path in paths if path}
    if not tops or (previous.keys() - tops and previous.keys() | tops <= answer.keys()):
        return dict(answer)
    result: Any = dict(previous)
    for path in paths:
        part = _part(answer, path, paths)
        if part is not _MISSING:
            result = _put(result, _steps(path), part)
    return dict(result)


def _part(answer: Mapping[str, Any], path: str, paths: Sequence[str]) -> Any:
    """Find a path's new value: in its place, under its pointer, or under its last name where that is unmistakable."""
    steps = _steps(path)
    found = _get(answer, steps)
    if found is not _MISSING:
        return found
    if path in answer:
        return answer[path]
    last = steps[-1]
    alone = sum(_steps(other)[-1] == last for other in paths) == 1
    return answer[last] if len(steps) > 1 and alone and last in answer else _MISSING


def _steps(path: str) -> list[str]:
    return [step.replace("~1", "/").replace("~0", "~") for step in path.split("/")[1:]] or [""]


def _get(value: Any, steps: list[str]) -> Any:
    for step in steps:
        if isinstance(value, Mapping) and step in value:
            value = value[step]
        elif isinstance(value, list) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        else:
            return _MISSING
    return value


def _put(value: Any, steps: list[str], part: Any) -> Any:
    if not steps:
        return part
    step, rest = steps[0], steps[1:]
    if isinstance(value, list) and step.isdecimal():
        index = int(step)
        if index >= len(value):
            return [*value, _put(_MISSING, rest, part)]
        return [_put(item, rest, part) if place == index else item for place, item in enumerate(value)]
    base: dict[str, Any] = dict(value) if isinstance(value, Mapping) else {}
    base[step] = _put(base.get(step, _MISSING), rest, part)
    return base
