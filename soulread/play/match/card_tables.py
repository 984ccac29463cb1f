"""Learners at a table without cards: hands of a small poker game, dealt and played from tables.

A `DealTable` lists every deal of a game with few cards once. A hand is then one draw for the deal, one for
each decision, and a walk over the betting tree. `play_learner` plays a learner against an opponent whose
strategy is known. For each hand it notes the exact expected value of the learner's strategy, so the luck of
the cards adds no noise to the result.

A learner is told what its seat saw of a hand, and no more. Some published learners are defined for tables at
which every hand ends with all cards face up; ``face_up`` plays such hands.

Agents that say what they play, such as dbbr, dbr and rwywe, sit at the same tables as `AgentLearner`. They
get each hand as a record, and tell their strategy before the next one.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.games.base import CHANCE
from soulread.hands.hand import Hand
from soulread.hands.record import seen_by
from soulread.kernel import kernel
from soulread.model.bayes.evidence import Evidence, EvidenceReader
from soulread.play.agent import Agent
from soulread.play.tabular import Disclosing
from soulread.respond.learning import Learner, Responder, SeenHand
from soulread.seqform.betting import BettingArrays
from soulread.seqform.compile import SequenceGame, betting_of, lookup_of, poker_of
from soulread.seqform.strategy import (
    Behaviour,
    Behaviours,
    Plan,
    draw_action,
    in_precision,
    plan_from_behaviour,
)
from soulread.seqform.treeplex import Floats, Ints

_MAX_DEALS = 100_000


class DealTable:
    """Every deal of a two-player poker game with few cards, and the evidence each seat has at its end."""

    def __init__(self, game: SequenceGame) -> None:
        poker, lookup = poker_of(game), lookup_of(game)
        rules = poker.rules
        self.game = game
        self.betting = betting_of(game)
        self.reader = EvidenceReader(game)
        count = poker.num_cards
        deals = list(itertools.islice(itertools.permutations(rules.deck, count), _MAX_DEALS + 1))
        if len(deals) > _MAX_DEALS:
            raise SoulreadError(f"{poker.name!r} has more than {_MAX_DEALS:,} deals")
        self.deals = np.array(deals, dtype=np.uint8)
        own = rules.hole_cards
        self._holes = [(tuple(deal[:own]), tuple(deal[own : 2 * own])) for deal in deals]
        self._boards = [tuple(deal[2 * own :]) for deal in deals]
        self.states = np.zeros((len(deals), 2, len(rules.board_cards)), dtype=np.int32)
        lookup.fill(self.deals, np.full(len(deals), 2, dtype=np.int8), self.states)
        strength = [
            [rules.showdown(hole, board) for hole in holes]
            for holes, board in zip(self._holes, self._boards, strict=True)
        ]
        self.winner = np.array([(a > b) - (a < b) for a, b in strength], dtype=np.int8)
        self.width = np.array(lookup.num_states, dtype=np.int32)[self.betting.arrays.round]
        self.first_sequence = self.betting.layout(lookup.num_states).first_sequence
        self._actions = _paths(self.betting.arrays, self.betting.actions)
        self._seen_board = [
            sum(rules.board_cards[: int(r) + 1]) if not shown else sum(rules.board_cards)
            for r, shown in zip(self.betting.arrays.round, self.betting.arrays.showdown, strict=True)
        ]
        self._evidence: dict[tuple[int, int, int, bool], Evidence] = {}
        self._records: dict[tuple[int, int, int], Hand] = {}
        self._draws = np.empty(1 + sum(self.betting.max_decisions))

    def play(
        self,
        seat: int,
        hero: Behaviour,
        villain: Behaviour,
        rng: np.random.Generator,
        face_up: bool = False,
        record: bool = False,
    ) -> SeenHand:
        """One hand with the learner in ``seat``; takes a fixed number of doubles of ``rng``.

        The opponent's cards are shown at a showdown, and with ``face_up`` after a fold too. With ``record``
        the hand also comes as a `Hand`, which takes longer.
        """
        rng.random(out=self._draws)
        deal = min(int(self._draws[0] * self.winner.size), self.winner.size - 1)
        first, second = (hero, villain) if seat == 0 else (villain, hero)
        node, last0, last1 = walk_betting(
            self.betting.arrays,
            self.first_sequence,
            self.width,
            self.states[deal],
            first,
            second,
            self._draws[1:],
        )
        arrays = self.betting.arrays
        won = float(arrays.chips[node, 0])
        if arrays.showdown[node]:
            won *= float(self.winner[deal])
        own, other = (last0, last1) if seat == 0 else (last1, last0)
        return SeenHand(
            seat=seat,
            node=node,
            sequences=(own, other if face_up or arrays.showdown[node] else -1),
            profit=won if seat == 0 else -won,
            evidence=self.evidence(1 - seat, deal, node, face_up),
            hand=self.record(seat, deal, node) if record else None,
        )

    def record(self, seat: int, deal: int, node: int) -> Hand:
        """The record of a deal that ended at a node, as ``seat`` saw it; players are "own" and "opponent"."""
        key = seat, deal, node
        if key not in self._records:
            cards = iter(self.deals[deal].tolist())
            state = poker_of(self.game).start()
            for action in (*(action for _, action in self._actions[node]), None):
                while state.player == CHANCE:
                    state = state.apply(next(cards))
                if action is not None:
                    state = state.apply(action)
            names = ("own", "opponent") if seat == 0 else ("opponent", "own")
            self._records[key] = seen_by(state, seat, names)
        return self._records[key]

    def evidence(self, player: int, deal: int, node: int, face_up: bool = False) -> Evidence:
        """The evidence about ``player`` for the other seat, when a deal ends at a node."""
        key = player, deal, node, face_up
        if key not in self._evidence:
            holes = list(self._holes[deal])
            board = self._boards[deal][: self._seen_board[node]]
            hole = [holes[0], holes[1]]
            shown = face_up or bool(self.betting.arrays.showdown[node])
            seen = tuple(cards if shown or who != player else None for who, cards in enumerate(hole))
            self._evidence[key] = self.reader.of(player, seen, board, self._actions[node])
        return self._evidence[key]


def _paths(tree: BettingArrays, actions: tuple[tuple[int, ...], ...]) -> list[tuple[tuple[int, int], ...]]:
    """The actions, as (seat, action), that lead to each node."""
    paths: list[tuple[tuple[int, int], ...]] = [()] * len(actions)
    for node, legal in enumerate(actions):
        for position, action in enumerate(legal):
            paths[int(tree.child[node, position])] = (*paths[node], (int(tree.player[node]), action))
    return paths


@kernel
def walk_betting(
    tree: BettingArrays,
    first_sequence: Ints,
    width: Ints,
    states: Ints,
    first: Floats,
    second: Floats,
    draws: NDArray[np.float64],
) -> tuple[int, int, int]:
    """The end of one hand, and the last sequences of both seats."""
    node, last0, last1, used = 0, 0, 0, 0
    while tree.num_actions[node] > 0:
        seat = tree.player[node]
        start = first_sequence[node] + states[seat, tree.round[node]]
        behaviour = first if seat == 0 else second
        position = draw_action(behaviour, start, width[node], tree.num_actions[node], draws[used])
        used += 1
        if seat == 0:
            last0 = start + position * width[node]
        else:
            last1 = start + position * width[node]
        node = tree.child[node, position]
    return node, last0, last1


class AgentLearner:
    """An agent that says what it plays, as a learner at a table without cards.

    It learns from records of the hands (`DealTable.play` with ``record``). Its strategy must be over the
    private states of the table: make it for the game of the table, such as "leduc:iso".
    """

    def __init__(self, agent: Agent, game: SequenceGame) -> None:
        if not isinstance(agent, Disclosing):
            raise SoulreadError(f"{agent.name!r} does not say which strategy it plays; it cannot be valued")
        self.agent = agent
        self.game = game
        self._disclosing: Disclosing = agent
        self.reset()

    def reset(self) -> None:
        """Forget the opponent."""
        self.agent.reset()

    def respond(self, seat: int, rng: np.random.Generator) -> Behaviour:
        """The behaviour of the agent in ``seat`` in the next hand; takes nothing from ``rng``."""
        behaviour = self._disclosing.played(seat).behaviours[seat]
        if behaviour.size != self.game.trees[seat].num_sequences:
            raise SoulreadError(
                f"{self.agent.name!r} plays over other private states than those of {self.game.name!r}"
            )
        return in_precision(behaviour, np.float64)

    def learn(self, seen: SeenHand) -> None:
        """Tell the agent of a finished hand."""
        if seen.hand is None:
            raise SoulreadError(f"{self.agent.name!r} learns from records; play hands with record=True")
        self.agent.observe(seen.hand)


@dataclass(frozen=True, eq=False)
class LearnerRun:
    """One match of a learner, chips per hand. Seats alternate, the learner begins in seat 0."""

    profits: NDArray[np.float64]  # [hands] chips won
    values: NDArray[np.float64]  # [hands] expected value of its strategy before the cards were dealt
    best: NDArray[np.float64]  # [hands] expected value of a best response to the opponent


def play_learner(
    table: DealTable,
    learner: Learner,
    villain: Behaviours | Callable[[int], Behaviours],
    hands: int,
    cards: np.random.Generator,
    own: np.random.Generator,
    responder: Responder,
) -> LearnerRun:
    """Play a match of ``hands`` hands; the learner forgets everything first.

    ``villain`` is a pair of behaviours, or a function from the number of a hand to one. ``cards`` draws the
    deals and all actions, ``own`` is the learner's stream. The value of a hand is that of the learner's seat
    in it, so over an even number of hands both seats count alike.
    """
    learner.reset()
    profits, values, best = np.empty(hands), np.empty(hands), np.empty(hands)
    known: dict[int, tuple[Behaviours, list[Plan], list[float]]] = {}
    for hand in range(hands):
        seat = hand % 2
        played = villain(hand) if callable(villain) else villain
        if id(played) not in known:
            plans = [
                plan_from_behaviour(tree, in_precision(behaviour, np.float64))
                for tree, behaviour in zip(table.game.trees, played, strict=True)
            ]
            bounds = [responder.best_value(who, plans[1 - who]) for who in (0, 1)]
            known[id(played)] = played, plans, bounds
        _, plans, bounds = known[id(played)]
        behaviour = learner.respond(seat, own)
        seen = table.play(seat, behaviour, played[1 - seat], cards, record=isinstance(learner, AgentLearner))
        profits[hand] = seen.profit
        values[hand] = responder.value(seat, behaviour, plans[1 - seat])
        best[hand] = bounds[seat]
        learner.learn(seen)
    return LearnerRun(profits, values, best)
