"""Packs as MCP prompts: their list, their messages, and completion of their arguments."""

from collections.abc import Mapping
from typing import Final

from mcp.types import Completion, GetPromptResult, Prompt, PromptArgument

from promptpack.mcp.arguments import LOCALE, decode, describe, suggest
from promptpack.mcp.prompt_messages import fold
from promptpack.mcp.served_packs import ServedPacks
from promptpack.pack.model import Pack
from promptpack.problem import Problem, UsageError, did_you_mean

_MAX_COMPLETIONS: Final = 100


def list_prompts(packs: ServedPacks) -> list[Prompt]:
    """Return one prompt for each pack that can be rendered: its newest release."""
    return [_describe(pack, packs.locales(pack)) for pack in packs.newest()]


def get_prompt(packs: ServedPacks, name: str, arguments: Mapping[str, str]) -> GetPromptResult:
    """Render a pack; the argument `locale` chooses its language, unless the pack has an input of this name."""
    pack, others = _choose(packs, name, arguments)
    prompt = pack.render(decode(pack, others))
    return GetPromptResult(description=pack.description, messages=fold(prompt.messages), _meta=meta_of(pack))


def complete(packs: ServedPacks, name: str, argument: str, value: str, known: Mapping[str, str]) -> Completion:
    """Return the words for an argument that start with `value`; `known` has the arguments that are already given."""
    pack, _ = _choose(packs, name, {key: text for key, text in known.items() if key != argument})
    if argument in pack.inputs:
        words = suggest(pack.inputs[argument])
    elif argument == LOCALE:
        words = packs.locales(pack)
    else:
        hint = did_you_mean(argument, pack.inputs) or f"its inputs are {', '.join(pack.inputs) or 'none'}"
        raise UsageError(Problem("PP414", f"{pack.label} has no input {argument!r}", None, hint))
    found = [word for word in words if word.lower().startswith(value.lower())]
    return Completion(values=found[:_MAX_COMPLETIONS], total=len(found), has_more=len(found) > _MAX_COMPLETIONS)


def title_of(pack: Pack) -> str:
    """Return the name of a pack as words."""
    return pack.name.replace("-", " ").replace("_", " ").capitalize()


def meta_of(pack: Pack) -> dict[str, object]:
    """Return what identifies a pack, for `_meta`."""
    found = {"version": str(pack.version), "digest": pack.digest, "locale": pack.locale}
    return {f"promptpack/{key}": value for key, value in found.items() if value}


def _describe(pack: Pack, locales: list[str]) -> Prompt:
    arguments = [
        PromptArgument(
            name=declared.name,
            title=declared.schema.get("title"),
            description=describe(declared),
            required=declared.required,
        )
        for declared in pack.inputs.values()
    ]
    if len(locales) > 1 and LOCALE not in pack.inputs:
        note = f"The language of the prompt: {', '.join(locales)} (default {pack.locale})"
        arguments.append(PromptArgument(name=LOCALE, description=note, required=False))
    return Prompt(
        name=pack.name,
        title=title_of(pack),
        description=pack.description,
        arguments=arguments,
        _meta=meta_of(pack),
    )


def _choose(packs: ServedPacks, name: str, arguments: Mapping[str, str]) -> tuple[Pack, dict[str, str]]:
    pack = packs.get(name)
    others = dict(arguments)
    if LOCALE in pack.inputs or LOCALE not in others:
        return pack, others
    return packs.get(name, others.pop(LOCALE).strip()), others
