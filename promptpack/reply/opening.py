"""Where the object may open in a reply that arrives: a brace with a key behind it, outside of thinking."""

import re

from promptpack.reply.thinking import CHANNEL, END, START

# A brace with anything but a key behind it is passed over at once.
OUTSIDE = re.compile(
    rf"[{{｛](?!\s*+[^\s\"'“‘\w])|(?P<start>{START})|(?P<end>{END})|(?P<channel>{CHANNEL})", re.IGNORECASE
)
_KEY_AHEAD = re.compile(r"\s*(?:[\"“][^\"”\n]{1,80}[\"”]|['‘][^'’\n]{1,80}['’]|[^\W\d]\w{0,60})\s*[:：=]")
_NO_KEY = re.compile(
    r"\s*+(?:[^\s\"'“‘\w]|\w{1,400}+\s*+[^\s\w:：=]|[\"“][^\"”\n]{0,400}+[\"”]\s*+[^\s:：=]"
    r"|['‘][^'’\n]{0,400}+['’]\s*+[^\s:：=])"
)


def opens_data(text: str, start: int) -> bool | None:
    """Say whether a key and its colon follow the brace at `start`; nothing while more text is needed to know."""
    if _KEY_AHEAD.match(text, start + 1):
        return True
    return False if _NO_KEY.match(text, start + 1) else None
