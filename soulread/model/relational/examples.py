"""Examples for the models of Ponsen et al. (2008): decisions, outcomes, and what else might have happened.

An example is (i, p, a_i, r_p, H_{i-1}, B_i): the i-th action, by player p, the outcome of the hand for p, the
betting before and the board. `Games` holds those of many hands as arrays, made once. The outcome is

    lose     p folds, or comes to the showdown and does not show: a losing hand that is mucked
    win      p wins without showing
    cards    p shows two cards

A question asks which *alternative* happened. Its alternatives are all that was possible:

    outcome  lose, win, and cards for every holding without a card of the board; after a fold only lose
    action   fold (only if something is to be called, and the outcome is lose), call, raise (if allowed)
    play     the same, but for a known holding, whether it is shown later or not: fold is possible always
    size     the seven classes of a raise

`Alternatives` lists them. Holdings that no test can tell apart are one entry with a *multiplicity*. With the
score s of each entry (a sum of log-odds, see `soulread.model.relational.bayes`) and multiplicities m,

    P(alternative) = exp(s) / sum of m exp(s).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.cards.evaluate import Tables, tables
from soulread.cards.ranges import HAND_CARDS, NUM_HANDS, hand_index
from soulread.cards.scales.card_facts import NUM_CARD_FACTS, NUM_KEYS, before_flop, fill_facts
from soulread.hands.hand import Hand, Sight
from soulread.kernel import kernel
from soulread.model.relational.language import CARDS_AFTER, CARDS_BEFORE, Language, Outcome
from soulread.model.relational.player_types import (
    Roster,
    TypeBounds,
    learn_bounds,
    roster_of,
    set_types,
    types_before,
)
from soulread.model.relational.tree import Examples
from soulread.model.situation import NUM_SIZES, ROUND, SIZES, Decisions, situations_of

NOT_SHOWN = -1


PARTS = {
    "outcome": ("lose", "win", "cards"),
    "action": ("fold", "call", "raise"),
    "play": ("fold", "call", "raise"),
    "size": SIZES,
}
"""The parts that the leaves of each question tell apart."""


class Question(StrEnum):
    """A question that trees answer: the thing that is predicted."""

    OUTCOME = "outcome"
    ACTION = "action"
    PLAY = "play"
    SIZE = "size"

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts that the leaves of its trees tell apart."""
        return PARTS[self.value]

    @property
    def of_holding(self) -> bool:
        """Whether it is asked of a known holding, shown or not."""
        return self in (Question.PLAY, Question.SIZE)


def language_of(question: Question, after_flop: bool, *, relational: bool = True) -> Language:
    """Which tests the trees of a question may use: not what its parts tell apart.

    Parts are the outcomes lose, win and cards; the actions; the sizes.
    """
    return Language(
        action=question is Question.OUTCOME,
        sizes=question is Question.OUTCOME,
        outcome=True,
        cards=CARDS_AFTER if after_flop else CARDS_BEFORE,
        relational=relational,
    )


@dataclass(frozen=True)
class Games:
    """All decisions of some hands of hold'em, with their outcomes."""

    decisions: Decisions
    roster: Roster
    outcome: NDArray[np.uint8]  # [n] `Outcome` of the player who decides
    holding: NDArray[np.int64]  # [n] of 1326, if it was shown; else NOT_SHOWN
    board: NDArray[np.int64]  # [hands, 5] -1: not dealt

    @property
    def num_hands(self) -> int:
        """How many hands."""
        return len(self.board)

    @property
    def player(self) -> NDArray[np.int64]:
        """``[n]`` number of the player who decides."""
        found: NDArray[np.int64] = self.roster.players[self.decisions.hand, self.decisions.rows.actor]
        return found

    @property
    def after_flop(self) -> NDArray[np.bool_]:
        """``[n]`` whether the decision is after the flop."""
        return np.asarray(self.decisions.rows.numbers[:, ROUND] > 0)

    def number_of(self, name: str) -> int:
        """The number of a player."""
        return self.roster.names.index(name)

    def learn_types(self, allowed: NDArray[np.bool_]) -> TypeBounds:
        """Learn where types begin, then `use_types`; only allowed hands are looked at."""
        bounds = learn_bounds(self.roster, allowed)
        self.use_types(allowed, bounds)
        return bounds

    def use_types(self, allowed: NDArray[np.bool_], bounds: TypeBounds) -> None:
        """Give every hand the types known before it, from allowed hands alone."""
        set_types(self.decisions, types_before(self.roster, allowed, bounds))


def games_of(hands: Sequence[Hand]) -> Games:
    """The decisions and outcomes of hands of hold'em; players have no types yet."""
    decisions = situations_of(hands)
    board = np.full((len(hands), 5), -1, np.int64)
    seats = np.zeros((len(hands), 10), np.uint8)
    held = np.full((len(hands), 10), NOT_SHOWN, np.int64)
    for number, hand in enumerate(hands):
        board[number, : len(hand.board)] = hand.board
        folded = {seat for seat, action in hand.actions if action == 0}
        for seat in range(hand.num_players):
            cards = hand.hole[seat]
            if seat in folded:
                continue
            if hand.sights[seat] is Sight.SHOWN and cards is not None and len(cards) == 2:
                seats[number, seat], held[number, seat] = Outcome.CARDS, hand_index(*cards)
            elif not hand.showdown or hand.payoffs[seat] > 0:
                seats[number, seat] = Outcome.WIN
    where = decisions.hand, decisions.rows.actor
    return Games(decisions, roster_of(hands, decisions), seats[where], held[where], board)


class Alternatives(NamedTuple):
    """All that was possible at decisions; entries ``begin[k]`` to ``begin[k + 1]`` belong to the k-th."""

    examples: Examples  # label 1: what happened; weight: the multiplicity
    begin: NDArray[np.int64]  # [n + 1]
    taken: NDArray[np.int64]  # [n] the entry that happened


def log_chances(alternatives: Alternatives, scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """``[entries]`` log-probability of each single alternative, from its score."""
    found = np.zeros(scores.size)
    _normalise(alternatives.begin, scores, alternatives.examples.weight, found)
    return found


@kernel
def _normalise(
    begin: NDArray[np.int64],
    scores: NDArray[np.float64],
    weight: NDArray[np.float64],
    found: NDArray[np.float64],
) -> None:
    for k in range(begin.size - 1):
        first, last = begin[k], begin[k + 1]
        top = scores[first]
        for e in range(first, last):
            top = max(top, scores[e])
        total = 0.0
        for e in range(first, last):
            total += weight[e] * np.exp(scores[e] - top)
        for e in range(first, last):
            found[e] = scores[e] - top - np.log(total)


def askable(games: Games, chosen: NDArray[np.int64], question: Question) -> NDArray[np.int64]:
    """Those of some decisions at which a question is open: more than one alternative was possible.

    A fold with nothing to call is none of the alternatives. People do it by mistake or when they are away;
    nothing is learned from it and nobody is judged by it.
    """
    made = games.decisions
    if question is Question.OUTCOME:
        open_ = made.action[chosen] != 0
    elif question is Question.SIZE:
        open_ = made.action[chosen] == 2
    else:
        open_ = made.may_fold[chosen]
        if question is Question.ACTION:
            open_ = open_ & (games.outcome[chosen] == Outcome.LOSE)
        open_ = (open_ | made.may_raise[chosen]) & (made.may_fold[chosen] | (made.action[chosen] != 0))
    found: NDArray[np.int64] = chosen[open_]
    return found


def alternatives_of(
    games: Games,
    chosen: NDArray[np.int64],
    question: Question,
    holding: NDArray[np.int64] | None = None,
) -> Alternatives:
    """All that was possible at decisions that `askable` lets through.

    ``holding`` are the cards ``[chosen]`` for the questions play and size, known or imagined; `NOT_SHOWN`
    where nothing is known, and the outcome then counts as lose.
    """
    if question is Question.OUTCOME:
        return _outcomes(games, chosen)
    made, count = games.decisions, chosen.size
    outcome, cards = games.outcome[chosen], games.holding[chosen]
    if holding is not None:
        cards = holding
        outcome = np.where(cards >= 0, np.uint8(Outcome.CARDS), np.uint8(Outcome.LOSE)).astype(np.uint8)
    facts = facts_of_holdings(games, chosen, cards)
    if question is Question.SIZE:
        numbers = np.tile(np.arange(NUM_SIZES, dtype=np.uint8), count)
        possible = np.ones(numbers.size, np.bool_)
        action, size, happened = np.full(numbers.size, 2, np.uint8), numbers, made.size[chosen]
    else:
        numbers = np.tile(np.arange(3, dtype=np.uint8), count)
        may_fold = made.may_fold[chosen]
        if question is Question.ACTION:
            may_fold = may_fold & (outcome == Outcome.LOSE)
        possible = np.stack([may_fold, np.ones(count, np.bool_), made.may_raise[chosen]], axis=1).ravel()
        action, size, happened = numbers, np.zeros(numbers.size, np.uint8), made.action[chosen]
    each = np.repeat(np.arange(count), numbers.size // count) if count else np.zeros(0, np.int64)
    kept = np.flatnonzero(possible)
    owner = each[kept]
    begin = np.searchsorted(owner, np.arange(count + 1))
    label = (numbers[kept] == happened[owner]).astype(np.uint8)
    examples = Examples(
        made.rows,
        chosen[owner],
        action[kept],
        size[kept],
        outcome[owner],
        facts[owner],
        numbers[kept],
        label,
        np.ones(kept.size),
        made.hand[chosen[owner]],
    )
    return Alternatives(examples, begin, np.flatnonzero(label))


def facts_of_holdings(
    games: Games, chosen: NDArray[np.int64], holding: NDArray[np.int64]
) -> NDArray[np.uint8]:
    """``[chosen, 8]`` facts of a holding on the board of each decision; zeros where there is none."""
    found = np.zeros((chosen.size, NUM_CARD_FACTS), np.uint8)
    _pick_facts(holding_tables(), games.decisions, games.board, chosen, holding, found)
    return found


class HoldingTables(NamedTuple):
    """The tables from which `board_facts` makes the facts of all holdings on a board."""

    ranks: Tables  # of the evaluator
    facts: NDArray[np.uint8]  # [1326, 8] before the flop
    keys: NDArray[np.int64]  # [1326] before the flop; equal for holdings of equal facts
    cards: NDArray[np.uint8]  # [1326, 2]


@lru_cache(maxsize=1)
def holding_tables() -> HoldingTables:
    """The tables, made once."""
    return HoldingTables(tables(), *before_flop(), HAND_CARDS)


@kernel
def board_facts(
    every: HoldingTables,
    cards: NDArray[np.int64],
    round: np.int64,
    facts: NDArray[np.uint8],
    keys: NDArray[np.int64],
) -> None:
    """Facts and keys of all holdings on the board of a round; a key below 0 is impossible."""
    facts[:] = every.facts
    keys[:] = every.keys
    if round > 0:
        fill_facts(every.ranks, cards[: round + 2], every.cards, facts, keys)


@kernel
def _pick_facts(
    every: HoldingTables,
    made: Decisions,
    board: NDArray[np.int64],
    chosen: NDArray[np.int64],
    holding: NDArray[np.int64],
    found: NDArray[np.uint8],
) -> None:
    facts, keys = every.facts.copy(), every.keys.copy()
    at_hand, at_round = np.int64(-1), np.int64(0)
    for n in range(chosen.size):
        if holding[n] < 0:
            continue
        hand, round = made.hand[chosen[n]], np.int64(made.rows.numbers[chosen[n], ROUND])
        if round == 0:
            found[n] = every.facts[holding[n]]
            continue
        if hand != at_hand or round != at_round:
            board_facts(every, board[hand], round, facts, keys)
            at_hand, at_round = hand, round
        found[n] = facts[holding[n]]


_CHUNK = 400  # decisions whose outcomes are listed at once


def _outcomes(games: Games, chosen: NDArray[np.int64]) -> Alternatives:
    """All outcomes of decisions that were no folds."""
    made = games.decisions
    parts, place = [], 0
    for first in range(0, max(chosen.size, 1), _CHUNK):
        part = chosen[first : first + _CHUNK]
        room = part.size * (NUM_HANDS + 2)
        outcome = np.zeros(room, np.uint8)
        cards = np.zeros((room, NUM_CARD_FACTS), np.uint8)
        weight = np.ones(room)
        begin, taken = np.zeros(part.size + 1, np.int64), np.zeros(part.size, np.int64)
        real = games.outcome[part], games.holding[part]
        _list_outcomes(holding_tables(), made, games.board, part, *real, outcome, cards, weight, begin, taken)
        used = int(begin[-1])
        parts.append((outcome[:used], cards[:used].copy(), weight[:used], place + begin[:-1], place + taken))
        place += used
    outcomes, cards, weight, begin, taken = (np.concatenate(column) for column in zip(*parts, strict=True))
    begin = np.append(begin, place)
    owner = np.repeat(chosen, np.diff(begin))
    label = np.zeros(owner.size, np.uint8)
    label[taken] = 1
    examples = Examples(
        made.rows,
        owner,
        made.action[owner],
        made.size[owner],
        outcomes,
        cards,
        outcomes,
        label,
        weight,
        made.hand[owner],
    )
    return Alternatives(examples, begin, taken)


@kernel
def _list_outcomes(
    every: HoldingTables,
    made: Decisions,
    board: NDArray[np.int64],
    chosen: NDArray[np.int64],
    real: NDArray[np.uint8],
    holding: NDArray[np.int64],
    outcome: NDArray[np.uint8],
    cards: NDArray[np.uint8],
    weight: NDArray[np.float64],
    begin: NDArray[np.int64],
    taken: NDArray[np.int64],
) -> None:
    facts, keys = every.facts.copy(), every.keys.copy()
    places = np.full(NUM_KEYS, -1, np.int64)
    at_hand, at_round = np.int64(-1), np.int64(-1)
    place = 0
    for n in range(chosen.size):
        hand, round = made.hand[chosen[n]], np.int64(made.rows.numbers[chosen[n], ROUND])
        if (hand != at_hand or round != at_round) and not (round == 0 and at_round == 0):
            board_facts(every, board[hand], round, facts, keys)
        at_hand, at_round = hand, round
        begin[n] = place
        for kind in range(2):
            outcome[place] = kind
            cards[place] = 0
            weight[place] = 1.0
            if real[n] == kind:
                taken[n] = place
            place += 1
        first = place
        for h in range(keys.size):
            key = keys[h]
            if key < 0:
                continue
            if places[key] < first:
                places[key] = place
                outcome[place] = 2
                cards[place] = facts[h]
                weight[place] = 0.0
                place += 1
            weight[places[key]] += 1.0
            if real[n] == 2 and holding[n] == h:
                taken[n] = places[key]
        begin[n + 1] = place


# Examples of two distributions ----------------------------------------------------------------------


def against(
    alternatives: Alternatives,
    chances: NDArray[np.float64],
    rng: np.random.Generator,
    draws: int = 4,
) -> Examples:
    """Examples of what happened (label 1) and might have (label 0); a decision has weight 1 on each side.

    ``chances`` are log-probabilities of each single alternative. A decision with at most `_FEW` entries has
    all of them, weighted by their chances. Of more, lose and win are weighted by their chances, and the
    rest is ``draws`` holdings drawn by theirs.
    """
    examples, begin = alternatives.examples, alternatives.begin
    mass = np.exp(chances) * examples.weight
    counts = np.diff(begin)
    few = counts <= _FEW
    owner = np.repeat(np.arange(counts.size), counts)
    exact = np.flatnonzero(few[owner] | (examples.outcome != Outcome.CARDS))
    many = np.flatnonzero(~few)
    drawn = np.zeros(0, np.int64)
    shares = np.zeros(0)
    if many.size and draws:
        drawn = np.zeros(many.size * draws, np.int64)
        shares = np.zeros(many.size * draws)
        _draw_entries(begin, many, examples.outcome, mass, rng.random((many.size, draws)), drawn, shares)
    chosen = np.concatenate([alternatives.taken, exact, drawn])
    label = np.zeros(chosen.size, np.uint8)
    label[: alternatives.taken.size] = 1
    weight = np.concatenate([np.ones(alternatives.taken.size), mass[exact], shares])
    return examples.take(chosen)._replace(label=label, weight=weight)


_FEW = 12


@kernel
def _draw_entries(
    begin: NDArray[np.int64],
    many: NDArray[np.int64],
    outcome: NDArray[np.uint8],
    mass: NDArray[np.float64],
    uniforms: NDArray[np.float64],
    drawn: NDArray[np.int64],
    shares: NDArray[np.float64],
) -> None:
    draws = uniforms.shape[1]
    for n in range(many.size):
        first, last = begin[many[n]], begin[many[n] + 1]
        total = 0.0
        for e in range(first, last):
            if outcome[e] == 2:
                total += mass[e]
        for d in range(draws):
            goal = (d + uniforms[n, d]) / draws * total  # one in each part of the whole: less chance
            place = last - 1
            for e in range(first, last):
                if outcome[e] == 2:
                    goal -= mass[e]
                    if goal < 0:
                        place = e
                        break
            drawn[n * draws + d] = place
            shares[n * draws + d] = total / draws


def even_chances(alternatives: Alternatives) -> NDArray[np.float64]:
    """Log-probabilities of the uninformed distribution: everything possible is equally likely."""
    return log_chances(alternatives, np.zeros(alternatives.examples.size_of))
