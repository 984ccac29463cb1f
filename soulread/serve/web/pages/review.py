"""Reviews: the list of finished hands, and a hand step by step with what each choice was worth."""

import re
from typing import Any
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from soulread.errors import SoulreadError
from soulread.report.action_grid import action_bars
from soulread.serve.web.addresses import player_address
from soulread.serve.web.house import house_of, store_of, visitor_of
from soulread.serve.web.html import Topic, form_of, go_to, page
from soulread.serve.web.sights import HandLine, ReviewSight
from soulread.serve.web.tables import floor_of

ON_A_PAGE = 50
GRADES = "inaccuracy", "mistake", "blunder"


async def index(request: Request) -> Response:
    """The finished hands of the visitor's tables."""
    house, visitor = house_of(request), visitor_of(request)
    cards = {card.id: card for card in floor_of(request).of(visitor, left=True)}
    chosen = request.query_params.get("table", "")
    worst = request.query_params.get("worst", "")
    ids = [id for id in cards if not chosen or id == chosen]
    found: tuple[tuple[str, HandLine], ...] = ()
    if ids:
        asked = worst if worst in GRADES else ""
        found = await house.ask("review:hands", str(visitor.tables), ids, asked)
    number = _number(request, "page", 1)
    return page(
        request,
        "review/index.html",
        title="Review",
        cards=cards,
        chosen=chosen if chosen in cards else "",
        worst=worst,
        grades=GRADES,
        hands=found[(number - 1) * ON_A_PAGE : number * ON_A_PAGE],
        count=len(found),
        number=number,
        pages=-(-len(found) // ON_A_PAGE),
        query=lambda **changes: _query(request, **changes),
    )


async def of_table(request: Request) -> Response:
    """A hand of a table."""
    house, visitor = house_of(request), visitor_of(request)
    table = floor_of(request).find(visitor, request.path_params["id"])
    number = request.path_params["number"]
    found = await house.ask("review:of_table", str(visitor.tables), table.card.id, number)
    base = f"/review/{table.card.id}"
    back = f"/review?table={table.card.id}"
    return _page(request, found, base, back=back, table=table.card.id, again=table.card.again is None)


async def of_store(request: Request) -> Response:
    """A hand of the store."""
    house = house_of(request)
    query = request.query_params
    where = store_of(request, query.get("store", ""))
    found = await house.ask("review:of_store", where, request.path_params["number"], query.get("player"))
    back = player_address(query.get("store", ""), found.player)
    return _page(request, found, "/review/store", back=back, table="", again=False)


async def again(request: Request) -> Response:
    """A table at which a point of a hand is played again, with other cards."""
    house, visitor = house_of(request), visitor_of(request)
    table = floor_of(request).find(visitor, request.path_params["id"])
    step = (await form_of(request)).get("step", "")
    if not re.fullmatch("[0-9]{1,4}", step):
        raise SoulreadError(f"{step[:20]!r} is no step of a hand")
    number = request.path_params["number"]
    found = await house.ask("review:of_table", str(visitor.tables), table.card.id, number)
    if table.card.again is not None:
        raise SoulreadError("hands of such a table begin in the middle already; go back to the first one")
    if int(step) not in found.decisions:
        raise SoulreadError(f"action {step} of hand {number} is not a decision of yours")
    made = floor_of(request).again(visitor, table.card, number, int(step))
    return go_to(request, f"/play/{made.card.id}")


def _page(request: Request, found: ReviewSight, base: str, *, back: str, table: str, again: bool) -> Response:
    step = min(_number(request, "step", 0), len(found.steps) - 1)
    grades = {number: one["grade"] for number, one in found.decisions.items()}
    following = {
        grade: next((at for at, one in sorted(grades.items()) if at > step and one == grade), None)
        for grade in GRADES
    }
    decision = found.decisions.get(step)
    return page(
        request,
        "review/hand.html",
        title=f"Hand {found.number}: {found.title}",
        hand=found,
        step=step,
        sight=found.steps[step],
        grades=grades,
        following=following,
        decision=decision,
        bars=[] if decision is None else [_bars(one) for one in decision["appraisals"]],
        base=base,
        back=back,
        table=table,
        again=again,
        query=lambda **changes: _query(request, **changes),
    )


def _bars(appraisal: dict[str, Any]) -> Any:
    """How often one should choose what, as a bar; None if the judge does not say."""
    shares = [(one["kind"], one["chance"]) for one in appraisal["choices"]]
    if any(share is None for _, share in shares):
        return None
    told = ", ".join(f"{one['name']} {one['chance']:.0%}" for one in appraisal["choices"])
    return action_bars([("plays", shares)], f"{appraisal['title']}: {told}")


def _number(request: Request, name: str, usual: int) -> int:
    text = request.query_params.get(name, str(usual))
    if not re.fullmatch("[0-9]{1,9}", text):
        raise HTTPException(404)
    return max(int(text), min(usual, 1))


def _query(request: Request, **changes: Any) -> str:
    """The address of this page with some of its query changed; None takes an entry out."""
    known = {**request.query_params, **changes}
    left = {name: value for name, value in known.items() if value not in (None, "")}
    return f"{request.url.path}?{urlencode(left)}" if left else request.url.path


TOPIC = Topic(
    "Review",
    "/review",
    "Step through your hands: what was right, and what each choice cost.",
    [
        Route("/review", index),
        Route("/review/store/{number:int}", of_store),
        Route("/review/{id}/{number:int}", of_table),
        Route("/review/{id}/{number:int}/again", again, methods=["POST"]),
    ],
)
