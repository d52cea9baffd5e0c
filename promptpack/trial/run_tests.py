"""Run the tests of packs: render each context, check the prompt, check the reply."""

from collections.abc import Callable, Iterable, Iterator

from promptpack.pack.cases.checking import codes_of
from promptpack.pack.model import Pack, PackTest
from promptpack.problem import ContextError
from promptpack.trial.model import Failure, Miss, Trial
from promptpack.trial.prompt_checks import check_prompt
from promptpack.trial.snapshot import Snapshots
from promptpack.trial.verdict_checks import check_verdict, write_reply

Keep = Callable[[Pack, PackTest], bool]
"""Says whether a test is wanted."""


def run(packs: Iterable[Pack], *, update: bool = False, keep: Keep | None = None) -> Iterator[Trial]:
    """Run the tests of packs; `update` writes snapshots instead of comparing them, `keep` chooses some tests."""
    for pack in packs:
        snapshots = Snapshots(pack, update)
        for test in pack.tests:
            if keep is None or keep(pack, test):
                yield make_trial(pack, test, run_test(pack, test, snapshots))


def make_trial(pack: Pack, test: PackTest, failures: tuple[Failure, ...]) -> Trial:
    """Return the result of a test."""
    return Trial(pack.label, pack.locale, test.name, pack.path, test.locate, failures)


def run_test(pack: Pack, test: PackTest, snapshots: Snapshots) -> tuple[Failure, ...]:
    """Run one test, and return its failures, in the order of the file."""
    found = (
        Failure(miss.message, test.locate(*miss.path), miss.expected, miss.found)
        for miss in _find_misses(pack, test, snapshots)
    )
    return tuple(sorted(found, key=lambda failure: failure.location))


def _find_misses(pack: Pack, test: PackTest, snapshots: Snapshots) -> Iterator[Miss]:
    expect = test.expect
    try:
        prompt = (pack.for_model(test.model) if test.model else pack).render(test.context)
    except ContextError as error:
        yield from _check_error(test, error)
        return
    for place, code in _expected_codes(test):
        yield Miss(f"expected problem {code}, but the prompt was rendered", place)
    if expect:
        for miss in check_prompt(prompt, expect):
            yield miss.below("expect")
        if expect.get("snapshot"):
            for miss in snapshots.compare(test.name, prompt):
                yield miss.below("expect", "snapshot")
    if test.reply is not None:
        for miss in check_verdict(prompt.check(write_reply(test.reply)), test.verdict):
            yield miss.below("verdict")


def _check_error(test: PackTest, error: ContextError) -> Iterator[Miss]:
    expected = list(_expected_codes(test))
    if not expected:
        yield Miss(f"the prompt cannot be rendered: {error}", ("context",))
    found = {problem.code for problem in error.problems}
    listed = "; ".join(f"{problem.code} {problem.message}" for problem in error.problems)
    for place, code in expected:
        if code not in found:
            yield Miss(f"expected problem {code}, found {listed}", place)


def _expected_codes(test: PackTest) -> Iterator[tuple[tuple[str | int, ...], str]]:
    is_one = isinstance(test.expect.get("error"), str)
    for index, code in enumerate(codes_of(test.expect)):
        yield ("expect", "error") if is_one else ("expect", "error", index), code
