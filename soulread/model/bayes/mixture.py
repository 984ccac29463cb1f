"""One model out of several: each is believed as far as it has *predicted* what the opponent then did.

Before every hand each member has said how the opponent plays. The public actions and shown cards of the hand
had some probability under each member. The weight of a member is its prior weight times the product of these
probabilities, which is Bayes' rule. So the average is the equilibrium until something predicts better, and a
member that fits the past but does not predict the future never counts.

The average is one of *plans*,

    plan = sum over members of  weight x plan of the member

because expected payoffs are linear in plans (`soulread.model.bayes.beliefs`).

Opponents change. Before each hand a share ``drift`` of all weight is dealt out anew by the prior weights, so
a member that was wrong for long can come back soon. A *detector* (Page's cumulative sum) compares what the
*fresh* members gave to each hand with what the *lasting* ones gave. These do not forget, and are averaged
without drift. Fresh are members that forget, and equilibria as they were believed in before the first hand:

    c  <-  max(0, c + log(fresh) - log(lasting))

Against an opponent whom the lasting ones describe, fresh / lasting is 1 in the mean, so c exceeds log(n / a)
within n hands with a probability of about a at most. Once c is above that, with a = `FALSE_ALARM`, the
opponent has changed, most likely when c was last 0. All members then forget the hands before that, the
weights start anew, and the members are asked at once.

Members learn from every hand. Beliefs that follow every hand (`BeliefModel`) are judged by what they believe
before it. The others are asked for their strategies after every ``every`` hands, later when a tenth more
hands have come, and what they said then is what they are judged by until they are asked again. A member of
hardly any weight is not asked again until its weight has grown.

`possible` is the whole posterior: all strategies that members hold possible, each with its weight times the
member's. Members differ in how far they can be relied on: a form of a few numbers, fitted to few hands,
misleads where nothing was seen, and an answer goes where it misleads most. So each member has a *doubt*: the
probability that the opponent does anything else than the member says. `average_of` says which members there
are.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from soulread.hands.hand import Hand
from soulread.machine import one_thread_each
from soulread.model.base import subject
from soulread.model.bayes.beliefs import BeliefModel
from soulread.model.bayes.evidence import Evidence, EvidenceReader, likelihood
from soulread.model.bayes.habits import THUMB, THUMB_SPREAD, Centre, HabitModel, HabitSpread
from soulread.model.bayes.portfolio import PortfolioModel
from soulread.model.bayes.tilts import TiltModel, woven
from soulread.model.bayes.turns import TurnModel
from soulread.model.tabular import Possible, TabularModel
from soulread.model.weights_by_prediction import Weighing
from soulread.options import Bounds
from soulread.seqform.compile import SequenceGame
from soulread.seqform.source import Tell
from soulread.seqform.strategy import (
    Behaviour,
    Behaviours,
    Plan,
    Plans,
    behaviour_from_plan,
    in_precision,
    plan_from_behaviour,
)
from soulread.solvers.other_equilibria import equilibria_of_abstractions, many_equilibria

FALSE_ALARM = 0.02  # probability that somebody who stays the same is said to have changed, about
EVERY = 25  # hands between two times that members are asked, at first
GROWTH = 1.1  # later: hands seen when members are asked, over those at the time before
_SMALLEST = 1e-12  # probability of a hand below which a member is not punished further
_NEGLIGIBLE = 1e-4  # weight below which a member is not asked
_MOST_DOUBT = 0.5  # of a member
_SETTLED = 50  # hands after a start, before which no change is looked for
_PATIENCE = 100  # hands before any member may be passed over


@dataclass(frozen=True, eq=False)
class Named:
    """A member with its name and its weight before any hand was seen.

    After n hands, of which it remembers m, its doubt is ``doubt`` / sqrt(m), but not below ``least_doubt``.
    By ``fresh`` ones, as they are if they forget and else as they began, changes are noticed.
    """

    name: str
    model: TabularModel
    prior: float
    doubt: float = 0.0
    least_doubt: float = 0.0
    memory: float = math.inf  # hands
    fresh: bool = False

    def misleads(self, hands: int) -> float:
        """The probability that the opponent does anything else than the member says."""
        doubt = self.doubt / math.sqrt(max(1.0, min(hands, self.memory)))
        return min(_MOST_DOUBT, max(self.least_doubt, doubt))


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
        self._all = range(len(members))
        self._fresh = [i for i in self._all if members[i].fresh]
        priors = np.array([member.prior for member in members], np.float64)
        self._weighing = Weighing(priors / priors.sum(), drift)
        self._lasts = np.array([math.isinf(member.memory) for member in members])
        self._lasting = Weighing(priors[self._lasts] / priors[self._lasts].sum())
        self.every = every
        self.reader = EvidenceReader(game)
        self.reset()

    def reset(self) -> None:
        """Forget the opponent."""
        self.num_hands = 0
        self.since = 0  # hands before the last change
        self._start_sum()
        self._weighing.reset()
        self._lasting.reset()
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
        if self._sum > 0:
            self._recent.append((hand, player, evidence))
        for member in self.members:
            member.model.update_read(hand, player, evidence)
        self.num_hands += 1
        self._answer = [None, None]
        if self._sum > math.log((self.num_hands - self.since) / FALSE_ALARM):
            self._start_anew()
        elif self.num_hands >= self.next_asked:
            self._ask()
        return self

    def _start_sum(self) -> None:
        self._sum = 0.0
        self._recent: list[tuple[Hand, str | None, Evidence]] = []  # hands since the sum was 0

    def _start_anew(self) -> None:
        """Forget the hands before the change."""
        self.since = self.num_hands - len(self._recent)
        self._weighing.reset()
        self._lasting.reset()
        for member in self.members:
            member.model.reset()
            for hand, player, evidence in self._recent:
                member.model.update_read(hand, player, evidence)
        self._start_sum()
        self._ask(every=True)

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
        return self.asked + max(self.every, int((GROWTH - 1) * (self.asked - self.since)))

    def _judge(self, evidence: Evidence) -> None:
        chances = np.array([max(self._chance(i, evidence), _SMALLEST) for i in self._all])
        self.own_log_loss -= math.log(self._weighing.judge(chances))
        self.log_loss -= np.log(chances)
        lasting = self._lasting.judge(chances[self._lasts])
        if self._fresh and self.num_hands - self.since >= _SETTLED:
            fresh = [
                likelihood(evidence, self._first[i].plans[evidence.player]) if self._lasts[i] else chances[i]
                for i in self._fresh
            ]
            self._sum += math.log(max(float(np.mean(fresh)), _SMALLEST)) - math.log(lasting)
            if self._sum <= 0:
                self._start_sum()

    def _chance(self, i: int, evidence: Evidence) -> float:
        """The probability that a member gives to what was seen of a hand."""
        model = self.members[i].model
        if isinstance(model, BeliefModel):
            return model.predictive(evidence)
        return likelihood(evidence, self._said[i].plans[evidence.player])

    def _plan(self, i: int, seat: int) -> Plan:
        """The plan that a member believes in: now, if it follows every hand, or when it was last asked."""
        model = self.members[i].model
        return model.plan(seat) if isinstance(model, BeliefModel) else self._said[i].plans[seat]

    def possible(self) -> Possible:
        """The strategies that members of some weight hold possible; each member is doubted for itself."""
        parts = []
        for i, (member, weight) in enumerate(zip(self.members, self.weights.tolist(), strict=True)):
            if weight >= _NEGLIGIBLE:
                live = isinstance(member.model, BeliefModel)
                said = member.model.possible() if live else self._said[i].possible
                parts.append((weight * (1 - member.misleads(self.num_hands - self.since)), said))
        return Possible.joined(parts)

    def strategy(self, seat: int) -> Behaviour:
        """The behaviour of the averaged plan."""
        answer = self._answer[seat]
        if answer is None:
            answer = self._answer[seat] = self._mixed(seat)
        return answer

    def _ask(self, every: bool = False) -> None:
        """Ask all members that count, or ``every`` one, how the opponent plays."""
        with one_thread_each():
            for i, member in enumerate(self.members):
                early = every or self.num_hands - self.since < _PATIENCE
                counts = early or member.fresh or self.weights[i] >= _NEGLIGIBLE
                if counts and not isinstance(member.model, BeliefModel):
                    self._said[i] = _Said.of(self.game, member.model)
        self.asked = self.num_hands

    def _mixed(self, seat: int) -> Behaviour:
        counting = [i for i in self._all if self.weights[i] >= _NEGLIGIBLE]
        if len(counting) == 1 and not isinstance(self.members[counting[0]].model, BeliefModel):
            return self._said[counting[0]].behaviours[seat]
        total = np.zeros_like(self._said[0].plans[seat])
        for i in counting:
            total += total.dtype.type(self.weights[i]) * self._plan(i, seat)
        total /= total[0]
        return behaviour_from_plan(self.game.trees[seat], Plan(total))


class _Said(NamedTuple):
    """The last answer of a member: how the opponent plays in both seats."""

    behaviours: Behaviours
    plans: Plans

    @property
    def possible(self) -> Possible:
        """The answer as the only strategy that is possible."""
        return Possible(np.ones(1), ((self.plans[0][None], self.plans[1][None]),))

    @classmethod
    def of(cls, game: SequenceGame, model: TabularModel) -> "_Said":
        first, second = (in_precision(model.strategy(seat), game.payoff.dtype) for seat in (0, 1))
        plans = plan_from_behaviour(game.trees[0], first), plan_from_behaviour(game.trees[1], second)
        return cls((first, second), plans)


RECENT = 0.98  # what a hand's weight is multiplied by with each new hand, in members that forget
DRIFT = 1e-4
SHAPE = 40.0  # of tilts: mild ones
_LARGEST_WOVEN = 5_000  # sequences of a seat, up to which a game has beliefs in woven equilibria

PRIORS = {
    "equilibria": 0.45,
    "tilts": 0.4,
    "turns": 0.1,
    "mild": 0.1,
    "habits": 0.03,
    "thumb": 0.1,
    "recent": 0.02,
}
"""Weights of the members before any hand was seen."""

OWN = 0.5  # of the weight of all equilibria of card abstractions: our own
TILTS_DOUBT = 0.05  # of tilts, times the root of the hands seen; equilibria are not doubted


@dataclass(frozen=True)
class HabitSettings:
    """A member that is a `HabitModel`.

    The doubt is times the root of the hands seen for each kind of situation: a game of more kinds takes
    longer.
    """

    spread: HabitSpread
    smooth: float
    doubt: float
    least_doubt: float = 0.1  # no player is wholly described by habits
    forget: float = 1.0
    centre: Centre | None = None


HABITS = {
    "mild": HabitSettings(HabitSpread().scaled(0.3), 0.005, 0.21),
    "habits": HabitSettings(HabitSpread(), 0.02, 0.3),
    "thumb": HabitSettings(HabitSpread(*THUMB_SPREAD), 0.02, 0.015, 0.03, centre=THUMB),
    "recent": HabitSettings(HabitSpread().scaled(0.5), 0.02, 0.3, forget=RECENT),
}

TURNS_DOUBT, TURNS_LEAST_DOUBT = 0.3, 0.03


def average_of(
    game: SequenceGame,
    equilibrium: Behaviours,
    drift: float = DRIFT,
    every: int = EVERY,
    tell: Tell | None = None,
) -> AveragedModel:
    """The average of all that predicts.

    * *equilibria*: which of many plays the opponent? In small games it may be a mixture of them
      (`tilts.woven`); in a card abstraction one of several abstractions.
    * *tilts*: the same, bent alike in all places of a kind (`soulread.model.bayes.tilts`); in small games.
    * *turns*: one of the equilibria, with some of its actions turned into others
      (`soulread.model.bayes.turns`).
    * *mild*, *habits* and *recent*, which forgets: one of them, bent in every kind of situation, a little or
      much (`soulread.model.bayes.habits`).
    * *thumb*: habits of somebody who goes by rules of thumb and hardly knows the equilibrium.
    """
    small = not game.abstract and max(tree.num_sequences for tree in game.trees) <= _LARGEST_WOVEN
    found: list[Named] = []
    bases = [equilibrium]
    first: TabularModel = Fixed(game, equilibrium)
    if small:
        bases = many_equilibria(game, equilibrium)
        first = woven(game, bases)
        tilts = TiltModel(game, bases[0], others=bases[1:], shape=SHAPE)
        found.append(Named("tilts", tilts, PRIORS["tilts"], doubt=TILTS_DOUBT))
    elif game.abstract:
        bases = equilibria_of_abstractions(game, equilibrium, tell)
        others = len(bases) - 1
        first = PortfolioModel(game, bases, np.array([OWN, *[(1 - OWN) / others] * others]), slip=0.0)
    found.insert(0, Named("equilibria", first, PRIORS["equilibria"], fresh=True))
    turns = TurnModel(game, bases[0], others=bases[1:])
    doubt = TURNS_DOUBT * math.sqrt(turns.num_kinds)
    found.append(Named("turns", turns, PRIORS["turns"], doubt, TURNS_LEAST_DOUBT))
    for name, habit in HABITS.items():
        model = HabitModel(
            game, bases[0], habit.spread, habit.smooth, habit.forget, others=bases[1:], centre=habit.centre
        )
        doubt = habit.doubt * math.sqrt(model.num_kinds)
        memory = math.inf if habit.forget == 1 else 1 / (1 - habit.forget)
        found.append(
            Named(name, model, PRIORS[name], doubt, habit.least_doubt, memory, fresh=habit.forget < 1)
        )
    return AveragedModel(game, found, drift, every)
