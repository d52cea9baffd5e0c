"""Providers, and all that a conversation with a model needs: settings, services, tools, events and errors."""

from promptpack.cycle import (
    AgentRun,
    AnthropicProvider,
    Backoff,
    Cancellation,
    Clock,
    Completion,
    CycleSettings,
    Event,
    ManualClock,
    ModelTool,
    OpenAIProvider,
    Provider,
    ProviderError,
    ReplyJudged,
    ReplyReceived,
    Request,
    RequestSent,
    RetryPlanned,
    Round,
    RunStoppedError,
    ScriptedProvider,
    Services,
    SystemClock,
    ToolAnswered,
    ToolError,
    Transcript,
    Usage,
    open_provider,
)
from promptpack.cycle.model_tools import ToolSource
from promptpack.prompt.message import ToolCall

__all__ = [
    "AgentRun", "AnthropicProvider", "Backoff", "Cancellation", "Clock", "Completion", "CycleSettings", "Event",
    "ManualClock", "ModelTool", "OpenAIProvider", "Provider", "ProviderError", "ReplyJudged", "ReplyReceived",
    "Request", "RequestSent", "RetryPlanned", "Round", "RunStoppedError", "ScriptedProvider", "Services",
    "SystemClock", "ToolAnswered", "ToolCall", "ToolError", "ToolSource", "Transcript", "Usage", "open_provider",
]  # fmt: skip
