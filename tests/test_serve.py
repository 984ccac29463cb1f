"""Matches over sockets: odd players, odd dealers, files from which a match is resumed, the two commands."""

import logging
import mmap
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import naive_acpc as naive
import pytest
from click.testing import CliRunner
from named import make_agent

from soulread.cli import cli
from soulread.errors import SoulreadError
from soulread.games.named import parse_game
from soulread.hands.formats.acpc import MAX_LINE, betting_codes, read_log_file
from soulread.hands.formats.gamedef import table_game
from soulread.hands.formats.reading import read_hands
from soulread.hands.hand import Hand
from soulread.play.agent import Agent
from soulread.play.opponents.baselines import AlwaysCall, Random
from soulread.play.table.clock import Clock, ClockLimits
from soulread.play.table.dealing import Dealer, MatchTerms
from soulread.play.table.seated import SeatedAgent
from soulread.serve import dealing as dealing_over_sockets
from soulread.serve import journal
from soulread.serve.dealing import MOST_REMARKS, AgentSeat, MatchTable, TableSeat
from soulread.serve.journal import MatchFiles
from soulread.serve.lines import LineSocket, PeerGone, PeerLate
from soulread.serve.playing import connect, play
from soulread.serve.welcome import Reception
from soulread.storage.kinds import replacing_anything
from soulread.streams import MatchStreams

LEDUC = parse_game("leduc")
NAMES = ("Ann", "Bob")
Client = Callable[[socket.socket], None]


opened: list[socket.socket] = []


@pytest.fixture(autouse=True)
def close_sockets() -> Iterator[None]:
    """Whatever a test opens is closed after it."""
    yield
    while opened:
        opened.pop().close()


def socketpair() -> tuple[socket.socket, socket.socket]:
    ends = socket.socketpair()
    opened.extend(ends)
    return ends


@contextmanager
def at_once(*work: Callable[[], object]) -> Iterator[None]:
    """Run functions in threads; all must end soon."""
    threads = [threading.Thread(target=function, daemon=True) for function in work]
    for thread in threads:
        thread.start()
    yield
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()


def agent_seat(agent: Agent | None = None, seed: int = 0, **more: Any) -> AgentSeat:
    return AgentSeat(SeatedAgent(LEDUC, agent or AlwaysCall(), seed, **more))


def told_by(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records]


# Players.


def lines_of(connected: socket.socket) -> Iterator[str]:
    """The lines that come, as long as they come."""
    lines = LineSocket(connected)
    while True:
        try:
            yield lines.take(10)
        except PeerGone:
            return


def to_reply(connected: socket.socket) -> Iterator[str]:
    """The lines that come where it is the turn of whoever gets them."""
    for line in lines_of(connected):
        if naive_turn(line):
            yield line


def naive_turn(line: str) -> bool:
    """Whether it is the turn of whoever gets a line."""
    _, position, _, betting, _ = line.split(":")
    now = naive.Position(naive.LEDUC, betting)
    return not now.over and now.turn == int(position)


def calling(connected: socket.socket, end: str = "\r\n", before: str = "") -> None:
    for line in to_reply(connected):
        connected.sendall(f"{before}{line}:c{end}".encode())


def silent(connected: socket.socket) -> None:
    for _ in lines_of(connected):
        pass


def leaving_at_its_turn(connected: socket.socket) -> None:
    next(to_reply(connected))
    connected.close()


def leaving_in_its_turn(connected: socket.socket) -> None:
    connected.sendall(next(to_reply(connected))[:9].encode())
    connected.close()


def leaving_after_its_turn(connected: socket.socket) -> None:
    connected.sendall(f"{next(to_reply(connected))}:c\n".encode())
    connected.close()


def leaving_at_once(connected: socket.socket) -> None:
    connected.close()


def carriage_returns(connected: socket.socket) -> None:
    calling(connected, end="\r")


def talking(connected: socket.socket) -> None:
    """Sends comments for seconds, and then a reply; the dealer does not wait so long."""
    line = next(to_reply(connected))
    try:
        for _ in range(2000):
            connected.sendall(b"# still thinking\n;\n")
            time.sleep(0.002)
        connected.sendall(f"{line}:c\n".encode())
    except OSError:
        return
    raise AssertionError("the dealer waited for seconds")


def flooding(connected: socket.socket) -> None:
    """Sends comments faster than anybody reads them."""
    next(to_reply(connected))
    comments = b"#\n" * 2**15
    deadline = time.monotonic() + 20
    with suppress(OSError):
        while time.monotonic() < deadline:
            connected.sendall(comments)
        raise AssertionError("the dealer read comments for seconds")


def leaving_after_a_hand(connected: socket.socket) -> None:
    for line in lines_of(connected):
        if naive.Position(naive.LEDUC, line.split(":")[3]).over:
            connected.close()
            return
        if naive_turn(line):
            connected.sendall(f"{line}:c\n".encode())


def cutting_the_line(connected: socket.socket) -> None:
    """Ends the connection without a farewell, so that the dealer cannot write either."""
    connected.sendall(f"{next(to_reply(connected))}:c\n".encode())
    with suppress(OSError):
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connected.close()


def endless(connected: socket.socket) -> None:
    next(to_reply(connected))
    with suppress(OSError):
        for _ in range(100):
            connected.sendall(b"x" * MAX_LINE)


def late(connected: socket.socket) -> None:
    line = next(to_reply(connected))
    time.sleep(0.5)
    with suppress(OSError):
        connected.sendall(f"{line}:c\n".encode())


@pytest.mark.parametrize(
    ("client", "message"),
    [
        (silent, r"hand 0 after 'c': 'Bob' took more than 0.3 s for a decision"),
        (late, r"hand 0 after 'c': 'Bob' took more than 0.3 s for a decision"),
        (carriage_returns, r"hand 0 after 'c': 'Bob' took more than 0.3 s for a decision"),
        (talking, r"hand 0 after 'c': 'Bob' took more than 0.3 s for a decision"),
        (leaving_at_once, r"hand 0 after 'c': 'Bob' has hung up"),
        (leaving_at_its_turn, r"hand 0 after 'c': 'Bob' has hung up"),
        (leaving_in_its_turn, r"hand 0 after 'c': 'Bob' has hung up"),
        (leaving_after_its_turn, r"hand 0 after 'cc/c': 'Bob' has hung up"),
        (flooding, r"hand 0 after 'c': 'Bob' took more than 0.3 s for a decision"),
        (leaving_after_a_hand, r"hand 1 after '': 'Bob' has hung up"),
        (cutting_the_line, r"hand 0 after 'cc/c': 'Bob' has hung up"),
        (endless, r"hand 0 after 'c': 'Bob' has sent .* bytes without the end of a line"),
    ],
)
def test_players_that_end_a_match(client: Client, message: str) -> None:
    ours, theirs = socketpair()
    dealer = Dealer(MatchTerms(LEDUC, NAMES, 5, 0))
    clock = Clock(ClockLimits(decision=0.3), 2, 5)
    table = MatchTable(dealer, [agent_seat(), LineSocket(ours)], clock)
    with at_once(lambda: client(theirs)), pytest.raises(SoulreadError, match=message):
        table.play()
    assert ours.fileno() == -1  # everybody is hung up on


def wordy(connected: socket.socket) -> None:
    """Sends garbage, half lines and comments before each reply, and each reply twice."""
    for line in to_reply(connected):
        garbage = b"\x00\xff\x1b[2J\n\r\n" + b"MATCHSTATE:0:0::Qh|:c\n" + b"# hm\n" + line.encode() + b"\n"
        connected.sendall(garbage + line[:7].encode())
        time.sleep(0.001)
        connected.sendall(f"{line[7:]}:c\r\n{line}:c\n".encode())


def odd_actions(connected: socket.socket) -> None:
    for number, line in enumerate(to_reply(connected)):
        connected.sendall(f"{line}:{('c and more', 'x', 'f', '', 'rr')[number % 5]}\n".encode())


@pytest.mark.parametrize("client", [calling, wordy, odd_actions, lambda c: calling(c, "\n", "; a\n")])
def test_players_that_are_odd_and_play_on(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    """Each plays the match of somebody who always calls, to the last hand."""
    ours, theirs = socketpair()
    dealer = Dealer(MatchTerms(LEDUC, NAMES, 25, 0))
    table = MatchTable(dealer, [agent_seat(), LineSocket(ours)], Clock(ClockLimits(), 2, 25))
    with at_once(lambda: client(theirs)), caplog.at_level(logging.WARNING, "soulread"):
        score = table.play()
    usual = MatchTable(Dealer(dealer.terms), [agent_seat(), agent_seat()], Clock(ClockLimits(), 2, 25))
    assert score == usual.play()
    assert table.times[0].number == table.times[1].number == usual.times[1].number == 50
    assert bool(table.remarks[1]) == (client in (wordy, odd_actions))
    told = told_by(caplog)
    assert len(told) == min(table.remarks[1], MOST_REMARKS + 1)
    if client is odd_actions:
        assert told[0] == "'Bob': hand 0: 'c and more' is no action; it counts as a call"
        assert told[-1] == "'Bob': there are more than 20 remarks; no more are shown"
    if client is wordy:
        assert "is no reply to 'MATCHSTATE:1:0:c:|" in told[0]


def test_all_clocks_of_a_table() -> None:
    """The limits for a hand and for the match end it too; times of earlier decisions count."""
    for limits, used, message in [
        (ClockLimits(9, 10, 9), (0.0, 10.0), "took more than 10 s for the decisions of a hand"),
        (ClockLimits(9, 10, 2), (0.0, 9.9), "took more than 2 s a hand over the match"),
    ]:
        clock = Clock(limits, 2, 5)
        clock.spend(1, used[1])
        if "match" in message:
            clock.next_hand()
            clock.spend(1, 0.1)
        ours, theirs = socketpair()
        table = MatchTable(Dealer(MatchTerms(LEDUC, NAMES, 5, 0)), [agent_seat(), LineSocket(ours)], clock)
        with at_once(partial(silent, theirs)), pytest.raises(SoulreadError, match=message):
            table.play()


def test_lines_that_came_together() -> None:
    """States that were overtaken are left out; all else is read, and good lines before one without end."""
    ours, theirs = socketpair()
    lines = LineSocket(ours)
    told = ["MATCHSTATE:0:4:r:Qh|", "MATCHSTATE:0:4:rrc/:Qh|/Kh", "MATCHSTATE:0:4:rrc/rf:Qh|/Kh"]
    more = ["MATCHSTATE:", "MATCHSTATE:0:5:c:Qh|", "MATCHSTATE:1:6:c:|Qh", "MATCHSTATE:1:7:c:|Qh"]
    theirs.sendall("\r\n".join([*told, *more, "half"]).encode())
    came = lines.take_all(5)
    assert came == [*told, *more]
    theirs.sendall("\n".join([" a line", "\xe9", "x" * (MAX_LINE + 10), ""]).encode("latin-1"))
    assert lines.take_all(5) == ["half a line"]
    assert lines.take_all(5) == ["\ufffd"]
    with pytest.raises(PeerGone, match="a line of 10,010 bytes"):
        lines.take_all(5)
    player = SeatedAgent(LEDUC, AlwaysCall(), 0)
    assert player.receive_all(came) == [f"{line}:c" for line in more[2:]]
    assert (player.hands, player.ignored) == (1, 1)


def test_nobody_waits_for_somebody_who_takes_no_lines() -> None:
    ours, _ = socketpair()
    lines = LineSocket(ours)
    lines.put("x" * 10**7)
    with pytest.raises(PeerLate, match="takes no lines"):
        lines.flush(0.05)
    lines.close()


class Wire(socket.socket):
    """A socket that writes down in which order it is used."""

    def __init__(self, port: int) -> None:
        super().__init__()
        self.connect(("127.0.0.1", port))
        self.uses: list[str] = []

    def sendall(self, content: Any, *more: Any) -> None:
        self.uses.append("send")
        super().sendall(content, *more)

    def recv(self, *more: Any) -> bytes:
        self.uses.append("receive")
        return super().recv(*more)

    def setsockopt(self, level: int, option: int, *more: Any) -> None:
        if option == getattr(socket, "TCP_QUICKACK", -1):
            self.uses.append("acknowledge")
        super().setsockopt(level, option, *more)


@pytest.mark.skipif(not hasattr(socket, "TCP_QUICKACK"), reason="this system cannot be asked for it")
def test_half_a_reply_is_acknowledged_before_the_rest_is_waited_for() -> None:
    """Else a player who sends a reply in two parts waits 40 ms each time. Whole replies need nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        wire = Wire(listening.getsockname()[1])
        theirs, _ = listening.accept()
    opened.extend((wire, theirs))
    lines = LineSocket(wire)
    for _ in range(3):
        lines.put("told")
        lines.flush(5)
        theirs.sendall(b"a whole reply\r\n")
        assert lines.take(5) == "a whole reply"
    assert wire.uses == ["send", "receive"] * 3
    wire.uses.clear()
    theirs.sendall(b"half a ")
    with at_once(lambda: theirs.sendall(b"reply\n") if wait_for(wire.uses, 3) else None):
        lines.put("told")
        lines.flush(5)
        assert lines.take(5) == "half a reply"
    assert wire.uses == ["send", "receive", "acknowledge", "receive"]


def wait_for(uses: list[str], number: int) -> bool:
    """Whether so much has been done, soon."""
    deadline = time.monotonic() + 5
    while len(uses) < number and time.monotonic() < deadline:
        time.sleep(0.001)
    return len(uses) >= number


class Witness(AgentSeat):
    """A seat that compares what it is told with what was kept before."""

    def __init__(self, kept: list[str]) -> None:
        super().__init__(SeatedAgent(LEDUC, Random(), 0))
        self.kept = kept
        self.told = 0

    def put(self, line: str) -> None:
        number, betting = line.split(":")[2:4]
        assert betting_codes(betting) == [
            kept.split(" ")[1] for kept in self.kept if kept.startswith(f"{number} ")
        ]
        self.told += 1
        super().put(line)


def test_an_action_is_kept_before_anybody_hears_of_it() -> None:
    kept: list[str] = []
    ends: list[str] = []

    class Keeping:
        def act(self, number: int, player: int, action: str, seconds: float) -> None:
            kept.append(f"{number} {action}")
            assert seconds >= 0

        def finish(self, *lines: str) -> None:
            ends.extend(lines)

        def score(self, line: str) -> None:
            ends.append(line)

    seats = [Witness(kept), Witness(kept)]
    dealer = Dealer(MatchTerms(LEDUC, NAMES, 20, 3))
    score = MatchTable(dealer, seats, Clock(ClockLimits(), 2, 20), Keeping()).play()
    assert seats[0].told == seats[1].told == len(kept) + 20
    assert len(ends) == 21
    assert ends[-1] == score


def test_others_hear_promptly() -> None:
    """While somebody thinks, all others are told what has happened so far."""
    ours, theirs = socketpair()
    watching, at_watch = socketpair()
    dealer = Dealer(MatchTerms(LEDUC, NAMES, 1, 0))
    table = MatchTable(dealer, [LineSocket(watching), LineSocket(ours)], Clock(ClockLimits(decision=3), 2, 1))

    def thinking() -> None:
        heard = to_reply(theirs)
        line = next(heard)
        assert first.wait(5)  # Ann has heard of her own action before Bob acts
        theirs.sendall(f"{line}:r\n".encode())
        silent(theirs)

    first = threading.Event()

    def acting() -> None:
        lines = lines_of(at_watch)
        at_watch.sendall(f"{next(lines)}:c\n".encode())
        assert next(lines).split(":")[3] == "c"
        first.set()
        line = next(lines)
        at_watch.sendall(f"{line}:f\n".encode())
        silent(at_watch)

    with at_once(thinking, acting):
        assert table.play() == "SCORE:-1|1:Ann|Bob"


# Sitting down.


def client_of(port: int, *sent: bytes) -> socket.socket:
    connected = socket.create_connection(("127.0.0.1", port), 5)
    opened.append(connected)
    for text in sent:
        connected.sendall(text)
    return connected


def is_hung_up_on(connected: socket.socket) -> bool:
    connected.settimeout(5)
    try:
        return connected.recv(1) == b""
    except ConnectionError:
        return True


@pytest.mark.parametrize(
    ("first", "message"),
    [
        (b"VERSION:1.0.0\r\n", "began with 'VERSION:1.0.0', not with 'VERSION:2.0.0'"),
        (b"VERSION:2.1.0\n", "began with 'VERSION:2.1.0'"),
        (b"VERSION:3.0.0\n", "began with 'VERSION:3.0.0'"),
        (b"VERSION:2.0\n", "began with 'VERSION:2.0'"),
        (b"version:2.0.0\n", "began with 'version:2.0.0'"),
        (b"\n", "began with ''"),
        (b"HELLO\xff\n", "began with 'HELLO\ufffd'"),
        (b"", "sent no VERSION within 0.2 s"),
        (b"VERSION:2.0.0\r", "sent no VERSION within 0.2 s"),
        (b"x" * (MAX_LINE + 1), "bytes without the end of a line"),
    ],
)
def test_clients_that_do_not_sit_down(first: bytes, message: str, caplog: pytest.LogCaptureFixture) -> None:
    """They are hung up on, and the seat is free for somebody else."""
    reception = Reception(["Ann"])
    reception.hello = 0.2
    port = reception.ports[0]
    found: list[LineSocket] = []

    def arrive() -> None:
        assert is_hung_up_on(client_of(port, first))
        client_of(port, b"# good day\r\nVERSION:2.0.7\r\n")

    with caplog.at_level(logging.WARNING, "soulread"), at_once(arrive):
        found = reception.welcome(5)
    assert len(found) == 1
    (told,) = told_by(caplog)
    assert message in told
    assert told.endswith("the seat is free again")
    with pytest.raises(OSError):
        client_of(port)  # nobody listens any more
    found[0].close()


def test_a_second_client_and_one_that_leaves(caplog: pytest.LogCaptureFixture) -> None:
    reception = Reception(["Ann", "Bob"])
    first, second = reception.ports

    def arrive() -> None:
        ann = client_of(first, b"VERSION:2.0.0\n")
        assert is_hung_up_on(client_of(first, b"VERSION:2.0.0\n"))
        ann.close()
        deadline = time.monotonic() + 5
        while not any("hung up before" in text for text in told_by(caplog)):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        client_of(first, b"VERSION:2.0.0\n")
        client_of(second, b"VERSION:2.0.0\n", b"MATCHSTATE")

    with caplog.at_level(logging.WARNING, "soulread"), at_once(arrive):
        for lines in reception.welcome(5):
            lines.close()
    told = told_by(caplog)
    assert told[0] == "a second client came for the seat of 'Ann'; it was hung up on"
    assert "hung up before the match began; the seat is free again" in told[1]


def test_nobody_fills_our_memory_before_a_match(caplog: pytest.LogCaptureFixture) -> None:
    """A client that has said its version and then sends without end is hung up on; the seat is free again."""
    reception = Reception(["Ann", "Bob"])
    first, second = reception.ports

    def arrive() -> None:
        flood = client_of(first, b"VERSION:2.0.0\n")
        with suppress(OSError):
            for _ in range(10_000):
                flood.sendall(b"MATCHSTATE:0:0::Qh|:c\n" * 1000)
            raise AssertionError("220 MB were taken")
        client_of(first, b"VERSION:2.0.0\n")
        client_of(second, b"VERSION:2.0.0\n")

    with caplog.at_level(logging.WARNING, "soulread"), at_once(arrive):
        for lines in reception.welcome(10):
            lines.close()
    assert "sent more than 100,000 bytes before the match began; the seat is free again" in told_by(caplog)[0]


def test_a_seat_that_nobody_takes() -> None:
    reception = Reception(["Ann", "Bob"])
    port = reception.ports[0]
    arrive = lambda: is_hung_up_on(client_of(port, b"VERSION:2.0.0\n"))  # noqa: E731
    with at_once(arrive), pytest.raises(SoulreadError, match=r"the seat of 'Bob' within 0\.3 s"):
        reception.welcome(0.3)
    with pytest.raises(SoulreadError, match="2 ports for 1 seats"):
        Reception(["Ann"], ports=[1, 2])
    taken = Reception(["Ann"])
    with pytest.raises(SoulreadError, match="nobody can listen at port"):
        Reception(["Bob"], ports=taken.ports)
    assert taken._listening[0].getsockname()[0] == "127.0.0.1"
    taken.close()
    with pytest.raises(SoulreadError, match="nobody can listen"):
        Reception(["Bob"], "999.1.2.3")


# Our player at odd dealers.


def dealing(*sent: bytes, hang_up: bool = True) -> Client:
    def deal(connected: socket.socket) -> None:
        assert next(lines_of(connected)) == "VERSION:2.0.0"
        for text in sent:
            connected.sendall(text)
            time.sleep(0.002)
        if hang_up:
            connected.close()

    return deal


@pytest.mark.parametrize(
    ("dealer", "hands", "ignored", "end"),
    [
        (dealing(), 0, 0, "the dealer has hung up"),
        (dealing(b"MATCHSTATE:0:0::Q"), 0, 0, "the dealer has hung up"),
        (dealing(b"MATCHSTATE:0:0:rf:Qh|\r"), 0, 0, "the dealer has hung up"),
        (dealing(b"# hi\r\n;\nMATCHSTATE:0:8:r", b"f:Qh|\r\n\x00\xff\n"), 1, 1, "the dealer has hung up"),
        (dealing(b"MATCHSTATE:0:3:rf:Qh|\n" * 3), 1, 0, "the dealer has hung up"),
        (dealing(b"x" * (MAX_LINE + 9)), 0, 0, "without the end of a line"),
        (dealing(hang_up=False), 0, 0, "the dealer sends no line; it is taken to be gone"),
    ],
)
def test_odd_dealers(dealer: Client, hands: int, ignored: int, end: str) -> None:
    ours, theirs = socketpair()
    lines = LineSocket(ours)
    lines.put("VERSION:2.0.0")
    player = SeatedAgent(LEDUC, AlwaysCall(), 0)
    with at_once(lambda: dealer(theirs)):
        assert end in play(lines, player, patience=0.3)
    assert (player.hands, player.ignored) == (hands, ignored)
    with pytest.raises(SoulreadError, match="no dealer answers at port 1 "):
        connect("127.0.0.1", 1)


# Whole matches over TCP.

MATCHES = {
    "kuhn": (naive.KUHN, "equilibrium", 150),
    "leduc": (naive.LEDUC, "equilibrium", 150),
    "limit": (naive.LIMIT, "random", 60),
    "nolimit": (naive.NOLIMIT, "random", 60),
    "limit of three": (naive.ring(naive.LIMIT, 3), "random", 20),
    "nolimit of ten": (naive.ring(naive.NOLIMIT, 10), "random", 5),
}


LONG = 1000  # hands


@pytest.mark.parametrize(
    ("name", "hands"),
    [
        *((name, hands) for name, (_, _, hands) in MATCHES.items()),
        *(
            pytest.param(name, LONG, marks=pytest.mark.slow)
            for name, (_, _, hands) in MATCHES.items()
            if hands > 50
        ),
    ],
)
def test_a_match_over_tcp_and_its_log(name: str, hands: int, tmp_path: Path) -> None:
    """Our dealer, our players; the log is read back by the importer, and scores agree to the chip."""
    text, agent, _ = MATCHES[name]
    table = table_game(text, name)
    names = tuple(f"P{number}" for number in range(table.game.num_players))
    terms = MatchTerms(table.game, names, hands, 3, scale=table.scale)
    players = [SeatedAgent(table.game, make_agent(agent, table.game), number) for number in range(len(names))]
    reception = Reception(names)
    runs = [
        lambda player=player, port=port: play(connect("127.0.0.1", port), player)
        for player, port in zip(players, reception.ports, strict=True)
    ]
    path = tmp_path / "match.log"
    (tmp_path / "x.game").write_text(text)
    with at_once(*runs), MatchFiles(path, terms, ClockLimits(), "x.game") as files:
        seats: list[TableSeat] = [*reception.welcome(10)]
        score = MatchTable(
            files.standing.dealer, seats, Clock(ClockLimits(), len(names), hands), files
        ).play()
    won = [int(player.won * table.scale) for player in players]
    assert score == f"SCORE:{'|'.join(map(str, won))}:{'|'.join(names)}"
    assert [player.hands for player in players] == [hands] * len(names)
    log = read_log_file(path, table.game)
    assert (len(log.hands), log.bad, log.repeats) == (hands, (), 0)
    assert log.scale == table.scale
    totals = dict.fromkeys(names, 0)
    for hand in read_hands(path):
        assert isinstance(hand, Hand)
        for who, amount in zip(hand.players, hand.payoffs, strict=True):
            totals[who] += int(amount * table.scale)
    assert list(totals.values()) == won
    header, *_ = path.read_text().split("\n")
    assert header == f"# name/game/hands/seed match x.game {hands} 3"


# Files, and a match that goes on.


class Killed(BaseException):
    """The process is gone."""


def table_of(
    path: Path, terms: MatchTerms, *, resume: bool, agents: Callable[[int], Agent]
) -> tuple[MatchTable, MatchFiles]:
    seats = [AgentSeat(SeatedAgent(terms.game, agents(number), number)) for number in range(2)]

    def earlier(hand: Hand) -> None:
        for number, seat in enumerate(seats):
            seat.player.learn(hand, terms.names[number])

    files = MatchFiles(path, terms, ClockLimits(), terms.game.name, resume=resume, earlier=earlier)
    clock = Clock(ClockLimits(), 2, terms.hands)
    return MatchTable(files.standing.dealer, seats, clock, files), files


class Remembering:
    """Raises if it has seen more showdowns than folds; so what it learnt shows in its play."""

    name = "remembering"

    def __init__(self) -> None:
        self.seen = 0

    def reset(self) -> None: ...

    def act(self, view: Any, rng: Any) -> int:
        wish = 2 if self.seen > 0 else 0 if rng.random() < 0.5 else 1
        return wish if wish in view.legal else 1

    def observe(self, hand: Hand) -> None:
        self.seen += 1 if hand.showdown else -1


def test_a_match_goes_on_wherever_it_was_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed before and after each single write: the resumed match is that of nobody being killed.

    Finished hands go to the log two at a time, and the journal is made longer for every few actions.
    """
    monkeypatch.setattr(dealing_over_sockets, "_MOST_ENDED", 2)
    monkeypatch.setattr(journal, "_AHEAD", 20)
    terms = MatchTerms(LEDUC, NAMES, 6, 5)
    agents = lambda number: Remembering()  # noqa: E731
    table, files = table_of(tmp_path / "whole.log", terms, resume=False, agents=agents)
    score = table.play()
    files.close()
    whole = [line for line in (tmp_path / "whole.log").read_text().split("\n") if line[:1] != "#"]
    actions = (tmp_path / "whole.tlog").read_text()
    write, put = os.write, journal._Mapped._put
    killed, last = True, 0
    while killed:
        path = tmp_path / f"{last}.log"
        left, killed = last, False

        def live() -> bool:
            nonlocal left, killed
            killed = killed or left == 0
            if killed:
                raise Killed
            left -= 1
            return True

        monkeypatch.setattr(os, "write", lambda *given: live() and write(*given))
        monkeypatch.setattr(journal._Mapped, "_put", lambda *given: live() and put(*given[1:]))
        files = None  # type: ignore[assignment]
        try:
            table, files = table_of(path, terms, resume=False, agents=agents)
            table.play()
        except Killed:
            pass
        if files is not None:
            leave_as_killed(files)
        monkeypatch.setattr(os, "write", write)
        monkeypatch.setattr(journal._Mapped, "_put", staticmethod(put))
        last += 1
        table, files = table_of(path, terms, resume=True, agents=agents)
        assert (files.standing.score or table.play()) == score
        files.close()
        assert [line for line in path.read_text().split("\n") if line[:1] != "#"] == whole
        codes = [line.split(" ")[:3] for line in path.with_suffix(".tlog").read_text().splitlines()]
        assert codes == [line.split(" ")[:3] for line in actions.splitlines()]
    assert score.startswith("SCORE:")
    assert last > 2 * actions.count("\n")


def leave_as_killed(files: MatchFiles) -> None:
    """Leave the files as a process that is killed does: what was made ready of the journal stays."""
    if files._journal._map is not None:
        files._journal._map.close()
    os.close(files._journal._handle)
    os.close(files._log._handle)


def test_a_journal_without_memory_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where files cannot be mapped, they are written; a disk without room for more is told in time."""
    terms = MatchTerms(LEDUC, NAMES, 3, 5)
    texts = []
    for name in ("mapped", "written"):
        if name == "written":
            monkeypatch.setattr(mmap, "mmap", lambda *given, **more: (_ for _ in ()).throw(OSError))
        with MatchFiles(tmp_path / f"{name}.log", terms, ClockLimits(), "leduc") as files:
            files.act(0, 0, "c", 1.25)
            text = (tmp_path / f"{name}.tlog").read_bytes()
            assert text.startswith(b"0 0 c 1250\n\0\0" if name == "mapped" else b"0 0 c 1250\n")
            files.act(0, 1, "r", 0.5)
        texts.append((tmp_path / f"{name}.tlog").read_text())
    assert texts == ["0 0 c 1250\n0 1 r 500\n"] * 2

    def full(handle: int, content: bytes) -> int:
        raise OSError(28, "No space left on device")

    with MatchFiles(tmp_path / "full.log", terms, ClockLimits(), "leduc") as files:
        monkeypatch.setattr(os, "write", full)
        with pytest.raises(SoulreadError, match="No space left on device"):
            files.act(0, 0, "c", 1)
        monkeypatch.undo()
        assert (tmp_path / "full.tlog").read_bytes() == b""


def test_hands_that_wait_for_the_log_are_in_it_when_somebody_thinks(tmp_path: Path) -> None:
    """Also before the match ends; an action of a hand that cannot follow is refused."""
    ours, theirs = socketpair()
    terms = MatchTerms(LEDUC, NAMES, 9, 5)
    path = tmp_path / "m.log"
    counts = []

    def thinking(connected: socket.socket) -> None:
        for number, line in enumerate(to_reply(connected)):
            if number == 12:
                time.sleep(0.2)
                counts.append((int(line.split(":")[2]), path.read_text().count("STATE:")))
            connected.sendall(f"{line}:c\n".encode())

    with MatchFiles(path, terms, ClockLimits(), "leduc") as files, at_once(lambda: thinking(theirs)):
        seats: list[TableSeat] = [agent_seat(), LineSocket(ours)]
        MatchTable(files.standing.dealer, seats, Clock(ClockLimits(), 2, 9), files).play()
    assert len(counts) == 1
    assert counts[0][0] == counts[0][1] > 2
    path.write_text("".join(path.read_text().splitlines(True)[:6]))  # two hands
    kept = path.with_suffix(".tlog").read_text().splitlines(True)
    for line, message in [
        ("8 0 c 0\n", "the line '8 0 c 0' in hand 2"),
        (kept[9].replace(" c ", " f "), "hand 2 after 'c': .* not legal"),
    ]:
        path.with_suffix(".tlog").write_text("".join([*kept[:9], line]))
        with pytest.raises(SoulreadError, match=message):
            MatchFiles(path, terms, ClockLimits(), "leduc", resume=True)
    path.with_suffix(".tlog").write_text("".join(kept[:18]))
    learnt: list[str] = []
    with MatchFiles(
        path, terms, ClockLimits(), "leduc", resume=True, earlier=lambda hand: learnt.append(hand.id)
    ) as files:
        assert files.standing.dealer.number == 4
    assert learnt == ["0", "1", "2", "3"]
    assert path.read_text().count("\nSTATE:") == 4


def test_a_line_that_was_cut_is_dropped_and_times_are_kept(tmp_path: Path) -> None:
    terms = MatchTerms(LEDUC, NAMES, 3, 5)
    path = tmp_path / "m.log"
    with MatchFiles(path, terms, ClockLimits(), "leduc") as files:
        line = files.standing.dealer.lines()[0]
        files.act(0, 0, "c", 1.25)
        files.act(0, 1, "r", 0.5)
        with pytest.raises(SoulreadError, match="another dealer writes it"):
            MatchFiles(path, terms, ClockLimits(), "leduc", resume=True)
    with path.with_suffix(".tlog").open("a") as journal:
        journal.write("0 0 f")
    with path.open("a") as log:
        log.write("STATE:0:crf:")
    with MatchFiles(path, terms, ClockLimits(), "leduc", resume=True) as files:
        standing = files.standing
    assert standing.used == standing.used_in_hand == (1.25, 0.5)
    assert standing.dealer.lines()[0] == line.replace("::", ":cr:")
    assert path.read_text().count("# name/game/hands/seed m leduc 3 5\n") == 2
    assert "STATE" not in path.read_text()


def test_files_that_do_not_fit_are_not_resumed(tmp_path: Path) -> None:
    terms = MatchTerms(LEDUC, NAMES, 4, 5)
    path = tmp_path / "m.log"
    table, files = table_of(path, terms, resume=False, agents=lambda number: AlwaysCall())
    table.play()
    files.close()
    good = path.read_text()
    journal = path.with_suffix(".tlog")
    actions = journal.read_text()

    def refused(message: str, log: str = good, terms: MatchTerms = terms, journalled: str = actions) -> None:
        path.write_text(log)
        journal.write_text(journalled)
        with pytest.raises(SoulreadError, match=message):
            MatchFiles(path, terms, ClockLimits(), "leduc", resume=True)

    refused("its header is", terms=MatchTerms(LEDUC, NAMES, 4, 6))
    refused("its header is", terms=MatchTerms(LEDUC, NAMES, 5, 5))
    refused("hand 0 is 'STATE:0:", terms=MatchTerms(LEDUC, ("Ann", "Eve"), 4, 5))
    refused("hand 0 is 'STATE:0:", good.replace(":Ann|Bob", ":Bob|Ann", 1))
    refused("hand 2 is .*: other cards, chips, names", good.replace("STATE:2:", "STATE:3:", 1))
    refused("it has no header", "\n".join(good.split("\n")[4:]))
    refused("its score is", good.replace("SCORE:", "SCORE:1"))
    cut = "".join(line for line in good.splitlines(True) if line[:7] not in ("STATE:3", "SCORE:0"))
    refused("its journal has the line", cut, journalled="nonsense\n")
    refused("its journal: hand 3", cut, journalled="3 0 f 0\n")
    refused(
        "a score after 3 of 4", good.replace(next(x for x in good.splitlines(True) if "STATE:3" in x), "")
    )
    path.write_text(good)
    with pytest.raises(SoulreadError, match="has hands of a match; --resume goes on"):
        MatchFiles(path, terms, ClockLimits(), "leduc")
    path.write_text('{"a": 1}')
    with pytest.raises(SoulreadError, match="choose another name"):
        MatchFiles(path, terms, ClockLimits(), "leduc")
    path.write_text(good)
    with replacing_anything(), MatchFiles(path, terms, ClockLimits(), "leduc") as files:
        assert files.standing.dealer.number == 0
    with MatchFiles(
        path, terms, ClockLimits(), "leduc", resume=True
    ) as files:  # killed before its first hand
        assert files.standing.dealer.number == 0
    if os.path.exists("/dev/full"):  # which has no end
        with pytest.raises(SoulreadError, match="a match is kept in a regular file"):
            MatchFiles(Path("/dev/full"), terms, ClockLimits(), "leduc")
    with pytest.raises(SoulreadError, match="is the name of a journal"):
        MatchFiles(tmp_path / "m.tlog", terms, ClockLimits(), "leduc")


# The commands.


def run(*arguments: object) -> Any:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def test_the_dealer_command(tmp_path: Path) -> None:
    path = tmp_path / "m.log"
    found = run("dealer", "leduc", "always-call", "random", "-n", 20, "--seed", 4, "-o", path)
    assert found.exit_code == 0, found.output
    first, second, score = found.output.splitlines()
    assert first.startswith("always-call: ")
    assert second.startswith("random: ")
    assert score == path.read_text().splitlines()[-1]
    lines = [line for line in path.read_text().splitlines() if line.startswith("STATE:")]
    assert len(lines) == 20
    again = run("dealer", "leduc", "always-call", "random", "-n", 20, "--seed", 4, "-o", path)
    assert again.exit_code == 2
    assert "--resume goes on with it" in again.output
    resumed = run("dealer", "leduc", "always-call", "random", "-n", 20, "--seed", 4, "-o", path, "--resume")
    assert resumed.output == f"{score}\n"
    swapped = run("dealer", "leduc", "random", "always-call", "-n", 20, "--seed", 4, "--json")
    assert '"name": "always-call"' in swapped.output
    for line, other in zip(lines, path.read_text().splitlines()[4:], strict=False):
        assert betting_codes(line) == betting_codes(other)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("dealer", "leduc", "random"), "2 seats, not 1"),
        (("dealer", "leduc", "human", "human:B"), "one terminal"),
        (("dealer", "leduc", "random", "random", "--resume"), "name it with -o"),
        (("dealer", "leduc", "random", "nobody"), "is not an agent"),
        (("dealer", "chess", "random", "random"), "is not a game"),
        (("dealer", "missing.game", "random", "random"), "missing.game"),
        (("dealer", "leduc", "random", "socket", "--ports", "x"), "expected numbers"),
        (("dealer", "leduc", "random", "socket", "--ports", "1,2"), "2 ports for 1 seats"),
        (("dealer", "leduc", "random", "socket:a|b"), "cannot stand in a log"),
        (("dealer", "leduc", "random", "random", "--per-hand", "0"), "limit of 0 s"),
        (("dealer", "leduc", "random", "socket", "--start", "0.05"), "nobody took the seat of 'socket2'"),
        (
            ("acpc", "127.0.0.1", "1", "-g", "leduc", "-a", "random", "--wait", "0.1"),
            "no dealer answers at port 1 of '127.0.0.1', also after 0.1 s: ",
        ),
        (("acpc", "127.0.0.1", "1", "-g", "leduc", "-a", "random", "--wait", "-1"), "--wait"),
        (("acpc", "127.0.0.1", "0", "-g", "leduc", "-a", "random"), "PORT"),
        (("acpc", "127.0.0.1", "9", "-g", "ring-limit:3", "-a", "equilibrium:5-5-5-5"), "cannot sit at"),
    ],
)
def test_mistakes_are_told_in_a_sentence(arguments: tuple[str, ...], message: str) -> None:
    found = run(*arguments)
    assert found.exit_code == 2
    assert message in found.output
    assert "Traceback" not in found.output


def test_both_commands_killed_and_resumed(tmp_path: Path) -> None:
    """A dealer in a process of its own is killed in the middle; the match ends as if it had not been."""
    path, notes = tmp_path / "m.log", tmp_path / "notes.log"
    code = "import sys; sys.argv = ['soulread', *sys.argv[1:]]; from soulread.cli import cli; cli()"
    command = [sys.executable, "-c", code, "dealer", "leduc", "random", "socket:Bob"]
    command += ["-n", "300", "--seed", "7", "-o", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:

        def kill_in_the_middle(hand: Hand) -> None:
            if hand.id == "120":
                process.send_signal(signal.SIGKILL)

        player = SeatedAgent(LEDUC, Random(), 11, record=kill_in_the_middle)
        assert "has hung up" in play(connect("127.0.0.1", port_of(process)), player)
        assert process.wait(10) == -signal.SIGKILL
        assert 120 < player.hands < 300
    with subprocess.Popen([*command, "--resume"], stdout=subprocess.PIPE, text=True) as process:
        port = port_of(process)
        found = run("acpc", "127.0.0.1", port, "-g", "leduc", "-a", "random", "--seed", 11, "-o", notes)
        assert found.exit_code == 0, found.output
        assert process.wait(10) == 0
    seen = [int(hand.id) for hand in read_log_file(notes, LEDUC).hands]
    assert seen == list(range(300))[-len(seen) :]
    assert 0 < len(seen) <= 180  # the end of hand 120 perhaps again
    own = int(MatchStreams(7).agent(0).integers(2**63))
    seats = [agent_seat(Random(), own), agent_seat(Random(), 11)]
    whole = MatchTable(
        Dealer(MatchTerms(LEDUC, ("random", "Bob"), 300, 7)), seats, Clock(ClockLimits(), 2, 300)
    )
    assert [line for line in path.read_text().splitlines() if line[:6] == "SCORE:"] == [whole.play()]


@pytest.mark.parametrize("kept", [True, False])
def test_ctrl_c_ends_a_match_and_says_how_it_goes_on(
    kept: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m.log"
    lines = Dealer.lines

    def interrupted(dealer: Dealer) -> list[str]:
        if dealer.number == 3:
            raise KeyboardInterrupt
        return lines(dealer)

    monkeypatch.setattr(Dealer, "lines", interrupted)
    command = ["dealer", "leduc", "random", "random", "-n", 5, *(["-o", path] if kept else [])]
    found = run(*command)
    assert found.exit_code == 130
    more = "; the same command with --resume goes on" if kept else ""
    assert found.output.endswith(f"soulread: interrupted in hand 3{more}\n")
    monkeypatch.setattr(Dealer, "lines", lines)
    if kept:
        assert path.read_text().count("STATE:") == 3
        assert run(*command, "--resume").exit_code == 0
        assert path.read_text().count("STATE:") == 5


def test_a_player_waits_for_a_dealer_who_comes_later() -> None:
    place = socket.socket()  # where nobody listens yet
    opened.append(place)
    place.bind(("127.0.0.1", 0))
    port = place.getsockname()[1]
    began = time.monotonic()
    with pytest.raises(SoulreadError, match=f"no dealer answers at port {port} of .*, also after 0.3 s: "):
        connect("127.0.0.1", port, 0.3)
    assert time.monotonic() - began >= 0.3

    def deal() -> None:
        time.sleep(0.3)
        place.listen()
        connected, _ = place.accept()
        assert next(lines_of(connected)) == "VERSION:2.0.0"
        connected.sendall(b"MATCHSTATE:0:0:rf:Qh|\n")
        connected.close()

    with at_once(deal):
        found = run("acpc", "127.0.0.1", port, "-g", "leduc", "-a", "random", "--wait", 60)
    assert found.exit_code == 0
    assert found.output.startswith("1 hand, won 1 chip; 0 decisions")


def test_ctrl_c_ends_a_player_who_says_what_was_won(monkeypatch: pytest.MonkeyPatch) -> None:
    reception = Reception(["Ann"])

    def deal() -> None:
        lines = reception.welcome(10)[0]
        lines.put("MATCHSTATE:0:0:rf:Qh|")
        lines.flush(5)
        interrupt.wait(10)
        lines.close()

    interrupt = threading.Event()
    receive = SeatedAgent.receive

    def interrupted(player: SeatedAgent, line: str) -> str | None:
        receive(player, line)
        interrupt.set()
        raise KeyboardInterrupt

    monkeypatch.setattr(SeatedAgent, "receive", interrupted)
    with at_once(deal):
        found = run("acpc", "127.0.0.1", reception.ports[0], "-g", "leduc", "-a", "random")
    assert found.exit_code == 130
    assert found.output.startswith("1 hand, won 1 chip; 0 decisions")
    assert found.output.endswith("soulread: interrupted\n")


def port_of(process: "subprocess.Popen[str]") -> int:
    assert process.stdout is not None
    return int(process.stdout.readline())
