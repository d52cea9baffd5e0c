"""The options of an evaluation, and the plan that they describe."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import cycle
from typing import Any

import click

from promptpack.cli import options
from promptpack.cli.model_options import StepProviders, read_params, read_replies
from promptpack.cli.options import Command
from promptpack.cycle import Backoff, CycleSettings, ScriptedProvider
from promptpack.evaluation import EvaluatedPack, EvaluationPlan, JudgePack, check_cases, read_cases, read_prices
from promptpack.library import Library
from promptpack.pack.model import Pack
from promptpack.problem import Problem, UsageError

_SCRIPTED = "scripted"
PATIENT = Backoff(longest=120.0)
"""The backoff of work that is not urgent: it waits as long as most servers ask for."""
_MORE_THAN_0 = options.FiniteRange(0, min_open=True)
# More repetitions of a case add little information; more cases add more.
_MAX_REPETITIONS = 1_000


_FILE = click.Path(exists=True, dir_okay=False)
_OPTIONS: tuple[tuple[tuple[str, ...], str, dict[str, Any]], ...] = (
    (
        ("--cases",),
        "A .jsonl or .csv file, or 'tests' for the pack's own tests.",
        {"required": True, "metavar": "FILE"},
    ),
    (("--repeat",), "How often each case is asked.", {"default": 1, "type": click.IntRange(1, _MAX_REPETITIONS)}),
    (
        ("--param", "params"),
        "A parameter of the request, such as temperature=0; repeatable.",
        {"multiple": True, "metavar": "NAME=VALUE"},
    ),
    (
        ("--rule", "rules"),
        "A Jinja expression over 'reply' and the inputs that must be true; repeatable.",
        {"multiple": True, "metavar": "EXPRESSION"},
    ),
    (("--judge", "judge_pack"), "A pack that reads each reply and decides whether it passes.", {"metavar": "PACK"}),
    (("--judge-input",), "The judge's input that gets the reply.", {"default": "REVIEWED_OUTPUT"}),
    (("--judge-path",), "Where the judge's reply has the grade.", {"default": "/params/approved"}),
    (("--judge-score",), "The lowest number at --judge-path that passes.", {"type": options.FiniteRange()}),
    (("--judge-model",), "The model of the judge.  [default: --model]", {}),
    (
        ("--margin",),
        "The smallest difference that matters, in percentage points.",
        {"default": 5.0, "type": _MORE_THAN_0},
    ),
    (("--seed",), "The seed of the bootstrap.", {"default": 0}),
    (("--concurrency",), "How many conversations run at a time.", {"default": 4, "type": click.IntRange(1, 256)}),
    (("--requests-per-minute",), "The maximum number of requests per minute.", {"type": _MORE_THAN_0}),
    (("--tokens-per-minute",), "The maximum number of tokens per minute.", {"type": _MORE_THAN_0}),
    (("--retries",), "The maximum number of retries of a request after temporary failures.", {"default": 5}),
    (
        ("--timeout",),
        "How long the server may be silent, in seconds.",
        {"default": 120.0, "type": options.FiniteRange()},
    ),
    (("--prices", "prices_file"), "A YAML file with the prices of models.", {"type": _FILE}),
    (("--max-cost",), "Stop before the cost exceeds this; needs --prices.", {"type": _MORE_THAN_0}),
)


def evaluation_options(command: Command) -> Command:
    """Add the options for cases, graders, limits and prices."""
    for names, text, settings in reversed(_OPTIONS):
        command = click.option(*names, help=text, show_default="default" in settings, **settings)(command)
    return command


def read_plan(
    packs: tuple[str, ...],
    folders: tuple[str, ...],
    locale: str | None,
    key: str | None,
    cases: str,
    params: tuple[str, ...],
    rounds: int,
    retries: int,
    timeout: float,
    prices_file: str | None,
    max_cost: float | None,
    margin: float,
    **others: Any,
) -> EvaluationPlan:
    """Open the packs, the model, the cases and the prices; raise every problem before anything is sent."""
    if len(packs) > 2:
        raise UsageError(Problem("PP975", f"cannot compare {len(packs)} versions", None, "pass one pack or two"))
    if max_cost is not None and prices_file is None:
        raise UsageError(Problem("PP975", "--max-cost needs prices", None, "add --prices FILE"))
    library = options.open_library(folders)
    chosen = [library.get(name, locale, key=key).for_model(others["model"] or "") for name in packs]
    if len({pack.digest for pack in chosen}) < len(chosen):
        raise UsageError(Problem("PP975", f"both packs are {chosen[0].label}", None, "pass two different versions"))
    read = read_cases(cases, chosen[0])
    check_cases(read, chosen)
    settings = CycleSettings(
        others["model"] or "",
        params=read_params(params),
        rounds=rounds,
        retries=retries,
        backoff=PATIENT,
        timeout=timeout,
    )
    models = SubjectProviders(
        others["kind"], others["model"], others["base_url"], others["api_key"], others["replies_file"]
    )
    subjects = tuple(models.subject(pack, settings) for pack in chosen)
    judge = _read_judge(library, models, settings, locale, others)
    if judge:
        judge.check(read)
    plan = EvaluationPlan(
        subjects,
        read,
        others["repeat"],
        others["rules"],
        judge,
        read_prices(prices_file) if prices_file else None,
        max_cost,
        1 if others["kind"] == _SCRIPTED else others["concurrency"],
        others["requests_per_minute"],
        others["tokens_per_minute"],
        margin / 100,
        others["seed"],
    )
    for subject in (*subjects, judge.subject) if judge else subjects:
        plan.price(subject)
    for subject in subjects:
        plan.graders(subject)
    return plan


class SubjectProviders:
    """The provider of each pack: one for all, or a script of replies that starts again at its end."""

    def __init__(
        self, kind: str, model: str | None, base_url: str | None, api_key: str | None, replies_file: str | None
    ) -> None:
        self._script: Mapping[str, Any] = read_replies(replies_file) if replies_file else {}
        self._service = kind if base_url is None else f"{kind} {base_url}"
        self._real = None if kind == _SCRIPTED else StepProviders({}, kind, model, base_url, api_key)

    def subject(self, pack: Pack, settings: CycleSettings) -> EvaluatedPack:
        """Return a pack with its provider."""
        if self._real is not None:
            return EvaluatedPack(pack, self._real.provider_for(pack.name), settings, self._service)
        replies = self._script.get(pack.label, self._script.get(pack.name)) or _example_of(pack)
        if not replies:
            hint = "add it to --replies FILE, or use a real model: --provider openai --model NAME"
            raise UsageError(Problem("PP908", f"the scripted model has no reply for {pack.name!r}", None, hint))
        digest = hashlib.sha256(json.dumps(replies, default=str).encode()).hexdigest()[:12]
        return EvaluatedPack(pack, _script_of(replies), settings, f"{_SCRIPTED} {digest}")


def _script_of(replies: list[Any]) -> ScriptedProvider:
    """Return a provider that repeats its replies; corrections get the next one too."""
    endless: Iterator[Any] = cycle(replies)
    return ScriptedProvider(lambda _: next(endless))


def _example_of(pack: Pack) -> list[Any]:
    actions = pack.contract.actions.values() if pack.contract else ()
    example = next((action.example for action in actions if action.example), None)
    return [dict(example)] if example else []


def _read_judge(
    library: Library, models: SubjectProviders, settings: CycleSettings, locale: str | None, given: Mapping[str, Any]
) -> JudgePack | None:
    if given["judge_pack"] is None:
        return None
    model = given["judge_model"] or settings.model
    pack = library.get(given["judge_pack"], locale).for_model(model)
    subject = models.subject(pack, replace(settings, model=model))
    return JudgePack(subject, given["judge_input"], given["judge_path"], given["judge_score"])
