"""Matches between two tabular strategies in compiled code, with real cards.

Hands are played in blocks: deal, look up both players' private states, compare the hands, then walk
the betting tree. Streams are those of `MatchStreams`: ``num_cards`` doubles of the card stream
deal a hand, one double of an agent's stream decides an action. Drawing them block by block gives the same
numbers as drawing them one by one, so the profits equal those of `Match.play` bit by bit.

A simulation can also count the actions of one agent in `PrivateCounts`, as if all cards had been seen.
"""

import itertools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.cards.arrays import deal_into
from soulread.cards.evaluate import Tables, tables, value7
from soulread.errors import SoulreadError
from soulread.games.limit_holdem import best_hand
from soulread.games.poker import PokerGame
from soulread.kernel import kernel
from soulread.observe.private import PrivateCounts
from soulread.seqform.betting import BettingArrays
from soulread.seqform.lookup import BOTH, Cards, States
from soulread.seqform.strategy import draw_action
from soulread.seqform.tabular import TableArrays, TabularStrategy
from soulread.seqform.treeplex import Ints
from soulread.streams import MatchStreams

BLOCK = 4096  # hands played at a time: their cards, states and draws stay in the core's cache

Profits = NDArray[np.float64]


def simulate(
    game: PokerGame,
    strategies: tuple[TabularStrategy, TabularStrategy],
    hands: int,
    streams: MatchStreams,
    *,
    duplicate: bool = False,
    progress: Callable[[int], None] | None = None,
    counts: PrivateCounts | None = None,
    counted: int = 0,
) -> Profits:
    """Chips won ``[hands, 2]`` by each strategy; in a duplicate match the mean over both passes.

    Agent 0 has seat 0 in the first hand, and the seats change after every hand. If ``counts`` is given, every
    action of agent ``counted`` is added to it, whether cards were shown or not. The game of the counts needs
    a look-up.
    """
    if not all(strategy.betting.poker.rules.plays_like(game.rules) for strategy in strategies):
        names = " and ".join(repr(strategy.betting.name) for strategy in strategies)
        raise SoulreadError(f"strategies for {names} cannot play {game.name!r}")
    passes = 2 if duplicate else 1
    deals = streams.cards()
    draws = [[_Draws(streams.agent(agent, rotation)) for agent in (0, 1)] for rotation in range(passes)]
    deck = np.array(game.rules.deck, dtype=np.int64)
    winner_of = _showdown(game)
    tree = strategies[0].betting.arrays
    most = max(strategies[0].betting.max_decisions)
    first, second = (strategy.arrays for strategy in strategies)
    profits = np.zeros((hands, 2))
    rounds = len(game.rules.board_cards)
    alike = strategies[0].lookup == strategies[1].lookup
    states = [np.zeros((BLOCK, 2, rounds), dtype=np.int32) for _ in strategies]
    if alike:
        states[1] = states[0]
    tally = _Tally(game, strategies, states, counts, counted)
    cards = np.empty((BLOCK, game.num_cards), dtype=np.uint8)
    for start in range(0, hands, BLOCK):
        count = min(BLOCK, hands - start)
        deal_hands(deals.random((count, game.num_cards)), deck, cards)
        winner = winner_of(cards[:count])
        for agent in (0,) if alike else (0, 1):
            seats = (np.arange(start, start + count) + agent).astype(np.int8) & 1
            if duplicate or alike:
                seats[:] = BOTH
            strategies[agent].lookup.fill(cards[:count], seats, states[agent])
        tally.look_up(cards[:count])
        for rotation in range(passes):
            mine, yours = (drawn.at_least(count * most) for drawn in draws[rotation])
            used = play_hands(
                tree,
                AgentArrays(first, states[0], mine),
                AgentArrays(second, states[1], yours),
                winner,
                start + rotation,
                profits[start : start + count],
                tally.arrays,
            )
            tally.note_hands(start + rotation, count)
            for drawn, amount in zip(draws[rotation], used, strict=True):
                drawn.use(amount)
            if progress is not None:
                progress(count)
    tally.finish()
    return profits / passes


class _Draws:
    """Doubles of a stream, drawn ahead in blocks and used one after the other."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._left = np.empty(0)

    def at_least(self, count: int) -> NDArray[np.float64]:
        """The next ``count`` doubles or more."""
        if self._left.size < count:
            self._left = np.concatenate([self._left, self._rng.random(count - self._left.size)])
        return self._left

    def use(self, count: int) -> None:
        """Go on ``count`` doubles."""
        self._left = self._left[count:]


class AgentArrays(NamedTuple):
    """The arrays of an agent for the kernel."""

    table: TableArrays
    states: States  # [hands, 2, rounds] private states in either seat
    draws: NDArray[np.float64]  # used one after the other


class TallyArrays(NamedTuple):
    """The arrays in which the kernel counts actions; ``width`` is empty if nothing is counted."""

    agent: int  # whose actions are counted
    states: States  # [hands, 2, rounds] the private states counted
    first_sequence: Ints  # [nodes]
    width: Ints  # [nodes]
    first: NDArray[np.float64]  # [num_sequences] of seat 0
    second: NDArray[np.float64]  # [num_sequences] of seat 1


class _Tally:
    """Counts of one agent's actions, over the private states of the counts; or no counts at all."""

    def __init__(
        self,
        game: PokerGame,
        strategies: tuple[TabularStrategy, TabularStrategy],
        states: list[States],
        counts: PrivateCounts | None,
        counted: int,
    ) -> None:
        self._counts, self._counted = counts, counted
        self._lookup = None if counts is None else counts.game.lookup
        self._hands = np.zeros(2, dtype=np.int64)
        self._own = False
        none = np.empty(0, dtype=np.int32)
        self.arrays = TallyArrays(counted, states[0], none, none, np.empty(0), np.empty(0))
        if counts is None:
            return
        if self._lookup is None:
            raise SoulreadError("a simulation counts private states; the counts need a look-up")
        if not counts.paths.poker.rules.plays_like(game.rules):
            raise SoulreadError(f"counts of {counts.game.name!r} cannot take hands of {game.name!r}")
        if counted not in (0, 1):
            raise SoulreadError(f"agent {counted!r} cannot be counted; a match has agents 0 and 1")
        self._own = self._lookup != strategies[counted].lookup
        kept = np.zeros_like(states[0]) if self._own else states[counted]
        betting = strategies[0].betting
        widths = np.array(self._lookup.num_states, dtype=np.int32)[betting.arrays.round]
        tables = (np.zeros(tree.num_sequences) for tree in counts.game.trees)
        layout = betting.layout(self._lookup.num_states)
        self.arrays = TallyArrays(counted, kept, layout.first_sequence, widths, *tables)

    def look_up(self, cards: Cards) -> None:
        """Find the private states that are counted, unless they are those of the agent's own strategy."""
        if self._own and self._lookup is not None:
            self._lookup.fill(cards, np.full(len(cards), BOTH, dtype=np.int8), self.arrays.states)

    def note_hands(self, first_hand: int, count: int) -> None:
        """Count how often the counted agent had each seat."""
        even, odd = (count + 1) // 2, count // 2
        seat = (self._counted + first_hand) % 2
        self._hands[seat] += even
        self._hands[1 - seat] += odd

    def finish(self) -> None:
        """Hand the counts over."""
        if self._counts is not None:
            for seat, table in enumerate((self.arrays.first, self.arrays.second)):
                self._counts.add_table(seat, table, int(self._hands[seat]))


def _showdown(game: PokerGame) -> Callable[[Cards], NDArray[np.int8]]:
    """A function from whole deals to the winners of the showdowns: 1 is seat 0, -1 is seat 1, 0 is a tie."""
    rules = game.rules
    if rules.showdown is best_hand:
        evaluator = tables()

        def compare(cards: Cards) -> NDArray[np.int8]:
            winner = np.empty(len(cards), dtype=np.int8)
            compare_holdem(evaluator, cards, winner)
            return winner

        return compare
    deck, own = rules.deck, rules.hole_cards
    seen = own + sum(rules.board_cards)
    position = np.zeros(256, dtype=np.int64)
    position[list(deck)] = np.arange(len(deck))
    powers = len(deck) ** np.arange(seen - 1, -1, -1)
    strength = np.zeros(len(deck) ** seen, dtype=np.int64)
    for dealt in itertools.permutations(deck, seen):
        strength[position[list(dealt)] @ powers] = rules.showdown(dealt[:own], dealt[own:])

    def look_up(cards: Cards) -> NDArray[np.int8]:
        places = position[cards]
        first = strength[np.delete(places, np.s_[own : 2 * own], axis=1) @ powers]
        second = strength[places[:, own:] @ powers]
        winner: NDArray[np.int8] = (first > second).astype(np.int8) - (first < second).astype(np.int8)
        return winner

    return look_up


@kernel
def deal_hands(uniforms: NDArray[np.float64], deck: NDArray[np.int64], cards: Cards) -> None:
    """Deal each hand from a fresh deck, as `soulread.cards.deck.deal` does."""
    left = np.empty_like(deck)
    for i in range(len(uniforms)):
        left[:] = deck
        deal_into(uniforms[i], left)
        for k in range(uniforms.shape[1]):
            cards[i, k] = left[k]


@kernel
def compare_holdem(evaluator: Tables, cards: Cards, winner: NDArray[np.int8]) -> None:
    """Which of two hold'em hands wins."""
    for i in range(len(cards)):
        c = cards[i]
        first = value7(evaluator, c[0], c[1], c[4], c[5], c[6], c[7], c[8])
        second = value7(evaluator, c[2], c[3], c[4], c[5], c[6], c[7], c[8])
        winner[i] = int(first > second) - int(first < second)


@kernel
def play_hands(
    tree: BettingArrays,
    one: AgentArrays,
    two: AgentArrays,
    winner: NDArray[np.int8],
    first_hand: int,
    profits: Profits,
    tally: TallyArrays,
) -> tuple[int, int]:
    """Add each agent's chips to ``profits``; returns how many draws each used.

    In hand h agent a has seat (a + h) % 2.
    """
    counted, tally_states = tally.agent, tally.states
    counting = tally.width.size > 0
    player, round_of, num_actions, child = tree.player, tree.round, tree.num_actions, tree.child
    table0, states0, draws0 = one  # plain names, because looking up arrays in a tuple costs time in the loop
    table1, states1, draws1 = two
    used0, used1 = 0, 0
    for i in range(winner.size):
        shift = (first_hand + i) & 1  # the seat of agent 0, and the agent in seat 0
        node = np.int64(0)
        while num_actions[node] > 0:
            seat = player[node]
            if seat == shift:
                first = table0.first_sequence[node] + states0[i, seat, round_of[node]]
                behaviour = table0.first if seat == 0 else table0.second
                position = draw_action(behaviour, first, table0.width[node], num_actions[node], draws0[used0])
                used0 += 1
            else:
                first = table1.first_sequence[node] + states1[i, seat, round_of[node]]
                behaviour = table1.first if seat == 0 else table1.second
                position = draw_action(behaviour, first, table1.width[node], num_actions[node], draws1[used1])
                used1 += 1
            if counting and (seat == shift) == (counted == 0):
                table = tally.first if seat == 0 else tally.second
                place = tally.first_sequence[node] + tally_states[i, seat, round_of[node]]
                table[place + position * tally.width[node]] += 1
            node = np.int64(child[node, position])
        won = tree.chips[node, 0]
        if tree.showdown[node]:
            won *= winner[i]
        profits[i, shift] += won
        profits[i, 1 - shift] -= won
    return used0, used1
