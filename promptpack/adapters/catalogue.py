"""The targets of `Prompt.to`, and the module of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Literal, cast, get_args

from promptpack.problem import Problem, UsageError, did_you_mean

if TYPE_CHECKING:
    from promptpack.adapters.outgoing import Adapter, TargetOption
    from promptpack.cycle.model_tools import ToolSource
    from promptpack.prompt.prompt import Prompt

Target = Literal[
    "openai", "openai-responses", "anthropic", "gemini", "bedrock", "mistral", "ollama", "litellm", "langchain",
    "llama-index", "pydantic-ai", "openai-agents", "agent-framework", "crewai", "semantic-kernel", "haystack",
    "smolagents", "adk",
]  # fmt: skip

TARGETS: Final[tuple[Target, ...]] = get_args(Target)

# Where a target takes parameters: an argument that is a mapping, or None if the model is created with them.
_PLACES: Final[Mapping[str, str | None]] = {
    "gemini": "config", "adk": "config", "haystack": "generation_kwargs", "agent-framework": "options",
    "ollama": "options", "pydantic-ai": "model_settings",
    "crewai": None, "openai-agents": None, "semantic-kernel": None,
}  # fmt: skip
# Arguments that have a default, because the API requires them.
_DEFAULTS: Final = frozenset(("max_tokens",))


def write(prompt: Prompt, target: str, *, strict: bool | None, tools: ToolSource | None, cache: bool) -> dict[str, Any]:
    """Return a prompt as the keyword arguments of a target."""
    from promptpack.adapters.outgoing import read_outgoing
    from promptpack.cycle.model_tools import read_tools

    adapter = _find(target)
    known = read_tools(tools) if tools is not None else ()
    if strict is None:
        overlay = prompt.pack.overlay
        strict = bool(overlay and overlay.strict) and "strict" in adapter.OPTIONS
    wanted: dict[TargetOption, bool] = {"strict": strict, "tools": bool(known), "cache": cache}
    _refuse_unknown(target, adapter, (option for option, is_wanted in wanted.items() if is_wanted))
    written = adapter.write(read_outgoing(prompt, target, adapter.CARRIES, strict=strict, tools=known, cache=cache))
    return _with_parameters(written, prompt.parameters, target) if prompt.parameters else written


def _with_parameters(written: dict[str, Any], parameters: dict[str, Any], target: str) -> dict[str, Any]:
    """Return the arguments with the parameters of an overlay, in the place where the target takes them."""
    place = _PLACES.get(target, "")
    if place is None:
        return written
    home: dict[str, Any] = written.get(place, {}) if place else written
    taken = [name for name in parameters if name in home and name not in _DEFAULTS]
    if taken:
        message = f"the overlay sets {', '.join(map(repr, taken))}, which the prompt itself sets for {target!r}"
        raise UsageError(Problem("PP636", message, None, "remove it from 'parameters' in the pack"))
    merged = {**home, **parameters}
    return {**written, place: merged} if place else merged


def _find(target: str) -> Adapter:
    if target not in TARGETS:
        known = f"the targets are {', '.join(TARGETS)}"
        hint = did_you_mean(target, TARGETS) if isinstance(target, str) else ""
        raise UsageError(Problem("PP630", f"unknown target {target!r}", None, hint or known))
    return cast("Adapter", import_module(f"promptpack.adapters.{target.replace('-', '_')}"))


def _refuse_unknown(target: str, adapter: Adapter, options: Iterable[TargetOption]) -> None:
    problems = [
        Problem(
            "PP631", f"target {target!r} has no option {option!r}", None, adapter.INSTEAD.get(option, _instead(option))
        )
        for option in options
        if option not in adapter.OPTIONS
    ]
    if problems:
        raise UsageError(problems)


def _instead(option: TargetOption) -> str:
    if option == "cache":
        return "only 'anthropic' marks a prefix to cache"
    return f"leave out {option!r}"
