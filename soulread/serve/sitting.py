"""A person's session at a table: its file, its hands in a store, what is told after each hand.

A session is a match that a dealer deals until the person leaves (`soulread.serve.journal` has its files). The
log's header says who plays what, so a session goes on without being told again. Each finished hand, as the
person saw it, is put into the store before it is in the log. If the process ends in between, the hand is
finished once more when the session goes on, and is known to the store then.
"""

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

import numpy as np

from soulread.errors import IllegalAction, SoulreadError
from soulread.games.poker import PokerView
from soulread.hands.formats.acpc import action_code, matchstate_line
from soulread.hands.hand import Hand
from soulread.hands.record import decisions
from soulread.hands.store import Store, default_store
from soulread.play.agent import Agent
from soulread.play.table.clock import ClockLimits
from soulread.play.table.dealing import Dealer, MatchTerms
from soulread.play.table.human import LeftTable
from soulread.play.table.seated import SeatedAgent
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


def hands_of_session(path: Path, terms: MatchTerms) -> Iterator[Hand]:
    """The finished hands of a session's file, as the dealer saw them; the file may be in use."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").split("\n")[:-1]
    except OSError as error:
        raise SoulreadError(f"the session {str(path)!r} cannot be read: {error.strerror or error}") from None
    dealer = Dealer(terms)
    for line in lines:
        if line.startswith("STATE:"):
            dealer.repeat_hand(line.split(":", 3)[2])
            yield dealer.hand.seen_by_dealer()
            dealer.next_hand()


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
    clockwise from the person. With ``resume`` they learn again from the hands of the file, and ``earlier`` is
    called with each of these, as the dealer saw it. Without ``learning`` the agents stay as they are.

    A sitting goes step by step, for a page, or in one loop, for a terminal (`play`):

        sitting.go_on()                   the agents act until it is the person's turn, or the hand is over
        sitting.act(action)               the person acts
        sitting.finish(store)             the hand is over: it is kept
        sitting.next_hand()               and the next one is dealt
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
        earlier: Callable[[Hand], None] = lambda hand: None,
        learning: bool = True,
    ) -> None:
        self.won: list[int] = []  # chips of the person in each hand of the session
        self.terms = terms
        self.session = session
        streams = MatchStreams(terms.seed)
        self._seated = [
            SeatedAgent(terms.game, agent, int(streams.agent(number).integers(2**63)))
            for number, agent in enumerate(agents, start=1)
        ]
        self._unheard: list[list[str]] = [[] for _ in agents]  # lines that end a hand
        self.finished = False  # whether the present hand has been kept
        self._earlier = earlier
        self._learning = learning
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

    @property
    def seat(self) -> int:
        """Where the person sits in the present hand."""
        return self.dealer.seating.index(0)

    @property
    def view(self) -> PokerView:
        """All that the person may know at present."""
        return self.dealer.hand.view(self.seat)

    @property
    def is_turn(self) -> bool:
        """Whether it is the person's turn."""
        return not self.dealer.hand_over and self.dealer.player == 0

    def act(self, action: int, seconds: float = 0.0) -> None:
        """Let the person act, after so many seconds of thought; an illegal action changes nothing."""
        hand = self.dealer.hand
        if not self.is_turn:
            raise IllegalAction(f"it is not the turn of {self.terms.names[0]!r}")
        if action not in hand.state.legal_actions():
            raise IllegalAction(f"{action!r} is not legal after {hand.state.betting!r}")
        self._hear(0, f"{self.dealer.lines()[0]}:{action_code(action, hand.game)}", seconds)

    def go_on(
        self,
        acted: Callable[[], None] = lambda: None,
        thinks: Callable[[Agent], AbstractContextManager[object]] = lambda agent: nullcontext(),
    ) -> None:
        """Let the agents act until it is the person's turn, or the hand is over.

        ``acted`` is called after each action, and an agent acts within the context that ``thinks`` makes.
        """
        while not self.dealer.hand_over and (player := self.dealer.player):
            began = time.monotonic()
            with thinks(self._seated[player - 1].agent):
                self._catch_up_with(player)
                reply = self._seated[player - 1].receive(self.dealer.lines()[player])
            if reply is None:
                raise SoulreadError(f"{self.terms.names[player]!r} has no reply")
            self._hear(player, reply, time.monotonic() - began)
            acted()

    def finish(self, store: Store, *, look: bool = False) -> SessionHand:
        """Keep the hand that is over, in the store and in the log.

        With ``look`` the opponents are asked what they played.
        """
        live, number, own = self.dealer.hand, self.dealer.number, self.seat
        hand = replace(
            live.seen_by(own),
            id=f"{self.session.mark}-{number}",
            time=datetime.now(UTC).replace(microsecond=0),
            room=ROOM,
        )
        store.add([hand])
        self._files.finish(self.dealer.log_line())
        self.finished = True
        self.won.append(hand.payoffs[own])
        for heard, line in zip(self._unheard, self.dealer.lines()[1:], strict=True):
            heard += [line] if self._learning else []
        return SessionHand(hand, number, self.look() if look else ())

    def look(self) -> tuple[PlayedAgent, ...]:
        """What the opponents played, clockwise; after a hand, and before they learn from it."""
        game, own, count = self.terms.game, self.seat, len(self.terms.names)
        asked = enumerate(self._seated, start=1)
        return tuple([look_at(player.agent, game, (own + place) % count) for place, player in asked])

    def next_hand(self) -> None:
        """Deal the next hand, after one that was finished. Agents learn from that at their next turn."""
        if not self.finished:
            raise SoulreadError("the hand has not been finished")
        self.dealer.next_hand()
        self.finished = False

    def learn(self) -> None:
        """Let the agents learn now from the hands that are over, and not at their next turn."""
        for player in range(1, len(self.terms.names)):
            self._catch_up_with(player)

    def play(
        self,
        person: Agent,
        store: Store,
        told: Callable[[SessionHand], None],
        *,
        begun: Callable[[int], None] = lambda number: None,
        leave_after: int | None = None,
        look: bool = False,
        thinks: Callable[[Agent], AbstractContextManager[object]] = lambda agent: nullcontext(),
    ) -> None:
        """Play until the person leaves: when they say so, or after ``leave_after`` hands.

        Each finished hand is put into the store, kept in the log and then ``told``; with ``look`` the
        opponents are asked what they played. ``begun`` is called with the number of each hand that begins or
        goes on.
        """
        unused = np.random.default_rng(0)  # a person draws nothing
        left = leave_after
        begun(self.dealer.number)
        with suppress(LeftTable):
            while not self.dealer.over:
                self.go_on(thinks=thinks)
                if not self.dealer.hand_over:
                    began = time.monotonic()
                    self.act(person.act(self.view, unused), time.monotonic() - began)
                    continue
                told(self.finish(store, look=look))
                left = None if left is None else left - 1
                if left == 0:
                    return
                self.next_hand()
                begun(self.dealer.number)

    def _hear(self, player: int, line: str, seconds: float) -> None:
        """Take the reply of a player, and keep it before anybody is told."""
        heard = self.dealer.receive(line)
        if heard.action is None or heard.remark:
            raise SoulreadError(f"{self.terms.names[player]!r}: {heard.remark}")
        self._files.act(self.dealer.number, player, heard.action, seconds)

    def _learn(self, hand: Hand) -> None:
        self.won.append(hand.payoffs[hand.seat_of(self.terms.names[0])])
        if self._learning:
            self.teach(hand)
        self._earlier(hand)

    def teach(self, hand: Hand) -> None:
        """Let the agents learn from a hand of theirs, as the dealer saw it."""
        for player, name in zip(self._seated, self.terms.names[1:], strict=True):
            player.learn(hand, name)

    def _catch_up_with(self, player: int) -> None:
        """Let an agent hear of the hands that have ended."""
        heard = self._unheard[player - 1]
        while heard:
            self._seated[player - 1].receive(heard.pop(0))

    def _catch_up(self) -> None:
        """Let the agents come again to where the hand stands, so that their draws go on as they would."""
        end, number, seating = self.dealer.hand.state, self.dealer.number, self.dealer.seating
        hole = [end.hole(seat) for seat in range(len(seating))]
        led = 0 if self.terms.start is None else len(self.terms.start.actions)
        for state, _ in decisions(self.terms.game, end.actions, end.board, hole):
            player = seating[state.player]
            if player and len(state.actions) >= led:
                self._seated[player - 1].receive(matchstate_line(number, state.player, state))
