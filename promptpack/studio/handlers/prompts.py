"""The prompt of a pack as it is typed: the live preview, copies of it, and contexts to render it with."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from promptpack.editor import Preview, describe_inputs, make_example, preview
from promptpack.pack.model import Pack
from promptpack.problem import Problem, UsageError
from promptpack.prompt.prompt import Prompt
from promptpack.prompt.secrets import Secrets
from promptpack.prompt.stored_prompt import hide_all, hide_messages
from promptpack.strict_json import read as read_json
from promptpack.studio.request import PageRequest
from promptpack.studio.studio import Studio

_MAX_DEPTH: Final = 12
_CURL: Final = """\
curl "${{OPENAI_BASE_URL:-https://api.openai.com/v1}}/chat/completions" \\
  -H "Authorization: Bearer $OPENAI_API_KEY" -H 'Content-Type: application/json' \\
  -d '{body}'"""
_CALL: Final = """\
from promptpack import Library

library = Library.open({root!r})
prompt = library.get({request!r}, {locale!r}).render({context})
reply = client.chat.completions.create(model=MODEL, **prompt.to("openai"))
verdict = prompt.check(reply)"""


def show_prompt(studio: Studio, request: PageRequest) -> dict[str, Any]:
    """Render a pack as it is typed; the page keeps its last good prompt if there are problems."""
    shown = make_preview(studio, request)
    data = shown.to_dict()
    for kind, problems in (("warnings", shown.warnings), ("problems", shown.problems)):
        data[kind] = [studio.project.write_problem(problem) for problem in problems]
    for message in data["messages"]:
        for span in message["spans"]:
            span["path"] = span["path"] and studio.project.relative(span["path"])
    return data


def copy_prompt(studio: Studio, request: PageRequest) -> dict[str, Any]:
    """Return a prompt as text to paste elsewhere, rendered without secrets."""
    prompt = require_prompt(studio, request)
    prompt = prompt.pack.render(mask_secrets(prompt.pack, prompt.context))
    secrets = Secrets(prompt.pack, prompt.context)
    match request.text("form"):
        case "json":
            return {"text": _dump(hide_messages(prompt))}
        case "curl":
            body = {"model": "MODEL", **hide_all(prompt.to("openai"), secrets)}
            return {"text": _CURL.format(body=_dump(body).replace("'", "'\\''"))}
        case "python":
            return {"text": _write_call(studio, prompt, secrets)}
    raise UsageError(Problem("PP994", "the message has no valid 'form'", None, "use json, curl or python"))


def describe_context(studio: Studio, request: PageRequest) -> dict[str, Any]:
    """Return the inputs of a pack, the contexts of its tests, the ones that were kept, and an example."""
    pack = build_typed(studio, request)
    return {
        "pack": pack.label,
        "inputs": describe_inputs(pack),
        "tests": [{"name": test.name, "context": dict(test.context)} for test in pack.tests],
        "kept": studio.drafts.contexts(pack.name),
        "example": make_example(pack),
        "models": list(pack.models),
    }


def keep_context(studio: Studio, request: PageRequest) -> dict[str, Any]:
    """Keep a context under a name, without the values of secret inputs; without a context, forget the name."""
    pack, name, context = build_typed(studio, request), request.text("name"), request.mapping("context")
    kept = studio.drafts.contexts(pack.name)
    if context is None:
        kept.pop(name, None)
    else:
        secret = {one.name for one in pack.inputs.values() if one.secret}
        kept[name] = {key: value for key, value in context.items() if key not in secret}
    return {"kept": kept, "on_disk": studio.drafts.put_contexts(pack.name, kept)}


def load_trace(studio: Studio, request: PageRequest) -> dict[str, Any]:
    """Find the context of a recorded call in JSON: of a stored prompt or run, or any object with the inputs."""
    pack = build_typed(studio, request)
    data = _parse(request.text("trace"))
    found = find_recorded(data, pack)
    if found is None:
        hint = "paste what Prompt.to_dict or AgentRun.to_dict wrote, or an object with the inputs of the pack"
        raise UsageError(Problem("PP996", f"the JSON has no context for {pack.label}", None, hint))
    context, recorded = found
    missing = [one.name for one in pack.inputs.values() if one.required and one.name not in context]
    left_out = sorted(set(recorded) - set(pack.inputs))
    return {"context": context, "missing": missing, "left_out": left_out, "reply": _find_reply(data)}


def find_recorded(data: Any, pack: Pack) -> tuple[dict[str, Any], Mapping[str, Any]] | None:
    """Return the values of a pack's inputs in recorded data, and the whole recorded context."""
    candidates = [one for one in _mappings(data, 0) if any(name in one for name in pack.inputs)]
    if not candidates:
        return None
    best = max(candidates, key=lambda one: sum(name in one for name in pack.inputs))
    return {name: value for name, value in best.items() if name in pack.inputs}, best


def build_typed(studio: Studio, request: PageRequest) -> Pack:
    """Return the pack of a text as it is typed."""
    path = request.text("path")
    return studio.project.buffer(path, studio.project.text_of(request.texts, path)).build()


def mask_secrets(pack: Pack, context: Mapping[str, Any]) -> dict[str, Any]:
    """Return a context with stars for the texts of secret inputs: a filter may change a value beyond recognition."""
    secret = {one.name for one in pack.inputs.values() if one.secret}
    return {
        name: "*" * len(value) if name in secret and isinstance(value, str) else value
        for name, value in context.items()
    }


def make_preview(studio: Studio, request: PageRequest) -> Preview:
    """Render a text as it is typed with the context of a request."""
    path = request.text("path")
    with studio.project.lock:
        typed = {} if request.flag("is_saved") else request.texts
        buffer = studio.project.buffer(path, studio.project.text_of(typed, path))
    # Rendering a large pack takes seconds, in which names are still proposed.
    return preview(buffer, request.mapping("context"), test=request.text("test", ""), model=request.text("model", ""))


def require_prompt(studio: Studio, request: PageRequest) -> Prompt:
    """Return the prompt of a request; raise its problems if it cannot be rendered."""
    shown = make_preview(studio, request)
    if shown.prompt is None:
        raise UsageError(shown.problems)
    return shown.prompt


def _write_call(studio: Studio, prompt: Prompt, secrets: Secrets) -> str:
    pack, hidden = prompt.pack, secrets.hide_data(dict(prompt.context))
    context = "{" + ", ".join(f"{name!r}: {value!r}" for name, value in dict(hidden).items()) + "}"  # type: ignore[call-overload]
    return _CALL.format(root=studio.project.folder.root, request=pack.label, locale=pack.locale, context=context)


def _dump(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, indent=2)


def _parse(text: str) -> Any:
    try:
        return read_json(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise UsageError(Problem("PP909", f"invalid JSON: {error}", None, "paste one JSON value")) from error


def _mappings(data: Any, depth: int) -> Iterator[Mapping[str, Any]]:
    """Yield the objects in JSON, the outer ones first."""
    if depth > _MAX_DEPTH or not isinstance(data, dict | list):
        return
    if isinstance(data, dict):
        yield data
    for item in data.values() if isinstance(data, dict) else data:
        yield from _mappings(item, depth + 1)


def _find_reply(data: Any) -> str:
    """Return the last reply of a recorded run; an empty text if there is none."""
    said = [one for one in _mappings(data, 0) if isinstance(one.get("text"), str) and "finish_reason" in one]
    given = [one["reply"] for one in _mappings(data, 0) if isinstance(one.get("reply"), str)]
    return str(said[-1]["text"]) if said else str(given[-1]) if given else ""
