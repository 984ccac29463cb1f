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

Every deal is played from both seats. A deal fixes LBR's hand and the board. LBR's actions follow from them,
and over the opponent's hands and actions the mean is exact: every action of the opponent is followed, with
the range that takes it. The luck of LBR's own cards is left. With HS_r the strength of its hand in
round r and HS2_r the mean of the squared strength, both against random hands, the numbers

    HS_r - 1/2      and      HS2_r - E[HS^2]

have mean zero in every round, whatever is played. Their part of the result is found by least squares and
taken off (control variates). The coefficients for each half of the deals come from the other half, so the
mean stays unbiased. In hold'em, intervals become a sixth as long: about 30 times fewer deals are needed.
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.cards.arrays import deal
from soulread.cards.ranges import NUM_HANDS, cards_mask
from soulread.cards.strength import DEAD as RANKED_DEAD
from soulread.cards.strength import RankedBoard, rank_board, ranked_board
from soulread.encoding import keys
from soulread.errors import SoulreadError
from soulread.estimate import Estimate, Unit
from soulread.games.base import TERMINAL
from soulread.games.poker import CALL, FOLD, RAISE, PokerGame
from soulread.kernel import kernel
from soulread.machine import verify_room
from soulread.report.shown import Shown
from soulread.seqform.betting import BettingArrays
from soulread.seqform.holdings import DEAD, HandTable, HoldemTable, all_states, hand_table
from soulread.seqform.strategy import Behaviours
from soulread.seqform.tabular import TabularStrategy
from soulread.seqform.treeplex import Floats, Ints
from soulread.solvers.real_cards.river import RiverSolver
from soulread.streams import stream
from soulread.words import plural

DEFAULT_RUNOUTS = 200
FEWEST_CORRECTED = 100  # deals; with fewer of them luck is not taken off
MEAN_SQUARE = 154_620_809_908_613 / 458_927_865_396_000  # E[HS^2] of all hands on all rivers of hold'em
MAX_DEPTH = 40  # actions of one hand of limit hold'em, and more
MAX_STARTS = 2000  # rivers of one deal; limit hold'em has fewer ways to get there
RIVERS_PER_CHIP = 1 / 3  # rivers drawn per deal and seat, per chip in the pot
_TWICE_OTHERS = 2 * 990  # hands without a common card on a river, twice
UNREACHED = 1e-12  # a range with less weight than this is not followed any further


@dataclass(frozen=True, repr=False)
class LocalBestResponse(Shown):
    """The winnings of LBR against a strategy, in chips per hand, and how the match was played."""

    game: str
    opponent: str
    value: Estimate  # mean over the seats; a sample is one deal
    seats: tuple[Estimate, Estimate]  # with LBR in seat 0, and in seat 1
    raw: Estimate  # mean over the seats with the luck of LBR's cards left in
    deals: int
    seed: int
    first_round: int  # LBR checks and calls before this round
    runouts: int  # complete boards looked at on the flop
    small_bet: int

    JSON = keys(
        "game opponent deals seed first_round runouts",
        seats=lambda found: map(found.in_millibets, found.seats),
        raw=lambda found: found.in_millibets(found.raw),
        **{Unit.MILLIBETS.value: lambda found: found.in_millibets(found.value)},
    )

    def summary(self) -> str:
        """Return what it won, in mb/g."""
        return f"{self.in_millibets(self.value).text(1)} mb/g from {self.opponent} in {self.game}"

    def in_millibets(self, chips: Estimate) -> Estimate:
        """One of the estimates, converted to mb/g (thousandths of a small bet)."""
        return chips.scaled(Unit.MILLIBETS.per_chip(self.small_bet, self.small_bet))


def local_best_response(
    strategy: TabularStrategy,
    game: PokerGame,
    deals: int,
    seed: int = 0,
    *,
    name: str = "",
    first_round: int = 0,
    runouts: int = DEFAULT_RUNOUTS,
    rivers: RiverSolver | None = None,
    progress: Callable[[int], None] | None = None,
) -> LocalBestResponse:
    """Let LBR play ``deals`` deals of a limit game against a strategy, each from both seats.

    Before ``first_round`` LBR checks and calls. Equities are exact in games of few cards, and in hold'em on
    the turn and river. On the flop they come from ``runouts`` random boards; with 1176 or more, from all
    boards. Before the flop they come from 10,000 fixed boards. Inexact equities only affect the choice of
    actions, never the chips counted. ``progress`` is called with 1 after every deal.

    With ``rivers`` the opponent plays the rivers that are solved there in place of the strategy's. A few of
    the rivers that a deal leads to are drawn, by their chance and pot, and solved. The change of LBR's win
    there is divided by the chance to be drawn, so the mean stays unbiased.
    """
    played = play_deals(strategy, game, deals, seed, first_round, runouts, rivers, progress)
    won = played.corrected
    return LocalBestResponse(
        game=game.name,
        opponent=name,
        value=Estimate.of(won.mean(axis=1)),
        seats=(Estimate.of(won[:, 0]), Estimate.of(won[:, 1])),
        raw=Estimate.of(played.won.mean(axis=1)),
        deals=deals,
        seed=seed,
        first_round=first_round,
        runouts=runouts,
        small_bet=game.rules.small_bet,
    )


class LbrWinnings(NamedTuple):
    """Chips that LBR won in each deal and seat. The same seed deals the same cards to any opponent."""

    won: NDArray[np.float64]  # [deals, 2]
    corrected: NDArray[np.float64]  # [deals, 2] the luck of LBR's cards taken off


def play_deals(
    strategy: TabularStrategy,
    game: PokerGame,
    deals: int,
    seed: int = 0,
    first_round: int = 0,
    runouts: int = DEFAULT_RUNOUTS,
    rivers: RiverSolver | None = None,
    progress: Callable[[int], None] | None = None,
) -> LbrWinnings:
    """The deals of `local_best_response` one by one, so that two strategies can be compared deal by deal."""
    if deals < 1:
        raise SoulreadError(f"local best response needs at least one deal, not {deals}")
    table = LbrTable(strategy, game, seed, first_round, runouts)
    verify_room(plural(deals, "deal"), 4 * 8 * deals)  # chips from both seats, in two copies
    draws = stream(seed, "lbr", "rivers")
    won, luck = np.empty((deals, 2)), np.empty((deals, 2, 2 * len(game.rules.board_cards)))
    for number in range(deals):
        found = table.deal((strategy.behaviours,), rivers, draws)
        won[number], luck[number] = found.won[0], found.luck
        if progress is not None:
            progress(1)
    return LbrWinnings(won, without_luck_in_seats(won, luck))


class LbrDeal(NamedTuple):
    """What LBR won in one deal, and how lucky its cards were."""

    won: NDArray[np.float64]  # [strategies, 2] chips with LBR in seat 0 and 1
    luck: NDArray[np.float64]  # [2, 2 * rounds] numbers with mean zero


class LbrTable:
    """A table at which LBR plays the deals of a seed one by one, each against any number of strategies.

    The strategies differ from ``strategy`` in their behaviours alone. The deals, and what LBR sees in them,
    depend on the seed alone.
    """

    def __init__(
        self,
        strategy: TabularStrategy,
        game: PokerGame,
        seed: int = 0,
        first_round: int = 0,
        runouts: int = DEFAULT_RUNOUTS,
    ) -> None:
        rules = game.rules
        rounds = len(rules.board_cards)
        if seed < 0:
            raise SoulreadError(f"a seed is a number from 0 up, not {seed}")
        if not 0 <= first_round < rounds:
            raise SoulreadError(f"first_round={first_round!r}; {game.name!r} has rounds 0 to {rounds - 1}")
        if runouts < 1:
            raise SoulreadError(f"runouts={runouts!r}; expected at least 1")
        if rules.raise_sizes is None or rules.stacks is not None or strategy.betting.name != game.name:
            raise SoulreadError(
                f"local best response plays two-player limit games; {game.name!r} came with a strategy for "
                f"{strategy.betting.name!r}"
            )
        self._player = _Player(strategy, game, hand_table(game), first_round, runouts)
        self._dealt, self._equities = stream(seed, "lbr", "cards"), stream(seed, "lbr", "equities")

    def deal(
        self,
        behaviours: Sequence[Behaviours],
        rivers: RiverSolver | None = None,
        draws: np.random.Generator | None = None,
    ) -> LbrDeal:
        """The next deal against each strategy; with ``rivers``, rivers of the first one are drawn."""
        player, rules = self._player, self._player.game.rules
        cards = deal(self._dealt, rules.deck, player.game.num_cards)
        boards = _Boards(player, cards[2 * rules.hole_cards :], self._equities)
        won, luck = np.empty((len(behaviours), 2)), np.empty((2, 2 * len(rules.board_cards)))
        for seat in (0, 1):
            won[:, seat] = player.play(cards, boards, seat, behaviours)
            if rivers is not None and draws is not None:
                won[0, seat] += player.change(cards, boards, seat, rivers, draws)
            luck[seat] = player.luck(cards, boards, seat)
        return LbrDeal(won, luck)


def without_luck_in_seats(won: NDArray[np.float64], luck: NDArray[np.float64]) -> NDArray[np.float64]:
    """`without_luck` for each seat: of results ``[deals, 2]`` and numbers ``[deals, 2, k]``."""
    return np.stack([without_luck(won[:, seat], luck[:, seat]) for seat in (0, 1)], axis=1)


def without_luck(won: NDArray[np.float64], luck: NDArray[np.float64]) -> NDArray[np.float64]:
    """Results ``[deals]`` less what depends linearly on numbers ``[deals, k]`` that are zero on average.

    The coefficients for the even deals are those of the odd ones, and the other way round.
    """
    corrected = won.copy()
    if len(won) < FEWEST_CORRECTED or np.ptp(won) == 0:
        return corrected
    columns = np.concatenate([np.ones((len(won), 1)), luck], axis=1)
    for half in (0, 1):
        others, own = slice(1 - half, None, 2), slice(half, None, 2)
        weights = np.linalg.lstsq(columns[others], won[others], rcond=1e-10)[0]
        corrected[own] -= luck[own] @ weights[1:]
    return corrected


class _Boards:
    """States, shares and strengths on one deal's board in each round, computed at the first use."""

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
        if not self.seen(r):
            return _opening_shares(self._player.table, hero)
        return _shares(self._values_in(r), hero)

    def strength(self, r: int, hero: int) -> tuple[float, float]:
        """HS_r and HS2_r of the module docstring, less their means."""
        table = self._player.table
        if not self.seen(r):
            opening = _opening_strengths(table)
            return opening[hero, 0], opening[hero, 1]
        mean, square = _strength(self._values_in(r), table.masks, hero)
        return mean - 0.5, square - _mean_square(table)

    def _values_in(self, r: int) -> NDArray[np.int16]:
        if r not in self._values:
            player = self._player
            self._values[r] = player.table.values(self.seen(r), player.runouts, self._rng)
        return self._values[r]


@lru_cache(maxsize=NUM_HANDS)
def _opening_shares(table: HandTable, hero: int) -> NDArray[np.float64]:
    """`_Boards.shares` before the flop, where they do not depend on the deal."""
    return _shares(table.values((), 1, np.random.default_rng(0)), hero)


@lru_cache(maxsize=4)
def _opening_strengths(table: HandTable) -> NDArray[np.float64]:
    """`_Boards.strength` before the flop, ``[H, 2]``; the boards are fixed, so means are taken over hands."""
    if isinstance(table, HoldemTable):
        found = _mean_strengths(table.preflop_boards, ranked_board())
    else:
        values = table.values((), 1, np.random.default_rng(0))
        found = np.array([_strength(values, table.masks, hero) for hero in range(len(table.masks))])
    centred: NDArray[np.float64] = found - found.mean(axis=0)
    return centred


@lru_cache(maxsize=4)
def _mean_square(table: HandTable) -> float:
    """E[HS^2] over all hands and complete boards; a game of few cards is looked at as a whole."""
    if isinstance(table, HoldemTable):
        return MEAN_SQUARE
    values = table.values((), 1, np.random.default_rng(0))
    return float(np.mean([_strength(values, table.masks, hero)[1] for hero in range(len(table.masks))]))


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
        return self.strategy.betting.chips_in

    @cached_property
    def tree(self) -> "_Tree":
        """The betting tree as the kernel reads it."""
        betting, table = self.strategy.betting, self.strategy.arrays
        position = np.full((betting.num_nodes, 3), -1, dtype=np.int8)
        for node, actions in enumerate(betting.actions):
            for k, action in enumerate(actions):
                position[node, action] = k
        return _Tree(betting.arrays, position, self.spent, table.first_sequence, table.width)

    def play(
        self, cards: Sequence[int], boards: _Boards, seat: int, behaviours: Sequence[Behaviours]
    ) -> list[float]:
        """Chips that LBR in ``seat`` wins in one deal, the mean over the opponent's hands and actions.

        There is one number for each strategy.
        """
        spot = self._spot(cards, boards, seat)
        return [
            _expected_win(spot._replace(behaviour=pair[1 - seat]), self.tree, self.root)
            for pair in behaviours
        ]

    def change(
        self,
        cards: Sequence[int],
        boards: _Boards,
        seat: int,
        rivers: RiverSolver,
        rng: np.random.Generator,
    ) -> float:
        """Chips that LBR wins more than in `play` if the opponent plays rivers as ``rivers`` solves them."""
        spot = self._spot(cards, boards, seat)
        last = rivers.last_round
        starts = _Starts(
            np.zeros(1, dtype=np.int64),
            np.zeros(MAX_STARTS, dtype=np.int32),
            np.zeros((MAX_STARTS, len(self.table.masks))),
        )
        _expected_win(spot, self.tree, self.root._replace(starts=starts, stop=last))
        states = [boards.states(r) for r in range(last + 1)]
        possible = np.count_nonzero(self.table.masks & spot.dead[-1] == 0)
        total = 0.0
        for number in range(starts.found[0]):
            node, weights = int(starts.node[number]), starts.weights[number]
            alive = weights @ (self.table.masks & spot.dead[-1] == 0)
            chance = min(1.0, RIVERS_PER_CHIP * alive / possible * self.spent[node].sum())
            if rng.random() >= chance:
                continue
            play = rivers.solve(node, boards.seen(last), states)
            first = np.zeros(self.tree.first_sequence.size, dtype=np.int32)
            first[play.tree.node] = np.arange(play.tree.node.size) * play.behaviour[0].size
            size = play.behaviour.shape[2]
            real = self.tree._replace(first_sequence=first, width=np.full_like(first, size))
            hands = spot._replace(
                behaviour=play.behaviour.ravel(),
                states=np.broadcast_to(np.arange(size, dtype=np.int32), spot.states.shape).copy(),
            )
            root = self.root._replace(node=node, weights=weights)
            total += (_expected_win(hands, real, root) - _expected_win(spot, self.tree, root)) / chance
        return total

    @cached_property
    def root(self) -> "_Root":
        """The walk over the whole hand."""
        size = len(self.table.masks)
        nowhere = _Starts(np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32), np.zeros((0, size)))
        return _Root(0, np.ones(size), len(self.board_sizes), nowhere)

    def _spot(self, cards: Sequence[int], boards: _Boards, seat: int) -> "_Spot":
        count = self.game.rules.hole_cards
        hole = cards[seat * count : (seat + 1) * count]
        hero = self.table.index(hole)
        rounds = range(len(self.board_sizes))
        unused = np.zeros(len(self.table.masks))
        shares = [
            boards.shares(r, hero) if r >= self.first_round or r == rounds[-1] else unused for r in rounds
        ]
        return _Spot(
            seat,
            self.first_round,
            self.strategy.behaviours[1 - seat],
            np.stack([boards.states(r) for r in rounds]),
            np.stack(shares),
            self.table.masks,
            np.array([cards_mask((*hole, *boards.seen(r))) for r in rounds]),
        )

    def luck(self, cards: Sequence[int], boards: _Boards, seat: int) -> NDArray[np.float64]:
        """``[2 * rounds]``: numbers that tell how lucky LBR's cards were, each with mean zero."""
        count = self.game.rules.hole_cards
        hero = self.table.index(cards[seat * count : (seat + 1) * count])
        return np.array([boards.strength(r, hero) for r in range(len(self.board_sizes))]).ravel()


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


@kernel
def _strength(values: NDArray[np.int16], masks: NDArray[np.int64], hero: int) -> tuple[float, float]:
    """Means over complete boards of hero's strength against random hands, and of its square."""
    total = squares = 0.0
    boards = 0
    for i in range(values.shape[0]):
        row, own = values[i], values[i, hero]
        if own == DEAD:
            continue
        twice = others = 0
        for v in range(row.size):
            if row[v] != DEAD and masks[v] & masks[hero] == 0:
                twice += int(row[v] < own) + int(row[v] <= own)
                others += 1
        strength = twice / (2 * others)
        total += strength
        squares += strength * strength
        boards += 1
    return total / boards, squares / boards


@kernel
def _mean_strengths(boards: NDArray[np.uint8], ranked: RankedBoard) -> NDArray[np.float64]:
    """`_strength` of all 1326 hands at once, ``[1326, 2]``."""
    found = np.zeros((ranked.values.size, 2))
    count = np.zeros(ranked.values.size)
    for i in range(len(boards)):
        rank_board(boards[i], ranked)
        for h in range(count.size):
            if ranked.values[h] != RANKED_DEAD:
                strength = ranked.twice[h] / _TWICE_OTHERS
                found[h, 0] += strength
                found[h, 1] += strength * strength
                count[h] += 1
    for h in range(count.size):
        found[h] /= count[h]
    return found


class _Tree(NamedTuple):
    """A betting tree and the layout of the opponent's behaviour."""

    betting: BettingArrays
    position: NDArray[np.int8]  # [nodes, 3] place of fold, call and raise among a node's actions; -1 if none
    spent: NDArray[np.int64]  # [nodes, 2] chips that each seat has put in
    first_sequence: Ints  # [nodes]
    width: Ints  # [nodes]


@kernel
def _choose(
    tree: _Tree,
    node: int,
    seat: int,
    behaviour: Floats,
    states: Ints,
    shares: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> int:
    """The action with the largest look-ahead value; see the top of this module."""
    spent, position = tree.spent, tree.position
    pot = spent[node, 0] + spent[node, 1]
    highest = max(spent[node, 0], spent[node, 1])
    asked = highest - spent[node, seat]
    total = won = 0.0
    for h in range(weights.size):
        total += weights[h]
        won += weights[h] * shares[h]
    share = won / total
    best, value = CALL, share * pot - (1 - share) * asked
    if position[node, FOLD] >= 0 and value <= 0:
        best, value = FOLD, 0.0
    if position[node, RAISE] >= 0:
        after = tree.betting.child[node, position[node, RAISE]]
        bet = spent[after, seat] - highest
        first = tree.first_sequence[after] + position[after, FOLD] * tree.width[after]
        folds = lost = 0.0
        for h in range(weights.size):
            folded = weights[h] * behaviour[first + states[h]]
            folds += folded
            lost += folded * shares[h]
        kept, called = won - lost, total - folds
        raised = (folds * pot + kept * (pot + bet) - (called - kept) * (asked + bet)) / total
        if raised > value:
            best = RAISE
    return int(best)


class _Spot(NamedTuple):
    """LBR's cards and the board, and what follows from them, for each of H hands of the opponent."""

    seat: int
    first_round: int
    behaviour: Floats  # of the opponent
    states: Ints  # [rounds, H] private state
    shares: NDArray[np.float64]  # [rounds, H] share of the pot that LBR's hand wins
    masks: NDArray[np.int64]  # [H]
    dead: NDArray[np.int64]  # [rounds] the cards of LBR and of the board


class _Starts(NamedTuple):
    """Where a walk stopped."""

    found: NDArray[np.int64]  # [1] number of nodes
    node: Ints  # [n]
    weights: NDArray[np.float64]  # [n, H] the opponent's range there


class _Root(NamedTuple):
    """Where a walk begins and ends."""

    node: int
    weights: NDArray[np.float64]  # [H] the opponent's range there
    stop: int  # the walk does not enter this round; it notes in ``starts`` where it would have done so
    starts: _Starts


@kernel
def _expected_win(spot: _Spot, tree: _Tree, root: _Root) -> float:
    """Chips that LBR wins on a given board: a walk over all actions of the opponent, with their ranges.

    LBR's range of the opponent has the hands that are possible with the board seen so far. Chips are counted
    over the hands that are possible with the whole board.
    """
    betting, masks, dead, seat = tree.betting, spot.masks, spot.dead, spot.seat
    size = masks.size
    possible = 0
    for h in range(size):
        possible += int(masks[h] & dead[-1] == 0)
    ranges = np.empty((MAX_DEPTH, size))
    node_at = np.empty(MAX_DEPTH, dtype=np.int64)  # the way from the root to the present node
    next_action = np.empty(MAX_DEPTH, dtype=np.int64)
    total = 0.0
    depth = 0
    node_at[0] = root.node
    next_action[0] = 0
    ranges[0] = root.weights
    while depth >= 0:
        node, weights = node_at[depth], ranges[depth]
        r = betting.round[node]
        if betting.player[node] == TERMINAL:
            share = 0.0
            for h in range(size):
                if masks[h] & dead[-1] == 0:
                    share += weights[h] * (2 * spot.shares[-1, h] - 1 if betting.showdown[node] else 1.0)
            total += betting.chips[node, seat] * share
            depth -= 1
            continue
        if next_action[depth] == 0:
            alive = 0.0
            for h in range(size):
                if masks[h] & dead[r]:
                    weights[h] = 0.0
                alive += weights[h]
            if alive == 0.0:  # a new board card excludes every hand that would have come here
                depth -= 1
                continue
            if r >= root.stop:
                root.starts.node[root.starts.found[0]] = node
                root.starts.weights[root.starts.found[0]] = weights
                root.starts.found[0] += 1
                depth -= 1
                continue
        reached = 0.0
        own = betting.player[node] == seat
        k = next_action[depth]
        if k == (1 if own else np.int64(betting.num_actions[node])):
            depth -= 1
            continue
        next_action[depth] = k + 1
        if own:
            action = CALL
            if r >= spot.first_round:
                action = _choose(tree, node, seat, spot.behaviour, spot.states[r], spot.shares[r], weights)
            k = np.int64(tree.position[node, action])
            for h in range(size):
                ranges[depth + 1, h] = weights[h]
                reached += weights[h]
        else:
            first = tree.first_sequence[node] + k * tree.width[node]
            for h in range(size):
                taken = weights[h] * spot.behaviour[first + spot.states[r, h]]
                ranges[depth + 1, h] = taken
                reached += taken
        if reached > UNREACHED:
            depth += 1
            node_at[depth] = betting.child[node, k]
            next_action[depth] = 0
    return total / possible
