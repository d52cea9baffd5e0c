"""A run of an agent as plain data, which JSON can store: its prompt, its rounds and its verdict, without secrets."""

from typing import Any, Final

from promptpack.cycle.agent import AgentRun
from promptpack.cycle.provider import Completion, Usage
from promptpack.cycle.transcript import Round
from promptpack.prompt.secrets import Secrets
from promptpack.prompt.stored_prompt import hide_all, write_prompt
from promptpack.verdict import Verdict

_SAID: Final = ("data", "output", "readings", "value", "before", "after")


def write_run(run: AgentRun) -> dict[str, Any]:
    """Return a run as plain data; secrets of the context are hidden in every text."""
    transcript, secrets = run.transcript, Secrets(run.prompt.pack, run.prompt.context)
    return {
        "prompt": write_prompt(run.prompt),
        "verdict": write_verdict(run.verdict, secrets),
        "stop": transcript.stop,
        "usage": _write_usage(transcript.usage),
        "rounds": [_write_round(done, secrets) for done in transcript.rounds],
    }


def _write_round(done: Round, secrets: Secrets) -> dict[str, Any]:
    return {
        "model": done.completion.model or done.request.model,
        "completion": hide_all(_write_completion(done.completion), secrets),
        "verdict": None if done.verdict is None else write_verdict(done.verdict, secrets),
        "answers": hide_all([message.to_dict() for message in done.answers], secrets),
    }


def write_verdict(verdict: Verdict, secrets: Secrets) -> dict[str, Any]:
    """Return a verdict without secrets; in the reply of the model, numbers may be secret too."""
    row: dict[str, Any] = hide_all(verdict.to_dict(), secrets)
    attempt = row["attempt"] or {}
    for said in (row, attempt, *row["repairs"], *attempt.get("repairs", ())):
        said |= {key: secrets.hide_data(said[key]) for key in _SAID if key in said}
    return row


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
