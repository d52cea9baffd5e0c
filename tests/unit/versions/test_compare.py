"""Comparisons of packs: the full text of each change, and where it is."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from promptpack import Library
from promptpack.pack.model import Pack
from promptpack.pack.version import Version
from promptpack.problem import UsageError
from promptpack.versions import compare
from promptpack.versions.change import Comparison


def test_a_pack_without_a_library_cannot_be_compared() -> None:
    pack = Pack("greeter", Version(1, 0, 0), "")
    with pytest.raises(UsageError) as caught:
        compare(pack, pack)
    assert str(caught.value) == (
        "PP760 greeter@1.0.0 cannot be compared, because it does not come from a library\n"
        "  hint: get the pack from a Library"
    )


def _compare_inputs(folder: Path, schemas: Iterable[tuple[str, str]]) -> Comparison:
    """Compare two versions with an input for each pair of schemas."""
    pairs = list(schemas)
    (folder / "wide").mkdir()
    for side, version in enumerate(("1.0.0", "1.1.0")):
        inputs = "".join(f"  I{number}: {pair[side]}\n" for number, pair in enumerate(pairs))
        text = (
            f"promptpack: 1\nname: wide\nversion: {version}\ninputs:\n{inputs}messages: [{{role: user, content: x}}]\n"
        )
        (folder / "wide" / f"{version}.yaml").write_text(text, "utf-8")
    library = Library.open(str(folder))
    return compare(library.get("wide@1.0.0"), library.get("wide@1.1.0"))


def test_hard_schemas_share_the_steps_of_a_comparison(tmp_path: Path) -> None:
    hard = [f"{{type: string, pattern: '(a|b)*a(a|b){{{size}}}$'}}" for size in (20, 19)]
    found = _compare_inputs(tmp_path, [(hard[0], hard[1])] * 20)
    assert [change.code for change in found.changes] == ["PV110"] * 20


def test_a_word_is_located_in_a_long_list(tmp_path: Path) -> None:
    words = [", ".join(f"w{number}" for number in range(start, start + 3_000)) for start in (0, 1)]
    found = _compare_inputs(tmp_path, [(f"{{enum: [{words[0]}]}}", f"{{enum: [{words[1]}]}}")])
    column = len("  I0: {enum: [") + words[1].index("w3000") + 1
    assert {(at.line, at.column) for change in found.changes if (at := change.location)} == {(5, column)}
