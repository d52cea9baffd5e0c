"""Render a pack while someone listens: emit the start and the end, and offer the content without its secrets."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from promptpack.observation import (
    Hide,
    Observation,
    PackIdentity,
    RenderEnded,
    RenderStarted,
    current_run,
    make_hider,
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
        hide = make_hider()
        content = partial(_content, prompt, hide)
        seen.end = replace(seen.end, messages=len(prompt.messages), content=content)
    return prompt


def remember_prompt(prompt: Prompt) -> None:
    """Hide the secrets of a prompt in all later content of the current run, if there is one."""
    if current_run() is None:
        return
    secrets = Secrets(prompt.pack, prompt.context)
    if secrets.key:
        remember_secrets(secrets.key, secrets.hide_data)


def enter_prompt(prompt: Prompt) -> None:
    """Make this the prompt of the current run."""
    remember_prompt(prompt)
    run = current_run()
    if run is not None:
        run.prompt = partial(_origin, prompt, make_hider())


def _content(prompt: Prompt, hide: Hide) -> Mapping[str, object]:
    hide_own = Secrets(prompt.pack, prompt.context).hide_data
    return {"messages": hide(hide_own(prompt.to_dicts())), **_origin(prompt, hide)}


def _origin(prompt: Prompt, hide: Hide) -> Mapping[str, object]:
    """Return the templates and the values that the prompt was made from."""
    inputs = prompt.pack.inputs
    hide_own = Secrets(prompt.pack, prompt.context).hide_data
    return {
        "template": [
            {"role": message.role, "content": message.content.source.text}
            for message in prompt.pack.messages
            if isinstance(message.content, Template)
        ],
        "variables": {
            name: HIDDEN if name in inputs and inputs[name].secret else hide(hide_own(value))
            for name, value in prompt.context.items()
        },
    }
