"""For your own tests: examples of valid contexts and replies, strategies for Hypothesis, and a scripted provider."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar

from promptpack.cycle import ScriptedProvider
from promptpack.pack.model import Pack
from promptpack.problem import Location, MissingExtraError, PackError, Problem, UsageError, did_you_mean
from promptpack.prompt.prompt import Prompt
from promptpack.schema.generation import Choices, FirstChoices, NoValueError, RandomChoices
from promptpack.trial.fuzz.attacks import ATTACKS
from promptpack.trial.generation import ContextGenerator, NearReply, ReplyGenerator, make_near_reply

if TYPE_CHECKING:
    from types import ModuleType

    from hypothesis.strategies import SearchStrategy

__all__ = [
    "NearReply", "ScriptedProvider", "contexts", "example_context", "example_reply", "near_replies", "replies",
]  # fmt: skip

T = TypeVar("T")
_EXTRA: Final = "install it: pip install 'promptpack-agents[testing]'"


def example_context(pack: Pack, /, **overrides: Any) -> dict[str, Any]:
    """Return a small context that the pack accepts, always the same: only the inputs that the caller must pass.

    An input of the `pack` has the first of its `examples`, or the simplest value that its schema accepts. `overrides`
    replace or add inputs; they are not checked, so that a test can build a wrong context, too.
    """
    try:
        context = ContextGenerator(pack).make_example()
    except NoValueError as error:
        _refuse(pack, "context", error)
    return {**context, **overrides}


def example_reply(
    pack: Pack, /, *, action: str | None = None, context: Mapping[str, Any] | None = None, **changes: Any
) -> Any:
    """Return a small reply that meets the contract and the rules of the `pack`, always the same.

    `action` chooses one of the actions, the first by default. `context` is the one that the reply answers; without it,
    the rules that read inputs are not considered, and no tools are known. `changes` replace or add fields of the reply;
    they are not checked, so that a test can build a wrong reply, too.
    """
    prompt = None if context is None else pack.render(context)
    generator = ReplyGenerator(pack)
    _require_action(pack, prompt, action)
    try:
        found = generator.generate(FirstChoices(), prompt, action)
    except NoValueError as error:
        _refuse(pack, "reply", error)
    reply = generator.satisfy(found, RandomChoices(0), prompt, action)
    if reply is None:
        _refuse(pack, "reply", NoValueError("its rules refuse every reply that was tried"))
    return {**reply, **changes} if isinstance(reply, dict) else reply


def contexts(pack: Pack) -> SearchStrategy[dict[str, Any]]:
    """Return a Hypothesis strategy for contexts that the `pack` accepts, many with texts that try to be more than data.

    Needs the extra `testing`.
    """
    generator = ContextGenerator(pack, ATTACKS)

    def draw_context(choices: Choices) -> dict[str, Any]:
        try:
            return generator.generate(choices)
        except NoValueError as error:
            _refuse(pack, "context", error)

    return _build_strategy(draw_context)


def replies(pack: Pack, context: Mapping[str, Any] | None = None, *, rules: bool = True) -> SearchStrategy[Any]:
    """Return a Hypothesis strategy for replies that meet the contract of the `pack`.

    `context` is the one that the replies answer, with its tools. With `rules`, the replies meet the rules of the pack,
    too; otherwise rules may refuse them. Needs the extra `testing`.
    """
    prompt = None if context is None else pack.render(context)
    generator = ReplyGenerator(pack, ATTACKS)

    def draw_reply(choices: Choices) -> Any:
        reply = _generate_reply(generator, pack, choices, prompt)
        return generator.satisfy(reply, choices, prompt) if rules else reply

    return _build_strategy(draw_reply)


def near_replies(pack: Pack, context: Mapping[str, Any] | None = None) -> SearchStrategy[NearReply]:
    """Return a Hypothesis strategy for replies one step outside the contract of the `pack`, which refuses them.

    `context` is the one that the replies answer, with its tools. Needs the extra `testing`.
    """
    prompt = None if context is None else pack.render(context)
    generator = ReplyGenerator(pack, ATTACKS)

    def draw_near(choices: Choices) -> NearReply | None:
        reply = _generate_reply(generator, pack, choices, prompt)
        return make_near_reply(generator.schema(prompt), reply, choices)

    return _build_strategy(draw_near)


def _generate_reply(generator: ReplyGenerator, pack: Pack, choices: Choices, prompt: Prompt | None) -> Any:
    try:
        return generator.generate(choices, prompt)
    except NoValueError as error:
        _refuse(pack, "reply", error)


def _build_strategy(make: Callable[[Choices], T | None]) -> SearchStrategy[T]:
    """Return a strategy whose values a function makes from choices; None is no value."""
    strategies = _import_strategies()

    def draw_one(draw: Any) -> T | None:
        return make(_DrawnChoices(draw, strategies))

    found: SearchStrategy[T] = strategies.composite(draw_one)().filter(lambda value: value is not None)
    return found


class _DrawnChoices:
    """Lets Hypothesis make all choices, so that it can shrink them."""

    def __init__(self, draw: Any, strategies: ModuleType) -> None:
        self._draw = draw
        self._integers = strategies.integers

    def integer(self, low: int, high: int) -> int:
        number: int = self._draw(self._integers(low, high))
        return number


def _import_strategies() -> ModuleType:
    try:
        from hypothesis import strategies
    except ImportError as error:
        raise MissingExtraError(Problem("PP962", "strategies need the extra 'testing'", None, _EXTRA)) from error
    return strategies


def _require_action(pack: Pack, prompt: Prompt | None, action: str | None) -> None:
    if action is None or pack.contract is None:
        return
    tools = prompt.tools.tools if prompt is not None and prompt.tools is not None else None
    names = pack.contract.action_names(tools)
    if not pack.contract.has_actions or (names is not None and action not in names):
        known = names if pack.contract.has_actions and names else ()
        hint = did_you_mean(action, known) or f"its actions are {', '.join(known) or 'none'}"
        raise UsageError(Problem("PP961", f"{pack.label} has no action {action!r}", None, hint))


def _refuse(pack: Pack, what: str, error: NoValueError) -> NoReturn:
    message = f"no valid {what} of {pack.label} can be generated: {error}"
    hint = "no value meets the schema; correct it" if error.is_proven else "pass your own value instead"
    raise PackError(Problem("PP960", message, Location(pack.path, 1, 1), hint)) from error
