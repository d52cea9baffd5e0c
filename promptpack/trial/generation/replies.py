"""Generate replies that meet the contract of a pack, and search for those that its rules accept, too."""

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, Final

from promptpack.pack.model import Pack
from promptpack.prompt.prompt import Prompt
from promptpack.schema.generation import Choices, NoValueError, ValueGenerator
from promptpack.schema.validation import Schema
from promptpack.verdict import Verdict, Violation
from promptpack.verdict.judge import schema_of
from promptpack.verdict.model import code_of

_RULE: Final = code_of("rule")
_ROUNDS: Final = 16


def has_only_rule_violations(verdict: Verdict) -> bool:
    """Return whether rules of the pack refuse a reply, and nothing else does."""
    return not verdict.ok and all(violation.code == _RULE for violation in verdict.violations)


class ReplyGenerator:
    """Generates replies to one pack; `samples` are texts that free texts are often chosen from."""

    def __init__(self, pack: Pack, samples: Sequence[str] = ()) -> None:
        self._pack = pack
        self._samples = samples
        # The schema is stored with its generator, so that its id cannot be reused.
        self._generators: dict[int, tuple[Schema, ValueGenerator]] = {}

    def schema(self, prompt: Prompt | None = None) -> Schema:
        """Return the schema of the replies to a prompt, with its tools."""
        return schema_of(self._pack, None, prompt)

    def generate(self, choices: Choices, prompt: Prompt | None = None, action: str | None = None) -> Any:
        """Return a reply that the schema accepts, with an `action` if it is given; rules may still refuse it."""
        schema = self.schema(prompt)
        if action is not None:
            return ValueGenerator(with_action(schema.source, action), self._samples).generate(choices)
        if id(schema) not in self._generators:
            # Each set of tools has its own schema.
            self._generators = {id(schema): (schema, ValueGenerator(schema.source, self._samples))}
        return self._generators[id(schema)][1].generate(choices)

    def check(self, reply: Any, prompt: Prompt | None = None) -> Verdict:
        """Return the verdict on a reply, sent as JSON."""
        text = json.dumps(reply, ensure_ascii=False)
        return self._pack.check(text) if prompt is None else prompt.check(text)

    def satisfy(
        self, reply: Any, choices: Choices, prompt: Prompt | None = None, action: str | None = None
    ) -> Any | None:
        """Return a reply like this one, with an `action` if it is given, that the rules accept; None if none is found.

        Each round takes the places that violate rules from an example, or from another reply.
        """
        best, verdict = reply, self.check(reply, prompt)
        known = [deepcopy(dict(one)) for one in _known_replies(self._pack)]
        for number in range(_ROUNDS):
            if verdict.ok:
                return best
            other = known[number] if number < len(known) else self._generate_other(choices, prompt, action)
            for candidate in _exchange(best, other, verdict.violations):
                if not self.schema(prompt).accepts(candidate) or action not in (None, candidate.get("action")):
                    continue
                judged = self.check(candidate, prompt)
                if judged.ok or len(judged.violations) < len(verdict.violations):
                    best, verdict = candidate, judged
                    break
        return best if verdict.ok else None

    def _generate_other(self, choices: Choices, prompt: Prompt | None, action: str | None) -> Any:
        try:
            return self.generate(choices, prompt, action)
        except NoValueError:
            return None


def with_action(source: Mapping[str, Any], action: str) -> dict[str, Any]:
    """Return the schema of replies with one action."""
    properties = {**source["properties"], "action": {"allOf": [source["properties"]["action"]], "const": action}}
    return {**source, "properties": properties}


def _known_replies(pack: Pack) -> list[Mapping[str, Any]]:
    examples = pack.contract.examples if pack.contract else ()
    tested = (test.reply for test in pack.tests if test.verdict == "valid")
    return [one for one in (*examples, *tested) if isinstance(one, Mapping)]


def _exchange(reply: Any, other: Any, violations: Sequence[Violation]) -> list[Any]:
    """Return the reply with the places of the violations taken from another reply: all places, their parents, all."""
    if not isinstance(reply, dict) or not isinstance(other, Mapping):
        return [] if other is None else [other]
    keys = {violation.path.split("/")[1] for violation in violations if violation.path}
    taken = {key: other[key] for key in ("action", "params", *keys) if key in other}
    small = {key: taken[key] for key in keys if key in taken and reply.get("action") == other.get("action")}
    return [{**reply, **small}, {**reply, **taken}, dict(other)]
