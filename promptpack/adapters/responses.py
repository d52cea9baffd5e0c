"""The response of an SDK -> `Completion`, and the verdict on it; responses are recognized by their fields."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from promptpack.adapters.response_readers import (
    read_gemini,
    read_langchain,
    read_ollama,
    read_openai_response,
)
from promptpack.cycle.model_tools import read_tools
from promptpack.cycle.provider import Completion
from promptpack.cycle.providers.anthropic_messages import read_message
from promptpack.cycle.providers.openai_chat import read_chat
from promptpack.pack.contract import Action
from promptpack.pack.model import Pack
from promptpack.problem import Problem, UsageError
from promptpack.prompt.prompt import Prompt
from promptpack.prompt.reply_format import find_tool_set
from promptpack.prompt.secrets import Secrets
from promptpack.prompt.value_encoders import is_a
from promptpack.verdict import AgentOutput, JudgeOptions, Verdict, Violation
from promptpack.verdict.tool_calls import judge_calls

_HINT = "pass text, bytes, None, a mapping, or a response of OpenAI, Anthropic, Gemini or LangChain"


def check_response(
    reply: object,
    pack: Pack,
    values: Mapping[str, Any] | None,
    prompt: Prompt | None,
    options: JudgeOptions,
    tools: Iterable[object],
) -> Verdict:
    """Check anything that is not text: the response of an SDK, a mapping, or None."""
    completion = read_response(reply)
    if completion.tool_calls:
        return judge_calls(pack, completion.tool_calls, _find_tools(pack, values, tools), values)
    if options.finish_reason is None and completion.finish_reason != "stop":
        options = replace(options, finish_reason=completion.finish_reason)
    verdict = pack._judge(completion.text, values, prompt, options)
    if verdict.ok or completion.finish_reason != "content_filter" or not completion.text:
        return verdict
    # Hidden first: a part of a secret would not be found.
    said = " ".join(Secrets(pack, values).hide(completion.text).split())[:200]
    refused = Violation("PP518", "", f"the model refused to answer: {said}", "refused")
    return replace(verdict, outcome="no_answer", violations=(refused,))


def read_response(reply: object) -> Completion:
    """Return the text, the tool calls and the finish reason of anything that a model answered."""
    if reply is None:
        return Completion()
    try:
        read = _find_reader(reply)
        if read is not None:
            return _require_texts(read(reply))
    except UsageError:
        raise
    except Exception as error:
        # The attributes of an unknown object can raise anything.
        message = f"the response of type {type(reply).__name__!r} cannot be read: {error}"
        raise UsageError(Problem("PP533", message, None, _HINT)) from error
    message = f"a value of type {type(reply).__name__!r} is not a reply"
    raise UsageError(Problem("PP533", message, None, _HINT))


def _require_texts(completion: Completion) -> Completion:
    for call in completion.tool_calls:
        if not all(isinstance(text, str) for text in (call.id, call.name, call.arguments)):
            raise TypeError("the id, the name or the arguments of a tool call are not text")
    return completion


def _find_reader(reply: object) -> Callable[[Any], Completion] | None:
    for kind, read in _OWN_READERS.items():
        if is_a(reply, kind):
            return read
    has = {name for name in _READERS if hasattr(reply, name[0]) and hasattr(reply, name[1])}
    return next((read for fields, read in _READERS.items() if fields in has), None)


# By two fields that only this response has together.
_READERS: Mapping[tuple[str, str], Callable[[Any], Completion]] = {
    ("content", "response_metadata"): read_langchain,
    ("content", "stop_reason"): read_message,
    ("choices", "model"): read_chat,
    ("output", "incomplete_details"): read_openai_response,
    ("candidates", "prompt_feedback"): read_gemini,
    ("message", "done_reason"): read_ollama,
}


def _write(reply: Mapping[Any, Any]) -> Completion:
    try:
        return Completion(json.dumps(reply, ensure_ascii=False, default=_plain))
    except (TypeError, ValueError, RecursionError) as error:
        message = f"the reply is a mapping that is not plain data: {error}"
        raise UsageError(Problem("PP533", message, None, "pass the model's answer as text or JSON")) from error


_OWN_READERS: Mapping[type, Callable[[Any], Completion]] = {
    Completion: lambda reply: reply,
    str: Completion,
    bytes: lambda reply: Completion(reply.decode("utf-8", "replace")),
    AgentOutput: lambda reply: _write(reply.to_wire()),
    Mapping: _write,
}


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"it contains a value of type {type(value).__name__!r}")


def _find_tools(pack: Pack, values: Mapping[str, Any] | None, tools: Iterable[object]) -> dict[str, Action]:
    """Return the tools in the context, and those that the caller passed."""
    known: dict[str, Action] = {}
    contract = pack.contract
    if contract is not None and contract.tools_input and values is not None:
        known = {one.name: one for one in find_tool_set(pack, contract, values).tools or ()}
    passed: Iterable[Any] = tools
    return known | {one.name: Action(one.name, one.description or "", one.parameters) for one in read_tools(passed)}
