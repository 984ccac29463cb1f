"""Loki's models of an opponent: the same for all (GOM), or from the opponent's own frequencies (SOM).

A model has two frequencies in each context (`soulread.model.loki.contexts`): how often the player folds where
folding makes sense, and how often the player raises where a raise is allowed. They place two bars on the
scale of values (`soulread.model.loki.weights`), and the bars say what each action tells about the cards.

    gom   the frequencies are fixed: `default_frequencies`, by the number of players. Nothing is learnt.
    som   the player's own frequencies, started at those of gom, as if gom had been seen k times:

              frequency = (k * gom + n * own) / (k + n)

          after n observations of the context. n / (k + n) is the *share* of the player's own play.
          With Davidson's contexts the same rule is used twice: from gom to the 12 contexts, and from there
          to the 84. Where gom itself has other frequencies in one of the 84, the start is moved in the same
          proportion.

How far a bar is uncertain slides in the same way, from `WIDE` for a player never seen to `NARROW`. With the
chance `DOUBT` an action is taken for another reason than the value of the holding, as often as the mean over
the table says, and tells nothing; re-weighting by thresholds knows no doubt, as in the papers. All
three were chosen by how likely the cards were that people showed in limit games on IRC: sure bars and no
doubt are far worse than no reading at all, because a few actions in a row rule out what is then shown
(docs/methods/loki.md has the figures).

The default frequencies are ours, once for two players and once for ten, and in between by 1 / (number of
opponents). ``who`` says whose they are: of people (round numbers of a sensible, slightly tight player, set
beside hands of people on IRC), or of a crowd of programs (`benchmarks/fit_loki.py` counted them in the play
of Lokis and others of many styles; they differ after the flop). The thesis gives none. Neither does it say by
which rule SOM slides; Billings et al. (1998) mix own and default frequencies as they grow, and so do we.

With a *predictor* (`soulread.model.predict.predictors`) the frequencies are those it predicts: at each
decision the chances to fold and to raise that it gives there, which place the bars in the same way. The
predictor learns in place of the tables; the spread of a bar still narrows with the observations of its
context.

The model answers for games of any number of seats, limit or not. In no-limit any raise counts as a raise, and
its probability is put on the raise of the size of the pot (or the nearest legal one).
"""

from collections import OrderedDict
from functools import lru_cache
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from soulread.cards.deck import MAX_PLAYERS
from soulread.cards.ranges import NUM_HANDS, hand_index
from soulread.cards.scales.values import Scale, board_scale, scale_at
from soulread.errors import SoulreadError
from soulread.games.limit_holdem import verify_holdem
from soulread.games.poker import CALL, FOLD, RAISE, PokerGame, PokerView, raises_among
from soulread.hands.hand import Hand
from soulread.hands.record import verify_hand
from soulread.hands.referee import game_of_holdem
from soulread.model.base import BELOW_ONE, POSITIVE, HandLearner, one_holding, subject, verify_to_act
from soulread.model.loki.contexts import (
    NUM_ENHANCED,
    NUM_PREVIOUS,
    Decision,
    board_at,
    decision_now,
    verify_seat,
    walk,
)
from soulread.model.loki.triples import MOST_TO_CALL, NUM_CONTEXTS, NUM_ROUNDS, Bars, triple_of
from soulread.model.loki.weights import (
    Weights,
    all_bars,
    bars_of,
    even_weights,
    mean_triple,
    possible_weights,
    reweigh_by_threshold,
    reweigh_by_triples,
)
from soulread.model.predict.features import FeatureRows, imagined, rows_of_view, rows_so_far
from soulread.options import Bounds

KINDS = "gom", "som"
CONTEXTS = "12", "davidson"
REWEIGHTINGS = "threshold", "triples"
WHO = "people", "crowd"  # whose default frequencies
PRIOR = 20.0  # observations that the generic frequencies count for
WIDE, NARROW = 0.45, 0.3  # spread of a bar, in shares of the table: of a player never seen, and well known
DOUBT = 0.45  # chance that an action was taken for another reason than the value of the holding
TYPICAL_POTENTIAL = 0.15, 0.15, 0.12, 0.0  # PPot of a usual holding, by round

_KEPT = 6  # tables that a model remembers, 11 kB each
_KEPT_BARS = 64  # sets of bars for the rest of a hand: all who play alike have the same

# How often a sensible person folds and raises: [round, bets to call 0, 1, 2 or more].
_HEADS_UP = np.array(
    [
        [(0.00, 0.30), (0.20, 0.35), (0.15, 0.20)],
        [(0.00, 0.45), (0.30, 0.18), (0.25, 0.15)],
        [(0.00, 0.42), (0.30, 0.14), (0.28, 0.12)],
        [(0.00, 0.40), (0.38, 0.12), (0.35, 0.10)],
    ]
).reshape(NUM_CONTEXTS, 2)
_TEN_PLAYERS = np.array(
    [
        [(0.00, 0.08), (0.65, 0.12), (0.75, 0.06)],
        [(0.00, 0.28), (0.45, 0.14), (0.50, 0.08)],
        [(0.00, 0.30), (0.42, 0.12), (0.50, 0.07)],
        [(0.00, 0.30), (0.45, 0.10), (0.50, 0.07)],
    ]
).reshape(NUM_CONTEXTS, 2)

# The same of a crowd of programs after the flop, by benchmarks/fit_loki.py.
_CROWD_HEADS_UP = np.array(
    [
        [(0.00, 0.50), (0.43, 0.14), (0.43, 0.14)],
        [(0.00, 0.47), (0.24, 0.15), (0.24, 0.15)],
        [(0.00, 0.39), (0.26, 0.14), (0.26, 0.14)],
    ]
)
_CROWD_TEN_PLAYERS = np.array(
    [
        [(0.00, 0.50), (0.27, 0.13), (0.46, 0.05)],
        [(0.00, 0.56), (0.15, 0.15), (0.25, 0.05)],
        [(0.00, 0.41), (0.25, 0.14), (0.38, 0.05)],
    ]
)


# Before the flop with one bet, two or more to call, of a player who has called or raised before in this hand.
_INVESTED = np.array([(0.04, 0.05), (0.15, 0.10)])
_INVESTED_RAISER = np.array([(0.03, 0.30), (0.10, 0.25)])


@lru_cache(maxsize=2 * MAX_PLAYERS * NUM_PREVIOUS)
def default_frequencies(players: int, previous: int = 0, who: str = WHO[0]) -> NDArray[np.float64]:
    """``[12, 2]`` how often the generic player folds and raises in each context, among so many players.

    ``previous`` is what the player did last in the hand (`soulread.model.loki.contexts.Decision`); it matters
    before the flop: somebody who has put in a bet seldom folds to one more. ``who`` is one of `WHO`.
    """
    fewest = 1 / (MAX_PLAYERS - 1)
    share = (1 / (players - 1) - fewest) / (1 - fewest)  # 1 with two players, 0 with ten
    found: NDArray[np.float64] = share * _HEADS_UP + (1 - share) * _TEN_PLAYERS
    if who != WHO[0]:
        later = share * _CROWD_HEADS_UP + (1 - share) * _CROWD_TEN_PLAYERS
        found[MOST_TO_CALL + 1 :] = later.reshape(-1, 2)
    if previous:
        found[1:3] = _INVESTED_RAISER if previous > MOST_TO_CALL + 1 else _INVESTED
    found.flags.writeable = False
    return found


class Foreseer(Protocol):
    """The part of `soulread.model.predict.predictors.ActionPredictor` that LokiModel uses."""

    def reset(self) -> None: ...
    def update(self, hand: Hand, player: str | None = None) -> object: ...
    def foresee(self, rows: FeatureRows) -> NDArray[np.float64]: ...


class LokiModel(HandLearner):
    """A model of one player; see the top of the module. Hands with any number of players teach it.

    ``observed`` counts what was seen: ``[84, 2, 3]``, Davidson's context; whether no raise was allowed; and
    the action. It is always counted in full; ``contexts`` says which frequencies are used.
    """

    def __init__(
        self,
        game: PokerGame,
        kind: str = "gom",
        contexts: str = "12",
        reweight: str = "triples",
        prior: float = PRIOR,
        doubt: float = DOUBT,
        predictor: Foreseer | None = None,
        who: str = WHO[0],
    ) -> None:
        verify_holdem(game)
        Bounds(choices=KINDS).verify("kind", kind)
        Bounds(choices=CONTEXTS).verify("contexts", contexts)
        Bounds(choices=REWEIGHTINGS).verify("reweight", reweight)
        Bounds(choices=WHO).verify("who", who)
        POSITIVE.verify("prior", prior)
        BELOW_ONE.verify("doubt", doubt)
        self.game = game
        self.kind = kind
        self.contexts = contexts
        self.reweight = reweight
        self.prior = prior
        self.doubt = doubt
        self.predictor = predictor
        self.who = who
        self.observed = np.zeros((NUM_ENHANCED, 2, 3), dtype=np.int64)
        self._rates: dict[tuple[int, int], tuple[NDArray[np.float64], NDArray[np.float64]]] = {}
        self._tables: OrderedDict[tuple[object, ...], Weights] = OrderedDict()
        self._bars: dict[tuple[object, ...], Bars] = {}

    # Learning.

    def reset(self) -> None:
        """Forget every hand."""
        self.observed[:] = 0
        self._forget_answers()
        if self.predictor is not None:
            self.predictor.reset()

    def update(self, hand: Hand, player: str | None = None) -> Self:
        """Learn from one more hand of hold'em, with any number of players; a gom only counts."""
        seat = subject(hand, player)
        for made in walk(self._game_of(hand), hand.actions).decisions:
            if made.seat == seat:
                self.observed[made.enhanced, int(not made.may_raise), made.action] += 1
        if self.kind == "som":
            self._forget_answers()
            if self.predictor is not None:
                self.predictor.update(hand, player)
        return self

    def _game_of(self, hand: Hand) -> PokerGame:
        """The game a hand was played in: the model's own if it fits."""
        if hand.variant == self.game.variant and hand.num_players == self.game.num_players:
            try:
                verify_hand(self.game, hand)
                return self.game
            except SoulreadError:
                pass  # other stakes or stacks
        return game_of_holdem(hand)

    def _forget_answers(self) -> None:
        self._rates.clear()
        self._tables.clear()
        self._bars.clear()

    # Frequencies.

    @property
    def seen(self) -> int:
        """Decisions that the model has learnt from."""
        return int(self.observed.sum())

    @property
    def counts(self) -> NDArray[np.int64]:
        """``[12, 3]`` observed actions in the 36 categories of the thesis."""
        found: NDArray[np.int64] = self._plain().sum(axis=1)
        return found

    def _plain(self) -> NDArray[np.int64]:
        """``[12, 2, 3]`` as `observed`, in the 12 contexts."""
        found: NDArray[np.int64] = self.observed.reshape(NUM_CONTEXTS, NUM_PREVIOUS, 2, 3).sum(axis=1)
        return found

    def share(self, context: int) -> float:
        """How far the model has slid from gom to the player's own play in one of its contexts, 0 to 1."""
        observed = self.observed if self.contexts == "davidson" else self._plain()
        if not 0 <= context < len(observed):
            raise SoulreadError(f"context {context!r}; expected 0 to {len(observed) - 1}")
        seen = float(observed[context].sum())
        return seen / (self.prior + seen) if self.kind == "som" else 0.0

    def frequencies(self, players: int, previous: int = 0) -> NDArray[np.float64]:
        """``[12, 2]`` how often the player is believed to fold and to raise in each context.

        ``players`` are dealt in. With Davidson's contexts it matters what the player did last in the hand:
        ``previous`` is that of `soulread.model.loki.contexts.Decision`.
        """
        return self._rates_of(players, previous)[0]

    def _rates_of(self, players: int, previous: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Frequencies ``[12, 2]`` and spreads ``[12]``."""
        key = players, previous if self.contexts == "davidson" else 0
        if key not in self._rates:
            generic, fine = (default_frequencies(players, last, self.who) for last in (0, key[1]))
            rates, spreads = fine, np.full(NUM_CONTEXTS, WIDE)
            if self.kind == "som":
                rates, seen = slide(generic, self._plain(), self.prior)
                if self.contexts == "davidson":
                    start = np.minimum(rates * fine / np.where(generic > 0, generic, 1), 1)
                    rates, _ = slide(start, self.observed[previous::NUM_PREVIOUS], self.prior)
                spreads = WIDE + (NARROW - WIDE) * seen / (self.prior + seen)
            self._rates[key] = rates, spreads
        return self._rates[key]

    # What the player holds.

    def table(self, view: PokerView, seat: int, skip: int = 0) -> Weights:
        """The weight table ``[1326]`` of ``seat`` by public play alone; read-only.

        ``skip`` leaves out its last actions: 1 gives the table before the last one.
        """
        verify_seat(view, seat)
        verify_holdem(view.game)
        own = [
            (n, made) for n, made in enumerate(walk(view.game, view.actions).decisions) if made.seat == seat
        ]
        own = own[: max(0, len(own) - skip)]
        keys = [(view.game, seat, board_at(view.board, made.round), view.actions[: n + 1]) for n, made in own]
        begin = len(own)
        while begin > 0 and keys[begin - 1] not in self._tables:
            begin -= 1
        weights = self._tables[keys[begin - 1]] if begin else even_weights()
        for key, (n, made) in zip(keys[begin:], own[begin:], strict=True):
            weights = self._reweighted(weights, view, made, n)
            weights.flags.writeable = False
            self._tables[key] = weights
        for key in keys[-1:]:
            self._tables.move_to_end(key)
        while len(self._tables) > _KEPT:
            self._tables.popitem(last=False)
        return weights

    def _reweighted(self, weights: Weights, view: PokerView, made: Decision, number: int) -> Weights:
        """A table after one more action, the ``number``-th of the hand."""
        scale = _scale_of(view, made)
        rates, spread = self._rates_at(view, made, number)
        bars = bars_of(scale, rates, spread)
        after = weights.copy()
        if self.reweight == "triples":
            legal = made.may_fold, made.may_raise
            reweigh_by_triples(after, scale, bars, made.action, *legal, self.doubt)
        else:
            reweigh_by_threshold(after, scale, bars, made.action, made.may_fold)
        return after

    def _rates_at(
        self, view: PokerView, made: Decision, number: int | None = None
    ) -> tuple[NDArray[np.float64], float]:
        """How often the player folds and raises ``[2]`` at a decision, and the spread of its bars.

        The decision is the ``number``-th of the hand so far, or the one to come.
        """
        rates, spreads = self._rates_of(view.game.num_players, made.previous)
        found = rates[made.context]
        if self.predictor is not None:
            rows = rows_of_view(view, made.seat) if number is None else rows_so_far(view)
            row = rows.take(np.array([len(rows) - 1 if number is None else number]))
            found = self.predictor.foresee(row)[0, [FOLD, RAISE]]
        return found, float(spreads[made.context])

    def holdings(self, view: PokerView, seat: int) -> NDArray[np.float64]:
        """How likely ``seat`` holds each of the 1326 holdings, given the view; sums to one."""
        if seat == view.seat and view.hole:
            return one_holding(view.hole)
        return possible_weights(self.table(view, seat), view.hole, view.board)

    # What the player does.

    def probabilities(self, view: PokerView, seat: int) -> dict[int, float]:
        """The probability of each action of ``seat``, which is to act; see `soulread.model.base.Model`."""
        verify_to_act(view, seat)
        made = decision_now(view, seat)
        scale = _scale_of(view, made)
        rates, spread = self._rates_at(view, made)
        bars = bars_of(scale, rates, spread)
        legal = made.may_fold, made.may_raise
        usual = mean_triple(possible_weights(self.table(view, seat), view.board), scale, bars, *legal)
        if seat == view.seat:
            chances = np.array(triple_of(scale.values[hand_index(*view.hole)], bars, *legal))
        else:
            chances = mean_triple(self.holdings(view, seat), scale, bars, *legal)
        fold, call, raised = ((1 - self.doubt) * chances + self.doubt * usual).tolist()
        answer = {FOLD: fold} if made.may_fold else {}
        answer[CALL] = call
        if made.may_raise:
            answer[pot_raise(view, seat)] = raised
        return answer

    def usual(self, view: PokerView, seat: int, chances: Weights) -> NDArray[np.float64]:
        """``[12, 2]`` how often ``seat`` folds and raises in all contexts, for the rest of the hand.

        It is the mean over what the seat may hold, ``chances [1326]``, at its `bars`; a doubted action is
        taken as often. One who has raised holds good cards, and seldom folds to the next raise, for any
        reason. Before the flop nothing is known of holdings in later rounds, so all count alike there.
        """
        now, bars = decision_now(view, seat), self.bars(view, seat)
        found = np.empty((NUM_CONTEXTS, 2))
        for context in range(NUM_CONTEXTS):
            round = context // (MOST_TO_CALL + 1)
            held = np.full(NUM_HANDS, 1 / NUM_HANDS) if round > view.round == 0 else chances
            scale = self._scale_ahead(view, now, round)
            found[context] = mean_triple(held, scale, bars[context], True, True)[[FOLD, RAISE]]
        return found

    def _scale_ahead(self, view: PokerView, now: Decision, round: int) -> Scale:
        """The scale on which the bars of a round of the rest of the hand lie; see `bars`."""
        if round > view.round == 0:
            return usual_scale(round, self._expected_opponents(view, now.seat))
        if round == NUM_ROUNDS - 1 > view.round:
            return board_scale(view.board, now.opponents, potential=False)
        return _scale_of(view, now)

    def _rates_ahead(self, view: PokerView, now: Decision) -> NDArray[np.float64]:
        """``[12, 2]`` frequencies of folding and raising that place the bars of the rest of the hand."""
        if self.predictor is not None:
            ahead = imagined(rows_of_view(view, now.seat).last)
            found: NDArray[np.float64] = self.predictor.foresee(ahead)[:, [FOLD, RAISE]]
            return found
        return self.frequencies(view.game.num_players, now.previous)

    def bars(self, view: PokerView, seat: int) -> Bars:
        """``[12, 2, 2]`` the bars of ``seat`` in all contexts, for the rest of the hand; read-only.

        They are where frequencies place them: in this round on the board that lies, in later rounds on
        today's values, of EHS on the turn and of HS on the river. Before the flop nothing is known of later
        values, so a usual board is assumed, on which every rank is as likely as any other. With Davidson's
        contexts the seat's last action so far counts as its previous one.
        """
        now = decision_now(view, seat)
        others = self._expected_opponents(view, seat) if view.round == 0 else now.opponents
        key = view.game.num_players, view.board, now.opponents, others, now.previous
        bars = self._bars.get(key)
        if bars is None:
            bars = self._bars_ahead(view, now)
            bars.flags.writeable = False
            if len(self._bars) >= _KEPT_BARS:
                self._bars.clear()
            if self.predictor is None:  # a predictor looks at more than the key says
                self._bars[key] = bars
        return bars

    def _bars_ahead(self, view: PokerView, now: Decision) -> Bars:
        """The bars of `bars`."""
        rates, spreads = self._rates_ahead(view, now), self._rates_of(view.game.num_players, now.previous)[1]
        bars = np.empty((NUM_CONTEXTS, 2, 2))
        for round in range(NUM_ROUNDS):
            rows = slice(round * (MOST_TO_CALL + 1), (round + 1) * (MOST_TO_CALL + 1))
            bars[rows] = all_bars(self._scale_ahead(view, now, round), rates[rows], spreads[rows])
        return bars

    def _expected_opponents(self, view: PokerView, seat: int) -> int:
        """How many others will see the flop: those who are in, and of the others those who do not fold."""
        previous = walk(view.game, view.actions).previous
        stay = 1 - default_frequencies(view.game.num_players)[1, 0]
        live = [other for other, out in enumerate(view.folded) if not out and other != seat]
        return max(1, round(sum(1.0 if previous[other] else stay for other in live)))


def slide(
    start: NDArray[np.float64], observed: NDArray[np.int64], prior: float
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Frequencies ``[12, 2]`` between ``start`` and those observed, and the number of observations ``[12]``.

    A decision at which no raise was allowed says nothing about raising.
    """
    seen, free = observed.sum(axis=(1, 2)), observed[:, 0].sum(axis=1)
    folds, raises = observed[:, :, FOLD].sum(axis=1), observed[:, 0, RAISE]
    own = np.stack([folds, raises], axis=1)
    out_of = np.stack([seen, free], axis=1)
    return (prior * start + own) / (prior + out_of), seen


@lru_cache(maxsize=64)
def usual_scale(round: int, opponents: int) -> Scale:
    """Values of holdings on a board nobody knows yet: even ranks, and the usual potential of the round."""
    strength = ((np.arange(NUM_HANDS) + 0.5) / NUM_HANDS) ** opponents
    values = strength + (1 - strength) * TYPICAL_POTENTIAL[round]
    return Scale(values, np.arange(NUM_HANDS))


def _scale_of(view: PokerView, made: Decision) -> Scale:
    return scale_at(board_at(view.board, made.round), view.game.num_players, made.opponents)


def pot_raise(view: PokerView, seat: int) -> int:
    """The raise that stands for all: in no-limit to the size of the pot, or the nearest legal one."""
    raises = raises_among(view.choices)
    if view.rules.raise_sizes is not None:
        return RAISE
    high = max(view.spent)
    pot = view.pot + high - view.spent[seat]
    return min(max(high + pot, raises[0]), raises[-1])
