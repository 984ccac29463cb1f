"""From the rules of a game to two treeplexes and a payoff operator.

`compile_game` walks every history of a small game, once. It verifies what the sequence form needs: two
players, payoffs that sum to zero, and the same actions wherever a label is the same. It also verifies perfect
recall: a player who cannot tell two histories apart has seen and done the same things in both.

`compile_factored` is for poker games with few cards; it keeps the betting tree and the private states apart,
and the game is their product. `factored_game` does so for private states made elsewhere, such as the buckets
of an abstraction.
"""

import hashlib
import itertools
import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.games.base import CHANCE, TERMINAL, Game, State
from soulread.games.bets import Bets
from soulread.games.poker import CALL, PokerGame
from soulread.report.shown import Shown
from soulread.seqform.betting import BettingTree, betting_tree
from soulread.seqform.lookup import AbstractLookup, CardLookup, Lookup, fits_card_by_card
from soulread.seqform.payoff import FactoredPayoff, Leaves, Payoff, SparsePayoff, trace_ancestors
from soulread.seqform.strategy import Plan, verify_plans
from soulread.seqform.treeplex import Floats, Ints, ListedLabels, ProductLabels, Treeplex, make_treeplex

MAX_HISTORIES = 5_000_000
MAX_DEALS = 1_000_000
_CLOSE = 1e-9  # how far chance may be from summing to one, and payoffs from zero


class HistoryTree(NamedTuple):
    """Every history of a game, level by level; those after n are ``first_child[n]:first_child[n + 1]``."""

    player: NDArray[np.int8]  # [histories] a seat, CHANCE or TERMINAL
    information_set: Ints  # [histories] of the player to move; -1 elsewhere
    first_child: Ints  # [histories + 1]
    probability: NDArray[np.float64]  # [histories] chance's probability of the move into each history
    payoff: NDArray[np.float64]  # [histories, 2] net chips, zero before the end


@dataclass(frozen=True, eq=False, repr=False)
class SequenceGame(Shown):
    """A two-player game with perfect recall, in the form that all solvers, models and responses use.

    A game of poker carries its rules, and with them its stakes. ``lookup`` finds the private state of real
    cards; without it, information sets are found by their labels.
    """

    name: str
    trees: tuple[Treeplex, Treeplex]
    payoff: Payoff
    histories: HistoryTree | None = None  # where sampling needs it; None for factored games
    poker: PokerGame | None = None  # None for games that are not poker
    lookup: Lookup | None = None
    bets: Bets | None = None  # the menu of raises in a no-limit game; None: all of them

    def summary(self) -> str:
        """Return the name and the numbers of sequences."""
        return f"{self.name}, {self.trees[0].num_sequences:,} and {self.trees[1].num_sequences:,} sequences"

    def __post_init__(self) -> None:
        if self.payoff.num_sequences != (self.trees[0].num_sequences, self.trees[1].num_sequences):
            raise SoulreadError(
                f"{self.name!r}: payoffs for {self.payoff.num_sequences} sequences, but the treeplexes have "
                f"{self.trees[0].num_sequences} and {self.trees[1].num_sequences}"
            )

    def value(self, first_plan: Plan, second_plan: Plan) -> float:
        """Expected chips of player 0, per hand. Behaviours in the place of plans are refused."""
        verify_plans(self.trees, (first_plan, second_plan))
        return float(np.dot(first_plan, self.payoff.gradient(0, second_plan)))

    @property
    def small_bet(self) -> int | None:
        """Chips of a small bet, the unit of mb/g; None for a game that is not poker."""
        return None if self.poker is None else self.poker.rules.small_bet

    @property
    def abstract(self) -> bool:
        """Whether players see their cards through a card abstraction."""
        return isinstance(self.lookup, AbstractLookup)

    @cached_property
    def checksum(self) -> str:
        """Hexadecimal digest of structure and payoffs; strategies and checkpoints carry it."""
        parts = (self.trees[0].checksum, self.trees[1].checksum, self.payoff.checksum())
        return hashlib.sha256(" ".join(parts).encode()).hexdigest()


def poker_of(game: SequenceGame) -> PokerGame:
    """The rules a compiled game is played by; raises for a game that is not poker."""
    if game.poker is None:
        raise SoulreadError(f"{game.name!r} is not a poker game whose hands could be played or counted")
    return game.poker


def betting_of(game: SequenceGame) -> BettingTree:
    """The betting tree of a compiled game of poker, with the raises of its menu."""
    return betting_tree(poker_of(game), game.bets)


def lookup_of(game: SequenceGame) -> Lookup:
    """The look-up that finds private states of real cards; raises if the game was compiled without one."""
    if game.lookup is None:
        raise SoulreadError(f"hands of {game.name!r} need a look-up to find the states of their cards")
    return game.lookup


@dataclass
class _Sets:
    """Information sets of one player in the order they are met, with provisional sequence numbers."""

    index: dict[str, int] = field(default_factory=dict)
    label: list[str] = field(default_factory=list)
    public: list[str] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)  # provisional sequence
    actions: list[tuple[int, ...]] = field(default_factory=list)
    first: list[int] = field(default_factory=list)  # provisional sequence of the first action
    history: list[int] = field(default_factory=list)  # where the set was met first
    depth: list[int] = field(default_factory=list)
    sequence_depth: list[int] = field(default_factory=lambda: [0])  # [provisional sequences]


def compile_game(game: Game, max_histories: int = MAX_HISTORIES) -> SequenceGame:
    """Walk the whole tree of a two-player zero-sum game; the payoffs are sparse.

    A game with imperfect recall is refused; the error names two histories that show it. A game with more than
    ``max_histories`` histories is refused too.
    """
    if game.num_players != 2:
        raise SoulreadError(f"{game.name!r} has {game.num_players} players; the sequence form needs 2")
    sets = (_Sets(), _Sets())
    states: list[State | None] = [game.start()]
    moves: list[tuple[int, int]] = [(-1, 0)]  # (history before, action)
    last: list[tuple[int, int]] = [(0, 0)]  # both players' last provisional sequences
    chance = [1.0]
    player: list[int] = []
    information_set: list[int] = []
    first_child: list[int] = []
    payoff: list[tuple[float, float]] = []

    def describe(history: int) -> str:
        path = []
        while moves[history][0] >= 0:
            path.append(moves[history][1])
            history = moves[history][0]
        state = game.start()
        words = []
        for action in reversed(path):
            words.append(state.action_name(action))
            state = state.apply(action)
        return " ".join(words) or "the start"

    history = 0
    while history < len(states):
        state = states[history]
        assert state is not None
        states[history] = None
        seat = state.player
        player.append(seat)
        first_child.append(len(states))
        own = -1
        net = (0.0, 0.0)
        if seat == TERMINAL:
            first, second = state.payoffs()
            if not abs(first + second) <= _CLOSE * max(1.0, abs(first)):
                raise SoulreadError(
                    f"{game.name!r} is not zero-sum: after {describe(history)} the payoffs are "
                    f"{first!r} and {second!r}"
                )
            net = (first, second)
        elif seat == CHANCE:
            outcomes = state.chance_outcomes()
            total = math.fsum(probability for _, probability in outcomes)
            if not abs(total - 1) <= _CLOSE or any(probability < 0 for _, probability in outcomes):
                raise SoulreadError(
                    f"chance of {game.name!r} after {describe(history)} has probabilities "
                    f"{[probability for _, probability in outcomes]!r}, which sum to {total!r}"
                )
            for action, probability in outcomes:
                if probability > 0:
                    states.append(state.apply(action))
                    moves.append((history, action))
                    last.append(last[history])
                    chance.append(probability)
        elif seat in (0, 1):
            label = state.information(seat)
            actions = tuple(int(action) for action in state.legal_actions())
            mine = sets[seat]
            own = mine.index.setdefault(label, len(mine.label))
            before = last[history]
            if own == len(mine.label):
                if not actions:
                    raise SoulreadError(f"{game.name!r} has no legal action after {describe(history)}")
                depth = mine.sequence_depth[before[seat]]
                mine.label.append(label)
                mine.public.append(state.public())
                mine.parent.append(before[seat])
                mine.actions.append(actions)
                mine.first.append(len(mine.sequence_depth))
                mine.history.append(history)
                mine.depth.append(depth)
                mine.sequence_depth.extend([depth + 1] * len(actions))
            elif actions != mine.actions[own]:
                raise SoulreadError(
                    f"player {seat} of {game.name!r} sees {label!r} in two histories with different actions: "
                    f"{describe(mine.history[own])!r} allows {mine.actions[own]!r} and "
                    f"{describe(history)!r} allows {actions!r}"
                )
            elif before[seat] != mine.parent[own]:
                raise SoulreadError(
                    f"{game.name!r} has imperfect recall: player {seat} sees {label!r} in two histories in "
                    "which that player knew or did different things before: "
                    f"{describe(mine.history[own])!r} and {describe(history)!r}"
                )
            for position, action in enumerate(actions):
                sequence = mine.first[own] + position
                states.append(state.apply(action))
                moves.append((history, action))
                last.append((sequence, before[1]) if seat == 0 else (before[0], sequence))
                chance.append(1.0)
        else:
            raise SoulreadError(f"{game.name!r} gives the move to player {seat!r} after {describe(history)}")
        information_set.append(own)
        payoff.append(net)
        if len(states) > max_histories:
            raise SoulreadError(
                f"{game.name!r} has more than {max_histories:,} histories; "
                "only small games can be compiled from their tree"
            )
        history += 1
    first_child.append(len(states))

    layouts = tuple(_layout(seat, sets[seat]) for seat in (0, 1))
    players = np.array(player, dtype=np.int8)
    moved = np.array(chance)
    nets = np.array(payoff)
    ends = np.flatnonzero(players == TERMINAL)
    reach = _reach(np.array(moves)[:, 0], moved)[ends]
    lasts = np.array(last)
    trees = (layouts[0].tree, layouts[1].tree)
    renumbered = np.array(information_set, dtype=np.int32)
    for seat in (0, 1):
        at = players == seat
        renumbered[at] = layouts[seat].set_number[renumbered[at]]
    return SequenceGame(
        name=game.name,
        trees=trees,
        payoff=SparsePayoff.from_outcomes(
            (trees[0].num_sequences, trees[1].num_sequences),
            (layouts[0].sequence_number[lasts[ends, 0]], layouts[1].sequence_number[lasts[ends, 1]]),
            (reach * nets[ends, 0], reach * nets[ends, 1]),
        ),
        histories=HistoryTree(
            player=players,
            information_set=renumbered,
            first_child=np.array(first_child, dtype=np.int32),
            probability=moved,
            payoff=nets,
        ),
        poker=game if isinstance(game, PokerGame) else None,
    )


class _Layout(NamedTuple):
    """A treeplex, and where the provisional numbers went."""

    tree: Treeplex
    set_number: Ints  # [num_sets]
    sequence_number: Ints  # [num_sequences]


def _layout(player: int, sets: _Sets) -> _Layout:
    """Lay sets of the same depth and actions side by side, so that sweeps run over long vectors."""
    groups: dict[tuple[int, tuple[int, ...]], list[int]] = defaultdict(list)
    for index, key in enumerate(zip(sets.depth, sets.actions, strict=True)):
        groups[key].append(index)
    set_number = np.zeros(len(sets.label), dtype=np.int32)
    sequence_number = np.zeros(len(sets.sequence_depth), dtype=np.int32)
    blocks = []
    order: list[int] = []
    next_sequence = 1
    for (_, actions), members in sorted(groups.items(), key=lambda item: (item[0][0], item[1][0])):
        first = np.array([sets.first[index] for index in members])
        for position in range(len(actions)):
            sequence_number[first + position] = next_sequence + np.arange(len(members))
            next_sequence += len(members)
        set_number[members] = len(order) + np.arange(len(members))
        order += members
        blocks.append((actions, sequence_number[[sets.parent[index] for index in members]]))
    labels = ListedLabels(
        tuple(sets.label[index] for index in order), tuple(sets.public[index] for index in order)
    )
    return _Layout(make_treeplex(player, blocks, labels), set_number, sequence_number)


def _reach(before: NDArray[np.int64], probability: NDArray[np.float64]) -> NDArray[np.float64]:
    """Chance's probability of each history; histories stand parents first."""
    reach = probability.copy()
    for history in range(1, reach.size):
        reach[history] *= reach[before[history]]
    return reach


@dataclass(frozen=True, eq=False)
class PrivateStates:
    """The states of a seat's knowledge of its cards in each round, with their chances and showdowns.

    The states are the same in both seats. A state of round r follows exactly one state of round r - 1. A name
    may have a public part after a "|", such as the board.
    """

    names: tuple[tuple[str, ...], ...]  # [rounds] of [S_r]
    parent: tuple[Ints, ...]  # [rounds] of [S_r] state of the round before; zeros in round 0
    reach: tuple[Floats, ...]  # [rounds] of [S_r, S_r] joint chance of own and opponent's state
    win: tuple[Floats, ...]  # [rounds] of [S_r, S_r] joint chance and own state winning the showdown

    @cached_property
    def ancestors(self) -> tuple[Ints, ...]:
        """[rounds] of [r + 2, S_r]: the state of round k - 1 that each state of round r comes from."""
        return trace_ancestors(self.parent)


def compile_factored(game: PokerGame, max_deals: int = MAX_DEALS, bets: Bets | None = None) -> SequenceGame:
    """A two-player poker game as betting tree times private states, in float64.

    A private state of round r is what a seat knows of the cards then. All deals are enumerated, so this is
    for small decks: a game with more than ``max_deals`` deals is refused.
    """
    states = enumerate_states(game, max_deals)
    lookup = CardLookup(game, states.names) if fits_card_by_card(game) else None
    name = game.name if bets is None else f"{game.name}:bets={bets}"
    return factored_game(game, states, name, lookup, bets)


def factored_game(
    game: PokerGame,
    states: PrivateStates,
    name: str | None = None,
    lookup: Lookup | None = None,
    bets: Bets | None = None,
) -> SequenceGame:
    """The betting tree of a two-player poker game times the private states given, in their precision.

    Every betting node is one block of the treeplex of the seat that acts there, laid out as
    `soulread.seqform.betting` says. The game is called ``name`` if one is given. ``lookup`` finds the states
    of real cards, and ``bets`` is the menu of raises.
    """
    betting = betting_tree(game, bets)
    rounds = len(game.rules.board_cards)
    if len(states.names) != rounds:
        raise SoulreadError(
            f"{game.name!r} has {rounds} rounds, but there are states for {len(states.names)}"
        )
    tree = betting.arrays
    layout = betting.layout([len(names) for names in states.names])
    ancestors = states.ancestors
    trees = []
    for seat in (0, 1):
        nodes = betting.decisions(seat).tolist()
        before = zip(layout.last_sequence[seat, nodes], layout.last_round[seat, nodes], strict=True)
        trees.append(
            make_treeplex(
                seat,
                [
                    (betting.actions[node], sequence + ancestors[tree.round[node]][level + 1])
                    for node, (sequence, level) in zip(nodes, before, strict=True)
                ],
                ProductLabels(
                    tuple(betting.betting[node] for node in nodes),
                    tuple(tree.round[nodes].tolist()),
                    states.names,
                ),
            )
        )
    ends = np.flatnonzero(tree.player == TERMINAL)
    showdown = tree.showdown[ends]
    payoff = FactoredPayoff(
        num_sequences=layout.num_sequences,
        reach=states.reach,
        win=states.win,
        parent_state=states.parent,
        leaves=Leaves(
            round=np.where(showdown, rounds - 1, tree.round[ends]).astype(np.int8),
            showdown=showdown,
            sequence=np.ascontiguousarray(layout.last_sequence[:, ends]),
            sequence_round=np.ascontiguousarray(layout.last_round[:, ends]),
            chips=np.ascontiguousarray(tree.chips[ends].T, dtype=np.float64),
        ),
    )
    return SequenceGame(name or game.name, (trees[0], trees[1]), payoff, poker=game, lookup=lookup, bets=bets)


def enumerate_states(game: PokerGame, max_deals: int = MAX_DEALS) -> PrivateStates:
    """The private states of a two-player poker game with few cards, by enumerating its deals."""
    if game.num_players != 2:
        raise SoulreadError(f"{game.name!r} has {game.num_players} players; private states are for 2")
    rules = game.rules
    rounds = len(rules.board_cards)
    groups = [rules.hole_cards, rules.hole_cards, *(count for count in rules.board_cards if count)]
    left = len(rules.deck)
    deals = 1
    for count in groups:
        deals *= math.comb(left, count)
        left -= count
    if deals > max_deals:
        raise SoulreadError(f"{game.name!r} has {deals:,} deals; at most {max_deals:,} can be enumerated")

    index: list[dict[str, int]] = [{} for _ in range(rounds)]
    parent: list[dict[int, int]] = [{} for _ in range(rounds)]
    pairs: list[tuple[tuple[tuple[int, int], ...], int]] = []  # (both states in each round, who wins)
    for cards in _deals(rules.deck, groups):
        both: list[tuple[int, int]] = []
        for name0, name1 in _card_names(game, cards):
            r = len(both)
            both.append(
                (index[r].setdefault(name0, len(index[r])), index[r].setdefault(name1, len(index[r])))
            )
        for r in range(rounds):
            for seat in (0, 1):
                before = both[r - 1][seat] if r else 0
                if parent[r].setdefault(both[r][seat], before) != before:
                    name = list(index[r])[both[r][seat]]
                    raise SoulreadError(
                        f"{game.name!r} has imperfect recall: the cards {name!r} follow two different "
                        "private states of the round before"
                    )
        holes = (cards[: rules.hole_cards], cards[rules.hole_cards : 2 * rules.hole_cards])
        board = cards[2 * rules.hole_cards :]
        strength = [rules.showdown(hole, board) for hole in holes]
        pairs.append((tuple(both), (strength[0] > strength[1]) - (strength[0] < strength[1])))

    reach: list[NDArray[np.float64]] = []
    win: list[NDArray[np.float64]] = []
    for r in range(rounds):
        size = len(index[r])
        states = np.array([both[r] for both, _ in pairs])
        won = np.array([winner > 0 for _, winner in pairs])
        flat = states[:, 0] * size + states[:, 1]
        for target, chosen in ((reach, flat), (win, flat[won])):
            counts = np.bincount(chosen, minlength=size * size).reshape(size, size)
            target.append(counts / len(pairs))
    return PrivateStates(
        names=tuple(tuple(names) for names in index),
        parent=tuple(
            np.array([parent[r][state] for state in range(len(index[r]))], dtype=np.int32)
            for r in range(rounds)
        ),
        reach=tuple(reach),
        win=tuple(win),
    )


def _deals(deck: tuple[int, ...], groups: list[int]) -> Iterator[tuple[int, ...]]:
    """Every way to deal groups of cards, all equally likely. The order within a group does not count."""
    if not groups:
        yield ()
        return
    for chosen in itertools.combinations(deck, groups[0]):
        rest = tuple(card for card in deck if card not in chosen)
        for others in _deals(rest, groups[1:]):
            yield chosen + others


def _card_names(game: PokerGame, cards: tuple[int, ...]) -> Iterator[tuple[str, str]]:
    """The cards that each seat knows in each round: the label without its betting part."""
    state = game.start()
    dealt = 0
    r = -1
    while state.player != TERMINAL:
        if state.player == CHANCE:
            state = state.apply(cards[dealt])
            dealt += 1
            continue
        if state.round > r:
            r = state.round
            yield (state.information(0).rpartition("|")[0], state.information(1).rpartition("|")[0])
        state = state.apply(CALL)
