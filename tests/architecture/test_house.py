"""The house rules that can be checked automatically."""

import importlib
import re
import tomllib
from operator import attrgetter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = sorted((ROOT / "promptpack").rglob("*.py"))
CODE = re.compile(r"\bP[PL]\d{3}\b")


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_has_at_most_400_lines(module: Path) -> None:
    assert len(module.read_text(encoding="utf-8").splitlines()) <= 400


PUBLIC = {"adapters", "batch", "flow", "otel", "stubs"}
FOLDERS = sorted(file.parent.name for file in (ROOT / "promptpack").glob("*/__init__.py"))


@pytest.mark.parametrize("folder", [folder for folder in FOLDERS if folder not in PUBLIC])
def test_a_folder_names_the_function_that_makes_its_noun(folder: str) -> None:
    package = f"promptpack.{folder}"
    made = re.match(r"[^\n]+ -> [^\n]+, by `(\w+)\.([\w.]+)`", importlib.import_module(package).__doc__ or "")
    assert made
    assert callable(attrgetter(made[2])(importlib.import_module(f"{package}.{made[1]}")))


def codes_in(paths: list[Path]) -> set[str]:
    return {code for path in paths for code in CODE.findall(path.read_text(encoding="utf-8"))}


USED = codes_in(MODULES)


def test_every_code_is_in_the_reference() -> None:
    page = (ROOT / "docs" / "reference" / "codes.md").read_text(encoding="utf-8")
    described = set(re.findall(r"^\| (P[PL]\d{3}) \|", page, re.MULTILINE))
    assert described == USED


def test_every_code_has_a_test() -> None:
    # The table of classes lists codes without testing them.
    tables = (Path(__file__), ROOT / "tests" / "conformance" / "hostile" / "classes.py")
    tests = [path for path in (ROOT / "tests").rglob("*.py") if path not in tables]
    tests += (ROOT / "tests" / "linter").glob("*/bad.txt")
    assert USED - codes_in(tests) == set()


def test_no_file_contains_paths_of_a_machine() -> None:
    texts = [path for folder in ("promptpack", "packs", "schemas", "docs") for path in (ROOT / folder).rglob("*")]
    own = re.compile(r"/(?:work|root|home)/[a-z]")
    found = [
        path
        for path in texts
        if path.suffix in {".py", ".yaml", ".json", ".md"} and own.search(path.read_text("utf-8"))
    ]
    assert found == []


def test_every_link_in_the_docs_has_a_target() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    links = [(page, link) for page in pages for link in re.findall(r"\]\(([^)#]+)\)", page.read_text("utf-8"))]
    broken = [(page.name, link) for page, link in links if "://" not in link and not (page.parent / link).exists()]
    assert broken == []


def test_the_table_of_layers_has_every_module_in_order() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = [
        re.findall(r"`(\w+)(?:\.py|/)`", line.split("|")[1]) for line in page.splitlines() if line.startswith("| `")
    ]
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = next(one["layers"] for one in config["tool"]["importlinter"]["contracts"] if one["type"] == "layers")
    level = {name: index for index, layer in enumerate(reversed(layers)) for name in layer.split(" | ")}
    table = [name for row in rows for name in row]
    assert {*table, "_version"} == set(level)
    assert [level[name] for name in table] == sorted(level[name] for name in table)
