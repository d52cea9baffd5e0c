"""Render a pack while someone listens: emit the start and the end, and offer the content without its secrets."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from promptpack.observation import (
    Observation,
    PackIdentity,
    RenderEnded,
    RenderStarted,
    current_run,
    remember_secrets,
)
from promptpack.pack.model import Pack
from promptpack.prompt.prompt import Prompt
from promptpack.prompt.secrets import HIDDEN, Secrets
from promptpack.template.model import Template


def observe_render(pack: Pack, render: Callable[[], Prompt]) -> Prompt:
    """Render a pack and emit events; `render` does the work."""
    with Observation(RenderEnded(start=RenderStarted(pack=PackIdentity.of(pack)))) as seen:
        prompt = render()
        remember_prompt(prompt)
        seen.end = replace(seen.end, messages=len(prompt.messages), content=lambda: _content(prompt))
    return prompt


def remember_prompt(prompt: Prompt) -> None:
    """Hide the secrets of a prompt in all later content of the current run."""
    secrets = Secrets(prompt.pack, prompt.context)
    if secrets.key:
        remember_secrets(secrets.key, secrets.hide_data)


def enter_prompt(prompt: Prompt) -> None:
    """Make this the prompt of the current run."""
    remember_prompt(prompt)
    run = current_run()
    if run is not None:
        run.prompt = lambda: _origin(prompt, Secrets(prompt.pack, prompt.context))


def _content(prompt: Prompt) -> Mapping[str, object]:
    secrets = Secrets(prompt.pack, prompt.context)
    return {"messages": secrets.hide_data(prompt.to_dicts()), **_origin(prompt, secrets)}


def _origin(prompt: Prompt, secrets: Secrets) -> Mapping[str, object]:
    """Return the templates and the values that the prompt was made from."""
    inputs = prompt.pack.inputs
    return {
        "template": [
            {"role": message.role, "content": message.content.source.text}
            for message in prompt.pack.messages
            if isinstance(message.content, Template)
        ],
        "variables": {
            name: HIDDEN if name in inputs and inputs[name].secret else secrets.hide_data(value)
            for name, value in prompt.context.items()
        },
    }
