"""Jinja's filters on text: they get the printed form of a value, and refuse a result that would be too long."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from jinja2.exceptions import TemplateRuntimeError
from jinja2.filters import make_attrgetter
from jinja2.utils import pass_environment

from promptpack.template.meter import CHARACTERS_A_STEP, check_text, step, to_list
from promptpack.template.values import to_text

Function = Callable[..., Any]


def _on_text(original: Function) -> Function:
    """Pass a filter the text that a template prints for a value, not Python's `str`."""

    def filter_text(value: Any) -> Any:
        return original(to_text(value))

    return filter_text


def _trim(original: Function) -> Function:
    def trim(value: Any, chars: str | None = None) -> Any:
        return original(to_text(value), chars)

    return trim


def _center(original: Function) -> Function:
    def center(value: Any, width: int = 80) -> Any:
        check_text(width if isinstance(width, int) else 0)
        return original(to_text(value), width)

    return center


def _indent(original: Function) -> Function:
    def indent(s: Any, width: int | str = 4, first: bool = False, blank: bool = False) -> Any:
        text = to_text(s)
        unit = width if isinstance(width, int) else len(width)
        check_text(len(text) + (text.count("\n") + 1) * max(unit, 0))
        return original(text, width, first, blank)

    return indent


def _join(original: Function) -> Function:
    @pass_environment
    def join_attributes(environment: Any, value: Any, d: Any = "", attribute: Any = None) -> str:
        if attribute is not None:
            value = list(map(make_attrgetter(environment, attribute), to_list(value)))
        return _join_texts(value, d)

    join_attributes.__doc__ = original.__doc__
    return join_attributes


def _join_texts(value: Any, d: Any) -> str:
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


def _replace(original: Function) -> Function:
    def replace(s: Any, old: Any, new: Any, count: int | None = None) -> str:
        text = to_text(s)
        check_replacement(text, to_text(old), to_text(new))
        return text.replace(to_text(old), to_text(new), -1 if count is None else count)

    replace.__doc__ = original.__doc__
    return replace


def check_replacement(text: str, old: str, new: str) -> None:
    """Refuse a replacement whose result would be too long."""
    places = text.count(old) if old else len(text) + 1
    check_text(len(text) + places * max(len(new) - len(old), 0))


def _truncate(original: Function) -> Function:
    @pass_environment
    def truncate(
        environment: Any,
        s: Any,
        length: int = 255,
        killwords: bool = False,
        end: str = "...",
        leeway: int | None = None,
    ) -> Any:
        if not isinstance(end, str) or not isinstance(length, int) or length < len(end):
            raise TemplateRuntimeError("length must be a number, at least the length of 'end'")
        if leeway is not None and (not isinstance(leeway, int) or leeway < 0):
            raise TemplateRuntimeError("leeway must be at least 0")
        return original(environment, to_text(s), length, killwords, end, leeway)

    return truncate


def _wordwrap(original: Function) -> Function:
    @pass_environment
    def wordwrap(
        environment: Any,
        s: Any,
        width: int = 79,
        break_long_words: bool = True,
        wrapstring: str | None = None,
        break_on_hyphens: bool = True,
    ) -> Any:
        check_at_least_one("width", width)
        text = to_text(s)
        # Wrapping processes each character; two consecutive lines together are longer than one width.
        step(len(text))
        lines = text.count("\n") + 1 + 2 * len(text) // width
        check_text(len(text) + lines * len(wrapstring or "\n"))
        return original(environment, text, width, break_long_words, wrapstring, break_on_hyphens)

    return wordwrap


def check_at_least_one(name: str, number: Any) -> None:
    """Refuse a number below 1."""
    if not isinstance(number, int) or number < 1:
        raise TemplateRuntimeError(f"{name} must be at least 1")


TEXT_GUARDS: Final[Mapping[str, Callable[[Function], Function]]] = MappingProxyType(
    {
        "capitalize": _on_text,
        "center": _center,
        "indent": _indent,
        "join": _join,
        "lower": _on_text,
        "replace": _replace,
        "string": _on_text,
        "title": _on_text,
        "trim": _trim,
        "truncate": _truncate,
        "upper": _on_text,
        "wordcount": _on_text,
        "wordwrap": _wordwrap,
    }
)
