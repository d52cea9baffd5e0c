"""Generate contexts and replies for a pack, and report what they break, shrunk."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from promptpack.pack.model import Pack
from promptpack.problem import Location
from promptpack.prompt.prompt import Prompt
from promptpack.schema.generation import Choices, NoValueError, RandomChoices
from promptpack.trial.fuzz.attacks import ATTACKS
from promptpack.trial.fuzz.context_breakages import ContextCheck
from promptpack.trial.fuzz.model import Breakage, Finding
from promptpack.trial.fuzz.reply_breakages import find_near_breakage, find_reply_breakage
from promptpack.trial.fuzz.shrinking import shrink
from promptpack.trial.generation import ContextGenerator, NearReply, ReplyGenerator, make_near_reply

_NAME: Final = "found by --fuzz: "
_MAX_NAME: Final = 120


@dataclass(frozen=True, slots=True)
class FuzzReport:
    """The number of cases that were generated for a pack, and the findings.

    `refused_by_rules` replies met the schema but not the rules; for `satisfied` of them, a search found a reply like it
    that meets both.
    """

    pack: str
    locale: str
    contexts: int = 0
    replies: int = 0
    near_replies: int = 0
    refused_by_rules: int = 0
    satisfied: int = 0
    findings: tuple[Finding, ...] = ()


def fuzz(pack: Pack, count: int, seed: int = 0) -> FuzzReport:
    """Try `count` generated contexts of a pack, each with a reply; the same seed tries the same ones."""
    run = _FuzzRun(pack)
    if not pack.abstract:
        for number in range(count):
            if not run.try_one(RandomChoices(f"{seed} {number} {pack.label}")):
                break
    return run.report()


class _FuzzRun:
    """One run; it counts cases, and shrinks the first one of each kind and cause."""

    def __init__(self, pack: Pack) -> None:
        self._pack = pack
        self._contexts = ContextGenerator(pack, ATTACKS)
        self._check = ContextCheck(pack, self._contexts.accepts)
        self._replies = ReplyGenerator(pack, ATTACKS) if pack.contract else None
        self._counts = {"contexts": 0, "replies": 0, "near_replies": 0, "refused_by_rules": 0, "satisfied": 0}
        self._findings: dict[tuple[str, str], Finding] = {}

    def report(self) -> FuzzReport:
        return FuzzReport(self._pack.label, self._pack.locale, **self._counts, findings=tuple(self._findings.values()))

    def try_one(self, choices: Choices) -> bool:
        """Try one case; return False if there is nothing to try."""
        try:
            context = self._contexts.generate(choices)
        except NoValueError as error:
            self._add(Breakage("generate", "context", f"no valid context can be generated: {error}", {}, None))
            return False
        self._counts["contexts"] += 1
        breakage = self._check.find(context)
        if breakage is not None:
            self._add(breakage, lambda: self._shrink_context(breakage, context))
        if self._replies is not None and (breakage is None or breakage.kind in ("fence", "order")):
            return self._try_replies(self._replies, self._pack.render(context), choices)
        return True

    def _try_replies(self, replies: ReplyGenerator, prompt: Prompt, choices: Choices) -> bool:
        try:
            reply = replies.generate(choices, prompt)
        except NoValueError as error:
            self._add(Breakage("generate", "reply", f"no valid reply can be generated: {error}", {}, None))
            return False
        self._counts["replies"] += 1
        breakage = find_reply_breakage(replies, reply, prompt)
        if breakage is not None:
            self._add(breakage, lambda: self._shrink_reply(replies, breakage, reply, prompt))
        elif not replies.check(reply, prompt).ok:
            self._counts["refused_by_rules"] += 1
            self._counts["satisfied"] += replies.satisfy(reply, choices, prompt) is not None
        near = make_near_reply(replies.schema(prompt), reply, choices)
        if near is not None:
            self._try_near(replies, near, prompt)
        return True

    def _try_near(self, replies: ReplyGenerator, near: NearReply, prompt: Prompt) -> None:
        self._counts["near_replies"] += 1
        breakage = find_near_breakage(replies, near, prompt)
        if breakage is not None:
            self._add(breakage, lambda: (breakage, _reply_test(breakage, near.reply)))

    def _add(
        self, breakage: Breakage, shrink_case: Callable[[], tuple[Breakage, Mapping[str, Any]]] | None = None
    ) -> None:
        key = (breakage.kind, breakage.cause)
        known = self._findings.get(key)
        if known is not None:
            self._findings[key] = replace(known, count=known.count + 1)
            return
        small, test = shrink_case() if shrink_case else (breakage, {})
        named = {"name": _NAME + small.message.partition("\n")[0][:_MAX_NAME], **test} if test else {}
        self._findings[key] = Finding(small.kind, small.message, self._locate(small), 1, named)

    def _locate(self, breakage: Breakage) -> Location:
        declared = self._pack.inputs.get(breakage.cause)
        return breakage.location or (declared.location if declared else Location(self._pack.path, 1, 1))

    def _shrink_context(self, breakage: Breakage, context: Mapping[str, Any]) -> tuple[Breakage, Mapping[str, Any]]:
        def still_fails(candidate: Any) -> bool:
            found = self._check.find(candidate) if self._contexts.accepts(candidate) else None
            return found is not None and found[:2] == breakage[:2]

        found = self._check.find(shrink(dict(context), still_fails)) or breakage
        return found, {"context": dict(found.context), "expect": found.expect}

    def _shrink_reply(
        self, replies: ReplyGenerator, breakage: Breakage, reply: Any, prompt: Prompt
    ) -> tuple[Breakage, Mapping[str, Any]]:
        def find(candidate: Any) -> Breakage | None:
            found = (
                find_reply_breakage(replies, candidate, prompt) if replies.schema(prompt).accepts(candidate) else None
            )
            return found if found is not None and found[:2] == breakage[:2] else None

        small = shrink(reply, lambda candidate: find(candidate) is not None)
        return find(small) or breakage, _reply_test(breakage, small)


def _reply_test(breakage: Breakage, reply: Any) -> dict[str, Any]:
    return {"context": dict(breakage.context), "reply": reply, "verdict": breakage.expect}
