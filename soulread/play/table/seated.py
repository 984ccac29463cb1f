"""A player of a match as a state machine: it takes the lines of a dealer and gives the replies of an agent.

    player = SeatedAgent(game, agent, seed=0)
    player.receive(line)                the reply, if it is the player's turn; else None

It knows no sockets. Lines that are no states of the game are counted and left alone. A match may begin at any
hand, and in the middle of one. The agent is told of each finished hand as its position saw it. The player's
name is the agent's; opponents whom nobody names are called by where they sit: "opponent", or with more than
two seats "opponent 1" for the next one clockwise, and so on.

The random draws of a hand depend on the seed and the number of the hand alone. So an agent that plays a hand
again, after a dealer was resumed, acts as before.
"""

from collections.abc import Callable, Sequence

from soulread.errors import SoulreadError
from soulread.games.base import TERMINAL
from soulread.games.poker import PokerGame, PokerState
from soulread.hands.formats.acpc import MatchReader, action_code
from soulread.hands.hand import Hand
from soulread.hands.record import final_state, seen_by
from soulread.play.agent import Agent, learns
from soulread.play.match.matches import distinct_names
from soulread.play.memory import SeatMemory
from soulread.play.table.clock import Times
from soulread.streams import HandStreams

Record = Callable[[Hand], None]
_MANY = 64  # hands, whose chips are counted at once, which is quicker than after each


class SeatedAgent:
    """An agent that plays a match by lines; see the module.

    ``others`` are the names of the opponents, the next one clockwise first. ``record`` is called with each
    finished hand, before the agent is told of it, and ``remark`` with a sentence about a line that was left
    alone. ``clock`` tells the time in seconds. ``memory`` is that of the seat, where players are called as
    `table_labels` says; it has begun.
    """

    def __init__(
        self,
        game: PokerGame,
        agent: Agent,
        seed: int,
        *,
        others: Sequence[str] = (),
        record: Record | None = None,
        remark: Callable[[str], None] = lambda text: None,
        clock: Callable[[], float] = lambda: 0.0,
        memory: SeatMemory | None = None,
    ) -> None:
        self.game = game
        self.agent = agent
        self.seed = seed
        self.hands = 0
        self.ignored = 0  # lines
        self.times = Times()
        self._record = record
        self._remark = remark
        self._clock = clock
        self.memory = memory
        self._keeps_records = record is not None or memory is not None or learns(agent)
        self._names = [self._names_from(position, others) for position in range(game.num_players)]
        self._reader = MatchReader(game, self._names)
        self._told: tuple[str, str] | None = None  # the last state that was replied to, and the reply
        self._over = -1  # the last hand that ended
        self._won = 0  # chips, but for those of ``_ended``
        self._ended: list[tuple[PokerState, int]] = []  # how hands ended, and the position there
        self._streams = HandStreams(seed, "table")

    @property
    def won(self) -> int:
        """The chips won so far."""
        self._won += sum([state.payoffs()[position] for state, position in self._ended])
        self._ended.clear()
        return self._won

    def receive_all(self, lines: Sequence[str]) -> list[str]:
        """The replies to lines that came together. A state that the next line goes on from is left out."""
        replies = []
        last = len(lines) - 1
        for place, line in enumerate(lines):
            if (
                place < last
                and line.count(":") == 4
                and lines[place + 1].startswith(line[: line.rindex(":")])
            ):
                continue
            reply = self.receive(line)
            if reply is not None:
                replies.append(reply)
        return replies

    def receive(self, line: str) -> str | None:
        """The reply to a line of the dealer, both without their ends; None if there is nothing to reply."""
        if not line or line[0] in "#;":
            return None
        if self._told is not None and line == self._told[0]:
            return self._told[1]
        try:
            state = self._reader.read(line)
        except SoulreadError as error:
            self.ignored += 1
            self._remark(str(error))
            return None
        if state.player == self._reader.position:
            reply = f"{line}:{action_code(self._choose(), self.game)}"
            self._told = line, reply
            return reply
        if state.player == TERMINAL:
            self._end(state)
        return None

    def learn(self, hand: Hand, name: str) -> None:
        """Let the agent learn from an earlier hand of the match, as the player ``name`` saw it."""
        if learns(self.agent):
            position = hand.seat_of(name)
            state = final_state(self.game, hand)
            self._tell(seen_by(state, position, self._names[position], id=hand.id))

    def _choose(self) -> int:
        began = self._clock()
        reader = self._reader
        action = self.agent.act(reader.view(), self._streams.of_hand(reader.number))
        self.times.add(self._clock() - began)
        return action

    def _end(self, state: PokerState) -> None:
        number, position = self._reader.number, self._reader.position
        if number == self._over:
            return
        self._over = number
        self.hands += 1
        self._ended.append((state, position))
        if len(self._ended) == _MANY:
            _ = self.won
        if self._keeps_records:
            hand = seen_by(state, position, self._names[position], id=str(number))
            if self._record is not None:
                self._record(hand)
            self._tell(hand)

    def _tell(self, hand: Hand) -> None:
        """Let the agent learn from a hand."""
        if self.memory is None:
            self.agent.observe(hand)
        else:
            self.memory.observe(self.agent, hand)

    def _names_from(self, position: int, others: Sequence[str]) -> tuple[str, ...]:
        names = table_labels(self.game, self.agent, others)
        return tuple(names[(seat - position) % len(names)] for seat in range(len(names)))


def table_labels(game: PokerGame, agent: Agent, others: Sequence[str] = ()) -> tuple[str, ...]:
    """What an agent and its opponents are called at a table by lines: the agent first, then clockwise."""
    count = game.num_players
    usual = ["opponent"] if count == 2 else [f"opponent {place}" for place in range(1, count)]
    names = distinct_names([*(others or usual), agent.name])
    return names[-1], *names[:-1]
