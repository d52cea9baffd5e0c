"""A prompt whose fixed text alone is larger than its budget.

Only history, observations and messages with a `priority` can be shortened or dropped; among slots, `chat_history` and
`action_results`. If the text that is always present does not fit, every render fails. The rule counts the text outside
tags, loops and conditions, in slots and in messages that are always sent, and the reply format where it is printed;
tokens are estimated as in a render without a token counter.

Bad: `budget: {characters: 500}` and a system message of 2,000 characters.
Good: a budget that fits the fixed text and the inputs, or a shorter text.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from jinja2 import nodes

from promptpack.linter.rule import LintProblem
from promptpack.linter.subject import ParsedText, Subject
from promptpack.problem import Severity
from promptpack.prompt.budget.counters import estimate_tokens
from promptpack.prompt.reply_format import write_reply_format
from promptpack.template.includes import constant_names

CODE: Final = "PL015"
NAME: Final = "over-budget"
SEVERITY: Final[Severity] = "error"

_SHRINKABLE_SLOTS: Final = ("chat_history", "action_results")


def check(subject: Subject) -> Iterator[LintProblem]:
    """Measure the text that is part of every render."""
    budget = subject.sections.budget
    if budget is None or subject.sections.abstract or subject.sketch.problems:
        return
    texts = [text for text in subject.texts if _is_always_sent(subject, text)]
    fixed = "".join(part for text in texts for part in _fixed_text(text.tree.body, subject, 0))
    for key, size in (("characters", len(fixed)), ("tokens", estimate_tokens(fixed))):
        limit = budget.value.get(key)
        if limit is not None and size > limit:
            message = f"the fixed text alone has {size:,} {key}, more than the budget of {limit:,}"
            yield LintProblem(message, budget.locate(key), "raise the budget, or shorten the text")


def _is_always_sent(subject: Subject, text: ParsedText) -> bool:
    if text.kind == "slot":
        return text.name not in _SHRINKABLE_SLOTS
    value = subject.sections.messages[text.message].value if text.message is not None else {"when": ""}
    return text.kind == "content" and "when" not in value and "priority" not in value


def _fixed_text(body: Iterable[nodes.Node], subject: Subject, depth: int) -> Iterator[str]:
    for node in body:
        match node:
            case nodes.Output():
                for child in node.nodes:
                    if isinstance(child, nodes.TemplateData):
                        yield child.data
                    elif isinstance(child, nodes.Name) and child.name == "reply_format" and subject.contract:
                        yield write_reply_format(subject.contract, subject.identity[2])
            case nodes.Include():
                for name in constant_names(node.template):
                    if name in subject.partials and depth < 16:
                        yield from _fixed_text(subject.partials[name].tree.body, subject, depth + 1)
                        break
            case nodes.With() | nodes.Block():
                yield from _fixed_text(node.body, subject, depth)
