"""The guard at the door of the server: who may ask, how much, and what a browser may do with the answer.

The server listens on this machine only. That does not keep other web sites away: a page that the user has
open elsewhere may send requests here, or let its own name lead here (DNS rebinding). So

* the header Host must name this machine and this port; else the answer is 421;
* whatever changes anything is a POST, and must come from a page of this server (Origin); else it is 403;
* a session is a random token of 256 bits in a cookie that no script reads and that no other site's request
  brings along (HttpOnly, SameSite=Strict). What is kept is only a digest of it. Who follows a link of another
  site comes without the cookie; `BOUNCE` loads the page once more, with it;
* a body has at most `MOST_BODY` bytes, unless a route says otherwise (`takes`); else it is 413;
* pages may load only what this server serves, and run no script that stands in them (`POLICY`). They do not
  appear in frames, and are not kept by browsers.
"""

import hashlib
import re
import secrets
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeVar

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BODY = 64 * 1024
MOST_HEADERS = 16 * 1024  # bytes of all together

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # with none, browsers do not say where a form comes from
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}

BOUNCE = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta http-equiv="refresh" content="0"><title>soulread</title></head>
<body><p>One moment.</p></body></html>
"""

_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")
_SAFE = "GET", "HEAD"
_STATIC = "/static/"

Endpoint = TypeVar("Endpoint", bound=Callable[..., Awaitable[Any]])


class TooLarge(Exception):
    """A body has more bytes than are taken."""


def takes(size: int) -> Callable[[Endpoint], Endpoint]:
    """Say of an endpoint that bodies of up to ``size`` bytes come to it."""

    def decorate(endpoint: Endpoint) -> Endpoint:
        endpoint.most_body = size  # type: ignore[attr-defined]
        return endpoint

    return decorate


def owner_of(token: str) -> str:
    """The name of a session on the disk, from which nobody finds the token."""
    return hashlib.blake2b(token.encode(), digest_size=16, person=b"soulread session").hexdigest()


class Guard:
    """Stands before the application; see the module. ``large`` are paths with a size of body of their own."""

    def __init__(self, app: ASGIApp, port: int, large: Iterable[tuple[re.Pattern[str], int]] = ()) -> None:
        self._app = app
        self._hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost")}
        if port == 80:
            self._hosts |= {"127.0.0.1", "localhost"}
        self._origins = {f"http://{host}" for host in self._hosts}
        self._cookie = f"soulread-{port}"  # cookies do not tell ports apart
        self._large = tuple(large)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer why not."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # nothing here speaks by web sockets
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        token = self._token(headers)
        fresh = token is None and scope["method"] in _SAFE and not scope["path"].startswith(_STATIC)
        if fresh and refusal is None and headers.get("sec-fetch-site") in ("cross-site", "same-site"):
            await HTMLResponse(BOUNCE)(scope, receive, self._marked(send, None))
            return
        if refusal is None and token is None and scope["method"] not in _SAFE:
            refusal = 403, "there is no session; open a page of this server first, and let it keep a cookie"
        if refusal is not None:
            status, why = refusal
            response = PlainTextResponse(f"{why}\n", status)
            await response(scope, receive, self._marked(send, None))
            return
        token = secrets.token_urlsafe(32) if token is None else token
        scope.setdefault("state", {})["owner"] = owner_of(token)
        scope["state"]["fresh"] = fresh
        marked = self._marked(send, token if fresh else None)
        most = next((size for path, size in self._large if path.fullmatch(scope["path"])), MOST_BODY)
        try:
            await self._app(scope, _counted(receive, most), marked)
        except TooLarge:
            await PlainTextResponse(f"more than {most:,} bytes\n", 413)(scope, receive, marked)

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        """Why a request is not answered, with the status; None if it is."""
        if headers.getlist("host") not in [[host] for host in self._hosts]:
            return 421, "this server answers at 127.0.0.1 and localhost only"
        if sum(len(name) + len(value) for name, value in scope["headers"]) > MOST_HEADERS:
            return 431, f"the headers have more than {MOST_HEADERS:,} bytes"
        if scope["method"] not in (*_SAFE, "POST"):
            return 405, "only GET, HEAD and POST are understood"
        if scope["method"] == "POST":
            if headers.get("origin") != f"http://{headers['host']}":
                return 403, "this did not come from a page of this server"
            if headers.get("sec-fetch-site", "same-origin") != "same-origin":
                return 403, "this came from another site"
            length = headers.get("content-length")
            most = next((size for path, size in self._large if path.fullmatch(scope["path"])), MOST_BODY)
            if length is not None and (not re.fullmatch("[0-9]{1,15}", length) or int(length) > most):
                return 413, f"more than {most:,} bytes"
        elif headers.get("sec-fetch-site") == "cross-site" and headers.get("sec-fetch-mode") != "navigate":
            return 403, "this came from another site"
        return None

    def _token(self, headers: Headers) -> str | None:
        """The token of the session; None if there is none, or it is no token of ours."""
        for line in headers.getlist("cookie"):
            for part in line.split(";"):
                name, _, value = part.strip().partition("=")
                if name == self._cookie and _TOKEN.fullmatch(value):
                    return value
        return None

    def _marked(self, send: Send, token: str | None) -> Send:
        """``send`` with the headers of every answer, and the cookie of a new session."""

        async def marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)  # an answer may have a stricter policy
                headers.setdefault("Cache-Control", "no-store")
                if token is not None:
                    headers.append("Set-Cookie", _cookie(self._cookie, token))
            await send(message)

        return marked


def _cookie(name: str, token: str) -> str:
    return f"{name}={token}; HttpOnly; SameSite=Strict; Path=/; Max-Age={400 * 24 * 3600}"


def _counted(receive: Receive, most: int) -> Receive:
    """``receive`` that raises when a body has more bytes than ``most``."""
    so_far = 0

    async def counted() -> Message:
        nonlocal so_far
        message = await receive()
        if message["type"] == "http.request":
            so_far += len(message.get("body", b""))
            if so_far > most:
                raise TooLarge
        return message

    return counted
