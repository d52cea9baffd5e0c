"""Prompt + provider -> `Verdict`, by `agent.Agent.run`: send, check, correct."""

from promptpack.cycle.agent import Agent, AgentRun
from promptpack.cycle.cycle_errors import ProviderError, RunStoppedError, ToolError
from promptpack.cycle.cycle_settings import Backoff, CycleSettings
from promptpack.cycle.events import Event, ReplyJudged, ReplyReceived, RequestSent, RetryPlanned, ToolAnswered
from promptpack.cycle.llm_cycle import LlmCycle
from promptpack.cycle.model_tools import ModelTool
from promptpack.cycle.provider import Completion, Provider, Request, Usage
from promptpack.cycle.providers.anthropic_messages import AnthropicProvider
from promptpack.cycle.providers.catalogue import open_provider
from promptpack.cycle.providers.openai_chat import OpenAIProvider
from promptpack.cycle.providers.scripted import ScriptedProvider
from promptpack.cycle.services import Cancellation, Clock, ManualClock, Services, SystemClock
from promptpack.cycle.transcript import Round, Transcript

__all__ = [
    "Agent", "AgentRun", "AnthropicProvider", "Backoff", "Cancellation", "Clock", "Completion", "CycleSettings",
    "Event", "LlmCycle", "ManualClock", "ModelTool", "OpenAIProvider", "Provider", "ProviderError", "ReplyJudged",
    "ReplyReceived", "Request", "RequestSent", "RetryPlanned", "Round", "RunStoppedError", "ScriptedProvider",
    "Services", "SystemClock", "ToolAnswered", "ToolError", "Transcript", "Usage", "open_provider",
]  # fmt: skip
