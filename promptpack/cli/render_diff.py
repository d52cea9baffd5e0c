"""Compare a rendered prompt with that of the saved version, or of another one: word by word, for each message."""

from __future__ import annotations

import click

from promptpack.characters import visible
from promptpack.cli.console import print_json
from promptpack.cli.word_print import show_words
from promptpack.library import Library
from promptpack.pack.model import Pack
from promptpack.problem import Problem, UsageError
from promptpack.prompt.prompt import Prompt
from promptpack.versions.prompt_diff import diff_prompts
from promptpack.versions.saved_versions import open_saved

_CONTEXT_LINES = 2


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


def print_diff(old: Prompt, new: Prompt, form: str) -> None:
    """Print how two prompts differ, as text or as JSON."""
    found = diff_prompts(old, new)
    if form == "json":
        print_json({"old": _name(old.pack), "new": _name(new.pack), "messages": [one.to_dict() for one in found]})
        return
    for mark, pack in (("---", old.pack), ("+++", new.pack)):
        click.echo(visible(f"{mark} {pack.label} {pack.path}"))
    for one in found:
        click.echo(click.style(f"{one.role}: {one.state}", bold=True))
        if one.words:
            click.echo("\n...\n".join(show_words(words).rstrip("\n") for words in one.words.excerpts(_CONTEXT_LINES)))


def _name(pack: Pack) -> dict[str, str]:
    return {"pack": pack.label, "locale": pack.locale, "path": pack.path}
