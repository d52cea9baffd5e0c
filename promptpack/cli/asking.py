"""Ask a model about one prompt: the one of the command line, or a script for practice."""

import json
from typing import Any

from promptpack.cli.model_options import StepProviders
from promptpack.cycle import Agent, CycleSettings, LlmCycle, Services, Transcript
from promptpack.pack.model import Pack
from promptpack.prompt.prompt import Prompt
from promptpack.trial.find_test import find_test


def practice(pack: Pack, test: str | None) -> dict[str, list[str]]:
    """Return a script with the reply of a test and, as the answer to a correction, the first example of the pack."""
    actions = pack.contract.actions.values() if pack.contract else ()
    replies: list[Any] = [find_test(pack, test).reply] if test else []
    replies.append(next((action.example for action in actions if action.example), None))
    texts = [
        one if isinstance(one, str) else json.dumps(dict(one), ensure_ascii=False, indent=2) for one in replies if one
    ]
    return {pack.name: texts} if texts else {}


def ask_model(prompt: Prompt, models: StepProviders, settings: CycleSettings, services: Services) -> Transcript:
    """Ask about a prompt, with corrections if its pack has a contract."""
    pack = prompt.pack
    provider, chosen = models.provider_for(pack.name), models.settings_for(pack.name, settings)
    if pack.contract is None:
        cycle = LlmCycle(provider, chosen.with_parameters(prompt.parameters), services)
        return cycle.submit_messages(prompt.messages)
    ran = Agent(pack, provider, chosen).run_with_transcript(
        prompt,
        clock=services.clock,
        cancellation=services.cancellation,
        on_event=services.on_event,
        on_delta=services.on_delta,
    )
    return ran.transcript
