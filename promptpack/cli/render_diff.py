"""Compare a rendered prompt with that of the saved version, or of another one: word by word, for each message."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import click

from promptpack.characters import visible
from promptpack.cli.console import print_json
from promptpack.cli.word_print import show_words
from promptpack.document import Document
from promptpack.library import Library
from promptpack.pack.model import Pack
from promptpack.pack.placed import Placed
from promptpack.problem import Problem, UsageError
from promptpack.prompt.message import Message
from promptpack.prompt.prompt import Prompt
from promptpack.versions.pairing import pair_messages
from promptpack.versions.saved import open_saved
from promptpack.versions.word_diff import WordDiff, diff_words

_CONTEXT_LINES = 2


class MessageDiff(NamedTuple):
    """A message of the old prompt, of the new one, or of both; and the words that differ."""

    role: str
    old: int | None
    new: int | None
    words: WordDiff

    @property
    def state(self) -> str:
        """What happened to the message."""
        if self.old is None or self.new is None:
            return "added" if self.old is None else "removed"
        return "changed" if self.words else "unchanged"


def find_other(library: Library, pack: Pack, version: str, locale: str | None, key: str | None) -> Pack:
    """Return the pack to compare with: another version or label of it, or without one the same version in HEAD."""
    if version:
        request = version if "@" in version else f"{pack.name}@{version}"
        return library.get(request, locale, key=key)
    entry = next(one for one in library.entries if one.path == pack.path)
    saved = open_saved(entry.folder)
    found = next((one for one in saved.entries if one.file == entry.file), None)
    if found is None:
        hint = "name a version or a label: --diff 1.0.0"
        raise UsageError(
            Problem("PP941", f"{pack.path} is not in HEAD, so there is nothing to compare with", None, hint)
        )
    return saved._build_entry(found)


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


def print_diff(old: Prompt, new: Prompt, form: str) -> None:
    """Print how two prompts differ, as text or as JSON."""
    found = diff_prompts(old, new)
    if form == "json":
        print_json({"old": _name(old.pack), "new": _name(new.pack), "messages": list(map(_as_data, found))})
        return
    for mark, pack in (("---", old.pack), ("+++", new.pack)):
        click.echo(visible(f"{mark} {pack.label} {pack.path}"))
    for one in found:
        click.echo(click.style(f"{one.role}: {one.state}", bold=True))
        if one.words:
            click.echo("\n...\n".join(show_words(words).rstrip("\n") for words in one.words.excerpts(_CONTEXT_LINES)))


def _name(pack: Pack) -> dict[str, str]:
    return {"pack": pack.label, "locale": pack.locale, "path": pack.path}


def _as_data(one: MessageDiff) -> dict[str, Any]:
    pieces = [{"kind": piece.kind, "text": piece.text} for piece in one.words.pieces]
    return {"role": one.role, "state": one.state, "old": one.old, "new": one.new, "pieces": pieces}
