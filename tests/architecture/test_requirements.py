"""The oldest supported versions are named in two files, which agree."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_minimum_versions_are_the_lower_bounds() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    wanted = [*project["dependencies"], *(requirement for extra in extras for requirement in extra)]
    bounds = [re.sub(r"^([\w-]+)>=([\d.]+)(,<\d+)?$", r"\1==\2", requirement) for requirement in wanted]
    lines = (ROOT / "requirements" / "minimum.txt").read_text("utf-8").splitlines()
    assert [line for line in lines if not line.startswith("#")] == sorted(bounds)
