"""The providers by name."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from promptpack.cycle.providers.anthropic_messages import AnthropicProvider
from promptpack.cycle.providers.openai_chat import OpenAIProvider
from promptpack.cycle.providers.sdk_provider import SdkProvider
from promptpack.problem import Problem, UsageError, did_you_mean

PROVIDERS: Final[Mapping[str, type[SdkProvider]]] = MappingProxyType(
    {"openai": OpenAIProvider, "anthropic": AnthropicProvider}
)


def open_provider(name: str, model: str = "", base_url: str | None = None, api_key: str | None = None) -> SdkProvider:
    """Open a provider by name; close it, or use it in a `with` statement.

    `name` is `openai` or `anthropic`, and `model` the default model. Without `base_url` and `api_key`, the SDK reads
    its environment variables.
    """
    if name not in PROVIDERS:
        hint = did_you_mean(name, PROVIDERS) or f"available providers: {', '.join(PROVIDERS)}"
        raise UsageError(Problem("PP619", f"unknown provider {name!r}", None, hint))
    return PROVIDERS[name](model, base_url=base_url, api_key=api_key)
