"""Jinja's filters on text: they get the printed form of a value, and refuse a result that would be too long."""

from collections.abc import Callable, Mapping
from functools import wraps
from types import MappingProxyType
from typing import Any, Final

from jinja2.exceptions import TemplateRuntimeError
from jinja2.filters import (
    FILTERS,
    do_center,
    do_indent,
    do_trim,
    do_truncate,
    do_wordwrap,
    make_attrgetter,
)
from jinja2.utils import pass_environment

from promptpack.template.meter import CHARACTERS_A_STEP, check_text, step, to_list
from promptpack.template.values import to_text


def _on_text(original: Callable[[str], Any]) -> Callable[..., Any]:
    """Pass a filter the text that a template prints for a value, not Python's `str`."""

    @wraps(original)
    def filter_text(value: Any) -> Any:
        return original(to_text(value))

    return filter_text


def _trim(value: Any, chars: str | None = None) -> str:
    return do_trim(to_text(value), chars)


def _center(value: Any, width: int = 80) -> str:
    check_text(width if isinstance(width, int) else 0)
    return do_center(to_text(value), width)


def _indent(s: Any, width: int | str = 4, first: bool = False, blank: bool = False) -> str:
    text = to_text(s)
    unit = width if isinstance(width, int) else len(width)
    check_text(len(text) + (text.count("\n") + 1) * max(unit, 0))
    return do_indent(text, width, first, blank)


@pass_environment
def _join(environment: Any, value: Any, d: Any = "", attribute: Any = None) -> str:
    if attribute is not None:
        value = list(map(make_attrgetter(environment, attribute), to_list(value)))
    if type(value) is list and type(d) is str:
        try:
            characters = sum(map(len, value)) + len(d) * len(value)
            if characters >= CHARACTERS_A_STEP:
                check_text(characters)
            step(1 + len(value))
            return d.join(value)
        except TypeError:
            pass  # not all items are text
    texts = [to_text(item) for item in to_list(value)]
    separator = to_text(d)
    check_text(sum(map(len, texts)) + len(separator) * len(texts))
    return separator.join(texts)


def _replace(s: Any, old: Any, new: Any, count: int | None = None) -> str:
    text = to_text(s)
    check_replacement(text, to_text(old), to_text(new))
    return text.replace(to_text(old), to_text(new), -1 if count is None else count)


def check_replacement(text: str, old: str, new: str) -> None:
    """Refuse a replacement whose result would be too long."""
    places = text.count(old) if old else len(text) + 1
    check_text(len(text) + places * max(len(new) - len(old), 0))


@pass_environment
def _truncate(
    environment: Any, s: Any, length: int = 255, killwords: bool = False, end: str = "...", leeway: int | None = None
) -> str:
    if not isinstance(end, str) or not isinstance(length, int) or length < len(end):
        raise TemplateRuntimeError("length must be a number, at least the length of 'end'\nuse a larger length")
    if leeway is not None and (not isinstance(leeway, int) or leeway < 0):
        raise TemplateRuntimeError("leeway must be at least 0\nuse 0 or more")
    return do_truncate(environment, to_text(s), length, killwords, end, leeway)


@pass_environment
def _wordwrap(
    environment: Any,
    s: Any,
    width: int = 79,
    break_long_words: bool = True,
    wrapstring: str | None = None,
    break_on_hyphens: bool = True,
) -> str:
    if not isinstance(width, int) or width < 1:
        raise TemplateRuntimeError("width must be at least 1\nuse 1 or more")
    text = to_text(s)
    # Wrapping processes each character; two consecutive lines together are longer than one width.
    step(len(text))
    lines = text.count("\n") + 1 + 2 * len(text) // width
    check_text(len(text) + lines * len(wrapstring or "\n"))
    return do_wordwrap(environment, text, width, break_long_words, wrapstring, break_on_hyphens)


TEXT_FILTERS: Final[Mapping[str, Callable[..., Any]]] = MappingProxyType(
    {
        **{name: _on_text(FILTERS[name]) for name in ("capitalize", "lower", "string", "title", "upper", "wordcount")},
        "center": _center,
        "indent": _indent,
        "join": _join,
        "replace": _replace,
        "safe": to_text,  # prompts are not escaped, so there is nothing to mark as safe
        "trim": _trim,
        "truncate": _truncate,
        "wordwrap": _wordwrap,
    }
)
