"""Run the tests of packs in several processes; the results arrive in the order of the tests."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from pickle import dumps, loads
from typing import Final, NamedTuple

from promptpack.pack.model import Pack
from promptpack.trial.model import Failure, Trial
from promptpack.trial.run_tests import Keep, make_trial, run, run_test
from promptpack.trial.snapshot import Read, Snapshots, reader_of

_CHUNK: Final = 50


class _TestGroup(NamedTuple):
    """Some tests of one pack, by their numbers; the pack is pickled, as its texts."""

    pack: bytes
    tests: tuple[int, ...]
    update: bool
    read: Read


def run_in_processes(
    packs: Sequence[Pack], processes: int, *, update: bool = False, keep: Keep | None = None
) -> Iterator[Trial]:
    """Run the tests of packs as `run` does, in several processes; one runs them in this process."""
    wanted = [
        (pack, tuple(number for number, test in enumerate(pack.tests) if keep is None or keep(pack, test)))
        for pack in packs
    ]
    parts = [
        (pack, numbers[start : start + _CHUNK]) for pack, numbers in wanted for start in range(0, len(numbers), _CHUNK)
    ]
    if processes <= 1 or len(parts) <= 1:
        yield from run(packs, update=update, keep=keep)
        return
    stored = {id(pack): dumps(pack) for pack, numbers in wanted if numbers}
    chunks = [_TestGroup(stored[id(pack)], numbers, update, reader_of(pack)) for pack, numbers in parts]
    with ProcessPoolExecutor(min(processes, len(parts))) as executor:
        try:
            for (pack, numbers), results in zip(parts, executor.map(_run_chunk, chunks), strict=True):
                for number, failures in zip(numbers, results, strict=True):
                    yield make_trial(pack, pack.tests[number], failures)
        finally:
            executor.shutdown(wait=True, cancel_futures=True)


def _run_chunk(chunk: _TestGroup) -> list[tuple[Failure, ...]]:
    pack = _load(chunk.pack)
    snapshots = Snapshots(pack, chunk.update, chunk.read)
    return [run_test(pack, pack.tests[number], snapshots) for number in chunk.tests]


@lru_cache(maxsize=4)
def _load(stored: bytes) -> Pack:
    pack: Pack = loads(stored)  # noqa: S301 -- from the parent process
    return pack
