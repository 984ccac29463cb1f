"""Playing: the list of tables, a new one, and a table with what is read of the person beside it."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import suppress
from itertools import groupby

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from soulread.errors import SoulreadError
from soulread.report.action_grid import action_bars, action_grid
from soulread.report.drawings import Sketch, line_chart
from soulread.serve.web.events import event_stream
from soulread.serve.web.house import house_of, visitor_of
from soulread.serve.web.html import Topic, form_of, go_to, page, piece, pieces, wants_piece
from soulread.serve.web.jobs import Job
from soulread.serve.web.sights import ReadSight
from soulread.serve.web.tables import LiveTable, floor_of

MOST_TEXT = 200  # characters of a name, a game or an agent
SEATS = range(2, 7)
LEAST_DRAWN = 5  # hands before there is a line of results
KINDS = {"fold": "fold", "check or call": "call", "bet or raise": "bet2"}
PATIENCE = 5.0  # seconds that the read waits for news of the preparation
HOUSE = "house"  # the owner of jobs that all visitors need

# Title, game, opponent, and a line about it.
QUICK = (
    (
        "Leduc, against soul",
        "leduc",
        "soul",
        "Six cards, two rounds. It reads you at a certified risk.",
    ),
    ("Kuhn, against the equilibrium", "kuhn", "equilibrium", "Three cards. Exact costs of every decision."),
    (
        "No-limit, against ponsen",
        "nolimit",
        "ponsen",
        "Heads-up. It learns, and plays hands out.",
    ),
    ("No-limit, six seats", "nolimit:players=6", "plain", "A quick table of plain players."),
    (
        "Limit, against soul",
        "limit",
        "soul:5-5-5-5:quick",
        "Heads-up. The first time it needs a minute.",
    ),
    ("Limit, four seats", "ring-limit:4", "poki", "Three who keep tables of what you may hold."),
)


async def lobby(request: Request) -> Response:
    """The tables of the visitor, and the form of a new one."""
    house, visitor = house_of(request), visitor_of(request)
    agents = await house.ask("lobby:agents")
    return page(
        request,
        "play/lobby.html",
        title="Play",
        tables=floor_of(request).of(visitor),
        agents=agents,
        quick=QUICK,
        seats=SEATS,
    )


async def begin(request: Request) -> Response:
    """A new table, as the form says."""
    house, visitor = house_of(request), visitor_of(request)
    form = await form_of(request)
    game = game_of(form)
    agents = [text for text in (form.get(f"agent{seat}", "").strip() for seat in SEATS) if text]
    name = form.get("name", "").strip() or "you"
    if max(map(len, (game, name, *agents))) > MOST_TEXT:
        raise SoulreadError(f"names have at most {MOST_TEXT} characters")
    if not agents:
        raise SoulreadError("choose an opponent")
    game, title = await house.ask("lobby:verify", game, agents, name)
    table = floor_of(request).begin(visitor, game, title, agents, name, "blind" in form)
    return go_to(request, f"/play/{table.card.id}")


def game_of(form: dict[str, str]) -> str:
    """The game that the form describes, by the name that soulread has for it."""
    if "exact" in form:
        return form["exact"]
    kind, seats = form.get("game", ""), form.get("seats", "2")
    if not re.fullmatch("[2-6]", seats):
        raise SoulreadError(f"{seats[:20]!r} seats; the page seats 2 to 6")
    if kind == "limit" and seats != "2":
        return f"ring-limit:{seats}"
    if kind != "nolimit":
        return kind
    stack = form.get("stack", "200").strip() or "200"
    if not re.fullmatch("[0-9]{1,9}", stack):
        raise SoulreadError(f"stacks of {stack[:20]!r}; expected a number of chips")
    return f"nolimit:players={seats},stacks={stack}"


async def show(request: Request) -> Response:
    """A table."""
    table = _table(request)
    await table.look()
    return page(
        request,
        "play/table.html",
        title=f"{table.card.title}, against {table.card.against}",
        table=_table_piece(table),
        card=table.card,
    )


async def events(request: Request) -> Response:
    """The table whenever it changes."""
    table = _table(request)

    async def changing() -> AsyncIterator[str]:
        async for _ in table.channel.listen("now"):
            yield _table_piece(table)

    return event_stream(changing())


async def act(request: Request) -> Response:
    """The person acts."""
    table, form = _table(request), await form_of(request)
    amount = form.get("amount", "")
    if amount and not re.fullmatch("[0-9]{1,15}", amount):
        raise SoulreadError(f"{amount[:20]!r} is no number of chips")
    word = form.get("word", "")
    try:
        await table.act(form.get("at", ""), word, int(amount) if amount and word == "raise" else None)
    except SoulreadError as error:
        if not wants_piece(request):
            raise
        return pieces(piece("notice.html", text=str(error)), _table_piece(table), status=400)
    return _answer(request, table)


async def deal(request: Request) -> Response:
    """The next hand."""
    table, form = _table(request), await form_of(request)
    await table.next_hand(form.get("at", ""))
    return _answer(request, table)


async def read(request: Request) -> Response:
    """What is read of the person, beside the table."""
    return pieces(*await _read_pieces(request, _table(request)))


async def verdict(request: Request) -> Response:
    """What the hand that is over was worth, when the person has looked at its end for a while."""
    table, moment = _table(request), request.query_params.get("at", "")
    notes = await table.reflect(moment)
    if notes is None:
        return pieces()
    made = piece("play/verdict.html", notes=notes, card=table.card, sight=table.sight)
    return pieces(made, *await _read_pieces(request, table))


async def _read_pieces(request: Request, table: LiveTable) -> tuple[str, str]:
    """What is read of the person, and the record of their hands; nothing while that is hidden."""
    found = None if _hidden(table) else await table.read()
    if found is None or _hidden(table):  # the next hand may have been dealt meanwhile
        return piece("play/read.html", read=None, card=table.card), piece("play/record.html", read=None)
    drawn = found.running.hands >= LEAST_DRAWN
    read = piece(
        "play/read.html",
        read=found,
        card=table.card,
        grid=_grid(found),
        mixes=_mixes(found),
        preparing=_preparing(request, found.to_prepare),
    )
    record = piece(
        "play/record.html",
        read=found,
        card=table.card,
        chart=line_chart(found.running.panel, width=420, height=230) if drawn else None,
        least=LEAST_DRAWN,
    )
    return read, record


def _hidden(table: LiveTable) -> bool:
    """Whether the read is hidden at present."""
    return table.card.blind and not (table.sight is not None and table.sight.over)


async def prepared(request: Request) -> Response:
    """The read again, when the preparation of its equilibrium has come further."""
    house = house_of(request)
    for job in house.jobs.of(HOUSE):
        if not job.over:
            with suppress(TimeoutError):
                await asyncio.wait_for(_next_news(job), PATIENCE)
    return await read(request)


async def _next_news(job: Job) -> None:
    before = job.news
    async for news in job.watch():
        if news != before:
            return


async def blind(request: Request) -> Response:
    """Hide the read until the hand is over, or show it."""
    table, form = _table(request), await form_of(request)
    table.keep(blind=form.get("blind") == "yes")
    table.publish()
    if not wants_piece(request):
        return go_to(request, f"/play/{table.card.id}")
    return pieces(piece("play/blind.html", card=table.card), _table_piece(table))


async def leave(request: Request) -> Response:
    """Take a table off the list; its hands stay."""
    table = _table(request)
    table.keep(left=True)
    house_of(request).desks.end(("table", table.visitor.key, table.card.id))
    return go_to(request, "/play")


def _table(request: Request) -> LiveTable:
    return floor_of(request).find(visitor_of(request), request.path_params["id"])


def _table_piece(table: LiveTable) -> str:
    return piece("play/felt.html", sight=table.sight, card=table.card, told=table.told)


def _answer(request: Request, table: LiveTable) -> Response:
    if not wants_piece(request):
        return go_to(request, f"/play/{table.card.id}")
    return pieces(_table_piece(table))


def _grid(found: ReadSight) -> object:
    """The drawing of the person's range."""
    own = found.range
    if own is None:
        return None
    label = f"Your range {own.by}: " + ", ".join(
        f"{name} {share:.0%}" for (_, name), share in zip(own.actions, own.overall, strict=True)
    )
    return action_grid(
        own.classes, own.reach, own.chances, own.actions, label, columns=own.columns, marked=[own.own]
    )


def _mixes(found: ReadSight) -> list[tuple[str, int, bool, Sketch]]:
    """For each kind of decision its name, n, whether something is sure, and the bars."""
    made = []
    for kind, rows in groupby(found.frequencies, key=lambda one: one.kind):
        group = list(rows)
        own = [(KINDS[one.action], one.rate) for one in group]
        bars = [("you", own)]
        if group[0].equilibrium is not None:
            bars.append(("equilibrium", [(KINDS[one.action], one.equilibrium or 0.0) for one in group]))
        told = ", ".join(f"{one.action} {one.rate:.0%}" for one in group)
        made.append((kind, group[0].n, any(one.sure for one in group), action_bars(bars, f"{kind}: {told}")))
    return made


def _preparing(request: Request, source: str) -> Job | None:
    """The job that prepares the equilibrium of a game for everybody; it is begun if nobody has."""
    if not source:
        return None
    house = house_of(request)
    for job in house.jobs.of(HOUSE):
        if job.arguments.get("source") == source:
            return job
    folder = house.settings.folder / HOUSE / "jobs"
    return house.jobs.begin(HOUSE, folder, "yardsticks:prepare", {"source": source}, f"preparing {source}")


TOPIC = Topic(
    "Play",
    "/play",
    "Sit down against any agent, see what it believes of you, and what your decisions cost.",
    [
        Route("/play", lobby),
        Route("/play", begin, methods=["POST"]),
        Route("/play/{id}", show),
        Route("/play/{id}/events", events),
        Route("/play/{id}/read", read),
        Route("/play/{id}/verdict", verdict),
        Route("/play/{id}/prepared", prepared),
        Route("/play/{id}/act", act, methods=["POST"]),
        Route("/play/{id}/next", deal, methods=["POST"]),
        Route("/play/{id}/blind", blind, methods=["POST"]),
        Route("/play/{id}/leave", leave, methods=["POST"]),
    ],
)
