"""Stored copies of rendered prompts, in a `snapshots` folder beside the pack, with secrets left out."""

import difflib
import re
from collections.abc import Iterator

from promptpack import files
from promptpack.pack import Pack
from promptpack.problem import PackError
from promptpack.prompt import Prompt
from promptpack.prompt.secrets import Secrets

_SHOWN_LINES = 20


class Snapshots:
    """The snapshots of one pack."""

    def __init__(self, pack: Pack, update: bool) -> None:
        folder, _, file = pack.path.rpartition("/")
        stem = file.removesuffix(".yaml").removesuffix(".yml")
        self._prefix = f"{folder or '.'}/snapshots/{stem}."
        self._update = update
        self._tests: dict[str, str] = {}

    def compare(self, test: str, prompt: Prompt) -> Iterator[str]:
        """Tell how a prompt differs from its stored copy, or store it."""
        path = f"{self._prefix}{_slug(test)}.txt"
        owner = self._tests.setdefault(path, test)
        if owner != test:
            yield f"would share the snapshot {path} with {owner!r}; give it another name"
            return
        text = Secrets(prompt.pack, prompt.context).hide(prompt.to_text()) + "\n"
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
