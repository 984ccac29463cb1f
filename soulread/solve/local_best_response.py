"""Local best response (Lisy & Bowling, 2017): a lower bound of exploitability, found by play with real cards.

The exact best response to a strategy needs the whole game, and hold'em with real cards is too large for that.
Local best response (LBR) only needs to *ask* the strategy how it acts with each hand. From the answers it
computes the opponent's exact range by Bayes' rule. It then decides by a short look-ahead, as if both players
would check and call to the end afterwards. Let w be the share of the pot that its hand wins against the
range, P the pot and a the chips to call. The actions are then worth

    fold    0
    call    w P - (1 - w) a
    raise   f P + (1 - f) (w' (P + b) - (1 - w') (a + b))

where b is the size of the raise, f the probability that the opponent folds to it, and w' the share of the pot
against the hands that do not fold. LBR takes the action of the largest value; at ties, the lowest action.
Since LBR is an opponent that exists, its mean win is a lower bound of exploitability (the mean over the
seats). The bound may be far below the exploitability, and even negative.

Every deal is played from both seats. At a showdown the result is the mean over the opponent's range, not that
of the one hand the opponent was dealt. Its average is the same, with less noise.
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soulread.cards.arrays import deal
from soulread.cards.ranges import NUM_HANDS, cards_mask
from soulread.errors import SoulreadError
from soulread.estimate import Estimate, Unit
from soulread.games.base import TERMINAL
from soulread.games.poker import CALL, FOLD, RAISE, PokerGame
from soulread.kernel import kernel
from soulread.machine import verify_room
from soulread.seqform.betting import BettingTree
from soulread.seqform.holdings import DEAD, HandTable, all_states, hand_table
from soulread.seqform.strategy import draw_index
from soulread.seqform.tabular import TabularStrategy
from soulread.seqform.treeplex import Ints
from soulread.streams import stream
from soulread.words import plural

DEFAULT_RUNOUTS = 200


@dataclass(frozen=True)
class LocalBestResponse:
    """What LBR won against a strategy, in chips per hand, and how the match was played."""

    game: str
    opponent: str
    value: Estimate  # mean over the seats; a sample is one deal
    seats: tuple[Estimate, Estimate]  # with LBR in seat 0, and in seat 1
    deals: int
    seed: int
    first_round: int  # LBR checks and calls before this round
    runouts: int  # complete boards looked at on the flop
    small_bet: int

    def in_millibets(self, chips: Estimate) -> Estimate:
        """One of the estimates, converted to mb/g (thousandths of a small bet)."""
        return chips.scaled(Unit.MILLIBETS.per_chip(self.small_bet, self.small_bet))

    def as_dict(self) -> dict[str, Any]:
        """The results for JSON, in mb/g."""
        return {
            "game": self.game,
            "opponent": self.opponent,
            "deals": self.deals,
            "seed": self.seed,
            "first_round": self.first_round,
            "runouts": self.runouts,
            Unit.MILLIBETS.value: self.in_millibets(self.value).as_dict(),
            "seats": [self.in_millibets(seat).as_dict() for seat in self.seats],
        }


def local_best_response(
    strategy: TabularStrategy,
    game: PokerGame,
    deals: int,
    seed: int = 0,
    *,
    name: str = "",
    first_round: int = 0,
    runouts: int = DEFAULT_RUNOUTS,
    progress: Callable[[int], None] | None = None,
) -> LocalBestResponse:
    """Let LBR play ``deals`` deals of a limit game against a strategy, each from both seats.

    Before ``first_round`` LBR checks and calls. Equities are exact in games of few cards, and in hold'em on
    the turn and river. On the flop they come from ``runouts`` random boards; with 1176 or more, from all
    boards. Before the flop they come from 10,000 fixed boards. Inexact equities only affect the choice of
    actions, never the chips counted. ``progress`` is called with 1 after every deal.
    """
    if deals < 1:
        raise SoulreadError(f"local best response needs at least one deal, not {deals}")
    if seed < 0:
        raise SoulreadError(f"a seed is a number from 0 up, not {seed}")
    verify_room(plural(deals, "deal"), 4 * 8 * deals)  # chips from both seats, in two copies
    rules = game.rules
    rounds = len(rules.board_cards)
    if not 0 <= first_round < rounds:
        raise SoulreadError(f"first_round={first_round!r}; {game.name!r} has rounds 0 to {rounds - 1}")
    if runouts < 1:
        raise SoulreadError(f"runouts={runouts!r}; expected at least 1")
    if rules.raise_sizes is None or rules.stacks is not None or strategy.betting.name != game.name:
        raise SoulreadError(
            f"local best response plays two-player limit games; {game.name!r} came with a strategy for "
            f"{strategy.betting.name!r}"
        )
    player = _Player(strategy, game, hand_table(game), first_round, runouts)
    dealt, equities = stream(seed, "lbr", "cards"), stream(seed, "lbr", "equities")
    draws = [stream(seed, "lbr", "opponent", seat) for seat in (0, 1)]
    won = np.empty((deals, 2))
    for number in range(deals):
        cards = deal(dealt, rules.deck, game.num_cards)
        boards = _Boards(player, cards[2 * rules.hole_cards :], equities)
        for seat in (0, 1):
            won[number, seat] = player.play(cards, boards, seat, draws[seat])
        if progress is not None:
            progress(1)
    return LocalBestResponse(
        game=game.name,
        opponent=name,
        value=Estimate.of(won.mean(axis=1)),
        seats=(Estimate.of(won[:, 0]), Estimate.of(won[:, 1])),
        deals=deals,
        seed=seed,
        first_round=first_round,
        runouts=runouts,
        small_bet=rules.small_bet,
    )


class _Boards:
    """What one deal's board means in each round, computed when needed; both seats share it."""

    def __init__(self, player: "_Player", board: tuple[int, ...], rng: np.random.Generator) -> None:
        self._player = player
        self._board = board
        self._rng = rng
        self._states: dict[int, Ints] = {}
        self._values: dict[int, NDArray[np.int16]] = {}

    def seen(self, r: int) -> tuple[int, ...]:
        """The board cards seen in a round."""
        return self._board[: self._player.board_sizes[r]]

    def states(self, r: int) -> Ints:
        """``[H]``: the opponent's private state with each holding; 0 for holdings with a board card."""
        if r not in self._states:
            self._states[r] = all_states(
                self._player.strategy.lookup, self._player.table, np.array([self.seen(r)], dtype=np.uint8)
            )[0]
        return self._states[r]

    def shares(self, r: int, hero: int) -> NDArray[np.float64]:
        """``[H]``: share of the pot that ``hero`` wins against each other holding, as seen in a round."""
        player = self._player
        if not self.seen(r):
            return _opening_shares(player.table, hero)
        if r not in self._values:
            self._values[r] = player.table.values(self.seen(r), player.runouts, self._rng)
        return _shares(self._values[r], hero)


@lru_cache(maxsize=NUM_HANDS)
def _opening_shares(table: HandTable, hero: int) -> NDArray[np.float64]:
    """`_Boards.shares` before the flop, where they do not depend on the deal."""
    return _shares(table.values((), 1, np.random.default_rng(0)), hero)


def _shares(values: NDArray[np.int16], hero: int) -> NDArray[np.float64]:
    """The share of the pot ``[H]`` that ``hero`` wins against each holding, from values ``[boards, H]``."""
    shares = np.empty(values.shape[1])
    _fill_shares(values, hero, shares)
    return shares


@dataclass(frozen=True, eq=False)
class _Player:
    """LBR against one strategy."""

    strategy: TabularStrategy
    game: PokerGame
    table: HandTable
    first_round: int
    runouts: int

    @cached_property
    def board_sizes(self) -> tuple[int, ...]:
        """Number of board cards seen in each round."""
        return tuple(itertools.accumulate(self.game.rules.board_cards))

    @cached_property
    def spent(self) -> NDArray[np.int64]:
        """``[nodes, 2]``: chips that each seat has put in."""
        return chips_in(self.game, self.strategy.betting)

    def play(self, cards: Sequence[int], boards: _Boards, seat: int, rng: np.random.Generator) -> float:
        """Chips that LBR in ``seat`` wins in one deal; the opponent's actions are drawn from ``rng``."""
        count = self.game.rules.hole_cards
        hero, villain = (self.table.index(cards[s * count : (s + 1) * count]) for s in (seat, 1 - seat))
        tree, actions = self.strategy.betting.arrays, self.strategy.betting.actions
        weights = (self.table.masks & self.table.masks[hero] == 0).astype(np.float64)
        shares = np.empty(0)
        node, r = 0, -1
        while tree.player[node] != TERMINAL:
            if tree.round[node] != r:
                r = int(tree.round[node])
                weights[self.table.masks & cards_mask(boards.seen(r)) != 0] = 0
                shares = np.empty(0)
            if tree.player[node] == seat:
                if r >= self.first_round and not shares.size:
                    shares = boards.shares(r, hero)
                action = CALL if r < self.first_round else self.choose(node, seat, weights, shares, boards)
                node = int(tree.child[node, actions[node].index(action)])
            else:
                table = self.strategy.chances(node, boards.states(r))
                drawn = draw_index(table[:, villain], rng.random())
                weights *= table[drawn]
                node = int(tree.child[node, drawn])
        if not tree.showdown[node]:
            return float(tree.chips[node, seat])
        shares = boards.shares(len(self.board_sizes) - 1, hero)
        return float(tree.chips[node, seat] * (2 * (weights @ shares) / weights.sum() - 1))

    def choose(
        self,
        node: int,
        seat: int,
        weights: NDArray[np.float64],
        shares: NDArray[np.float64],
        boards: _Boards,
    ) -> int:
        """The action with the largest look-ahead value; see the top of this module."""
        tree, actions = self.strategy.betting.arrays, self.strategy.betting.actions[node]
        pot = int(self.spent[node].sum())
        asked = int(self.spent[node].max() - self.spent[node, seat])
        total, won = weights.sum(), weights @ shares
        share = won / total
        best, value = CALL, share * pot - (1 - share) * asked
        if FOLD in actions and value <= 0:
            best, value = FOLD, 0.0
        if RAISE in actions:
            after = int(tree.child[node, actions.index(RAISE)])
            bet = int(self.spent[after, seat] - self.spent[node].max())
            reply = self.strategy.betting.actions[after]
            folding = self.strategy.chances(after, boards.states(int(tree.round[node])))[reply.index(FOLD)]
            folds, lost = weights @ folding, weights @ (folding * shares)
            called = total - folds
            raised = (
                folds * pot + (won - lost) * (pot + bet) - (called - (won - lost)) * (asked + bet)
            ) / total
            if raised > value:
                best = RAISE
        return best


@lru_cache(maxsize=8)
def chips_in(game: PokerGame, betting: BettingTree) -> NDArray[np.int64]:
    """``[nodes, 2]``: chips each seat has put in at each betting node of a limit game without stacks."""
    rules, tree = game.rules, betting.arrays
    if rules.raise_sizes is None or rules.stacks is not None:
        raise SoulreadError(f"{game.name!r} is not a limit game in which nobody runs out of chips")
    spent = np.zeros((betting.num_nodes, 2), dtype=np.int64)
    spent[0] = np.array(rules.blinds) + rules.ante
    for node, actions in enumerate(betting.actions):
        for action, child in zip(actions, tree.child[node], strict=False):
            spent[child] = spent[node]
            if action != FOLD:
                size = rules.raise_sizes[tree.round[node]] if action == RAISE else 0
                spent[child, tree.player[node]] = spent[node].max() + size
    return spent


@kernel
def _fill_shares(values: NDArray[np.int16], hero: int, shares: NDArray[np.float64]) -> None:
    """Mean over the boards on which both hands are alive: win 1, tie 1/2; 1/2 if there is no such board."""
    size = values.shape[1]
    twice = np.zeros(size, dtype=np.int32)
    count = np.zeros(size, dtype=np.int32)
    for i in range(values.shape[0]):
        row, own = values[i], values[i, hero]
        if own == DEAD:
            continue
        for v in range(size):
            alive = row[v] != DEAD
            count[v] += alive
            twice[v] += alive * (np.int32(row[v] < own) + np.int32(row[v] <= own))
    for v in range(size):
        shares[v] = twice[v] / (2 * count[v]) if count[v] else 0.5
