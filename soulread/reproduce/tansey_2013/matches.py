"""Matches of learners in Leduc as tasks; one task is a block of matches.

As in the published program, the learner always has the first seat and the opponent the second, in Leduc with
an ante of one chip. After every hand the learner's present strategy is valued exactly, in chips per hand
beyond the value of the game. An equilibrium thus has 0, and the most is what a best response gains. That is
what "bets/hand" seems to mean in the published figures: in this unit and from this seat, the members of the
populations can be exploited for up to .41 and .43, where the figures say .42 and .33. In small bets they
would be half as exploitable. On average they can be exploited for .135 and .126, the author's for .121 and
.100.

Match m is against member m modulo 100 of a population. Its cards, its portfolio and the learner's draws come
from random streams named by seed and match, so that all learners meet the same luck.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.games.named import parse_game
from soulread.play.exploiters.learners import LearningSetting, learning_setting
from soulread.play.opponents.changing import (
    behaviours_of,
    course_of,
    drifting_step,
    random_step,
    switching_step,
)
from soulread.reproduce.tansey_2013.learners import FACE_UP, new_learner
from soulread.respond.learning import Learner
from soulread.seqform.strategy import Behaviour, Behaviours, Plan, plan_from_behaviour
from soulread.solvers.skews import parse_skews, random_skews, skew_behaviours
from soulread.streams import stream
from soulread.tasks import Json, Task, Values, kept_as

GAME = "leduc:iso"
MEMBERS = 100
POPULATIONS = "simple", "complex"
OPPONENTS = (*POPULATIONS, "equilibrium")
PORTFOLIOS = "paper", "fair"
BENT = "loose=0.4", "tight=0.2", "passive=0.6", "aggressive=0.2"
"""An opponent that changes goes between two of these, whose errors need opposite answers."""
COURSES = "switching", "random", "drifting"
HERO = 0  # the learner's seat
VERSION = 3  # raise it when a learner plays differently under the same name


def setting() -> LearningSetting:
    """Leduc and its equilibrium."""
    return learning_setting(parse_game(GAME))


@lru_cache(maxsize=1)
def game_value() -> float:
    """The win rate of the first seat between two equilibrium players, in chips per hand."""
    leduc = setting()
    plan = plan_from_behaviour(leduc.game.trees[1 - HERO], leduc.equilibrium[1 - HERO])
    return leduc.responder.value(HERO, leduc.equilibrium[HERO], plan)


@lru_cache(maxsize=8)
def population(kind: str, seed: int) -> tuple[Behaviours, ...]:
    """The hundred members of a population, as behaviours of both seats."""
    if kind not in POPULATIONS:
        raise SoulreadError(f"a population of {kind!r} opponents; known are {', '.join(POPULATIONS)}")
    leduc = setting()
    rng = stream(seed, "population", kind)
    return tuple(
        skew_behaviours(leduc.game, leduc.equilibrium, random_skews(kind, rng)) for _ in range(MEMBERS)
    )


@lru_cache(maxsize=1)
def bent() -> tuple[Behaviours, ...]:
    """The opponents of `BENT`."""
    leduc = setting()
    return tuple(skew_behaviours(leduc.game, leduc.equilibrium, parse_skews(text)) for text in BENT)


def opponent(kind: str, seed: int, match: int) -> Behaviours:
    """The opponent of a match, as behaviours of both seats."""
    return setting().equilibrium if kind == "equilibrium" else population(kind, seed)[match % MEMBERS]


def portfolio(kind: str, which: str, seed: int, match: int) -> list[Behaviours]:
    """The strategies that a learner is given in a match; five, unless the opponent changes.

    "paper" is the equilibrium and four different members drawn from the population; the opponent may be among
    them. "fair" never holds the opponent: it draws the four members among the others, and against the
    equilibrium it is five members. Against the equilibrium the population alternates from match to match.
    Against opponents that change, of kind "bent", the portfolio is the equilibrium and all of `BENT`.
    """
    if kind == "bent":
        return [setting().equilibrium, *bent()]
    if which not in PORTFOLIOS:
        raise SoulreadError(f"a portfolio of {which!r}; known are {', '.join(PORTFOLIOS)}")
    rng = stream(seed, match, "portfolio")
    members = population(POPULATIONS[match % 2] if kind == "equilibrium" else kind, seed)
    drawn = rng.permutation(MEMBERS)
    if which == "fair" and kind != "equilibrium":
        drawn = drawn[drawn != match % MEMBERS]
    chosen = [members[i] for i in drawn[:5]]
    return chosen if which == "fair" and kind == "equilibrium" else [setting().equilibrium, *chosen[:4]]


def best_gain(villain: Behaviours) -> float:
    """The win rate of the first seat's best response beyond the value of the game, in chips per hand."""
    leduc = setting()
    plan = plan_from_behaviour(leduc.game.trees[1 - HERO], villain[1 - HERO])
    return leduc.responder.best_value(HERO, plan) - game_value()


def match_task(
    learner: str, kind: str, which: str, hands: int, seed: int, first: int, count: int, course: str = ""
) -> Task:
    """A task of ``count`` matches, from number ``first`` on; see `play` for the result."""
    parameters: dict[str, Json] = {
        "learner": learner,
        "kind": kind,
        "which": which,
        "hands": hands,
        "seed": seed,
        "first": first,
        "count": count,
        "course": course,
    }
    return Task(play, parameters, VERSION)


@kept_as("soulread.reproduce.leduc_matches:play")
def play(
    learner: str, kind: str, which: str, hands: int, seed: int, first: int, count: int, course: str
) -> Values:
    """Play matches of one learner.

    ``values [matches, hands + 1]`` are the exact gains of the learner's strategy after so many hands, beyond
    the value of the game. ``best``, of the same shape, are those of a best response. ``profits [matches,
    hands]`` are what the learner won in each hand, less the value of the game. All are in chips.
    """
    shape = count, hands + 1
    values, best, profits = np.empty(shape), np.empty(shape), np.empty((count, hands))
    for i, match in enumerate(range(first, first + count)):
        members = portfolio(kind, which, seed, match)
        made = new_learner(learner, setting(), members, match)
        if kind == "bent":
            villain = changing(course, seed, match, hands + 1)
        else:
            villain = [opponent(kind, seed, match)] * (hands + 1)
        values[i], best[i], profits[i] = play_match(
            made, villain, stream(seed, match, "cards"), stream(seed, match, "learner"), learner in FACE_UP
        )
    return {"values": values, "best": best, "profits": profits}


def changing(course: str, seed: int, match: int, hands: int) -> list[Behaviours]:
    """The behaviours of an opponent that changes, hand by hand: it goes between two of `BENT`, pairs in turn.

    "switching" goes from one to the other every 100 hands, "random" with probability 1/100 after every hand.
    "drifting" moves from one to the other in 100 hands, and back.
    """
    if course not in COURSES:
        raise SoulreadError(f"a course of {course!r}; known are {', '.join(COURSES)}")
    count = len(BENT)
    first = match % count
    pair = [bent()[first], bent()[(first + 1 + match // count % (count - 1)) % count]]
    if course == "switching":
        weights = course_of(switching_step(2, 100), hands, 2)
    elif course == "random":
        weights = course_of(random_step(2, 0.01), hands, 2, stream(seed, match, "course"))
    else:
        weights = course_of(drifting_step(2, 100), hands, 2)
    return [behaviours_of(pair, row) for row in weights]


def play_match(
    learner: Learner,
    villain: Sequence[Behaviours],
    cards: np.random.Generator,
    own: np.random.Generator,
    face_up: bool = False,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Values, best values and profits of a match; the last pair of ``villain`` is only valued, not played.

    With ``face_up`` every hand ends with the opponent's cards shown to the learner.
    """
    leduc = setting()
    hands = len(villain) - 1
    values, best, profits = np.empty(hands + 1), np.empty(hands + 1), np.empty(hands)
    tree = leduc.game.trees[1 - HERO]
    known: tuple[Behaviours, Plan, float] | None = None
    for hand, pair in enumerate(villain):
        if known is None or known[0] is not pair:
            plan = plan_from_behaviour(tree, pair[1 - HERO])
            known = pair, plan, leduc.responder.best_value(HERO, plan)
        behaviour = learner.respond(HERO, own)
        values[hand] = leduc.responder.value(HERO, behaviour, known[1])
        best[hand] = known[2]
        if hand < hands:
            seen = leduc.table.play(HERO, behaviour, pair[1 - HERO], cards, face_up)
            profits[hand] = seen.profit
            learner.learn(seen)
    return values - game_value(), best - game_value(), profits - game_value()


def subpolicy_task(kind: str, samples: int, seed: int) -> Task:
    """A task that computes `subpolicy_gains`."""
    parameters: dict[str, Json] = {"kind": kind, "samples": samples, "seed": seed}
    return Task(subpolicy_gains, parameters, VERSION)


@kept_as("soulread.reproduce.leduc_matches:subpolicy_gains")
def subpolicy_gains(kind: str, samples: int, seed: int) -> Values:
    """The gain from answering the rounds of a portfolio's members separately.

    ``gains [samples]``, in chips per hand, one for each random portfolio and opponent. Take best responses to
    every combination of one member before the flop and one on it. The gain is the most that one of these
    wins, less the most that a best response to a single member wins.
    """
    leduc = setting()
    tree = leduc.game.trees[1 - HERO]
    flop = np.array([tree.labels.label(j).rpartition("|")[2].count("/") for j in range(tree.num_sets)])
    later = np.append(False, flop[tree.sequence_set[1:]] > 0)
    rng = stream(seed, "subpolicy gains")
    members = population(kind, seed)
    gains = np.empty(samples)
    for i in range(samples):
        drawn = rng.integers(MEMBERS, size=5)
        parts = [leduc.equilibrium[1 - HERO], *(members[m][1 - HERO] for m in drawn[:4])]
        villain = plan_from_behaviour(tree, members[drawn[4]][1 - HERO])
        worth = np.array(
            [
                [
                    leduc.responder.value(
                        HERO,
                        leduc.responder.respond(
                            HERO, plan_from_behaviour(tree, Behaviour(np.where(later, on, before)))
                        ),
                        villain,
                    )
                    for on in parts
                ]
                for before in parts
            ]
        )
        gains[i] = worth.max() - np.diag(worth).max()
    return {"gains": gains}
