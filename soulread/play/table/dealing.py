"""The dealer of a match as a state machine: it gives lines for the players, and takes the lines they reply.

    dealer = Dealer(terms)
    while not dealer.over:
        dealer.lines()                  a line for each player, after the deal and after every action
        if dealer.hand_over:
            dealer.log_line(), dealer.next_hand()
        else:
            dealer.receive(line)        of the player ``dealer.player``

It knows no sockets, no clock and no files. Players are numbered as they were named; positions change from
hand to hand. The cards depend on the seed alone, and are those of `soulread.play.match.matches.Match`: who
plays the same seed again with the names swapped plays a duplicate match.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from soulread.cards.arrays import deal_many
from soulread.errors import IllegalAction, SoulreadError
from soulread.games.poker import CALL, FOLD, RAISE, PokerGame, PokerState
from soulread.hands.formats.acpc import (
    action_code,
    betting_codes,
    board_name,
    log_cards_name,
    log_line,
    read_reply,
)
from soulread.play.match.live import LiveHand
from soulread.play.table.spot_start import SpotStart
from soulread.streams import MatchStreams, verify_seed
from soulread.words import plural


@dataclass(frozen=True)
class MatchTerms:
    """Who plays what: everything that a match depends on, besides what the players do."""

    game: PokerGame
    names: tuple[str, ...]  # [players]
    hands: int
    seed: int
    fixed: bool = False  # whether everybody keeps the position of the first hand
    scale: Fraction = Fraction(1)  # chips of the log that make one of ours
    first: int = 0  # the player in position 0 of the first hand
    start: SpotStart | None = None  # where hands begin, if not at the beginning

    def __post_init__(self) -> None:
        count = self.game.num_players
        if len(self.names) != count:
            raise SoulreadError(f"{self.game.name!r} has {count} seats, not {len(self.names)}")
        if len(set(self.names)) < count:
            raise SoulreadError(f"players {', '.join(self.names)}; no two may have the same name")
        for name in self.names:
            if not name or not name.isprintable() or "|" in name or name != name.strip():
                raise SoulreadError(f"the name {name!r} cannot stand in a log; it needs letters, and no '|'")
        if self.hands < 1:
            raise SoulreadError(f"a match has at least one hand, not {self.hands}")
        verify_seed(self.seed)
        if self.start is not None:
            self.start.verify(self.game)

    def seating(self, number: int) -> tuple[int, ...]:
        """The player in each position of a hand; the first position goes to the next player in each hand."""
        count = len(self.names)
        turned = self.first + (0 if self.fixed else number)
        return tuple([(place + turned) % count for place in range(count)])


class Heard(NamedTuple):
    """What a dealer makes of a line: the action it means, or None; and a remark if something was odd."""

    action: str | None
    remark: str = ""


_COMMENT = Heard(None)
_MANY = 64  # hands that are dealt, and whose chips are counted, at once, which is quicker than one by one


class EndedHand(NamedTuple):
    """A hand that is over, as the log has it."""

    number: int
    end: PokerState
    names: Sequence[str]  # [positions]
    scale: Fraction

    def log_line(self) -> str:
        """Its line."""
        return log_line(self.number, self.end, self.names, self.scale)


class Dealer:
    """A match that is dealt; see the module."""

    def __init__(self, terms: MatchTerms) -> None:
        self.terms = terms
        self.number = 0
        self._totals = [0] * len(terms.names)  # [players] chips won, but for those of ``_unsettled``
        self._unsettled: list[tuple[PokerState, tuple[int, ...]]] = []  # ends of hands, with their seatings
        self._dealt: list[list[int]] = []  # the cards of the next hands, the last one first
        fixed = terms.game.rules.raise_sizes is not None
        self._plain = {"f": FOLD, "c": CALL} | ({"r": RAISE} if fixed else {})
        self._stream = MatchStreams(terms.seed).cards()
        self._told_of: PokerState | None = None  # the state of ``_told``
        self._told: list[str] = []  # [players] the present lines
        self._names: list[str] = []  # [positions] the hole cards, as a log writes them
        self._ends: list[str] = []  # [players] what stands in lines behind the betting, before a showdown
        self._board = ""  # as a log writes it, of the round ``_round``
        self._round = -1
        self._begin()

    @property
    def over(self) -> bool:
        """Whether all hands have been played."""
        return self.number >= self.terms.hands

    @property
    def hand_over(self) -> bool:
        """Whether the present hand has ended."""
        return self.hand.over

    @property
    def player(self) -> int:
        """The player whose turn it is."""
        return self.seating[self.hand.to_act]

    def lines(self) -> list[str]:
        """What each player is told at present, [players]."""
        state = self.hand.state
        if state is not self._told_of:
            self._told_of, self._told = state, self._tell(state)
        return self._told

    def _tell(self, state: PokerState) -> list[str]:
        """The lines of a state, as `matchstate_line` writes each; what they share is written once."""
        if state.round != self._round:
            self._round = state.round
            self._board = board_name(state)
            self._ends = [f":{hole}{self._board}" for hole in self._holes]
        ends = self._ends_of_showdown(state) if state.showdown else self._ends
        betting = state.betting
        return [f"{start}{betting}{end}" for start, end in zip(self._starts, ends, strict=True)]

    def _ends_of_showdown(self, state: PokerState) -> list[str]:
        """Everybody sees the cards of all who have not folded, and their own."""
        shown = [("" if out else name) for out, name in zip(state.folded, self._names, strict=True)]
        if all(shown):
            return [f":{'|'.join(shown)}{self._board}"] * len(shown)
        return [
            f":{'|'.join([*shown[:position], self._names[position], *shown[position + 1 :]])}{self._board}"
            for position in self._positions
        ]

    def receive(self, line: str) -> Heard:
        """Take a line, without its end, of the player whose turn it is.

        A line that replies to another state changes nothing, and neither does a comment.
        """
        if line[:1] in ("#", ";"):
            return _COMMENT
        hand = self.hand
        told = self.lines()[self.seating[hand.to_act]]
        if not line.startswith(told) or line[len(told) : len(told) + 1] != ":":
            return Heard(None, f"{line[:100]!r} is no reply to {told!r}; it is ignored")
        code = line[len(told) + 1 :]
        plain = self._plain.get(code)
        if plain is not None:
            try:
                hand.act(plain)
                return Heard(code)
            except IllegalAction:
                pass
        action, remark = read_reply(code, hand.state)
        hand.act(action)
        return Heard(action_code(action, self.terms.game) if remark else code, remark)

    def repeat_hand(self, betting: str) -> None:
        """Play a whole hand again, by its betting in the log."""
        before = 0 if self.terms.start is None else len(self.terms.start.actions)
        self.repeat(betting_codes(betting)[before:])

    def repeat(self, actions: Iterable[str]) -> None:
        """Play on with actions that were taken before; one that cannot have been is a `SoulreadError`."""
        for code in actions:
            state = self.hand.state
            action, remark = read_reply(code, state) if not self.hand_over else (0, "the hand is over")
            if remark:
                raise SoulreadError(f"hand {self.number} after {state.betting!r}: {code!r}: {remark}")
            self.hand.act(action)

    @property
    def ended(self) -> "EndedHand":
        """The finished hand, for the log."""
        return EndedHand(self.number, self.hand.end, self.hand.players, self.terms.scale)

    def log_line(self) -> str:
        """The line of the finished hand in the log."""
        return self.ended.log_line()

    @property
    def totals(self) -> list[int]:
        """The chips that each player has won, of ours, [players]."""
        for end, seating in self._unsettled:
            for player, won in zip(seating, end.payoffs(), strict=True):
                self._totals[player] += won
        self._unsettled.clear()
        return self._totals

    def next_hand(self) -> None:
        """Go on from the finished hand, and deal the next one if there is one."""
        self._unsettled.append((self.hand.end, self.seating))
        if len(self._unsettled) == _MANY:
            _ = self.totals
        self.number += 1
        if not self.over:
            self._begin()

    def score_line(self) -> str:
        """The last line of the log: what everybody has won, in the order of the players."""
        won = "|".join(str(total * self.terms.scale) for total in self.totals)
        return f"SCORE:{won}:{'|'.join(self.terms.names)}"

    def _begin(self) -> None:
        self.seating = self.terms.seating(self.number)
        names = [self.terms.names[player] for player in self.seating]
        game = self.terms.game
        start = self.terms.start
        cards: Sequence[int]
        if start is None:
            if not self._dealt:
                self._dealt = deal_many(self._stream, game.rules.deck, game.num_cards, _MANY)[::-1]
            cards = self._dealt.pop()
        else:
            cards = start.deal(self._stream, game)
        self.hand = LiveHand(game, names, cards, id=str(self.number))
        for action in () if start is None else start.actions:
            self.hand.act(action)
        self._positions = [self.seating.index(player) for player in range(len(names))]  # [players]
        # [players] what lines have before the betting, and the hole cards that a player may see
        self._starts = [f"MATCHSTATE:{position}:{self.number}:" for position in self._positions]
        state = self.hand.state
        self._names = [log_cards_name(state.hole(position), game) for position in range(len(names))]
        hidden = "|" * (len(names) - 1)
        self._holes = [
            f"{hidden[:position]}{self._names[position]}{hidden[position:]}" for position in self._positions
        ]
        self._round = -1

    def __repr__(self) -> str:
        return f"<Dealer of {plural(self.terms.hands, 'hand')}, at {self.number}>"
