"""Check a reply while someone listens: emit the start and the end, and offer the content without its secrets."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from promptpack.observation import CheckEnded, CheckStarted, Hide, Observation, PackIdentity, make_hider
from promptpack.pack.model import Pack
from promptpack.prompt.secrets import Secrets
from promptpack.verdict.model import Verdict


def observe_check(pack: Pack, values: Mapping[str, Any] | None, reply: object, check: Callable[[], Verdict]) -> Verdict:
    """Check a reply and emit events; `check` does the work."""

    # Without a context, only the run knows the secrets of the prompt.
    hide = make_hider()

    def read_reply() -> Mapping[str, object]:
        text = reply.decode(errors="replace") if isinstance(reply, bytes) else reply
        if not isinstance(text, str | Mapping | None):
            text = f"a response of type {type(reply).__name__}"
        return {"reply": hide(Secrets(pack, values).hide_data(text))}

    start = CheckStarted(pack=PackIdentity.of(pack), content=read_reply)
    with Observation(CheckEnded(start=start)) as seen:
        verdict = check()
        seen.end = replace(
            seen.end,
            outcome=verdict.outcome,
            violations=tuple(found.code for found in verdict.violations),
            repairs=tuple(repair.kind for repair in verdict.repairs),
            content=lambda: _violations(verdict, hide),
        )
    return verdict


def _violations(verdict: Verdict, hide: Hide) -> Mapping[str, object]:
    """Return what is wrong with the reply; a verdict hides the secrets of its own context itself."""
    return {
        "violations": hide([str(found) for found in verdict.violations]),
        "correction": hide(verdict.correction),
    }
