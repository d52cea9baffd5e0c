"""Run the vectors of templates and the composer; the results have the form of `expect`."""

import json
import tempfile
from pathlib import Path
from typing import Any

from promptpack.cycle import CycleSettings, LlmCycle, ScriptedProvider
from promptpack.problem import PackError, PromptpackError
from promptpack.prompt.composer import PromptComposer
from promptpack.prompt.order import InvalidSequenceError, validate_messages
from promptpack.prompt.prompt_template import PromptTemplate
from promptpack.prompt.registry import PromptTemplateRegistry
from promptpack.prompt.template_context import TemplateContext
from promptpack.template.failure import (
    MaxDepthReachedError,
    NotAnArrayError,
    PartialNotFoundError,
    VariableNotFoundError,
)

Result = dict[str, Any]


def run_template(case: Result) -> Result:
    given = case["input"]
    runs = {"render": _render, "from_json": _from_json, "registry": _registry, "owned_partials": _owned_partials}
    try:
        return runs[case["kind"]](given)
    except PromptpackError as error:
        return _error(error)


def run_composer(case: Result) -> Result:
    given = case["input"]
    runs = {"compose": _compose, "validate": _validate, "cycle": _cycle}
    try:
        return runs[case["kind"]](given)
    except PromptpackError as error:
        return _error(error)


def _error(error: PromptpackError) -> Result:
    match error:
        case VariableNotFoundError():
            return {"error": {"kind": "VariableNotFound", "arg": error.name}}
        case PartialNotFoundError():
            return {"error": {"kind": "PartialNotFound", "arg": error.name}}
        case NotAnArrayError():
            return {"error": {"kind": "NotAnArray", "arg": error.name}}
        case MaxDepthReachedError():
            return {"error": {"kind": "MaxDepthReached", "arg": error.limit}}
        case InvalidSequenceError():
            return {"error": {"kind": "InvalidSequence"}, "at": error.index}
        case PackError():
            from_file = error.problems[0].code.startswith("PP1")
            return {"error": {"kind": "Io" if from_file else "Parse"}}
        case _:
            return {"error": {"kind": "Render"}}


def _render(given: Result) -> Result:
    registry = PromptTemplateRegistry("handlebars")
    for name, text in given["partials"].items():
        registry.register_lazy(name, text)
    template = PromptTemplate.compile(given["template"], "handlebars", registry=registry)
    return {"output": template.render(given["context"])}


def _from_json(given: Result) -> Result:
    context = TemplateContext.from_json(json.dumps(given["json"]))
    return {"output": PromptTemplate.compile(given["template"], "handlebars").render(context)}


def _owned_partials(given: Result) -> Result:
    return {"output": _template_with_partials(given).render(given["context"])}


def _template_with_partials(given: Result) -> PromptTemplate:
    template = PromptTemplate.compile(given["template"], "handlebars")
    for name, partial in given["partials"].items():
        template.register_partial(name, _template_with_partials(partial))
    return template


def _registry(given: Result) -> Result:
    registry = PromptTemplateRegistry("handlebars")
    return {"results": [_registry_result(registry, *operation) for operation in given["ops"]]}


def _registry_result(registry: PromptTemplateRegistry, operation: str, name: str, *rest: Any) -> Result:
    try:
        match operation:
            case "get":
                return {"display": str(registry.get(name))}
            case "render":
                return {"output": registry.render(name, *rest)}
            case "register_file":
                _register_file(registry, name, *rest)
            case _:
                getattr(registry, operation)(name, *rest)
    except PromptpackError as error:
        return _error(error)
    return {"ok": True}


def _register_file(registry: PromptTemplateRegistry, name: str, path: str) -> None:
    text = path.removeprefix("@file:")
    if text == path:
        registry.register_file(name, path)
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "template.txt")
        file.write_bytes(text.encode())
        registry.register_file(name, str(file))


def _compose(given: Result) -> Result:
    composer = PromptComposer.from_messages(given["from_messages"] or [])
    for operation, *arguments in given["ops"]:
        composer = getattr(composer, operation)(*_compiled(operation, arguments))
    if given["finish"] == "build":
        return {"messages": [message.to_dict() for message in composer.build()]}
    return {"request": composer.build_request(given["finish"]["build_request"])}


def _compiled(operation: str, arguments: list[Any]) -> list[Any]:
    if not operation.endswith("_template"):
        return arguments
    *before, text, context = arguments
    return [*before, PromptTemplate.compile(text, "handlebars"), context]


def _validate(given: Result) -> Result:
    validate_messages(given["messages"])
    return {"ok": True}


def _cycle(given: Result) -> Result:
    settings = dict(given["config"])
    provider = ScriptedProvider([""])
    named = {name: settings.pop(name) for name in ("model", "system_prompt") if name in settings}
    cycle = LlmCycle(provider, CycleSettings(**named, params=settings))
    if given["with_messages"] is not None:
        cycle.with_messages(given["with_messages"])
    for method, arguments in given["call"].items():
        getattr(cycle, method)(*arguments)
    return {"request": provider.requests[0].to_dict()}
