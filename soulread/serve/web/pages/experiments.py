"""Experiments: reports that the command line keeps in a folder, and how far its runs are. Read only."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from soulread.serve.web.events import event_stream
from soulread.serve.web.house import House, house_of
from soulread.serve.web.html import Topic, page, piece

EVERY = 1.0  # seconds between two looks at the folder
# Figures are drawings: shown in an <img> or alone, nothing in them may run or be fetched.
DRAWING = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"
_KINDS = {
    ".json": "application/json",
    ".csv": "text/csv; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".pdf": "application/pdf",
}


def _folder(house: House) -> str:
    folder = house.settings.reports
    if folder is None:
        raise HTTPException(404)
    return str(folder)


async def index(request: Request) -> Response:
    """All reports, and runs under way."""
    folder = _folder(house_of(request))
    found = await house_of(request).ask("experiments:listing", folder)
    return page(request, "experiments/index.html", title="Experiments", folder=folder, **found)


async def events(request: Request) -> Response:
    """The runs, whenever something about them changes."""
    house = house_of(request)
    return event_stream(_told(house, _folder(house)))


async def _told(house: House, folder: str) -> AsyncIterator[str]:
    before: Any = None
    while True:
        runs = await house.ask("experiments:runs", folder)
        if runs != before:
            ended = before is not None and len(runs) < len(before)
            before = runs
            yield piece("experiments/runs.html", runs=runs, load="/experiments" if ended else "")
        await asyncio.sleep(EVERY)


async def report(request: Request) -> Response:
    """One report: its figures, numbers, seeds, and its files."""
    house = house_of(request)
    found = await house.ask("experiments:report", _folder(house), request.path_params["name"])
    if found is None:
        raise HTTPException(404)
    return page(request, "experiments/report.html", title=found["title"], report=found)


async def file(request: Request) -> Response:
    """A file of the folder: to look at if it is a picture, else to keep."""
    house = house_of(request)
    known = await house.ask("experiments:files", _folder(house))
    name = request.path_params["name"]
    path = known.get(name)
    if path is None:
        raise HTTPException(404)
    ending = "." + name.rpartition(".")[2]
    shown = ending in (".svg", ".png") and "keep" not in request.query_params
    return FileResponse(
        path,
        media_type=_KINDS[ending],
        filename=name.rpartition("/")[2],
        content_disposition_type="inline" if shown else "attachment",
        headers={"Content-Security-Policy": DRAWING, "Cache-Control": "no-cache"},
    )


TOPIC = Topic(
    "Experiments",
    "/experiments",
    "Reports of reproduce, curve, duel and tournament: figures, numbers, seeds; and how far a run is.",
    [
        Route("/experiments", index),
        Route("/experiments/events", events),
        Route("/experiments/report/{name:path}", report),
        Route("/experiments/file/{name:path}", file),
    ],
)
