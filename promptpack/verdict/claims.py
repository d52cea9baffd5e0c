"""The claims of a correction about a refused reply: only those that are certain from the text of the model."""

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import islice
from typing import Any
from unicodedata import name

from promptpack.character_patterns import BIDI, CONTROL, HIDDEN, JOINER, TAG
from promptpack.characters import break_special_tokens, code_point, visible
from promptpack.reply import Attempt, Reading
from promptpack.reply.candidates import NOT_STRICT, strict_whole
from promptpack.reply.hidden_text import ANY_MARKER
from promptpack.reply.path_changes import unescape
from promptpack.reply.syntax_tree import is_same, walk
from promptpack.schema.pointers import MISSING, find_at
from promptpack.verdict.model import Violation

_INVISIBLE = re.compile("|".join(pattern.pattern for pattern in (BIDI, CONTROL, HIDDEN, JOINER, TAG)))
_SPELLED = ("enum", "const", "pattern", "type", "required", "additionalProperties", "unevaluatedProperties")
# The text of a scalar value, up to the next member, a bracket or the end of the line.
_VALUE_TEXT = re.compile(r"(?:(?!,\s*[\"'\w]+\s*:)[^\n{}\[\]]){1,2000}")
_KEY = re.compile(r"[^:：\n]{1,200}[:：]\s*")
# Longer than the text of a value, because a part of a secret would not be hidden.
_MAX_TEXT = 20_000
_MAX_COMPARED, _MAX_PATH = 1_000, 24
_decoder = json.JSONDecoder()
Expected = Mapping[tuple[str, str], Any]
"""The value of a schema keyword, or the texts that the model wrote, by the rule and the pointer."""
Claims = tuple[Sequence[Violation], Expected]
"""The violations to report, each with the rule that explains it best, and the values to show."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refused reply: its text, its reading, the values that the schema expects, and how to hide secrets."""

    text: str
    reading: Reading
    expected: Expected
    hide: Callable[[str], str]

    def find_claims(self, violations: Sequence[Violation]) -> Claims:
        """Return the claims that are certain; for a reply that is cut off, only that it is."""
        cut = next((found for found in violations if found.rule == "truncated"), None)
        if cut is not None or self.reading.outcome == "truncated":
            return [replace(cut or violations[0], path="", rule="truncated" if cut else "unclosed")], {}
        value = self.attempt.value if self.attempt else strict_whole(self.text)
        value = None if value is NOT_STRICT else value
        names = {_key(found) for found in violations if found.rule == "required"}
        unread = self._find_unread_keys(names, value) if names else ()
        # If the text itself is broken, a key may be in the part that could not be read.
        is_broken = any(not found.path for found in violations)
        if unread and self.attempt is None and not is_broken:
            return [replace(violations[0], path="", rule="unread")], {}
        unread = names if is_broken else unread
        claims, shown = [], {**self.expected}
        for found in violations:
            rule, detail = self._describe(found, value)
            if rule != "required" or _key(found) not in unread:
                claims.append(replace(found, rule=rule))
                shown |= {(rule, found.path): detail} if detail else {}
        return claims or [replace(violations[0], path="", rule="unread")], shown

    @property
    def attempt(self) -> Attempt | None:
        """The attempt, unless it is that of an earlier reply."""
        attempt = self.reading.attempt
        return attempt if attempt is not None and attempt.violations == self.reading.violations else None

    def _find_unread_keys(self, names: set[str], value: Any) -> Collection[str]:
        """Return the missing keys that the model wrote more often than they were read."""
        text, repairs, keys = self.text, self.attempt.repairs if self.attempt else (), "|".join(map(re.escape, names))
        for start, end in (repair.span for repair in reversed(repairs) if repair.kind == "think"):
            text = text[:start] + ANY_MARKER.split(text[start:end])[-1] + text[end:]
        anywhere = rf"(?<!\w)({keys})(?=[\\\"'”’`*\s]{{0,9}}[:：=]|\\*[\"'”’]|</|>)"
        # A text may be an answer that could not be read, or one that swallowed keys.
        is_certain = self.attempt and not any(repair.kind in ("inner-quotes", "json-string") for repair in repairs)
        read = re.findall(anywhere if is_certain else rf'(?<!\\)"({keys})": ', _to_json(value)) if self.attempt else ()
        return Counter(re.findall(anywhere, text)) - Counter(read)

    def _describe(self, found: Violation, value: Any) -> tuple[str, Any]:
        """Return the rule whose sentence explains a violation best, and the value to show if not the expected one."""
        if found.rule in _SPELLED and (invisible := next(_find_invisible(found, value), None)):
            return "invisible", f"{code_point(invisible)} {name(invisible, '').lower()}".strip()
        if (found.rule, found.path) == ("enum", "/action") and self._is_unknown(find_at(value, "/action")):
            return "others", {"enum": self.expected["enum", "/action"]}
        if found.rule == "ambiguous" and found.path:
            text = self._text_at(found.offset or 0)
            # The values of two keys with the same meaning are not next to each other; the message names the keys.
            return ("unclear", (text,)) if strict_whole(text) is NOT_STRICT and text else ("other", None)
        if found.rule == "ambiguous" and len(self.reading.readings) > 1:
            return found.rule, min(self._differences(), key=lambda one: len("".join(one)), default=None)
        return found.rule, self._find_duplicates(found, value) if found.rule == "duplicate" else None

    def _is_unknown(self, action: Any) -> bool:
        """Return whether a value is the name of an action, and not a misspelled one of this agent."""
        is_name = isinstance(action, str) and action.isascii() and action.isidentifier()
        return is_name and not get_close_matches(action, self.expected["enum", "/action"], cutoff=0.8)

    def _differences(self) -> Iterator[tuple[str, str]]:
        for path, item in islice(walk(self.reading.readings[0]), _MAX_COMPARED):
            other = find_at(self.reading.readings[1], path)
            if other is not MISSING and not isinstance(item, dict | list) and not is_same(item, other):
                yield self._show(f"{_last_step(path)}: {_to_json(item)}"), self._show(_to_json(other))

    def _find_duplicates(self, found: Violation, value: Any) -> tuple[str, str] | None:
        first, key = find_at(value, found.path), _KEY.match(self.text, found.offset or 0)
        second = self._value_at(key.end()) if key and _key(found) in key[0] else ""
        return (self._show(_to_json(first)), second) if second and first is not MISSING else None

    def _value_at(self, offset: int) -> str:
        try:
            return self._show(_to_json(_decoder.raw_decode(self.text[offset : offset + _MAX_TEXT])[0]))
        except ValueError:
            return self._text_at(offset)

    def _text_at(self, offset: int) -> str:
        match = _VALUE_TEXT.match(self.hide(self.text[offset : offset + _MAX_TEXT]))
        return self._show(match[0].rstrip(", ")) if match else ""

    def _show(self, text: str) -> str:
        return break_special_tokens(visible(" ".join(self.hide(text).split())))


def _find_invisible(found: Violation, value: Any) -> Iterator[str]:
    """Yield the invisible characters of the failing key and its text, or of the key that looks like a missing one."""
    key, parent = _key(found), find_at(value, found.path.rpartition("/")[0])
    texts = [key, find_at(value, found.path)]
    if found.rule == "required" and isinstance(parent, dict):
        texts += (one for one in parent if _INVISIBLE.sub("", one) == key)
    yield from (match[0] for text in texts if isinstance(text, str) for match in _INVISIBLE.finditer(text))


def _last_step(path: str) -> str:
    """Return a pointer, or only its last step if it is long: the values have to fit beside it."""
    return path if len(path) <= _MAX_PATH else f"…/{path.rpartition('/')[2]}"


def _key(found: Violation) -> str:
    return unescape(found.path.rpartition("/")[2])


def _to_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
