"""What the user really asked: user messages without the corrective re-asks a program put among them."""

from collections.abc import Mapping, Sequence
from typing import TypedDict

from promptpack.template.history.message_fields import MessageMapping, read_content_text, read_messages
from promptpack.template.history.short_text import compact, trim_space


class FirstAndLast(TypedDict):
    """The first and the last input of a conversation; equal when there is one, empty when there is none."""

    first: str
    last: str


def user_inputs(
    messages: object,
    *,
    limit: int = 120,
    correction_extra: Mapping[str, str] | None = None,
    correction_texts: Sequence[str] = (),
) -> list[str]:
    """List what the user wrote, compacted.

    A message is a correction when a field of its `extra` has the value that `correction_extra` gives for it, or when
    one of `correction_texts` stands in it.
    """
    texts = [text for text in correction_texts if text]
    inputs = (
        compact(read_content_text(message), limit)
        for message in read_messages(messages)
        if message.get("role") == "user" and not _is_correction(message, correction_extra or {}, texts)
    )
    return [text for text in inputs if text]


def first_and_last_input(
    messages: object,
    *,
    limit: int = 120,
    correction_extra: Mapping[str, str] | None = None,
    correction_texts: Sequence[str] = (),
) -> FirstAndLast:
    """Pick the first and the last of `user_inputs`."""
    inputs = user_inputs(
        messages, limit=limit, correction_extra=correction_extra, correction_texts=correction_texts
    ) or [""]
    return {"first": inputs[0], "last": inputs[-1]}


def _is_correction(message: MessageMapping, kinds: Mapping[str, str], texts: Sequence[str]) -> bool:
    extra = message.get("extra")
    if isinstance(extra, Mapping) and any(_has_kind(extra.get(key), kind) for key, kind in kinds.items()):
        return True
    content = read_content_text(message)
    return any(text in content for text in texts)


def _has_kind(value: object, kind: str) -> bool:
    return isinstance(value, str) and trim_space(value) == kind
