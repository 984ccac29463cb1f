"""Strategies that are wrong in a known way: equilibria bent in one direction, and one-idea baselines.

A `Skew` says what is bent, by how much and where. With amount x between 0 and 1, at each decision it covers,

    loose       x of the folds become calls          tight        x of the calls become folds
    passive     x of the raises become calls         aggressive   x of the calls and checks become raises
    percent     fold, call and raise are weighed with three percentages and scaled to sum to one

A skew changes a decision only if the action it moves to is legal there. ``percent`` is how Tansey (2013)
skews Leduc equilibria; an action that an equilibrium never takes stays at probability zero there.

A skew covers some rounds and some hands. Hands are ``weak``, ``middle`` and ``strong``: thirds of the private
states of each round, by their equity against a random hand. The thirds are equally likely, except that states
of equal equity stay together. In games with one hole card, hands may also be its ranks. In text, the rounds
and hands follow the skew they belong to:

    loose=0.3,rounds=preflop+flop,hands=weak
    percent=80/120/100,rounds=preflop,percent=50/30/20,rounds=flop
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from soulread.cards.deck import RANKS
from soulread.errors import ParseError, SoulreadError
from soulread.games.poker import CALL, FOLD
from soulread.seqform.compile import SequenceGame
from soulread.seqform.payoff import FactoredPayoff
from soulread.seqform.strategy import Behaviour, Behaviours
from soulread.seqform.treeplex import Floats, ProductLabels, Treeplex

ROUNDS = "preflop", "flop", "turn", "river"
STRENGTHS = "weak", "middle", "strong"
SHIFTS = "loose", "tight", "passive", "aggressive"
BASELINES = "random", "always-fold", "always-call", "always-raise", "probe"


@dataclass(frozen=True, slots=True)
class Skew:
    """One way to bend a strategy; ``str(skew)`` is the text that `parse_skews` reads."""

    what: str  # one of `SHIFTS`, or "percent"
    amount: tuple[float, ...]  # one number from 0 to 1; for "percent" three numbers from 0 up, not all 0
    rounds: tuple[int, ...] = ()  # ascending; empty means every round
    hands: tuple[str, ...] = ()  # some of `STRENGTHS`, or ranks; empty means every hand

    def __post_init__(self) -> None:
        if self.what == "percent":
            fits = len(self.amount) == 3 and all(0 <= x < math.inf for x in self.amount) and any(self.amount)
            expected = "three numbers from 0 up, not all 0, such as 80/120/100"
        elif self.what in SHIFTS:
            fits = len(self.amount) == 1 and 0 <= self.amount[0] <= 1
            expected = "a number from 0 to 1"
        else:
            raise ParseError(f"{self.what!r} is not a skew; known are {', '.join((*SHIFTS, 'percent'))}")
        if not fits:
            text = _amount_text(self.amount)
            raise ParseError(f"the amount of {self.what!r} is {text!r}; expected {expected}")
        if self.rounds != tuple(r for r in range(len(ROUNDS)) if r in self.rounds):
            raise ParseError(f"rounds {self.rounds!r}; expected some of 0 to {len(ROUNDS) - 1}, ascending")
        for hand in self.hands:
            if hand not in STRENGTHS and not (len(hand) == 1 and hand in RANKS):
                raise ParseError(
                    f"hands {hand!r}; expected some of {', '.join(STRENGTHS)}, "
                    "or ranks of the hole card such as J"
                )

    def __str__(self) -> str:
        text = f"{self.what}={_amount_text(self.amount)}"
        if self.rounds:
            text += f",rounds={'+'.join(ROUNDS[r] for r in self.rounds)}"
        if self.hands:
            text += f",hands={'+'.join(self.hands)}"
        return text


def parse_skews(text: str) -> tuple[Skew, ...]:
    """Read skews written one after the other; the opposite of `format_skews`."""
    found: list[dict[str, str]] = []
    for item in text.split(","):
        key, equals, value = item.strip().partition("=")
        if not equals or not value:
            raise ParseError(f"{item!r} in the skew {text!r}; expected loose=0.3, rounds=flop or hands=weak")
        if key in ("rounds", "hands"):
            if not found:
                raise ParseError(f"{item!r} comes first in {text!r}; say what is skewed before where")
            if key in found[-1]:
                raise ParseError(f"{key!r} is given twice for one skew in {text!r}")
            found[-1][key] = value
        else:
            found.append({"what": key, "amount": value})
    return tuple(_parse_skew(parts) for parts in found)


def format_skews(skews: Sequence[Skew]) -> str:
    """The text of some skews, which `parse_skews` reads."""
    return ",".join(map(str, skews))


def _parse_skew(parts: dict[str, str]) -> Skew:
    numbers = parts["amount"].split("/")
    if not all(re.fullmatch(r"\d+(\.\d*)?|\.\d+", number) for number in numbers):
        raise ParseError(
            f"the amount of {parts['what']!r} is {parts['amount']!r}; expected a number such as 0.3"
        )
    rounds = []
    for word in parts["rounds"].split("+") if "rounds" in parts else ():
        if word not in ROUNDS:
            raise ParseError(f"{word!r} is not a round; expected some of {', '.join(ROUNDS)}, joined by '+'")
        rounds.append(ROUNDS.index(word))
    hands = tuple(parts["hands"].split("+")) if "hands" in parts else ()
    return Skew(parts["what"], tuple(map(float, numbers)), tuple(sorted(set(rounds))), hands)


def _amount_text(amount: tuple[float, ...]) -> str:
    return "/".join(np.format_float_positional(x, trim="-") for x in amount)


def random_skews(kind: str, rng: np.random.Generator) -> tuple[Skew, ...]:
    """Skews of one member of a population of Leduc opponents, after Tansey (2013).

    A triplet is three numbers drawn from 0 to 100 and scaled to sum to 100. Fold, call and raise are weighted
    with 100 plus what the triplets add. "simple" draws one triplet for preflop and another one for the flop.
    "complex" draws one triplet for one of the two rounds, and two triplets for hole cards drawn among J, Q
    and K (if both are for the same card, the second counts). The paper's words allow other readings. With
    this one, the second seat of a hundred members can be exploited for about .02 to .4 chips a hand beyond
    the value of the game, as in the paper.
    """
    nothing = np.zeros(3)
    if kind == "simple":
        return _weighed(_triplet(rng), (0,)), _weighed(_triplet(rng), (1,))
    if kind == "complex":
        rounds = [nothing, nothing]
        rounds[rng.integers(2)] = _triplet(rng)
        cards = dict.fromkeys("JQK", nothing)
        for _ in range(2):
            cards["JQK"[rng.integers(3)]] = _triplet(rng)
        plain = tuple(card for card, triplet in cards.items() if triplet is nothing)
        bent = ((card,) for card, triplet in cards.items() if triplet is not nothing)
        return tuple(
            _weighed(rounds[r] + cards[hands[0]], (r,), hands)
            for hands in (*bent, plain)
            for r in (0, 1)
            if not (rounds[r] is nothing and cards[hands[0]] is nothing)
        )
    raise SoulreadError(f"a population of {kind!r} opponents; known are 'simple' and 'complex'")


def _weighed(triplet: NDArray[np.float64], rounds: tuple[int, ...], hands: tuple[str, ...] = ()) -> Skew:
    fold, call, raising = (100 + triplet).tolist()
    return Skew("percent", (fold, call, raising), rounds, hands)


def _triplet(rng: np.random.Generator) -> NDArray[np.float64]:
    """Three whole percentages that sum to 100, up to rounding."""
    while not (drawn := rng.integers(0, 101, 3)).any():
        pass
    shares: NDArray[np.float64] = np.round(100 * drawn / drawn.sum())
    return shares


def skew_behaviour(game: SequenceGame, player: int, behaviour: Behaviour, skews: Sequence[Skew]) -> Behaviour:
    """The behaviour of ``player`` bent by each skew in turn, in the same precision.

    The game must be compiled as betting tree times private states (`soulread.seqform.factored_game`). Without
    skews, or with amounts of 0, nothing changes.
    """
    tree = game.trees[player]
    tree.verify_shape(behaviour, "the behaviour")
    labels = _product_labels(game, tree)
    bent = behaviour.copy()
    for skew in skews:
        touched = [_touched_states(game, labels, skew, r) for r in range(len(labels.states))]
        rounds = skew.rounds or range(len(labels.states))
        for block, _, rows in tree.blocks():
            r = labels.rounds[block]
            if r in rounds:
                actions = tree.actions[block]
                _bend(bent[rows].reshape(len(actions), -1), actions, skew, touched[r])
    return Behaviour(bent)


def skew_behaviours(game: SequenceGame, behaviours: Behaviours, skews: Sequence[Skew]) -> Behaviours:
    """Both players' behaviours, bent by the same skews."""
    return skew_behaviour(game, 0, behaviours[0], skews), skew_behaviour(game, 1, behaviours[1], skews)


def _bend(table: Floats, actions: tuple[int, ...], skew: Skew, touched: NDArray[np.bool_]) -> None:
    """Bend ``table[action, state]`` in place."""
    call = actions.index(CALL)
    fold = actions.index(FOLD) if FOLD in actions else None
    raises = [i for i, action in enumerate(actions) if action not in (FOLD, CALL)]
    amount = table.dtype.type(skew.amount[0]) * touched
    if skew.what == "percent":
        weights = np.array([skew.amount[min(action, 2)] for action in actions], dtype=table.dtype)
        weighed = table * weights[:, None]
        total = weighed.sum(axis=0)
        changed = touched & (total > 0)
        table[:, changed] = weighed[:, changed] / total[changed]
    elif skew.what == "loose" and fold is not None:
        _move(table, fold, [call], amount)
    elif skew.what == "tight" and fold is not None:
        _move(table, call, [fold], amount)
    elif skew.what == "passive":
        for action in raises:
            _move(table, action, [call], amount)
    elif skew.what == "aggressive" and raises:
        _move(table, call, raises, amount)


def _move(table: Floats, source: int, targets: list[int], amount: Floats) -> None:
    """Move a part of one action to others: in proportion to what these have; evenly if that is nothing."""
    moved = amount * table[source]
    table[source] -= moved
    total = table[targets].sum(axis=0)
    even = table.dtype.type(1 / len(targets))
    shares = np.where(total > 0, table[targets] / np.where(total > 0, total, 1), even)
    for target, share in zip(targets, shares, strict=True):
        table[target] += moved * share


def _product_labels(game: SequenceGame, tree: Treeplex) -> ProductLabels:
    if not isinstance(tree.labels, ProductLabels):
        raise SoulreadError(
            f"{game.name!r} is not compiled as betting tree times private states, so rounds and hands are "
            "unknown; use compile_factored"
        )
    return tree.labels


def _touched_states(game: SequenceGame, labels: ProductLabels, skew: Skew, r: int) -> NDArray[np.bool_]:
    """``[S_r]``: whether the skew applies to each private state of a round."""
    names = labels.states[r]
    if any(number >= len(labels.states) for number in skew.rounds):
        raise SoulreadError(
            f"the skew {str(skew)!r} names the {ROUNDS[max(skew.rounds)]}, but {game.name!r} has "
            f"{len(labels.states)} rounds"
        )
    if not skew.hands:
        return np.ones(len(names), dtype=np.bool_)
    touched = np.zeros(len(names), dtype=np.bool_)
    for hand in skew.hands:
        if hand in STRENGTHS:
            touched |= strength_thirds(game)[r] == STRENGTHS.index(hand)
            continue
        matching = np.array([_hole_rank(name) == hand for name in names])
        if not matching.any():
            raise SoulreadError(f"no private state of {game.name!r} has a hole card of rank {hand!r}")
        touched |= matching
    return touched


def _hole_rank(name: str) -> str:
    """The rank of a single hole card, with which names such as "Js|Kh" and "J|K" begin; "" for others."""
    match = re.match(rf"([{RANKS}])[cdhs]?(\||$)", name)
    return match[1] if match else ""


def equities(game: SequenceGame) -> tuple[NDArray[np.float64], ...]:
    """``[rounds]`` of ``[S_r]``: share of the pot that each private state wins against a random hand.

    All cards are dealt and nobody folds. The share is 0 for a state that never comes up.
    """
    return tuple(shares for shares, _ in _shares(game))


def strength_thirds(game: SequenceGame) -> tuple[NDArray[np.int64], ...]:
    """``[rounds]`` of ``[S_r]``: 0 (weak), 1 (middle) or 2 (strong), equally likely as far as ties allow."""
    return tuple(np.minimum(3 * ranks, 2).astype(np.int64) for ranks in strength_ranks(game))


def strength_ranks(game: SequenceGame) -> tuple[NDArray[np.float64], ...]:
    """``[rounds]`` of ``[S_r]``: the share of hands that are weaker, equal ones counted half; from 0 to 1."""
    ranks = []
    for shares, chances in _shares(game):
        levels, places = np.unique(np.round(shares, 6), return_inverse=True)  # symmetric states round alike
        weights = np.bincount(places, chances, minlength=levels.size)
        middle = np.cumsum(weights) - weights / 2
        ranks.append((middle / weights.sum())[places])
    return tuple(ranks)


def _shares(game: SequenceGame) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """For each round, equity and probability of each private state, from the matrices of the last round."""
    payoff = game.payoff
    if not isinstance(payoff, FactoredPayoff):
        raise SoulreadError(f"{game.name!r} has sparse payoffs, which do not say how strong hands are")
    reach, win = (matrices[-1].astype(np.float64) for matrices in (payoff.reach, payoff.win))
    chances = reach.sum(axis=1)
    won = (chances + win.sum(axis=1) - win.sum(axis=0)) / 2
    rounds = []
    for r in range(len(payoff.reach) - 1, -1, -1):
        rounds.append((np.divide(won, chances, out=np.zeros_like(won), where=chances > 0), chances))
        parent = payoff.parent_state[r]
        size = payoff.parent_state[r - 1].size if r else 1
        won, chances = (np.bincount(parent, weights, minlength=size) for weights in (won, chances))
    return rounds[::-1]


def baseline_behaviour(tree: Treeplex, name: str) -> Behaviour:
    """One of `BASELINES` at every set of a poker treeplex, whatever the cards.

    "random" folds, calls and raises equally often, as far as legal. "probe" calls and raises equally often,
    and never folds. Raises of different sizes are equally likely. "always-fold" checks where there is nothing
    to fold to. "always-raise" makes the smallest raise, and calls where no raise is allowed.
    """
    if name not in BASELINES:
        raise ParseError(f"{name!r} is not a baseline; known are {', '.join(BASELINES)}")
    behaviour = np.ones(tree.num_sequences)
    for block, _, rows in tree.blocks():
        chances = _baseline_chances(tree.actions[block], name)
        behaviour[rows] = np.repeat(chances, (rows.stop - rows.start) // len(chances))
    return Behaviour(behaviour)


def _baseline_chances(actions: tuple[int, ...], name: str) -> list[float]:
    raises = [action for action in actions if action not in (FOLD, CALL)]
    if name == "always-fold":
        chosen = {FOLD: 1.0} if FOLD in actions else {CALL: 1.0}
    elif name == "always-call" or (name in ("always-raise", "probe") and not raises):
        chosen = {CALL: 1.0}
    elif name == "always-raise":
        chosen = {raises[0]: 1.0}
    else:
        kinds = [action for action in (FOLD, CALL) if action in actions and (name, action) != ("probe", FOLD)]
        share = 1 / (len(kinds) + bool(raises))
        chosen = dict.fromkeys(kinds, share) | dict.fromkeys(raises, share / max(len(raises), 1))
    return [chosen.get(action, 0.0) for action in actions]
