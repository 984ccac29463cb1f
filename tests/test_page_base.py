"""The base of the page: who may ask, processes that are asked, jobs that outlive the server, events."""

import asyncio
import json
import re
from typing import Any

import pytest
from page_tools import HOME, PORT, client
from starlette.testclient import TestClient

from soulread.errors import SoulreadError
from soulread.serve.web.app import make_app
from soulread.serve.web.desk import Desk, DeskGone, UnexpectedError
from soulread.serve.web.events import Channel, encoded, event_stream
from soulread.serve.web.house import Pool, Settings
from soulread.serve.web.jobs import MOST_TRIES, Job, Jobs, JobState
from soulread.serve.web.security import BOUNCE, MOST_BODY, POLICY, owner_of

ROOMS = "page_rooms"


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    with client(tmp_path_factory.mktemp("page")) as made:
        yield made


# The guard.


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        f"evil.example:{PORT}",
        "127.0.0.1",
        f"127.0.0.1:{PORT + 1}",
        f"127.0.0.1.evil:{PORT}",
        f"localhost:{PORT}.evil",
        "",
        f"[::1]:{PORT}",
    ],
)
def test_another_host_is_refused(asked, host) -> None:
    """A name of somebody else's that leads here (DNS rebinding) gets nothing."""
    answer = asked.get("/", headers={"Host": host})
    assert answer.status_code == 421
    assert "soulread" not in answer.text


def test_this_machine_has_two_names(asked) -> None:
    assert asked.get("/", headers={"Host": f"localhost:{PORT}"}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": f"http://127.0.0.1:{PORT + 1}"},
        {"Origin": f"http://localhost:{PORT}"},  # of this server, but not where the request went
        {"Origin": ""},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_post_from_elsewhere_is_refused(asked, headers) -> None:
    assert asked.post("/", headers=headers).status_code == 403


def test_a_post_needs_a_session_and_its_own_origin(tmp_path) -> None:
    with TestClient(make_app(Settings(PORT, tmp_path)), base_url=HOME) as made:
        assert made.post("/", headers={"Origin": HOME}).status_code == 403
        made.get("/")
        assert made.post("/").status_code == 403  # without Origin
        assert made.post("/", headers={"Origin": HOME}).status_code == 405  # there is no such form


def test_the_cookie_is_for_the_server_alone(tmp_path) -> None:
    with TestClient(make_app(Settings(PORT, tmp_path)), base_url=HOME) as made:
        cookie = made.get("/").headers["set-cookie"]
        token = re.match(rf"soulread-{PORT}=([A-Za-z0-9_-]{{43}}); ", cookie)
        assert token
        assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(cookie.split("; "))
        assert "set-cookie" not in made.get("/").headers
        assert "set-cookie" not in made.get("/static/main.js", headers={"Cookie": ""}).headers
        assert token[1] not in owner_of(token[1])
        made.cookies.clear()
        other = made.get("/").headers["set-cookie"]
        assert other != cookie
        for value in ("x", "a" * 42, "a" * 43 + "!", "../../etc" + "a" * 34):
            made.cookies.clear()
            answer = made.get("/", headers={"Cookie": f"soulread-{PORT}={value}"})
            assert "set-cookie" in answer.headers
    assert not list(tmp_path.iterdir())  # whoever only looks leaves nothing


def test_a_link_of_another_site_keeps_the_session(tmp_path) -> None:
    """The browser does not send the cookie then; the page is loaded once more, and no new session begins."""
    with TestClient(make_app(Settings(PORT, tmp_path)), base_url=HOME) as made:
        answer = made.get("/", headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"})
        assert answer.text == BOUNCE
        assert "set-cookie" not in answer.headers
        assert made.get("/", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403


def test_every_answer_has_the_headers_of_a_careful_server(asked) -> None:
    for path in ("/", "/static/main.js", "/static/page.css", "/nothing", "/static/nothing"):
        headers = asked.get(path).headers
        assert headers["content-security-policy"] == POLICY
        assert "unsafe" not in POLICY
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
    assert asked.get("/").headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2f..%2fapp.py",
        "/static/....//app.py",
        "/static/%00",
        "/static/C:%5Cx",
        "//etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/static/\\..\\app.py",
    ],
)
def test_paths_lead_nowhere_else(asked, path) -> None:
    answer = asked.get(path)
    assert 400 <= answer.status_code < 500
    assert "import" not in answer.text


def test_large_and_odd_requests(asked) -> None:
    assert asked.post("/", content=b"x" * (MOST_BODY + 1)).status_code == 413
    assert asked.get("/", headers={"X-Large": "x" * 20_000}).status_code == 431
    for method in ("PUT", "DELETE", "PATCH", "TRACE", "OPTIONS", "BREW"):
        assert asked.request(method, "/").status_code == 405

    def parts():
        yield b"x" * MOST_BODY
        yield b"x"

    assert asked.post("/", content=parts()).status_code in (405, 413)


def test_the_first_page_comes_whole_or_as_a_piece(asked) -> None:
    whole = asked.get("/").text
    assert whole.startswith("<!DOCTYPE html>")
    assert "<script" in whole
    found = asked.get("/", headers={"X-Soulread": "piece"}).text
    assert found.startswith("<main")
    assert "<script" not in found
    assert 'data-theme="dark"' in asked.get("/", headers={"Cookie": "soulread-theme=dark"}).text
    assert "evil" not in asked.get("/", headers={"Cookie": 'soulread-theme="><evil'}).text


def test_no_page_has_scripts_or_styles_within(asked) -> None:
    for path in ("/", "/nothing"):
        text = asked.get(path).text
        assert not re.search(r"\son[a-z]+=|\sstyle=|<style|javascript:", text)
        assert not re.search(r"<script(?![^>]*\ssrc=)", text)


# Processes.


def test_a_process_is_asked() -> None:
    async def run():
        desk = Desk("a test", ROOMS)
        done = []

        async def ask(what, *arguments):
            done.append((what, await desk.ask(what, *arguments)))

        await asyncio.gather(ask("odd:wait", 0.05), ask("odd:double", 21))
        assert [what for what, _ in done] == ["odd:wait", "odd:double"]  # in order
        assert done[1][1] == 42
        with pytest.raises(SoulreadError, match="the pot is empty"):
            await desk.ask("odd:complain")
        with pytest.raises(UnexpectedError, match="the terminal of the server says what"):
            await desk.ask("odd:break_down")
        assert not desk.busy
        waiting = asyncio.ensure_future(desk.ask("odd:wait", 60))
        await asyncio.sleep(0.05)
        assert desk.busy
        desk.end()
        with pytest.raises(DeskGone):
            await waiting
        with pytest.raises(DeskGone):
            await desk.ask("odd:double", 1)

    asyncio.run(run())


def test_a_process_that_dies_is_noticed() -> None:
    async def run():
        desk = Desk("a test", ROOMS)
        first = asyncio.ensure_future(desk.ask("odd:die"))
        second = asyncio.ensure_future(desk.ask("odd:double", 1))
        for one in (first, second):
            with pytest.raises(DeskGone):
                await one
        assert desk.ended

    asyncio.run(run())


# Jobs.


async def _over(job: Job) -> list[Any]:
    return [news async for news in job.watch()]


def test_a_job_says_how_far_it_is_and_keeps_its_result(tmp_path) -> None:
    async def run():
        jobs = Jobs(ROOMS)
        job = jobs.begin("ann", tmp_path, "odd:count", {"to": 3, "kept": str(tmp_path / "n"), "pause": 0.05})
        told = await _over(job)
        assert [news["at"] for news in told if news] == [0, 1, 2, 2]  # the last time when it ended
        assert job.standing is JobState.DONE
        assert job.result() == {"counted": 3, "began": 0}
        assert jobs.find("ann", job.id) is job
        assert jobs.find("bob", job.id) is None
        failed = jobs.begin("ann", tmp_path, "odd:count", {})
        await _over(failed)
        assert failed.standing is JobState.FAILED
        assert "terminal" in failed.error
        jobs.close()

    asyncio.run(run())


def test_nobody_waits_for_the_jobs_of_others(tmp_path) -> None:
    async def run():
        jobs = Jobs(ROOMS)
        endless = {"to": 10**6, "kept": str(tmp_path / "a"), "pause": 0.01}
        long = [jobs.begin("ann", tmp_path, "odd:count", endless) for _ in range(3)]
        short = jobs.begin("bob", tmp_path, "odd:count", {"to": 1, "kept": str(tmp_path / "b")})
        await _over(short)
        assert short.standing is JobState.DONE
        await asyncio.sleep(0.1)
        assert [job.standing for job in long[1:]] == [JobState.WAITING] * 2
        jobs.cancel(long[0])
        await _over(long[0])
        jobs.cancel(long[1])
        jobs.cancel(long[2])
        assert {job.standing for job in long} == {JobState.CANCELLED}
        jobs.cancel(short)
        assert short.standing is JobState.DONE
        jobs.close()

    asyncio.run(run())


def test_a_job_begins_anew_with_the_next_server(tmp_path) -> None:
    async def first():
        jobs = Jobs(ROOMS)
        arguments = {"to": 30, "kept": str(tmp_path / "n"), "pause": 0.01}
        job = jobs.begin("ann", tmp_path / "jobs", "odd:count", arguments)
        async for news in job.watch():
            if news and news["at"] >= 5:
                break
        jobs.close()  # as a kill leaves it: the file says that it runs
        return job.id

    async def second(id):
        jobs = Jobs(ROOMS)
        jobs.load("ann", tmp_path / "jobs")
        job = jobs.find("ann", id)
        assert job is not None
        await _over(job)
        jobs.close()
        return job.standing, job.result()

    id = asyncio.run(first())
    path = tmp_path / "jobs" / f"{id}.json"
    assert json.loads(path.read_bytes())["standing"] == "running"
    standing, result = asyncio.run(second(id))
    assert standing is JobState.DONE
    assert result["counted"] == 30
    assert result["began"] >= 4

    record = json.loads(path.read_bytes())
    path.write_text(json.dumps({**record, "standing": "running", "tries": MOST_TRIES}))
    (tmp_path / "jobs" / "bad.json").write_text("[")

    async def third():
        jobs = Jobs(ROOMS)
        jobs.load("ann", tmp_path / "jobs")
        found = jobs.of("ann")
        jobs.close()
        return found

    (job,) = asyncio.run(third())
    assert job.standing is JobState.FAILED


# Events.


def test_pieces_of_a_page_as_events() -> None:
    assert encoded("<p>a</p>\n<p>\rb</p>") == "data: <p>a</p>\ndata: <p>b</p>\n\n"

    async def run():
        channel = Channel()
        stream = event_stream(channel.listen("<p>first</p>"))

        async def hear():
            return [text async for text in stream.body_iterator]

        listening = asyncio.ensure_future(hear())
        await asyncio.sleep(0.01)
        assert len(channel) == 1
        for number in range(Channel.MOST_WAITING + 5):
            channel.send(f"<p>{number}</p>")
        await asyncio.sleep(0.01)
        channel.close()
        heard = await listening
        assert heard[0] == "retry: 1000\n\n"
        assert heard[1] == "data: <p>first</p>\n\n"
        assert heard[-1] == "event: end\ndata:\n\n"
        assert len(heard) <= 3 + Channel.MOST_WAITING
        assert len(channel) == 0

    asyncio.run(run())


def test_short_questions_share_a_few_processes() -> None:
    async def run():
        pool = Pool(2, ROOMS)
        first, second = await asyncio.gather(pool.ask("odd:wait", 0.2), pool.ask("odd:wait", 0.2))
        assert first != second
        found = [await pool.ask("odd:wait", 0) for _ in range(4)]
        assert set(found) <= {first, second}
        with pytest.raises(DeskGone):
            await pool.ask("odd:die")
        assert await pool.ask("odd:double", 4) == 8
        pool.close()

    asyncio.run(run())
