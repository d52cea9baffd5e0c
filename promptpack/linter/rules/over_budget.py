"""A prompt whose fixed text alone is larger than its budget.

Only history, observations and messages with a `priority` can be shortened or dropped; among slots, `chat_history` and
`action_results`. If the text that is always present does not fit, every render fails. The rule counts the text outside
tags, loops and conditions, in slots and in messages that are always sent, and the reply format where it is printed;
tokens are estimated as in a render without a token counter.

Bad: `budget: {characters: 500}` and a system message of 2,000 characters.
Good: a budget that fits the fixed text and the inputs, or a shorter text.
"""

import math
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from jinja2 import nodes

from promptpack.lazy import cached_property
from promptpack.linter.parsed_texts import ParsedText
from promptpack.linter.rule import LintProblem
from promptpack.linter.subject import Subject
from promptpack.prompt.budget.counters import BYTES_PER_TOKEN
from promptpack.prompt.reply_format import write_reply_format
from promptpack.template.includes import IncludeWalker

CODE: Final = "PL015"
NAME: Final = "over-budget"
SEVERITY: Final = "error"

_SHRINKABLE_SLOTS: Final = ("chat_history", "action_results")


def check(subject: Subject) -> Iterator[LintProblem]:
    """Measure the text that is part of every render."""
    budget = subject.sections.budget
    if budget is None or subject.sections.abstract or subject.compiled.problems:
        return
    texts = [text for text in subject.texts if _is_always_sent(subject, text)]
    sizer = _Sizer(subject)
    sizes = [sizer.measure(text.tree.body) for text in texts]
    characters, size_in_bytes = sum(size[0] for size in sizes), sum(size[1] for size in sizes)
    for key, size in (("characters", characters), ("tokens", math.ceil(size_in_bytes / BYTES_PER_TOKEN))):
        limit = budget.value.get(key)
        if limit is not None and size > limit:
            message = f"the fixed text alone has {size:,} {key}, more than the budget of {limit:,}"
            yield LintProblem(message, budget.locate(key), "raise the budget, or shorten the text")


def _is_always_sent(subject: Subject, text: ParsedText) -> bool:
    if text.kind == "slot":
        return text.name not in _SHRINKABLE_SLOTS
    value = subject.sections.messages[text.message].value if text.message is not None else {"when": ""}
    return text.kind == "content" and "when" not in value and "priority" not in value


_TextSize = tuple[int, int]
"""Characters and UTF-8 bytes."""


class _Sizer:
    """Measures the fixed text of templates, and of each partial once."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._includes: IncludeWalker[ParsedText, _TextSize] = IncludeWalker(subject.partials.get)

    def measure(self, body: Iterable[nodes.Node]) -> _TextSize:
        """Return the size of the text that every render of a body contains."""
        sizes = [size for node in body for size in self._sizes(node)]
        return sum(size[0] for size in sizes), sum(size[1] for size in sizes)

    def _sizes(self, node: nodes.Node) -> Iterator[_TextSize]:
        match node:
            case nodes.Output():
                for child in node.nodes:
                    if isinstance(child, nodes.TemplateData):
                        yield _size_of(child.data)
                    elif isinstance(child, nodes.Name) and child.name == "reply_format":
                        yield self._reply_format
            case nodes.Include():
                # A render includes the first partial that exists.
                found = self._includes.visit(node.template, None, lambda _, text: self.measure(text.tree.body))
                yield from (size for _, size in islice(found, 1))
            case nodes.With() | nodes.Block():
                yield self.measure(node.body)

    @cached_property
    def _reply_format(self) -> _TextSize:
        contract = self._subject.contract
        return _size_of(write_reply_format(contract, self._subject.identity[2]) if contract else "")


def _size_of(text: str) -> _TextSize:
    return len(text), len(text.encode("utf-8", "surrogatepass"))
