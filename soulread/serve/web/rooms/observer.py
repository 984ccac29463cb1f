"""An observer at a table: counts what a person does, reads the person's cards, judges decisions.

The observer learns from finished hands. It keeps them until it is asked, so a table whose read nobody looks
at costs nothing.
"""

from soulread.games.poker import PokerGame, PokerView
from soulread.hands.hand import Hand
from soulread.hands.record import as_seen_by
from soulread.play.catalogue.entry import where_tables_reach
from soulread.seqform.tabular import TabularStrategy
from soulread.study.hands.holdings import Reader, new_reader
from soulread.study.seat.choices import HandReview
from soulread.study.seat.own_play import OwnFrequency, OwnPlay
from soulread.study.seat.own_range import OwnRange, range_in_model
from soulread.study.seat.playout_judge import PlayoutJudge
from soulread.study.seat.running import unit_of


class Observer:
    """Knows one person at one table; ``equilibrium`` is set when it is there."""

    def __init__(self, game: PokerGame, person: str) -> None:
        self._game = game
        self._person = person
        self._hands: list[Hand] = []  # as the dealer saw them
        self._learnt = 0  # how many of them everybody below has seen
        self._play = OwnPlay(game, person)
        tables = where_tables_reach(game) is None
        self._judge = None if tables or PlayoutJudge.refuses(game) is not None else PlayoutJudge(game)
        self._reader: Reader | None = None
        if not tables and len(game.rules.deck) == 52 and game.rules.hole_cards == 2:
            self._reader = new_reader("completed" if game.rules.raise_sizes is None else "som", game)

    def add(self, hand: Hand) -> None:
        """Take note of a finished hand, as the dealer saw it."""
        self._hands.append(hand)

    def frequencies(self, equilibrium: TabularStrategy | None) -> tuple[OwnFrequency, ...]:
        """How often the person does what, beside an equilibrium with the same cards."""
        if self._play.equilibrium is not equilibrium:
            self._play = OwnPlay(self._game, self._person, equilibrium)
            for hand in self._hands[: self._learnt]:
                self._play.add(hand)
        self._catch_up()
        return self._play.frequencies()

    def range(self, view: PokerView, seat: int) -> tuple[OwnRange, str] | None:
        """The person's range in the eyes of a model, and whose eyes these are; None without a model."""
        self._catch_up()
        if self._reader is None:
            return None
        learnt = f", after {self._reader.seen:,} decisions of yours" if self._reader.seen else ""
        return range_in_model(self._reader, view, seat), f"as a careful observer reads you{learnt}"

    def review(self, hand: Hand) -> HandReview:
        """The decisions of the person in a hand that was not added yet, by play-outs."""
        self._catch_up()
        found = () if self._judge is None else tuple(self._judge.review(hand, self._person))
        return HandReview(hand.id, found, unit=unit_of(self._game).value)

    def _catch_up(self) -> None:
        for hand in self._hands[self._learnt :]:
            self._play.add(hand)
            if self._reader is not None:
                self._reader.update(as_seen_by(hand, None), self._person)
            if self._judge is not None:
                self._judge.observe(as_seen_by(hand, hand.seat_of(self._person)))
        self._learnt = len(self._hands)
