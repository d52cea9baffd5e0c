"""Run a pack's own tests: render with each context, look at the prompt, judge the reply."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from promptpack.pack import Pack, PackTest
from promptpack.problem import ContextError, Location
from promptpack.prompt import Prompt
from promptpack.trial.snapshot import Snapshots
from promptpack.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Trial:
    """How one test went: no failures means it passed."""

    pack: str
    locale: str
    name: str
    location: Location
    failures: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether everything was as expected."""
        return not self.failures


def run(packs: Iterable[Pack], *, update: bool = False) -> Iterator[Trial]:
    """Run the tests of some packs; `update` writes snapshots instead of comparing them."""
    for pack in packs:
        snapshots = Snapshots(pack, update)
        for test in pack.tests:
            failures = tuple(_failures(pack, test, snapshots))
            yield Trial(pack.label, pack.locale, test.name, test.location, failures)


def _failures(pack: Pack, test: PackTest, snapshots: Snapshots) -> Iterator[str]:
    wanted = test.expect.get("problems", ())
    try:
        prompt = pack.render(test.context)
    except ContextError as error:
        found = [problem.code for problem in error.problems]
        if not wanted:
            yield f"cannot be rendered: {error}"
        yield from (f"expected problem {code}, found {', '.join(found)}" for code in wanted if code not in found)
        return
    yield from (f"expected problem {code}, but it rendered" for code in wanted)
    yield from _prompt_failures(prompt, test.expect)
    if test.expect.get("snapshot"):
        yield from snapshots.compare(test.name, prompt)
    if test.reply is not None:
        yield from _verdict_failures(prompt.check(_reply_text(test.reply)), test.verdict)


def _prompt_failures(prompt: Prompt, expect: Mapping[str, Any]) -> Iterator[str]:
    text = "\n".join(message.text for message in prompt.messages)
    yield from (f"does not contain {wanted!r}" for wanted in expect.get("contains", ()) if wanted not in text)
    yield from (f"contains {unwanted!r}" for unwanted in expect.get("excludes", ()) if unwanted in text)
    roles = [message.role for message in prompt.messages]
    if "roles" in expect and roles != expect["roles"]:
        yield f"has the roles {', '.join(roles)}, not {', '.join(expect['roles'])}"
    if len(text) > expect.get("max_chars", len(text)):
        yield f"has {len(text)} characters, more than {expect['max_chars']}"


def _reply_text(reply: Any) -> str:
    return reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)


def _verdict_failures(verdict: Verdict, wanted: Any) -> Iterator[str]:
    told = "; ".join(str(violation) for violation in verdict.violations)
    match wanted:
        case None:
            return
        case "valid" | "recovered":
            if not verdict.ok:
                yield f"reply is not {wanted}: {told}"
            elif verdict.outcome != wanted:
                yield f"reply is {verdict.outcome}, not {wanted}"
        case "invalid":
            if verdict.ok:
                yield "reply is accepted"
        case {"violations": expected}:
            for one in expected:
                found = any(
                    all(getattr(violation, key) == value for key, value in one.items())
                    for violation in verdict.violations
                )
                if not found:
                    yield f"no violation {_words(one)} in: {told or 'an accepted reply'}"


def _words(violation: Mapping[str, str]) -> str:
    return " ".join(f"{key}={value}" for key, value in violation.items())
