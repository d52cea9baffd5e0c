"""User messages without the corrections that a program sent as the user."""

from collections.abc import Mapping, Sequence
from typing import TypedDict

from promptpack.template.history.message_fields import MessageMapping, read_content_text, read_messages
from promptpack.template.history.short_text import compact, trim_space


class FirstAndLast(TypedDict):
    """The first and the last user input of a conversation; equal if there is only one, empty if there is none."""

    first: str
    last: str


def user_inputs(
    messages: object,
    *,
    limit: int = 120,
    correction_extra: Mapping[str, str] | None = None,
    correction_texts: Sequence[str] = (),
) -> list[str]:
    """Return the first line of each user message that is not a correction, cut to `limit` characters.

    `messages` is the history. A message is a correction if a field of its `extra` has the value in `correction_extra`,
    or if it contains one of `correction_texts`.
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
    """Return the first and the last of `user_inputs`."""
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
