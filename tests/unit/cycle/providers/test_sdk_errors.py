import json
import sys
from pathlib import Path

import pytest

from promptpack.cycle.cycle_errors import ProviderError
from promptpack.cycle.providers.catalogue import open_provider
from promptpack.cycle.providers.sdk_errors import SdkErrorTranslator, import_sdk
from promptpack.problem import MissingExtraError, UsageError


@pytest.mark.parametrize("package", ["openai", "anthropic"])
def test_the_error_for_a_missing_package_shows_the_install_command(
    package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError) as raised:
        open_provider(package)
    assert str(raised.value) == (
        f"PP601 the package {package!r} is not installed\n  hint: run: python -m pip install {package}"
    )


def test_a_missing_dependency_of_a_package_is_not_reported_as_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lacking_sdk.py").write_text("import no_such_package_at_all\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="no_such_package_at_all"):
        import_sdk("lacking_sdk")


def test_a_misspelled_provider_gets_a_suggestion() -> None:
    with pytest.raises(UsageError) as raised:
        open_provider("opanai")
    assert str(raised.value) == "PP619 unknown provider 'opanai'\n  hint: did you mean 'openai'?"


@pytest.mark.parametrize("text", ["no JSON", "[" * 100_000])
def test_an_answer_that_is_not_json_is_reported(text: str) -> None:
    openai = pytest.importorskip("openai")
    with pytest.raises(ProviderError, match="PP608 openai returned an invalid answer"), SdkErrorTranslator(openai, ""):
        json.loads(text)
