"""Prompts as plain data, which JSON can store: the pack, the context and the messages, without secrets."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, Final

from promptpack.pack.model import Pack
from promptpack.problem import Problem, UsageError
from promptpack.prompt.message import Message, read_message
from promptpack.prompt.prompt import Prompt
from promptpack.prompt.secrets import Secrets

_FORMAT: Final = 1
_KEYS: Final = {
    "prompt": int,
    "pack": str,
    "locale": str,
    "digest": str,
    "context": Mapping,
    "secret": list,
    "messages": list,
}
_HINT: Final = "pass what Prompt.to_dict returned"


def write_prompt(prompt: Prompt) -> dict[str, Any]:
    """Return a prompt as plain data; inputs that contain a secret are left out, and secrets hidden in the messages."""
    pack, secrets = prompt.pack, Secrets(prompt.pack, prompt.context)
    secret = [
        name
        for name, value in prompt.context.items()
        if pack.inputs[name].secret or (secrets.key and secrets.hide_data(value) != value)
    ]
    return {
        "prompt": _FORMAT,
        "pack": pack.label,
        **({"label": pack.requested_label} if pack.requested_label else {}),
        "locale": pack.locale,
        "digest": pack.digest,
        **({"overlay": pack.overlay.glob} if pack.overlay else {}),
        "context": {name: deepcopy(prompt.context[name]) for name in prompt.context if name not in secret},
        "secret": secret,
        "messages": hide_messages(prompt),
    }


def hide_messages(prompt: Prompt) -> list[dict[str, Any]]:
    """Return the messages of a prompt as plain data, without its secrets."""
    secrets = Secrets(prompt.pack, prompt.context)
    hidden: list[dict[str, Any]] = hide_all(deepcopy(prompt.to_dicts()), secrets)
    return hidden


def hide_all(value: Any, secrets: Secrets) -> Any:
    """Return plain data whose texts contain no secrets."""
    if isinstance(value, str):
        return secrets.hide(value)
    if isinstance(value, Mapping):
        return {hide_all(key, secrets): hide_all(item, secrets) for key, item in value.items()}
    return [hide_all(item, secrets) for item in value] if isinstance(value, list | tuple) else value


def check_row(row: object) -> Mapping[str, Any]:
    """Return a stored prompt; raise a `UsageError` if it is not one."""
    if not isinstance(row, Mapping):
        raise UsageError(
            Problem("PP446", f"a value of type {type(row).__name__!r} is not a stored prompt", None, _HINT)
        )
    is_valid = {key: isinstance(row.get(key), kind) for key, kind in _KEYS.items()}
    is_valid["prompt"] = row.get("prompt") == _FORMAT
    is_valid["overlay"] = isinstance(row.get("overlay", ""), str)
    is_valid["secret"] = is_valid["secret"] and all(isinstance(name, str) for name in row["secret"])
    problems = [
        Problem("PP446", f"the stored prompt has no valid {key!r}", None, _HINT)
        for key, valid in is_valid.items()
        if not valid
    ]
    if problems:
        raise UsageError(problems)
    return row


def read_prompt(pack: Pack, row: Mapping[str, Any], inputs: Mapping[str, Any]) -> Prompt:
    """Return the prompt that a row describes; `inputs` has its secret inputs.

    The prompt is rendered again. If its messages were changed after that, as by a budget, they come from the row.
    """
    if "overlay" in row:
        pack = pack._find_overlay(row["overlay"]) or pack
    if pack.digest != row["digest"]:
        message = f"the stored prompt was rendered by a different {pack.label}: {row['digest']}, not {pack.digest}"
        raise UsageError(Problem("PP447", message, None, "open the library that rendered it"))
    missing = [name for name in row["secret"] if name not in inputs]
    if missing:
        message = f"the stored prompt has no secret inputs; {', '.join(missing)} must be passed again"
        raise UsageError(Problem("PP448", message, None, f"write library.restore(row, {missing[0]}=...)"))
    prompt = pack.render(row["context"], **inputs)
    if hide_messages(prompt) == row["messages"]:
        return prompt
    if row["secret"]:
        message = "the messages of the stored prompt were changed after rendering, and secrets are hidden in them"
        raise UsageError(Problem("PP448", message, None, "pass the secrets again, and change the messages again"))
    messages: tuple[Message, ...] = tuple(
        read_message(message, f"message {number}") for number, message in enumerate(row["messages"], 1)
    )
    return prompt.with_messages(messages)
