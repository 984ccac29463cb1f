"""Lines of text over a socket, with a limit in seconds for everything that waits.

A line ends with a line feed, before which a carriage return may stand; without a line feed there is no line
yet. A line has at most `MAX_LINE` characters. Bytes that are not ASCII are read as one odd character each, so
that a line with such bytes is no good line but does no harm.

Whoever sends a reply in two parts (the state, then the action) may have a system that keeps the second part
until the first one is acknowledged (Nagle's algorithm). If nothing is sent back, that takes 40 ms. So what
was received is acknowledged before anybody waits for more.
"""

import math
import socket
import struct
import sys
import time
from contextlib import suppress

from soulread.errors import SoulreadError
from soulread.hands.formats.acpc import MAX_LINE

_CHUNK = 2**16  # bytes
_ACKNOWLEDGE = getattr(socket, "TCP_QUICKACK", -1)  # Linux has it


def _packed(seconds: float) -> bytes:
    """A limit as the system takes it: seconds and microseconds, on Windows milliseconds; 0 would be none."""
    if sys.platform == "win32":
        return struct.pack("@L", max(1, min(round(1000 * seconds), 2**31)))
    whole = math.floor(seconds)
    return struct.pack("@ll", whole, min(max(1, round(1e6 * (seconds - whole))), 999_999))


class PeerGone(SoulreadError):
    """The other end of a connection has hung up."""


class PeerLate(SoulreadError):
    """The other end of a connection has sent no line in time, or takes none."""


class LineSocket:
    """A connected socket that gives and takes lines."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self._received = b""  # what has come of the next lines
        self._waiting: list[str] = []  # lines to be sent
        self._limits = {socket.SO_RCVTIMEO: 0.0, socket.SO_SNDTIMEO: 0.0}  # seconds; 0 means none
        connected.settimeout(None)  # the system keeps the limits, which takes one call in place of three
        self._unacknowledged = False  # whether something was received since the last lines were sent
        try:
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._is_tcp = _ACKNOWLEDGE >= 0
        except OSError:  # of another kind
            self._is_tcp = False

    def fileno(self) -> int:
        """The number of the socket, for selectors."""
        return self._socket.fileno()

    @property
    def held(self) -> int:
        """How many bytes have come that nobody has taken."""
        return len(self._received)

    def put(self, line: str) -> None:
        """Send a line with the next `flush`."""
        self._waiting.append(line)

    def flush(self, seconds: float) -> None:
        """Send the lines that wait; `PeerLate` if nobody takes them, `PeerGone` if there is nobody."""
        if not self._waiting:
            return
        lines, self._waiting = self._waiting, []
        lines.append("")
        self._unacknowledged = False  # what is sent acknowledges what was received
        try:
            self._limit(socket.SO_SNDTIMEO, seconds)
            self._socket.sendall("\r\n".join(lines).encode("ascii", "replace"))
        except BlockingIOError:
            raise PeerLate("takes no lines") from None
        except OSError as error:
            raise PeerGone(f"has hung up ({error.strerror or error})") from None

    def ready(self) -> str | None:
        """The next line that has come, without its end; None if there is none."""
        line, end_sign, rest = self._received.partition(b"\n")
        end = len(line)
        if end > MAX_LINE:
            what = f"a line of {end:,} bytes" if end_sign else f"{end:,} bytes without the end of a line"
            raise PeerGone(f"has sent {what}; {MAX_LINE:,} are allowed")
        if not end_sign:
            return None
        self._received = rest
        return line.removesuffix(b"\r").decode("ascii", "replace")

    def take(self, seconds: float) -> str:
        """The next line, without its end; `PeerLate` if none comes in time."""
        if self._received and (line := self.ready()) is not None:
            return line
        deadline = time.monotonic() + seconds
        while self.receive(seconds):
            if (line := self.ready()) is not None:
                return line
            seconds = deadline - time.monotonic()
        raise PeerGone("has hung up")

    def take_all(self, seconds: float) -> list[str]:
        """The lines that have come, without their ends; `PeerLate` if none comes in time.

        Of very many only the first one, so that good lines before one that is too long are taken.
        """
        lines = [self.take(seconds)]
        end = self._received.rfind(b"\n")
        if 0 <= end <= MAX_LINE:  # so none of these is too long
            text, self._received = self._received[:end], self._received[end + 1 :]
            lines += [line.removesuffix("\r") for line in text.decode("ascii", "replace").split("\n")]
        return lines

    def receive(self, seconds: float) -> bool:
        """Wait for bytes and take them; false if the other end has hung up."""
        if seconds <= 0:
            raise PeerLate("sends no line")
        try:
            self._limit(socket.SO_RCVTIMEO, seconds)
            if self._unacknowledged:
                self._socket.setsockopt(socket.IPPROTO_TCP, _ACKNOWLEDGE, 1)
            came = self._socket.recv(_CHUNK)
            self._unacknowledged = self._is_tcp
        except BlockingIOError:
            raise PeerLate("sends no line") from None
        except OSError as error:
            raise PeerGone(f"has hung up ({error.strerror or error})") from None
        self._received += came
        return bool(came)

    def _limit(self, option: int, seconds: float) -> None:
        """Let the system end a wait after so long; a limit for sending need not be exact, and stays."""
        known = self._limits[option]
        if known == seconds or (option == socket.SO_SNDTIMEO and known and seconds >= known):
            return
        self._socket.setsockopt(socket.SOL_SOCKET, option, _packed(seconds))
        self._limits[option] = seconds

    def close(self) -> None:
        """Hang up."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
