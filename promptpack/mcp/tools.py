"""The tools, for clients without prompts; each has the schemas of its arguments and its result."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from mcp.types import Tool, ToolAnnotations
from pydantic import TypeAdapter

from promptpack import files, schema
from promptpack.linter.lint_paths import lint
from promptpack.mcp.prompts import title_of
from promptpack.mcp.served_packs import ServedPacks
from promptpack.mcp.tool_results import FoundProblem, LintedPacks, PackFacts, PackList, RenderedPrompt
from promptpack.pack.model import Pack
from promptpack.problem import Location, Problem, UsageError, did_you_mean
from promptpack.verdict import Verdict

Data = dict[str, Any]
ToolResult = PackList | RenderedPrompt | Verdict | LintedPacks
_ARGUMENTS: Final[Mapping[str, Data]] = {
    "pack": {"type": "string", "description": "The name of a pack, or name@range such as planner@^1."},
    "locale": {"type": "string", "description": "The language, such as en; without it, the default of the pack."},
    "context": {"type": "object", "description": "The inputs by name; list_packs has their schema."},
    "reply": {"type": "string", "description": "The reply, exactly as the model sent it."},
    "finish_reason": {"type": "string", "description": "Why the model stopped, such as stop or length."},
}
_REVEALING: Final = ("default", "examples")
_READ_ONLY: Final = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)


@dataclass(frozen=True, slots=True)
class PackTool:
    """A tool: how it is described, and the function that runs it."""

    name: str
    description: str
    required: tuple[str, ...]
    optional: tuple[str, ...]
    result: type[ToolResult]
    run: Callable[[ServedPacks, Data], ToolResult]

    @property
    def input_schema(self) -> Data:
        """The schema of the arguments."""
        properties = {name: _ARGUMENTS[name] for name in (*self.required, *self.optional)}
        required = list(self.required)
        return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}

    @property
    def output_schema(self) -> Data:
        """The schema of the result."""
        if self.result is not Verdict:
            return TypeAdapter(self.result).json_schema()
        stored: Data = json.loads(files.shipped("schemas").read("verdict.schema.json"))
        return {key: value for key, value in stored.items() if key not in ("$id", "examples")}

    def to_mcp(self) -> Tool:
        """Return the tool as MCP describes it."""
        return Tool(
            name=self.name,
            title=self.name.replace("_", " ").capitalize(),
            description=self.description,
            input_schema=self.input_schema,
            output_schema=self.output_schema,
            annotations=_READ_ONLY,
        )


def find_tool(name: str) -> PackTool:
    """Return a tool by its name."""
    if name not in TOOLS:
        hint = did_you_mean(name, TOOLS) or f"the tools are {', '.join(TOOLS)}"
        raise UsageError(Problem("PP651", f"no tool named {name!r}", None, hint))
    return TOOLS[name]


def run_tool(packs: ServedPacks, tool: PackTool, arguments: Data) -> Data:
    """Run a tool and return plain data; raise all problems of its arguments together."""
    mismatches = schema.compile(tool.input_schema).check(arguments)
    if mismatches:
        raise UsageError(_to_problem(found, tool) for found in mismatches)
    result = tool.run(packs, arguments)
    if isinstance(result, Verdict):
        return result.to_dict()
    plain: Data = TypeAdapter(tool.result).dump_python(result, mode="json")
    return plain


def _to_problem(found: schema.Mismatch, tool: PackTool) -> Problem:
    name, known = str(found.path[0]), (*tool.required, *tool.optional)
    if found.keyword == "required":
        return Problem("PP651", f"argument {name!r} is missing", None, _ARGUMENTS[name]["description"])
    if name not in known:
        hint = did_you_mean(name, known) or f"its arguments are {', '.join(known)}"
        return Problem("PP651", f"{tool.name} has no argument {name!r}", None, hint)
    return Problem("PP651", f"argument {name!r}: {found.message}", None, found.hint)


def _get(packs: ServedPacks, arguments: Data) -> Pack:
    return packs.get(arguments["pack"], arguments.get("locale", ""))


def _list_packs(packs: ServedPacks, arguments: Data) -> PackList:
    if "pack" in arguments:
        return PackList([_facts(packs, _get(packs, arguments))], {})
    broken = {path: list(map(str, found)) for path, found in packs.library.problems_by_file().items()}
    return PackList([_facts(packs, pack) for pack in packs.newest()], broken)


def _facts(packs: ServedPacks, pack: Pack) -> PackFacts:
    return PackFacts(
        pack.name, title_of(pack), pack.description, str(pack.version), pack.digest, pack.locale,
        packs.versions(pack.name), packs.locales(pack), _context_schema(pack),
        list(pack.contract.actions) if pack.contract else [],
    )  # fmt: skip


def _context_schema(pack: Pack) -> Data:
    """Return the schema of the context; that of a secret input has no default and no examples."""
    whole = pack._context_schema.source
    inputs = {
        name: {key: value for key, value in one.items() if key not in _REVEALING}
        if pack.inputs[name].secret else one
        for name, one in whole["$defs"].items()
    }  # fmt: skip
    return {**whole, "$defs": inputs}


def _render(packs: ServedPacks, arguments: Data) -> RenderedPrompt:
    pack = _get(packs, arguments)
    prompt = pack.render(arguments.get("context"))
    warnings = list(map(str, prompt.warnings))
    return RenderedPrompt(pack.name, prompt.version, prompt.digest, pack.locale, prompt.to_dicts(), warnings)


def _check_reply(packs: ServedPacks, arguments: Data) -> Verdict:
    finish_reason = arguments.get("finish_reason") or None
    return _get(packs, arguments).check(arguments["reply"], arguments.get("context"), finish_reason=finish_reason)


def _lint(packs: ServedPacks, arguments: Data) -> LintedPacks:
    report = lint(packs.folders)
    found, linted = list(report.problems), list(report.files)
    if "pack" in arguments:
        paths = packs.paths(arguments["pack"])
        linted = [path for path in linted if path in paths]
        found = [problem for problem in found if problem.location and problem.location.path in paths]
    is_ok = all(problem.severity == "note" for problem in found)
    return LintedPacks(is_ok, linted, list(map(_describe, found)))


def _describe(found: Problem) -> FoundProblem:
    place = found.location or Location("")
    return FoundProblem(
        found.code, found.severity, found.message, found.hint, place.path, place.line, place.column
    )  # fmt: skip


TOOLS: Final = {
    tool.name: tool
    for tool in (
        PackTool(
            "list_packs",
            "List the prompt packs: versions, locales, the schema of the context, actions, and broken files.",
            (), ("pack", "locale"), PackList, _list_packs,
        ),
        PackTool(
            "render",
            "Render the messages of a pack, ready to send to a model.",
            ("pack",), ("context", "locale"), RenderedPrompt, _render,
        ),
        PackTool(
            "check_reply",
            "Check a model's reply against the contract of a pack. The verdict has the output, or the violations and a "
            "correction to send to the model. With the context, rules and tools that depend on it are checked too.",
            ("pack", "reply"), ("context", "locale", "finish_reason"), Verdict, _check_reply,
        ),
        PackTool(
            "lint",
            "Find problems in the served pack files, or only in those of one pack.",
            (), ("pack",), LintedPacks, _lint,
        ),
    )
}  # fmt: skip
