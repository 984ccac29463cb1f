"""How well models read, found another way than in `soulread.reproduce.kit.ranges.scores`: once, at a hand's
end.

Hands are gone through in order. Before each hand is learnt from, every player whose cards were shown is read
at the end of the hand by what is public alone. The score of a reading is

    log(chance of the cards that were shown) - log(chance by the deck alone)        in nats

so 0 is no reading at all, and a model that is too sure of itself falls below 0. Every decision is predicted
too: its score is the logarithm of the chance of the action that was taken. Of these predictions `Bin` says
how often what was predicted with a chance really came: that is the calibration of the model.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from soulread.cards.ranges import hand_index
from soulread.games.poker import RAISE, PokerGame
from soulread.hands.hand import Hand, Sight
from soulread.hands.record import decisions, final_state, public_view
from soulread.hands.referee import game_of_holdem
from soulread.model.loki.model import LokiModel

Maker = Callable[[PokerGame], LokiModel]
NUM_BINS = 10
_LEAST = 1e-12  # stands for a chance of 0


@dataclass(frozen=True)
class Bin:
    """Predictions of about the same chance."""

    predicted: float  # mean chance
    happened: float  # share that came
    count: int


@dataclass(frozen=True)
class Score:
    """What one kind of model was worth; scores of two kinds over the same hands can be compared pairwise."""

    cards: NDArray[np.float64]  # [shown holdings] nats over the deck alone
    actions: NDArray[np.float64]  # [decisions] nats
    bins: tuple[Bin, ...]  # of the chances of all actions

    @property
    def miscalibration(self) -> float:
        """The mean distance between what was predicted and what came, over all predictions."""
        total = sum(one.count for one in self.bins)
        return sum(one.count * abs(one.predicted - one.happened) for one in self.bins) / max(total, 1)


def score_models(
    hands: Iterable[Hand], makers: Mapping[str, Maker], *, actions: bool = True, skip: int = 0
) -> dict[str, Score]:
    """The scores of several kinds of models over the same hands; a model of its own is made for each player.

    The first ``skip`` hands only teach. ``actions=False`` leaves out the decisions, which take longest.
    """
    logs = {name: _Log() for name in makers}
    for number, hand in enumerate(hands):
        game = game_of_holdem(hand)
        for name, make in makers.items():
            log = logs[name]
            models = [log.models.get(player) or make(game) for player in hand.players]
            log.models.update(zip(hand.players, models, strict=True))
            if number >= skip:
                _score(game, hand, models, log, actions)
            for player, model in zip(hand.players, models, strict=True):
                if model.kind == "som":
                    model.update(hand, player)
    return {name: log.score() for name, log in logs.items()}


class _Log:
    def __init__(self) -> None:
        self.models: dict[str, LokiModel] = {}
        self.cards: list[float] = []
        self.actions: list[float] = []
        self.sums = np.zeros((NUM_BINS, 3))  # predicted, happened, count

    def score(self) -> Score:
        bins = [
            Bin(float(row[0] / row[2]), float(row[1] / row[2]), int(row[2])) for row in self.sums if row[2]
        ]
        return Score(np.array(self.cards), np.array(self.actions), tuple(bins))


def _score(game: PokerGame, hand: Hand, models: list[LokiModel], log: _Log, actions: bool) -> None:
    for before, action in decisions(game, hand.actions, hand.board) if actions else ():
        answer = models[before.player].probabilities(public_view(before), before.player)
        chances = {min(key, RAISE): chance for key, chance in answer.items()}
        taken = min(action, RAISE)
        log.actions.append(float(np.log(max(chances.get(taken, 0.0), _LEAST))))
        for kind, chance in chances.items():
            log.sums[min(int(chance * NUM_BINS), NUM_BINS - 1)] += chance, kind == taken, 1
    public = public_view(final_state(game, hand))
    for seat, cards in enumerate(hand.hole):
        if cards is not None and len(cards) == 2 and hand.sights[seat] is Sight.SHOWN:
            found = models[seat].holdings(public, seat)
            log.cards.append(float(np.log(found[hand_index(*cards)] * np.count_nonzero(found))))
