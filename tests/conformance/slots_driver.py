"""The factory that `tests/conformance/slots/run.py` needs to run slot vectors."""

import warnings
from typing import Any

from promptpack.prompt.slots import SlotPrompt, SlotWarning, model


class _WarningCollector(SlotPrompt):
    """A prompt that collects its warnings, regardless of the runner's filters."""

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
    """Creates prompts, and returns the message classes and the new warnings."""

    def __init__(self) -> None:
        self._warnings: list[str] = []

    def __call__(
        self, parent: dict[str, Any] | None, settings: dict[str, Any], init: dict[str, Any] | None
    ) -> SlotPrompt:
        parent_prompt = SlotPrompt(parent) if parent is not None else None
        return _WarningCollector(init, parent=parent_prompt, settings=settings, collected=self._warnings)

    def message_class(self, name: str) -> type:
        """Return one of our message classes by name."""
        kind: type = getattr(model, name)
        return kind

    def take_warnings(self) -> list[str]:
        """Return the warnings since the last call."""
        new = list(self._warnings)
        self._warnings.clear()
        return new


slots_factory = SlotsFactory()
