"""The tests of a pack as it is typed, and their coverage, line by line; and the flow as a drawing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree as ET

from promptpack.flow import read_flow
from promptpack.flow.draw import to_svg
from promptpack.library.choosing import parse_reference
from promptpack.pack.model import Pack
from promptpack.problem import Location, Problem, PromptpackError, UsageError
from promptpack.studio.handlers.prompts import build_typed
from promptpack.studio.project import Project
from promptpack.studio.request import PageRequest
from promptpack.studio.studio import Studio
from promptpack.trial import Trial, run
from promptpack.trial.coverage import measure

_SVG = "{http://www.w3.org/2000/svg}"


def run_tests(studio: Studio, request: PageRequest) -> dict[str, Any]:
    """Run the tests of a pack as it is typed."""
    pack = _build(studio, request)
    trials = [_write_trial(studio.project, trial) for trial in run([pack])]
    return {"pack": pack.label, "tests": trials, "failed": sum(not one["passed"] for one in trials)}


def measure_coverage(studio: Studio, request: PageRequest) -> dict[str, Any]:
    """Return the coverage of the tests of a pack in its own file."""
    path, pack = request.text("path"), _build(studio, request)
    found = measure(pack)
    own = next((one for name, one in found.files() if name == studio.project.path_of(path)), None)
    return {
        "percent": found.percent,
        "covered": found.covered,
        "points": len(found.hits),
        "lines": [] if own is None else [[line, hit, total] for line, (hit, total) in own.lines().items()],
        "missing": [studio.project.write_problem(point.problem) for point in found.missing],
    }


def draw_flow(studio: Studio, _: PageRequest) -> dict[str, Any]:
    """Return the drawing of the flow as nested elements, and the pack file of each step."""
    flow = read_flow.find(studio.project.folder)
    if flow is None:
        raise UsageError(Problem("PP907", "there is no flow.yaml", None, "create one next to the packs"))
    drawing = ET.fromstring(to_svg(flow))  # noqa: S314 -- our own drawing
    steps = [
        {"name": step.name, "pack": step.pack, "path": _find_path(studio, step.pack)} for step in flow.steps.values()
    ]
    return {"drawing": _write_element(drawing), "steps": steps}


def _build(studio: Studio, request: PageRequest) -> Pack:
    with studio.project.lock:
        return build_typed(studio, request)


def _find_path(studio: Studio, request: str) -> str:
    """Return the file of the pack that a step uses; an empty text if there is none in the folder."""
    library = studio.project.library
    try:
        pack = library.get(request, fallback="default", key="studio")
    except PromptpackError:
        name = parse_reference(request).name
        return next((entry.file for entry in library.entries if entry.name == name), "")
    return studio.project.relative(pack.path)


def _write_element(element: ET.Element) -> dict[str, Any]:
    attributes: Mapping[str, str] = element.attrib
    return {
        "tag": element.tag.removeprefix(_SVG),
        "attributes": dict(attributes),
        "text": element.text or "",
        "children": [_write_element(child) for child in element],
    }


def _write_trial(project: Project, trial: Trial) -> dict[str, Any]:
    place = trial.location
    return {
        "name": trial.name,
        "passed": trial.passed,
        "path": project.relative(place.path),
        "line": place.line,
        "failures": [
            {
                "message": one.message,
                "expected": one.expected,
                "found": one.found,
                **_write_place(project, one.location),
            }
            for one in trial.failures
        ],
    }


def _write_place(project: Project, place: Location) -> dict[str, Any]:
    return {"path": project.relative(place.path), "line": place.line, "column": place.column}
