"""Scores of models that predict the cards and the actions of a player.

`Judged` follows one player through hands in the order they were played. Before each hand the models know all
earlier hands of the player, and nothing else. A hand is judged as a spectator sees it: no cards but the
board.

    actions     at each decision of the player: the chance the model gave to fold, call and raise
    holdings    after each action, where the judge knows the player's cards: the chance the model gave them

The gain of a model is  log P(cards) - log 1/N  in nats, N being the number of holdings that the board leaves:
how much more it knew than that all of them are alike. A fold is an action, too.

The judge may know more than the models: in a simulation also the cards nobody showed. Models learn from what
a spectator saw.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.cards.ranges import HAND_MASKS, cards_mask, hand_index
from soulread.cards.scales.incomes import places_among
from soulread.cards.scales.values import scale_at
from soulread.games.limit_holdem import limit_holdem
from soulread.games.poker import CALL, FOLD, RAISE, PokerView
from soulread.hands.hand import Hand, Sight
from soulread.hands.record import decisions, public_view
from soulread.hands.referee import game_of_holdem
from soulread.model.base import ask
from soulread.model.loki.model import LokiModel

MODELS: Mapping[str, tuple[str, str, str]] = {
    "gom, thresholds": ("gom", "12", "threshold"),
    "gom": ("gom", "12", "triples"),
    "som, thresholds": ("som", "12", "threshold"),
    "som": ("som", "12", "triples"),
    "som, davidson, thresholds": ("som", "davidson", "threshold"),
    "som, davidson": ("som", "davidson", "triples"),
}
"""The models that are compared: kind, contexts, and by what tables are re-weighted."""

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
    """The predictions of several models for one player, and what the player did and held."""

    def __init__(self, player: str, models: Mapping[str, LokiModel] | None = None) -> None:
        game = limit_holdem()  # a model of Loki answers for hands of any limit game
        self.player = player
        self.models = dict(models or {name: LokiModel(game, *made) for name, made in MODELS.items()})
        self.known = 0  # hands that the models have learnt from
        self._hands: list[_Hand] = []
        self._decisions: list[_Decision] = []
        self._steps: list[_Told] = []
        self._rate = np.ones((2, 2, 3))  # of the base rate: may fold, may raise; actions

    def add(self, hand: Hand, seen: Hand | None = None) -> None:
        """Judge one more hand, then let the models learn it.

        ``hand`` has the cards that the judge knows. The models learn from ``seen``, by default the same.
        """
        seat = hand.seat_of(self.player)
        hole = hand.hole[seat]
        steps: list[_Step] = []
        for state, action in decisions(game_of_holdem(hand), hand.actions, hand.board, hand.hole):
            if state.player == seat:
                before, after = public_view(state), public_view(state.apply(action))
                self._foresee(before, seat, action)
                steps.append(_Step(before, after, kind_of(before, action)))
        if steps and hole is not None and len(hole) == 2:
            shown = hand.sights[seat] is Sight.SHOWN
            fate = FOLDED if steps[-1].kind == FOLDS else SHOWN if shown else UNSEEN
            self._judge(steps, seat, hand_index(*hole), fate)
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

    def _judge(self, steps: list["_Step"], seat: int, holding: int, fate: int) -> None:
        """Compare the tables around each of the player's actions with the cards the player has."""
        count = len(self.models)
        gains = np.full((count, ROUNDS), np.nan)
        places = np.full((count + 1, ROUNDS), np.nan)
        for before, after, kind in steps:
            round = before.round
            place = places_on(after.board, after.game.num_players)
            old = [gain_of(model.holdings(before, seat), holding) for model in self.models.values()]
            tables = [model.holdings(after, seat) for model in self.models.values()]
            gains[:, round] = [gain_of(chances, holding) for chances in tables]
            places[:, round] = [place[holding], *(chances @ place for chances in tables)]
            self._steps.append(
                _Told(self.known, fate, kind, float(place[holding]), gains[:, round] - np.array(old))
            )
        strength = np.searchsorted(CLASSES[1:-1], place, side="right")
        self._hands.append(
            _Hand(
                known=self.known,
                fate=fate,
                last=round,
                gains=gains,
                places=places,
                tempered=np.array([[gain_of(t, holding, power) for power in EXPONENTS] for t in tables]),
                likelier=np.array([likelier_than(chances, holding) for chances in tables]),
                strength=int(strength[holding]),
                classes=np.array([np.bincount(strength, t, minlength=len(CLASSES) - 1) for t in tables]),
            )
        )

    def values(self) -> dict[str, NDArray[np.float64]]:
        """All that was noted, as arrays; see `_Hand`, `_Decision` and `_Told` for the names and shapes."""
        found: dict[str, NDArray[np.float64]] = {}
        shapes = _shapes(len(self.models))
        parts = (
            ("", self._hands, _Hand),
            ("action ", self._decisions, _Decision),
            ("step ", self._steps, _Told),
        )
        for prefix, rows, kind in parts:
            for name in kind._fields:
                shape = shapes.get(prefix + name, ())
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


class _Told(NamedTuple):
    """An action of a player whose cards the judge knows: what it told the models about these cards."""

    known: int
    fate: int
    kind: int
    place: float  # share of holdings that are weaker than the player's on this board
    gains: NDArray[np.float64]  # [models] nats more after the action than before


class _Step(NamedTuple):
    """An action as a spectator sees it."""

    before: PokerView
    after: PokerView
    kind: int


FOLDS, CHECKS, CALLS, RAISES = range(4)
KINDS = "fold", "check", "call", "bet or raise"


def kind_of(view: PokerView, action: int) -> int:
    """Which of `KINDS` an action of the seat to act is."""
    if action == CALL:
        return CALLS if FOLD in view.choices else CHECKS
    return FOLDS if action == FOLD else RAISES


def _shapes(models: int) -> dict[str, tuple[int, ...]]:
    """The shape of a row of each array; those that are not here have one number a row."""
    return {
        "gains": (models, ROUNDS),
        "places": (models + 1, ROUNDS),
        "tempered": (models, len(EXPONENTS)),
        "likelier": (models, 2),
        "classes": (models, len(CLASSES) - 1),
        "action legal": (3,),
        "action chances": (models + 1, 3),
        "step gains": (models,),
    }


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
    found: NDArray[np.float64] = np.where(possible, places_among(values, values[possible]), 0.0)
    found.flags.writeable = False
    return found
