"""How well models of a player foresee the cards the player holds and what the player does.

`Judged` follows one player through hands in the order they were played. Before each hand the models know all
earlier hands of the player, and nothing else. A hand is judged as a spectator sees it: no cards but the
board.

    actions     at each decision of the player: the chance the model gave to fold, call and raise
    holdings    after each action, where the judge knows the player's cards: the chance the model gave them

The gain of a model is  log P(cards) - log 1/N  in nats, N being the number of holdings that the board leaves:
how much more it knew than that all of them are alike. A fold is an action, too.

The judge may know more than the models: in a simulation also the cards nobody showed. Models learn from what a
spectator saw.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.cards.ranges import HAND_MASKS, cards_mask, hand_index
from soulread.games.limit_holdem import limit_holdem
from soulread.games.poker import CALL, FOLD, RAISE, PokerState, PokerView
from soulread.hands import Hand, Sight
from soulread.hands.record import decisions
from soulread.hands.referee import game_of_record
from soulread.model.base import ask
from soulread.model.loki import LokiModel
from soulread.model.values import scale_at

MODELS: Mapping[str, Mapping[str, str]] = {
    "gom, thresholds": {"kind": "gom", "reweight": "threshold"},
    "gom": {"kind": "gom", "reweight": "triples"},
    "som, thresholds": {"kind": "som", "reweight": "threshold"},
    "som": {"kind": "som", "reweight": "triples"},
    "som, davidson, thresholds": {"kind": "som", "contexts": "davidson", "reweight": "threshold"},
    "som, davidson": {"kind": "som", "contexts": "davidson", "reweight": "triples"},
}
"""The models that are compared; where nothing is said, tables are re-weighted by triples."""

BASE_RATE = "base rate"
"""Of actions only: the player's own frequencies so far among the same legal actions, each begun with one."""

EXPONENTS = 0.25, 0.5, 0.75, 1.0, 1.25, 1.5
"""Tables are also judged with every chance to these powers: below 1 it is a more careful table."""

CLASSES = 0.0, 0.5, 0.75, 0.9, 1.0
"""Bounds of the classes of strength: shares of all holdings, the weakest first."""

FOLDED, UNSEEN, SHOWN = range(3)
"""How a hand ended for the player: folded, not folded and not shown, or shown."""

ROUNDS = 4
_ALIKE = 1e-9  # chances that differ by less, as a share, are the same


class Judged:
    """What was predicted of one player, and what came."""

    def __init__(self, player: str, models: Mapping[str, LokiModel] | None = None) -> None:
        game = limit_holdem()  # a model of Loki answers for hands of any limit game
        self.player = player
        self.models = dict(models or {name: LokiModel(game, **made) for name, made in MODELS.items()})
        self.known = 0  # hands that the models have learnt from
        self._hands: list[_Hand] = []
        self._decisions: list[_Decision] = []
        self._rate = np.ones((2, 2, 3))  # of the base rate: may fold, may raise; actions

    def add(self, hand: Hand, seen: Hand | None = None) -> None:
        """Judge one more hand, then let the models learn it.

        ``hand`` has the cards that the judge knows. The models learn from ``seen``, by default the same.
        """
        seat = hand.seat_of(self.player)
        hole = hand.hole[seat]
        points: list[PokerView] = []
        action = CALL
        for state, action_now in decisions(game_of_record(hand), hand.actions, hand.board, hand.hole):
            if state.player == seat:
                action = action_now
                self._foresee(_for_spectator(state, seat), seat, action)
                points.append(_for_spectator(state.apply(action), seat))
        if points and hole is not None and len(hole) == 2:
            shown = hand.sights[seat] is Sight.SHOWN
            fate = FOLDED if action == FOLD else SHOWN if shown else UNSEEN
            self._hands.append(self._judge(points, seat, hand_index(*hole), fate))
        for model in self.models.values():
            model.update(seen or hand, self.player)
        self.known += 1

    def _foresee(self, view: PokerView, seat: int, action: int) -> None:
        """Note the chances of the actions at a decision."""
        legal = np.array([FOLD in view.choices, True, RAISE in view.choices])
        rate = self._rate[int(legal[FOLD]), int(legal[RAISE])]
        rate = np.where(legal, rate, 0.0)
        chances = [rate / rate.sum()]
        for model in self.models.values():
            answer = ask(model, view, seat)
            chances.append(np.array([answer.get(kind, 0.0) for kind in (FOLD, CALL, RAISE)]))
        self._rate[int(legal[FOLD]), int(legal[RAISE]), action] += 1
        self._decisions.append(_Decision(self.known, view.round, action, legal, np.array(chances)))

    def _judge(self, points: list[PokerView], seat: int, holding: int, fate: int) -> "_Hand":
        """Compare the tables after each of the player's actions with the cards the player has."""
        count = len(self.models)
        gains = np.full((count, ROUNDS), np.nan)
        places = np.full((count + 1, ROUNDS), np.nan)
        lasts = []
        for view in points:
            place = places_on(view.board, view.game.num_players)
            places[0, view.round] = place[holding]
            tables = [model.holdings(view, seat) for model in self.models.values()]
            for i, chances in enumerate(tables):
                gains[i, view.round] = gain_of(chances, holding)
                places[i + 1, view.round] = chances @ place
            lasts = tables  # those of the last action stay
        strength = np.searchsorted(CLASSES[1:-1], place, side="right")
        return _Hand(
            known=self.known,
            fate=fate,
            last=points[-1].round,
            gains=gains,
            places=places,
            tempered=np.array([[gain_of(t, holding, power) for power in EXPONENTS] for t in lasts]),
            likelier=np.array([likelier_than(chances, holding) for chances in lasts]),
            strength=int(strength[holding]),
            classes=np.array([np.bincount(strength, t, minlength=len(CLASSES) - 1) for t in lasts]),
        )

    def values(self) -> dict[str, NDArray[np.float64]]:
        """All that was noted, as arrays; see `_Hand` and `_Decision` for the names and shapes."""
        found: dict[str, NDArray[np.float64]] = {}
        for prefix, rows, kind in (("", self._hands, _Hand), ("action ", self._decisions, _Decision)):
            for name in kind._fields:
                shape = _shapes(len(self.models))[prefix + name]
                column = [getattr(row, name) for row in rows]
                found[prefix + name] = np.array(column, dtype=np.float64).reshape(len(rows), *shape)
        return found


class _Hand(NamedTuple):
    """A hand whose cards the judge knows. Masses and gains are those after the player's last action."""

    known: int  # hands of the player that the models knew before
    fate: int
    last: int  # round of the last action
    gains: NDArray[np.float64]  # [models, rounds] nats, after the last action of each round; NaN: none
    places: NDArray[np.float64]  # [1 + models, rounds] share of holdings that are weaker: truth, expected
    tempered: NDArray[np.float64]  # [models, exponents] nats
    likelier: NDArray[np.float64]  # [models, 2] mass of likelier holdings, and of those as likely
    strength: int  # class of the holding
    classes: NDArray[np.float64]  # [models, classes] mass of each class


class _Decision(NamedTuple):
    """A decision of the player."""

    known: int
    round: int
    action: int
    legal: NDArray[np.bool_]  # [3] fold, call, raise
    chances: NDArray[np.float64]  # [1 + models, 3] of the base rate, and of each model


def _shapes(models: int) -> dict[str, tuple[int, ...]]:
    """The shape of a row of each array, so that arrays without rows have it too."""
    return {
        **dict.fromkeys(("known", "fate", "last", "strength"), ()),
        "gains": (models, ROUNDS),
        "places": (models + 1, ROUNDS),
        "tempered": (models, len(EXPONENTS)),
        "likelier": (models, 2),
        "classes": (models, len(CLASSES) - 1),
        **dict.fromkeys(("action known", "action round", "action action"), ()),
        "action legal": (3,),
        "action chances": (models + 1, 3),
    }


def _for_spectator(state: PokerState, seat: int) -> PokerView:
    """What everybody sees, from another seat than the one that is judged and without its cards."""
    view = state.view((seat + 1) % state.rules.num_players)
    return replace(view, hole=(), information=view.public)


def gain_of(chances: NDArray[np.float64], holding: int, power: float = 1.0) -> float:
    """Nats that a table gives a holding beyond even chances; with a power, of the table of p ** power."""
    possible = chances[chances > 0]
    top = possible.max()  # so that nothing underflows
    total = float(((possible / top) ** power).sum())
    return float(power * np.log(chances[holding] / top) - np.log(total) + np.log(possible.size))


def likelier_than(chances: NDArray[np.float64], holding: int) -> tuple[float, float]:
    """The mass of all holdings that are likelier than this one, and of those as likely (it included).

    If the table is right, the first plus a uniform share of the second is uniform between 0 and 1.
    """
    own = chances[holding]
    same = np.abs(chances - own) <= _ALIKE * own
    return float(chances[(chances > own) & ~same].sum()), float(chances[same].sum())


@lru_cache(maxsize=16)
def places_on(board: tuple[int, ...], players: int) -> NDArray[np.float64]:
    """``[1326]`` the share of possible holdings that are weaker, ties counted half; 0 where impossible.

    Before the flop by income rates, on flop and turn by EHS, on the river by HS, against one opponent.
    """
    values = scale_at(board, players, 1).values
    possible = (HAND_MASKS & cards_mask(board)) == 0
    ordered = np.sort(values[possible])
    below, upto = (np.searchsorted(ordered, values, side=side) for side in ("left", "right"))
    found: NDArray[np.float64] = np.where(possible, (below + upto) / 2 / ordered.size, 0.0)
    found.flags.writeable = False
    return found
