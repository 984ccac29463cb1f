"""Opponents: everyone in the store, how each plays, the hands behind every number, and new hands.

A player's address has the name, and the room where several have it; the rest narrows the hands as the
options of the command line do. A profile takes seconds and is made by a job, whose result is kept.
"""

import asyncio
import re
import secrets
import shutil
import time
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from soulread.errors import SoulreadError
from soulread.serve.web.addresses import player_address, replay_address, with_query
from soulread.serve.web.events import event_stream
from soulread.serve.web.house import PLAYED, Visitor, house_of, store_of, visitor_of
from soulread.serve.web.html import Topic, form_of, go_to, page, piece
from soulread.serve.web.jobs import Job, JobState
from soulread.serve.web.security import takes
from soulread.storage.files import replacing

MOST_FILE = 1 << 30  # bytes of one file of hands
MOST_FILES = 20_000  # of one import
MOST_BYTES = 4 << 30  # of one import
MOST_TEXT = 2_000  # characters of a field
LONGEST_NOTE = 8_000
KEPT_FILES = 7 * 24 * 3600  # seconds that files are kept whose import was never begun
FIELDS = ("player", "room", "kind", "game", "format", "stakes", "since", "until", "store")
VIEWS = ("profile", "statistics", "results")
_BATCH = re.compile("[0-9a-f]{32}")
_ODD = re.compile(r"[^A-Za-z0-9._-]+")


def _fields(given: Mapping[str, str], *more: str) -> dict[str, str]:
    """The fields that are filled in; too long ones are refused."""
    found = {}
    for name in (*FIELDS, *more):
        text = given.get(name, "").strip()
        if len(text) > MOST_TEXT:
            raise SoulreadError(f"{name} has {len(text):,} characters; at most {MOST_TEXT:,} are read")
        if text:
            found[name] = text
    return found


def _store(request: Request, fields: Mapping[str, str]) -> str | None:
    return store_of(request, fields.get("store", ""))


# Who there is -----------------------------------------------------------------------------------


async def index(request: Request) -> Response:
    """Everyone in the store, with search and filters; and the way for new hands to come in."""
    names = ("q", "label", "least", "where", "sort", "page")
    fields = _fields(request.query_params, *names)
    house, visitor = house_of(request), visitor_of(request)
    error, found = "", {"there": False, "store": ""}
    if fields.get("store") != PLAYED or visitor.hands.exists():
        try:
            found = await house.ask("opponents:listing", _store(request, fields), fields)
        except SoulreadError as problem:
            error = str(problem)

    def link(**changed: object) -> str:
        return with_query("/opponents", **{**fields, "page": "", **changed})

    return page(
        request,
        "opponents/index.html",
        title="Opponents",
        found=found,
        error=error,
        fields={name: fields.get(name, "") for name in (*FIELDS, *names)},
        link=link,
        home=lambda one: player_address(fields.get("store", ""), one["name"], one["room_field"]),
        batch=secrets.token_hex(16),
        imports=[job for job in house.jobs.of(visitor.key) if job.what == "uploads:take_in"][:5],
        played=visitor.hands.exists(),
    )


# One player -------------------------------------------------------------------------------------


async def player(request: Request) -> Response:
    """A player: the profile, statistics by groups of hands, or results."""
    query = request.query_params
    view = query.get("view", "profile")
    if view not in VIEWS:
        raise HTTPException(404)
    fields = _fields(query, "by", "deep")
    house, where = house_of(request), _store(request, fields)
    found = await house.ask("opponents:player", where, fields)
    inside: dict[str, Any] = {
        "part": "",
        "table": None,
        "job": None,
        "news": None,
        "why": "",
        "results": None,
    }
    if view == "profile":
        inside |= await _profile(request, where, fields)
    elif view == "results":
        results = await house.ask("opponents:results", where, fields)
        inside |= {"results": results, "part": Markup(results["part"])}  # of our templates
    else:
        inside["table"] = await house.ask("opponents:statistics", where, fields)

    def link(**changed: object) -> str:
        kept = {name: text for name, text in fields.items() if name not in ("by", "deep")}
        return with_query("/opponents/player", **{**kept, "view": view, **changed})

    return page(
        request,
        "opponents/player.html",
        title=f"{found['name']}: {view}",
        found=found,
        view=view,
        views=VIEWS,
        fields={name: fields.get(name, "") for name in (*FIELDS, "by", "deep")},
        link=link,
        hands_href=with_query("/opponents/hands", **{k: v for k, v in fields.items() if k in FIELDS}),
        **inside,
    )


async def _profile(request: Request, where: str | None, fields: Mapping[str, str]) -> dict[str, Any]:
    """The profile if it is made; else the job that makes it, which is begun if there is none."""
    house, visitor = house_of(request), visitor_of(request)
    key = await house.ask("opponents:profile_key", where, fields)
    kept = visitor.folder / "profiles" / f"{key}.html"
    if kept.exists():
        return {"part": Markup(kept.read_text(encoding="utf-8"))}  # made by our templates
    job = _job(request, "opponents:profile", key)
    if job is None or job.standing in (JobState.DONE, JobState.CANCELLED):
        job = house.jobs.begin(
            visitor.key,
            visitor.jobs,
            "opponents:profile",
            {"key": key, "where": where, "fields": dict(fields), "kept": str(kept)},
            title=f"the profile of {fields.get('player', '')}",
        )
    if job.standing is JobState.FAILED:
        return {"why": job.error}
    return {"job": job, "news": job.news}


def _job(request: Request, what: str, key: str) -> Job | None:
    """The last job about something."""
    jobs = house_of(request).jobs.of(visitor_of(request).key)
    return next((job for job in jobs if job.what == what and job.arguments.get("key") == key), None)


async def again(request: Request) -> Response:
    """Make a profile that failed once more."""
    fields = _fields(await form_of(request), "deep")
    key = await house_of(request).ask("opponents:profile_key", _store(request, fields), fields)
    job = _job(request, "opponents:profile", key)
    if job is not None and job.standing is JobState.FAILED:
        job.stand(JobState.CANCELLED)
    return go_to(request, with_query("/opponents/player", **fields))


async def remark(request: Request) -> Response:
    """Keep a note on a player, add labels, or take one away."""
    form = await form_of(request)
    fields = _fields(form)
    note = form.get("note")
    if note is not None and len(note) > LONGEST_NOTE:
        raise SoulreadError(f"the note has {len(note):,} characters; at most {LONGEST_NOTE:,} are read")
    where = _store(request, fields)
    label, remove = (form.get(name, "")[:MOST_TEXT] for name in ("label", "remove"))
    await house_of(request).ask("opponents:write", where, fields, note, label, remove)
    view = form.get("view", "")
    return go_to(request, with_query("/opponents/player", **fields, view=view if view in VIEWS else ""))


async def hands(request: Request) -> Response:
    """The hands behind a claim, or those that fulfil some words."""
    names = ("words", "stat", "taken", "sort", "page")
    fields = _fields(request.query_params, *names)
    error = ""
    found: dict[str, Any] | None = None
    try:
        found = await house_of(request).ask("opponents:hands", _store(request, fields), fields)
    except SoulreadError as problem:
        error = str(problem)
    store, player = fields.get("store", ""), fields.get("player", "")

    def link(**changed: object) -> str:
        return with_query("/opponents/hands", **{**fields, **changed})

    return page(
        request,
        "opponents/hands.html",
        title=f"Hands of {player}" if player else "Hands",
        found=found,
        error=error,
        fields={name: fields.get(name, "") for name in (*FIELDS, *names)},
        link=link,
        replay=lambda number: replay_address(store, number, player),
        home=player_address(store, player, fields.get("room", "")) if player else "",
    )


async def beside(request: Request) -> Response:
    """Two players side by side."""
    fields = _fields(request.query_params, "other", "other_room")
    found, error = None, ""
    if fields.get("player") and fields.get("other"):
        try:
            found = await house_of(request).ask("opponents:beside", _store(request, fields), fields)
        except SoulreadError as problem:
            error = str(problem)
    return page(
        request,
        "opponents/beside.html",
        title="Side by side",
        found=found,
        error=error,
        fields={name: fields.get(name, "") for name in (*FIELDS, "other", "other_room")},
    )


# New hands --------------------------------------------------------------------------------------


def _batch(visitor: Visitor, text: str) -> Path:
    """The folder in which files of one import wait."""
    if not _BATCH.fullmatch(text):
        raise HTTPException(404)
    return visitor.folder / "uploads" / text


def safe_name(number: int, name: str) -> str:
    """The name of a file here: its number, and as much of the name it came with as is harmless."""
    last = re.split(r"[/\\]", name)[-1]
    return f"{number:05d}-{_ODD.sub('_', last)[-80:].lstrip('.') or 'hands'}"


@takes(MOST_FILE)
async def upload(request: Request) -> Response:
    """Take one file of an import, whole or not at all."""
    visitor, query = visitor_of(request), request.query_params
    folder = _batch(visitor, query.get("batch", ""))
    number = query.get("number", "")
    if not re.fullmatch("[0-9]{1,5}", number) or int(number) >= MOST_FILES:
        raise SoulreadError(f"at most {MOST_FILES:,} files are taken at a time; pack them into an archive")
    sent = house_of(request).sent
    if folder not in sent or not folder.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        _forget_old(folder.parent)
        sent[folder] = sum(path.stat().st_size for path in folder.iterdir())
    path = folder / safe_name(int(number), query.get("name", ""))
    with replacing(path) as file:
        async for chunk in request.stream():
            sent[folder] += len(chunk)
            if sent[folder] > MOST_BYTES:
                raise SoulreadError(f"more than {MOST_BYTES >> 30} GiB at a time; send them in parts")
            file.write(chunk)
    return Response(status_code=204)


def _forget_old(folder: Path) -> None:
    """Remove files that were sent long ago and never taken in."""
    for one in folder.iterdir():
        if time.time() - one.stat().st_mtime > KEPT_FILES:
            shutil.rmtree(one, ignore_errors=True)


async def begin_import(request: Request) -> Response:
    """Begin to take in the files of a batch."""
    form = await form_of(request)
    house, visitor = house_of(request), visitor_of(request)
    folder = _batch(visitor, form.get("batch", ""))
    house.sent.pop(folder, None)
    job = _job(request, "uploads:take_in", folder.name)
    count = len(list(folder.iterdir())) if folder.is_dir() else 0
    if job is None or (job.over and count):  # a page that was gone back to sends its second files
        if not count:
            raise SoulreadError("no file has come; choose files or a folder first")
        job = house.jobs.begin(
            visitor.key,
            visitor.jobs,
            "uploads:take_in",
            {"key": folder.name, "folder": str(folder), "where": house.settings.store},
            title=f"import of {count:,} file{'' if count == 1 else 's'}",
        )
    return go_to(request, f"/opponents/imports/{job.id}")


def _found_job(request: Request) -> Job:
    job = house_of(request).jobs.find(visitor_of(request).key, request.path_params["id"])
    if job is None:
        raise HTTPException(404)
    return job


async def shown_import(request: Request) -> Response:
    """How far an import is; at its end what came in, and what was left out."""
    job = _found_job(request)
    return page(
        request,
        "opponents/import.html",
        title=job.title,
        job=job,
        news=job.news,
        found=job.result() if job.standing is JobState.DONE else None,
    )


async def end_import(request: Request) -> Response:
    """End an import; what is in the store stays there."""
    job = _found_job(request)
    house_of(request).jobs.cancel(job)
    if job.what == "uploads:take_in":
        shutil.rmtree(_batch(visitor_of(request), job.arguments["key"]), ignore_errors=True)
    return go_to(request, "/opponents")


async def events(request: Request) -> Response:
    """How far a job is, as it changes; at its end its page is loaded again."""
    return event_stream(_told(_found_job(request)))


async def _told(job: Job) -> AsyncIterator[str]:
    home = (
        f"/opponents/imports/{job.id}"
        if job.what == "uploads:take_in"
        else with_query("/opponents/player", **job.arguments["fields"])
    )
    async for news in job.watch():
        yield piece("opponents/progress.html", job=job, news=news, href=home)
        await asyncio.sleep(0.2)


TOPIC = Topic(
    "Opponents",
    "/opponents",
    "Bring in hand histories; see how each player deviates, what it is worth, and the hands behind it.",
    [
        Route("/opponents", index),
        Route("/opponents/player", player),
        Route("/opponents/again", again, methods=["POST"]),
        Route("/opponents/remark", remark, methods=["POST"]),
        Route("/opponents/hands", hands),
        Route("/opponents/beside", beside),
        Route("/opponents/upload", upload, methods=["POST"]),
        Route("/opponents/import", begin_import, methods=["POST"]),
        Route("/opponents/imports/{id:str}", shown_import),
        Route("/opponents/imports/{id:str}/end", end_import, methods=["POST"]),
        Route("/opponents/live/{id:str}", events),
    ],
)
