"""Our player at somebody else's table: a socket around `SeatedAgent`."""

import socket
import time

from soulread.errors import SoulreadError
from soulread.hands.formats.acpc import VERSION
from soulread.play.table.seated import SeatedAgent
from soulread.serve.lines import LineSocket, PeerGone, PeerLate

CONNECTING = 30.0  # seconds that a connection may take
_AGAIN = 0.1  # seconds after which a dealer that does not listen is tried again
PATIENCE = 86_400.0  # seconds without a line, after which a dealer is taken to be gone
_SENDING = 60.0


def connect(host: str, port: int, wait: float = 0.0) -> LineSocket:
    """Connect to a dealer and say who we are; a `SoulreadError` if nobody is there.

    A dealer that does not listen yet is tried again for ``wait`` seconds.
    """
    deadline = time.monotonic() + wait
    while True:
        try:
            connected = socket.create_connection((host, port), CONNECTING)
            break
        except (OSError, OverflowError, UnicodeError) as error:  # the last one is of names that are none
            refused = isinstance(error, ConnectionError)
            left = deadline - time.monotonic()
            if not refused or left <= 0:
                why = getattr(error, "strerror", None) or error
                waited = f", also after {wait:g} s" if refused and wait else ""
                raise SoulreadError(f"no dealer answers at port {port} of {host!r}{waited}: {why}") from None
            time.sleep(min(_AGAIN, left))
    lines = LineSocket(connected)
    lines.put(VERSION)
    return lines


def play(lines: LineSocket, player: SeatedAgent, patience: float = PATIENCE) -> str:
    """Play until the dealer hangs up; how that was, in words."""
    try:
        lines.flush(_SENDING)
        while True:
            for reply in player.receive_all(lines.take_all(patience)):
                lines.put(reply)
            lines.flush(_SENDING)
    except PeerGone as error:
        return f"the dealer {error}"
    except PeerLate as error:
        return f"the dealer {error}; it is taken to be gone"
    finally:
        lines.close()
