"""What an interpreter and an editor show of the public API: `dir`, `help`, type hints and `repr`."""

import functools
import importlib
import inspect
import pydoc
import typing
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import promptpack
import promptpack.stubs
from promptpack import Agent, Library, LlmCycle, Location, Message, Problem, StreamPart, Verdict
from promptpack.providers import Cancellation, OpenAIProvider, ScriptedProvider, SystemClock

PACKS = str(Path(__file__).parents[2] / "packs")
MODULES = ("promptpack", "promptpack.adapters", "promptpack.flow", "promptpack.providers", "promptpack.stubs")


def public() -> dict[str, Any]:
    """Return the public classes and functions by name."""
    modules = [importlib.import_module(name) for name in MODULES]
    named = {f"{module.__name__}.{name}": getattr(module, name) for module in modules for name in module.__all__}
    return {name: one for name, one in named.items() if inspect.isclass(one) or inspect.isfunction(one)}


CLASSES = {name: one for name, one in public().items() if inspect.isclass(one)}


def public_methods(owner: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield the public methods and properties of a class that this package defines."""
    for base in owner.__mro__:
        if base.__module__.partition(".")[0] != "promptpack":
            continue
        for name, member in vars(base).items():
            function = _function(member)
            if not name.startswith("_") and function is not None:
                yield name, function


def _function(member: object) -> Callable[..., Any] | None:
    if isinstance(member, property):
        return member.fget
    if isinstance(member, functools.cached_property):
        return member.func
    found = inspect.unwrap(member.__func__) if isinstance(member, staticmethod | classmethod) else member
    return found if inspect.isfunction(found) else None


def test_dir_lists_the_public_names() -> None:
    assert dir(promptpack) == sorted(promptpack.__all__)


@pytest.mark.parametrize("name", public())
def test_type_hints_can_be_read(name: str) -> None:
    one = public()[name]
    functions = list(public_methods(one)) if inspect.isclass(one) else [("", one)]
    assert isinstance(typing.get_type_hints(one), dict)
    assert [method for method, function in functions if "return" not in typing.get_type_hints(function)] == []


def test_the_methods_are_found() -> None:
    found = {name for name, _ in public_methods(promptpack.Verdict)}
    assert {"output", "ok", "to_dict", "from_dict", "raise_for_failure"} <= found
    assert {"open", "get", "digest", "entries"} <= {name for name, _ in public_methods(Library)}


@pytest.mark.parametrize("name", CLASSES)
def test_help_shows_the_class_and_its_methods(name: str) -> None:
    text = pydoc.plain(pydoc.render_doc(CLASSES[name]))
    assert (CLASSES[name].__doc__ or "no docstring").splitlines()[0] in text
    assert [method for method, _ in public_methods(CLASSES[name]) if method not in text] == []


def test_the_hints_of_a_method_name_public_classes() -> None:
    hints = typing.get_type_hints(promptpack.Prompt.check)
    assert (hints["return"], hints["strict"], hints["after"]) == (Verdict, bool, Verdict | None)


def test_reprs_are_short_and_hide_the_texts() -> None:
    library = Library.open(PACKS, cache=False)
    pack = library.get("planner", "en")
    prompt = pack.render(USER_GOAL="hush")
    contract = pack.contract
    assert contract is not None
    template = promptpack.PromptTemplate.compile("{{ b }} {{ a }} hush")
    registry = promptpack.PromptTemplateRegistry()
    registry.register("greeting", "hush")
    cancellation = Cancellation()
    cancellation.cancel()
    shown = {
        Agent(pack, ScriptedProvider([])): "Agent(planner@1.0.0, ScriptedProvider)",
        library: f"Library({PACKS}, {len(library.entries)} files)",
        LlmCycle(ScriptedProvider(["hush"])): "LlmCycle(ScriptedProvider, 0 messages)",
        pack: "Pack(planner@1.0.0)",
        prompt: "Prompt(planner@1.0.0, 2 messages)",
        template: "PromptTemplate(a, b)",
        registry: "PromptTemplateRegistry(greeting)",
        promptpack.SlotPrompt({"input": "hush"}): "SlotPrompt(1 slots)",
        promptpack.TemplateContext.from_map({"goal": "hush"}): "TemplateContext(goal)",
        prompt.stream(): "VerdictStream(planner@1.0.0)",
        ScriptedProvider(["hush"]): "ScriptedProvider(0 requests)",
        OpenAIProvider("some-model", async_client=object()): "OpenAIProvider('some-model')",
        cancellation: "Cancellation(cancelled=True)",
        SystemClock(): "SystemClock()",
    }
    assert {repr(one): one for one in shown} == {text: one for one, text in shown.items()}
    others = (
        contract,
        Location("a"),
        Problem("PP1", "m"),
        StreamPart("hush"),
        prompt.check("hush"),
        Message("user", "hush"),
    )
    assert [repr(one).partition("(")[0] for one in others] == [type(one).__name__ for one in others]
    assert not any("hush" in repr(one) for one in others)


def test_every_public_class_has_its_own_repr() -> None:
    assert [name for name, one in CLASSES.items() if one.__repr__ is object.__repr__ and not is_protocol(one)] == []


def is_protocol(one: type) -> bool:
    return getattr(one, "_is_protocol", False)


@pytest.mark.parametrize("is_stopped", [False, True])
def test_a_watch_shows_whether_it_runs(tmp_path: Path, is_stopped: bool) -> None:
    with Library.open(str(tmp_path), cache=False).watch() as watch:
        if is_stopped:
            watch.stop()
        assert repr(watch) == f"Watch(Library({tmp_path}, 0 files), {'stopped' if is_stopped else 'running'})"
