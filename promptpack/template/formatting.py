"""Formats: the operator `%`, the filter `format` and the method `format` of texts, with bounded widths."""

import re
import string
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from jinja2.exceptions import SecurityError, TemplateRuntimeError

from promptpack.characters import is_encodable
from promptpack.template.meter import LimitError, check_text, measure
from promptpack.template.values import to_text

# Compiled on first use, since few templates format text.
_WIDTH: Final = r"%(?:\([^)]*\))?[#0\- +]*(\*|\d{4,})|%(?:\([^)]*\))?[#0\- +]*\d*\.(\*|\d{4,})"
_SPECIFICATION: Final = r"(.?[<>=^])?[-+ ]?z?#?0?\d{0,3}[_,]?(\.\d{1,3})?[bcdeEfFgGosxX%]?"
_WIDEST: Final = 1_000
# More digits than any number has: `meter.check_bits` limits the numbers that templates compute.
_LONGEST_NUMBER: Final = 5_000
# The longest escape of a character, as `%a` writes it.
_LONGEST_ESCAPE: Final = 10


def interpolate(text: str, right: Any) -> str:
    """Return `text % right`; values other than numbers are formatted as a template prints them."""
    if re.search(_WIDTH, text):
        raise LimitError("format", "the width of a format has more than three digits")
    measure(right)
    values: Any
    if isinstance(right, (dict, list)):
        # Python ignores a mapping or list that the format does not mention.
        values = _Operand(right)
    else:
        values = tuple(_printable(value) for value in (right if isinstance(right, tuple) else (right,)))
    _check_length(text, "%", values.texts() if isinstance(values, _Operand) else values)
    return _encodable(text % values)


def format_filter(value: Any, *values: Any, **named: Any) -> str:
    """Format a text with `%`: `"%s is %d" | format(name, age)`."""
    if values and named:
        raise TemplateRuntimeError("format takes positional or named values, not both\nuse one kind")
    return interpolate(to_text(value), named or values)


class TextFormat:
    """The method `format` of a text: names and positions only, no attributes."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __call__(self, *values: Any, **named: Any) -> str:
        """Return the formatted text."""
        positional = [_printable(value) for value in values]
        keywords = {name: _printable(value) for name, value in named.items()}
        _check_length(self._text, "{", (*positional, *keywords.values()))
        return _encodable(_Formatter().vformat(self._text, positional, keywords))


def reads_attributes(text: str) -> bool:
    """Return whether a format looks up attributes or items, as in `{0.name}`."""
    try:
        return any(re.search(r"[.\[]", name or "") for _, name, _, _ in string.Formatter().parse(text))
    except ValueError:
        return False


class _Formatter(string.Formatter):
    def get_field(self, field_name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Any, Any]:
        if "." in field_name or "[" in field_name:
            raise SecurityError("a format can use names and positions only")
        return self.get_value(int(field_name) if field_name.isdecimal() else field_name, args, kwargs), field_name

    def format_field(self, value: Any, format_spec: str) -> str:
        if not re.fullmatch(_SPECIFICATION, format_spec, re.DOTALL):
            raise LimitError("format", "a format is invalid, or its width has more than three digits")
        return super().format_field(value, format_spec)  # type: ignore[no-any-return]


class _Operand(dict[str, Any]):
    """A mapping or list on the right of `%`, which prints as a template prints it."""

    def __init__(self, value: dict[str, Any] | list[Any]) -> None:
        super().__init__({key: _printable(one) for key, one in value.items()} if isinstance(value, dict) else {})
        self._value = value

    def texts(self) -> tuple[Any, ...]:
        return (str(self), *self.values())

    def __str__(self) -> str:
        return to_text(self._value)

    __repr__ = __str__


def _printable(value: Any) -> Any:
    """Return numbers unchanged, because formats need them; other values as a template prints them."""
    return value if type(value) in (int, float, str) else to_text(value)


def _check_length(text: str, mark: str, values: Iterable[Any]) -> None:
    """Refuse a format whose result would be too long."""
    longest = max((len(value) if isinstance(value, str) else _LONGEST_NUMBER for value in values), default=0)
    check_text(len(text) + text.count(mark) * (longest * _LONGEST_ESCAPE + _WIDEST))


def _encodable(text: str) -> str:
    if not is_encodable(text):
        raise TemplateRuntimeError("a format produces half of a surrogate pair\nwrite the character itself")
    return text
