"""Models of no-limit players that are judged by the cards the players held, and the task that judges them.

    uniform        all holdings that the board leaves are alike
    showdown       the classes of starting hands as often as they were shown in the first part
    prior          a model of players in general
    player         the prior, taught by the player's own hands of the first part

Where all cards are known, the relational prior is the one that comes with soulread, which was learned from
people. The gain of a model is log P(cards) - log 1/N in nats, so a uniform range gains 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from soulread.cards.ranges import CELL_SIZES, HAND_CELLS, HAND_MASKS, NUM_HANDS, cards_mask, hand_index
from soulread.games.poker import FOLD, PokerGame, PokerView
from soulread.hands.hand import Hand, Sight
from soulread.hands.record import decisions, public_view
from soulread.hands.referee import game_of_holdem
from soulread.hands.store import Query
from soulread.hands.store import Store as HandStore
from soulread.model import strength_tables as completed
from soulread.model.base import CardReader
from soulread.model.relational import bayes as relational
from soulread.model.relational.bayes import default_prior, fit_prior
from soulread.model.relational.examples import Question
from soulread.model.relational.model import RelationalModel
from soulread.model.strength_tables import CompletedModel, learn_prior
from soulread.reproduce.kit.ranges.scores import FOLDED, SHOWN, UNSEEN, gain_of, likelier_than, places_on
from soulread.tasks import Values, kept_as

SHOWDOWN = "showdown"
MODELS = (SHOWDOWN, "completed prior", "completed player", "relational prior", "relational player")
TOP = 0.75  # from which place on a hand is one of the best quarter


def spectator(hand: Hand) -> Hand:
    """The hand as somebody saw it who was dealt no cards: only shown cards are known."""
    shown = [sight is Sight.SHOWN for sight in hand.sights]
    return replace(
        hand,
        hole=tuple(cards if seen else None for cards, seen in zip(hand.hole, shown, strict=True)),
        sights=tuple(Sight.SHOWN if seen else Sight.UNSEEN for seen in shown),
        observer=None,
    )


class ShownClasses:
    """Holdings as likely as the class of their two cards was among hands shown, whatever was done."""

    def __init__(self, hands: Sequence[Hand]) -> None:
        seen = CELL_SIZES / NUM_HANDS * 169 / 2  # a little of even chances, so that nothing is impossible
        for hand in hands:
            for cards, sight in zip(hand.hole, hand.sights, strict=True):
                if sight is Sight.SHOWN and cards is not None and len(cards) == 2:
                    seen[HAND_CELLS[hand_index(*cards)]] += 1
        self._weights = (seen / CELL_SIZES)[HAND_CELLS]

    def holdings(self, view: PokerView, seat: int) -> NDArray[np.float64]:
        """The chance of each holding, ``[1326]``; the same for every seat."""
        weights = np.where((HAND_MASKS & cards_mask((*view.hole, *view.board))) == 0, self._weights, 0.0)
        found: NDArray[np.float64] = weights / weights.sum()
        return found


@lru_cache(maxsize=2)
def priors_of(store: str, cut: int, most: int, shipped: bool = False) -> "Priors":
    """Models of players in general, from at most ``most`` hands, the last ones of the first part.

    ``shipped``: relational trees are those that come with soulread, learned from other players.
    """
    with HandStore.open(store, read_only=True) as source:
        hands = [spectator(hand) for number, hand in source.find(Query()) if number <= cut][-most:]
    trees = default_prior() if shipped else fit_prior(hands, questions=(Question.PLAY,))
    return Priors(ShownClasses(hands), learn_prior(hands), trees)


@dataclass(frozen=True)
class Priors:
    """Models of nobody in particular."""

    shown: ShownClasses
    completed: completed.StrengthPrior
    relational: relational.RelationalPrior


def models_of(priors: Priors, game: PokerGame, hands: Sequence[Hand], player: str) -> dict[str, CardReader]:
    """All models of a player, by the names `MODELS`; ``hands`` are the player's own of the first part."""
    return {
        SHOWDOWN: priors.shown,
        "completed prior": CompletedModel(game, priors.completed),
        "completed player": CompletedModel(game, priors.completed).fit(hands, player),
        "relational prior": RelationalModel(game, priors.relational),
        "relational player": RelationalModel(game, priors.relational).fit(hands, player),
    }


@kept_as("soulread.reproduce.relational_ranges:judge_player")
def judge_player(
    store: str, player: str, cut: int, learned: int, judged: int, prior: int, shipped: bool = False
) -> Values:
    """A task: learn from a player's hands up to number ``cut``, and judge those after it.

    The arrays have a row for each hand whose cards the judge knows: ``fate``; ``gains [models]`` in nats;
    ``likelier [models, 2]`` the mass of likelier holdings and of those as likely; ``top [models]`` the chance
    of one of the best quarter, and ``is_top`` whether it was one; ``round`` of the last action.
    """
    with HandStore.open(store, read_only=True) as source:
        found = list(source.find(Query(player=player)))
    first = [spectator(hand) for number, hand in found if number <= cut][-learned:]
    second = [hand for number, hand in found if number > cut]
    priors = priors_of(store, cut, prior, shipped)
    models: dict[str, CardReader] | None = None
    rows: list[tuple[float, ...]] = []
    for hand in second:
        seat = hand.seat_of(player)
        hole = hand.hole[seat]
        if hole is None or len(hole) != 2 or len(rows) >= judged:
            continue
        last = last_view(hand, seat)
        if last is None:
            continue
        view, fate = last
        if models is None:
            models = models_of(priors, view.game, first, player)
        holding = hand_index(*hole)
        tables = [model.holdings(view, seat) for model in models.values()]
        place = places_on(view.board, view.game.num_players)
        best = place >= TOP
        row = [float(fate), float(view.round), float(best[holding])]
        for chances in tables:
            row += [gain_of(chances, holding), *likelier_than(chances, holding), float(chances[best].sum())]
        rows.append(tuple(row))
    names = tuple(models or ())
    array = np.array(rows, float).reshape(len(rows), 3 + 4 * len(names))
    parts = array[:, 3:].reshape(len(rows), len(names), 4)
    return {
        "fate": array[:, 0],
        "round": array[:, 1],
        "is_top": array[:, 2],
        "gains": parts[:, :, 0],
        "likelier": parts[:, :, 1:3],
        "top": parts[:, :, 3],
        "learned": float(len(first)),
    }


def last_view(hand: Hand, seat: int) -> tuple[PokerView, int] | None:
    """The public view after a seat's last action that was no fold, and how the hand ended for the seat.

    None if the seat did nothing but fold.
    """
    view, folded = None, False
    for state, action in decisions(game_of_holdem(hand), hand.actions, hand.board, hand.hole):
        if state.player == seat:
            folded = action == FOLD
            if not folded:
                view = replace(public_view(state.apply(action)), players=hand.players)
    if view is None:
        return None
    return view, FOLDED if folded else SHOWN if hand.sights[seat] is Sight.SHOWN else UNSEEN
