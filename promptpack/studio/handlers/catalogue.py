"""Which function answers which message, and where it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, NamedTuple

from promptpack.studio.handlers import editing, packs, prompts, replies, saving, trials, versions
from promptpack.studio.request import PageRequest
from promptpack.studio.studio import Studio

Pool = Literal["quick", "slow", "drafts"]
"""`quick` handlers run one after the other, under the project's lock; `slow` ones and `drafts` beside them."""


class Handler(NamedTuple):
    """Answers one kind of message; a `replaceable` message is skipped if a newer one of its kind waits."""

    run: Callable[[Studio, PageRequest], dict[str, Any]]
    pool: Pool = "quick"
    is_replaceable: bool = False


HANDLERS: Final[Mapping[str, Handler]] = {
    "packs": Handler(packs.list_packs),
    "search": Handler(packs.search, is_replaceable=True),
    "uses": Handler(packs.find_uses, "slow", is_replaceable=True),
    "open": Handler(editing.open_file),
    "keep": Handler(editing.keep_text, "drafts"),
    "problems": Handler(editing.find_problems, is_replaceable=True),
    "fixes": Handler(editing.find_fixes),
    "complete": Handler(editing.find_proposals, is_replaceable=True),
    "explain": Handler(editing.explain_word, is_replaceable=True),
    "preview": Handler(prompts.show_prompt, "slow", is_replaceable=True),
    "copy": Handler(prompts.copy_prompt),
    "context": Handler(prompts.describe_context, is_replaceable=True),
    "keep_context": Handler(prompts.keep_context),
    "trace": Handler(prompts.load_trace),
    "check": Handler(replies.check_reply, "slow", is_replaceable=True),
    "save": Handler(saving.save),
    "new_versions": Handler(saving.new_versions),
    "bump": Handler(saving.bump),
    "compare": Handler(versions.compare_sides, "slow", is_replaceable=True),
    "tests": Handler(trials.run_tests, "slow", is_replaceable=True),
    "coverage": Handler(trials.measure_coverage, "slow", is_replaceable=True),
    "flow": Handler(trials.draw_flow),
}
"""The messages of a page; `try` and `stop` are answered by the session, because they stream."""
