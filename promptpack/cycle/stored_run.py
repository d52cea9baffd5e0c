"""A run of an agent as plain data, which JSON can store: its prompt, its rounds and its verdict, without secrets."""

from typing import Any

from promptpack.cycle.agent import AgentRun
from promptpack.cycle.provider import Completion, Usage
from promptpack.cycle.transcript import Round
from promptpack.prompt.secrets import Secrets
from promptpack.prompt.stored_prompt import hide_all, write_prompt


def write_run(run: AgentRun) -> dict[str, Any]:
    """Return a run as plain data; secrets of the context are hidden in every text."""
    transcript = run.transcript
    row = {
        "prompt": write_prompt(run.prompt),
        "verdict": run.verdict.to_dict(),
        "stop": transcript.stop,
        "usage": _write_usage(transcript.usage),
        "rounds": [_write_round(done) for done in transcript.rounds],
    }
    hidden: dict[str, Any] = hide_all(row, Secrets(run.prompt.pack, run.prompt.context))
    return hidden


def _write_round(done: Round) -> dict[str, Any]:
    return {
        "model": done.completion.model or done.request.model,
        "completion": _write_completion(done.completion),
        "verdict": None if done.verdict is None else done.verdict.to_dict(),
        "answers": [message.to_dict() for message in done.answers],
    }


def _write_completion(completion: Completion) -> dict[str, Any]:
    return {
        "text": completion.text,
        "tool_calls": [call.to_dict() for call in completion.tool_calls],
        "finish_reason": completion.finish_reason,
        "usage": _write_usage(completion.usage),
    }


def _write_usage(usage: Usage) -> dict[str, int]:
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cached_tokens": usage.cached_tokens,
    }
