"""A clone of a player of hold'em: what the player did, as often, and with the cards the player showed.

    model = CloneModel(game).fit(hands, "Bob")
    model.probabilities(view, seat)      fold, call, and raises of a few sizes
    model.holdings(view, seat)           how likely each holding is
    model.act(view, rng)                 what Bob does with the cards in view

Three parts are learned from the hands, each on top of what people in general do (`people`): how often the
player folds, calls and raises (`chances`), from all decisions; with which holdings (`holdings`), from cards
that were shown; how much the player bets (`sizes`). The chances are public ones: whatever the tastes for
holdings are, over many hands the clone folds, calls and raises as often as the player did in such places. Any
number of seats; limit and no-limit are learned apart.
"""

from collections import OrderedDict
from functools import cached_property, lru_cache
from typing import NamedTuple, Self

import numpy as np

from soulread.cards.ranges import hand_index
from soulread.errors import SoulreadError
from soulread.games.limit_holdem import verify_holdem
from soulread.games.poker import CALL, FOLD, RAISE, PokerGame, PokerView
from soulread.hands.hand import Hand
from soulread.model.base import HandLearner, one_holding, subject, verify_to_act
from soulread.model.clone.cells import PublicDecisions, decisions_of, decisions_so_far
from soulread.model.clone.chances import Array, Spread, chances_at, learn_weights
from soulread.model.clone.holdings import (
    Tastes,
    TasteSpread,
    alive_on,
    features_on,
    kind_of,
    learn_tastes,
    policy,
    shown_lines,
)
from soulread.model.clone.people import PeopleInGeneral, known_people
from soulread.model.clone.sizes import SeenSizes, Sizing, no_sizes
from soulread.model.loki.contexts import board_at, verify_seat

OTHERS = Spread(0.5, 0.25)  # of those whom the player met, from people in general
OWN = Spread(0.5, 0.25)  # of the player, from those
TASTE = TasteSpread(0.2, 0.0)  # of the player, from people in general
MOST_OTHERS = 40_000  # decisions of others that are learned from: the last ones
MOST_SHOWN = 300  # hands of the player with cards shown: the last ones
_KEPT = 64  # ranges that a model remembers, 11 kB each


def betting_of(variant: str) -> str:
    """The betting of a variant of hold'em: "limit" or "nolimit"; other games are refused."""
    if not variant.startswith("52 cards, 2+0-3-1-1,"):
        raise SoulreadError(f"a game of {variant!r} is not hold'em, which clones play")
    return "nolimit" if "no-limit" in variant else "limit"


class Fitted(NamedTuple):
    """What was learned of a player."""

    weights: Array  # of `chances`
    tastes: Tastes
    sizing: Sizing


class CloneModel(HandLearner):
    """A model of one player; see the top of the module."""

    def __init__(self, game: PokerGame, people: PeopleInGeneral | None = None) -> None:
        verify_holdem(game)
        self.game = game
        self.betting = betting_of(game.variant)
        self.people = people or known_people()[self.betting]
        self.reset()

    # Learning.

    def reset(self) -> None:
        """Forget every hand."""
        self._hands: list[Hand] = []
        self._seats: list[int] = []
        self._forget()

    def _forget(self) -> None:
        self.__dict__.pop("fitted", None)
        self._ranges: OrderedDict[tuple[object, ...], Array] = OrderedDict()

    def update(self, hand: Hand, player: str | None = None) -> Self:
        """Learn from one more hand. What follows from all of them is found when the model is next asked."""
        if betting_of(hand.variant) != self.betting:
            raise SoulreadError(f"a hand of {hand.game!r} says nothing about {self.game.name!r}")
        self._seats.append(subject(hand, player))
        self._hands.append(hand)
        self._forget()
        return self

    @property
    def num_hands(self) -> int:
        """How many hands the model has seen."""
        return len(self._hands)

    @cached_property
    def fitted(self) -> Fitted:
        """What was learned of the player."""
        people = self.people
        if not self._hands:
            return Fitted(people.weights, people.tastes, Sizing(no_sizes(), no_sizes()))
        made = decisions_of(self._hands)
        seats = np.array(self._seats)
        mine = made.seat == seats[made.hand]
        others, own = made.take(np.flatnonzero(~mine)[-MOST_OTHERS:]), made.take(mine)
        weights = learn_weights(learn_weights(people.weights, others, OTHERS), own, OWN)
        sizing = Sizing(SeenSizes.of(own), SeenSizes.of(others))
        return Fitted(weights, self._tastes(weights), sizing)

    def of_others(self) -> "CloneModel":
        """A clone of everybody else in the same hands, taken for one player."""
        found = CloneModel(self.game, self.people)
        made = decisions_of(self._hands)
        seats = np.array(self._seats)
        others = made.take(np.flatnonzero(made.seat != seats[made.hand])[-MOST_OTHERS:])
        weights = learn_weights(self.people.weights, others, OTHERS)
        found.fitted = Fitted(weights, self.people.tastes, Sizing(no_sizes(), SeenSizes.of(others)))
        return found

    def _tastes(self, weights: Array) -> Tastes:
        """The player's tastes, from the last hands whose cards were shown."""
        shown = [
            (hand, seat)
            for hand, seat in zip(self._hands, self._seats, strict=True)
            if hand.showdown and hand.hole[seat] is not None
        ][-MOST_SHOWN:]
        if not shown:
            return self.people.tastes
        hands = [hand for hand, _ in shown]
        made = decisions_of(hands)
        lines = shown_lines(hands, made, chances_at(weights, made), [(seat,) for _, seat in shown])
        return learn_tastes(self.people.tastes, lines, TASTE)

    # What the player holds.

    def _decisions(self, view: PokerView, seat: int) -> tuple[PublicDecisions, Array]:
        """The decisions of a seat in the hand of a view, that which it has now too, and its chances there."""
        now = seat if seat == view.to_act else None
        board = board_at(view.board, view.round)
        made = _made(view.game, view.actions, view.betting, view.round, board, now)
        own = made.take(made.seat == seat)
        return own, chances_at(self.fitted.weights, own)

    def table(self, view: PokerView, seat: int) -> Array:
        """Weights ``[1326]`` of the holdings of a seat by what it did in this hand; read-only."""
        verify_seat(view, seat)
        done = [number for number, (who, _) in enumerate(view.actions) if who == seat]
        own, chances = self._decisions(view, seat)
        places = [
            (view.game, seat, view.actions[: number + 1], board_at(view.board, int(own.round[k])))
            for k, number in enumerate(done)
        ]
        known = next((k for k in range(len(done), 0, -1) if places[k - 1] in self._ranges), 0)
        weights = alive_on(()) if not known else self._ranges[places[known - 1]]
        for k in range(known, len(done)):
            weights = weights * alive_on(places[k][3])
            weights = weights * self._policy(own, k, chances[k], places[k][3], weights)[:, own.action[k]]
            weights /= weights.sum()
            weights.flags.writeable = False
            self._ranges[places[k]] = weights
            while len(self._ranges) > _KEPT:
                self._ranges.popitem(last=False)
        return weights

    def _policy(
        self, own: PublicDecisions, number: int, chances: Array, board: tuple[int, ...], weights: Array
    ) -> Array:
        """``[1326, 3]`` what the player does at a decision with each holding."""
        kind = kind_of(int(own.state[number]), int(own.round[number]))
        return policy(self.fitted.tastes.at(kind), features_on(board), weights, chances)

    def play_at(self, view: PokerView) -> tuple[Array, PublicDecisions]:
        """``[1326, 3]`` the chances of fold, call and raise of the seat to act, and its decision."""
        seat = view.to_act
        board = board_at(view.board, view.round)
        own, chances = self._decisions(view, seat)
        weights = self.table(view, seat) * alive_on(board)
        return self._policy(own, len(own) - 1, chances[-1], board, weights), own.take(
            np.array([len(own) - 1])
        )

    def holdings(self, view: PokerView, seat: int) -> Array:
        """How likely ``seat`` holds each of the 1326 holdings, given the view; sums to one."""
        if seat == view.seat and view.hole:
            return one_holding(view.hole)
        weights = self.table(view, seat) * alive_on((*view.hole, *view.board))
        found: Array = weights / weights.sum()
        return found

    # What the player does.

    def probabilities(self, view: PokerView, seat: int) -> dict[int, float]:
        """The probability of each action of ``seat``, which is to act; see `soulread.model.base.Model`."""
        verify_to_act(view, seat)
        table, now = self.play_at(view)
        fold, call, raised = (self.holdings(view, seat) @ table).tolist()
        answer = {FOLD: fold} if FOLD in view.choices else {}
        answer[CALL] = call
        for total, share in self.fitted.sizing.spread(view, now).items():
            answer[total] = raised * share
        return answer

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        """Do what the player does with the cards in view, by chance."""
        table, now = self.play_at(view)
        chances = np.cumsum(table[hand_index(*view.hole)])
        action = int(np.searchsorted(chances, rng.random() * chances[-1], "right"))
        return action if action < RAISE else self.fitted.sizing.draw(view, now, rng)


@lru_cache(maxsize=64)
def _made(
    game: PokerGame,
    actions: tuple[tuple[int, int], ...],
    betting: str,
    round: int,
    board: tuple[int, ...],
    seat: int | None,
) -> PublicDecisions:
    return decisions_so_far(game, actions, betting, round, board, seat)
