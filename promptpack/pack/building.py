"""`Document` -> `Pack`: schema check, `extends`, partials, references, templates, contract, digest; then frozen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from promptpack import schema
from promptpack.pack.checking import in_order
from promptpack.pack.link import Linker
from promptpack.pack.model import STANDARD_CONTEXT, Input, Pack, PackTest
from promptpack.pack.references import References
from promptpack.pack.sections import merge, read_sections
from promptpack.pack.terms import build_contract
from promptpack.pack.version import parse_version
from promptpack.problem import PackError, Problem, did_you_mean
from promptpack.template import Limits
from promptpack.template.render_cache import PackCache, RenderCache

if TYPE_CHECKING:
    from promptpack.document import Document
    from promptpack.files import Folder
    from promptpack.pack.contract import Contract
    from promptpack.pack.link import FolderPartials
    from promptpack.pack.model import MessageTemplate
    from promptpack.pack.placed import Placed
    from promptpack.pack.sections import Sections
    from promptpack.template import Source

    Parents = Callable[[str, str], Sections]
    """(what `extends` says, locale) -> the sections of that pack; raises `PackError` or `UsageError`."""


@dataclass(frozen=True)
class BuildContext:
    """What a pack file is built among: its folder, the partials of its folder, and the packs it may extend."""

    folder: Folder
    file: str
    partials: FolderPartials
    parents: Parents
    limits: Limits = field(default_factory=Limits)
    render_cache: RenderCache = field(default_factory=RenderCache)


def gather(document: Document, around: BuildContext) -> Sections:
    """Follow `extends` and merge; the document has passed the schema check."""
    own = read_sections(document)
    if "extends" not in document.data:
        return own
    return merge(around.parents(document.data["extends"], document.data.get("locale", "")), own)


@dataclass(frozen=True)
class Sketch:
    """What could be made of a document, and every problem of it: for those who look at packs that may be broken."""

    sections: Sections
    inputs: Mapping[str, Input]
    messages: tuple[MessageTemplate, ...]
    slots: Mapping[str, Any]
    contract: Contract | None
    linker: Linker
    references: References
    problems: tuple[Problem, ...]


def build(document: Document, around: BuildContext) -> Pack:
    """Build a pack from a document that passed the schema check; raises every problem at once."""
    return freeze(sketch(document, around), around.limits, around.render_cache)


def sketch(document: Document, around: BuildContext) -> Sketch:
    """Link and compile what can be; raises only when `extends` cannot be followed."""
    sections = gather(document, around)
    references = References(around.folder, around.file)
    problems: list[Problem] = []
    inputs = {name: _input(name, placed, references, problems) for name, placed in sections.inputs.items()}
    linker = Linker(inputs, around.partials.of(sections))
    messages = tuple(linker.message(placed, _syntax_of(placed)) for placed in sections.messages)
    slots, output = _slots(sections, linker)
    contract = build_contract(sections, linker, references, output)
    problems += linker.problems
    problems += (problem for placed in sections.tests for problem in _unknown_inputs(placed, inputs))
    if not (messages or slots or sections.abstract):
        hint = "add 'messages', or 'abstract: true' for a pack that is only extended"
        problems.append(Problem("PP203", "'messages' is missing", document.locate(), hint))
    told = tuple(in_order(dict.fromkeys(problems)))
    return Sketch(
        sections, MappingProxyType(inputs), messages, MappingProxyType(slots), contract, linker, references, told
    )


def _slots(sections: Sections, linker: Linker) -> tuple[dict[str, Any], Any]:
    """Link the slots, and give the output that they ask for where it is a contract."""
    if not sections.slots:
        return {}, None
    from promptpack.pack.slots import asked_output, link_slots

    slots = link_slots(sections, linker)
    return slots, asked_output(slots)


def freeze(sketched: Sketch, limits: Limits, render_cache: RenderCache | None = None) -> Pack:
    """Make a pack of a sketch; raises every problem of it at once."""
    if sketched.problems:
        raise PackError(sketched.problems)
    sections, contract = sketched.sections, sketched.contract
    data: Mapping[str, Any] = sections.document.data
    version = parse_version(data["version"])
    assert version is not None  # noqa: S101 -- the schema has checked its form
    pack = Pack(
        name=data["name"],
        version=version,
        path=sections.document.path,
        agent=sections.agent,
        description=data.get("description", ""),
        locale=data.get("locale", ""),
        syntax=sections.syntax,
        abstract=sections.abstract,
        inputs=sketched.inputs,
        messages=sketched.messages,
        slots=sketched.slots,
        budget=MappingProxyType(sections.budget.value if sections.budget else {}),
        contract=contract,
        tests=tuple(_test(placed) for placed in sections.tests),
        limits=limits,
        data=MappingProxyType(data),
        _hash=partial(_digest, sections, sketched.inputs, sketched.linker, contract),
        _render_cache=PackCache(render_cache),
    )
    if contract is not None:
        # The two know each other, and the contract comes first; nobody has seen it yet.
        object.__setattr__(contract, "pack", pack)
    return pack


def _syntax_of(placed: Placed) -> Any:
    return placed.document.data.get("syntax", "jinja")


def _input(name: str, placed: Placed, references: References, problems: list[Problem]) -> Input:
    declared: Mapping[str, Any] = placed.value
    bundled: dict[str, Any] = {}
    try:
        bundled = references.bundle(placed)
    except PackError as error:
        problems += error.problems
    bare = {key: value for key, value in bundled.items() if key not in ("trust", "secret")}
    if "default" in bare:
        problems += _default_problems(name, placed, bare)
    return Input(
        name,
        MappingProxyType(bare),
        placed.locate_key,
        description=declared.get("description", ""),
        trusted=declared.get("trust", "trusted") == "trusted",
        secret=declared.get("secret", False),
    )


def _default_problems(name: str, placed: Placed, declared: Mapping[str, Any]) -> list[Problem]:
    return [
        placed.child("default").problem("PP207", f"default of {name!r}: {finding.message}", finding.hint)
        for finding in schema.compile(declared).check(declared["default"])
    ]


def _test(placed: Placed) -> PackTest:
    value: Mapping[str, Any] = placed.value
    return PackTest(
        value["name"],
        MappingProxyType(value.get("context", {})),
        MappingProxyType(value.get("expect", {})),
        placed.locate,
        value.get("reply"),
        value.get("verdict"),
    )


def _unknown_inputs(test: Placed, inputs: Mapping[str, Input]) -> Iterator[Problem]:
    """Find misspelt inputs in a test's context, unless the test is about just that."""
    value: Mapping[str, Any] = test.value
    if "PP414" in value.get("expect", {}).get("problems", ()):
        return
    for name in value.get("context", {}):
        if name not in inputs and name not in STANDARD_CONTEXT:
            hint = did_you_mean(name, inputs) or f"its inputs are {', '.join(inputs) or 'none'}"
            yield Problem("PP208", f"the pack has no input {name!r}", test.locate_key("context", name), hint)


def _digest(sections: Sections, inputs: Mapping[str, Input], linker: Linker, contract: Contract | None) -> str:
    from promptpack.pack.digest import digest

    data: Mapping[str, Any] = sections.document.data
    own = {key: data.get(key) for key in ("promptpack", "name", "version", "locale")}
    resolved = {
        **own,
        "agent": sections.agent,
        "syntax": sections.syntax,
        "inputs": {
            name: [dict(declared.schema), declared.trusted, declared.secret] for name, declared in inputs.items()
        },
        "partials": {name: _written(linker.partials[name]) for name in sorted(linker.used_partials)},
        "messages": [[placed.value, _syntax_of(placed)] for placed in sections.messages],
        "slots": [[name, placed.value, _syntax_of(placed)] for name, placed in sections.slots.items()],
        "budget": sections.budget.value if sections.budget else None,
        "contract": contract.shape() if contract else None,
        "reply": {name: placed.value for name, placed in sections.reply.items()},
        "actions": [[name, placed.value] for name, placed in sections.actions.items()],
        "rules": [placed.value for placed in sections.rules.values()],
    }
    return digest(resolved)


def _written(partial: Source) -> list[str]:
    return [partial.text, partial.syntax]
