"""A person's session at a table: its file, its hands in a store, what is told after each hand.

A session is a match that a dealer deals until the person leaves (`soulread.serve.journal` has its files). The
log's header says who plays what, so a session goes on without being told again. Each finished hand, as the
person saw it, is put into the store before it is in the log. If the process ends in between, the hand is
finished once more when the session goes on, and is known to the store then.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from soulread.errors import SoulreadError
from soulread.hands.formats.acpc import matchstate_line
from soulread.hands.hand import Hand
from soulread.hands.record import decisions
from soulread.hands.store import Store, default_store
from soulread.play.agent import Agent
from soulread.play.table.clock import Clock, ClockLimits
from soulread.play.table.dealing import Dealer, MatchTerms
from soulread.play.table.human import LeftTable
from soulread.play.table.seated import SeatedAgent
from soulread.serve.dealing import AgentSeat, MatchTable, TableSeat
from soulread.serve.journal import MatchFiles
from soulread.streams import MatchStreams
from soulread.study.duels.coach import PlayedAgent, look_at

ROOM = "soulread"  # where the names of such hands belong to
ENDLESS = 10**9  # hands of a session
UNHURRIED = ClockLimits(1e9, 1e9, 1e9)
_MARK = "# session "
_LONGEST = 100_000  # bytes at the beginning of a file in which its header is


@dataclass(frozen=True)
class TableSession:
    """Who plays what in a session, as texts; the person is the first player."""

    game: str
    agents: tuple[str, ...]
    name: str
    seed: int
    began: str = ""  # when, as an ISO date and time: a session of the same seed is another one

    @property
    def remark(self) -> str:
        """The line of the log's header."""
        return f"{_MARK.removeprefix('# ')}{json.dumps(asdict(self))}"

    @property
    def mark(self) -> str:
        """A short text that tells sessions apart, and from which nobody finds the seed."""
        return hashlib.blake2b(self.remark.encode(), digest_size=6, person=b"session").hexdigest()


def read_session(path: Path) -> TableSession:
    """The session of a file; `SoulreadError` if it has none."""
    try:
        with path.open("rb") as file:
            text = file.read(_LONGEST).decode("utf-8", "replace")
    except OSError as error:
        raise SoulreadError(f"the session {str(path)!r} cannot be read: {error.strerror or error}") from None
    lines = [line for line in text.split("\n") if line.startswith(_MARK)]
    if not lines:
        raise SoulreadError(f"{str(path)!r} is no session of soulread play")
    try:
        found = json.loads(lines[0].removeprefix(_MARK))
        agents = tuple(found["agents"])
        made = TableSession(found["game"], agents, found["name"], found["seed"], found["began"])
    except (ValueError, TypeError, KeyError, RecursionError):
        made = None
    texts = () if made is None else (made.game, made.name, made.began, *made.agents)
    if made is None or type(made.seed) is not int or not all(type(text) is str for text in texts):
        raise SoulreadError(f"{str(path)!r} is a damaged session: its header is {lines[0][:80]!r}")
    return made


def sessions_folder() -> Path:
    """Where sessions are kept that have no other place: beside the user's own store."""
    return default_store().parent / "sessions"


def new_session_path(session: TableSession, now: datetime) -> Path:
    """A file for a new session; its folder is made."""
    folder = sessions_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SoulreadError(
            f"{str(folder)!r} cannot be made: {error.strerror or error}; name a file with -o"
        ) from None
    return folder / f"{now:%Y-%m-%d-%H%M%S}-{session.mark}.log"


def last_session() -> Path:
    """The session that was played last."""
    found = sorted(sessions_folder().glob("*.log"), key=lambda path: (path.stat().st_mtime, path.name))
    if not found:
        raise SoulreadError(
            f"there is no session in {str(sessions_folder())!r}; soulread play GAME AGENT begins one"
        )
    return found[-1]


@dataclass(frozen=True, eq=False)
class SessionHand:
    """A hand of a session: as the person saw it, and what is known of the opponents."""

    hand: Hand
    number: int
    opponents: tuple[PlayedAgent, ...]  # clockwise, before they learn from the hand; empty if nobody asks


class Sitting:
    """A person's session while it is played; a context manager.

    ``terms`` are those of the session, ``title`` names the game in the log, and ``agents`` are the others,
    clockwise from the person. With ``resume`` they learn again from the hands of the file.
    """

    def __init__(
        self,
        session: TableSession,
        terms: MatchTerms,
        title: str,
        agents: Sequence[Agent],
        path: Path,
        *,
        resume: bool = False,
    ) -> None:
        self.won: list[int] = []  # chips of the person in each hand of the session
        self.terms = terms
        self._session = session
        streams = MatchStreams(terms.seed)
        self._seated = [
            SeatedAgent(terms.game, agent, int(streams.agent(number).integers(2**63)))
            for number, agent in enumerate(agents, start=1)
        ]
        remarks = [session.remark]
        self._files = MatchFiles(
            path, terms, UNHURRIED, title, remarks=remarks, resume=resume, earlier=self._learn
        )
        self.dealer: Dealer = self._files.standing.dealer
        self._catch_up()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._files.close()

    def _learn(self, hand: Hand) -> None:
        self.won.append(hand.payoffs[hand.seat_of(self.terms.names[0])])
        for player, name in zip(self._seated, self.terms.names[1:], strict=True):
            player.learn(hand, name)

    def _catch_up(self) -> None:
        """Let the agents come again to where the hand stands, so that their draws go on as they would."""
        end, number, seating = self.dealer.hand.state, self.dealer.number, self.dealer.seating
        hole = [end.hole(seat) for seat in range(len(seating))]
        for state, _ in decisions(self.terms.game, end.actions, end.board, hole):
            player = seating[state.player]
            if player:
                self._seated[player - 1].receive(matchstate_line(number, state.player, state))

    def play(
        self,
        person: Agent,
        store: Store,
        told: Callable[[SessionHand], None],
        *,
        begun: Callable[[int], None] = lambda number: None,
        leave_after: int | None = None,
        look: bool = False,
        seat: Callable[[SeatedAgent], TableSeat] = AgentSeat,
    ) -> None:
        """Play until the person leaves: when they say so, or after ``leave_after`` hands.

        Each finished hand is put into the store, kept in the log and then ``told``; with ``look`` the
        opponents are asked what they played. ``begun`` is called with the number of each hand that begins or
        goes on. ``seat`` makes the seat of an agent.
        """
        own = SeatedAgent(self.terms.game, person, 0, others=self.terms.names[1:])
        seats = [AgentSeat(own), *map(seat, self._seated)]
        keeper = _SittingKeeper(self, store, told, leave_after, look)
        clock = Clock(UNHURRIED, len(seats), self.terms.hands)
        begun(self.dealer.number)
        with suppress(LeftTable):
            MatchTable(self.dealer, seats, clock, keeper, lambda _: begun(self.dealer.number)).play()

    def _finish(self, line: str, store: Store, look: bool) -> SessionHand:
        """Keep the hand that is over, in the store and in the log."""
        live, number = self.dealer.hand, self.dealer.number
        own, count = live.players.index(self.terms.names[0]), live.game.num_players
        hand = replace(
            live.seen_by(own),
            id=f"{self._session.mark}-{number}",
            time=datetime.now(UTC).replace(microsecond=0),
            room=ROOM,
        )
        store.add([hand])
        self._files.finish(line)
        self.won.append(hand.payoffs[own])
        asked = enumerate(self._seated if look else (), start=1)
        opponents = [look_at(player.agent, live.game, (own + place) % count) for place, player in asked]
        return SessionHand(hand, number, tuple(opponents))


@dataclass
class _SittingKeeper:
    """Keeps the actions and hands of a sitting: see `soulread.serve.dealing.Keeper`."""

    sitting: Sitting
    store: Store
    told: Callable[[SessionHand], None]
    hands_left: int | None
    look: bool

    def act(self, number: int, player: int, action: str, seconds: float) -> None:
        self.sitting._files.act(number, player, action, seconds)

    def finish(self, line: str) -> None:
        self.told(self.sitting._finish(line, self.store, self.look))
        if self.hands_left is not None:
            self.hands_left -= 1
            if not self.hands_left:
                raise LeftTable("all hands that were asked for have been played")

    def score(self, line: str) -> None:
        self.sitting._files.score(line)
