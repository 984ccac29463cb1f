"""The server of the page: it listens on this machine only, and runs until it is interrupted."""

import socket
from collections.abc import Callable
from pathlib import Path

import uvicorn

from soulread.errors import SoulreadError
from soulread.hands.store import default_store
from soulread.serve.web.app import make_app
from soulread.serve.web.house import Settings

HOST = "127.0.0.1"
REPORTS = "reports"  # the folder of experiments, within that of the page
_GRACE = 1  # seconds in which answers under way may end; streams of events have no end


def page_folder() -> Path:
    """Where the page keeps things if nobody says otherwise: beside the user's own store."""
    return default_store().parent / "page"


def run(
    port: int, store: str | None, folder: Path | None, reports: Path | None, told: Callable[[str], None]
) -> None:
    """Serve the page; ``told`` is called with its address when it is there."""
    folder = page_folder() if folder is None else folder
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise SoulreadError(
            f"{str(folder)!r} cannot be made: {error.strerror or error}; name a folder with --folder"
        ) from None
    listening = _listen(port)
    port = listening.getsockname()[1]
    app = make_app(Settings(port, folder, store, reports or folder / REPORTS))
    settings = uvicorn.Config(
        app,
        http="h11",
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=_GRACE,
    )
    told(f"http://{HOST}:{port}/")
    with listening:
        uvicorn.Server(settings).run(sockets=[listening])


def _listen(port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((HOST, port))
    except OSError as error:
        listening.close()
        raise SoulreadError(
            f"the page cannot be at port {port}: {error.strerror or error}; --port names another, or 0 any"
        ) from None
    return listening
