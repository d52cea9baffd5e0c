"""Drafts and contexts in the user's own folder."""

from pathlib import Path

import pytest

from promptpack.studio.drafts import Drafts


def test_a_draft_is_found_by_another_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert Drafts("packs").put("a.yaml", "one", "half a pair \ud800", "base")
    assert Drafts("packs").get("a.yaml", "one") == ("half a pair \ud800", "base")
    assert Drafts("other").get("a.yaml", "one") is None
    assert Drafts("packs").get("b.yaml", "one") is None
    Drafts("packs").drop("a.yaml", "one")
    assert Drafts("packs").get("a.yaml", "one") is None


def test_an_unreadable_draft_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    Drafts("packs").put("a.yaml", "one", "x", "base")
    (file,) = (tmp_path / "promptpack" / "studio").iterdir()
    for content in ("{", "[]", '{"text": 1, "base": "x"}'):
        file.write_text(content, "utf-8")
        assert Drafts("packs").get("a.yaml", "one") is None


def test_nothing_is_kept_in_a_folder_that_others_can_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    (tmp_path / "promptpack").mkdir(mode=0o755)
    (tmp_path / "promptpack").chmod(0o755)
    drafts = Drafts("packs")
    assert not drafts.is_kept
    assert not drafts.put("a.yaml", "one", "x", "base")
    assert drafts.get("a.yaml", "one") is None


def test_each_tab_has_its_own_draft_and_one_without_a_tab_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    drafts = Drafts("packs")
    for tab in ("closed", "open"):
        drafts.put("a.yaml", tab, f"of {tab}", "base")
    assert set(drafts.tabs("a.yaml")) == {"closed", "open"}
    assert drafts.find(["a.yaml", "b.yaml"]) == {"a.yaml"}
    assert drafts.take("a.yaml", "new", live={"open"}) == ("of closed", "base")
    assert drafts.take("a.yaml", "newer", live={"open", "new"}) is None
    assert drafts.get("a.yaml", "new") == ("of closed", "base")
    assert drafts.get("a.yaml", "open") == ("of open", "base")


def test_all_drafts_together_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr("promptpack.studio.drafts._MAX_FOLDER_BYTES", 10_000)
    drafts = Drafts("packs")
    for number in range(50):
        drafts.put("a.yaml", f"tab{number}", "x" * 1_000, "base")
        assert sum(file.stat().st_size for file in (tmp_path / "promptpack" / "studio").iterdir()) <= 10_000
    assert drafts.get("a.yaml", "tab49") is not None
