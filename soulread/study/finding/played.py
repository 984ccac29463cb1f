"""Hands that were found, as rows: what they were, and how one player played them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import islice

import numpy as np

from soulread.cards.deck import cards_name
from soulread.encoding import keys
from soulread.games.walk import MAX_ROUNDS
from soulread.hands.conditions import Search
from soulread.hands.facts import POSITIONS, facts_of, starts
from soulread.hands.hand import Hand
from soulread.hands.lines import line_text, street_letters
from soulread.hands.money import money_text
from soulread.report.shown import ShownTable

_TOGETHER = 500  # hands that are walked at once

Found = tuple[int, Hand]  # the number of a hand in its store, and the hand


@dataclass(frozen=True)
class PlayedHand:
    """A hand, and how one player played it; without a player the last fields are empty."""

    number: int
    hand: Hand
    pot_chips: int
    player: str | None
    position: str = ""
    preflop: str = ""  # the player's own actions before the flop: "raise/call"
    line: str = ""  # and after it, street by street: "bet-bet-check"

    JSON = keys(
        "number",
        id="hand.id",
        time="hand.time",
        room="hand.room",
        table="hand.table",
        game="game",
        stakes="stakes",
        players="hand.num_players",
        position="position",
        cards="cards",
        board="board",
        pot_bb="pot_bb",
        pot="pot",
        won_bb="won_bb",
        won="won",
        currency="hand.stakes.currency",
        preflop="preflop",
        line="line",
    )

    @property
    def game(self) -> str:
        """The name of the game up to its first colon."""
        return self.hand.game.partition(":")[0]

    @property
    def stakes(self) -> str:
        """The big blind in money or chips: "$6"."""
        return money_text(self.hand.stakes.big_blind, self.hand.stakes)

    @property
    def seat(self) -> int | None:
        """The player's seat; None without a player."""
        return None if self.player is None else self.hand.seat_of(self.player)

    @property
    def cards(self) -> str:
        """The player's cards, as far as they were seen."""
        return "" if self.seat is None else cards_name(self.hand.hole[self.seat] or ())

    @property
    def board(self) -> str:
        """The board; several if the hand was run twice."""
        return " & ".join(cards_name(board) for board in self.hand.boards)

    @property
    def pot_bb(self) -> float:
        """The pot in big blinds."""
        return self.pot_chips / max(1, self.hand.stakes.big_blind)

    @property
    def pot(self) -> float:
        """The pot in money, or chips without a price."""
        return self._money(self.pot_chips)

    @property
    def won_bb(self) -> float | None:
        """What the player won, in big blinds."""
        return (
            None if self.seat is None else self.hand.payoffs[self.seat] / max(1, self.hand.stakes.big_blind)
        )

    @property
    def won(self) -> float | None:
        """What the player won, in money, or chips without a price."""
        return None if self.seat is None else self._money(self.hand.payoffs[self.seat])

    def _money(self, chips: int) -> float:
        return float(chips * Decimal(self.hand.stakes.chip))


def played_hands(found: Iterable[Found], player: str | None) -> Iterator[PlayedHand]:
    """Hands with what their player did; they are read as they are asked for."""
    coming = iter(found)
    while part := list(islice(coming, _TOGETHER)):
        yield from _played(part, player)


def _played(part: Sequence[Found], player: str | None) -> Iterator[PlayedHand]:
    hands = [hand for _, hand in part]
    facts = facts_of(hands)
    first = starts(np.array([hand.num_players for hand in hands])).tolist()
    letters = [street_letters(facts, round) for round in range(MAX_ROUNDS)]
    for (number, hand), begin in zip(part, first, strict=False):
        pot = int(facts.seats["pot"][begin])
        if player is None:
            yield PlayedHand(number, hand, pot, None)
            continue
        row = begin + hand.seat_of(player)
        before, *later = (street[row].decode() for street in letters)
        position = POSITIONS[facts.seats["position"][row]]
        yield PlayedHand(number, hand, pot, player, position, line_text([before]), line_text(later))


@dataclass(frozen=True, repr=False)
class SearchStudy(ShownTable):
    """Hands that fulfil conditions."""

    LINE = "{it.shown:,} hands{it.whose}"
    TABLE = "hands"

    player: str | None
    count: int | None  # hands that were found; None if that is not known
    hands: tuple[PlayedHand, ...]  # those shown

    JSON = keys("player count hands")

    @property
    def shown(self) -> int:
        """How many hands are here."""
        return len(self.hands)

    @property
    def whose(self) -> str:
        """The player in a sentence."""
        return "" if self.player is None else f" of {self.player}"

    def top(self, most: int) -> "SearchStudy":
        """The first hands alone."""
        return replace(self, hands=self.hands[:most])


def study_search(search: Search, player: str | None, limit: int | None = None) -> SearchStudy:
    """Read the hands of a search: the first ``limit``, or all. ``player`` is whose hands they are, if any."""
    shown = tuple(played_hands(islice(search.hands, limit), player))
    count = search.count
    if count is None and (limit is None or len(shown) < limit):
        count = len(shown)
    return SearchStudy(player, count, shown)
