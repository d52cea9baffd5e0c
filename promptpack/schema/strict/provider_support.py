"""The keywords and sizes that the strict schemas of each provider support."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from promptpack.problem import Problem, UsageError, did_you_mean
from promptpack.schema.strict import STRICT_PROVIDERS

_NUMBER: Final = frozenset(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"))
_FORMATS: Final = frozenset(
    ("date", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "time", "uuid")
)  # fmt: skip


@dataclass(frozen=True)
class Profile:
    """The keywords and sizes that a provider supports; a size of 0 has no limit."""

    keywords: frozenset[str] = frozenset()
    formats: frozenset[str] = frozenset()
    has_recursion: bool = False
    max_minimum_items: int | None = None
    """The largest supported `minItems`; None if any is."""
    max_properties: int = 0
    max_levels: int = 0
    max_enum_values: int = 0
    max_name_characters: int = 0
    max_unions: int = 0
    """Properties with `anyOf`; above it, optional properties are left out of `required` instead of being nullable."""
    max_optional: int = field(default=0)


_OPENAI = Profile(
    keywords=_NUMBER | {"format", "pattern", "minItems", "maxItems"},
    formats=_FORMATS,
    has_recursion=True,
    max_properties=5_000,
    max_levels=10,
    max_enum_values=1_000,
    max_name_characters=120_000,
)
_ANTHROPIC = Profile(
    keywords=frozenset(("format", "minItems")),
    formats=_FORMATS | {"uri"},
    max_minimum_items=1,
    max_unions=16,
    max_optional=24,
)
_PROFILES: Final[Mapping[str, Profile]] = {
    "anthropic": _ANTHROPIC,
    "bedrock": _ANTHROPIC,
    "gemini": Profile(frozenset(("minimum", "maximum", "minItems", "maxItems"))),
    "litellm": _OPENAI,
    "mistral": Profile(),
    "ollama": Profile(frozenset(("minItems", "maxItems")), has_recursion=True),
    "openai": _OPENAI,
    "openai-responses": _OPENAI,
}


def find_profile(provider: str) -> Profile:
    """Return the profile of a provider, or raise `UsageError`."""
    profile = _PROFILES.get(provider)
    if profile is None:
        hint = did_you_mean(provider, STRICT_PROVIDERS) or f"the providers are {', '.join(STRICT_PROVIDERS)}"
        raise UsageError(Problem("PP640", f"no strict schema for the provider {provider!r}", None, hint))
    return profile
