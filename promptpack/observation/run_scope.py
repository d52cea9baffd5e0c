"""The run that the current thread or task is in: its id and pack, and the secrets that its events must not show."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from promptpack.pack.model import Pack

ContentReader = Callable[[], Mapping[str, object]]
Hide = Callable[[object], object]
EventClock = Callable[[], int]
_current: ContextVar[RunScope | None] = ContextVar("promptpack_run", default=None)


@dataclass(frozen=True, slots=True)
class PackIdentity:
    """The pack of an event; `label` is the label that it was selected by, `overlay` the glob of its overlay, if any."""

    name: str
    version: str
    digest: str
    agent: str = ""
    label: str = ""
    overlay: str = ""

    @classmethod
    def of(cls, pack: Pack) -> PackIdentity:
        """Return the identity of a pack."""
        overlay = pack.overlay.glob if pack.overlay else ""
        return cls(pack.name, str(pack.version), pack.digest, pack.agent, pack.requested_label, overlay)


def new_clock() -> EventClock:
    """Return a clock that starts at the time of day, in nanoseconds, and never goes back."""
    offset = time.time_ns() - time.perf_counter_ns()
    return lambda: offset + time.perf_counter_ns()


@dataclass(slots=True)
class RunScope:
    """A run; `prompt` reads the content of its prompt, and `hiders` replace the secrets of prompts in plain data.

    All its events have times of one `clock`, so an inner operation ends before the one around it.
    """

    id: str
    pack: PackIdentity | None = None
    prompt: ContentReader | None = field(default=None, repr=False)
    hiders: dict[Hashable, Hide] = field(default_factory=dict, repr=False)
    clock: EventClock = field(default_factory=new_clock, repr=False)


def current_run() -> RunScope | None:
    """Return the run of the current thread or task, or None."""
    return _current.get()


def run_id() -> str:
    """Return the id of the current run; empty outside runs."""
    scope = _current.get()
    return "" if scope is None else scope.id


def current_clock() -> EventClock:
    """Return the clock of the current run; outside runs, a new one."""
    scope = _current.get()
    return new_clock() if scope is None else scope.clock


def read_clock() -> int:
    """Return the time for an event."""
    return current_clock()()


def new_run(pack: PackIdentity | None = None, run_id: str = "") -> RunScope:
    """Return a new run; inside another one it shares the id and the secrets of that one."""
    outer = _current.get()
    if outer is None:
        return RunScope(run_id or _new_id(), pack)
    return RunScope(run_id or outer.id, pack, hiders=outer.hiders, clock=outer.clock)


@contextmanager
def entered(scope: RunScope) -> Iterator[None]:
    """Make this the current run in the block."""
    token = _current.set(scope)
    try:
        yield
    finally:
        # A generator that is abandoned is closed in another context, where this run was never current.
        with suppress(ValueError):
            _current.reset(token)


def remember_secrets(key: Hashable, hide: Hide) -> None:
    """Hide the secrets of a prompt in all later content of the current run; `key` identifies the secrets."""
    scope = _current.get()
    if scope is not None:
        scope.hiders[key] = hide


def make_hider() -> Hide:
    """Return a function that hides all secrets that the current run remembers."""
    scope = _current.get()
    hiders = {} if scope is None else scope.hiders

    def hide(value: object) -> object:
        for one in tuple(hiders.values()):
            value = one(value)
        return value

    return hide


def _new_id() -> str:
    import uuid

    return uuid.uuid4().hex
