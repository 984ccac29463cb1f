"""Models of foreign classes, each in a process of its own.

The process is sent the hands and views that the model is asked about, and nothing else. Its answers are
verified here by type; `soulread.model.base.ask` verifies what they say.
"""

from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from soulread.foreign.apart import CALL_SECONDS, START_SECONDS, Apart, packed_game, unpack
from soulread.foreign.child import ForeignClass
from soulread.games.poker import PokerGame, PokerView
from soulread.hands import wire
from soulread.hands.hand import Hand
from soulread.model.tabular import TabularModel
from soulread.seqform.compile import SequenceGame, poker_of
from soulread.seqform.strategy import Behaviour
from soulread.words import plural

_PER_HAND = 1.0  # seconds for each hand that a model is fitted to, beside those for its start


class _Remote:
    """The half of a foreign model that learns."""

    def __init__(self, name: str, named: ForeignClass, game: PokerGame) -> None:
        self.called = name  # by users
        self._key = name, named, game
        self._apart = Apart(f"model {name!r}", named, name)
        self._apart.make(game)
        self._apart.settle()

    def fit(self, hands: Iterable[Hand], player: str | None = None) -> Self:
        """Learn from these hands alone."""
        every = [wire.write_hand(hand) for hand in hands]
        seconds = START_SECONDS + _PER_HAND * len(every)
        self._apart.ask(f"when it was fitted to {plural(len(every), 'hand')}", seconds, "fit", every, player)
        return self

    def update(self, hand: Hand, player: str | None = None) -> Self:
        """Learn from one more hand."""
        where = f"when it was told of hand {hand.betting!r}"
        self._apart.ask(where, CALL_SECONDS, "update", wire.write_hand(hand), player)
        return self


class ApartModel(_Remote):
    """A model of a foreign class."""

    def probabilities(self, view: PokerView, seat: int) -> dict[int, float]:
        """The probability of each action of ``seat``; see `soulread.model.base.Model`."""
        answer = self._apart.ask(_where(view), CALL_SECONDS, "probabilities", self._seen(view), seat)
        try:
            found = dict(answer)
        except (TypeError, ValueError):
            found = {None: None}
        if not all(type(action) is int and type(chance) is float for action, chance in found.items()):
            raise self._apart.misbehaved(f"answers no probabilities {_where(view)}")
        return found

    def _seen(self, view: PokerView) -> tuple[str | None, list[Any]]:
        return None if view.game == self._key[2] else packed_game(view.game), wire.write_view(view)

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process makes the model anew."""
        return type(self), self._key


class ApartReader(ApartModel):
    """A model of a foreign class that reads cards."""

    def holdings(self, view: PokerView, seat: int) -> NDArray[np.float64]:
        """How likely ``seat`` holds each of ``view.game.holdings``; see `soulread.model.base.CardReader`."""
        packed = self._apart.ask(_where(view), CALL_SECONDS, "holdings", self._seen(view), seat)
        return unpack(self._apart, packed, len(view.game.holdings), "chances of holdings")


class ApartTable(_Remote, TabularModel):
    """A model of a foreign class that is a table of ``game``."""

    def __init__(self, name: str, named: ForeignClass, game: SequenceGame) -> None:
        super().__init__(name, named, poker_of(game))
        self.game = game
        if self._apart.ask("when it was made", START_SECONDS, "checksum") != game.trees[0].checksum:
            raise self._apart.misbehaved(f"is a table of another game than {game.name!r}")
        self._tables: dict[int, Behaviour] = {}

    def reset(self) -> None:
        """Forget every hand."""
        self.fit(())

    def fit(self, hands: Iterable[Hand], player: str | None = None) -> Self:
        """Learn from these hands alone."""
        self._tables.clear()
        return super().fit(hands, player)

    def update(self, hand: Hand, player: str | None = None) -> Self:
        """Learn from one more hand."""
        self._tables.clear()
        return super().update(hand, player)

    def strategy(self, seat: int) -> Behaviour:
        """The behaviour ``[num_sequences]`` the player is believed to have in ``seat``."""
        if seat not in self._tables:
            packed = self._apart.ask(f"when it was asked for seat {seat}", CALL_SECONDS, "strategy", seat)
            size = self.game.trees[seat].num_sequences
            self._tables[seat] = Behaviour(unpack(self._apart, packed, size, "chances of actions"))
        return self._tables[seat]

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process makes the model anew."""
        return type(self), (*self._key[:2], self.game)


class ApartCounts(ApartTable):
    """A table of a foreign class that says how often it has seen each information set."""

    def observations(self, seat: int) -> NDArray[np.float64]:
        """``[num_sets]`` of ``seat``."""
        packed = self._apart.ask(f"when it was asked for seat {seat}", CALL_SECONDS, "observations", seat)
        return unpack(self._apart, packed, self.game.trees[seat].num_sets, "numbers of observations")


def _where(view: PokerView) -> str:
    return f"after {view.betting!r} in {view.game.name!r}"
