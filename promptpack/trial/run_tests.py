"""Run the tests of packs: render each context, check the prompt, check the reply."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from promptpack.pack.model import Pack, PackTest
from promptpack.problem import ContextError, Location
from promptpack.prompt.prompt import Prompt
from promptpack.trial.snapshot import Snapshots
from promptpack.verdict import Verdict, Violation

# A rule of the pack that cannot be evaluated.
_CRASHED: Final = "PP521"


class Failure(NamedTuple):
    """One unmet expectation, and where the test states it."""

    message: str
    location: Location


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of one test; it passed if there are no failures."""

    pack: str
    locale: str
    name: str
    location: Location
    failures: tuple[Failure, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether the test passed."""
        return not self.failures


def run(packs: Iterable[Pack], *, update: bool = False) -> Iterator[Trial]:
    """Run the tests of packs; `update` writes snapshots instead of comparing them."""
    for pack in packs:
        snapshots = Snapshots(pack, update)
        for test in pack.tests:
            found = _find_failures(pack, test, snapshots)
            failures = tuple(Failure(str(message), test.locate(*steps)) for message, *steps in found)
            yield Trial(pack.label, pack.locale, test.name, test.location, failures)


_Found = tuple[str | int, ...]
"""The message of a failure, then the path of the expectation in the test."""


def _find_failures(pack: Pack, test: PackTest, snapshots: Snapshots) -> Iterator[_Found]:
    expected = test.expect.get("problems", ())
    try:
        prompt = (pack.for_model(test.model) if test.model else pack).render(test.context)
    except ContextError as error:
        found = [problem.code for problem in error.problems]
        if not expected:
            yield f"the prompt cannot be rendered: {error}", "context"
        for index, code in enumerate(expected):
            if code not in found:
                yield f"expected problem {code}, found {', '.join(found)}", "expect", "problems", index
        return
    for index, code in enumerate(expected):
        yield f"expected problem {code}, but the prompt was rendered", "expect", "problems", index
    for message, *steps in _check_prompt(prompt, test.expect):
        yield message, "expect", *steps
    if test.expect.get("snapshot"):
        yield from ((message, "expect", "snapshot") for message in snapshots.compare(test.name, prompt))
    if test.reply is not None:
        reply = test.reply if isinstance(test.reply, str) else json.dumps(test.reply, ensure_ascii=False)
        for message, *steps in _check_verdict(prompt.check(reply), test.verdict):
            yield message, "verdict", *steps


def _check_prompt(prompt: Prompt, expect: Mapping[str, Any]) -> Iterator[_Found]:
    text = "\n".join(message.text for message in prompt.messages)
    for index, one in enumerate(expect.get("contains", ())):
        if one not in text:
            yield f"the prompt does not contain {one!r}", "contains", index
    for index, one in enumerate(expect.get("excludes", ())):
        if one in text:
            yield f"the prompt contains {one!r}", "excludes", index
    roles = [message.role for message in prompt.messages]
    if "roles" in expect and roles != expect["roles"]:
        yield f"the prompt has the roles {', '.join(roles)} instead of {', '.join(expect['roles'])}", "roles"
    if len(text) > expect.get("max_chars", len(text)):
        yield f"the prompt has {len(text)} characters, but the limit is {expect['max_chars']}", "max_chars"


def _check_verdict(verdict: Verdict, expected: Any) -> Iterator[_Found]:
    violations = "; ".join(str(violation) for violation in verdict.violations)
    match expected:
        case "valid" | "recovered":
            if not verdict.ok:
                yield (f"the reply is not {expected}: {violations}",)
            elif verdict.outcome != expected:
                yield (f"the reply is {verdict.outcome}, not {expected}",)
        case "invalid":
            if verdict.ok:
                yield (f"the reply is {verdict.outcome}, not invalid",)
            elif all(violation.code == _CRASHED for violation in verdict.violations):
                yield (f"the reply is invalid only because a rule failed: {violations}",)
        case {"violations": wanted}:
            for index, one in enumerate(wanted):
                if not any(_matches(violation, one) for violation in verdict.violations):
                    fields = " ".join(f"{key}={value}" for key, value in one.items())
                    yield f"expected violation {fields}, found {violations or 'none'}", "violations", index


def _matches(violation: Violation, wanted: Mapping[str, str]) -> bool:
    """Return whether a violation is the wanted one; a rule that crashed only counts if its code is wanted."""
    if violation.code == _CRASHED != wanted.get("code"):
        return False
    return all(getattr(violation, key) == value for key, value in wanted.items())
