"""A short run of `make soak`: packs in use while their files change."""

from pathlib import Path

from tests.soak.run import soak


def test_packs_in_use_while_their_files_change_never_fail_and_never_mix_versions(tmp_path: Path) -> None:
    result = soak(tmp_path, 20, seed=19)
    assert result.use.failures == []
    assert set(result.use.calls) == {"in threads", "in the loop"}
    assert len(result.use.versions) > 1
    assert result.reloads > 1
