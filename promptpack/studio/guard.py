"""The guard before every request: exact hosts and origins, no methods but GET, strict headers, and a cookie."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from html import escape
from typing import Final
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from promptpack.studio.access import Access

NONCE: Final = "style_nonce"
"""The key of a request's scope for the nonce of its style sheets."""
_METHODS: Final = ("GET", "HEAD")
_VERSIONS: Final = ("1.0", "1.1")
_MAX_HEADER_BYTES: Final = 32_000
_CSP: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; connect-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types 'none'"
)
_HEADERS: Final = {
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
_REFUSED_PAGE: Final = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>promptpack studio</title>
<h1>This address needs a new link</h1>
<p>{reason}</p>
<p>Open the link that the terminal of <code>promptpack studio</code> shows now. It works once.</p></html>
"""


class Guard:
    """Passes on only requests of a browser that opened a link; `on_refused` may print a new one."""

    def __init__(self, app: ASGIApp, access: Access, on_refused: Callable[[], object] = lambda: None) -> None:
        self._app = app
        self._access = access
        self._on_refused = on_refused

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that is refused; pass on the others, and add headers to their responses."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        nonce = scope[NONCE] = secrets.token_urlsafe(16)
        refused = self._refuse(scope)
        if refused is not None and scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        await (refused or self._app)(scope, receive, _with_headers(send, nonce))

    def _refuse(self, scope: Scope) -> Response | None:
        """Return the answer to a request that is not passed on."""
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or ("transfer-encoding" in headers and "content-length" in headers):
            return PlainTextResponse("bad request\n", 400)
        if scope["http_version"] not in _VERSIONS:
            return PlainTextResponse("HTTP version not supported\n", 505)
        if sum(len(name) + len(value) for name, value in scope["headers"]) > _MAX_HEADER_BYTES:
            return PlainTextResponse("the headers are too large\n", 431)
        if hosts[0] not in self._access.hosts:
            return PlainTextResponse("this host name is not served\n", 421)
        origins = headers.getlist("origin")
        is_socket = scope["type"] == "websocket"
        if any(origin != f"http://{hosts[0]}" for origin in origins) or (is_socket and len(origins) != 1):
            return PlainTextResponse("requests of other origins are refused\n", 403)
        if not is_socket and scope["method"] not in _METHODS:
            return PlainTextResponse("method not allowed\n", 405, {"allow": ", ".join(_METHODS)})
        return self._admit(scope, headers)

    def _admit(self, scope: Scope, headers: Headers) -> Response | None:
        token = parse_qs(scope["query_string"].decode("ascii", "replace")).get("token", [""])[0]
        is_known = self._access.knows(headers.get("cookie", ""))
        # Programs that preview links send HEAD, which uses no link up.
        is_opened = scope.get("method") == "GET" and scope["path"] == "/" and bool(token)
        if is_opened and (self._access.use(token) or is_known):
            return RedirectResponse("/", 303, {"set-cookie": self._access.cookie})
        if is_known:
            return None
        if scope["path"] == "/":
            self._on_refused()
        reason = "The link has already been used." if token else "This browser has not opened the studio yet."
        return Response(_REFUSED_PAGE.format(reason=escape(reason)), 403, media_type="text/html")


def _with_headers(send: Send, nonce: str) -> Send:
    async def send_guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update({**_HEADERS, "content-security-policy": _CSP.format(nonce=nonce)})
        await send(message)

    return send_guarded
