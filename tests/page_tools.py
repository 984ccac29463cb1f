"""For tests of the page: the application without a socket, a server of its own, and a browser.

from page_tools import chromium, needs_chromium, page, served  # noqa: F401
pytestmark = needs_chromium
"""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import uvicorn
from starlette.testclient import TestClient

from soulread.serve.web.app import make_app
from soulread.serve.web.house import Settings

PORT = 8642
HOME = f"http://127.0.0.1:{PORT}"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ARGUMENTS = (
    "--no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-component-update "
    "--disable-sync --headless --disable-quic"
).split()

needs_chromium = [
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed"),
    pytest.mark.compiled,
]


@contextmanager
def client(folder: Path, store: Path | None = None) -> Iterator[TestClient]:
    """The application, asked as its own pages ask."""
    settings = Settings(PORT, folder, None if store is None else str(store))
    with TestClient(make_app(settings), base_url=HOME, headers={"Origin": HOME}) as made:
        made.get("/")  # a session begins
        yield made


@contextmanager
def listening(folder: Path) -> Iterator[str]:
    """The application behind a socket, in a thread of this process; its address."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port = bound.getsockname()[1]
        app = make_app(Settings(port, folder))
        settings = uvicorn.Config(app, http="h11", ws="none", log_config=None, timeout_graceful_shutdown=1)
        server = uvicorn.Server(settings)
        thread = threading.Thread(target=server.run, args=([bound],))
        thread.start()
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            server.should_exit = True
            thread.join()


class Served:
    """A server in a process of its own, which can be killed and started again with the same folder."""

    def __init__(self, folder: Path, *words: str) -> None:
        self.folder = folder
        self._words = words
        self.port = 0
        self.start()

    @property
    def home(self) -> str:
        """The address without a path."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it, at the same port as before."""
        command = [sys.executable, "-m", "soulread", "serve", "--no-open", "--folder", str(self.folder)]
        self._log = (self.folder.parent / f"{self.folder.name}.log").open("a")
        self.process = subprocess.Popen(
            [*command, "--port", str(self.port), *self._words],
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:([0-9]+)/", line)
        assert found, line
        self.port = int(found[1])
        for _ in range(600):  # the socket listens already; the application answers soon
            try:
                urllib.request.urlopen(f"{self.home}/static/icon.svg", timeout=60).read()
                return
            except OSError:
                time.sleep(0.05)
        raise AssertionError("the server does not answer")

    def kill(self) -> None:
        """End it by SIGKILL."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self._let_go()

    def close(self) -> None:
        """End it."""
        self.process.terminate()
        self.process.wait(20)
        self._let_go()

    def _let_go(self) -> None:
        assert self.process.stdout is not None
        self.process.stdout.close()
        self._log.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server for the tests of a module; those that need a store start their own."""
    made = Served(tmp_path_factory.mktemp("page") / "kept")
    yield made
    made.close()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A browser for the tests of a module."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Any, served: Served) -> Iterator[Any]:
    """A window with a session of its own; the test fails if a script does, or asks for anything elsewhere."""
    with window(chromium, served) as made:
        yield made


@contextmanager
def window(browser: Any, served: Served, **settings: Any) -> Iterator[Any]:
    """The same for tests that need several, or one of another size or colour."""
    context = browser.new_context(base_url=served.home, **settings)
    context.set_default_timeout(60_000)
    made = context.new_page()
    wrong: list[str] = []
    made.on("pageerror", lambda error: wrong.append(f"script: {error}"))
    made.on(
        "console",
        lambda message: (
            wrong.append(f"console: {message.text}")
            if message.type == "error" and "Failed to load resource" not in message.text
            else None
        ),
    )
    made.on(
        "request",
        lambda request: (
            wrong.append(f"elsewhere: {request.url}")
            if not request.url.startswith((served.home, "data:", "about:"))
            else None
        ),
    )
    yield made
    context.close()
    assert not wrong, wrong


def serious(page: Any, *rules: str) -> list[str]:
    """What axe finds on a page that is serious or worse, in words; by some rules, or by all."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page, options={"runOnly": list(rules)} if rules else None).response["violations"]
    return [
        f"{one['id']}: {one['help']}: {[node['html'][:160] for node in one['nodes'][:4]]}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


def until(page: Any, holds: str) -> None:
    """Wait for an expression; Playwright's own way needs eval, which the page does not allow."""
    for _ in range(2400):
        if page.evaluate(holds):
            return
        page.wait_for_timeout(25)
    raise AssertionError(holds)


def sit_down(page: Any, game: str, *agents: str, name: str = "you") -> str:
    """Sit down at a table by the form of the page, and wait for the first decision; the table's path."""
    page.goto("/play")
    form = {"exact": game, "name": name, **{f"agent{seat}": one for seat, one in enumerate(agents, start=2)}}
    page.evaluate(
        """fields => {
            const form = Object.assign(document.createElement("form"), { method: "post", action: "/play" });
            for (const [name, value] of Object.entries(fields))
                form.append(Object.assign(document.createElement("input"), { name, value }));
            document.body.append(form);
            form.submit();
        }""",
        form,
    )
    page.wait_for_selector("#do-call, #do-next")
    page.wait_for_load_state("load")
    return str(urlsplit(page.url).path)
