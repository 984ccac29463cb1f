"""A model of a no-limit player whose cards are seldom seen: what the player does with hands of each strength.

The model is a table of chances of fold, call and raise, by the kind of situation and the strength of the
holding,

    P(action | situation, strength)        [kinds, strengths, 3]

and one of raise sizes. Cards that were not shown are *completed*: before a hand all holdings are alike, and
after the player's actions a_1 ... a_n in situations s_1 ... s_n

    P(holding | hand)  is proportional to  product of P(a_i | s_i, strength of the holding on the board then)

or all of it lies on the cards that were shown. Each decision then counts for every strength class, with the
chance that the player had it. This is one step of expectation and maximisation for every hand (Dempster et
al., 1977; the incremental form of Neal and Hinton, 1998). Hands that were folded or won without a showdown
count as much as those shown. So it does no harm that shown hands are not like the others.

**From the prior to the player.** Three steps, each from many observations to few:

    all situations of a sort     (something to call, or nothing) one factor for each action
    a kind of situation          one factor for each action
    a strength in it             the counts themselves

A factor is (k + seen) / (k + expected), with what the step before expected of the hands the player had; then
chances are normalised. The last step is (k P + counts) / (k + their sum). The prior was learned from hands of
many people (`default_prior`). Learning the prior begins with a sensible player in round numbers
(`sensible_prior`).

**Kinds of situations**: the round; nothing to call, or a small, a middle, a large or a huge price; two
players left, or more. **Strengths**: before the flop the place among all holdings, later EHS against one.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from soulread.cards.ranges import HAND_MASKS, cards_mask
from soulread.cards.scales.values import board_scale, income_scale
from soulread.errors import DamagedFile, ShapeError, SoulreadError
from soulread.games.limit_holdem import verify_holdem
from soulread.games.poker import CALL, FOLD, PokerGame, PokerView, raises_among
from soulread.games.walk import (
    ACTOR,
    BIG_BLIND,
    IN,
    RAISES,
    ROUND,
    Walk,
    apply,
    may_raise,
    new_walk,
    num_seats,
    pot_of,
    start,
    to_call,
    walk_at,
)
from soulread.hands.hand import Hand
from soulread.hands.referee import game_of_record
from soulread.kernel import kernel
from soulread.model.base import HandLearner, one_holding, subject, verify_to_act
from soulread.model.loki.contexts import board_at, verify_seat
from soulread.model.situation import NUM_ROUNDS, NUM_SIZES, raise_of_size, size_class
from soulread.storage.tensors import read_tensors, write_tensors

PRICES = 5  # nothing to call; a small, a middle, a large and a huge price
NUM_KINDS = NUM_ROUNDS * PRICES * 2
STRENGTHS_BEFORE = 0.2, 0.35, 0.5, 0.6, 0.7, 0.8, 0.87, 0.93, 0.97  # bounds of the classes, by place
STRENGTHS = 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95  # by EHS
NUM_STRENGTHS = len(STRENGTHS) + 1
ODDS = 0.27, 0.36, 0.43  # c / (p + c) up to which a price is small, middle, large: bets of 0.6, 1.3, 3 pots
BLINDS = (
    1.0,
    8.0,
    25.0,
)  # before the flop: big blinds to call; a small price also needs that nobody has raised
SORTED, KIND, CLASS = 10.0, 10.0, 8.0  # observations that the step before counts for
WIDTH = 0.3  # how far the bars of the prior are uncertain, in shares of all holdings
FLOOR = 0.03  # the least share of any action in the prior
_FOLDS = {  # of the prior, by price: before the flop or later, two players left or more
    (0, 0): (0.0, 0.15, 0.3, 0.55, 0.78),
    (0, 1): (0.0, 0.6, 0.7, 0.82, 0.92),
    (1, 0): (0.0, 0.3, 0.42, 0.55, 0.7),
    (1, 1): (0.0, 0.4, 0.52, 0.64, 0.78),
}
_RISES = {
    (0, 0): (0.3, 0.3, 0.18, 0.1, 0.05),
    (0, 1): (0.12, 0.15, 0.08, 0.05, 0.03),
    (1, 0): (0.42, 0.15, 0.12, 0.1, 0.08),
    (1, 1): (0.3, 0.12, 0.1, 0.08, 0.06),
}
_SIZES = (1.0, 3.0, 4.0, 4.0, 2.0, 1.0, 1.0)  # raise sizes of the prior, in observations

Array = NDArray[np.float64]
_BEFORE_BOUNDS, _BOUNDS = np.array(STRENGTHS_BEFORE), np.array(STRENGTHS)


@kernel
def strength_class(value: float, round: int) -> int:
    """The class of a holding: ``value`` is its place before the flop, EHS against one opponent later."""
    bounds = _BEFORE_BOUNDS if round == 0 else _BOUNDS
    found = 0
    while found < bounds.size and value >= bounds[found]:
        found += 1
    return found


@kernel
def kind_of(w: Walk) -> int:
    """The kind of the situation of the seat to act."""
    round, owed, pot = w[ROUND], to_call(w), pot_of(w)
    price = 0
    if owed > 0:
        cost = owed / w[BIG_BLIND] if round == 0 else owed / (pot + owed)
        bounds = BLINDS if round == 0 else ODDS
        price = 1
        while price < PRICES - 1 and cost > bounds[price - 1]:
            price += 1
        if round == 0 and price == 1 and w[RAISES] > 0:
            price = 2
    return int((round * PRICES + price) * 2 + (num_seats(w[IN]) > 2))


class StrengthPrior(NamedTuple):
    """The chances of a player never seen."""

    chances: Array  # [kinds, strengths, 3] of fold, call and raise
    sizes: Array  # [2, sizes] of raises before the flop and later; their sums say how much they count for


@lru_cache(maxsize=1)
def sensible_prior() -> StrengthPrior:
    """A sensible player: round numbers of ours, with wide bars."""
    chances = np.zeros((NUM_KINDS, NUM_STRENGTHS, 3))
    for kind in range(NUM_KINDS):
        round, price, more = kind // 2 // PRICES, kind // 2 % PRICES, kind % 2
        fold, raised = (table[min(round, 1), more][price] for table in (_FOLDS, _RISES))
        edges = np.array([0.0, *(STRENGTHS if round else STRENGTHS_BEFORE), 1.0])
        middle = (edges[1:] + edges[:-1]) / 2
        stay = np.clip((middle - fold) / (2 * WIDTH) + 0.5, 0, 1) if price else np.ones(NUM_STRENGTHS)
        above = np.minimum(stay, np.clip((middle - (1 - raised)) / (2 * WIDTH) + 0.5, 0, 1))
        triple = np.stack([1 - stay, stay - above, above], axis=1)
        legal = np.array([price > 0, True, True])
        chances[kind] = (1 - FLOOR * legal.sum()) * triple + FLOOR * legal
    return StrengthPrior(chances, np.tile(np.array(_SIZES), (2, 1)))


def save_prior(prior: StrengthPrior, path: str | Path, about: str = "") -> None:
    """Write a prior to a sealed safetensors file; ``about`` says what it was learned from."""
    write_tensors(Path(path), "completed", prior._asdict(), {"about": about})


def load_prior(path: str | Path) -> StrengthPrior:
    """Read what `save_prior` wrote; a file that is not whole is refused."""
    _, arrays = read_tensors(Path(path), "completed")
    try:
        prior = StrengthPrior(arrays["chances"], arrays["sizes"])
        _verify_prior(prior)
    except (KeyError, SoulreadError) as error:
        raise DamagedFile(f"{str(path)!r} is no whole prior: {error}") from None
    return prior


@lru_cache(maxsize=1)
def default_prior() -> StrengthPrior:
    """The prior that comes with soulread, learned from people: `benchmarks/fit_prior.py` says from whom."""
    file = resources.files("soulread.model") / "strength_tables.safetensors"
    with resources.as_file(file) as path:
        return load_prior(path)


def _verify_prior(prior: StrengthPrior) -> None:
    """Raise unless the arrays have their shapes and are probabilities and numbers of observations."""
    for name, array, shape in (
        ("chances", prior.chances, (NUM_KINDS, NUM_STRENGTHS, 3)),
        ("sizes", prior.sizes, (2, NUM_SIZES)),
    ):
        if array.shape != shape:
            raise ShapeError(f"{name} of the prior has shape {array.shape}; expected {shape}")
        if not (np.isfinite(array).all() and (array >= 0).all()):
            raise SoulreadError(f"{name} of the prior has numbers that are negative or not finite")
    if not np.allclose(prior.chances.sum(axis=2), 1) or not (prior.sizes.sum(axis=1) > 0).all():
        raise SoulreadError("chances of the prior do not sum to 1, or it has no sizes")


class StrengthDecision(NamedTuple):
    """A decision of a hand, by what the model looks at."""

    seat: int
    action: int  # 0 fold, 1 call, 2 raise
    kind: int
    round: int
    may_raise: bool
    size: int  # class of the raise


def steps_of(game: PokerGame, actions: Sequence[tuple[int, int]]) -> list[StrengthDecision]:
    """The decisions of a hand of hold'em so far, but folds with nothing to call: they tell nothing."""
    return _walk(game, tuple(actions))


@lru_cache(maxsize=64)
def _walk(game: PokerGame, actions: tuple[tuple[int, int], ...]) -> list[StrengthDecision]:
    verify_holdem(game)
    w = new_walk(game)
    start(w)
    found = []
    for seat, action in actions:
        if w[ACTOR] != seat:
            raise SoulreadError(f"seat {seat} does not act here in {game.name!r}")
        size = size_class(w, action) if action > CALL else 0
        if action != FOLD or to_call(w) > 0:
            found.append(
                StrengthDecision(seat, min(action, 2), kind_of(w), int(w[ROUND]), may_raise(w), size)
            )
        apply(w, action)
    return found


def classes_on(board: tuple[int, ...], players: int) -> NDArray[np.int64]:
    """``[1326]`` the strength class of every holding on a board; 0 where it shares a card with it."""
    values = board_scale(board, 1).values if board else income_scale(players).values
    bounds = _BOUNDS if board else _BEFORE_BOUNDS
    found: NDArray[np.int64] = np.searchsorted(bounds, values, side="right")
    return found


class CompletedModel(HandLearner):
    """A model of one player of no-limit hold'em; see the top of the module. Any number of seats."""

    def __init__(self, game: PokerGame, prior: StrengthPrior | None = None) -> None:
        verify_holdem(game)
        self.game = game
        self.prior = prior or default_prior()
        _verify_prior(self.prior)
        self.reset()

    def reset(self) -> None:
        """Believe the prior again."""
        self.counts = np.zeros((NUM_KINDS, NUM_STRENGTHS, 3))
        self.sizes = np.zeros((2, NUM_SIZES))
        self._chances: Array | None = self.prior.chances

    # Learning.

    def update(self, hand: Hand, player: str | None = None) -> Self:
        """Learn from one more hand: complete the cards of the player, and count each decision."""
        seat = subject(hand, player)
        steps = [step for step in steps_of(game_of_record(hand), hand.actions) if step.seat == seat]
        if not steps:
            return self
        hole = hand.hole[seat]
        if hole is not None and len(hole) == 2:
            weights = one_holding(hole)
        else:
            known = [cards for other, cards in enumerate(hand.hole) if cards and other != seat]
            dead = (*hand.board, *(card for cards in known for card in cards))
            weights = self._completed(steps, hand.board, hand.num_players, dead)
        for step in steps:
            classes = classes_on(board_at(hand.board, step.round), hand.num_players)
            self.counts[step.kind, :, step.action] += np.bincount(classes, weights, minlength=NUM_STRENGTHS)
            if step.action > CALL:
                self.sizes[min(step.round, 1), step.size] += 1
        self._chances = None
        return self

    @property
    def seen(self) -> int:
        """Decisions that the model has learnt from."""
        return round(float(self.counts.sum()))

    # Answers.

    @property
    def chances(self) -> Array:
        """``[kinds, strengths, 3]`` of fold, call and raise."""
        if self._chances is None:
            self._chances = fitted(self.prior.chances, self.counts)
        return self._chances

    @property
    def size_chances(self) -> Array:
        """``[2, sizes]`` of raise sizes before the flop and later."""
        found: Array = self.prior.sizes + self.sizes
        shares: Array = found / found.sum(axis=1, keepdims=True)
        return shares

    def _completed(
        self, steps: Sequence[StrengthDecision], board: Sequence[int], players: int, dead: Sequence[int]
    ) -> Array:
        """How likely each holding is after these decisions of its seat; ``dead`` cards are elsewhere."""
        weights = np.where((HAND_MASKS & cards_mask(dead)) == 0, 1.0, 0.0)
        for step in steps:
            table = self.chances[step.kind]
            chance = table[:, step.action]
            if not step.may_raise:
                chance = chance / (table[:, FOLD] + table[:, CALL])
            weights *= chance[classes_on(board_at(board, step.round), players)]
        found: Array = weights / weights.sum()
        return found

    def holdings(self, view: PokerView, seat: int, skip: int = 0) -> Array:
        """How likely ``seat`` holds each of the 1326 holdings, given the view; sums to one.

        ``skip`` leaves out its last actions.
        """
        verify_seat(view, seat)
        if seat == view.seat and view.hole:
            return one_holding(view.hole)
        steps = [step for step in steps_of(view.game, view.actions) if step.seat == seat]
        steps = steps[: max(0, len(steps) - skip)]
        return self._completed(steps, view.board, view.game.num_players, (*view.hole, *view.board))

    def probabilities(self, view: PokerView, seat: int) -> dict[int, float]:
        """The probability of each action of ``seat``, which is to act; see `soulread.model.base.Model`."""
        verify_to_act(view, seat)
        walk = walk_at(view)
        weights = self.holdings(view, seat)
        classes = classes_on(board_at(view.board, view.round), view.game.num_players)
        shares = np.bincount(classes, weights, minlength=NUM_STRENGTHS)
        raises = raises_among(view.choices)
        legal = np.array([FOLD in view.choices, True, bool(raises)])
        table = np.where(legal, self.chances[kind_of(walk)], 0.0)
        fold, call, raised = shares @ (table / table.sum(axis=1, keepdims=True))
        answer = {FOLD: float(fold)} if legal[0] else {}
        answer[CALL] = float(call)
        for size, chance in enumerate(self.size_chances[min(view.round, 1)] if raises else ()):
            total = raise_of_size(walk, size)
            answer[total] = answer.get(total, 0.0) + float(raised * chance)
        return answer


def fitted(prior: Array, counts: Array) -> Array:
    """The chances of a player from the prior's and completed counts, all ``[kinds, strengths, 3]``."""
    had = counts.sum(axis=2, keepdims=True)
    faced = (np.arange(NUM_KINDS) // 2 % PRICES > 0)[:, None, None]
    found = prior
    for sort in (faced, ~faced):
        seen, expected = (counts * sort).sum(axis=(0, 1)), (had * found * sort).sum(axis=(0, 1))
        found = np.where(sort, found * ((SORTED + seen) / (SORTED + expected)), found)
    found = found / found.sum(axis=2, keepdims=True)
    seen, expected = counts.sum(axis=1, keepdims=True), (had * found).sum(axis=1, keepdims=True)
    found = found * ((KIND + seen) / (KIND + expected))
    found = found / found.sum(axis=2, keepdims=True)
    shrunk: Array = (CLASS * found + counts) / (CLASS + had)
    return shrunk


def learn_prior(hands: Iterable[Hand], rounds: int = 1) -> StrengthPrior:
    """A prior from hands of many players, all of whom are taken for one; hands are read ``rounds`` times.

    Raise sizes keep counting for as many observations as those of the sensible player.
    """
    listed = list(hands)
    prior = sensible_prior()
    weight = prior.sizes.sum(axis=1, keepdims=True)
    for _ in range(rounds):
        model = CompletedModel(game_of_record(listed[0]), prior)
        for hand in listed:
            for player in hand.players:
                model.update(hand, player)
        prior = StrengthPrior(model.chances, weight * model.size_chances)
    return prior
