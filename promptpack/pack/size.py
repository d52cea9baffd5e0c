"""The limits on the entries of a pack: each takes up to a millisecond to check."""

from collections.abc import Iterable, Mapping, Sized
from typing import Any, Final

from promptpack.document import Document
from promptpack.problem import PackError, Problem

_MAX_ENTRIES: Final = 1_000
# Keys of messages, rules and slots whose values are not templates.
_WORDS: Final = ("id", "name", "path", "role", "type")


def check_file(document: Document) -> None:
    """Raise if a file alone has too many entries; it need not be valid."""
    data = document.data if isinstance(document.data, Mapping) else {}
    reply = data["reply"] if isinstance(data.get("reply"), Mapping) else {}
    texts = (data.get("messages"), data.get("slots"), data.get("partials"), reply.get("rules"), data.get("models"))
    check_size(document, data.get("inputs"), reply.get("actions"), texts)


def check_size(document: Document, inputs: object, actions: object, texts: Iterable[Any]) -> None:
    """Raise if a pack has too many inputs, actions or texts."""
    counts = {"inputs": inputs, "actions": actions, "texts": range(sum(map(_count_texts, texts)))}
    large = [what for what, found in counts.items() if isinstance(found, Sized) and len(found) > _MAX_ENTRIES]
    if large:
        message = f"the pack has more than {_MAX_ENTRIES:,} {' and '.join(large)}, with those it inherits"
        raise PackError([Problem("PP218", message, document.locate(), "split it into several packs")])


def _count_texts(value: Any) -> int:
    if isinstance(value, Mapping):
        return sum(_count_texts(inner) for key, inner in value.items() if key not in _WORDS)
    return sum(map(_count_texts, value)) if isinstance(value, list) else isinstance(value, str)
