"""Sockets that listen for players, and how players sit down.

Every seat has a port of its own. A player connects and sends ``VERSION:2.0.0``; comments may come before it.
How odd players end here:

    sends no VERSION within HELLO seconds       hung up on; the seat is free again
    another version, or any other first line    the same
    hangs up before the match begins            the seat is free again
    sends more than MOST_EARLY bytes before     the same
        the match begins
    a second client for a taken seat            hung up on; the first one keeps the seat
    a client once the match has begun           nobody listens any more: the connection is refused

If a seat is still free when the time for the start is over, the match does not begin.
"""

import selectors
import socket
import time
from collections.abc import Sequence
from contextlib import suppress

from soulread.errors import SoulreadError
from soulread.hands.formats.acpc import parse_version
from soulread.notices import tell
from soulread.serve.lines import LineSocket, PeerGone, PeerLate

HELLO = 10.0  # seconds that a client has for its first line
LOOPBACK = "127.0.0.1"
MOST_EARLY = 100_000  # bytes that a client may send before it is asked for anything


class Reception:
    """Sockets that listen, one for each seat that somebody takes from outside; ``names`` by seat."""

    def __init__(self, names: Sequence[str], host: str = LOOPBACK, ports: Sequence[int] = ()) -> None:
        self.names = list(names)
        self.hello = HELLO
        self._listening: list[socket.socket] = []
        wanted = list(ports) or [0] * len(names)
        if len(wanted) != len(names):
            raise SoulreadError(f"{len(wanted)} ports for {len(names)} seats that are taken by socket")
        try:
            for port in wanted:
                self._listening.append(_listen(host, port))
        except BaseException:
            self.close()
            raise

    @property
    def ports(self) -> list[int]:
        """The port of each seat."""
        return [int(listening.getsockname()[1]) for listening in self._listening]

    def close(self) -> None:
        """Listen no more."""
        for listening in self._listening:
            listening.close()

    def welcome(self, seconds: float) -> list[LineSocket]:
        """Wait until every seat is taken, then listen no more; a `SoulreadError` if that takes too long."""
        deadline = time.monotonic() + seconds
        clients: dict[int, _Client] = {}  # by seat
        try:
            with selectors.DefaultSelector() as selector:
                for seat, listening in enumerate(self._listening):
                    selector.register(listening, selectors.EVENT_READ, seat)
                while not self._complete(clients):
                    now = time.monotonic()
                    if now >= deadline:
                        raise SoulreadError(self._missing(clients, seconds))
                    self._end_silent(clients, selector, now)
                    silent = [client.deadline for client in clients.values() if not client.greeted]
                    events = selector.select(max(0.0, min([deadline, *silent]) - now))
                    events.sort(key=lambda event: isinstance(event[0].fileobj, socket.socket))
                    for key, _ in events:  # who leaves makes room for who comes
                        if isinstance(key.fileobj, socket.socket):
                            self._accept(key.data, clients, selector)
                        elif key.data in clients:
                            self._hear(key.data, clients, selector)
            return [clients[seat].lines for seat in range(len(self.names))]
        except BaseException:
            for client in clients.values():
                client.lines.close()
            raise
        finally:
            self.close()

    def _complete(self, clients: "dict[int, _Client]") -> bool:
        return len(clients) == len(self.names) and all(client.greeted for client in clients.values())

    def _accept(self, seat: int, clients: "dict[int, _Client]", selector: selectors.BaseSelector) -> None:
        try:
            connected, _ = self._listening[seat].accept()
        except OSError:  # gone again
            return
        if seat in clients:
            connected.close()
            tell(f"a second client came for the seat of {self.names[seat]!r}; it was hung up on")
            return
        clients[seat] = _Client(LineSocket(connected), time.monotonic() + self.hello)
        selector.register(clients[seat].lines, selectors.EVENT_READ, seat)

    def _hear(self, seat: int, clients: "dict[int, _Client]", selector: selectors.BaseSelector) -> None:
        """Take what a client sends: its version, or lines for later."""
        client = clients[seat]
        try:
            if not client.lines.receive(1.0):
                raise PeerGone("hung up before the match began")
            while not client.greeted and (line := client.lines.ready()) is not None:
                if line[:1] in ("#", ";"):
                    continue
                version = parse_version(line)
                if version is None or version[:2] != (2, 0):
                    raise PeerGone(f"began with {line[:60]!r}, not with 'VERSION:2.0.0'")
                client.greeted = True
            if client.lines.held > MOST_EARLY:
                raise PeerGone(f"sent more than {MOST_EARLY:,} bytes before the match began")
        except (PeerGone, PeerLate) as error:
            self._free(seat, clients, selector, str(error))

    def _end_silent(
        self, clients: "dict[int, _Client]", selector: selectors.BaseSelector, now: float
    ) -> None:
        for seat, client in list(clients.items()):
            if not client.greeted and now >= client.deadline:
                self._free(seat, clients, selector, f"sent no VERSION within {self.hello:g} s")

    def _free(
        self, seat: int, clients: "dict[int, _Client]", selector: selectors.BaseSelector, why: str
    ) -> None:
        client = clients.pop(seat)
        selector.unregister(client.lines)
        client.lines.close()
        tell(f"the client for the seat of {self.names[seat]!r} {why}; the seat is free again")

    def _missing(self, clients: "dict[int, _Client]", seconds: float) -> str:
        free = [
            repr(name)
            for seat, name in enumerate(self.names)
            if seat not in clients or not clients[seat].greeted
        ]
        return f"nobody took the seat of {' and '.join(free)} within {seconds:g} s"


class _Client:
    """Somebody who has connected."""

    def __init__(self, lines: LineSocket, deadline: float) -> None:
        self.lines = lines
        self.deadline = deadline  # for the first line
        self.greeted = False


def _listen(host: str, port: int) -> socket.socket:
    listening = None
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(8)
        return listening
    except (OSError, OverflowError, UnicodeError, TypeError) as error:  # the last two are of names
        if listening is not None:
            with suppress(OSError):
                listening.close()
        why = getattr(error, "strerror", None) or error
        raise SoulreadError(f"nobody can listen at port {port} of {host!r}: {why}") from None
