"""Find failures with a valid context: rendering, the budget, fences around untrusted texts, the message order."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from promptpack.pack.model import Pack
from promptpack.problem import PromptpackError
from promptpack.prompt.context import check_context
from promptpack.prompt.prompt import Prompt
from promptpack.schema.pointers import ValuePath
from promptpack.template.filters import fenced
from promptpack.template.meter import metered
from promptpack.template.model import Limits
from promptpack.trial.fuzz.fences import find_fence, text_outside_fences
from promptpack.trial.fuzz.model import Breakage, BreakageKind
from promptpack.trial.generation.places import iterate_places, put

_OVER_BUDGET: Final = "PP435"
_CANARY: Final = "canaryqzx7"
# The longest texts of a context are tried as attacks.
_MAX_PROBES: Final = 3


class ContextCheck:
    """Finds failures with valid contexts of one pack."""

    def __init__(self, pack: Pack, is_valid: Callable[[Mapping[str, Any]], bool]) -> None:
        self._pack = pack
        self.is_valid = is_valid

    def find(self, context: Mapping[str, Any]) -> Breakage | None:
        """Return the first thing that a valid context breaks, or None."""
        prompt = _render(self._pack, context)
        if isinstance(prompt, Breakage):
            return prompt
        probes = _choose_probes(self._pack, context)
        return next((breakage for path, text in probes if (breakage := self._probe(context, path, text))), None)

    def _probe(self, context: Mapping[str, Any], path: ValuePath, text: str) -> Breakage | None:
        """Return a failure with an untrusted text, if there is none with a harmless word in its place."""
        plain = put(context, path, _CANARY)
        harmless = _render(self._pack, plain) if self.is_valid(plain) else None
        if harmless is None or isinstance(harmless, Breakage):
            return None
        closer = next((fence for one in harmless.messages if (fence := find_fence(one.text, _CANARY))), "")
        attacks = (put(context, path, f"{before}{closer}\n{_CANARY}") for before in (f"{text}\n", ""))
        hostile = next((one for one in attacks if self.is_valid(one)), None)
        attacked = _render(self._pack, hostile) if hostile is not None else None
        if hostile is None or attacked is None or isinstance(attacked, Breakage):
            return attacked if isinstance(attacked, Breakage) else None
        name = f"{'/'.join(map(str, path))!r}"
        if _roles(harmless) != _roles(attacked) and _when(self._pack, plain) == _when(self._pack, hostile):
            message = f"the text of {name} changes the messages from {_roles(harmless)} to {_roles(attacked)}"
            return Breakage("order", str(path[0]), message, hostile, {"roles": _roles(harmless)})
        if _is_fenced(harmless) and not _is_fenced(attacked):
            expect = {"contains": [_fence(self._pack, hostile[path[0]])]}
            return Breakage("fence", str(path[0]), f"the text of {name} escapes its fence", hostile, expect)
        return None


def _render(pack: Pack, context: Mapping[str, Any]) -> Prompt | Breakage:
    try:
        return pack.render(context)
    except PromptpackError as error:
        problem = error.problems[0]
        kind: BreakageKind = "budget" if problem.code == _OVER_BUDGET else "render"
        message = f"{problem.code} {problem.message}"
        return Breakage(kind, f"{problem.code} {problem.location}", message, context, _NO_ERROR, problem.location)
    except Exception as error:  # noqa: BLE001 -- whatever it is, a valid context must not raise it
        return Breakage("render", type(error).__name__, f"{type(error).__name__}: {error}", context, _NO_ERROR)


# Every prompt meets it; the test fails because there is none.
_NO_ERROR: Final = {"max_chars": Limits().output}


def _choose_probes(pack: Pack, context: Mapping[str, Any]) -> list[tuple[ValuePath, str]]:
    untrusted = [name for name, declared in pack.inputs.items() if not declared.trusted and name in context]
    places = (place for name in untrusted for place in iterate_places(context[name], (name,)))
    texts = [(path, text) for path, text in places if isinstance(text, str)]
    return sorted(texts, key=lambda pair: -len(pair[1]))[:_MAX_PROBES]


def _fence(pack: Pack, value: Any) -> str:
    with metered(pack.limits):
        return fenced(value)


def _is_fenced(prompt: Prompt) -> bool:
    """Return whether the canary is in the prompt, but never outside a fence."""
    texts = [message.text for message in prompt.messages]
    return any(_CANARY in text for text in texts) and not any(
        _CANARY in text_outside_fences(text) for text in texts if _CANARY in text
    )


def _roles(prompt: Prompt) -> list[str]:
    return [message.role for message in prompt.messages]


def _when(pack: Pack, context: Mapping[str, Any]) -> list[bool]:
    """Return which conditions of messages hold."""
    values = check_context(pack, context, {}).values
    scope = {"pack": pack._about, **values}
    with metered(pack.limits):
        return [bool(message.when.evaluate(scope)) for message in pack.messages if message.when is not None]
