"""Server-sent events: pieces of a page that the server sends when something changes.

A page has an element ``<div data-live="/play/ID/events">``. Its browser keeps a connection open there, and
puts every piece that comes in the place of the element with the same id. A connection that broke is opened
again by the browser, and whatever is sent begins with the present state: so nothing is lost.
"""

import asyncio
from collections.abc import AsyncIterator

from starlette.responses import StreamingResponse

ALIVE = 15.0  # seconds after which a comment tells that the connection is open
_RETRY = 1000  # milliseconds after which a browser opens it again


def event_stream(pieces: AsyncIterator[str]) -> StreamingResponse:
    """The answer that sends each piece of HTML as it comes."""
    return StreamingResponse(
        _encoded(pieces),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


async def _encoded(pieces: AsyncIterator[str]) -> AsyncIterator[str]:
    yield f"retry: {_RETRY}\n\n"
    coming = asyncio.ensure_future(anext(pieces, None))
    try:
        while True:
            done, _ = await asyncio.wait({coming}, timeout=ALIVE)
            if not done:
                yield ": still here\n\n"
                continue
            piece = coming.result()
            if piece is None:
                yield "event: end\ndata:\n\n"
                return
            yield encoded(piece)
            coming = asyncio.ensure_future(anext(pieces, None))
    finally:
        coming.cancel()


def encoded(piece: str) -> str:
    """A piece of HTML as an event."""
    lines = piece.replace("\r", "").split("\n")
    return "".join(f"data: {line}\n" for line in lines) + "\n"


class Channel:
    """Pieces for everybody who listens. Who is slow gets the newest ones only."""

    MOST_WAITING = 8

    def __init__(self) -> None:
        self._listeners: set[asyncio.Queue[str | None]] = set()

    def send(self, piece: str) -> None:
        """Send a piece to all who listen at present."""
        for queue in self._listeners:
            if queue.full():
                queue.get_nowait()
            queue.put_nowait(piece)

    async def listen(self, first: str = "") -> AsyncIterator[str]:
        """The pieces sent from now on, after the ``first`` one if it is not empty."""
        queue: asyncio.Queue[str | None] = asyncio.Queue(self.MOST_WAITING)
        self._listeners.add(queue)
        try:
            if first:
                yield first
            while (piece := await queue.get()) is not None:
                yield piece
        finally:
            self._listeners.discard(queue)

    def close(self) -> None:
        """Tell all who listen that nothing more comes."""
        for queue in self._listeners:
            if queue.full():
                queue.get_nowait()
            queue.put_nowait(None)

    def __len__(self) -> int:
        return len(self._listeners)
