"""JSON Schema -> the strict schema of a provider: closed objects, nullable optionals, only supported keywords."""

from typing import Final, Literal, get_args

WRAPPER: Final = "reply"
"""The key of the object around a reply that is not one object; reading a reply removes the wrapper."""
StrictProvider = Literal["anthropic", "bedrock", "gemini", "litellm", "mistral", "ollama", "openai", "openai-responses"]
STRICT_PROVIDERS: Final[tuple[StrictProvider, ...]] = get_args(StrictProvider)
