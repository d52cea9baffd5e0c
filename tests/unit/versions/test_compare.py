"""Comparisons of packs: the full text of each change, and where it is."""

import pytest

from promptpack.pack.model import Pack
from promptpack.pack.version import Version
from promptpack.problem import UsageError
from promptpack.versions import compare


def test_a_pack_without_a_library_cannot_be_compared() -> None:
    pack = Pack("greeter", Version(1, 0, 0), "")
    with pytest.raises(UsageError) as caught:
        compare(pack, pack)
    assert str(caught.value) == (
        "PP760 greeter@1.0.0 cannot be compared, because it does not come from a library\n"
        "  hint: get the pack from a Library"
    )
