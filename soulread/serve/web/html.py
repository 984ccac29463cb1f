"""Answers in HTML: whole pages, pieces of them, and what came in a form.

A page is a template that extends ``layout``. Asked for by the page's own script (header ``X-Soulread``), it
comes without what is around it, and the script puts it in place: so links and forms work with and without
scripts, by the same routes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute

from soulread import __version__
from soulread.errors import SoulreadError
from soulread.report.html import render

TEMPLATES = "serve/web/templates"
MOST_FIELDS = 200
_AROUND, _BARE = f"{TEMPLATES}/layout.html", f"{TEMPLATES}/bare.html"


@dataclass(frozen=True)
class Topic:
    """A part of the page: its name in the bar at the top, where it begins, and its routes."""

    name: str
    path: str
    about: str  # one line, for the first page
    routes: Sequence[BaseRoute]


def page(request: Request, template: str, /, status: int = 200, **values: Any) -> HTMLResponse:
    """A page by a template of ``templates/``, which extends ``layout`` and has a ``title``."""
    return HTMLResponse(render(f"{TEMPLATES}/{template}", **around(request), **values), status)


def around(request: Request) -> dict[str, Any]:
    """What the layout needs; pages of other rooms (``X_page(study, **around(request))``) take it too."""
    topics: Sequence[Topic] = request.app.state.topics
    path = request.url.path
    theme = request.cookies.get("soulread-theme", "")
    return {
        "layout": _BARE if wants_piece(request) else _AROUND,
        "topics": topics,
        "here": next((one for one in topics if path == one.path or path.startswith(f"{one.path}/")), None),
        "theme": theme if theme in ("light", "dark") else "",
        "version": __version__,
    }


def piece(template: str, /, **values: Any) -> str:
    """Some elements, each with an id, that replace those of the same id on the page."""
    return render(f"{TEMPLATES}/{template}", **values)


def pieces(*made: str, status: int = 200, headers: Mapping[str, str] | None = None) -> HTMLResponse:
    """An answer of such elements."""
    return HTMLResponse("\n".join(made), status, headers)


def wants_piece(request: Request) -> bool:
    """Whether the page's own script asks, and not the browser for a whole page."""
    return request.headers.get("x-soulread") == "piece"


def go_to(request: Request, path: str) -> Response:
    """Lead the browser to another page, after a form."""
    if wants_piece(request):
        return Response(status_code=204, headers={"X-Soulread-Go": path})
    return RedirectResponse(path, 303)


def refused(request: Request, why: str, status: int = 400) -> HTMLResponse:
    """A page, or a notice on the page that is there, that says why something cannot be done."""
    if wants_piece(request):
        return pieces(piece("notice.html", text=why), status=status)
    return page(request, "refused.html", status, title="That did not work", text=why)


async def form_of(request: Request) -> dict[str, str]:
    """The fields of a form; the last one of a name counts. A form that is none is refused."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise SoulreadError("expected the fields of a form")
    body = await request.body()
    try:
        pairs = parse_qsl(
            body.decode("ascii"),
            keep_blank_values=True,
            strict_parsing=bool(body),
            errors="strict",
            max_num_fields=MOST_FIELDS,
        )
    except (ValueError, UnicodeError):
        raise SoulreadError("the form cannot be read") from None
    return dict(pairs)
