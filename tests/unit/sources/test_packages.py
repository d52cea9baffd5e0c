"""Packs of installed distributions and of wheels, built and installed for real; none of their code runs."""

import io
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from promptpack import Library
from promptpack.problem import UsageError
from promptpack.sources.archive import read_archive
from tests.unit.sources.test_archive import make_zip

PACK = "promptpack: 1\nname: demo\nversion: 1.0.0\nmessages:\n  - {role: user, content: hi}\n"
PROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "acme-prompts"
version = "1.2.0"

[project.entry-points."promptpack.packs"]
acme = "acme_prompts:packs"

[tool.hatch.build.targets.wheel]
packages = ["acme_prompts"]
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel whose code fails when it is imported."""
    project = tmp_path_factory.mktemp("project")
    folder = project / "acme_prompts"
    (folder / "packs" / "demo").mkdir(parents=True)
    (folder / "schemas").mkdir()
    (project / "pyproject.toml").write_text(PROJECT)
    (folder / "__init__.py").write_text("raise AssertionError('imported')\n")
    (folder / "packs" / "demo" / "1.0.0.yaml").write_text(PACK + "inputs:\n  W: {$ref: ../../schemas/w.json}\n")
    (folder / "schemas" / "w.json").write_text('{"type": "string", "default": ""}')
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel"], cwd=project, check=True)
    return next((project / "dist").glob("*.whl"))


@pytest.fixture
def installed(wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    target = tmp_path / "site"
    words = ["-m", "pip", "install", "-q", "--no-index", "--no-deps", "--target", str(target), str(wheel)]
    subprocess.run([sys.executable, *words], check=True)
    monkeypatch.syspath_prepend(str(target))
    return target


def write_wheel(entry_points: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("acme/packs/demo/1.0.0.yaml", PACK)
        archive.writestr("acme-1.0.dist-info/entry_points.txt", entry_points)
    return content.getvalue()


@pytest.mark.usefixtures("installed")
def test_the_packs_of_an_installed_wheel() -> None:
    library = Library.open("package:acme")
    assert library.get("demo").render(W="w").messages[0].content == "hi"
    assert [entry.path for entry in library.list()] == ["package:acme/demo/1.0.0.yaml"]
    assert "acme_prompts" not in sys.modules


def test_a_wheel_is_read_like_an_archive(wheel: Path) -> None:
    library = Library.open(str(wheel))
    assert library.get("demo").render(W="w").messages[0].content == "hi"
    assert [entry.path for entry in library.list()] == [f"{wheel}/acme_prompts/packs/demo/1.0.0.yaml"]


def test_an_editable_install_is_found_where_its_package_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = tmp_path / "site" / "acme_prompts-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-prompts\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[promptpack.packs]\nacme = acme_editable.packs\n")
    folder = tmp_path / "src" / "acme_editable"
    (folder / "packs" / "demo").mkdir(parents=True)
    (folder / "__init__.py").write_text("raise AssertionError('imported')\n")
    (folder / "packs" / "demo" / "1.0.0.yaml").write_text(PACK)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    with pytest.raises(UsageError) as raised:
        Library.open("package:acme")
    assert str(raised.value) == (
        "PP779 'acme-prompts' registers 'acme_editable.packs' as 'acme', but has no such folder\n"
        "  hint: install it again, or ask its authors"
    )
    monkeypatch.syspath_prepend(str(tmp_path / "src"))
    assert Library.open("package:acme").get("demo").name == "demo"


@pytest.mark.usefixtures("installed")
def test_an_unknown_package_suggests_a_known_one() -> None:
    with pytest.raises(UsageError) as raised:
        Library.open("package:acne")
    assert str(raised.value) == ("PP779 no installed package registers packs as 'acne'\n  hint: did you mean 'acme'?")


def test_without_packages() -> None:
    with pytest.raises(UsageError) as raised:
        Library.open("package:acme")
    assert str(raised.value) == (
        "PP779 no installed package registers packs as 'acme'\n"
        "  hint: no installed package registers 'promptpack.packs'"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "[console_scripts]\na = b:c\n",
            "the wheel registers no packs\n  hint: it needs an entry point in the group 'promptpack.packs'",
        ),
        (
            "[promptpack.packs]\na = acme.packs\nb = acme.other\n",
            "the wheel registers several folders of packs: a, b\n  hint: install it, and use package:NAME",
        ),
        (
            "a = b\n",
            "the entry points of the wheel cannot be read\n  hint: build it again, or ask its authors",
        ),
    ],
)
def test_a_wheel_must_register_one_folder(text: str, message: str) -> None:
    with pytest.raises(UsageError) as raised:
        read_archive(write_wheel(text), "acme.whl")
    assert str(raised.value) == f"acme.whl: PP779 {message}"


@pytest.mark.parametrize("value", ["acme.packs", "acme:packs", "acme:packs [extra]"])
def test_forms_of_a_registered_folder(value: str) -> None:
    folder = read_archive(write_wheel(f"[promptpack.packs]\nA = {value}\n"), "acme.whl")
    assert list(folder.find(".yaml")) == ["demo/1.0.0.yaml"]


def test_damaged_entry_points_are_a_problem() -> None:
    text = "[promptpack.packs]\nacme = acme.packs\n" + "# more\n" * 500
    content = bytearray(make_zip({"acme/packs/demo/1.0.0.yaml": "", "acme-1.dist-info/entry_points.txt": text}))
    start = content.find(b"entry_points.txt") + len("entry_points.txt")
    content[start : start + 20] = b"\xff" * 20
    with pytest.raises(UsageError, match=r"acme\.whl: PP776 is not a zip file, or is damaged: "):
        read_archive(bytes(content), "acme.whl")
