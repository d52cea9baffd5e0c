r"""Values that cannot imitate a role line or a title in the text form of a slot prompt.

A role line is `role:`, a title is `[name]:`, both at the start of a line, after blanks. A line of a value that starts
like one gets a backslash in front (one more if it already has some), so that readers can distinguish the two.
"""

import re
from collections.abc import Iterable
from typing import Final

from promptpack.pack.model import ROLES

_ENDS: Final = "\n\r\v\f\x1c-\x1f\x85\u2028\u2029"
_BLANK: Final = rf"[^\S{_ENDS}]"


class RoleLines:
    """Escapes the lines of values; `roles` are the printed names of the roles."""

    def __init__(self, roles: Iterable[object]) -> None:
        names = sorted({str(role).strip() for role in (*ROLES, *roles)} - {""}, key=len, reverse=True)
        either = "|".join(map(re.escape, names))
        line = rf"(?<![^{_ENDS}])({_BLANK}*)(\\*(?:\[[^\]{_ENDS}]*\]|(?:{either})){_BLANK}*[:：])"
        self._line = re.compile(line, re.IGNORECASE)

    def escape(self, text: str) -> str:
        """Put a backslash in front of every line that starts like a role line or a title."""
        return self._line.sub(r"\1\\\2", text)


def one_line(name: object) -> str:
    """Return a name without line ends and brackets, so that it cannot end its title."""
    return " ".join(re.sub(r"[\[\]]", " ", str(name)).split())
