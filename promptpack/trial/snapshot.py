"""Stored copies of rendered prompts, in a `snapshots` folder beside the pack, with secrets left out."""

import difflib
import re
from collections.abc import Iterator
from typing import Any

from promptpack import files
from promptpack.pack import Pack
from promptpack.problem import PackError
from promptpack.prompt import Prompt

_HIDDEN = "***"
_SHOWN_LINES = 20


class Snapshots:
    """The snapshots of one pack."""

    def __init__(self, pack: Pack, update: bool) -> None:
        folder, _, file = pack.path.rpartition("/")
        stem = file.removesuffix(".yaml").removesuffix(".yml")
        self._prefix = f"{folder or '.'}/snapshots/{stem}."
        self._update = update

    def compare(self, test: str, prompt: Prompt) -> Iterator[str]:
        """Tell how a prompt differs from its stored copy, or store it."""
        path = f"{self._prefix}{_slug(test)}.txt"
        text = _without_secrets(prompt) + "\n"
        if self._update:
            files.write(path, text)
            return
        try:
            stored = files.read_text(path)
        except PackError as error:
            if error.problems[0].code != "PP120":
                raise
            yield f"has no snapshot at {path}; write it with --update"
            return
        if _with_plain_ends(stored) != _with_plain_ends(text):
            lines = list(
                difflib.unified_diff(stored.splitlines(), text.splitlines(), "stored", "rendered", lineterm="")
            )
            more = "\n..." if len(lines) > _SHOWN_LINES else ""
            yield "differs from its snapshot:\n" + "\n".join(lines[:_SHOWN_LINES]) + more


def _with_plain_ends(text: str) -> str:
    """Leave out what a checkout on Windows adds to the line ends."""
    return text.replace("\r\n", "\n")


def _slug(name: str) -> str:
    return re.sub(r"[^\w-]+", "-", name.casefold()).strip("-")


def _without_secrets(prompt: Prompt) -> str:
    text = prompt.to_text()
    for name, declared in prompt.pack.inputs.items():
        if declared.secret:
            for secret in _texts(prompt.context.get(name)):
                text = text.replace(secret, _HIDDEN)
    return text


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if value:
            yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif value is not None:
        yield str(value)
