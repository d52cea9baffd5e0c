"""The fixed words of a schema, sorted, so that a text is compared with few of them."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from promptpack.reply.synonyms import TRANSLATIONS, fold, fold_apart, spells

# Of more words that fold alike, none is meant.
_MAX_ALIKE: Final = 50


class FixedWords:
    """The words of an `enum` or a `const`; `synonyms` are the `x-values` of the schema."""

    def __init__(self, words: tuple[Any, ...], synonyms: Any) -> None:
        self.all = words
        self.names: list[str] = sorted(word for word in words if isinstance(word, str))
        self.synonyms: Mapping[str, Any] = synonyms if isinstance(synonyms, Mapping) else {}
        self._synonym_names = sorted(self.synonyms)
        self._by_fold: dict[str, list[str]] = {}
        for name in self.names:
            self._by_fold.setdefault(fold(name), []).append(name)
        self._apart = sorted((fold_apart(name), name) for name in self.names)
        self._translated = sorted(fold_apart(word) for word, target in TRANSLATIONS.items() if target in self._by_fold)

    def spelled(self, text: str) -> list[str]:
        """Return the words that a text spells in another way."""
        alike = self._by_fold.get(fold(text), [])
        return [name for name in alike if spells(text, name)] if len(alike) <= _MAX_ALIKE else []

    def translated(self, text: str) -> list[str]:
        """Return the words that a well-known word of another language means."""
        meant = TRANSLATIONS.get(fold(text))
        return self._by_fold.get(meant, []) if meant else []

    def may_start(self, text: str) -> bool:
        """Return whether a text may be the start of a text that is read as one of the words."""
        if text.strip() in self.synonyms or _has_start(self._synonym_names, text.lstrip()):
            return True
        return _has_start(self.names, text) or self._may_spell(text) or _has_start(self._translated, fold_apart(text))

    def _may_spell(self, text: str) -> bool:
        alike = list(islice(self._starting(fold_apart(text)), _MAX_ALIKE + 1))
        return len(alike) > _MAX_ALIKE or any(spells(text, name) for name in alike)

    def _starting(self, folded: str) -> Iterator[str]:
        for index in range(bisect_left(self._apart, (folded,)), len(self._apart)):
            apart, name = self._apart[index]
            if not apart.startswith(folded):
                return
            yield name


def _has_start(words: Sequence[str], start: str) -> bool:
    """Return whether one of some sorted words starts with a text."""
    index = bisect_left(words, start)
    return index < len(words) and words[index].startswith(start)
