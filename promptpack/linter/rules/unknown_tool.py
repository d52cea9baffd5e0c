"""A tool that is not in the pool of existing tools.

The prompt teaches the model to call a tool that does not exist: one that was renamed, or never registered. The pool is
`tools` of `flow.yaml` for the packs that are steps of it, or a list in the slot `tools`. Without either, it is the
tools in the examples, defaults and tests of the pack, and only names that are similar to one of these are reported.

These count as names of tools: the calls of an example message (`tool_calls`); `tool`, `tool_call` and `tools` in
examples of replies, and the action of an example if `reply.tools` makes tools actions; the tools that examples,
defaults and tests pass to `AVAILABLE_TOOLS`, to the input of `reply.tools` and to `RESOURCE_POOL.tools`. In the text: a
value written as `"tool": "name"` or `"function": {"name": "name"}`; a name in backquotes or with an underscore next to
the word "tool" or `工具`; a name in backquotes after "call" or `调用`; and any word with an underscore or an inner
capital that is similar, but not equal, to a tool of the pool. Words of the contract, inputs and actions are not tools.

Bad: "look it up with the tool `serach_web`", where the pool has `search_web`.
Good: the exact name in the pool; better still, `{{ reply_format }}`, which lists the tools of each call.
"""

from collections.abc import Iterator
from typing import Final

from promptpack.linter.prompt_words import IDENTIFIER, find_similar, known_words
from promptpack.linter.rule import LintProblem
from promptpack.linter.subject import Subject
from promptpack.linter.tool_names import ToolMention, ToolPool, find_mentioned_tools, find_offered_tools, find_pool

CODE: Final = "PL022"
NAME: Final = "unknown-tool"
SEVERITY: Final = "warning"

_SIMILARITY: Final = 0.85
_MAX_LISTED: Final = 8


def check(subject: Subject) -> Iterator[LintProblem]:
    """Compare every mentioned tool with the pool."""
    pool = find_pool(subject)
    if pool is None or subject.compiled.problems:
        return
    reported = set()
    for found in (*find_mentioned_tools(subject), *(find_offered_tools(subject) if pool.is_complete else ())):
        if found.name in pool.names:
            continue
        similar = find_similar(subject, found.name, pool.names, _SIMILARITY)
        if _is_unknown(found, pool, subject, similar) and found.locate() not in reported:
            reported.add(found.locate())
            hint = f"did you mean {similar!r}?" if similar else _pool_hint(pool)
            yield LintProblem(f"tool {found.name!r} is not in the pool ({pool.where})", found.locate(), hint)


def _is_unknown(found: ToolMention, pool: ToolPool, subject: Subject, similar: str | None) -> bool:
    if found.is_certain:
        return pool.is_complete or bool(similar)
    # In plain text, only a misspelling of an identifier is certain to refer to a tool.
    return similar is not None and IDENTIFIER.fullmatch(similar) is not None and found.name not in known_words(subject)


def _pool_hint(pool: ToolPool) -> str:
    names = sorted(pool.names)
    more = ", ..." if len(names) > _MAX_LISTED else ""
    return f"the pool has {', '.join(names[:_MAX_LISTED])}{more}; add the tool there, or use one of these"
