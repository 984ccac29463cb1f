"""Spots: set one up, solve it, walk its tree, lock the opponent and turn the dial.

The address of a page holds the whole spot, as the fields of its form, and the place in the tree. A session
keeps what it solved under a digest of these fields, so an address leads to the solution, to the solve that is
under way, or to the form that begins one.
"""

import asyncio
import hashlib
import json
import re
import secrets
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.routing import Route

from soulread.errors import SoulreadError
from soulread.serve.web.desk import DeskGone
from soulread.serve.web.events import event_stream
from soulread.serve.web.house import House, Visitor, house_of, store_of, visitor_of
from soulread.serve.web.html import (
    Topic,
    form_of,
    go_to,
    page,
    piece,
    pieces,
    wants_piece,
)
from soulread.serve.web.jobs import Job, JobState
from soulread.serve.web.security import takes
from soulread.storage.files import replacing

MOST_FILE = 1 << 30  # bytes of a solution that is opened
MOST_TEXT = 40_000  # characters of a field
FIELDS = ("board", "oop", "ip", "pot", "stack", "blind", "rake", "cap", "bets", "raises", "donks", "tree")
FROM_HAND = ("hand", "street", "model", "store")
STOPS = ("gap", "seconds")
ASKED = ("locks", "player", "villain", "where", "confidence", "trust", "risk", "kind", "by", "look", "gap")
EXAMPLE = {
    "board": "Td9d6hQc2s",
    "oop": "QQ,TT,AQs,KQs,QJs,JTs,87s,A5s,K8s",
    "ip": "AA,KK,99,AQs,AQo,QJs,T9s,98s,A4s",
    "pot": "100",
    "stack": "300",
}
_KEY = re.compile("[0-9a-f]{32}")

Fields = Mapping[str, str]


@dataclass(frozen=True)
class Kept:
    """Where a session keeps one spot."""

    folder: Path
    key: str

    @property
    def solution(self) -> Path:
        """The solved spot, as ``soulread spot -o`` writes it."""
        return self.folder / f"{self.key}.safetensors"

    @property
    def record(self) -> Path:
        """What it is, for the list."""
        return self.folder / f"{self.key}.json"

    def beside(self, name: str) -> Path:
        """Another file of the spot."""
        return self.folder / f"{self.key}.{name}"

    @property
    def ready(self) -> bool:
        """Whether it is solved."""
        return self.solution.exists() and self.record.exists()

    def read(self) -> dict[str, Any] | None:
        """The record; None if there is none that can be read."""
        try:
            found = json.loads(self.record.read_bytes())
        except (OSError, ValueError, RecursionError):
            return None
        return found if isinstance(found, dict) and isinstance(found.get("fields"), dict) else None


def fields_of(given: Mapping[str, str], names: tuple[str, ...] = (*FIELDS, *FROM_HAND)) -> dict[str, str]:
    """The fields that are filled in; too long ones are refused."""
    found = {}
    for name in names:
        text = given.get(name, "").strip()
        if len(text) > MOST_TEXT:
            raise SoulreadError(f"{name} has {len(text):,} characters; at most {MOST_TEXT:,} are read")
        if text:
            found[name] = text
    return found


def digest(*parts: Fields) -> str:
    """The name of a spot, or of locks in one, on the disk."""
    text = json.dumps([sorted(part.items()) for part in parts])
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest()


def address(where: str, fields: Fields, /, **more: Any) -> str:
    """The address of a page about a spot."""
    query = {**fields, **{name: value for name, value in more.items() if value not in (None, "")}}
    return f"/spots/{where}?{urlencode(query, quote_via=quote, safe=',:')}"


def _kept(visitor: Visitor, fields: Fields) -> Kept:
    return Kept(visitor.folder / "spots", digest(fields))


def _job(house: House, visitor: Visitor, what: str, key: str) -> Job | None:
    """The last job about a spot or its locks."""
    return next(
        (job for job in house.jobs.of(visitor.key) if job.what == what and job.arguments.get("key") == key),
        None,
    )


async def _ask(request: Request, what: str, *arguments: Any) -> Any:
    """Ask the process of this session that keeps a solved spot open."""
    house, name = house_of(request), ("spots", visitor_of(request).key)
    for last in (False, True):
        desk = house.desks.find(name) or house.desks.begin(name)
        try:
            return await desk.ask(what, *arguments)
        except DeskGone:
            if last:
                raise
    raise AssertionError


def _linker(fields: Fields, **here: Any) -> Callable[..., str]:
    """A function for templates: the address of a page about this spot, with some things changed."""

    def link(where: str = "at", /, **changed: Any) -> str:
        return address(where, fields, **{**here, **changed})

    return link


# The list, and setting up.


async def index(request: Request) -> Response:
    """Everything this session has solved, and what is under way."""
    house, visitor = house_of(request), visitor_of(request)
    found = []
    folder = visitor.folder / "spots"
    for path in sorted(folder.glob("*.json"), key=lambda one: -one.stat().st_mtime):
        kept = Kept(folder, path.stem)
        record = kept.read() if _KEY.fullmatch(path.stem) and kept.ready else None
        if record is not None:
            found.append({**record, "key": kept.key, "href": address("at", record["fields"])})
    under_way = [
        {"title": job.title, "href": address("at", job.arguments["fields"]), "standing": job.standing.value}
        for job in house.jobs.of(visitor.key)
        if job.what == "spots:solve" and not job.over
    ]
    example = address("new", EXAMPLE)
    return page(request, "spots/index.html", title="Spots", found=found, under_way=under_way, example=example)


async def new(request: Request) -> Response:
    """The form in which a spot is set up."""
    fields = fields_of(request.query_params)
    stops = fields_of(request.query_params, STOPS)
    taken, error = None, ""
    texts = {name: fields.get(name, "") for name in ("oop", "ip")}
    if "hand" in fields:
        try:
            taken = await house_of(request).ask(
                "spots:take", fields, store_of(request, fields.get("store", ""))
            )
            texts = {name: taken["fields"][name] for name in ("oop", "ip")}
        except SoulreadError as problem:
            error = str(problem)
    ranges = await house_of(request).ask("spots:ranges", texts)
    return page(
        request,
        "spots/new.html",
        title="A spot from a hand" if "hand" in fields else "Set up a spot",
        fields=fields,
        given=_filled({**fields, **stops}, (*FIELDS, *FROM_HAND, *STOPS)),
        taken=taken,
        error=error,
        ranges=ranges,
        classes=_classes(),
        played=visitor_of(request).hands.exists(),
    )


def _filled(fields: Fields, names: tuple[str, ...]) -> dict[str, str]:
    """Every field of a form; empty where nothing was given."""
    return {name: fields.get(name, "") for name in names}


def _classes() -> list[str]:
    """The names of the 13 x 13 cells, row by row."""
    ranks = "AKQJT98765432"
    return [
        ranks[min(row, column)]
        + ranks[max(row, column)]
        + ("s" if row < column else "o" if row > column else "")
        for row in range(13)
        for column in range(13)
    ]


async def change_range(request: Request) -> Response:
    """The editor of a range, after hands were painted on its grid or its text was changed."""
    form = await form_of(request)
    name = form.get("name", "")
    if name not in ("oop", "ip"):
        raise HTTPException(404)
    text = fields_of(form, ("text",)).get("text", "")
    found = await house_of(request).ask("spots:ranges", {name: text}, {name: form.get("put", "")})
    return pieces(piece("spots/range.html", name=name, range=found[name], classes=_classes(), fixed=False))


async def tell_size(request: Request) -> Response:
    """How large the spot of the form is, or what is wrong with it."""
    fields = fields_of(await form_of(request))
    if "hand" in fields or not any(fields.get(name) for name in ("board", "oop", "ip")):
        return pieces(piece("spots/size.html", size={"line": "", "error": ""}))
    found = await house_of(request).ask("spots:size", fields)
    return pieces(piece("spots/size.html", size=found))


# Solving.


async def solve(request: Request) -> Response:
    """Begin to solve the spot of the form."""
    form = await form_of(request)
    house, visitor = house_of(request), visitor_of(request)
    fields, stops = fields_of(form), fields_of(form, STOPS)
    if "hand" in fields:
        fields = {
            name: text for name, text in fields.items() if name not in ("board", "pot", "stack", "blind")
        }
    store = store_of(request, fields.get("store", ""))
    found = await house.ask("spots:begin", fields, stops, store)
    kept = _kept(visitor, fields)
    job = _job(house, visitor, "spots:solve", kept.key)
    if job is None or job.over:
        for path in (kept.record, kept.beside("ended")):
            path.unlink(missing_ok=True)
        house.jobs.begin(
            visitor.key,
            visitor.jobs,
            "spots:solve",
            {
                "key": kept.key,
                "fields": fields,
                "stops": stops,
                "store": store,
                "kept": str(kept.solution),
                "record": str(kept.record),
                "checkpoint": str(kept.beside("checkpoint")),
                "ended": str(kept.beside("ended")),
            },
            title=found["title"],
        )
    return go_to(request, address("at", fields))


async def change_job(request: Request) -> Response:
    """End a solve or a computation of locks: at once, or with what it has so far; or remove a solved spot."""
    form = await form_of(request)
    house, visitor = house_of(request), visitor_of(request)
    key, what = form.get("key", ""), request.path_params["what"]
    if not _KEY.fullmatch(key):
        raise HTTPException(404)
    kept = Kept(visitor.folder / "spots", key)
    job = _job(house, visitor, "spots:solve", key) or _job(house, visitor, "spots:lock", key)
    if what == "remove":
        if job is not None:
            house.jobs.cancel(job)
        for path in kept.folder.glob(f"{key}*"):
            with suppress(OSError):
                path.unlink()
        return go_to(request, "/spots")
    if job is None or job.over:
        raise HTTPException(404)
    if what == "cancel":
        house.jobs.cancel(job)
        for name in ("checkpoint", "ended"):
            kept.beside(name).unlink(missing_ok=True)
        if job.what == "spots:lock":
            return go_to(request, address("locks", job.arguments["fields"], **job.arguments["asked"]))
        return go_to(request, address("new", job.arguments["fields"], **job.arguments["stops"]))
    kept.folder.mkdir(parents=True, exist_ok=True)
    kept.beside("ended").touch()
    return pieces(piece("notice.html", text="It ends after the iteration that runs, and shows what it has."))


async def events(request: Request) -> Response:
    """How far a job is, as it changes; at its end the page is loaded again."""
    job = house_of(request).jobs.find(visitor_of(request).key, request.path_params["id"])
    if job is None:
        raise HTTPException(404)
    return event_stream(_told(job))


async def _told(job: Job) -> AsyncIterator[str]:
    async for news in job.watch():
        yield piece("spots/progress.html", job=job, news=news, href=_home_of(job))
        await asyncio.sleep(0.2)


def _home_of(job: Job) -> str:
    """The page about a job."""
    arguments = job.arguments
    if job.what == "spots:lock":
        return address("locks", arguments["fields"], at=arguments.get("at"), **arguments["asked"])
    return address("at", arguments["fields"])


# Looking.


async def at(request: Request) -> Response:
    """A place of a solved spot; or how far its solve is."""
    house, visitor = house_of(request), visitor_of(request)
    fields = fields_of(request.query_params)
    if not fields:
        return RedirectResponse("/spots", 303)
    kept = _kept(visitor, fields)
    job = _job(house, visitor, "spots:solve", kept.key)
    if job is not None and not job.over:
        return page(
            request, "spots/solving.html", title="Solving", job=job, key=kept.key, news=job.news, href=""
        )
    record = kept.read() if kept.ready else None
    if record is None:
        failed = job.error if job is not None and job.standing is JobState.FAILED else ""
        return page(
            request,
            "spots/unsolved.html",
            title="A spot to solve",
            why=failed,
            fields=fields,
            edit=address("new", fields),
        )
    query = request.query_params
    path = " ".join(query.get("at", "").split())
    shown, who, cell = (query.get(name, "") for name in ("show", "who", "cell"))
    found = await _ask(request, "spots:look", str(kept.solution), path, shown, who, cell)
    return page(
        request,
        "spots/view.html",
        title=f"{found['title']}",
        found=found,
        record=record,
        path=path,
        key=kept.key,
        cell=cell,
        link=_linker(fields, at=path, show=shown, who=who),
        next_href=address("street", fields, at=path),
    )


async def street(request: Request) -> Response:
    """The cards that may come next, as a piece of the page."""
    fields = fields_of(request.query_params)
    kept = _kept(visitor_of(request), fields)
    path = " ".join(request.query_params.get("at", "").split())
    if not kept.ready:
        raise HTTPException(404)
    found = await _ask(request, "spots:street", str(kept.solution), path)
    link = _linker(fields)
    if not wants_piece(request):
        return RedirectResponse(address("at", fields, at=path), 303)
    return pieces(piece("spots/street.html", street=found, path=path, link=link))


async def export(request: Request) -> Response:
    """A solved spot as a file."""
    query = request.query_params
    kept = _kept(visitor_of(request), fields_of(query))
    form = query.get("form", "")
    if not kept.ready or form not in ("json", "csv", "spot"):
        raise HTTPException(404)
    if form == "spot":
        return FileResponse(kept.solution, media_type="application/octet-stream", filename="spot.safetensors")
    path = " ".join(query.get("at", "").split())
    text, name = await _ask(request, "spots:export", str(kept.solution), path, form)
    kind = "application/json" if form == "json" else "text/csv; charset=utf-8"
    return Response(text, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})


@takes(MOST_FILE)
async def reopen(request: Request) -> Response:
    """Take in a solution that was saved to a file."""
    visitor = visitor_of(request)
    folder = visitor.folder / "spots"
    folder.mkdir(parents=True, exist_ok=True)
    came = folder / f"upload-{secrets.token_hex(8)}.part"
    try:
        with replacing(came) as file:
            async for chunk in request.stream():
                file.write(chunk)
        record = await house_of(request).ask("spots:adopt", str(came), str(folder))
        kept = _kept(visitor, record["fields"])
        came.replace(kept.solution)
        with replacing(kept.record) as file:
            file.write(json.dumps(record).encode())
    finally:
        came.unlink(missing_ok=True)
    return go_to(request, address("at", record["fields"]))


# Locks.


async def locks(request: Request) -> Response:
    """The form of locks, and the answer to those of the address if it is computed."""
    house, visitor, query = house_of(request), visitor_of(request), request.query_params
    fields, asked = fields_of(query), fields_of(query, ASKED)
    kept = _kept(visitor, fields)
    record = kept.read() if kept.ready else None
    if record is None:
        return RedirectResponse(address("at", fields), 303)
    path = " ".join(query.get("at", "").split())
    values: dict[str, Any] = {
        "answer": None,
        "job": None,
        "news": None,
        "key": kept.key,
        "why": "",
        "href": "",
    }
    if asked:
        done = kept.beside(f"{digest(asked)}.locks")
        job = _job(house, visitor, "spots:lock", digest(fields, asked))
        if job is not None and not job.over:
            values |= {"job": job, "news": job.news, "key": digest(fields, asked)}
        elif done.exists():
            values["answer"] = await house.ask("spots:answer", str(done), _position(query.get("dial", "")))
        elif job is not None and job.standing is JobState.FAILED:
            values["why"] = job.error
    seen = await _ask(request, "spots:look", str(kept.solution), path, "", "", "")
    return page(
        request,
        "spots/locks.html",
        title=f"Locks in {record['title']}",
        record=record,
        fields=fields,
        asked=asked,
        wanted=_filled(asked, ASKED),
        path=path,
        decision=seen["here"],
        unit=seen["unit"],
        link=_linker(fields, at=path),
        dial_link=_linker(fields, at=path, **asked),
        **values,
    )


def _position(text: str) -> int | None:
    return int(text) if re.fullmatch("[0-9]{1,3}", text) else None


async def dial(request: Request) -> Response:
    """The dial at a position, as a piece of the page of locks."""
    query = request.query_params
    fields, asked = fields_of(query), fields_of(query, ASKED)
    if not wants_piece(request):
        return await locks(request)
    done = _kept(visitor_of(request), fields).beside(f"{digest(asked)}.locks")
    if not done.exists():
        raise HTTPException(404)
    found = await house_of(request).ask("spots:answer", str(done), _position(query.get("dial", "")))
    return pieces(piece("spots/dial.html", answer=found))


async def lock(request: Request) -> Response:
    """Begin to answer the locks of the form."""
    form = await form_of(request)
    house, visitor = house_of(request), visitor_of(request)
    fields, asked = fields_of(form), fields_of(form, ASKED)
    path = " ".join(form.get("at", "").split())
    added = ", ".join(
        f"{name.removeprefix('often:')} {value.strip().removesuffix('%')}%"
        for name, value in form.items()
        if name.startswith("often:") and value.strip()
    )
    if added:
        before = [asked["locks"]] if "locks" in asked else []
        asked = {**asked, "locks": "\n".join([*before, f"{path or 'start'}: {added}"])}
    kept = _kept(visitor, fields)
    if not kept.ready:
        raise SoulreadError("this spot is not solved; solve it first")
    await _ask(request, "spots:begin_locks", str(kept.solution), asked)
    done, key = kept.beside(f"{digest(asked)}.locks"), digest(fields, asked)
    job = _job(house, visitor, "spots:lock", key)
    if not done.exists() and (job is None or job.over):
        house.jobs.begin(
            visitor.key,
            visitor.jobs,
            "spots:lock",
            {
                "key": key,
                "fields": fields,
                "asked": asked,
                "at": path,
                "store": store_of(request, fields.get("store", "")),
                "kept": str(kept.solution),
                "record": str(done),
            },
            title="locks",
        )
    return go_to(request, address("locks", fields, at=path, **asked))


TOPIC = Topic(
    "Spots",
    "/spots",
    "Solve a spot with real cards, walk its tree, lock an opponent's habits, turn the dial.",
    [
        Route("/spots", index),
        Route("/spots/new", new),
        Route("/spots/range", change_range, methods=["POST"]),
        Route("/spots/size", tell_size, methods=["POST"]),
        Route("/spots/solve", solve, methods=["POST"]),
        Route("/spots/job/{what:str}", change_job, methods=["POST"]),
        Route("/spots/live/{id:str}", events),
        Route("/spots/at", at),
        Route("/spots/street", street),
        Route("/spots/file", export),
        Route("/spots/open", reopen, methods=["POST"]),
        Route("/spots/locks", locks),
        Route("/spots/dial", dial),
        Route("/spots/lock", lock, methods=["POST"]),
    ],
)
