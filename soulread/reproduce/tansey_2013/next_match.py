"""A model learned in one match joins the portfolio for the next one (Tansey 2013, section 5).

"It may be possible to start from a small portfolio of two or three models, play online against a new
opponent, learn an explicit model of their play cheaply, and add the learned model into the portfolio for the
next match." The paper did not try. Here an opponent is met twice. In the first match policy bootstrapping
learns an explicit model from a small portfolio without the opponent. In the second one the implicit learner
begins anew, with one of these portfolios:

    small    as it was
    own      with the model learned of this opponent
    all      with the models learned of this opponent and of `OTHERS` that were met before
    others   with the models of the others alone: the opponent is a new one

All meet the same cards in the second match. A learned model is the mean of the explicit model's distribution.
"""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from soulread.estimate import Estimate
from soulread.model.bayes.beliefs import BeliefModel
from soulread.reproduce.kit.means import Array
from soulread.reproduce.kit.report import Claim, Measure, ResultTable, listed
from soulread.reproduce.kit.verdict import above
from soulread.reproduce.tansey_2013.learner_matches import LearnerMatches, Place, over_opponents
from soulread.reproduce.tansey_2013.learners import new_learner
from soulread.reproduce.tansey_2013.matches import (
    HERO,
    MEMBERS,
    POPULATIONS,
    opponent,
    play_match,
    portfolio,
    setting,
)
from soulread.respond.learning import ModelLearner
from soulread.seqform.strategy import Behaviours
from soulread.streams import stream
from soulread.tasks import Json, Task, Values, kept_as

NAME = "next match"
SMALL = 3  # members of the first portfolio
TEACHER = "policy bootstrapping"
LEARNER = "implicit"
OTHERS = 4
AGAIN = 5  # as many second matches as there are matches of other kinds
WAYS = "small", "own", "all", "others"
READS = 0, 50, 200  # hands of the second match after which strategies are valued


def next_task(kind: str, hands: int, seed: int, first: int, count: int) -> Task:
    """A task of ``count`` pairs of matches, from number ``first`` on; see `play_again` for the result."""
    parameters: dict[str, Json] = {
        "kind": kind,
        "hands": hands,
        "seed": seed,
        "first": first,
        "count": count,
    }
    return Task(play_again, parameters)


@kept_as("soulread.reproduce.leduc_matches:play_again")
def play_again(kind: str, hands: int, seed: int, first: int, count: int) -> Values:
    """The second matches against some opponents, with every portfolio.

    ``again [matches, ways, reads]`` are the exact gains of the learner's strategy after so many hands of
    `reads_of`, beyond the value of the game, in chips per hand.
    """
    values = np.empty((count, len(WAYS), len(reads_of(hands))))
    for i, match in enumerate(range(first, first + count)):
        small = first_portfolio(kind, seed, match)
        villain = [opponent(kind, seed, match)] * (hands + 1)
        for w, way in enumerate(WAYS):
            members = [*small, *(learnt(kind, hands, seed, other) for other in joining(way, match))]
            gains, _, _ = play_match(
                new_learner(LEARNER, setting(), members, match),
                villain,
                stream(seed, match, "cards", "again"),
                stream(seed, match, "learner", "again"),
            )
            values[i, w] = gains[list(reads_of(hands))]
    return {"again": values}


def reads_of(hands: int) -> tuple[int, ...]:
    """The hands after which strategies are valued."""
    return tuple(after for after in READS if after <= hands)


def first_portfolio(kind: str, seed: int, match: int) -> list[Behaviours]:
    """The equilibrium and a few members of the population, never the opponent of the match."""
    return portfolio(kind, "fair", seed, match)[:SMALL]


def joining(way: str, match: int) -> list[int]:
    """The matches whose learned models join the portfolio of a match."""
    others = [(match + k) % MEMBERS for k in range(1, OTHERS + 1)]
    return {"small": [], "own": [match], "all": [match, *others], "others": others}[way]


@lru_cache(maxsize=4 * MEMBERS)
def learnt(kind: str, hands: int, seed: int, match: int) -> Behaviours:
    """The model that the first match against an opponent leaves behind; the learner's own seat plays on."""
    leduc = setting()
    teacher = new_learner(TEACHER, leduc, first_portfolio(kind, seed, match), match)
    play_match(
        teacher,
        [opponent(kind, seed, match)] * (hands + 1),
        stream(seed, match, "cards", "before"),
        stream(seed, match, "learner", "before"),
    )
    assert isinstance(teacher, ModelLearner)
    model = teacher.model
    assert isinstance(model, BeliefModel)
    own, theirs = leduc.equilibrium[HERO], model.strategy(1 - HERO)
    return (own, theirs) if HERO == 0 else (theirs, own)


def next_place(kind: str, hands: int) -> Place:
    """Where the tasks of a kind of opponents lie among all matches."""
    return NAME, kind, "fair", hands, ""


class NextMatches:
    """The results of second matches."""

    def __init__(self, found: LearnerMatches) -> None:
        self._found = found
        self.hands = found.setup.hands

    def gains(self, kind: str, way: str, hands: int) -> Array | None:
        """``[matches]`` the gains with a portfolio after so many hands; None if they were not played."""
        values = self._found.joined(next_place(kind, self.hands), "again")
        if values is None or hands not in reads_of(self.hands):
            return None
        return np.asarray(values[:, WAYS.index(way), reads_of(self.hands).index(hands)])

    def gain(self, kind: str, way: str, hands: int) -> Estimate | None:
        """Their mean."""
        values = self.gains(kind, way, hands)
        return None if values is None else over_opponents(kind, values)

    def more(self, kind: str, way: str, hands: int) -> Estimate | None:
        """The gain with a portfolio less that with the small one, match by match."""
        with_it, without = (self.gains(kind, each, hands) for each in (way, WAYS[0]))
        return None if with_it is None or without is None else over_opponents(kind, with_it - without)


def next_tables(found: NextMatches) -> Iterator[ResultTable]:
    """What the implicit learner gains in the second match."""
    measures = [
        Measure(f"{kind}, {way}", f"after {hands}", gain)
        for kind in POPULATIONS
        for way in WAYS
        for hands in reads_of(found.hands)
        if (gain := found.gain(kind, way, hands)) is not None
    ]
    if measures:
        yield ResultTable.counted(
            "expected gain in the next match, by what joined the portfolio",
            "chips/h",
            measures,
            "opponents",
            f"small: the equilibrium and {SMALL - 1} other members; own: also the model learned of the "
            f"opponent; all: and of {OTHERS} others; others: of these alone.",
        )


def next_claims(found: NextMatches) -> Iterator[Claim]:
    """Whether learned models are worth their place."""
    for way, what in (
        ("own", "The model learned in one match, added to the portfolio, helps in the next"),
        ("all", f"It also helps when models of {OTHERS} others are added with it"),
    ):
        for hands in reads_of(found.hands)[1:]:
            more = {kind: found.more(kind, way, hands) for kind in POPULATIONS}
            yield Claim.of_all(f"{what}: ahead after {hands} hands", more, above, listed(more))
