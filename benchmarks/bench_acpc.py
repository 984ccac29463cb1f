"""Matches over loopback: hands a second beside a plain loop, memory over many hands, decisions in time.

    python benchmarks/bench_acpc.py [speed [N [REPETITIONS]] | hands N | clocks N [AGENT ...]]

``speed`` (the default): table agents play each other in a plain loop and, in turn with it, over loopback,
with all files of a match, in two ways:

    three    a dealer and two players in a process each, as people play
    one      the same in one process and one thread: what our code costs without changes of process

All figures are medians over the repetitions. CPU seconds are those of all processes; on a busy machine their
share says more than that of the seconds. The peer is an echo: two processes that send each other a line over
loopback, as often as players were asked; no dealer in a process of its own can deal more hands than that. The
checksum is the score. Every log is read back by the importer.

``hands N``: N hands of Leduc over loopback; memory and open files of the dealer and of a player on the way.

``clocks N``: agents that learn play N hands of limit hold'em (``ponsen`` of no-limit) with one second for a
decision: median, 99th percentile and longest, how often something stood in, and why.
"""

import os
import socket
import sys
import time
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from soulread.cards.arrays import deal
from soulread.cli.table.common import nothing_to_collect
from soulread.games.named import parse_game
from soulread.hands.formats.acpc import read_log_file
from soulread.play.catalogue.known import parse_agent
from soulread.play.match.live import play_hand
from soulread.play.table.clock import Clock, ClockLimits, Times
from soulread.play.table.dealing import Dealer, MatchTerms
from soulread.play.table.punctual import PunctualAgent
from soulread.play.table.seated import SeatedAgent
from soulread.serve.dealing import AgentSeat, MatchTable
from soulread.serve.journal import MatchFiles
from soulread.serve.lines import LineSocket
from soulread.serve.playing import connect, play
from soulread.serve.welcome import Reception
from soulread.streams import HandStreams, MatchStreams

TABLES = {
    "kuhn": ("equilibrium", "equilibrium"),
    "leduc": ("equilibrium", "equilibrium"),
    "limit": ("equilibrium:5-5-5-5:quick", "equilibrium:5-5-5-5:quick"),
    "nolimit": ("always-call", "random"),
}
SEED = 1
LINE = b"MATCHSTATE:0:100:crrc/crc/c:TdAs|/2c8c3h/9d:r\r\n"
LEARNERS = {
    "soul:5-5-5-5:quick": "limit",
    "dbbr:5-5-5-5:quick": "limit",
    "dbr:5-5-5-5:quick": "limit",
    "poki": "limit",
    "vexbot": "limit",
    "ponsen": "nolimit",
}


def resources(process: int) -> str:
    """Resident memory and open files of a process."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    files = len(os.listdir(f"/proc/{process}/fd"))
    return f"{pages * os.sysconf('SC_PAGE_SIZE') / 2**20:.1f} MB, {files} files"


def take_seat(game: str, agent: str, number: int, port: int, ready: Connection) -> None:
    """The work of a player's process."""
    table = parse_game(game)
    player = SeatedAgent(table, parse_agent(agent).make(table), number)
    in_a_loop(game, (agent, agent), 100)  # compiled code is loaded
    ready.send(os.getpid())
    with nothing_to_collect():
        lines = connect("127.0.0.1", port)
        began = time.process_time()
        play(lines, player)
    ready.send((player.won, time.process_time() - began))


def over_loopback(
    game: str, agents: tuple[str, str], hands: int, path: Path, at: Callable[[int, list[int]], None]
) -> tuple[float, float, list[int], str]:
    """Seconds and CPU seconds of a match over loopback, what the players say they won, and the score.

    ``at`` is called with the number of each hand and the players' processes.
    """
    terms = MatchTerms(parse_game(game), ("A", "B"), hands, SEED)
    reception = Reception(terms.names)
    context = get_context("spawn")
    pipes = []
    for number, port in enumerate(reception.ports):
        here, there = context.Pipe()
        context.Process(
            target=take_seat, args=(game, agents[number], number, port, there), daemon=True
        ).start()
        pipes.append(here)
    processes = [pipe.recv() for pipe in pipes]
    seats = reception.welcome(60)
    done = 0

    def advance(more: int) -> None:
        nonlocal done
        done += more
        at(done, processes)

    with MatchFiles(path, terms, ClockLimits(), game) as files:
        table = MatchTable(files.standing.dealer, seats, Clock(ClockLimits(), 2, hands), files, advance)
        with nothing_to_collect():
            began, spent = time.perf_counter(), time.process_time()
            score = table.play()
            seconds, spent = time.perf_counter() - began, time.process_time() - spent
    found = [pipe.recv() for pipe in pipes]
    return seconds, spent + sum(cpu for _, cpu in found), [won for won, _ in found], score


class LoopbackSeat(LineSocket):
    """A player at the other end of a socket, in this thread: it hears and replies whenever it is told."""

    def __init__(self, ours: socket.socket, theirs: LineSocket, player: SeatedAgent) -> None:
        super().__init__(ours)
        self.theirs = theirs
        self.player = player
        self.told = 0  # lines that wait

    def put(self, line: str) -> None:
        self.told += 1
        super().put(line)

    def flush(self, seconds: float) -> None:
        super().flush(seconds)
        told, self.told = self.told, 0
        while told:
            lines = self.theirs.take_all(60)
            told -= len(lines)
            for reply in self.player.receive_all(lines):
                self.theirs.put(reply)
            self.theirs.flush(60)


def in_one_process(
    game: str, agents: tuple[str, str], hands: int, path: Path
) -> tuple[float, float, list[int], str]:
    """As `over_loopback`, in this process alone."""
    table = parse_game(game)
    terms = MatchTerms(table, ("A", "B"), hands, SEED)
    players = [SeatedAgent(table, parse_agent(agent).make(table), n) for n, agent in enumerate(agents)]
    seats = []
    with socket.create_server(("127.0.0.1", 0)) as listening:
        for player in players:
            theirs = LineSocket(socket.create_connection(listening.getsockname()))
            seats.append(LoopbackSeat(listening.accept()[0], theirs, player))
    with MatchFiles(path, terms, ClockLimits(), game) as files:
        table_of_match = MatchTable(files.standing.dealer, seats, Clock(ClockLimits(), 2, hands), files)
        with nothing_to_collect():
            began, spent = time.perf_counter(), time.process_time()
            score = table_of_match.play()
            seconds, spent = time.perf_counter() - began, time.process_time() - spent
    for seat in seats:
        seat.theirs.close()
    return seconds, spent, [player.won for player in players], score


def send_back(port: int) -> None:
    """The work of the other process of an echo, until that hangs up."""
    with socket.create_connection(("127.0.0.1", port)) as connected:
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while connected.recv(2**16):
            connected.sendall(LINE)


def echo(times: int) -> float:
    """Seconds for so many lines there and back over loopback."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        other = get_context("spawn").Process(target=send_back, args=(port,), daemon=True)
        other.start()
        connected, _ = listening.accept()
    with connected:
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for warm in (True, False):  # the other process begins
            began = time.perf_counter()
            for _ in range(100 if warm else times):
                connected.sendall(LINE)
                connected.recv(2**16)
            seconds = time.perf_counter() - began
    other.join()
    return seconds


def in_a_loop(game: str, agents: tuple[str, str], hands: int) -> tuple[float, float, list[int]]:
    """Seconds and CPU seconds of the same match in a plain loop over the same agents with the same draws."""
    table = parse_game(game)
    made = [parse_agent(agent).make(table) for agent in agents]
    streams = [HandStreams(number, "table") for number in range(2)]
    totals = [0, 0]
    seconds = spent = 0.0
    for warm in (True, False):
        cards = MatchStreams(SEED).cards()
        totals = [0, 0]
        with nothing_to_collect():
            began, spent = time.perf_counter(), time.process_time()
            for number in range(min(hands, 100) if warm else hands):
                order = [(seat - number) % 2 for seat in range(2)]
                dealt = deal(cards, table.rules.deck, table.num_cards)
                drawn = [streams[player].of_hand(number) for player in order]
                hand = play_hand(table, [made[player] for player in order], dealt, drawn)
                for seat, won in enumerate(hand.payoffs):
                    totals[order[seat]] += won
            seconds, spent = time.perf_counter() - began, time.process_time() - spent
    return seconds, spent, totals


def speed(hands: int = 1000, repetitions: int = 5) -> None:
    """Hands a second of each game, all ways in turn; the logs read back; the scores of all ways."""
    heads = "".join(
        f" {head:>9}" for head in ("loop", "three", "of loop", "by CPU", "one", "of loop", "by CPU", "echo")
    )
    print(f"{'hands/s':8}{heads}   checksum")
    with TemporaryDirectory() as folder:
        for game, agents in TABLES.items():
            runs = []
            for repetition in range(repetitions):
                path = Path(folder) / f"{game}{repetition}.log"
                alone, cpu, totals = in_a_loop(game, agents, hands)
                three, cpu_three, won, score = over_loopback(
                    game, agents, hands, path, lambda done, players: None
                )
                one, cpu_one, also_won, same = in_one_process(game, agents, hands, path.with_suffix(".one"))
                log = read_log_file(path, parse_game(game))
                read = [0, 0]
                for hand in log.hands:
                    for name, amount in zip(hand.players, hand.payoffs, strict=True):
                        read["AB".index(name)] += amount
                assert len(log.hands) == hands
                assert totals == won == also_won == read, (totals, won, also_won, read)
                assert score == same
                least = echo(sum(len(hand.actions) for hand in log.hands))
                ways = (three, alone / three, cpu / cpu_three, one, alone / one, cpu / cpu_one)
                runs.append((alone, *ways, least))
            alone, three, part, cpu_part, one, one_part, one_cpu_part, least = map(
                median, zip(*runs, strict=True)
            )
            print(
                f"{game:8} {hands / alone:9,.0f} {hands / three:9,.0f} {part:9.2f} {cpu_part:9.2f} "
                f"{hands / one:9,.0f} {one_part:9.2f} {one_cpu_part:9.2f} {hands / least:9,.0f}   {score}",
                flush=True,
            )


def many(hands: int) -> None:
    """Memory and open files at a tenth of the hands, half-way and at the end."""
    marks = {hands // 10, hands // 2, hands - 1}

    def at(done: int, players: list[int]) -> None:
        if done in marks:
            print(
                f"hand {done:,}: dealer {resources(os.getpid())}; player {resources(players[0])}", flush=True
            )

    with TemporaryDirectory() as folder:
        agents = TABLES["leduc"]
        seconds, _, won, score = over_loopback("leduc", agents, hands, Path(folder) / "m.log", at)
    print(f"{hands:,} hands in {seconds:.0f} s: {score}; the players say {won}")


def clocks(hands: int, agents: list[str]) -> None:
    """How long decisions take with one second for each."""
    for text in agents:
        game = parse_game(LEARNERS.get(text, "limit"))
        began = time.perf_counter()
        agent = PunctualAgent(parse_agent(text), game, 1.0, 7.0)
        opponent = "loose:5-5-5-5:quick" if game.name == "limit" else "plain"
        other = parse_agent(opponent).make(game)
        made = time.perf_counter() - began
        seats = [
            AgentSeat(SeatedAgent(game, player, number, clock=time.perf_counter))
            for number, player in enumerate((agent, other))
        ]
        limits = ClockLimits(decision=1.0, hand=7.0)
        dealer = Dealer(MatchTerms(game, (text, opponent), hands, SEED))
        began = time.perf_counter()
        try:
            end = MatchTable(dealer, seats, Clock(limits, 2, hands)).play()
        except ValueError as error:
            end = f"MISSED: {error}"
        times: Times = seats[0].player.times
        seconds = time.perf_counter() - began
        print(f"{text}: made in {made:.0f} s; {times.text}; {hands} hands in {seconds:.0f} s; {end}")
        for why, count in agent.stand_ins.items():
            print(f"    stood in {count} times: {why}", flush=True)
        agent.close()


def main() -> None:
    """See the module."""
    what, *more = sys.argv[1:] or ["speed"]
    if what == "speed":
        speed(*map(int, more))
    elif what == "hands":
        many(int(more[0]) if more else 100_000)
    else:
        clocks(int(more[0]) if more else 100, more[1:] or list(LEARNERS))


if __name__ == "__main__":
    main()
