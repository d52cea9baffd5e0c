"""The door through which slot vectors are run: what `tests/conformance/slots/run.py` calls a factory."""

import warnings
from typing import Any

from promptpack.prompt.slots import SlotPrompt, SlotWarning, model


class _Watched(SlotPrompt):
    """A prompt whose warnings are collected, whatever filters the runner has set."""

    __slots__ = ("_warnings",)

    def __init__(self, *arguments: Any, collected: list[str], **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._warnings = collected

    def to_text(self, **options: Any) -> str:
        return str(self._collect(super().to_text, options))

    def to_messages(self, **options: Any) -> list[dict[str, Any]]:
        messages: list[dict[str, Any]] = self._collect(super().to_messages, options)
        return messages

    def _collect(self, call: Any, options: dict[str, Any]) -> Any:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                return call(**options)
            finally:
                self._warnings += [str(item.message) for item in caught if issubclass(item.category, SlotWarning)]


class SlotsFactory:
    """Makes prompts, gives the message classes, and hands out the warnings since the last time."""

    def __init__(self) -> None:
        self._warnings: list[str] = []

    def __call__(
        self, parent: dict[str, Any] | None, settings: dict[str, Any], init: dict[str, Any] | None
    ) -> SlotPrompt:
        above = SlotPrompt(parent) if parent is not None else None
        return _Watched(init, parent=above, settings=settings, collected=self._warnings)

    def message_class(self, name: str) -> type:
        """Give one of our own message classes by name."""
        kind: type = getattr(model, name)
        return kind

    def take_warnings(self) -> list[str]:
        """Give the warnings collected so far, once."""
        taken = list(self._warnings)
        self._warnings.clear()
        return taken


slots_factory = SlotsFactory()
