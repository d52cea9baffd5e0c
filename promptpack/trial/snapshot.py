"""Stored copies of rendered prompts, in a `snapshots` folder next to the pack, with secrets masked."""

import difflib
import re
from collections.abc import Iterator

from promptpack import files
from promptpack.pack.model import Pack
from promptpack.problem import PackError
from promptpack.prompt.prompt import Prompt
from promptpack.prompt.secrets import Secrets
from promptpack.sources.memory_folder import MemoryFolder

_MAX_SHOWN_LINES = 20


class Snapshots:
    """The snapshots of one pack."""

    def __init__(self, pack: Pack, update: bool) -> None:
        folder, _, file = pack.path.rpartition("/")
        stem = file.removesuffix(".yaml").removesuffix(".yml")
        self._prefix = f"{folder or '.'}/snapshots/{stem}."
        self._folder = pack._folder
        self._update = update
        self._tests: dict[str, str] = {}

    def compare(self, test: str, prompt: Prompt) -> Iterator[str]:
        """Report how a prompt differs from its snapshot, or write the snapshot."""
        slug = re.sub(r"[^\w-]+", "-", test.casefold()).strip("-")
        path = f"{self._prefix}{slug}.txt"
        owner = self._tests.setdefault(path, test)
        if owner != test:
            yield f"the test uses the same snapshot {path} as {owner!r}; rename one of the tests"
            return
        text = Secrets(prompt.pack, prompt.context).hide(prompt.to_text()) + "\n"
        if self._update:
            files.write(path, text)
            return
        try:
            stored = self._read(path)
        except PackError as error:
            if error.problems[0].code != "PP120":
                raise
            yield f"the test has no snapshot at {path}; run with --update to write it"
            return
        # A checkout on Windows has other line ends.
        if stored.replace("\r\n", "\n") != text.replace("\r\n", "\n"):
            lines = list(
                difflib.unified_diff(stored.splitlines(), text.splitlines(), "stored", "rendered", lineterm="")
            )
            more = "\n..." if len(lines) > _MAX_SHOWN_LINES else ""
            yield "the prompt differs from its snapshot:\n" + "\n".join(lines[:_MAX_SHOWN_LINES]) + more

    def _read(self, path: str) -> str:
        if isinstance(self._folder, MemoryFolder):
            return self._folder.read(self._folder.to_relative(path) or path).decode(errors="replace")
        return files.read_text(path)
