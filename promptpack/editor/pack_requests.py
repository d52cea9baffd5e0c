"""The requests that editor extensions send besides those of the Language Server Protocol: a preview, and tests."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from promptpack import files
from promptpack.editor.buffer import Buffer
from promptpack.editor.preview import preview
from promptpack.problem import Location
from promptpack.trial import Failure, Trial, run
from promptpack.trial.find_test import find_test

ShowLocation = Callable[[Location], Mapping[str, Any]]
"""Writes a location as the editor counts it."""


@dataclass(frozen=True)
class PackParams:
    """An open document."""

    uri: str


@dataclass(frozen=True)
class PreviewParams(PackParams):
    """The context to preview: a given one, else that of a test, else that of the first test or an example."""

    test: str = ""
    context: dict[str, Any] | None = None


@dataclass(frozen=True)
class RunTestsParams(PackParams):
    """The names of the tests to run; all of them if there are none."""

    tests: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _EditorRequest:
    id: int | str
    method: str
    jsonrpc: str


@dataclass(frozen=True)
class _PackRequest(_EditorRequest):
    params: PackParams


@dataclass(frozen=True)
class _PreviewRequest(_EditorRequest):
    params: PreviewParams


@dataclass(frozen=True)
class _RunTestsRequest(_EditorRequest):
    params: RunTestsParams


PREVIEW: Final = "promptpack/preview"
TESTS: Final = "promptpack/tests"
RUN_TESTS: Final = "promptpack/runTests"
REQUESTS: Final[Mapping[str, type[_EditorRequest]]] = {
    PREVIEW: _PreviewRequest,
    TESTS: _PackRequest,
    RUN_TESTS: _RunTestsRequest,
}
"""The type of each request, which its parameters are checked against."""


def write_preview(buffer: Buffer, params: PreviewParams) -> dict[str, Any]:
    """Return the prompt of a text, or its problems; without the context, which may have secrets."""
    data = preview(buffer, params.context, test=params.test).to_dict()
    del data["context"]
    return data


def list_tests(buffer: Buffer, place: ShowLocation) -> dict[str, Any]:
    """Return the name and place of each test of a pack, and the arguments that select it on the command line."""
    pack = buffer.build()
    tests = [{"name": test.name, **place(test.locate())} for test in pack.tests]
    return {"pack": pack.label, "locale": pack.locale, "root": files.find_root(buffer.path)[0], "tests": tests}


async def run_tests(buffer: Buffer, names: list[str], place: ShowLocation) -> dict[str, Any]:
    """Run tests of a pack; other requests, and a cancellation, come between two of them."""
    pack = buffer.build()
    wanted = {find_test(pack, name).name for name in set(names)} or {test.name for test in pack.tests}
    results: list[dict[str, Any]] = []
    for trial in run([pack], keep=lambda _, test: test.name in wanted):
        results.append(_write_trial(trial, place))
        await asyncio.sleep(0)
    return {"results": results}


def _write_trial(trial: Trial, place: ShowLocation) -> dict[str, Any]:
    return {"name": trial.name, "failures": [_write_failure(failure, place) for failure in trial.failures]}


def _write_failure(failure: Failure, place: ShowLocation) -> dict[str, Any]:
    return {
        "message": failure.message,
        "expected": failure.expected,
        "found": failure.found,
        **place(failure.location),
    }
