"""Check a rendered prompt against the expectations of a test."""

from collections.abc import Iterator, Mapping
from typing import Any

from promptpack.problem import ContextError
from promptpack.prompt.message import Message
from promptpack.prompt.prompt import Prompt
from promptpack.schema.pointers import ValuePath
from promptpack.template.compiling import compile_expression
from promptpack.template.meter import metered
from promptpack.template.model import Expression, Source
from promptpack.trial.model import Miss
from promptpack.trial.text_checks import check_text


def check_prompt(prompt: Prompt, expect: Mapping[str, Any]) -> Iterator[Miss]:
    """Yield the expectations that a prompt does not meet."""
    text = "\n".join(message.text for message in prompt.messages)
    yield from check_text(text, expect, "the prompt")
    roles = [message.role for message in prompt.messages]
    if "roles" in expect and roles != expect["roles"]:
        message = f"the prompt has the roles {', '.join(roles)} instead of {', '.join(expect['roles'])}"
        yield Miss(message, ("roles",))
    for name, wanted in expect.get("messages", {}).items():
        for miss in _check_message(prompt, name, wanted):
            yield miss.below("messages", name)
    if "expr" in expect:
        yield from _check_expressions(prompt, text, expect["expr"])
    if "warnings" in expect:
        yield from _check_warnings(prompt, expect["warnings"])


def _check_message(prompt: Prompt, name: str, expect: Mapping[str, Any]) -> Iterator[Miss]:
    found = list(_find_messages(prompt, name))
    if not found:
        yield Miss(f"the prompt has no message {name!r}; it has {len(prompt.messages)} message(s)")
        return
    text = "\n".join(message.text for message in found)
    if "role" in expect and any(message.role != expect["role"] for message in found):
        yield Miss(f"message {name!r} has the role {found[0].role} instead of {expect['role']}", ("role",))
    yield from check_text(text, expect, f"message {name!r}")


def _find_messages(prompt: Prompt, name: str) -> Iterator[Message]:
    """Yield the messages with an id, of which a history has several, or the one at a position."""
    named = [message for message, identifier in _with_ids(prompt) if identifier == name]
    if named or not name.removeprefix("-").isdecimal():
        yield from named
        return
    position = int(name)
    if -len(prompt.messages) <= position < len(prompt.messages):
        yield prompt.messages[position]


def _with_ids(prompt: Prompt) -> Iterator[tuple[Message, str]]:
    ids = [origin.id for origin in prompt.origins] or [""] * len(prompt.messages)
    return zip(prompt.messages, ids, strict=True)


def _check_expressions(prompt: Prompt, text: str, expr: str | list[str]) -> Iterator[Miss]:
    scope = _build_scope(prompt, text)
    for index, one in enumerate([expr] if isinstance(expr, str) else expr):
        place: ValuePath = ("expr",) if isinstance(expr, str) else ("expr", index)
        try:
            with metered(prompt.pack.limits):
                is_met = bool(_compile(prompt, one).evaluate(scope))
        except ContextError as error:
            yield Miss(f"{one!r} cannot be evaluated: {error.problems[0].message}", place)
            continue
        if not is_met:
            yield Miss(f"{one!r} is not true", place)


def _build_scope(prompt: Prompt, text: str) -> dict[str, Any]:
    messages = [
        {"id": identifier, "role": message.role, "name": message.name or "", "text": message.text}
        for message, identifier in _with_ids(prompt)
    ]
    reply_format = prompt.tools.reply_format if prompt.tools is not None else ""
    own = {"pack": prompt.pack._about, "reply_format": reply_format, "prompt": text, "messages": messages}
    return {**prompt.context, **own}


def _compile(prompt: Prompt, text: str) -> Expression:
    """Return a compiled expression, which the pack has checked when it was built; cached with the pack."""
    pack = prompt.pack._without_overlay
    cache: dict[str, Expression] = pack._expectations
    if text not in cache:
        cache[text] = compile_expression(Source.of_text(text), pack._compiled.compiler.engine)
    return cache[text]


def _check_warnings(prompt: Prompt, wanted: list[str]) -> Iterator[Miss]:
    found = {warning.code: warning for warning in prompt.warnings}
    for index, code in enumerate(wanted):
        if code not in found:
            yield Miss(f"expected warning {code}, found {', '.join(found) or 'none'}", ("warnings", index))
    for code, warning in found.items():
        if code not in wanted:
            yield Miss(f"unexpected warning {code}: {warning.message}", ("warnings",))
