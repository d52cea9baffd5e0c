"""Prompt + provider -> verdict: send, check, correct."""

from promptpack.cycle.agent import Agent, AgentRun
from promptpack.cycle.events import Event, ReplyJudged, ReplyReceived, RequestSent, RetryPlanned, ToolAnswered
from promptpack.cycle.failure import ProviderError, RunStoppedError, ToolError
from promptpack.cycle.llm_cycle import LlmCycle
from promptpack.cycle.provider import Provider
from promptpack.cycle.providers.anthropic_messages import AnthropicProvider
from promptpack.cycle.providers.catalogue import open_provider
from promptpack.cycle.providers.openai_chat import OpenAIProvider
from promptpack.cycle.providers.scripted import ScriptedProvider
from promptpack.cycle.request import Completion, Request, Usage
from promptpack.cycle.settings import Backoff, Settings
from promptpack.cycle.surroundings import Cancellation, Clock, ManualClock, Surroundings, SystemClock
from promptpack.cycle.tools import Tool
from promptpack.cycle.transcript import Round, Transcript

__all__ = [
    "Agent",
    "AgentRun",
    "AnthropicProvider",
    "Backoff",
    "Cancellation",
    "Clock",
    "Completion",
    "Event",
    "LlmCycle",
    "ManualClock",
    "OpenAIProvider",
    "Provider",
    "ProviderError",
    "ReplyJudged",
    "ReplyReceived",
    "Request",
    "RequestSent",
    "RetryPlanned",
    "Round",
    "RunStoppedError",
    "ScriptedProvider",
    "Settings",
    "Surroundings",
    "SystemClock",
    "Tool",
    "ToolAnswered",
    "ToolError",
    "Transcript",
    "Usage",
    "open_provider",
]
