"""Find generated replies that get a wrong verdict: valid ones that are refused, and near ones that are accepted."""

from typing import Any, Final

from promptpack.prompt.prompt import Prompt
from promptpack.trial.fuzz.model import Breakage
from promptpack.trial.generation import NearReply, ReplyGenerator, has_only_rule_violations
from promptpack.verdict.model import code_of

_CRASHED: Final = code_of("rule_error")


def find_reply_breakage(generator: ReplyGenerator, reply: Any, prompt: Prompt) -> Breakage | None:
    """Return why a reply that meets the schema gets a wrong verdict; rules may refuse it, but not fail."""
    verdict = generator.check(reply, prompt)
    if verdict.ok or has_only_rule_violations(verdict):
        return None
    crashed = next((one for one in verdict.violations if one.code == _CRASHED), None)
    if crashed is not None:
        expect = {"violations": [{"rule": crashed.rule, "code": code_of("rule")}]}
        rule = prompt.pack._compiled.sections.rules.get(crashed.rule)
        place = rule.locate() if rule else None
        return Breakage("rule", crashed.rule, crashed.message, prompt.context, expect, location=place)
    first = verdict.violations[0]
    return Breakage(
        "refused", first.code, f"a reply that meets the schema is refused: {first}", prompt.context, "valid"
    )


def find_near_breakage(generator: ReplyGenerator, near: NearReply, prompt: Prompt) -> Breakage | None:
    """Return a breakage if a reply outside the contract is accepted, or refused for something else."""
    verdict = generator.check(near.reply, prompt)
    where = near.path or "the reply"
    if verdict.ok:
        message = f"a reply that violates the contract is {verdict.outcome} ({near.change} at {where})"
        return Breakage("accepted", near.change, message, prompt.context, "invalid")
    if not any(
        violation.path == near.path or violation.path.startswith(f"{near.path}/") for violation in verdict.violations
    ):
        message = f"no violation names {where}, where the reply violates the contract ({near.change})"
        return Breakage(
            "accepted", f"place of {near.change}", message, prompt.context, {"violations": [{"path": near.path}]}
        )
    return None
