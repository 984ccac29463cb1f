"""Learners: players who answer their beliefs about an opponent, hand by hand.

A `Learner` gives its strategy before a hand, and afterwards learns from what its seat saw of it. Learners
work on the tables of a small game, without cards. `soulread.play.match.card_tables` plays them there at full
speed, and `soulread.play.exploiters.learners` seats them at a table with cards. `ModelLearner` answers a
`BeliefModel`, in one of these ways:

    mean        answers the posterior mean plan: the Bayesian best response
    map         answers the likeliest strategy
    sample      answers one of the model's weighted strategies, drawn before every hand (importance sampling)
    thompson    answers a strategy drawn from the posterior; the same as "sample" for a portfolio

`BanditLearner` looks at the profits alone. Exp3 chooses among the responses to a portfolio. Exp4 does so too,
but credits every response by its probability of the actions that were played (Auer et al., FOCS 1995).
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.hands.hand import Hand
from soulread.kernel import kernel
from soulread.model.bayes.beliefs import BeliefModel
from soulread.model.bayes.evidence import Evidence
from soulread.model.bayes.explicit import ExplicitModel
from soulread.model.bayes.portfolio import PortfolioModel
from soulread.seqform.compile import SequenceGame
from soulread.seqform.payoff import SparseRows, sparse_gradient
from soulread.seqform.strategy import (
    Behaviour,
    Behaviours,
    Plan,
    draw_index,
    in_precision,
    plan_from_behaviour,
)
from soulread.seqform.treeplex import Floats, Ints, TreeArrays
from soulread.solvers.best_response import add_values, best_values, fill_response

ACTS = "mean", "map", "sample", "thompson"
BANDITS = "exp3", "exp4"


class SeenHand(NamedTuple):
    """One finished hand as a learner saw it; betting nodes and private states are those of the table.

    Nothing here depends on cards that the learner did not see.
    """

    seat: int  # the learner's seat
    node: int  # node of the betting tree at which the hand ended
    sequences: tuple[int, int]  # last of the learner; last of the opponent, or -1 if its cards stayed hidden
    profit: float  # chips won by the learner
    evidence: Evidence  # about the opponent
    hand: Hand | None = None  # the record of it, for learners that need one


class Learner(Protocol):
    """A player of a small two-player game, in either seat."""

    def reset(self) -> None:
        """Forget the opponent."""

    def respond(self, seat: int, rng: np.random.Generator) -> Behaviour:
        """The behaviour ``[num_sequences]`` to play in ``seat`` in the next hand; do not change the array."""

    def learn(self, seen: SeenHand) -> None:
        """Learn from a finished hand."""


class Responder:
    """Computes best responses of either seat of a small game, in tens of microseconds.

    Where every action is worth exactly zero, the response plays ``default``. Ties go to the lowest action.
    """

    def __init__(self, game: SequenceGame, default: Behaviours) -> None:
        self.game = game
        self.default = tuple(in_precision(behaviour, np.float64) for behaviour in default)
        self._rows = tuple(_sparse_rows(game, seat) for seat in (0, 1))
        self._choice = tuple(np.empty(tree.num_sets, dtype=np.int32) for tree in game.trees)
        self._q = tuple(np.empty(tree.num_sequences) for tree in game.trees)

    def respond(self, seat: int, opponent_plan: Plan) -> Behaviour:
        """The behaviour of ``seat`` that is best at every set against the plan of the other seat."""
        tree = self.game.trees[seat]
        behaviour = np.empty(tree.num_sequences)
        fill_best_response(
            tree.arrays,
            self._rows[seat],
            opponent_plan,
            self.default[seat],
            self._choice[seat],
            self._q[seat],
            behaviour,
        )
        return Behaviour(behaviour)

    def value(self, seat: int, behaviour: Behaviour, opponent_plan: Plan) -> float:
        """Chips per hand that ``seat`` wins with ``behaviour`` against a plan of the other seat."""
        return float(
            behaviour_value(
                self.game.trees[seat].arrays, self._rows[seat], behaviour, opponent_plan, self._q[seat]
            )
        )

    def best_value(self, seat: int, opponent_plan: Plan) -> float:
        """Chips per hand that the best response wins."""
        self.respond(seat, opponent_plan)
        return float(self._q[seat][0])


def _sparse_rows(game: SequenceGame, seat: int) -> SparseRows:
    matrix = game.payoff.matrix(seat)
    return SparseRows(
        matrix.indptr.astype(np.int32), matrix.indices.astype(np.int32), matrix.data.astype(np.float64)
    )


@kernel
def fill_best_response(
    tree: TreeArrays,
    rows: SparseRows,
    plan: Floats,
    default: Floats,
    choice: Ints,
    q: Floats,
    behaviour: Floats,
) -> None:
    """Compute the gradient, the values from the last sets to the first, and the best action of each set."""
    sparse_gradient(rows, plan, q)
    best_values(tree, q, choice)
    fill_response(tree, q, choice, default, behaviour)


@kernel
def behaviour_value(tree: TreeArrays, rows: SparseRows, behaviour: Floats, plan: Floats, q: Floats) -> float:
    """Expected chips of a behaviour against the other seat's plan."""
    sparse_gradient(rows, plan, q)
    add_values(tree, behaviour, q)
    value: float = q[0]
    return value


class ModelLearner:
    """Plays best responses to a model of the opponent; ``act``, one of `ACTS`, says to which strategy."""

    def __init__(self, model: BeliefModel, responder: Responder, act: str = "mean") -> None:
        if act not in ACTS:
            raise SoulreadError(f"act={act!r}; expected one of {', '.join(ACTS)}")
        self.model = model
        self.responder = responder
        self.act = act
        self._responses: dict[tuple[int, int], Behaviour] = {}  # to members of a portfolio
        self.model.reset()

    def reset(self) -> None:
        """Forget the opponent."""
        self.model.reset()

    def learn(self, seen: SeenHand) -> None:
        """Update the model's beliefs."""
        self.model.learn(seen.evidence)

    def answer_mean(self, seat: int) -> Behaviour:
        """The best response to the model's mean plan."""
        return self.responder.respond(seat, self.model.plan(1 - seat))

    def respond(self, seat: int, rng: np.random.Generator) -> Behaviour:
        """The best response to a strategy of the model."""
        model, opponent = self.model, 1 - seat
        if self.act == "mean":
            return self.answer_mean(seat)
        if isinstance(model, PortfolioModel):
            member = model.likeliest_member() if self.act == "map" else model.sample_member(rng)
            if (seat, member) not in self._responses:
                self._responses[seat, member] = self.responder.respond(
                    seat, model.member_plan(opponent, member)
                )
            return self._responses[seat, member]
        if self.act == "map":
            plan = model.likeliest(opponent)
        elif self.act == "thompson" and isinstance(model, ExplicitModel):
            plan = model.thompson(opponent, rng)
        else:
            plan = model.sample(opponent, rng)
        return self.responder.respond(seat, plan)


class BanditLearner:
    """Exp3 or Exp4 over the best responses to the members of a portfolio.

    Profits are scaled from ``[-largest, largest]`` to [0, 1]. Exp3 plays one response a hand and credits that
    one alone. Exp4 credits every response with the profit, times the probability that the response plays the
    learner's actions, divided by the probability that the mixture does.
    """

    def __init__(
        self,
        game: SequenceGame,
        members: Sequence[Behaviours],
        responder: Responder,
        kind: str = "exp4",
        rate: float = 0.05,
        explore: float = 0.05,
        largest: float = 13.0,
    ) -> None:
        if kind not in BANDITS:
            raise SoulreadError(f"act={kind!r}; expected one of {', '.join(BANDITS)}")
        self.game = game
        self.kind = kind
        self.rate = rate
        self.explore = explore
        self.largest = largest
        behaviours: list[NDArray[np.float64]] = []
        for seat in (0, 1):
            rows = [
                responder.respond(
                    seat,
                    plan_from_behaviour(game.trees[1 - seat], in_precision(member[1 - seat], float)),
                )
                for member in members
            ]
            behaviours.append(np.array(rows))
        self.responses = behaviours
        self.plans = [
            np.array([plan_from_behaviour(tree, Behaviour(row)) for row in rows])
            for tree, rows in zip(game.trees, behaviours, strict=True)
        ]
        self.reset()

    def reset(self) -> None:
        """Go back to equal trust in all responses."""
        self._gains = np.zeros(len(self.responses[0]))
        self._chosen = 0

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """Probability that each response is played next."""
        weights = np.exp(self.rate * (self._gains - self._gains.max()))
        result: NDArray[np.float64] = (
            1 - self.explore
        ) * weights / weights.sum() + self.explore / weights.size
        return result

    def respond(self, seat: int, rng: np.random.Generator) -> Behaviour:
        """One of the responses; takes one double of ``rng``."""
        self._chosen = draw_index(self.probabilities, rng.random())
        return Behaviour(self.responses[seat][self._chosen])

    def learn(self, seen: SeenHand) -> None:
        """Credit the responses with the profit."""
        gain = (seen.profit + self.largest) / (2 * self.largest)
        chances = self.probabilities
        if self.kind == "exp3":
            self._gains[self._chosen] += gain / chances[self._chosen]
            return
        took = self.plans[seen.seat][:, seen.sequences[0]]
        mixture = float(np.dot(chances, took))
        if mixture > 0:
            self._gains += gain * took / mixture
