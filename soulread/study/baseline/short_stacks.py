"""Short stacks beside push or fold: what a player does, all-in or not, when the others have folded.

Two decisions are compared (`soulread.solvers.push_fold`), if the shorter stack of the two players left is at
most 15 big blinds:

* everybody folded to the small blind (heads-up: the dealer), who goes all-in or not;
* the small blind went all-in, and the big blind calls or folds.

An all-in is a raise to at least the shorter stack. The game has no limps and no smaller raises, which a
player may well prefer. So it is folds of the small blind that are compared: whoever folds more often than the
equilibrium gives up hands that could have gone all-in. To fold seldomer need not be wrong.

The equilibrium of each decision is that of its own stack, rounded to half a big blind, with the blinds and
antes of its hand. Where the player's cards are known, it is the equilibrium of that class of hands; elsewhere
of all holdings together. Cards of nearly all decisions must be known for the former: a sample of hands that
were shown would be biased.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from soulread.cards.ranges import HAND_CELLS, class_name, hand_index
from soulread.encoding import keys
from soulread.games.poker import FOLD
from soulread.hands.facts import BIG_BLIND, BUTTON, SMALL_BLIND
from soulread.hands.hand import ForcedBet, Hand
from soulread.hands.record import decisions
from soulread.hands.referee import game_of_record
from soulread.hands.store import EVERYTHING, Query, Store
from soulread.solvers.push_fold import LEAST_STACK, PushFoldRules, solve_push_fold
from soulread.study.baseline.habits import LEAST_SEEN, Habit

MOST_STACK = 15.0  # big blinds
NEARLY_ALL = 0.95  # of the decisions whose cards must be known
BANDS = (5.0, 8.0, 11.0, MOST_STACK)
PUSH, CALL = "folded to the small blind", "facing the small blind's all-in"
_COSTLY = 0.05  # big blinds: a mistake that costs less is not named
_MOST_MISTAKES = 10


@dataclass(frozen=True)
class ShortDecision:
    """One decision of a player at push or fold."""

    number: int  # of the hand in the store
    at: str  # `PUSH` or `CALL`
    action: str  # "all-in", "call", "fold", or "other": a limp or a smaller raise
    rules: PushFoldRules
    cell: int | None  # class of the player's cards; None if they were not seen

    @property
    def going(self) -> bool:
        """Whether the player went all-in, or called."""
        return self.action in ("all-in", "call")

    @property
    def expected(self) -> float:
        """How often the equilibrium goes all-in or calls, over all holdings."""
        solved = solve_push_fold(self.rules)
        return solved.push_rate if self.at == PUSH else solved.call_rate

    @property
    def expected_with_cards(self) -> float:
        """How often it does so with the player's class of cards."""
        assert self.cell is not None
        solved = solve_push_fold(self.rules)
        return float((solved.push if self.at == PUSH else solved.call)[self.cell])

    @property
    def gain(self) -> float:
        """Big blinds that going wins more than folding with the player's class, against the equilibrium."""
        assert self.cell is not None
        solved = solve_push_fold(self.rules)
        return float((solved.push_gain if self.at == PUSH else solved.call_gain)[self.cell])


@dataclass(frozen=True)
class ChartMistake:
    """A decision that costs big blinds against the equilibrium."""

    number: int
    at: str
    stack: float
    hand: str  # class of the cards
    action: str
    cost: float  # big blinds

    JSON = keys("number at stack hand action cost")

    @property
    def sentence(self) -> str:
        """The mistake in words."""
        right = ("go all-in" if self.at == PUSH else "call") if self.action == "fold" else "fold"
        return (
            f"#{self.number}: {self.at} with {self.hand} and {self.stack:g} bb, {self.action}; "
            f"to {right} is worth {self.cost:.2f} bb more"
        )


@dataclass(frozen=True, eq=False)
class ShortStackStudy:
    """A player at push or fold, beside the equilibrium."""

    decisions: tuple[ShortDecision, ...]
    habits: tuple[Habit, ...]
    known: int  # decisions with known cards
    others: int  # limps and smaller raises
    mistakes: tuple[ChartMistake, ...]  # the costliest first; empty unless cards are known
    lost: float | None  # big blinds of all mistakes in all decisions; None if cards are not known

    JSON = keys("known others habits mistakes lost", decisions=lambda study: len(study.decisions))


def study_short_stacks(store: Store, player: str, query: Query = EVERYTHING) -> ShortStackStudy | None:
    """What a player of a store does at push or fold; None if such decisions are not there."""
    found = tuple(short_decisions(_candidates(store, player, query), player))
    if not found:
        return None
    known = sum(one.cell is not None for one in found)
    by_cards = known >= NEARLY_ALL * len(found)
    counted = [one for one in found if one.cell is not None] if by_cards else list(found)
    mistakes = sorted(_mistakes(counted), key=lambda one: -one.cost) if by_cards else []
    return ShortStackStudy(
        found,
        tuple(_habits(counted, by_cards)),
        known,
        sum(one.action == "other" for one in found),
        tuple(one for one in mistakes[:_MOST_MISTAKES] if one.cost >= _COSTLY),
        sum(one.cost for one in mistakes) if by_cards else None,
    )


def _candidates(store: Store, player: str, query: Query) -> Iterator[tuple[int, Hand]]:
    """The player's hands of no-limit hold'em that may have such a decision, by their facts."""
    kinds = [
        kind
        for kind, found in store.kinds.items()
        if "no-limit" in found.variant and found.variant.startswith("52 cards")
    ]
    numbers: list[int] = []
    for _, facts in store.facts(query, players=[store.player_number(player, query.room)]):
        seats, made = facts.seats, facts.decisions
        owner = np.repeat(np.arange(seats.size), seats["decisions"])
        place, two = seats["position"][owner], seats["players"][owner] == 2
        first = (place == SMALL_BLIND) | ((place == BUTTON) & two)
        last = (made["round"] == 0) & (made["active"] == 2) & made["facing"]
        meant = last & first & (made["raises"] == 0) & (made["limpers"] == 0) & (made["own_calls"] == 0)
        meant |= last & (place == BIG_BLIND) & (made["raises"] == 1)
        rows = np.unique(owner[meant])
        numbers += seats["hand"][rows[np.isin(seats["kind"][rows], kinds)]].tolist()
    yield from store.numbered(sorted(numbers))


def short_decisions(hands: Iterable[tuple[int, Hand]], player: str) -> Iterator[ShortDecision]:
    """The decisions at push or fold in a player's hands, each with its number."""
    for number, hand in hands:
        found = _short_decision(number, hand, hand.seat_of(player))
        if found is not None:
            yield found


def _short_decision(number: int, hand: Hand, seat: int) -> ShortDecision | None:
    """The player's first decision of a hand, if it is one of push or fold."""
    raised: int | None = None  # chips that the other player has put in with an all-in
    for state, action in decisions(game_of_record(hand), hand.actions, hand.board):
        if state.round > 0:
            return None
        left = [other for other, out in enumerate(state.folded) if not out]
        if state.player != seat:
            if action == FOLD:
                continue
            if len(left) != 2 or raised is not None or action == 1:
                return None
            raised = state.apply(action).spent[state.player]
            continue
        rules = _rules(hand, left) if len(left) == 2 else None
        if rules is None:
            return None
        chips = (rules.stack - rules.ante) * hand.stakes.big_blind  # antes may count as put in or not
        hole = hand.hole[seat]
        cell = None if hole is None else int(HAND_CELLS[hand_index(*hole)])
        if raised is not None:
            if raised < chips - 1e-9 or _posted(hand, seat) != ForcedBet.BIG_BLIND:
                return None
            return ShortDecision(number, CALL, "fold" if action == FOLD else "call", _rounded(rules), cell)
        if _posted(hand, seat) != ForcedBet.SMALL_BLIND:
            return None
        if action == FOLD:
            word = "fold"
        else:
            word = "all-in" if action > 1 and state.apply(action).spent[seat] >= chips - 1e-9 else "other"
        return ShortDecision(number, PUSH, word, _rounded(rules), cell)
    return None


def _posted(hand: Hand, seat: int) -> ForcedBet | None:
    """The blind that a seat posted."""
    blinds = (ForcedBet.SMALL_BLIND, ForcedBet.BIG_BLIND)
    return next((post.kind for post in hand.posts if post.seat == seat and post.kind in blinds), None)


def _rules(hand: Hand, left: Sequence[int]) -> PushFoldRules | None:
    """The stakes of the two players left; None if stacks are long, unknown or too short, or blinds odd."""
    if hand.stacks is None:
        return None
    big = hand.stakes.big_blind
    blinds, antes, dead = dict.fromkeys(left, 0), dict.fromkeys(left, 0), 0
    for post in hand.posts:
        if post.kind is ForcedBet.STRADDLE or (post.seat in blinds and post.kind is ForcedBet.DEAD_BLIND):
            return None
        if post.seat not in blinds:
            dead += post.amount
        elif post.kind is ForcedBet.ANTE:
            antes[post.seat] += post.amount
        else:
            blinds[post.seat] += post.amount
    ante = max(antes.values())
    small, large = sorted(blinds.values())
    stack = min(hand.stacks[seat] for seat in left) / big
    if large != big or not 0 < small <= large or min(antes.values()) != ante:
        return None
    if not stack - ante / big >= LEAST_STACK or stack > MOST_STACK:
        return None
    return PushFoldRules(stack, small / big, ante / big, dead / big)


def _rounded(rules: PushFoldRules) -> PushFoldRules:
    """The same stakes with numbers that many hands share: stacks in halves of a big blind."""
    stack = max(round(2 * rules.stack) / 2, LEAST_STACK + round(rules.ante, 2))
    return PushFoldRules(stack, round(rules.small_blind, 2), round(rules.ante, 2), round(rules.dead, 1))


def _habits(found: Sequence[ShortDecision], by_cards: bool) -> Iterator[Habit]:
    """How often the player folds to begin with, and calls an all-in: in all, and by stack."""
    for at, word in ((PUSH, "fold"), (CALL, "call")):
        here = [one for one in found if one.at == at]
        yield from _habit(at, word, here, by_cards)
        low = 0.0
        for high in BANDS:
            where = f"{at}, {low:g} to {high:g} bb" if low else f"{at}, up to {high:g} bb"
            band = [one for one in here if low < one.rules.stack <= high]
            if LEAST_SEEN <= len(band) < len(here):
                yield from _habit(where, word, band, by_cards)
            low = high


def _habit(where: str, word: str, found: Sequence[ShortDecision], by_cards: bool) -> Iterator[Habit]:
    """The habit of some decisions, if there are any."""
    if found:
        going = sum(one.expected_with_cards if by_cards else one.expected for one in found) / len(found)
        rate = sum(one.action == word for one in found) / len(found)
        numbers = tuple(one.number for one in found)
        usual = 1 - going if word == "fold" else going
        yield Habit(where, word, len(found), rate, usual, numbers=numbers)


def _mistakes(found: Iterable[ShortDecision]) -> Iterator[ChartMistake]:
    """The decisions that cost something against the equilibrium; limps and smaller raises are not judged."""
    for one in found:
        if one.action == "other" or one.cell is None:
            continue
        cost = -one.gain if one.going else one.gain
        if cost > 0:
            yield ChartMistake(one.number, one.at, one.rules.stack, class_name(one.cell), one.action, cost)
