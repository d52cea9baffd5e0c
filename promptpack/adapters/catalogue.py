"""The targets of `Prompt.to`, and the module of each."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Literal, cast, get_args

from promptpack.problem import Problem, UsageError, did_you_mean

if TYPE_CHECKING:
    from promptpack.adapters.outgoing import Adapter, Option
    from promptpack.cycle.model_tools import ToolSource
    from promptpack.prompt.prompt import Prompt

Target = Literal[
    "openai", "openai-responses", "anthropic", "gemini", "bedrock", "mistral", "ollama", "litellm", "langchain",
    "llama-index", "pydantic-ai", "openai-agents", "agent-framework", "crewai", "semantic-kernel", "haystack",
    "smolagents", "adk",
]  # fmt: skip

TARGETS: Final[tuple[Target, ...]] = get_args(Target)


def write(prompt: Prompt, target: str, *, strict: bool, tools: ToolSource | None, cache: bool) -> dict[str, Any]:
    """Return a prompt as the keyword arguments of a target."""
    from promptpack.adapters.outgoing import read_outgoing
    from promptpack.cycle.model_tools import read_tools

    adapter = _find(target)
    known = read_tools(tools) if tools is not None else ()
    wanted: dict[Option, bool] = {"strict": strict, "tools": bool(known), "cache": cache}
    _refuse_unknown(target, adapter, (option for option, is_wanted in wanted.items() if is_wanted))
    return adapter.write(read_outgoing(prompt, target, adapter.CARRIES, strict=strict, tools=known, cache=cache))


def _find(target: str) -> Adapter:
    if target not in TARGETS:
        known = f"the targets are {', '.join(TARGETS)}"
        hint = did_you_mean(target, TARGETS) if isinstance(target, str) else ""
        raise UsageError(Problem("PP630", f"unknown target {target!r}", None, hint or known))
    return cast("Adapter", import_module(f"promptpack.adapters.{target.replace('-', '_')}"))


def _refuse_unknown(target: str, adapter: Adapter, options: Iterable[Option]) -> None:
    problems = [
        Problem(
            "PP631", f"target {target!r} has no option {option!r}", None, adapter.INSTEAD.get(option, _instead(option))
        )
        for option in options
        if option not in adapter.OPTIONS
    ]
    if problems:
        raise UsageError(problems)


def _instead(option: Option) -> str:
    if option == "cache":
        return "only 'anthropic' marks a prefix to cache"
    return f"leave out {option!r}"
