"""For code scanning: SARIF 2.1.0, which GitHub, GitLab and editors read."""

import json
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from promptpack import __version__
from promptpack.characters import visible
from promptpack.linter.catalogue import RULES
from promptpack.linter.lint_report import LintReport
from promptpack.linter.rule_pages import summary
from promptpack.problem import Location, Problem

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def write(report: LintReport) -> str:
    """Return one run; it describes every rule that found a problem."""
    codes = sorted({problem.code for problem in report.problems})
    index = {code: place for place, code in enumerate(codes)}
    run = {
        "tool": {"driver": {"name": "promptpack", "version": __version__, "rules": [_rule(code) for code in codes]}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(problem, index[problem.code]) for problem in report.problems],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, ensure_ascii=False, indent=2)


def _rule(code: str) -> dict[str, Any]:
    rule = next((rule for rule in RULES if code == rule.CODE), None)
    if rule is None:
        return {"id": code}
    return {
        "id": code,
        "name": rule.NAME,
        "shortDescription": {"text": summary(rule)},
        "help": {"text": (rule.__doc__ or "").strip()},
        "defaultConfiguration": {"level": rule.SEVERITY},
    }


def _result(problem: Problem, index: int) -> dict[str, Any]:
    text = f"{problem.message}; {problem.hint}" if problem.hint else problem.message
    result: dict[str, Any] = {
        "ruleId": problem.code,
        "ruleIndex": index,
        "level": problem.severity,
        "message": {"text": visible(text)},
    }
    if problem.location:
        result["locations"] = [{"physicalLocation": _physical(problem.location)}]
    return result


def _physical(place: Location) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": _address(place.path)}}
    if place.line:
        end = {"endLine": place.end_line, "endColumn": place.end_column} if place.end_line else {}
        physical["region"] = {"startLine": place.line, "startColumn": max(place.column, 1), **end}
    return physical


def _address(path: str) -> str:
    """Return a path as a URI reference; an absolute path needs a scheme, or a part of it could be read as a host."""
    pure = PurePath(path)
    return pure.as_uri() if pure.is_absolute() else quote(pure.as_posix(), errors="surrogateescape")
