"""Which function answers which message, and where it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, NamedTuple

from promptpack.studio.handlers import editing, packs, prompts, replies, saving, trials, versions
from promptpack.studio.request import PageRequest
from promptpack.studio.studio import Studio

PoolName = Literal["quick", "slow", "drafts", "model"]
"""`quick` handlers run one after the other, under the project's lock; the others beside them."""


class PageHandler(NamedTuple):
    """Answers one kind of message; a `replaceable` message is skipped if a newer one of its kind waits."""

    run: Callable[[Studio, PageRequest], dict[str, Any]]
    pool: PoolName = "quick"
    is_replaceable: bool = False


HANDLERS: Final[Mapping[str, PageHandler]] = {
    "packs": PageHandler(packs.list_packs),
    "search": PageHandler(packs.search, is_replaceable=True),
    "uses": PageHandler(packs.find_uses, "slow", is_replaceable=True),
    "open": PageHandler(editing.open_file),
    "keep": PageHandler(editing.keep_text, "drafts"),
    "problems": PageHandler(editing.find_problems, is_replaceable=True),
    "fixes": PageHandler(editing.find_fixes),
    "complete": PageHandler(editing.find_proposals, is_replaceable=True),
    "explain": PageHandler(editing.explain_word, is_replaceable=True),
    "preview": PageHandler(prompts.show_prompt, "slow", is_replaceable=True),
    "copy": PageHandler(prompts.copy_prompt),
    "context": PageHandler(prompts.describe_context, is_replaceable=True),
    "keep_context": PageHandler(prompts.keep_context),
    "trace": PageHandler(prompts.load_trace),
    "check": PageHandler(replies.check_reply, "slow", is_replaceable=True),
    "save": PageHandler(saving.save),
    "new_versions": PageHandler(saving.new_versions),
    "bump": PageHandler(saving.bump),
    "compare": PageHandler(versions.compare_sides, "slow", is_replaceable=True),
    "tests": PageHandler(trials.run_tests, "slow", is_replaceable=True),
    "coverage": PageHandler(trials.measure_coverage, "slow", is_replaceable=True),
    "flow": PageHandler(trials.draw_flow),
}
"""The messages of a page; `try` and `stop` are answered by the session, because they stream."""
