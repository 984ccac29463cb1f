"""The page under load: how long 20 people who play wait for answers, and what 20,000 requests leave behind.

    python benchmarks/bench_page.py [--sessions 20] [--seconds 60] [--pause 0.5] [--requests 20000]

Sessions of their own play Leduc and limit hold'em against agents that cost next to nothing. Each thinks for
``--pause`` seconds and acts; each time it also asks another server, of the same make and in the same run, for
an empty page. What counts is the 95th percentile of the answers to actions and new hands beside that of the
empty pages: their ratio and their difference, which must be under 100 ms.

Then the same sessions send ``--requests`` requests without thinking: actions, tables, reads, lists. The
memory and the open files of the server and its processes are looked at after a tenth of them and at the end.
The exit code is 1 if the difference is 100 ms or more, if memory grew by more than `GROWTH`, or files by any.
"""

import argparse
import http.client
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

import numpy as np

GAMES = (("leduc", "always-raise"), ("limit", "always-call"), ("leduc", "random"), ("limit", "random"))
MOST = 0.1  # seconds that an answer may take longer than an empty page, at the 95th percentile
GROWTH = 32  # MB
EMPTY = """
import sys, uvicorn
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route
app = Starlette(routes=[Route("/", lambda request: Response("", media_type="text/html"))])
uvicorn.run(app, port=int(sys.argv[1]), http="h11", ws="none", log_config=None, access_log=False)
"""


@contextmanager
def started(*command: str) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(30)


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def wait_for(port: int) -> None:
    for _ in range(1200):
        try:
            http.client.HTTPConnection("127.0.0.1", port, timeout=30).request("GET", "/static/icon.svg")
            return
        except OSError:
            time.sleep(0.1)
    raise SystemExit("a server does not answer")


def exchange(
    server: http.client.HTTPConnection, method: str, path: str, body: str | None, headers: dict[str, str]
) -> tuple[http.client.HTTPResponse, str]:
    """An answer and its text; a connection that the server has closed meanwhile is opened again."""
    for last in (False, True):
        try:
            server.request(method, path, body, headers)
            answer = server.getresponse()
            return answer, answer.read().decode()
        except (OSError, http.client.HTTPException):
            server.close()
            if last:
                raise
    raise AssertionError


class Person:
    """A session that plays at one table."""

    def __init__(self, port: int, empty: int, game: str, agent: str) -> None:
        self._server = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self._empty = http.client.HTTPConnection("127.0.0.1", empty, timeout=120)
        self._origin = f"http://127.0.0.1:{port}"
        self._cookie = ""
        self.waited: list[float] = []  # for answers to actions and new hands
        self.blank: list[float] = []  # for empty pages
        self.asked = self.hands = 0
        self._cookie = self._ask("GET", "/play")[1].partition(";")[0]
        self.home = self._ask("POST", "/play", exact=game, agent2=agent, name="Ann")[2]
        self.text = ""
        while "data-at=" not in self.text:
            time.sleep(0.2)
            self.text = self.get(self.home)

    def _ask(self, method: str, path: str, piece: bool = False, **form: str) -> tuple[str, str, str]:
        """The text of an answer, the cookie it sets, and where it leads."""
        headers = {"Origin": self._origin, "Cookie": self._cookie}
        if piece:
            headers["X-Soulread"] = "piece"
        if form:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        body = urlencode(form) if form else None
        answer, text = exchange(self._server, method, path, body, headers)
        self.asked += 1
        if answer.status >= 500 or (answer.status >= 400 and "/act" not in path and "/next" not in path):
            raise RuntimeError(f"{method} {path}: {answer.status} {text[-600:]}")
        return text, answer.getheader("Set-Cookie", ""), answer.getheader("Location", "")

    def get(self, path: str) -> str:
        """The text of a page."""
        return self._ask("GET", path)[0]

    def step(self) -> None:
        """Act, or ask for the next hand."""
        at = re.search(r'data-at="([^"]+)"', self.text)
        if at is not None and "do-next" in self.text:
            self.text = self._ask("POST", f"{self.home}/next", True, at=at[1])[0]
        elif at is not None and "do-call" in self.text:
            self.text = self._ask("POST", f"{self.home}/act", True, at=at[1], word="call")[0]
        else:
            self.text = self.get(self.home)
        hand = re.search(r"<span>hand ([0-9,]+)</span>", self.text)
        self.hands = int(hand[1].replace(",", "")) if hand else self.hands

    def blank_page(self) -> None:
        """Ask for an empty page."""
        exchange(self._empty, "GET", "/", None, {})

    def play(self, seconds: float, pause: float) -> None:
        """Play for a while, and ask for an empty page beside each action."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for ask, times in ((self.step, self.waited), (self.blank_page, self.blank)):
                time.sleep(pause * np.random.default_rng().uniform(0.5, 1.5) / 2)
                begun = time.perf_counter()
                ask()
                times.append(time.perf_counter() - begun)

    def hurry(self, count: int) -> None:
        """Send requests of all kinds without thinking."""
        others = (self.home, f"{self.home}/read", "/play", "/", "/opponents", "/static/main.js")
        for number in range(count):
            self.get(others[number // 2 % len(others)]) if number % 2 else self.step()


def side_by_side(people: list[Person], what: str, *arguments: float) -> None:
    with ThreadPoolExecutor(len(people)) as pool:
        for done in [pool.submit(getattr(one, what), *arguments) for one in people]:
            done.result()


def family(parent: int) -> list[int]:
    """A process and all below it."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    found = [parent]
    for one in found:
        found += [child for child, its in parents.items() if its == one]
    return found


def held(process: int) -> tuple[float, float, int, int]:
    """MB of the server, MB of its processes, their number, and open files of the server."""
    sizes = []
    for one in family(process):
        text = Path(f"/proc/{one}/status").read_text()
        found = re.search(r"VmRSS:\s+([0-9]+) kB", text)
        sizes.append(int(found[1]) / 1024 if found else 0.0)
    return sizes[0], sum(sizes[1:]), len(sizes) - 1, len(os.listdir(f"/proc/{process}/fd"))


def told(what: str, times: list[float]) -> float:
    quick, slow = np.percentile(times, [50, 95])
    print(f"{what:<28}{len(times):>8,} answers  median {1000 * quick:7.1f} ms  95th {1000 * slow:7.1f} ms")
    return float(slow)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--pause", type=float, default=0.5)
    parser.add_argument("--requests", type=int, default=20_000)
    asked = parser.parse_args()
    port, empty = free_port(), free_port()
    with tempfile.TemporaryDirectory() as folder:
        serve = [sys.executable, "-m", "soulread", "serve", "--no-open", "--port", str(port)]
        serve += ["--folder", f"{folder}/page", "--db", f"{folder}/hands.db"]
        with started(*serve) as server, started(sys.executable, "-c", EMPTY, str(empty)):
            wait_for(port)
            wait_for(empty)
            people = [Person(port, empty, *GAMES[k % len(GAMES)]) for k in range(asked.sessions)]
            print(f"{len(people)} tables are there; load {os.getloadavg()[0]:.1f}", flush=True)
            side_by_side(people, "hurry", 12)  # everything was asked once
            side_by_side(people, "play", asked.seconds, asked.pause)
            slow = told("actions and new hands", [t for one in people for t in one.waited])
            blank = told("empty pages", [t for one in people for t in one.blank])
            print(
                f"at the 95th percentile: {slow / blank:.1f} times, {1000 * (slow - blank):+.1f} ms",
                flush=True,
            )
            part = asked.requests // (10 * len(people))
            side_by_side(people, "hurry", part)
            before, first = held(server.pid), sum(one.asked for one in people)
            begun = time.monotonic()
            side_by_side(people, "hurry", 9 * part)
            after, last = held(server.pid), sum(one.asked for one in people)
            rate = (last - first) / (time.monotonic() - begun)
            print(f"{last:,} requests, {rate:,.0f} a second; load {os.getloadavg()[0]:.1f}")
            for count, (own, processes, number, files) in ((first, before), (last, after)):
                print(
                    f"after {count:>7,}: server {own:.0f} MB, {number} processes {processes:,.0f} MB, "
                    f"{files} open files of the server"
                )
            own, processes = after[0] - before[0], after[1] - before[1]
            print(f"grown by {own:+.1f} MB and {processes:+.1f} MB, {after[3] - before[3]:+d} files")
    print(f"{sum(one.hands for one in people):,} hands were played")
    return int(slow - blank >= MOST or own > GROWTH or after[3] > before[3])


if __name__ == "__main__":
    sys.exit(main())
