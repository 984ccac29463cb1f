"""Heads-up limit hold'em before the flop: a player's frequencies beside those of an equilibrium.

The equilibrium is one of the game in a card abstraction (`soulread.solvers.equilibria.find_equilibrium`):
before the flop the 169 classes of hands are put into a few buckets, and the classes of a bucket play alike.
It is near an equilibrium of that game, which is not hold'em itself. Other equilibria may have other
frequencies where two actions are worth the same.

At each of the eight decisions before the flop, the frequency of an action is that of all classes that come
there, weighed by how often they do if both play the equilibrium. Cards that one player holds the other does
not. A decision to which the equilibrium itself hardly ever comes, such as after a limp that it never makes,
says nothing about good play, and is not compared. Where the cards of nearly all decisions are known, the
player's own chart is counted too.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from soulread.cards.preflop import NUM_CLASSES, count_pairs
from soulread.cards.ranges import CELL_SIZES, HAND_CARDS, HAND_CELLS, hand_index
from soulread.encoding import keys
from soulread.games.limit_holdem import limit_holdem
from soulread.hands.hand import Hand
from soulread.seqform.source import Buckets, Source, Tell, with_cards
from soulread.seqform.tabular import TabularStrategy
from soulread.solvers.equilibria import find_equilibrium
from soulread.study.baseline.habits import Habit
from soulread.study.baseline.short_stacks import NEARLY_ALL
from soulread.study.strategies.leaks import situation

SLACK = 0.02  # room for the solver, and for cards that an opponent who does not play the equilibrium holds
LEAST_REACHED = 0.01  # a decision to which the equilibrium comes less often is not compared
_LETTERS = {"f": "fold", "c": "call", "r": "raise"}

Table = NDArray[np.float64]  # [actions, 169]


@dataclass(frozen=True, eq=False)
class LimitChart:
    """One decision before the flop: the equilibrium by class, and the player's actions."""

    history: str  # "" for the dealer's first decision, "r" for the answer to a raise
    title: str
    actions: tuple[str, ...]
    equilibrium: Table
    rates: tuple[float, ...]  # [actions] of the equilibrium, over the classes that come there
    reached: float  # how often the equilibrium itself comes there, if the other player lets it
    counts: tuple[int, ...]  # [actions] of the player
    numbers: tuple[int, ...]  # of the hands in the store
    own: Table | None  # counts by class; None unless the cards of nearly all decisions are known

    JSON = keys(
        "history title rates reached counts",
        actions=lambda chart: list(chart.actions),
        equilibrium=lambda chart: chart.equilibrium.tolist(),
        own=lambda chart: None if chart.own is None else chart.own.tolist(),
    )

    @property
    def n(self) -> int:
        """Decisions of the player."""
        return sum(self.counts)


@dataclass(frozen=True, eq=False)
class LimitChartStudy:
    """All decisions before the flop of heads-up limit hold'em."""

    source: Source
    hands: int
    charts: tuple[LimitChart, ...]
    habits: tuple[Habit, ...]

    JSON = keys("hands habits charts", game="source.name")


def study_limit_charts(
    hands: Mapping[int, Hand], player: str, cards: Buckets, tell: Tell | None = None
) -> LimitChartStudy:
    """The charts of the equilibrium, beside the actions of a player in hands of the game.

    Hands, by their numbers, are those that were played by the rules
    (`soulread.study.hands.of_player.by_the_rules`). The equilibrium is solved, which takes minutes, unless it
    is kept.
    """
    source = with_cards(limit_holdem(), cards)
    strategy = find_equilibrium(source, tell)
    counts, own, known = count_preflop(hands.values(), player)
    there = {
        history: tuple(number for number, hand in hands.items() if _decides(hand, player, history))
        for history in counts
    }
    charts = []
    for history, (actions, table, rates, reached) in preflop_charts(strategy).items():
        total = sum(counts[history].values())
        seen = total and known[history] >= NEARLY_ALL * total
        made = tuple(counts[history][word] for word in actions)
        mine = np.array([own[history, word] for word in actions]) if seen else None
        seat = "big blind" if len(history) % 2 else "dealer"
        title = f"{seat}, {situation(source.poker, history).removeprefix('preflop, ')}"
        charts.append(
            LimitChart(history, title, actions, table, rates, reached, made, there.get(history, ()), mine)
        )
    return LimitChartStudy(source, len(hands), tuple(charts), tuple(_habits(charts)))


Decision = tuple[tuple[str, ...], Table, tuple[float, ...], float]


def preflop_charts(strategy: TabularStrategy) -> dict[str, Decision]:
    """Of each betting before the flop: its actions, their chances by class, their frequencies, and its reach.

    The reach is how often the acting seat plays all the way there, over all its holdings.
    """
    hands = [int(np.flatnonzero(cell == HAND_CELLS)[0]) for cell in range(NUM_CLASSES)]
    states = np.array([strategy.lookup.state(tuple(HAND_CARDS[hand].tolist()), ()) for hand in hands])
    pairs = count_pairs().astype(np.float64)
    betting = strategy.betting
    found: dict[str, Decision] = {}

    def visit(history: str, reach: tuple[NDArray[np.float64], NDArray[np.float64]]) -> None:
        """``reach [2][169]``: how often each seat comes here with each class; a seat that never does counts
        as if all classes came.
        """
        node = betting.decision(history)
        seat = int(betting.arrays.player[node])
        own, other = (part if part.any() else np.ones(NUM_CLASSES) for part in (reach[seat], reach[1 - seat]))
        table = strategy.chances(node, states.astype(np.int32))
        letters = ["fcr"[min(action, 2)] for action in betting.actions[node]]
        weight = own * (pairs @ other)
        rates = table @ weight / weight.sum()
        words = tuple("check" if letter == "c" and history == "c" else _LETTERS[letter] for letter in letters)
        reached = float(CELL_SIZES @ reach[seat] / CELL_SIZES.sum())
        found[history] = words, table, tuple(rates.tolist()), reached
        for letter, row in zip(letters, table, strict=True):
            if letter == "f" or (letter == "c" and history):
                continue  # the hand or the round is over
            going = reach[seat] * row
            visit(history + letter, (going, reach[1]) if seat == 0 else (reach[0], going))

    visit("", (np.ones(NUM_CLASSES), np.ones(NUM_CLASSES)))
    return found


def count_preflop(
    hands: Iterable[Hand], player: str
) -> tuple[defaultdict[str, Counter[str]], defaultdict[tuple[str, str], NDArray[np.float64]], Counter[str]]:
    """A player's actions before the flop, by the betting before them: counts, by class, and cards known."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    own: defaultdict[tuple[str, str], NDArray[np.float64]] = defaultdict(lambda: np.zeros(NUM_CLASSES))
    known: Counter[str] = Counter()
    for hand in hands:
        seat = hand.seat_of(player)
        preflop = hand.betting.partition("/")[0]
        for i, ((actor, _), letter) in enumerate(zip(hand.actions, preflop, strict=False)):
            if actor != seat:
                continue
            history = preflop[:i]
            word = "check" if letter == "c" and history == "c" else _LETTERS[letter]
            counts[history][word] += 1
            hole = hand.hole[seat]
            if hole is not None:
                own[history, word][HAND_CELLS[hand_index(*hole)]] += 1
                known[history] += 1
    return counts, own, known


def _decides(hand: Hand, player: str, history: str) -> bool:
    """Whether the player decides after this betting before the flop."""
    preflop = hand.betting.partition("/")[0]
    if len(preflop) <= len(history) or not preflop.startswith(history):
        return False
    return hand.actions[len(history)][0] == hand.seat_of(player)


def _habits(charts: Iterable[LimitChart]) -> Iterable[Habit]:
    for chart in charts:
        for word, count, rate in zip(chart.actions, chart.counts, chart.rates, strict=True):
            if chart.n and chart.reached >= LEAST_REACHED:
                yield Habit(chart.title, word, chart.n, count / chart.n, rate, SLACK, numbers=chart.numbers)
