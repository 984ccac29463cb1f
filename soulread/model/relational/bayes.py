"""Bayes-relational models of players (Ponsen, Ramon, Croonenborghs, Driessens & Tuyls, 2008).

A distribution is learned by telling it from another one that is known. Mix examples of D_p, those of player
p, with as many of D_*, and let a tree learn P(D_p | x), the chance that example x comes from D_p. By Bayes'
rule, with P(D_p) = P(D_*) = 1/2,

    P(x | D_p) = P(x | D_*) P(D_p | x) / (1 - P(D_p | x)).                                      (equation 4)

In logarithms a tree *adds* its log-odds to what is known, and a model is a sum of scores:

    uninformed         0 for everything that is possible
    prior              + log-odds of a tree that tells real examples from uninformed ones
    player's model     + log-odds of a tree that tells the player's examples from those of the prior

The sum is normalised over all that was possible at a decision (`soulread.model.relational.examples`). One
tree serves before the flop and another one after it. Questions are the outcome of the hand given the action,
and the action given the outcome; besides, for play and for ranges, the action given a holding whether it is
shown or not, and the size of a raise.

**What D_* is.** In the paper, examples of all players. ``everybody`` of `correct` does that. A tree then also
finds differences that cancel when one normalises: a player who sits at other tables than most. Without it
examples of D_* have the *player's own* situations with alternatives drawn from the prior; equation 4 is the
same, and a tree finds nothing but what the player does otherwise.

**Cards that stay hidden.** Shown hands are a biased sample: nobody folds them. The question *play* asks what
a player does with a holding, so it needs the holdings of all. They are filled in by stochastic EM. Every
holding is dealt equally often; so the chance of holding h after a player's actions is proportional to the
product of P(action | situation, h). Holdings of hidden hands are drawn from that, trees are grown with them,
and again. Shown holdings stay what they are. So folded hands are accounted for, without anybody having seen
them. The first draws come from a sensible player (`soulread.model.relational.start`): drawn with even chances
holdings would have nothing to do with actions, and EM would never leave that.

`soulread.model.relational.model` makes a model of it that agents can ask.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from soulread.cards.ranges import HAND_MASKS
from soulread.cards.scales.card_facts import NUM_KEYS
from soulread.errors import DamagedFile, SoulreadError
from soulread.hands.hand import Hand
from soulread.kernel import kernel
from soulread.model.relational.examples import (
    Alternatives,
    Games,
    HoldingTables,
    Question,
    against,
    alternatives_of,
    askable,
    board_facts,
    even_chances,
    games_of,
    holding_tables,
    language_of,
    log_chances,
)
from soulread.model.relational.language import Language, Outcome
from soulread.model.relational.player_types import TypeBounds
from soulread.model.relational.start import sensible_trees
from soulread.model.relational.tree import (
    Examples,
    Forest,
    GrowthSettings,
    Tree,
    grow,
    join,
    odds_of,
    score,
    stump,
    tree_arrays,
    tree_from,
)
from soulread.model.situation import ROUND, Decisions, FactRows
from soulread.storage.tensors import read_tensors, write_tensors
from soulread.streams import stream
from soulread.words import plural

LEARNERS = "tree", "propositional", "boosted"
PRIOR_DECISIONS = 150_000  # of each question and phase, drawn from all hands
PLAY_SEATS = 60_000  # seats of hands whose hidden holdings are filled in
PASSES = 3  # of the EM
DRAWS = 4  # holdings for a decision
QUESTIONS = tuple(Question)

PRIOR_SETTINGS = GrowthSettings(least_gain=5.0, least_leaf=30.0, depth=20)
PLAYER_SETTINGS = {
    Question.OUTCOME: GrowthSettings(smooth=150.0, least_gain=4.0, least_leaf=15.0, depth=8),
    Question.ACTION: GrowthSettings(smooth=20.0, least_gain=3.0, least_leaf=10.0, depth=8),
    Question.PLAY: GrowthSettings(smooth=20.0, least_gain=3.0, least_leaf=10.0, depth=8),
    Question.SIZE: GrowthSettings(smooth=20.0, least_gain=3.0, least_leaf=10.0, depth=8),
}
"""Of players' models. The outcome of a game is the same at all its decisions: it counts for less.

How much leaves lean on the nodes above was chosen by `benchmarks/choose_relational.py`."""


class Learned(Protocol):
    """The answer of a learner: log-odds of label 1 for examples."""

    def odds(self, examples: Examples) -> NDArray[np.float64]:
        """``[n]`` log-odds."""


@dataclass(frozen=True)
class TreeLearned:
    """A tree as a learner's answer."""

    tree: Tree

    def odds(self, examples: Examples) -> NDArray[np.float64]:
        """``[n]`` log-odds of label 1."""
        return odds_of(self.tree, examples)


Correction = tuple[Learned, Learned]  # before the flop, and after it


def learn(
    learner: str, examples: Examples, language: Language, settings: GrowthSettings, parts: int
) -> Learned:
    """Tell label 1 from label 0 with one of `LEARNERS`."""
    if learner == "tree":
        return TreeLearned(grow(examples, language, settings, parts))
    if learner == "propositional":
        return TreeLearned(grow(examples, language._replace(relational=False), settings, parts))
    if learner == "boosted":
        from soulread.model.relational.boosted import boost

        return boost(examples, language, settings)
    raise SoulreadError(f"learner={learner}; expected one of {', '.join(LEARNERS)}")


def scores_of(
    corrections: Sequence[Correction], alternatives: Alternatives, games: Games
) -> NDArray[np.float64]:
    """``[entries]`` the sum of the log-odds of all corrections; each entry asks the tree of its phase."""
    examples = alternatives.examples
    after = games.after_flop[examples.row]
    found = np.zeros(examples.size_of)
    for phase in (0, 1):
        members = np.flatnonzero(after == bool(phase))
        if members.size:
            part = examples.take(members)
            for correction in corrections:
                found[members] += correction[phase].odds(part)
    return found


def chances_of(
    corrections: Sequence[Correction], alternatives: Alternatives, games: Games
) -> NDArray[np.float64]:
    """``[entries]`` log-probability of each alternative under a model."""
    return log_chances(alternatives, scores_of(corrections, alternatives, games))


# Prior and player's model ---------------------------------------------------------------------------

_PART = 4000  # decisions whose alternatives are in memory at once


def correct(
    games: Games,
    chosen: NDArray[np.int64],
    question: Question,
    known: Sequence[Correction] = (),
    *,
    learner: str = "tree",
    settings: GrowthSettings | None = None,
    holding: NDArray[np.int64] | None = None,
    everybody: NDArray[np.int64] | None = None,
    seed: int = 1,
    most: int | None = None,
    draws: int = DRAWS,
) -> Correction:
    """The next correction of a model: trees that tell what was done at ``chosen`` from what is ``known``.

    Without ``known`` that is the uninformed distribution, and the correction is a prior. With ``everybody``,
    decisions of all players, it is the paper's way: their examples take the place of draws from the prior.
    ``holding [n]`` are cards for the questions play and size. ``most`` decisions of each phase are used.
    """
    learned: list[Learned] = []
    for phase in (False, True):
        rng = stream(seed, "correct", question, int(phase))
        members = _sample(games, chosen, question, phase, most, rng)
        if everybody is None:
            examples = _told_apart(games, members, question, known, holding, rng, draws)
        else:
            others = _sample(games, everybody, question, phase, max(3 * members.size, 500), rng)
            examples = _mixed(games, members, others, question, holding)
        if members.size == 0:
            learned.append(TreeLearned(stump(len(question.parts))))
            continue
        language, parts = language_of(question, phase), len(question.parts)
        learned.append(learn(learner, examples, language, settings or PLAYER_SETTINGS[question], parts))
    return learned[0], learned[1]


def _sample(
    games: Games,
    chosen: NDArray[np.int64],
    question: Question,
    phase: bool,
    most: int | None,
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    members = askable(games, chosen[games.after_flop[chosen] == phase], question)
    if most is not None and members.size > most:
        members = np.sort(rng.choice(members, most, replace=False))
    return members


def _told_apart(
    games: Games,
    members: NDArray[np.int64],
    question: Question,
    known: Sequence[Correction],
    holding: NDArray[np.int64] | None,
    rng: np.random.Generator,
    draws: int,
) -> Examples:
    parts = []
    for listed in _listed(games, members, question, holding):
        chances = chances_of(known, listed, games) if known else even_chances(listed)
        parts.append(against(listed, chances, rng, draws))
    return _joined(parts)


def _listed(
    games: Games, chosen: NDArray[np.int64], question: Question, holding: NDArray[np.int64] | None = None
) -> Iterator[Alternatives]:
    """All that was possible at some decisions, so many decisions at once; at least one part."""
    for first in range(0, max(chosen.size, 1), _PART):
        part = chosen[first : first + _PART]
        yield alternatives_of(games, part, question, None if holding is None else holding[part])


def _joined(parts: Sequence[Examples]) -> Examples:
    return Examples(
        parts[0].rows,
        *(np.concatenate([part[k] for part in parts]) for k in range(1, len(Examples._fields))),
    )


def _mixed(
    games: Games,
    members: NDArray[np.int64],
    others: NDArray[np.int64],
    question: Question,
    holding: NDArray[np.int64] | None,
) -> Examples:
    """Examples of a player, and of everybody with the same weight altogether."""
    parts = []
    for chosen, label in ((members, 1), (others, 0)):
        for listed in _listed(games, chosen, question, holding):
            real = listed.examples.take(listed.taken)
            weight = 1.0 if label else members.size / max(others.size, 1)
            parts.append(
                real._replace(
                    label=np.full(real.size_of, label, np.uint8), weight=np.full(real.size_of, weight)
                )
            )
    return _joined(parts)


def log_likelihoods(
    corrections: Sequence[Correction], games: Games, chosen: NDArray[np.int64], question: Question
) -> NDArray[np.float64]:
    """``[chosen]`` log-probability of what happened at each decision; the question must be open there."""
    parts = _listed(games, chosen, question)
    return np.concatenate([chances_of(corrections, listed, games)[listed.taken] for listed in parts])


# What somebody does with a holding ------------------------------------------------------------------


class Play(NamedTuple):
    """Actions and raise sizes with a holding, compiled. One forest before the flop and one after it."""

    actions: tuple[Forest, Forest]
    sizes: tuple[Forest, Forest]


@kernel
def action_chances(
    play: Play,
    rows: FactRows,
    i: int,
    may_fold: bool,
    may_raise: bool,
    cards: NDArray[np.uint8],
    room: NDArray[np.uint16],
    chances: NDArray[np.float64],
) -> None:
    """Fill in ``chances [3]`` of fold, call and raise of a holding with facts ``cards [8]`` in row i."""
    forest = play.actions[0] if rows.numbers[i, ROUND] == 0 else play.actions[1]
    score(forest, rows, i, 0, 0, 2, cards, room, chances)
    if not may_fold:
        chances[0] = -np.inf
    if not may_raise:
        chances[2] = -np.inf
    _exponentiate(chances)


@kernel
def _exponentiate(chances: NDArray[np.float64]) -> None:
    """Scores become probabilities."""
    top, total = chances.max(), 0.0
    for k in range(chances.size):
        chances[k] = np.exp(chances[k] - top)
        total += chances[k]
    for k in range(chances.size):
        chances[k] /= total


@kernel
def size_chances(
    play: Play,
    rows: FactRows,
    i: int,
    cards: NDArray[np.uint8],
    room: NDArray[np.uint16],
    chances: NDArray[np.float64],
) -> None:
    """Fill in ``chances [7]`` of the classes of a raise of a holding in row i."""
    forest = play.sizes[0] if rows.numbers[i, ROUND] == 0 else play.sizes[1]
    score(forest, rows, i, 2, 0, 2, cards, room, chances)
    _exponentiate(chances)


@kernel
def reweigh(
    play: Play,
    rows: FactRows,
    i: int,
    may_fold: bool,
    may_raise: bool,
    action: int,
    facts: NDArray[np.uint8],
    keys: NDArray[np.int64],
    memo: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> None:
    """Multiply the weights ``[1326]`` of holdings by the chance that each would have taken ``action``.

    Where nothing else could be done, and after a fold with nothing to call, the weights stay what they are:
    such actions tell nothing. ``memo [NUM_KEYS]`` is room; holdings of equal facts are asked about once.
    """
    if not may_fold and (not may_raise or action == 0):
        return
    chances = np.zeros(3)
    room = np.zeros(rows.relations.shape[2], np.uint16)
    memo[:] = -1.0
    for h in range(keys.size):
        key = keys[h]
        if key < 0:
            weights[h] = 0.0
        elif weights[h] > 0:
            if memo[key] < 0:
                action_chances(play, rows, i, may_fold, may_raise, facts[h], room, chances)
                memo[key] = chances[action]
            weights[h] *= memo[key]


@kernel
def _impute(
    play: Play,
    every: HoldingTables,
    masks: NDArray[np.int64],
    made: Decisions,
    board: NDArray[np.int64],
    order: NDArray[np.int64],
    ends: NDArray[np.int64],
    uniforms: NDArray[np.float64],
    informed: bool,
    found: NDArray[np.int64],
) -> None:
    """Draw a holding for each seat of a hand from what its actions tell; see `impute`."""
    rows, action = made.rows, made.action
    facts, keys = every.facts.copy(), every.keys.copy()
    memo = np.full(NUM_KEYS, -1.0)
    weights = np.ones(keys.size)
    first = 0
    for n in range(ends.size):
        weights[:] = 1.0
        last_round = np.int64(-1)
        for k in range(first, ends[n]):
            i = order[k]
            if not informed:
                continue
            round = np.int64(rows.numbers[i, ROUND])
            if round != last_round:
                board_facts(every, board[made.hand[i]], round, facts, keys)
                last_round = round
            may = made.may_fold[i], made.may_raise[i]
            reweigh(play, rows, i, may[0], may[1], action[i], facts, keys, memo, weights)
        dead = np.int64(0)
        for k in range(5):
            card = board[made.hand[order[first]], k]
            if card >= 0:
                dead |= np.int64(1) << card
        total = 0.0
        for h in range(keys.size):
            if masks[h] & dead:
                weights[h] = 0.0
            total += weights[h]
        goal = uniforms[n] * total
        drawn = -1
        for h in range(keys.size):
            if weights[h] > 0:
                drawn = h
                goal -= weights[h]
                if goal < 0:
                    break
        for k in range(first, ends[n]):
            found[order[k]] = drawn
        first = ends[n]


def impute(
    games: Games, chosen: NDArray[np.int64], play: Play | None, rng: np.random.Generator
) -> NDArray[np.int64]:
    """``[decisions]`` a holding for every chosen decision: the one that was shown, or else one drawn.

    All decisions of a seat in a hand get the same holding, so all of them must be chosen. Without a model
    every holding is equally likely; the cards of the whole board are left out. Others have `NOT_SHOWN`.
    """
    found = games.holding.copy()
    made = games.decisions
    hidden = chosen[games.outcome[chosen] != Outcome.CARDS]
    seat = made.hand[hidden] * 16 + made.rows.actor[hidden]
    order = hidden[np.argsort(seat, kind="stable")]
    ends = np.append(np.flatnonzero(np.diff(np.sort(seat, kind="stable"))) + 1, seat.size)
    if hidden.size:
        _impute(
            play or nothing_known(),
            holding_tables(),
            HAND_MASKS,
            made,
            games.board,
            order,
            ends.astype(np.int64),
            rng.random(ends.size),
            play is not None,
            found,
        )
    return found


@lru_cache(maxsize=1)
def nothing_known() -> Play:
    """A `Play` in which everything possible is equally likely."""
    actions, sizes = (join([stump(len(question.parts))]) for question in (Question.PLAY, Question.SIZE))
    return Play((actions, actions), (sizes, sizes))


@lru_cache(maxsize=1)
def sensible_play() -> Play:
    """A `Play` of a sensible player, from which EM begins; all sizes of raises are equally likely."""
    before, after = sensible_trees()
    return Play((join([before]), join([after])), nothing_known().sizes)


def play_of(actions: Sequence[Correction], sizes: Sequence[Correction]) -> Play:
    """The compiled form of corrections by trees."""
    return Play(_forests(actions, Question.PLAY), _forests(sizes, Question.SIZE))


def _forests(corrections: Sequence[Correction], question: Question) -> tuple[Forest, Forest]:
    empty = stump(len(question.parts))
    trees: tuple[list[Tree], list[Tree]] = ([], [])
    for correction in corrections:
        for phase, learned in enumerate(correction):
            if not isinstance(learned, TreeLearned):
                raise SoulreadError("only trees can be compiled for play-outs and holdings")
            trees[phase].append(learned.tree)
    return join(trees[0] or [empty]), join(trees[1] or [empty])


# The prior ------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class RelationalPrior:
    """A model of players in general: a correction of the uninformed distribution for each question."""

    corrections: dict[Question, Correction]
    bounds: TypeBounds = field(default_factory=TypeBounds)  # where types of players begin
    hands: int = 0  # it was learned from
    about: str = ""

    @property
    def play(self) -> Play:
        """The actions of players in general with a holding, compiled."""
        return play_of([self.corrections[Question.PLAY]], [self.corrections[Question.SIZE]])

    def save(self, path: str | Path) -> None:
        """Write the trees to a sealed safetensors file."""
        arrays: dict[str, NDArray[Any]] = {}
        for question, correction in self.corrections.items():
            for phase, learned in zip(("before", "after"), correction, strict=True):
                if not isinstance(learned, TreeLearned):
                    raise SoulreadError("only a prior of trees can be kept in a file")
                arrays |= tree_arrays(learned.tree, f"{question}.{phase}")
        made = {"bounds": json.dumps(self.bounds), "hands": str(self.hands), "about": self.about}
        write_tensors(Path(path), "prior", arrays, made)


def load_prior(path: str | Path) -> RelationalPrior:
    """Read what `RelationalPrior.save` wrote; a file that is not whole is refused."""
    made, arrays = read_tensors(Path(path), "prior")
    try:
        corrections: dict[Question, Correction] = {
            question: (
                TreeLearned(tree_from(arrays, f"{question}.before")),
                TreeLearned(tree_from(arrays, f"{question}.after")),
            )
            for question in QUESTIONS
        }
        bounds = TypeBounds(*(float(bound) for bound in json.loads(made["bounds"])))
        return RelationalPrior(corrections, bounds, int(made["hands"]), made["about"])
    except (SoulreadError, KeyError, ValueError, TypeError) as error:
        raise DamagedFile(f"{str(path)!r} is no whole prior: {error}") from None


def uninformed_prior() -> RelationalPrior:
    """A prior that knows nothing: everything possible is equally likely."""
    corrections: dict[Question, Correction] = {
        question: (TreeLearned(stump(len(question.parts))), TreeLearned(stump(len(question.parts))))
        for question in QUESTIONS
    }
    return RelationalPrior(corrections, about="everything possible is equally likely")


@lru_cache(maxsize=1)
def default_prior() -> RelationalPrior:
    """The prior that comes with soulread; see docs/methods/relational.md for what it was learned from."""
    file = resources.files("soulread.model.relational") / "prior.safetensors"
    with resources.as_file(file) as path:
        return load_prior(path)


def fit_prior(
    hands: Sequence[Hand] | Games,
    chosen: NDArray[np.int64] | None = None,
    *,
    questions: Sequence[Question] = QUESTIONS,
    learner: str = "tree",
    settings: GrowthSettings = PRIOR_SETTINGS,
    bounds: TypeBounds | None = None,
    seed: int = 1,
    most: int = PRIOR_DECISIONS,
    seats: int = PLAY_SEATS,
    passes: int = PASSES,
    about: str = "",
) -> RelationalPrior:
    """Learn what players in general do.

    From hands, types are learned too. From `Games`, whose types are set, ``chosen`` decisions are used, and
    ``bounds`` are those of the types. Questions left out stay uninformed.
    """
    if isinstance(hands, Games):
        games = hands
    else:
        if not hands:
            raise SoulreadError("a prior needs hands; none were given")
        games = games_of(hands)
        bounds = games.learn_types(np.ones(games.num_hands, np.bool_))
    members = np.arange(games.outcome.size) if chosen is None else chosen
    corrections = dict(uninformed_prior().corrections)
    for question in questions:
        if question in (Question.OUTCOME, Question.ACTION):
            corrections[question] = correct(
                games, members, question, learner=learner, settings=settings, seed=seed, most=most
            )
    if Question.PLAY in questions:
        actions, sizes = _fit_play(games, members, settings, seed, most, seats, passes)
        corrections |= {Question.PLAY: actions, Question.SIZE: sizes}
    number = int(np.unique(games.decisions.hand[members]).size)
    return RelationalPrior(corrections, bounds or TypeBounds(), number, about or plural(number, "hand"))


def _fit_play(
    games: Games,
    members: NDArray[np.int64],
    settings: GrowthSettings,
    seed: int,
    most: int,
    seats: int,
    passes: int,
) -> tuple[Correction, Correction]:
    """Corrections for actions with a holding, by stochastic EM, and for sizes with the last holdings."""
    rng = stream(seed, "play")
    seat = games.decisions.hand[members] * 16 + games.decisions.rows.actor[members]
    every = np.unique(seat)
    if every.size > seats:
        every = rng.choice(every, seats, replace=False)
    members = members[np.isin(seat, every)]
    play = sensible_play()
    actions = uninformed_prior().corrections[Question.PLAY]
    holding = games.holding
    for turn in range(passes + 1):
        holding = impute(games, members, play, rng)
        actions = correct(
            games, members, Question.PLAY, settings=settings, holding=holding, seed=seed + turn, most=most
        )
        play = play_of([actions], [])
    sizes = correct(games, members, Question.SIZE, settings=settings, holding=holding, seed=seed, most=most)
    return actions, sizes
