"""Estimates of tokens and cost, and the limit on what an evaluation may cost."""

import json
from typing import Final

from promptpack.cycle import Usage
from promptpack.evaluation.evaluated_pack import EvaluatedPack
from promptpack.evaluation.prices import Price
from promptpack.prompt.budget.counters import estimate_tokens
from promptpack.prompt.prompt import Prompt

_LIMITS: Final = ("max_tokens", "max_completion_tokens")
_USUAL_REPLY: Final = 500


def estimate_usage(subject: EvaluatedPack, prompt: Prompt) -> Usage:
    """Estimate the tokens of one request: those of the messages, and of a reply like the example of the pack."""
    texts = (message.text for message in prompt.messages)
    return Usage(sum(map(estimate_tokens, texts)), estimate_reply(subject))


def estimate_reply(subject: EvaluatedPack) -> int:
    """Estimate the tokens of a reply: those of the pack's largest example."""
    contract = subject.pack.contract
    examples = [action.example for action in contract.actions.values() if action.example] if contract else []
    sizes = [estimate_tokens(json.dumps(one, ensure_ascii=False, default=str)) for one in examples]
    return max(sizes, default=_USUAL_REPLY)


def longest_reply(subject: EvaluatedPack) -> int:
    """Return the most tokens that a reply may have, if a parameter limits them; else a generous estimate."""
    given = [subject.settings.params[name] for name in _LIMITS if isinstance(subject.settings.params.get(name), int)]
    return min(given) if given else 4 * estimate_reply(subject)


class CostLimit:
    """The amount that may still be spent; a conversation starts only if its highest possible cost fits into it."""

    def __init__(self, limit: float | None, spent: float = 0.0) -> None:
        self._limit = limit
        self._reserved = 0.0
        self.spent: float = spent

    def reserve(self, cost: float) -> bool:
        """Reserve the cost of a conversation, and return whether there is enough for it."""
        if self._limit is not None and self.spent + self._reserved + cost > self._limit:
            return False
        self._reserved += cost
        return True

    def spend(self, reserved: float, cost: float) -> None:
        """Replace the reserved cost by the real one."""
        self._reserved -= reserved
        self.spent += cost


def worst_cost(subject: EvaluatedPack, prompt: Prompt, price: Price) -> float:
    """Return the cost of a conversation that uses all rounds: each sends the earlier replies again."""
    usage, reply, total = estimate_usage(subject, prompt), longest_reply(subject), 0.0
    for number in range(subject.settings.rounds):
        total += price.cost(Usage(usage.input_tokens + 2 * number * reply, reply))
    return total
