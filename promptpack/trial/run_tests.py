"""Run the tests of packs: render each context, check the prompt, check the reply."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from promptpack.pack.model import Pack, PackTest
from promptpack.problem import ContextError, Location
from promptpack.prompt.prompt import Prompt
from promptpack.trial.snapshot import Snapshots
from promptpack.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of one test; it passed if there are no failures."""

    pack: str
    locale: str
    name: str
    location: Location
    failures: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether the test passed."""
        return not self.failures


def run(packs: Iterable[Pack], *, update: bool = False) -> Iterator[Trial]:
    """Run the tests of packs; `update` writes snapshots instead of comparing them."""
    for pack in packs:
        snapshots = Snapshots(pack, update)
        for test in pack.tests:
            failures = tuple(_failures(pack, test, snapshots))
            yield Trial(pack.label, pack.locale, test.name, test.location, failures)


def _failures(pack: Pack, test: PackTest, snapshots: Snapshots) -> Iterator[str]:
    expected = test.expect.get("problems", ())
    try:
        prompt = pack.render(test.context)
    except ContextError as error:
        found = [problem.code for problem in error.problems]
        if not expected:
            yield f"the prompt cannot be rendered: {error}"
        yield from (f"expected problem {code}, found {', '.join(found)}" for code in expected if code not in found)
        return
    yield from (f"expected problem {code}, but the prompt was rendered" for code in expected)
    yield from _prompt_failures(prompt, test.expect)
    if test.expect.get("snapshot"):
        yield from snapshots.compare(test.name, prompt)
    if test.reply is not None:
        reply = test.reply if isinstance(test.reply, str) else json.dumps(test.reply, ensure_ascii=False)
        yield from _verdict_failures(prompt.check(reply), test.verdict)


def _prompt_failures(prompt: Prompt, expect: Mapping[str, Any]) -> Iterator[str]:
    text = "\n".join(message.text for message in prompt.messages)
    yield from (f"the prompt does not contain {one!r}" for one in expect.get("contains", ()) if one not in text)
    yield from (f"the prompt contains {one!r}" for one in expect.get("excludes", ()) if one in text)
    roles = [message.role for message in prompt.messages]
    if "roles" in expect and roles != expect["roles"]:
        yield f"the prompt has the roles {', '.join(roles)} instead of {', '.join(expect['roles'])}"
    if len(text) > expect.get("max_chars", len(text)):
        yield f"the prompt has {len(text)} characters, but the limit is {expect['max_chars']}"


def _verdict_failures(verdict: Verdict, expected: Any) -> Iterator[str]:
    violations = "; ".join(str(violation) for violation in verdict.violations)
    match expected:
        case None:
            return
        case "valid" | "recovered":
            if not verdict.ok:
                yield f"the reply is not {expected}: {violations}"
            elif verdict.outcome != expected:
                yield f"the reply is {verdict.outcome}, not {expected}"
        case "invalid":
            if verdict.ok:
                yield f"the reply is {verdict.outcome}, not invalid"
        case {"violations": wanted}:
            for one in wanted:
                found = any(
                    all(getattr(violation, key) == value for key, value in one.items())
                    for violation in verdict.violations
                )
                if not found:
                    fields = " ".join(f"{key}={value}" for key, value in one.items())
                    yield f"expected violation {fields}, found {violations or 'none'}"
