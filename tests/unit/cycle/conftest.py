import asyncio
from collections.abc import Callable

import pytest

from promptpack.cycle.drive import adrive, drive
from promptpack.cycle.machine import Task, converse
from promptpack.cycle.provider import Provider
from promptpack.cycle.surroundings import Surroundings
from promptpack.cycle.transcript import Transcript

Driven = Callable[[Task, Provider, Surroundings], Transcript]


def waiting(task: Task, provider: Provider, around: Surroundings) -> Transcript:
    return drive(converse(task), provider, around)


def awaiting(task: Task, provider: Provider, around: Surroundings) -> Transcript:
    return asyncio.run(adrive(converse(task), provider, around))


@pytest.fixture(params=[waiting, awaiting])
def driven(request: pytest.FixtureRequest) -> Driven:
    """Run a task both ways: what one driver does, the other must do."""
    way: Driven = request.param
    return way
