"""Run one hostile case in this process; outcomes have the names of the vectors."""

import json
import json.scanner
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from promptpack import ContextError, Library, Pack, PackError, PromptpackError
from promptpack.document import parse
from promptpack.editor.complete import complete
from promptpack.editor.workspace import Workspace
from promptpack.linter.lint_paths import lint
from promptpack.linter.lint_settings import LintSettings
from promptpack.pack.contract import Contract
from promptpack.pack.version import Version
from promptpack.prompt.prompt import Prompt
from tests.conformance.drivers import load_pack, render_template
from tests.conformance.hostile.cases import expand, fan_out, reply_of, value_of, work
from tests.conformance.hostile.classes import CLASSES, REPLY_CLASSES

Result = dict[str, Any]
"""`outcomes`: with the names of the vectors; `text`: all output and messages; `facts`: the true facts about a prompt."""

ROLE_LINE = re.compile(r"^\[(system|developer|user|assistant|tool)(?: [^\]\n]*)?\][^\S\n]*$", re.MULTILINE)
SPECIAL = re.compile(r"<[|｜][^<>|｜\n]{1,64}[|｜]>|\[/?INST\]|<</?SYS>>|<(?:start|end)_of_turn>")


def attack(kind: str, case: Mapping[str, Any]) -> Result:
    """Run one case."""
    with TemporaryDirectory() as folder:
        return RUNS[kind](case, Path(folder))


def _yaml(case: Mapping[str, Any], folder: Path) -> Result:
    file = _write_layout(case, folder) / "1.0.0.yaml"
    file.write_bytes(Path(case["file"]).read_bytes())
    try:
        document = parse(file.read_bytes(), str(file))
    except PackError as error:
        return _refused("yaml-error", error)
    outcomes = ["value-ok", *(["value-equals"] if document.data == case.get("equal") else [])]
    outcomes += [f"warn:{CLASSES[problem.code]}" for problem in document.warnings]
    try:
        load_pack(str(file))
    except PackError as error:
        refused = _refused("yaml-error", error)
        return {"outcomes": [*outcomes, *refused["outcomes"]], "text": refused["text"], "lenient": True}
    return {"outcomes": outcomes, "text": "", "lenient": True}


def _template_pack(case: Mapping[str, Any], folder: Path) -> Result:
    content = _read_content(case)
    given = {name: expand(value) for name, value in content["context"].items()}
    pack = {
        "promptpack": 1,
        "name": "hostile",
        "version": "1.0.0",
        "inputs": {name: {} for name in given},
        "messages": [{"role": "user", "content": content["template"]}],
    }
    place = _write_layout(case, folder)
    try:
        prompt = _open(place, pack).render(given)
    except PackError as error:
        return _refused("lint-error", error)
    except ContextError as error:
        return _refused("render-error", error)
    text = prompt.messages[0].text
    # The newline that ends a message's text in a pack is not part of the message.
    return {"outcomes": ["render-ok"], "text": text, "equal": _same(text, case.get("equal"))}


def _template(case: Mapping[str, Any], folder: Path) -> Result:
    _write_layout(case, folder)
    given = {name: expand(value) for name, value in case["context"].items()}
    try:
        text = render_template(case["template"], given)
    except PackError as error:
        return _refused("lint-error", error)
    except ContextError as error:
        return _refused("render-error", error)
    return {"outcomes": ["render-ok"], "text": text, "equal": case["equal"] in (None, text)}


def _schema(case: Mapping[str, Any], folder: Path) -> Result:
    content = _read_content(case)
    pack = {
        "promptpack": 1,
        "name": "hostile",
        "version": "1.0.0",
        "inputs": {"VALUE": _deep_json(content["schema_json"])},
        "messages": [{"role": "user", "content": "{{ VALUE }}"}],
    }
    instance = _deep_json(content["instance_json"])
    try:
        built = _open(_write_layout(case, folder), pack)
    except PackError as error:
        return _refused("lint-error", error)
    try:
        return {"outcomes": ["schema-ok-fast"], "text": built.render(VALUE=instance).messages[0].text, "valid": True}
    except ContextError as error:
        refused = _refused("context-error", error)
        # A value that the schema rejects was checked; only the speed matters.
        checked = all(problem.code == "PP416" for problem in error.problems)
        return {**refused, "outcomes": ["schema-ok-fast"] if checked else refused["outcomes"], "valid": False}


def _context(case: Mapping[str, Any], folder: Path) -> Result:
    value = value_of(case)
    pack = {
        "promptpack": 1,
        "name": "hostile",
        "version": "1.0.0",
        "inputs": {"VALUE": {"trust": "untrusted"}},
        "messages": [
            {"role": "system", "content": "Rules."},
            {"role": "user", "content": "{{ VALUE }}"},
            {"role": "user", "content": "{{ VALUE | fenced }}"},
            {"role": "user", "content": "{{ VALUE | json }}"},
        ],
    }
    try:
        prompt = _open(folder, pack).render(VALUE=value)
    except ContextError as error:
        return _refused("context-error", error)
    text = "".join(message.text for message in prompt.messages)
    return {"outcomes": ["render-ok"], "text": text[:100_000], "facts": _facts(prompt, value)}


def _facts(prompt: Prompt, value: Any) -> list[str]:
    _, bare, fenced, as_json = (message.text for message in prompt.messages)
    roles = ["system", "user", "user", "user"]
    shown = ROLE_LINE.findall(prompt.to_text())
    facts = {
        "literal": bare == value and (not isinstance(value, str) or value in fenced),
        "roles_unchanged": [message.role for message in prompt.messages] == roles == shown,
        "count_unchanged": len(prompt.to_dicts()) == len(roles) == len(shown),
        "fence_intact": _is_fenced(fenced),
        "neutral_tokens": not SPECIAL.search(fenced),
        "json_roundtrip": json.loads(as_json) == value,
    }
    flags = [f"flag:{CLASSES[problem.code].removeprefix('text.')}" for problem in prompt.warnings]
    return [*(name for name, is_true in facts.items() if is_true), *flags]


def _is_fenced(text: str) -> bool:
    first, *inside, last = text.split("\n")
    closing = re.compile(rf" {{0,3}}{re.escape(first)}`*\s*\Z")
    return first == last and set(first) == {"`"} and not any(closing.match(line) for line in inside)


def _reply(case: Mapping[str, Any], folder: Path) -> Result:  # noqa: ARG001 -- one signature for all
    pack = Pack("hostile", Version(1, 0, 0), "contract.json", contract=Contract("hostile", case["contract"]))
    verdict = pack.check(reply_of(case), strict=True)
    rules = [REPLY_CLASSES.get(found.rule, "contract") for found in verdict.violations]
    outcomes = ["ok"] if verdict.ok else [f"error:{name}" for name in dict.fromkeys(rules)]
    reported = "\n".join([*(str(found) for found in verdict.violations), verdict.correction])
    right = not verdict.ok or "value" not in case or verdict.data == case["value"]
    return {"outcomes": outcomes, "text": reported[:100_000], "equal": right, "violations": len(verdict.violations)}


def _fan_out(case: Mapping[str, Any], folder: Path) -> Result:
    """Use a pack whose partials each include the next one many times, through one of the entry points."""
    return _enter(fan_out(case), case["entry"], folder)


def _work(case: Mapping[str, Any], folder: Path) -> Result:
    """Use a pack that takes much work to analyse, through one of the entry points."""
    text, times = case.get("comments", ("", 0))
    return _enter(work(case), case["entry"], folder, text * times)


def _schema_limit(case: Mapping[str, Any], folder: Path) -> Result:
    """Validate a value with a schema that takes much work, as an input or as the contract of a reply."""
    schema, value = expand(case["schema"]), expand(case["value"])
    if case["entry"] == "reply":
        definitions = {"$defs": schema.pop("$defs")} if "$defs" in schema else {}
        contract = Contract("hostile", {"type": "object", "properties": {"v": schema}, **definitions})
        verdict = Pack("hostile", Version(1, 0, 0), "x", contract=contract).check(json.dumps({"v": value}))
        return {"outcomes": ["reply-ok"], "text": "", "violations": len(verdict.violations)}
    pack = {"promptpack": 1, "name": "hostile", "version": "1.0.0", "inputs": {"V": schema}}
    _write_pack({**pack, "messages": [{"role": "user", "content": "{{ V }}"}]}, folder)
    if case["entry"] == "lint":
        return {"outcomes": [_lint(folder)], "text": ""}
    try:
        built = Library.open(str(folder)).get("hostile")
        built.render(V=value)
    except PackError as error:
        return _refused("get-error", error)
    except ContextError as error:
        return {"outcomes": ["check-ok"], "text": "", "violations": len(error.problems)}
    return {"outcomes": ["check-ok"], "text": ""}


def _write_pack(pack: Mapping[str, Any], folder: Path, comments: str = "") -> None:
    place = folder / "hostile"
    place.mkdir()
    # An editor takes only a file with a line that starts with 'promptpack:' for a pack.
    lines = "".join(f"{key}: {json.dumps(value)}\n" for key, value in pack.items())
    (place / "1.0.0.yaml").write_text(lines + comments, encoding="utf-8")


def _enter(pack: dict[str, Any], entry: str, folder: Path, comments: str = "") -> Result:
    _write_pack(pack, folder, comments)
    try:
        return {"outcomes": [_ENTRY_POINTS[entry](folder)], "text": ""}
    except PromptpackError as error:
        return _refused("render-error", error)


def _lint(folder: Path) -> str:
    report = lint([str(folder)], LintSettings(), cache=False)
    return "lint-error" if any(problem.severity == "error" for problem in report.problems) else "lint-ok"


def _edit(folder: Path) -> str:
    path = str(folder / "hostile/1.0.0.yaml")
    text = Path(path).read_text(encoding="utf-8")
    workspace = Workspace()
    workspace.report(path, text)
    workspace.find_fixes(path, text, range(1, len(text)))
    complete(workspace.open(path, text), text.index("MARK"))
    return "edit-ok"


def _render(folder: Path) -> str:
    Library.open(str(folder)).get("hostile").render()
    return "render-ok"


def _get(folder: Path) -> str:
    Library.open(str(folder)).get("hostile")
    return "get-ok"


_ENTRY_POINTS: Mapping[str, Callable[[Path], str]] = {"get": _get, "render": _render, "lint": _lint, "edit": _edit}

RUNS: Mapping[str, Callable[[Mapping[str, Any], Path], Result]] = {
    "yaml": _yaml,
    "template": _template_pack,
    "schema": _schema,
    "text": _template,
    "context": _context,
    "reply": _reply,
    "fan-out": _fan_out,
    "work": _work,
    "schema-limit": _schema_limit,
}


def _write_layout(case: Mapping[str, Any], folder: Path) -> Path:
    """Write the files around the pack, and return the folder of the pack."""
    place = folder / "pack"
    place.mkdir()
    for item in case.get("layout") or ():
        path = folder / item["path"]
        path.parent.mkdir(parents=True, exist_ok=True)
        if "symlink" in item:
            path.symlink_to(item["symlink"])
        elif "fifo" in item:
            import os

            os.mkfifo(path)
        else:
            path.write_text(item["text"], encoding="utf-8")
    return place


def _open(place: Path, pack: Mapping[str, Any]) -> Pack:
    (place / "1.0.0.yaml").write_text(json.dumps(pack, ensure_ascii=False), encoding="utf-8")
    return Library.open(str(place)).get("hostile")


def _read_content(case: Mapping[str, Any]) -> dict[str, Any]:
    content: dict[str, Any] = yaml.load(Path(case["file"]).read_bytes(), Loader=yaml.CSafeLoader)
    return content


def _deep_json(text: str) -> Any:
    decoder = json.JSONDecoder()
    # Python 3.12 has a fixed limit for functions written in C, so this is the scanner written in Python.
    decoder.scan_once = json.scanner.py_make_scanner(decoder)  # type: ignore[attr-defined]
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(100_000)
    try:
        return decoder.decode(text)
    finally:
        sys.setrecursionlimit(limit)


def _refused(stage: str, error: PromptpackError) -> Result:
    codes: Iterable[str] = dict.fromkeys(problem.code for problem in error.problems)
    outcomes = [f"{_stage(stage, CLASSES[code])}:{CLASSES[code]}" for code in codes]
    return {"outcomes": outcomes, "text": f"{error}\n{error!r}"}


def _stage(stage: str, name: str) -> str:
    return "context-error" if stage == "render-error" and name.startswith("context.") else stage


def _same(text: str, expected: str | None) -> bool:
    return expected is None or text == expected.removesuffix("\n")
