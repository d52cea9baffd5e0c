"""Two rendered prompts -> `MessageDiff`s: word by word, for each message."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from promptpack.document import Document
from promptpack.pack.model import Pack
from promptpack.pack.placed import Placed
from promptpack.prompt.message import Message
from promptpack.prompt.prompt import Prompt
from promptpack.versions.pairing import pair_messages
from promptpack.versions.word_diff import WordDiff, diff_words


class MessageDiff(NamedTuple):
    """A message of the old prompt, of the new one, or of both; and the words that differ."""

    role: str
    old: int | None
    new: int | None
    words: WordDiff

    @property
    def state(self) -> str:
        """Whether the message was added, removed, changed or neither."""
        if self.old is None or self.new is None:
            return "added" if self.old is None else "removed"
        return "changed" if self.words else "unchanged"

    def to_dict(self) -> dict[str, Any]:
        """Return the difference as plain data."""
        return {
            "role": self.role,
            "state": self.state,
            "old": self.old,
            "new": self.new,
            "pieces": self.words.to_data(),
        }


def render_other(pack: Pack, context: Mapping[str, Any], newer: Pack) -> Prompt:
    """Render the other pack with the same context, without inputs that only the newer one has."""
    return pack.render(
        {name: value for name, value in context.items() if name in pack.inputs or name not in newer.inputs}
    )


def diff_prompts(old: Prompt, new: Prompt) -> tuple[MessageDiff, ...]:
    """Compare two prompts: the messages of the new one in order, then those that were removed."""
    pairs = {pair.new: pair.old for pair in pair_messages(_as_placed(old), _as_placed(new))}
    return (*_present(old.messages, new.messages, pairs), *_removed(old.messages, set(pairs.values())))


def _as_placed(prompt: Prompt) -> list[Placed]:
    nowhere = Document("", "", None)
    return [Placed({"role": one.role, "content": one.text}, nowhere, ()) for one in prompt.messages]


def _present(old: tuple[Message, ...], new: tuple[Message, ...], pairs: Mapping[int, int]) -> Iterator[MessageDiff]:
    for index, message in enumerate(new):
        before = pairs.get(index)
        text = "" if before is None else old[before].text
        yield MessageDiff(message.role, before, index, diff_words(text, message.text))


def _removed(old: tuple[Message, ...], paired: set[int]) -> Iterator[MessageDiff]:
    for index, message in enumerate(old):
        if index not in paired:
            yield MessageDiff(message.role, index, None, diff_words(message.text, ""))
