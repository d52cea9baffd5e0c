"""Who may talk to the studio: links that work once, and the cookie of a browser that used one."""

from __future__ import annotations

import hmac
import secrets
from http.cookies import CookieError, SimpleCookie

_BYTES = 32


class Access:
    """The secrets of one studio: one unused link at a time, and one cookie, which all tabs of a browser share."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._cookie = secrets.token_urlsafe(_BYTES)
        self._link = secrets.token_urlsafe(_BYTES)
        self._is_used = False

    @property
    def hosts(self) -> frozenset[str]:
        """The only values of the header `Host` that are answered."""
        return frozenset({f"127.0.0.1:{self.port}", f"localhost:{self.port}"})

    @property
    def link(self) -> str:
        """The address that opens the studio once."""
        return f"http://127.0.0.1:{self.port}/?token={self._link}"

    def renew(self) -> bool:
        """Make a new link if the last one was used, and return whether there is a new one."""
        was_used, self._is_used = self._is_used, False
        if was_used:
            self._link = secrets.token_urlsafe(_BYTES)
        return was_used

    def use(self, token: str) -> bool:
        """Return whether a token is that of the unused link, which cannot be used again."""
        if self._is_used or not hmac.compare_digest(token.encode(), self._link.encode()):
            return False
        self._is_used = True
        return True

    @property
    def cookie(self) -> str:
        """The header `Set-Cookie` for a browser that used a link."""
        return f"{self._name}={self._cookie}; HttpOnly; SameSite=Strict; Path=/"

    def knows(self, header: str) -> bool:
        """Return whether the header `Cookie` has the right cookie."""
        try:
            found = SimpleCookie(header).get(self._name)
        except CookieError:
            return False
        return found is not None and hmac.compare_digest(found.value.encode(), self._cookie.encode())

    @property
    def _name(self) -> str:
        # Cookies are shared by all ports, and two studios may run.
        return f"promptpack-studio-{self.port}"
