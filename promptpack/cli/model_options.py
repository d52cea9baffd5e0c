"""The options that choose a model: a provider, or a script of replies."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import click

from promptpack import document
from promptpack.cli.options import Command, read_mapping
from promptpack.cycle import CycleSettings, Provider, ScriptedProvider, open_provider
from promptpack.problem import Problem, UsageError, did_you_mean

_KINDS = ("scripted", "openai", "anthropic")
_REAL_MODEL = "use a real model: --provider openai --model NAME"


def model_options(command: Command) -> Command:
    """Add `--provider`, `--model`, `--base-url`, `--api-key`, `--replies` and `--rounds`."""
    for option in reversed(
        (
            click.option("--provider", "kind", default="scripted", show_default=True, type=click.Choice(_KINDS)),
            click.option("--model", help="The model to ask."),
            click.option("--base-url", help="The address of the provider's server."),
            click.option("--api-key", help="The API key.  [default: $OPENAI_API_KEY or its equivalent]"),
            click.option(
                "--replies", "replies_file", type=click.Path(exists=True, dir_okay=False),
                help="A YAML file with replies for the scripted provider, by the name of the step or pack.",
            ),
            click.option("--rounds", default=3, show_default=True, help="The maximum number of replies per agent."),
        )
    ):  # fmt: skip
        command = option(command)
    return command


class StepProviders:
    """The provider of each step: one for all, or a script for each."""

    def __init__(
        self, script: Mapping[str, Any], kind: str, model: str | None, base_url: str | None, api_key: str | None
    ) -> None:
        self._script = script
        self._scripted: dict[str, Provider] = {}
        self._real: Provider | None = None
        if kind != "scripted":
            if not model:
                raise UsageError(Problem("PP906", f"--provider {kind} needs a model", None, "add --model NAME"))
            self._real = open_provider(kind, model, base_url, api_key)

    def provider_for(self, name: str) -> Provider:
        """Return the provider of a step; a script continues where its last visit ended."""
        if self._real is not None:
            return self._real
        if name not in self._script:
            hint = did_you_mean(name, self._script) or f"add it to --replies FILE, or {_REAL_MODEL}"
            raise UsageError(Problem("PP908", f"the scripted model has no reply for {name!r}", None, hint))
        return self._scripted.setdefault(name, ScriptedProvider(self._script[name]))

    def settings_for(self, name: str, settings: CycleSettings) -> CycleSettings:
        """Return the settings for the next visit of a step; a script limits the rounds to its remaining replies."""
        provider = self.provider_for(name)
        if not isinstance(provider, ScriptedProvider):
            return settings
        left = len(self._script[name]) - len(provider.requests)
        if left < 1:
            hint = f"add one to --replies FILE, or {_REAL_MODEL}"
            raise UsageError(Problem("PP908", f"the scripted model has no more replies for {name!r}", None, hint))
        return replace(settings, rounds=min(settings.rounds, left))


def read_replies(file: str) -> Mapping[str, Any]:
    """Read the replies of a script: for each step or pack, a reply or a list of them."""
    found = read_mapping(file)
    return {name: replies if isinstance(replies, list) else [replies] for name, replies in found.items()}


def cycle_settings(model: str | None, rounds: int) -> CycleSettings:
    """Return the settings for a command."""
    return CycleSettings(model=model or "", rounds=rounds)


def read_params(assignments: tuple[str, ...]) -> dict[str, Any]:
    """Read parameters of a request, given as NAME=VALUE with a value in YAML."""
    params = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not equals or not name:
            raise UsageError(Problem("PP901", f"invalid assignment {assignment!r}", None, "write NAME=VALUE"))
        params[name] = document.parse(value, f"--param {name}").data
    return params
