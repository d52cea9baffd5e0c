"""Slots -> chat messages."""

from typing import Any

from promptpack.pack.output.sanitize import sanitize
from promptpack.prompt.slots.model import (
    ChatMessage,
    MessageContent,
    PromptModel,
    TextMessageContent,
    read_part,
    write_part,
)
from promptpack.prompt.slots.printed_names import PrintedNames
from promptpack.prompt.slots.slot_text import refuse_empty, write_main_lines, write_value

MessageDict = dict[str, Any]


def write_messages(
    slots: PromptModel, names: PrintedNames, *, rich_content: Any, strict_role_orders: Any, skipped: list[str]
) -> list[MessageDict]:
    """Write the messages; collect a text about each part left out in `skipped`."""
    refuse_empty(slots)
    messages: list[MessageDict] = []
    if slots.system:
        messages.append({"role": str(names.role("system")), "content": write_value(slots.system)})
    if slots.developer:
        messages.append({"role": str(names.role("developer")), "content": write_value(slots.developer)})
    if slots.chat_history:
        turns = _turns(slots.chat_history, names, strict=bool(strict_role_orders))
        # [rich_odd] only False itself makes the history plain, any falsy value the main message
        messages += [_plain_turn(turn, skipped) for turn in turns] if rich_content is False else turns
    return messages + _main_messages(slots, names, rich=bool(rich_content), skipped=skipped)


def _turns(history: list[ChatMessage], names: PrintedNames, *, strict: bool) -> list[MessageDict]:
    """Return the history as messages of parts; a strict history starts with the user and ends with the assistant."""
    turns: list[MessageDict] = []
    previous = None
    for message in history:
        role, parts = names.history_role(message.role), _parts(message.content)
        if strict and role == previous:
            # [rolemap] a first role mapped to None has no message to join: IndexError, as in the original
            turns[-1]["content"] += parts
        else:
            turns.append({"role": role, "content": parts})
        previous = role
    if strict and turns[0]["role"] != "user":
        turns.insert(0, {"role": "user", "content": _parts(names.title("chat_history")[:-1])})
    if strict and turns[-1]["role"] != "assistant":
        turns.append({"role": "assistant", "content": _parts("[User continue input]")})
    return turns


def _parts(content: Any) -> list[dict[str, Any]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [write_part(read_part(item)) for item in content]


def _plain_turn(turn: MessageDict, skipped: list[str]) -> MessageDict:
    texts = []
    for part in turn["content"]:
        if part["type"] == "text":
            texts.append(part["text"])
        else:
            skipped.append(
                f"Skipped content: unable to convert type '{part['type']}' to chat message "
                f"when `rich_content` == False. Content: {part}"
            )
    return {"role": turn["role"], "content": "\n\n".join(texts)}


def _main_messages(slots: PromptModel, names: PrintedNames, *, rich: bool, skipped: list[str]) -> list[MessageDict]:
    role = names.role("user")
    # [onlyinput] examples do not count here: they are lost beside a lone input or attachment
    others = (slots.tools, slots.action_results, slots.info, slots.instruct, slots.output, slots.model_extra)
    is_alone = not any(others)
    if is_alone and slots.input and not slots.attachment:
        return [{"role": role, "content": sanitize(slots.input)}]
    if is_alone and slots.attachment and not slots.input:
        if rich:
            return [{"role": role, "content": [write_part(part) for part in slots.attachment]}]
        return _attached_texts(slots.attachment, role, skipped)
    text = "\n".join(write_main_lines(slots, names))
    if not rich:
        return [*_attached_texts(slots.attachment, role, skipped), {"role": role, "content": text}]
    return [{"role": role, "content": [*_parts(text), *map(write_part, slots.attachment)]}]


def _attached_texts(attachment: list[MessageContent], role: Any, skipped: list[str]) -> list[MessageDict]:
    messages = []
    for part in attachment:
        if isinstance(part, TextMessageContent):
            messages.append({"role": role, "content": part.text})
        else:
            skipped.append(
                "Skipped content: unable to put attachment content into prompt messages "
                f"when `rich_content` == False\nContent: {write_part(part)}"
            )
    return messages
