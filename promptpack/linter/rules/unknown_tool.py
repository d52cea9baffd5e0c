"""A tool that is not in the pool.

The prompt teaches the model to call what nobody will run: a tool that was renamed, or never registered. The pool is
`tools` of `flow.yaml` for the packs that are steps of it, or a list in the slot `tools`; where there is neither, it is
what the examples, defaults and tests of the pack offer, and only names that are nearly one of these are told.

Names of tools are: the calls of an example message (`tool_calls`); `tool`, `tool_call` and `tools` in the examples of
replies, and the action of an example where `reply.tools` makes tools actions; the tools that `AVAILABLE_TOOLS`, the
input of `reply.tools` and `RESOURCE_POOL.tools` are given in examples, defaults and tests. In the text: a value written
as `"tool": "name"` or `"function": {"name": "name"}`; a name in backquotes, or with an underscore, beside the word
"tool" or `工具`; a name in backquotes after "call" or `调用`; and any word with an underscore or a capital inside that
is nearly, but not quite, one of the pool. Words of the contract, the inputs and the actions are no tools.

Bad: "look it up with the tool `serach_web`", where the pool has `search_web`.
Good: the name as it is in the pool; best of all `{{ reply_format }}`, which lists the tools of each call.
"""

from collections.abc import Iterator
from typing import Final

from promptpack.linter.rule import Advice
from promptpack.linter.subject import Subject
from promptpack.linter.tools import Named, Pool, named, offered, pool_of
from promptpack.linter.vocabulary import IDENTIFIER, known_words, nearest
from promptpack.problem import Severity

CODE: Final = "PL022"
NAME: Final = "unknown-tool"
SEVERITY: Final[Severity] = "warning"

_NEAR: Final = 0.85
_SHOWN: Final = 8


def check(subject: Subject) -> Iterator[Advice]:
    """Compare every name of a tool with the pool."""
    pool = pool_of(subject)
    if pool is None or subject.sketch.problems:
        return
    told = set()
    for found in (*named(subject), *(offered(subject) if pool.complete else ())):
        if found.name in pool.names:
            continue
        near = nearest(subject, found.name, pool.names, _NEAR)
        if _is_stranger(found, pool, subject, near) and found.locate() not in told:
            told.add(found.locate())
            hint = f"did you mean {near!r}?" if near else _pool_hint(pool)
            yield Advice(f"tool {found.name!r} is not in the pool ({pool.where})", found.locate(), hint)


def _is_stranger(found: Named, pool: Pool, subject: Subject, near: str | None) -> bool:
    if found.certain:
        return pool.complete or bool(near)
    # Beyond the forms of calls only a slip of an unusual word is certain to be meant as a tool.
    return near is not None and IDENTIFIER.fullmatch(near) is not None and found.name not in known_words(subject)


def _pool_hint(pool: Pool) -> str:
    names = sorted(pool.names)
    more = ", ..." if len(names) > _SHOWN else ""
    return f"it has {', '.join(names[:_SHOWN])}{more}; add it there, or name one of these"
