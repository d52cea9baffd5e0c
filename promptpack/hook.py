"""The one hook of the core: renders, calls, tools and checks emit events, and listeners receive them.

Emitters test `listeners` first, so that no event is built without a listener.
"""

from __future__ import annotations

from _thread import allocate_lock
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from promptpack.observation import ObservedEvent

Listener = Callable[["ObservedEvent"], object]
listeners: tuple[Listener, ...] = ()
_lock = allocate_lock()


def subscribe(listener: Listener) -> Callable[[], None]:
    """Pass every event of the process to a listener; return a function that ends this.

    A listener is called in the thread and in the context that the event comes from. One that raises does not break
    the call: it is reported as a warning. It receives the end of every operation whose start it received.
    """
    global listeners  # noqa: PLW0603 -- one for the process, like the handlers of `logging`

    def receive(event: ObservedEvent) -> None:
        try:
            listener(event)
        except Exception as error:  # noqa: BLE001 -- whatever a listener does, the call continues
            _warn(listener, error)

    with _lock:
        listeners = (*listeners, receive)

    def unsubscribe() -> None:
        global listeners  # noqa: PLW0603
        with _lock:
            listeners = tuple(one for one in listeners if one is not receive)

    return unsubscribe


def emit(event: ObservedEvent, receivers: tuple[Listener, ...] | None = None) -> None:
    """Pass an event to the listeners, or only to those of them that received an earlier event."""
    for listener in listeners if receivers is None else receivers:
        listener(event)


def _warn(listener: Listener, error: Exception) -> None:
    """Report a listener that failed: without the text of its error, which may contain the content of an event."""
    import warnings

    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f" at {trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace is not None else ""
    name = getattr(listener, "__qualname__", type(listener).__qualname__)
    message = f"PP658 the listener {name!r} failed with {type(error).__name__}{place}; the call continues without it"
    warnings.warn(message, RuntimeWarning, stacklevel=4)
