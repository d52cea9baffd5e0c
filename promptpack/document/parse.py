"""Text -> `Document`, from PyYAML's C event parser with an explicit stack, so no input can exhaust the machine."""

from __future__ import annotations

import json

from promptpack.document.characters import look_at_characters
from promptpack.document.model import Document, Limits
from promptpack.document.scalars import FIXED, NUMBER_START, OTHER_START, AmbiguousScalarError, NumberError, read_number
from promptpack.problem import Location, PackError, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    import yaml


_DEFAULT_LIMITS = Limits()
# Nobody reads more.
_MOST_PROBLEMS = 50
_BOM = "\ufeff"


def parse(source: bytes | str, path: str = "<text>", limits: Limits = _DEFAULT_LIMITS) -> Document:
    """Read one YAML document; every problem found is in the `PackError` that is raised."""
    text = _decode(source, path, limits)
    warnings = look_at_characters(text, path)
    reader = _Reader(path, text, limits)
    data = reader.read()
    if reader.problems:
        raise PackError(reader.problems[:_MOST_PROBLEMS])
    return Document(path, text, data, (*warnings, *reader.warnings[:_MOST_PROBLEMS]))


def restore(source: bytes, path: str, data: Any) -> Document:
    """Give the document of a text that was read before, without reading it again."""
    return Document(path, _decode(source, path, _DEFAULT_LIMITS), data)


def read_json(source: bytes, path: str) -> Document:
    """Read a JSON file of our own, far sooner than as YAML; places in it are found all the same."""
    return restore(source, path, json.loads(source))


def _decode(source: bytes | str, path: str, limits: Limits) -> str:
    if len(source) > limits.size:
        raise PackError(
            Problem("PP102", f"file is larger than {limits.size:,} bytes", Location(path), "split it into partials")
        )
    text = source if isinstance(source, str) else _decode_bytes(source, path)
    text = text.removeprefix(_BOM)
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _decode_bytes(source: bytes, path: str) -> str:
    # In UTF-16 and UTF-32, Latin letters have zeros beside them.
    if b"\x00" in source[:4]:
        raise PackError(Problem("PP101", "file is not UTF-8", Location(path, 1, 1), "save it as UTF-8"))
    try:
        return source.decode()
    except UnicodeDecodeError as error:
        line = source.count(b"\n", 0, error.start) + 1
        column = error.start - source.rfind(b"\n", 0, error.start)
        location = Location(path, line, column)
        raise PackError(Problem("PP101", "file is not UTF-8", location, "save it as UTF-8")) from error


class _Reader:
    """One pass over the events of one text."""

    def __init__(self, path: str, text: str, limits: Limits) -> None:
        self.path = path
        self.text = text
        self.limits = limits
        self.problems: list[Problem] = []
        self.warnings: list[Problem] = []
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._open_anchors: set[str] = set()
        self._has_aliases = False

    def read(self) -> Any:
        import yaml

        try:
            return self._read()
        except yaml.MarkedYAMLError as error:
            raise PackError([*self.problems, self._syntax_problem(error)]) from error
        except yaml.reader.ReaderError as error:
            location = Location(self.path, 1, 1)
            raise PackError(Problem("PP110", f"cannot be read as YAML: {error.reason}", location)) from error

    def _read(self) -> Any:  # noqa: C901 -- one flat loop is what makes reading quick
        from yaml import (
            AliasEvent,
            MappingEndEvent,
            MappingStartEvent,
            ScalarEvent,
            SequenceEndEvent,
            SequenceStartEvent,
            StreamEndEvent,
        )
        from yaml.cyaml import CParser  # type: ignore[attr-defined]  # the stubs leave it out

        get_event: Callable[[], Any] = CParser(self.text).get_event
        limits = self.limits
        most_nodes = limits.nodes
        usual: set[str] = set()
        anchors = self._anchors
        root: Any = None
        documents = nodes = 0
        # The innermost container and the key that waits for its value; the outer ones are on the stack.
        container: Any = None
        key: str | None = None
        stack: list[tuple[Any, str | None, str | None, int]] = []
        anchor: str | None = None
        first_node = 0
        while True:
            event = get_event()
            kind = type(event)
            if kind is ScalarEvent:
                value: Any = event.value
                if key is None and type(container) is dict:
                    # Most keys are plain words that have been good before; the others are looked at closely.
                    if value in usual and value not in container and event.tag is event.anchor is None:
                        key = value
                    else:
                        key = self._key(event, container)
                        if key.isascii() and key.isidentifier():
                            usual.add(key)
                    continue
                nodes += 1
                if event.tag is not None:
                    self._fail("PP111", f"tag {event.tag!r} is not allowed", event, "remove the tag; quote the value")
                elif value[:1] in OTHER_START and event.implicit[0]:
                    if value in FIXED:
                        value = FIXED[value]
                    elif value[0] in NUMBER_START:
                        value = self._number(event)
                if event.anchor is not None:
                    anchors[event.anchor] = (value, 1)
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                nodes += 1
                if key is None and type(container) is dict:
                    raise PackError([*self.problems, self._container_key(event)])
                if event.tag is not None:
                    self._fail("PP111", f"tag {event.tag!r} is not allowed", event, "remove the tag")
                if len(stack) >= limits.depth:
                    raise PackError(self._problem("PP105", f"nesting is deeper than {limits.depth} levels", event))
                stack.append((container, key, anchor, first_node))
                container = {} if kind is MappingStartEvent else []
                key, anchor, first_node = None, event.anchor, nodes
                if anchor:
                    self._open_anchors.add(anchor)
                continue
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                value = container
                if anchor:
                    anchors[anchor] = (value, nodes - first_node + 1)
                    self._open_anchors.discard(anchor)
                container, key, anchor, first_node = stack.pop()
            elif kind is AliasEvent:
                if key is None and type(container) is dict:
                    raise PackError([*self.problems, self._container_key(event)])
                value, size = self._alias(event)
                nodes += size
            elif kind is StreamEndEvent:
                break
            else:
                documents += self._document(event, documents)
                continue
            if nodes > most_nodes:
                raise PackError(self._too_many(event))
            if key is not None:
                container[key] = value
                key = None
            elif container is None:
                root = value
            else:
                container.append(value)
        if not documents:
            raise PackError(Problem("PP108", "file is empty", Location(self.path, 1, 1), "start with 'promptpack: 1'"))
        return root

    def _document(self, event: Any, documents: int) -> int:
        from yaml import DocumentStartEvent

        if not isinstance(event, DocumentStartEvent):
            return 0
        if documents:
            hint = "keep one document a file; quote '---' inside text"
            raise PackError(self._problem("PP107", "file holds more than one document", event, hint))
        if event.version or event.tags:
            self._fail("PP109", "directives are not allowed", event, "remove the line that starts with '%'")
        return 1

    def _key(self, event: Any, container: dict[str, Any]) -> str:
        key: str = event.value
        if event.tag is not None:
            self._fail("PP111", f"tag {event.tag!r} is not allowed", event, "remove the tag")
        elif not key and event.implicit[0]:
            self._fail("PP113", "a key is missing before ':'", event, 'write the key, or "" for an empty one')
        elif len(key) > self.limits.key_length:
            self._fail("PP119", f"key is longer than {self.limits.key_length} characters", event)
        elif key == "<<" and event.implicit[0]:
            hint = "use 'extends' or a partial to share parts of packs"
            raise PackError([*self.problems, self._problem("PP114", "merge keys ('<<') are not allowed", event, hint)])
        elif key in container:
            self._fail("PP112", f"key {key!r} is given twice", event, "remove one of the two")
        if event.anchor:
            self._anchors[event.anchor] = (key, 1)
        if not key.isascii():
            self._look_at_key(key, event)
        return key

    def _look_at_key(self, key: str, event: Any) -> None:
        """Look for keys that are not what they look like."""
        from unicodedata import is_normalized

        from promptpack.characters import CONFUSABLE, HIDDEN, JOINER

        if HIDDEN.search(key) or JOINER.search(key):
            self._fail("PP104", f"key {key!r} holds a hidden character", event, "remove it")
        elif CONFUSABLE.search(key) or not is_normalized("NFC", key):
            hint = "write it with the letters of one alphabet"
            self.warnings.append(self._problem("PP124", f"key {key!a} can be mistaken for another", event, hint))

    def _number(self, event: Any) -> Any:
        text: str = event.value
        try:
            return read_number(text, self.limits.number_length)
        except AmbiguousScalarError:
            hint = f"write {text!r} in quotes if it is text, or as a plain decimal number"
            self._fail("PP115", f"{text!r} is read differently by different YAML versions", event, hint)
        except NumberError:
            shown = text if len(text) <= self.limits.number_length else text[:20] + "..."
            self._fail("PP116", f"number {shown} is outside of what JSON holds", event, "write it in quotes")
        return text

    def _alias(self, event: Any) -> tuple[Any, int]:
        if event.anchor in self._open_anchors:
            raise PackError(self._problem("PP117", f"alias '*{event.anchor}' stands inside its own anchor", event))
        if event.anchor not in self._anchors:
            hint = "define the anchor (&name) before the alias (*name)"
            raise PackError(self._problem("PP117", f"alias '*{event.anchor}' has no anchor", event, hint))
        self._has_aliases = True
        return self._anchors[event.anchor]

    def _too_many(self, event: Any) -> Problem:
        most = f"{self.limits.nodes:,} values"
        if self._has_aliases:
            return self._problem("PP106", f"file expands to more than {most}", event)
        return self._problem("PP125", f"file holds more than {most}", event, "split it")

    def _container_key(self, event: Any) -> Problem:
        line = self.text.split("\n")[event.start_mark.line]
        hint = "keys are text"
        if "{{" in line or "{%" in line:
            hint = "quote a value that starts with '{{', or use a '|' block"
        return self._problem("PP113", "a key must be text, not a mapping, list or alias", event, hint)

    def _fail(self, code: str, message: str, event: Any, hint: str = "") -> None:
        self.problems.append(self._problem(code, message, event, hint))

    def _problem(self, code: str, message: str, event: Any, hint: str = "") -> Problem:
        mark = event.start_mark
        return Problem(code, message, Location(self.path, mark.line + 1, mark.column + 1), hint)

    def _syntax_problem(self, error: yaml.MarkedYAMLError) -> Problem:
        mark = error.problem_mark or error.context_mark
        location = Location(self.path, mark.line + 1, mark.column + 1) if mark else Location(self.path)
        message = f"YAML syntax: {error.problem or error.context}"
        return Problem("PP110", message, location, self._syntax_hint(mark.line if mark else -1))

    def _syntax_hint(self, line_index: int) -> str:
        lines = self.text.split("\n")
        around = "\n".join(lines[max(line_index - 1, 0) : line_index + 1])
        if "{{" in around or "{%" in around:
            return "quote a value that holds '{{' or '{%', or use a '|' block"
        if "\t" in around:
            return "indent with spaces, not tabs"
        return ""
