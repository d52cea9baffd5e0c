"""Google's Gemini: `client.models.generate_content(model=..., **prompt.to("gemini"))`."""

from collections.abc import Mapping
from typing import Any, Final

from promptpack.adapters.forms.gemini import GEMINI, write_config, write_contents
from promptpack.adapters.outgoing import Outgoing, TargetOption

OPTIONS: Final[frozenset[TargetOption]] = frozenset(("strict", "tools"))
INSTEAD: Final[Mapping[TargetOption, str]] = {"cache": "Gemini caches long prefixes by itself; leave out 'cache'"}
CARRIES: Final = GEMINI


def write(outgoing: Outgoing) -> dict[str, Any]:
    """Return `contents` and `config`."""
    return {"contents": write_contents(outgoing), "config": write_config(outgoing)}
