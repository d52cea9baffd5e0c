"""The texts of new pack files: a copy of a pack, a pack that extends another, a locale variant to translate."""

import re
from collections.abc import Mapping
from typing import Any

from promptpack.document.dumping import dump
from promptpack.library.entry import Entry
from promptpack.pack.model import Pack
from promptpack.pack.sections import Sections

HEADER = "# yaml-language-server: $schema=../pack.schema.json\n"
_VERSION = "0.1.0-dev"
_ANY_HEADER = re.compile(r"# yaml-language-server:[^\n]*\n")


def write_copy(entry: Entry, name: str) -> str:
    """Return the text of a pack file with another name, as a draft."""
    text = _ANY_HEADER.sub("", (entry.content or b"").decode().removeprefix("\ufeff"), count=1)
    for key, value in (("name", name), ("version", _VERSION)):
        text = re.sub(rf"^{key}:[^\n#]*?(?=\s*(?:#|$))", f"{key}: {value}", text, count=1, flags=re.MULTILINE)
    return HEADER + text


def write_child(parent: Pack, name: str, locale: str) -> str:
    """Return the text of a pack that extends another, with one message after the first one."""
    ids = [message.id for message in parent.messages if message.id]
    message = {"id": f"{name}-rules", **({"after": ids[0]} if ids else {}), "role": "system"}
    message["content"] = f"Describe here how {name} differs from {parent.name}.\n"
    data: dict[str, Any] = {"promptpack": 1, "name": name, "version": _VERSION}
    data |= {"description": f"Extends {parent.name}.", "locale": locale or parent.locale, "extends": _range(parent)}
    data["messages"] = [message]
    if parent.tests:
        expected = {"contains": [f"how {name} differs from {parent.name}"]}
        data["tests"] = [
            {"name": "shows the new message", "context": _plain(parent.tests[0].context), "expect": expected}
        ]
    return HEADER + dump({key: value for key, value in data.items() if value != ""})


def write_variant(entry: Entry, sections: Sections, locale: str) -> str:
    """Return the text of a locale variant with everything that a translator translates."""
    data: Mapping[str, Any] = entry.document.data if entry.document else {}
    texts = {key: data[key] for key in ("promptpack", "name", "version")} | {"locale": locale}
    texts |= {key: data[key] for key in ("description", "partials") if key in data}
    texts["messages"] = _message_texts(
        [placed.value for placed in sections.messages if placed.document.path == entry.path]
    )
    texts["reply"] = _reply_texts(data.get("reply", {}))
    return HEADER + dump({key: value for key, value in texts.items() if value})


def _message_texts(messages: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the ids and contents of messages, or whole messages if one has a text but no id."""
    if any("content" in message and "id" not in message for message in messages):
        return messages
    return [{key: message[key] for key in ("id", "content")} for message in messages if "content" in message]


def _reply_texts(reply: Mapping[str, Any]) -> dict[str, Any]:
    rules = [{"name": rule["name"], "message": rule["message"]} for rule in reply.get("rules", ())]
    actions = {name: found for name, action in reply.get("actions", {}).items() if (found := _descriptions(action))}
    return {key: value for key, value in (("actions", actions), ("rules", rules)) if value}


def _descriptions(value: Any) -> dict[str, Any]:
    """Return the descriptions in a mapping, and the example, at their places."""
    found: dict[str, Any] = {}
    for key, item in value.items() if isinstance(value, dict) else ():
        if key == "example" or (key == "description" and isinstance(item, str)):
            found[key] = item
        elif inner := _descriptions(item):
            found[key] = inner
    return found


def _range(pack: Pack) -> str:
    version = pack.version
    return f"{pack.name}@^{version.major}" if version.major else f"{pack.name}@^0.{version.minor}"


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
