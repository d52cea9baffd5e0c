"""YAML text, byte for byte as PyYAML writes it: structure and plain strings are written here, the rest by PyYAML."""

import re
from collections.abc import Iterable
from io import StringIO
from typing import Any, Final

from promptpack.pack.output.type_entry import ATOMS

_WIDTH: Final = 80
_LONG_KEY: Final = 123  # PyYAML allows 128 characters and counts five for the unwritten tag
# Text that PyYAML writes unquoted anywhere in block style: it starts with a letter and contains neither unusual
# characters nor anything that looks like a comment or a key.
_LETTERS: Final = r"A-Za-z\u00c0-\u024f\u0370-\u04ff\u3041-\u30ff\u4e00-\u9fff\uac00-\ud7a3"
_MARKS: Final = r"0-9_.,;!?()'\"/@%&*+=<>\[\]{}|~^$`#\\\u2010-\u2027\u3001-\u3011\uff01-\uff5e-"
_PLAIN: Final = re.compile(rf"[{_LETTERS}](?:[{_LETTERS}{_MARKS}]| (?![ #]|\Z)|:(?! |\Z))*")
_BREAKS: Final = frozenset("\n\x85\u2028\u2029")
_RESERVED_WORDS: Final = frozenset(
    form
    for word in ("yes", "no", "true", "false", "on", "off", "null")
    for form in (word, word.capitalize(), word.upper())
)


class _FallbackError(TypeError):
    """Only PyYAML can write this value, or refuse it."""


def dump(data: Any, *, sort_keys: bool) -> str:
    """Write data as block style YAML; a value without a YAML form raises PyYAML's error.

    The data must not contain the same object twice: PyYAML would write an alias, this function does not.
    """
    writer = _Writer(sort_keys)
    try:
        writer.root(data)
    except _FallbackError:
        import yaml

        text: str = yaml.safe_dump(data, allow_unicode=True, sort_keys=sort_keys)
        return text
    return "".join(writer.pieces)


class _Writer:
    """Collects the pieces of one document."""

    def __init__(self, sort_keys: bool) -> None:
        self.pieces: list[str] = []
        self._sort_keys = sort_keys
        self._emitter: _ScalarEmitter | None = None

    def root(self, data: Any) -> None:
        """Write the document."""
        if isinstance(data, dict) and data:
            self._mapping(data, 0, "")
        elif isinstance(data, list | tuple) and data:
            self._sequence(data, 0, "")
        else:
            raise _FallbackError
        self.pieces.append("\n")

    def _mapping(self, mapping: dict[Any, Any], indent: int, lead: str) -> None:
        items: Iterable[tuple[Any, Any]] = mapping.items()
        if self._sort_keys:
            items = sorted(items)
        pad = "\n" + " " * indent
        for key, value in items:
            text = self._key(key, indent)
            self.pieces += (lead, text, ":")
            self._node(value, indent, indent + len(text) + 1, in_mapping=True)
            lead = pad

    def _sequence(self, items: Iterable[Any], indent: int, lead: str) -> None:
        pad = "\n" + " " * indent
        for item in items:
            self.pieces += (lead, "-")
            self._node(item, indent, indent + 1, in_mapping=False)
            lead = pad

    def _node(self, value: Any, indent: int, column: int, *, in_mapping: bool) -> None:
        kind = type(value)
        if kind in ATOMS:
            self.pieces += (" ", self._atom(value, column + 1, indent + 2))
        elif kind is dict:
            lead = "\n" + " " * (indent + 2) if in_mapping else " "
            self._mapping(value, indent + 2, lead) if value else self.pieces.append(" {}")
        elif kind is list or kind is tuple:
            # a list under a key is not indented, a list in a list starts on the same line
            inner, lead = (indent, "\n" + " " * indent) if in_mapping else (indent + 2, " ")
            self._sequence(value, inner, lead) if value else self.pieces.append(" []")
        else:
            raise _FallbackError

    def _key(self, key: Any, indent: int) -> str:
        if type(key) is not str or len(key) >= _LONG_KEY:
            raise _FallbackError
        if _PLAIN.fullmatch(key) and key not in _RESERVED_WORDS:
            return key
        if not key or not _BREAKS.isdisjoint(key):
            raise _FallbackError
        return self._scalar(key, indent, indent, is_key=True)

    def _atom(self, value: Any, column: int, indent: int) -> str:
        if type(value) is str:
            fits = column + len(value) <= _WIDTH or " " not in value
            if fits and _PLAIN.fullmatch(value) and value not in _RESERVED_WORDS:
                return value
            return self._scalar(value, column, indent, is_key=False)
        if value is None:
            return "null"
        if type(value) is bool:
            return "true" if value else "false"
        return _number(value)

    def _scalar(self, text: str, column: int, indent: int, *, is_key: bool) -> str:
        if self._emitter is None:
            self._emitter = _ScalarEmitter()
        return self._emitter.write(text, column, indent, is_key=is_key)


class _ScalarEmitter:
    """PyYAML's emitter, used for one scalar at a time."""

    def __init__(self) -> None:
        import yaml

        self._stream = StringIO()
        self._dumper = yaml.SafeDumper(self._stream, allow_unicode=True)
        self._event = yaml.ScalarEvent
        self._node = yaml.ScalarNode

    def write(self, text: str, column: int, indent: int, *, is_key: bool) -> str:
        """Quote and fold a string that starts at `column`; `indent` applies to its other lines."""
        dumper: Any = self._dumper
        is_text = dumper.resolve(self._node, text, (True, False)) == "tag:yaml.org,2002:str"
        dumper.event = self._event(None, None, (is_text, True), text)
        dumper.analysis = dumper.style = None
        dumper.column, dumper.indent = column, indent
        dumper.whitespace, dumper.indention, dumper.simple_key_context = True, False, is_key
        dumper.process_scalar()
        written = self._stream.getvalue()
        self._stream.seek(0)
        self._stream.truncate()
        return written


def _number(value: float) -> str:
    if type(value) is int:
        return str(value)
    if value != value:
        return ".nan"
    if value in (float("inf"), float("-inf")):
        return ".inf" if value > 0 else "-.inf"
    text = repr(value)
    return text.replace("e", ".0e", 1) if "." not in text and "e" in text else text
