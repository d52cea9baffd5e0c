"""Prompts -> lines of request files, in the shape that a provider's batch API reads."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple, get_args

from promptpack.problem import Problem, UsageError, did_you_mean
from promptpack.prompt.prompt import Prompt

ShapeName = Literal["openai", "anthropic", "vllm", "messages"]
SHAPES: Final[tuple[ShapeName, ...]] = get_args(ShapeName)
_ANTHROPIC_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


class FileLimits(NamedTuple):
    """The limits of one file of a provider; None for no limit."""

    rows: int | None = None
    bytes: int | None = None


LIMITS: Final[Mapping[str, FileLimits]] = {
    "openai": FileLimits(50_000, 200_000_000),
    "anthropic": FileLimits(100_000, 256_000_000),
}


@dataclass(frozen=True, slots=True)
class RequestSettings:
    """The shape of requests, and their contents besides the prompt."""

    shape: ShapeName = "messages"
    model: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)
    strict: bool | None = None

    def __post_init__(self) -> None:
        if self.shape not in SHAPES:
            hint = did_you_mean(self.shape, SHAPES) or f"the shapes are {', '.join(SHAPES)}"
            raise UsageError(Problem("PP986", f"unknown shape {self.shape!r}", None, hint))
        if self.shape != "messages" and not self.model:
            hint = "pass --model NAME, or model='NAME' in Python"
            raise UsageError(Problem("PP986", f"requests of the shape {self.shape!r} need a model", None, hint))
        if self.shape == "messages" and (self.params or self.strict):
            message = "the shape 'messages' has no parameters and no strict schema"
            raise UsageError(Problem("PP986", message, None, "choose another shape"))

    @property
    def columns(self) -> tuple[str, ...]:
        """The keys of a record."""
        return _COLUMNS[self.shape]

    @property
    def limits(self) -> FileLimits:
        """The limits of one file."""
        return LIMITS.get(self.shape, FileLimits())

    def write(self, identifier: str, prompt: Prompt) -> dict[str, Any]:
        """Return the request of a prompt; raise a `UsageError` if the provider would refuse it."""
        return _WRITERS[self.shape](self, identifier, prompt)


def _write_messages(_: RequestSettings, identifier: str, prompt: Prompt) -> dict[str, Any]:
    return {"id": identifier, "messages": prompt.to_dicts()}


def _write_openai(settings: RequestSettings, identifier: str, prompt: Prompt) -> dict[str, Any]:
    body = {"model": settings.model, **prompt.to("openai", strict=settings.strict), **settings.params}
    return {"custom_id": identifier, "method": "POST", "url": "/v1/chat/completions", "body": body}


def _write_anthropic(settings: RequestSettings, identifier: str, prompt: Prompt) -> dict[str, Any]:
    if not _ANTHROPIC_ID.fullmatch(identifier):
        message = f"Anthropic does not accept the id {identifier!r}"
        raise UsageError(Problem("PP986", message, None, "use 1 to 64 letters, digits, '-' and '_'"))
    params = {"model": settings.model, **prompt.to("anthropic", strict=settings.strict), **settings.params}
    return {"custom_id": identifier, "params": params}


_Writer = Callable[[RequestSettings, str, Prompt], dict[str, Any]]
_WRITERS: Final[Mapping[str, _Writer]] = {
    "openai": _write_openai,
    "vllm": _write_openai,
    "anthropic": _write_anthropic,
    "messages": _write_messages,
}
_COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "openai": ("custom_id", "method", "url", "body"),
    "vllm": ("custom_id", "method", "url", "body"),
    "anthropic": ("custom_id", "params"),
    "messages": ("id", "messages"),
}
