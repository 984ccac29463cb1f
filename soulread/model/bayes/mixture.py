"""One model out of several: each is believed as far as it has *predicted* what the opponent then did.

Before every hand each member has said how the opponent plays. The public actions and shown cards of the hand
had some probability under each member. The weight of a member is its prior weight times the product of these
probabilities, which is Bayes' rule. So the average is the equilibrium until something predicts better, and a
member that fits the past but does not predict the future never counts.

The average is one of *plans*,

    plan = sum over members of  weight x plan of the member

because expected payoffs are linear in plans (`soulread.model.bayes.beliefs`).

Opponents change. Before each hand a share ``drift`` of all weight is dealt out anew by the prior weights, so
a member that was wrong for long can come back soon.

Members learn from every hand. They are asked for their strategies after every ``every`` hands, later when a
tenth more hands have come, and what they said then is what they are judged by until they are asked again. A
member of hardly any weight is not asked again until its weight has grown.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from soulread.hands.hand import Hand
from soulread.machine import one_thread_each
from soulread.model.base import subject
from soulread.model.bayes.evidence import Evidence, EvidenceReader, likelihood
from soulread.model.bayes.habits import HabitModel
from soulread.model.deviation.model import DeviationModel
from soulread.model.tabular import TabularModel
from soulread.model.weights_by_prediction import Weighing
from soulread.options import Bounds
from soulread.seqform.compile import SequenceGame
from soulread.seqform.strategy import (
    Behaviour,
    Behaviours,
    Plan,
    Plans,
    behaviour_from_plan,
    in_precision,
    plan_from_behaviour,
)

EVERY = 50  # hands between two times that members are asked, at first
GROWTH = 1.1  # later: hands seen when members are asked, over those at the time before
_SMALLEST = 1e-12  # probability of a hand below which a member is not punished further
_NEGLIGIBLE = 1e-4  # weight below which a member is not asked
_PATIENCE = 100  # hands before any member may be passed over


@dataclass(frozen=True, eq=False)
class Named:
    """A member with its name and its weight before any hand was seen."""

    name: str
    model: TabularModel
    prior: float


class Fixed(TabularModel):
    """A model that never changes: the opponent plays the given behaviours."""

    def __init__(self, game: SequenceGame, behaviours: Behaviours) -> None:
        self.game = game
        self._behaviours = behaviours

    def reset(self) -> None:
        """There is nothing to forget."""

    def update(self, hand: Hand, player: str | None = None) -> Self:
        """Learn nothing."""
        return self

    def strategy(self, seat: int) -> Behaviour:
        """The behaviour given."""
        return self._behaviours[seat]


class AveragedModel(TabularModel):
    """The average of ``members`` by how well they predicted; see the top of the module.

    ``weights`` are those of the members now, in their order. ``log_loss`` is the sum over all hands of -log
    of the probability that each member had given to what came, and ``own_log_loss`` that of the average.
    ``asked`` says after how many hands the members were last asked.
    """

    def __init__(
        self, game: SequenceGame, members: Sequence[Named], drift: float = 0.0, every: int = EVERY
    ) -> None:
        Bounds(low=1).verify("every", every)
        self.game = game
        self.members = tuple(members)
        priors = np.array([member.prior for member in members], np.float64)
        self._weighing = Weighing(priors / priors.sum(), drift)
        self.every = every
        self.reader = EvidenceReader(game)
        self.reset()

    def reset(self) -> None:
        """Forget the opponent."""
        self.num_hands = 0
        self._weighing.reset()
        self.log_loss = np.zeros(len(self.members))
        self.own_log_loss = 0.0
        self._answer: list[Behaviour | None] = [None, None]
        for member in self.members:
            member.model.reset()
        if not hasattr(self, "_first"):
            self._first = [_Said.of(self.game, member.model) for member in self.members]
        self._said = list(self._first)
        self.asked = 0

    def update(self, hand: Hand, player: str | None = None) -> Self:
        """Judge the members by one more hand, then let them learn from it."""
        evidence = self.reader.read(hand, subject(hand, player))
        self._judge(evidence)
        for member in self.members:
            member.model.update_read(hand, player, evidence)
        self.num_hands += 1
        self._answer = [None, None]
        if self.num_hands >= self.next_asked:
            self._ask()
        return self

    @property
    def weights(self) -> NDArray[np.float64]:
        """The weights of the members now, in their order."""
        return self._weighing.weights

    @property
    def drift(self) -> float:
        """Share of all weight that is dealt out anew before every hand."""
        return self._weighing.drift

    @property
    def next_asked(self) -> int:
        """After how many hands the members are asked again."""
        return self.asked + max(self.every, int((GROWTH - 1) * self.asked))

    def _judge(self, evidence: Evidence) -> None:
        chances = np.array(
            [max(likelihood(evidence, said.plans[evidence.player]), _SMALLEST) for said in self._said]
        )
        self.own_log_loss -= math.log(self._weighing.judge(chances))
        self.log_loss -= np.log(chances)

    def strategy(self, seat: int) -> Behaviour:
        """The behaviour of the averaged plan."""
        answer = self._answer[seat]
        if answer is None:
            answer = self._answer[seat] = self._mixed(seat)
        return answer

    def _ask(self) -> None:
        """Ask all members that count how the opponent plays."""
        with one_thread_each():
            for i, member in enumerate(self.members):
                if self.num_hands < _PATIENCE or self.weights[i] >= _NEGLIGIBLE:
                    self._said[i] = _Said.of(self.game, member.model)
        self.asked = self.num_hands

    def _mixed(self, seat: int) -> Behaviour:
        counting = [i for i in range(len(self.members)) if self.weights[i] >= _NEGLIGIBLE]
        if len(counting) == 1:
            return self._said[counting[0]].behaviours[seat]
        total = np.zeros_like(self._said[0].plans[seat])
        for i in counting:
            total += total.dtype.type(self.weights[i]) * self._said[i].plans[seat]
        total /= total[0]
        return behaviour_from_plan(self.game.trees[seat], Plan(total))


class _Said(NamedTuple):
    """The last answer of a member: how the opponent plays in both seats."""

    behaviours: Behaviours
    plans: Plans

    @classmethod
    def of(cls, game: SequenceGame, model: TabularModel) -> "_Said":
        first, second = (in_precision(model.strategy(seat), game.payoff.dtype) for seat in (0, 1))
        plans = plan_from_behaviour(game.trees[0], first), plan_from_behaviour(game.trees[1], second)
        return cls((first, second), plans)


RECENT = 0.99  # what a hand's weight is multiplied by with each new hand, in the member that forgets
DRIFT = 1e-4

MEMBERS: dict[str, tuple[float, Callable[[SequenceGame, Behaviours], TabularModel]]] = {
    "equilibrium": (0.5, Fixed),
    "shift": (0.1, DeviationModel),
    "l1": (0.1, lambda game, base: DeviationModel(game, base, method="l1", pooled=True, shown=5.0)),
    "habits": (0.2, HabitModel),
    "recent": (0.1, lambda game, base: HabitModel(game, base, forget=RECENT)),
}
"""The members of `average_of`: prior weight, and how each is made from a game and its equilibrium."""


def average_of(
    game: SequenceGame, equilibrium: Behaviours, drift: float = DRIFT, every: int = EVERY
) -> AveragedModel:
    """The average of all `MEMBERS`."""
    return AveragedModel(
        game,
        [Named(name, make(game, equilibrium), prior) for name, (prior, make) in MEMBERS.items()],
        drift,
        every,
    )
