"""Hostile requests: on a raw socket, from other sites, names that are HTML: 4xx or text, nothing else."""

import re
import socket
from contextlib import closing
from dataclasses import replace

import pytest
from page_tools import Served, client
from starlette.routing import Route
from test_store import some_hands

from soulread.hands.store import Store
from soulread.serve.web.app import TOPICS
from soulread.serve.web.security import MOST_BODY, POLICY

pytestmark = pytest.mark.compiled
EVIL = '<script>alert("x")</script>'


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    made = Served(tmp_path_factory.mktemp("page") / "kept")
    yield made
    made.close()


def said(served, *parts):
    """All that the server says to these bytes until it closes the connection, or says nothing more."""
    with closing(socket.create_connection(("127.0.0.1", served.port), timeout=60)) as made:
        try:
            for part in parts:
                made.sendall(part)
            made.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # it has closed already
        found = b""
        try:
            while part := made.recv(65536):
                found += part
        except ConnectionError:
            pass
        return found


def statuses(answer):
    return [int(one) for one in re.findall(rb"HTTP/1\.1 ([0-9]{3}) ", answer)]


def asking(served, line=b"GET / HTTP/1.1", *headers, host=True):
    name = [b"Host: 127.0.0.1:%d" % served.port] if host else []
    return b"\r\n".join([line, *name, *headers, b"", b""])


def test_a_whole_request_on_a_raw_socket_is_answered(served) -> None:
    assert statuses(said(served, asking(served, b"GET / HTTP/1.1", b"Connection: close"))) == [200]


@pytest.mark.parametrize(
    "line",
    [
        b"GET",
        b"GET /",
        b"GET / HTTP/x.y",
        b"GET / HTTP/1.1 more",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",  # as TLS begins
        b"G\x00T / HTTP/1.1",
        b"GET /\x00 HTTP/1.1",
        b"GET /\xff\xfe HTTP/1.1",
        b"PRI * HTTP/2.0",
        b"CONNECT evil.example:443 HTTP/1.1",
        b"GET http://evil.example/ HTTP/1.1",
        b"GET ../../etc/passwd HTTP/1.1",
        b"GET /static/../../../etc/passwd HTTP/1.1",
        b"GET /" + b"x" * 70_000 + b" HTTP/1.1",
        b"\r\n\r\n\r\n",
    ],
)
def test_malformed_request_lines(served, line) -> None:
    found = said(served, asking(served, line, b"Connection: close"))
    assert all(400 <= status < 500 for status in statuses(found)), found[:200]
    assert b"root:" not in found
    assert b"Traceback" not in found


@pytest.mark.parametrize(
    "headers",
    [
        (b"Content-Length: -1",),
        (b"Content-Length: 5", b"Content-Length: 6"),
        (b"Content-Length: 99999999999999999999",),
        (b"Transfer-Encoding: chunked", b"Content-Length: 5"),
        (b"Transfer-Encoding: gzip, chunked",),
        (b"X" * 70_000 + b": y",),
        (b"No colon",),
        (b" folded: yes",),
        (b"Bad name: x",),
        (b"X: a\x00b",),
        (b"Host: evil.example",),
        *[tuple(b"X-%d: %s" % (n, b"y" * 100) for n in range(300))],
    ],
)
def test_malformed_headers(served, headers) -> None:
    found = said(
        served, asking(served, b"POST /play HTTP/1.1", *headers, b"Connection: close"), b"5\r\nhello\r\n"
    )
    assert found == b"" or all(400 <= status < 500 for status in statuses(found)), found[:200]
    assert 200 not in statuses(found)
    assert b"Traceback" not in found


def test_no_host_or_another_one(served) -> None:
    for name in (b"", b"Host: evil.example", b"Host: 127.0.0.1", b"Host: localhost.evil:%d" % served.port):
        headers = [name] if name else []
        found = said(served, asking(served, b"GET / HTTP/1.1", *headers, b"Connection: close", host=False))
        assert statuses(found) in ([400], [421])
        assert b"<html" not in found


def test_a_second_request_cannot_be_smuggled_into_a_body(served) -> None:
    """The body of a refused request is no request of its own."""
    inner = asking(served, b"GET /static/icon.svg HTTP/1.1")
    head = asking(served, b"POST /play HTTP/1.1", b"Content-Length: %d" % len(inner))
    found = said(served, head, inner)
    assert statuses(found) == [403]
    assert b"<svg" not in found


def test_a_body_without_end_is_cut_off(served) -> None:
    """Chunks come on and on; what is taken in has a bound, and the server answers others meanwhile."""
    origin = b"Origin: http://127.0.0.1:%d" % served.port
    cookie = b"Cookie: soulread-%d=%s" % (served.port, b"a" * 43)
    form = b"Content-Type: application/x-www-form-urlencoded"
    head = asking(served, b"POST /play HTTP/1.1", origin, cookie, form, b"Transfer-Encoding: chunked")
    chunk = b"8000\r\n" + b"x" * 0x8000 + b"\r\n"
    found = said(served, head, *[chunk] * 40)
    assert statuses(found) == [413]
    assert statuses(said(served, asking(served, b"GET / HTTP/1.1", b"Connection: close"))) == [200]
    assert MOST_BODY < 40 * 0x8000


def test_a_request_that_never_ends_holds_nobody_up(served) -> None:
    with closing(socket.create_connection(("127.0.0.1", served.port), timeout=60)) as slow:
        slow.sendall(b"GET / HTTP/1.1\r\nHost: 127")
        assert statuses(said(served, asking(served, b"GET / HTTP/1.1", b"Connection: close"))) == [200]


# Names ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """A store in which a player, a room's table and a file are called by a script."""
    folder = tmp_path_factory.mktemp("names")
    hands = [
        replace(
            hand,
            players=tuple(EVIL if one == "Ann" else one for one in hand.players),
            table=EVIL,
            room=EVIL,
            source=f"{EVIL}.txt",
        )
        for hand in some_hands(30, 3)
    ]
    with Store.open(folder / "hands.db") as store:
        store.add(hands)
    with client(folder / "kept", folder / "hands.db") as made:
        yield made


PAGES = (
    "/",
    "/play",
    "/review",
    "/opponents",
    "/opponents?q={evil}&where={evil}&label={evil}&sort={evil}",
    "/opponents?room={evil}",
    "/opponents/player?player={evil}",
    "/opponents/player?player={evil}&view=statistics&by=position",
    "/opponents/player?player={evil}&view=results&by=room",
    "/opponents/player?player=Nobody{evil}",
    "/opponents/hands?player={evil}&words={evil}",
    "/opponents/hands?player={evil}&stat=vpip",
    "/opponents/beside?player={evil}&other=Bob",
    "/opponents/beside?player={evil}&other={evil}",
    "/review/store/1?player={evil}",
    "/spots",
    "/spots/new?oop={evil}&board={evil}",
    "/experiments",
    "/experiments/{evil}",
    "/{evil}",
    "/play/{evil}",
    "/opponents/imports/{evil}",
)


@pytest.mark.parametrize("path", PAGES)
def test_names_are_text_on_every_page(asked, path) -> None:
    """No page has a script, a style or a handler within; the policy forbids what would get through."""
    address, _, query = path.partition("?")
    pairs = [pair.partition("=") for pair in query.split("&") if pair]
    answer = asked.get(
        address.replace("{evil}", "%3Cscript%3Ealert(1)%3C%2Fscript%3E"),
        params={name: value.replace("{evil}", EVIL) for name, _, value in pairs},
    )
    assert answer.status_code in (200, 400, 404)
    assert "<script>" not in answer.text.lower()
    for tag in re.findall(r"<(?:[^>\"]|\"[^\"]*\")*>", answer.text):
        bare = re.sub(r'"[^"]*"', '""', tag)
        assert not re.search(r"\son[a-z]+\s*=|\sstyle\s*=", bare), tag
        assert not re.match(r"<script(?![^>]*\ssrc=)", tag), tag
        assert "javascript:" not in tag
    assert "<style" not in answer.text
    assert answer.headers["content-security-policy"] == POLICY


def test_the_evil_name_stands_on_the_pages_as_text(asked) -> None:
    """So that the test above looks at pages that show it."""
    escaped = "&lt;script&gt;alert("
    for path in ("/opponents", "/opponents/player?view=results", "/opponents/hands", "/review/store/1"):
        text = asked.get(path.partition("?")[0], params={"player": EVIL, "view": "results"}).text
        assert escaped in text, path


# Forms ----------------------------------------------------------------------------------------------


def posts():
    """The path of every form of the page, and the bytes that its body may have."""
    routes = [route for topic in TOPICS for route in topic.routes if isinstance(route, Route)]
    return sorted(
        (re.sub(r"\{[^}]*\}", "0123456789ab", route.path), getattr(route.endpoint, "most_body", MOST_BODY))
        for route in routes
        if "POST" in (route.methods or ())
    )


@pytest.mark.parametrize(("path", "most"), posts())
def test_forms_of_other_sites_and_odd_bodies_change_nothing(asked, path, most) -> None:
    def files():
        kept = asked.app.state.house.settings.folder
        return sorted(str(one) for one in kept.rglob("*") if one.is_file())

    before = files()
    for headers in (
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Host": "evil.example"},
    ):
        assert asked.post(path, data={"player": "Bob"}, headers=headers).status_code in (403, 421)
    if path != "/opponents/upload":  # whose body is a file
        bound = "multipart/form-data; boundary=x"
        for kind, body in (
            (bound, b"--x\r\nContent-Disposition: form-data; name=a\r\n\r\n" + b"1" * 100),
            (bound, b"--y--"),
            ("multipart/form-data", b""),
            ("application/json", b"{}"),
            ("text/plain", b"a=b"),
            ("application/x-www-form-urlencoded", b"\xff\xfe=1"),
            ("application/x-www-form-urlencoded", b"&".join(b"a%d=1" % n for n in range(1000))),
        ):
            answer = asked.post(path, content=body, headers={"Content-Type": kind}, follow_redirects=False)
            assert answer.status_code in (303, 400, 404), (kind, answer.status_code)
            assert "Traceback" not in answer.text
        length = {"Content-Length": str(most + 1)}  # what is announced is refused before it comes
        assert asked.post(path, content=b"x", headers=length).status_code == 413
    assert files() == before
