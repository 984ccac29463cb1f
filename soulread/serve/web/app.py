"""The application: routes, the guard before them, and what begins and ends with the server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import resources
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route, compile_path
from starlette.staticfiles import StaticFiles

from soulread.errors import SoulreadError
from soulread.serve.web.desk import UnexpectedError
from soulread.serve.web.house import House, Settings
from soulread.serve.web.html import Topic, page, refused
from soulread.serve.web.pages import experiments, opponents, play, review, spots
from soulread.serve.web.security import Guard
from soulread.serve.web.tables import Floor

TOPICS: tuple[Topic, ...] = (
    play.TOPIC,
    review.TOPIC,
    opponents.TOPIC,
    spots.TOPIC,
    experiments.TOPIC,
)


def make_app(settings: Settings) -> Starlette:
    """The application; a `House` lives as long as it runs."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        house = app.state.house = House(settings)
        app.state.floor = Floor(house)
        house.open()
        try:
            yield
        finally:
            app.state.floor.close()
            house.close()

    routes: list[BaseRoute] = [
        Route("/", home),
        Route("/static/page.css", shared_sheet),
        Mount("/static", StaticFiles(packages=[("soulread.serve.web", "static")]), name="static"),
    ]
    for topic in TOPICS:
        routes += topic.routes
    app = Starlette(
        routes=routes,
        lifespan=lifespan,
        middleware=[Middleware(Guard, port=settings.port, large=_large(routes))],
        exception_handlers={
            HTTPException: _told_status,
            SoulreadError: _told_error,
            UnexpectedError: _told_failure,
        },
    )
    app.state.topics = TOPICS
    return app


async def home(request: Request) -> Response:
    """The first page."""
    return page(request, "home.html", title="soulread")


async def shared_sheet(request: Request) -> Response:
    """The style sheet that pages in files have too."""
    text = (resources.files("soulread.report") / "page.css").read_text(encoding="utf-8")
    return Response(text, media_type="text/css", headers={"Cache-Control": "no-cache"})


def _large(routes: list[BaseRoute]) -> list[tuple[Any, int]]:
    """The paths whose endpoints take larger bodies than others."""
    return [
        (compile_path(route.path)[0], size)
        for route in routes
        if isinstance(route, Route) and (size := getattr(route.endpoint, "most_body", 0))
    ]


async def _told_status(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    words = {404: "There is nothing here.", 405: "This cannot be asked for in this way."}
    return refused(request, words.get(error.status_code, error.detail), error.status_code)


async def _told_error(request: Request, error: Exception) -> Response:
    return refused(request, str(error))


async def _told_failure(request: Request, error: Exception) -> Response:
    return refused(request, str(error), 500)
