from collections.abc import Callable
from pathlib import Path

from promptpack import Library, trial
from promptpack.trial.snapshot import find_stale

BODY = "messages: [{role: user, content: hi}]\ntests: [{name: Says hi, expect: {snapshot: true}}]\n"


def test_a_snapshot_that_no_test_uses_is_stale(
    write_pack: Callable[..., Path], open_packs: Callable[[], Library], tmp_path: Path
) -> None:
    write_pack(body=BODY)
    write_pack(version="1.1.0", body=BODY)
    library = open_packs()
    list(trial.run(library.packs(), update=True))
    folder = tmp_path / "packs/demo/snapshots"
    for name in ("1.0.0.old.txt", "1.1.0.old.txt", "0.9.0.says-hi.txt", "1.2.0.says-hi.txt"):
        (folder / name).write_text("x")
    paths = [entry.path for entry in library.entries]
    old, new = library.packs()
    assert find_stale([old]) == ("packs/demo/snapshots/1.0.0.old.txt",)
    assert find_stale([old, new], [*paths, "packs/demo/1.2.0.yaml"]) == (
        "packs/demo/snapshots/0.9.0.says-hi.txt",
        "packs/demo/snapshots/1.0.0.old.txt",
        "packs/demo/snapshots/1.1.0.old.txt",
    )
