import asyncio
from collections.abc import Callable

import pytest

from promptpack.cycle.drive import adrive, drive
from promptpack.cycle.machine import Conversation, converse
from promptpack.cycle.provider import Provider
from promptpack.cycle.services import Services
from promptpack.cycle.transcript import Transcript

Driven = Callable[[Conversation, Provider, Services], Transcript]


def waiting(conversation: Conversation, provider: Provider, services: Services) -> Transcript:
    return drive(converse(conversation), provider, services)


def awaiting(conversation: Conversation, provider: Provider, services: Services) -> Transcript:
    return asyncio.run(adrive(converse(conversation), provider, services))


@pytest.fixture(params=[waiting, awaiting])
def driven(request: pytest.FixtureRequest) -> Driven:
    """Run a conversation with each driver: both must do the same."""
    way: Driven = request.param
    return way
