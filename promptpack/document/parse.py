"""Text -> `Document`, from PyYAML's C event parser with an explicit stack, so no input can exhaust the call stack."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from promptpack.characters import check_characters, decode_utf8
from promptpack.document.model import Document, DocumentLimits
from promptpack.document.scalars import (
    AMBIGUOUS,
    FIXED,
    NUMBER_START,
    OTHER_START,
    AmbiguousScalarError,
    NumberError,
    read_number,
)
from promptpack.problem import Location, PackError, Problem, did_you_mean

if TYPE_CHECKING:
    import yaml

    from promptpack.cache import Cache


_DEFAULT_LIMITS = DocumentLimits()
# More problems would not help an author.
_MAX_PROBLEMS = 50
_BOM = "\ufeff"
# Takes the place of a key inside a list.
_ITEM: Final = object()
# A cache of keys found valid in any file; only duplicates, tags and anchors must still be checked.
_VALID_KEYS: Final[set[str]] = set()
_MAX_VALID_KEYS = 1_000


def parse(source: bytes | str, path: str = "<text>", limits: DocumentLimits = _DEFAULT_LIMITS) -> Document:
    """Parse one YAML document; raise `PackError` with all its problems."""
    text, encoded = _decode(source, path, limits)
    warnings = check_characters(text, path, encoded)
    reader = _EventReader(path, text, encoded, limits)
    data = reader.read()
    if reader.problems:
        raise PackError(reader.problems[:_MAX_PROBLEMS])
    return Document(path, text, data, (*warnings, *reader.warnings[:_MAX_PROBLEMS]))


def parse_cached(content: bytes, path: str, cache: Cache, limits: DocumentLimits = _DEFAULT_LIMITS) -> Document:
    """Parse a file, or restore its data from the cache; a file with warnings is parsed again to report them."""
    if not cache.is_on:
        return parse(content, path, limits)
    digest = hashlib.sha256(content).hexdigest()
    data = cache.get("parsed", digest)
    if data is not None:
        return restore(content, path, data)
    document = parse(content, path, limits)
    if not document.warnings:
        cache.put(document.data, "parsed", digest)
    return document


def restore(source: bytes, path: str, data: Any) -> Document:
    """Return the document of a text that was parsed before, without parsing it again."""
    text, _ = _decode(source, path, _DEFAULT_LIMITS)
    return Document(path, text, data)


def read_json(source: bytes, path: str) -> Document:
    """Read a shipped JSON file, which is much faster than parsing it as YAML; locations work as for YAML."""
    return restore(source, path, json.loads(source))


def _decode(source: bytes | str, path: str, limits: DocumentLimits) -> tuple[str, bytes]:
    """Return the text with \\n line ends, and the same text as UTF-8; reuse the given bytes if possible."""
    if len(source) > limits.size:
        raise PackError(
            Problem("PP102", f"file is larger than {limits.size:,} bytes", Location(path), "split it into partials")
        )
    given = source if isinstance(source, str) else decode_utf8(source, path)
    text = normalize(given)
    if isinstance(source, bytes) and text is given:
        return text, source
    return text, text.encode(errors="surrogatepass")


def normalize(text: str) -> str:
    """Return a text as documents count its characters: without a byte order mark, and with \\n line ends."""
    text = text.removeprefix(_BOM)
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


class _EventReader:
    """Reads the events of one text in one pass."""

    def __init__(self, path: str, text: str, encoded: bytes, limits: DocumentLimits) -> None:
        self.path = path
        self.text = text
        self.encoded = encoded
        self.limits = limits
        self.problems: list[Problem] = []
        self.warnings: list[Problem] = []
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._valid_keys = _VALID_KEYS if limits.key_length == _DEFAULT_LIMITS.key_length else set()
        self._opened: list[tuple[Any, str, int]] = []
        self._open_anchors: set[str] = set()
        self._has_aliases = False
        self._item_without_dash: dict[str, Any] | None = None

    def read(self) -> Any:
        import yaml

        try:
            return self._read()
        except yaml.MarkedYAMLError as error:
            problem = self._syntax_problem(error)
            before = [
                one for one in self.problems if one.location and problem.location and one.location < problem.location
            ]
            raise PackError([*before, problem]) from error
        except yaml.reader.ReaderError as error:
            location = Location(self.path, 1, 1)
            raise PackError(Problem("PP110", f"cannot be read as YAML: {error.reason}", location)) from error

    def _read(self) -> Any:  # noqa: C901 -- one flat loop is fastest
        from yaml import events
        from yaml.cyaml import CParser  # type: ignore[attr-defined]  # the stubs leave it out

        get_event: Callable[[], Any] = CParser(self.encoded).get_event
        max_nodes, max_depth = self.limits.nodes, self.limits.depth
        valid, opened = self._valid_keys, self._opened
        other_start, item = OTHER_START, _ITEM
        documents = nodes = 0
        # The innermost container, and the key whose value comes next: None if a key comes next, `item` in a list.
        container: Any = []
        key: Any = item
        stack: list[tuple[Any, Any]] = []
        while True:
            event = get_event()
            kind = type(event)
            if kind is events.ScalarEvent:
                value: Any = event.value
                if key is None:
                    if value not in valid or value in container or event.tag is not None or event.anchor is not None:
                        self._check_key(event, container)
                    key = value
                    continue
                nodes += 1
                if event.tag is not None or event.anchor is not None:
                    value = self._read_annotated(event)
                elif not event.style and (not value or value[0] in other_start):
                    value = self._read_plain(event)
            elif kind is events.MappingStartEvent or kind is events.SequenceStartEvent:
                nodes += 1
                if key is None:
                    raise PackError([*self.problems, self._container_key_problem(event)])
                if len(stack) >= max_depth:
                    raise PackError(self._problem("PP105", f"file is nested more than {max_depth} levels deep", event))
                stack.append((container, key))
                if kind is events.MappingStartEvent:
                    container, key = {}, None
                else:
                    container, key = [], item
                if event.tag is not None or event.anchor is not None:
                    self._check_container(event, container, nodes)
                continue
            elif kind is events.MappingEndEvent or kind is events.SequenceEndEvent:
                value = container
                if opened and opened[-1][0] is value:
                    self._close_anchor(nodes)
                container, key = stack.pop()
            elif kind is events.AliasEvent:
                if key is None:
                    raise PackError([*self.problems, self._container_key_problem(event)])
                value, size = self._resolve_alias(event)
                nodes += size
            elif kind is events.StreamEndEvent:
                break
            else:
                if kind is events.DocumentStartEvent:
                    self._check_document(event, documents)
                    documents += 1
                continue
            if nodes > max_nodes:
                raise PackError(self._too_many_nodes_problem(event))
            if key is item:
                container.append(value)
            else:
                container[key] = value
                key = None
        if not documents:
            raise PackError(Problem("PP108", "file is empty", Location(self.path, 1, 1), "start with 'promptpack: 1'"))
        return container[0]

    def _check_document(self, event: Any, documents: int) -> None:
        if documents:
            hint = "keep one document per file; quote '---' inside text"
            raise PackError(self._problem("PP107", "file contains more than one document", event, hint))
        if event.version or event.tags:
            self._fail("PP109", "directives are not allowed", event, "remove the line that starts with '%'")

    def _check_key(self, event: Any, container: dict[str, Any]) -> None:
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
            self._check_repeated(key, event, container)
        elif len(self._valid_keys) < _MAX_VALID_KEYS and key.isidentifier() and key.isascii():
            self._valid_keys.add(key)
        if event.anchor:
            self._anchors[event.anchor] = (key, 1)
        if not key.isascii():
            self._check_letters(key, event)

    def _check_repeated(self, key: str, event: Any, container: dict[str, Any]) -> None:
        """Report a repeated key; where the first key of a mapping is repeated, a new item begins without its '-'."""
        if self._item_without_dash is container:
            return
        hint = "remove one of the two"
        if len(container) > 1 and key == next(iter(container)):
            self._item_without_dash = container
            hint = f"remove one of the two, or start a new item with '- {key}:'"
        self._fail("PP112", f"key {key!r} appears twice", event, hint)

    def _check_letters(self, key: str, event: Any) -> None:
        """Report keys that look like other keys."""
        from unicodedata import is_normalized

        from promptpack.character_patterns import CONFUSABLE, HIDDEN, JOINER

        if HIDDEN.search(key) or JOINER.search(key):
            self._fail("PP104", f"key {key!r} contains a hidden character", event, "remove it")
        elif CONFUSABLE.search(key) or not is_normalized("NFC", key):
            hint = "use the letters of one alphabet"
            self.warnings.append(self._problem("PP124", f"key {key!a} can be mistaken for another", event, hint))

    def _read_plain(self, event: Any) -> Any:
        """Parse a plain scalar that may be null, a boolean or a number."""
        text: str = event.value
        if not text:
            self._check_colon(event)
        if text in FIXED:
            return FIXED[text]
        if text in AMBIGUOUS:
            hint = f'write {AMBIGUOUS[text]}, or "{text}" in quotes if it is text'
            self._fail("PP115", f"{text!r} is read differently by different YAML versions", event, hint)
        return self._read_number(event) if text[0] in NUMBER_START else text

    def _check_colon(self, event: Any) -> None:
        """Report a key in brackets that has no value because it has no colon."""
        at = event.start_mark.index
        before = self.text[max(0, at - self.limits.key_length - 1) : at]
        is_full = len(self.warnings) >= _MAX_PROBLEMS
        if is_full or self.text[at : at + 1] not in (",", "}") or before.rstrip()[-1:] in (":", ""):
            return
        words = before[max(before.rfind(mark) for mark in ",{") + 1 :].split()
        hint = "quote a value that contains a comma, or write a value after ':'"
        if len(words) == 1 and ":" in words[0]:
            hint = f"a space is missing: write '{words[0].replace(':', ': ', 1)}'"
        elif len(words) == 2:
            hint = f"write '{words[0]}: {words[1]}'; quote a value that contains a comma"
        message = f"':' is missing after {' '.join(words[:4])!r}"
        self.warnings.append(replace(self._problem("PP128", message, event, hint), severity="warning"))

    def _read_annotated(self, event: Any) -> Any:
        """Parse a scalar that has a tag or an anchor."""
        value = event.value
        if event.tag is not None:
            self._fail("PP111", f"tag {event.tag!r} is not allowed", event, "remove the tag; quote the value")
        elif not event.style:
            value = self._read_plain(event)
        if event.anchor is not None:
            self._anchors[event.anchor] = (value, 1)
        return value

    def _check_container(self, event: Any, value: Any, nodes: int) -> None:
        if event.tag is not None:
            self._fail("PP111", f"tag {event.tag!r} is not allowed", event, "remove the tag")
        if event.anchor is not None:
            self._opened.append((value, event.anchor, nodes))
            self._open_anchors.add(event.anchor)

    def _close_anchor(self, nodes: int) -> None:
        """Let aliases refer to the container that ends here."""
        value, anchor, first_node = self._opened.pop()
        self._anchors[anchor] = (value, nodes - first_node + 1)
        self._open_anchors.discard(anchor)

    def _read_number(self, event: Any) -> Any:
        text: str = event.value
        try:
            return read_number(text, self.limits.number_length)
        except AmbiguousScalarError:
            plain = text.replace("_", "")
            number = (
                f"{plain} if it is a number" if plain.isdecimal() and plain != text else "as a plain decimal number"
            )
            hint = f"write {text!r} in quotes if it is text, or {number}"
            self._fail("PP115", f"{text!r} is read differently by different YAML versions", event, hint)
        except NumberError:
            shown = text if len(text) <= self.limits.number_length else text[:20] + "..."
            self._fail("PP116", f"JSON cannot represent the number {shown}", event, "write it in quotes")
        return text

    def _resolve_alias(self, event: Any) -> tuple[Any, int]:
        if event.anchor in self._open_anchors:
            raise PackError(self._problem("PP117", f"alias '*{event.anchor}' is inside its own anchor", event))
        if event.anchor not in self._anchors:
            near = did_you_mean(event.anchor, self._anchors)
            hint = near or "define the anchor (&name) before the alias (*name)"
            raise PackError(self._problem("PP117", f"alias '*{event.anchor}' has no anchor", event, hint))
        self._has_aliases = True
        return self._anchors[event.anchor]

    def _too_many_nodes_problem(self, event: Any) -> Problem:
        limit = f"{self.limits.nodes:,} values"
        if self._has_aliases:
            return self._problem("PP106", f"file expands to more than {limit}", event)
        return self._problem("PP125", f"file contains more than {limit}", event, "split it")

    def _container_key_problem(self, event: Any) -> Problem:
        line = self.text.split("\n")[event.start_mark.line]
        hint = "write the key as text"
        if "{{" in line or "{%" in line:
            hint = "quote a value that starts with '{{', or use a '|' block"
        return self._problem("PP113", "a key must be text, not a mapping, list or alias", event, hint)

    def _fail(self, code: str, message: str, event: Any, hint: str = "") -> None:
        self.problems.append(self._problem(code, message, event, hint))

    def _problem(self, code: str, message: str, event: Any, hint: str = "") -> Problem:
        from promptpack.document.yaml_nodes import YamlNode

        return Problem(code, message, YamlNode(event).locate(self.path, self.text), hint)

    def _syntax_problem(self, error: yaml.MarkedYAMLError) -> Problem:
        from promptpack.document.syntax_errors import explain

        found = explain(self.text, error)
        location = Location(self.path, found.line + 1, found.column + 1)
        line = "".join(self.text.split("\n")[found.line : found.line + 1])
        return Problem("PP110", found.message, location._with_word(line, found.column), found.hint)
