"""`Document` -> `Pack`: follow `extends`, bundle schemas, compile templates, build the contract; then freeze."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from promptpack import schema
from promptpack.cache import Cache
from promptpack.document import Document
from promptpack.files import Folder
from promptpack.pack.contract import ERROR_ACTIONS, Contract
from promptpack.pack.contract_building import build_contract
from promptpack.pack.model import Input, MessageTemplate, Pack, PackTest
from promptpack.pack.pack_compiler import BUILT_IN_NAMES, FolderPartials, PackCompiler
from promptpack.pack.pack_schema import check_size, sort_problems
from promptpack.pack.placed import Placed
from promptpack.pack.schema_references import References
from promptpack.pack.sections import Sections, merge, read_sections, read_tests
from promptpack.pack.version import parse_version
from promptpack.problem import PackError, Problem
from promptpack.template.model import DEFAULT_INDENT, Limits
from promptpack.template.render_cache import PackCache, RenderCache

if TYPE_CHECKING:
    from promptpack.pack.model_overlay import ModelOverlay

Parents = Callable[[str, str], Sections]
"""(value of `extends`, locale) -> the sections of that pack; raises `PackError` or `UsageError`."""


_ONE_LINE = "one-line"
TESTS = (".tests.yaml", ".tests.yml")
"""How the names of files with more tests of a pack end."""
_RESERVED = (*BUILT_IN_NAMES, "reply")


class BuildContext(NamedTuple):
    """Everything needed to build a pack file: its folder, the shared partials, and the packs it may extend."""

    folder: Folder
    file: str
    partials: FolderPartials
    parents: Parents
    limits: Limits = Limits()
    render_cache: RenderCache | None = None
    store: Callable[[Pack], Any] | None = None
    """Returns a pack as texts, for pickling."""
    is_clean: bool = False
    """Whether the cache knows that the file builds without problems, so that its tests are not checked again."""
    cache: Cache = Cache()


def resolve_sections(document: Document, build_context: BuildContext) -> Sections:
    """Return the sections of a valid document, merged with those of the packs it extends."""
    data: Mapping[str, Any] = document.data
    parent = build_context.parents(data["extends"], data.get("locale", "")) if "extends" in data else Sections(document)
    sections = merge(parent, read_sections(document))
    placed = (*sections.messages, *sections.slots.values(), *sections.rules.values(), *sections.models.values())
    partials = (partial.value for partial, _ in sections.partials.values())
    texts = (*(one.value for one in placed), *partials)
    check_size(document, sections.inputs, sections.actions, sections.models, texts)
    return sections


class CompiledSections(NamedTuple):
    """The sections of a pack, compiled as far as possible, and all problems; for checks of packs that may be broken."""

    sections: Sections
    inputs: Mapping[str, Input]
    messages: tuple[MessageTemplate, ...]
    slots: Mapping[str, Any]
    models: tuple[ModelOverlay, ...]
    contract: Contract | None
    compiler: PackCompiler
    references: References
    problems: tuple[Problem, ...]


def build(document: Document, build_context: BuildContext) -> Pack:
    """Build a pack from a valid document; raise all its problems together."""
    return _create_pack(compile_sections(document, build_context), build_context)


def compile_sections(document: Document, build_context: BuildContext) -> CompiledSections:
    """Compile a valid document as far as possible; raise only for `extends` and for too many entries."""
    sections = _add_tests(resolve_sections(document, build_context), build_context)
    references = References(build_context.folder, build_context.file)
    problems = list(sections.problems)
    problems += (_reserved(name, placed) for name, placed in sections.inputs.items() if name in _RESERVED)
    inputs = {name: _build_input(name, placed, references, problems) for name, placed in sections.inputs.items()}
    compiler = PackCompiler(inputs, build_context.partials.for_pack(sections), partial(_find_words, sections))
    messages = tuple(
        compiler.compile_message(placed, _syntax_of(placed), is_inherited=placed.document is not document)
        for placed in sections.messages
    )
    slots, output = _compile_slots(sections, compiler)
    models = _compile_models(sections, compiler)
    contract = build_contract(sections, compiler, references, output)
    problems += _find_idle_strictness(sections, contract)
    sections, broken = _prepare_tests(sections, compiler, messages, build_context)
    problems += compiler.problems
    problems += broken
    if not (messages or slots or sections.abstract):
        hint = "add 'messages' or 'slots', or 'abstract: true' if other packs extend this one"
        problems.append(Problem("PP203", "'messages' is missing", document.locate(), hint))
    ordered = tuple(sort_problems(dict.fromkeys(problems)))
    return CompiledSections(
        sections, MappingProxyType(inputs), messages, MappingProxyType(slots), models, contract, compiler, references,
        ordered,
    )  # fmt: skip


def _add_tests(sections: Sections, build_context: BuildContext) -> Sections:
    """Add the tests of the file next to a pack, `<version>.tests.yaml`; a variant with only texts inherits them."""
    folder, packs = build_context.folder, [build_context.file]
    if default := sections.document.default_path:
        packs.insert(0, folder.to_relative(default) or build_context.file)
    stems = [file.removesuffix(".yaml").removesuffix(".yml") for file in packs]
    files = [f"{stem}{end}" for stem in dict.fromkeys(stems) for end in TESTS if folder.exists(f"{stem}{end}")]
    tests = [(folder.read(file), folder.show(file)) for file in files]
    return read_tests(sections, tests, build_context.cache) if tests else sections


def _prepare_tests(
    sections: Sections, compiler: PackCompiler, messages: tuple[MessageTemplate, ...], build_context: BuildContext
) -> tuple[Sections, tuple[Problem, ...]]:
    """Return the sections with the tests as they run, and the problems of the tests."""
    if not sections.tests:
        return sections, ()
    from promptpack.pack.cases import TestScope, check_tests, expand_tests

    is_clean = build_context.is_clean
    scope = TestScope(compiler.inputs, sections.contexts, build_context.folder, build_context.file, is_clean)
    tests, problems = expand_tests(sections.tests, scope)
    found = () if is_clean else check_tests(tests, compiler, messages)
    return sections._replace(tests=tests), (*problems, *found)


def _reserved(name: str, placed: Placed) -> Problem:
    message = f"an input cannot be named {name!r}: templates or rules use this name for something else"
    return placed.problem("PP219", message, "choose another name", key=True)


def _find_words(sections: Sections) -> frozenset[str]:
    """Return the actions of a pack, and the words that its schemas list; templates must quote them."""
    params = (placed.value["params"] for placed in sections.actions.values() if "params" in placed.value)
    schemas = (*(placed.value for placed in sections.inputs.values()), *params)
    listed = (node.get("enum", ()) for one in schemas for _, node in schema.iterate_schemas(one))
    return frozenset(
        (*sections.actions, *ERROR_ACTIONS, *(word for words in listed for word in words if type(word) is str))
    )


def _compile_slots(sections: Sections, compiler: PackCompiler) -> tuple[dict[str, Any], Any]:
    """Return the compiled slots, and their output if it is a contract."""
    if not sections.slots:
        return {}, None
    from promptpack.pack.slot_compiling import compile_slots, find_json_output

    slots = compile_slots(sections, compiler)
    return slots, find_json_output(slots)


def _compile_models(sections: Sections, compiler: PackCompiler) -> tuple[ModelOverlay, ...]:
    if not sections.models:
        return ()
    from promptpack.pack.model_overlay import compile_overlay

    return tuple(
        compile_overlay(glob, placed, _syntax_of(placed), compiler) for glob, placed in sections.models.items()
    )


def _find_idle_strictness(sections: Sections, contract: Contract | None) -> Iterator[Problem]:
    if contract is None and not sections.abstract:
        for glob, placed in sections.models.items():
            if placed.value.get("strict"):
                message = f"'strict' for {glob!r} needs a reply contract, and the pack has none"
                yield placed.child("strict").problem("PP240", message, "add 'reply:' to the pack, or remove 'strict'")


def _create_pack(compiled: CompiledSections, build_context: BuildContext) -> Pack:
    if compiled.problems:
        raise PackError(compiled.problems)
    sections, contract = compiled.sections, compiled.contract
    data: Mapping[str, Any] = sections.document.data
    version = parse_version(data["version"])
    assert version is not None  # noqa: S101 -- the schema has validated it
    pack = Pack(
        name=data["name"],
        version=version,
        path=sections.document.path,
        agent=sections.agent,
        description=data.get("description", ""),
        locale=data.get("locale", ""),
        syntax=sections.syntax,
        json_indent=None if sections.json == _ONE_LINE else DEFAULT_INDENT,
        abstract=sections.abstract,
        inputs=compiled.inputs,
        messages=compiled.messages,
        slots=compiled.slots,
        budget=MappingProxyType(sections.budget.value if sections.budget else {}),
        models=compiled.models,
        contract=contract,
        tests=tuple(_read_test(placed) for placed in sections.tests),
        limits=build_context.limits,
        data=MappingProxyType(data),
        _hash=partial(_digest, compiled),
        _compiled=compiled,
        _render_cache=PackCache(build_context.render_cache),
        _store=build_context.store,
        _folder=build_context.folder,
    )
    if contract is not None:
        # The pack and its contract refer to each other, and the contract is created first.
        object.__setattr__(contract, "pack", pack)
    return pack


def _syntax_of(placed: Placed) -> Any:
    return placed.document.data.get("syntax", "jinja")


def _build_input(name: str, placed: Placed, references: References, problems: list[Problem]) -> Input:
    declared: Mapping[str, Any] = placed.value
    bundled: dict[str, Any] = {}
    try:
        bundled = references.bundle(placed)
    except PackError as error:
        problems += error.problems
    bare = {key: value for key, value in bundled.items() if key not in ("trust", "secret")}
    if "default" in bare:
        problems += (
            placed.child("default").problem("PP207", f"default of {name!r}: {mismatch.message}", mismatch.hint)
            for mismatch in schema.compile(bare).check(bare["default"])
        )
    return Input(
        name,
        MappingProxyType(bare),
        placed.locate_key,
        description=declared.get("description", ""),
        trusted=declared.get("trust", "trusted") == "trusted",
        secret=declared.get("secret", False),
    )


def _read_test(placed: Placed) -> PackTest:
    value: Mapping[str, Any] = placed.value
    return PackTest(
        value["name"],
        MappingProxyType(value.get("context", {})),
        MappingProxyType(value.get("expect", {})),
        placed.locate,
        value.get("reply"),
        value.get("verdict"),
        value.get("model", ""),
    )


def _digest(compiled: CompiledSections) -> str:
    from promptpack.pack.digest import digest

    return digest(resolve_content(compiled))


def resolve_content(compiled: CompiledSections) -> dict[str, Any]:
    """Return everything that determines what a pack renders and how it checks replies."""
    sections, inputs, compiler, contract = compiled.sections, compiled.inputs, compiled.compiler, compiled.contract
    data: Mapping[str, Any] = sections.document.data
    own = {key: data.get(key) for key in ("promptpack", "name", "version", "locale")}
    return {
        **own,
        **({"json": sections.json} if sections.json == _ONE_LINE else {}),
        "agent": sections.agent,
        "syntax": sections.syntax,
        "inputs": {
            name: [dict(declared.schema), declared.trusted, declared.secret] for name, declared in inputs.items()
        },
        "partials": {
            name: [compiler.partials[name].text, compiler.partials[name].syntax]
            for name in sorted(compiler.used_partials)
        },
        "messages": [[placed.value, _syntax_of(placed)] for placed in sections.messages],
        "slots": [[name, placed.value, _syntax_of(placed)] for name, placed in sections.slots.items()],
        "budget": sections.budget.value if sections.budget else None,
        "contract": contract.json_schema() if contract else None,
        "reply": {name: placed.value for name, placed in sections.reply.items()},
        "actions": [[name, placed.value] for name, placed in sections.actions.items()],
        "rules": [placed.value for placed in sections.rules.values()],
        **({"models": _models(sections)} if sections.models else {}),
    }


def _models(sections: Sections) -> list[list[Any]]:
    """Return the overlays in their order, which decides which one applies."""
    return [[glob, placed.value, _syntax_of(placed)] for glob, placed in sections.models.items()]
