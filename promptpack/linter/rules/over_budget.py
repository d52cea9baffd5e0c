"""A prompt whose fixed text alone is larger than its budget.

Only history, observations and messages with a `priority` can give way, of slots `chat_history` and `action_results`.
When the text that is always there does not fit, every render fails. Counted is what stands outside of tags, loops and
conditions, in slots and in messages that always come, and the output instructions where they are printed; tokens are
estimated as a render without a counter does.

Bad: `budget: {characters: 500}` above a system message of 2,000 characters.
Good: a budget with room for the fixed text and the inputs, or a shorter text.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from jinja2 import nodes

from promptpack.linter.rule import Advice
from promptpack.linter.subject import Subject, Text
from promptpack.problem import Severity
from promptpack.prompt.budget.counters import estimate_tokens
from promptpack.prompt.reply_format import write_reply_format
from promptpack.template.includes import constant_names

CODE: Final = "PL015"
NAME: Final = "over-budget"
SEVERITY: Final[Severity] = "error"

_GIVING_WAY: Final = ("chat_history", "action_results")


def check(subject: Subject) -> Iterator[Advice]:
    """Measure the text that every render has."""
    budget = subject.parts.budget
    if budget is None or subject.parts.abstract or subject.sketch.problems:
        return
    texts = [text for text in subject.texts if _always_comes(subject, text)]
    fixed = "".join(part for text in texts for part in _fixed(text.tree.body, subject, 0))
    for key, size in (("characters", len(fixed)), ("tokens", estimate_tokens(fixed))):
        most = budget.value.get(key)
        if most is not None and size > most:
            message = f"the fixed text alone has {size:,} {key}, more than the budget of {most:,}"
            yield Advice(message, budget.locate(key), "raise the budget, or shorten the text")


def _always_comes(subject: Subject, text: Text) -> bool:
    if text.kind == "slot":
        return text.name not in _GIVING_WAY
    value = subject.parts.messages[text.message].value if text.message is not None else {"when": ""}
    return text.kind == "content" and "when" not in value and "priority" not in value


def _fixed(body: Iterable[nodes.Node], subject: Subject, depth: int) -> Iterator[str]:
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
                        yield from _fixed(subject.partials[name].tree.body, subject, depth + 1)
                        break
            case nodes.With() | nodes.Block():
                yield from _fixed(node.body, subject, depth)
