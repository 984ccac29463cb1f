"""Games of no-limit players cut into a training and a test part, and a task that judges models on the latter.

Of all games a fifth is the *test part*: drawn at random, as in the paper, or the last fifth in time. Nothing
of these games is used but to judge: not by priors, not by players' models, not by the types of players, whose
bounds and counts come from the other games alone. As a game has several players, the same games are test
games for everybody.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.hands.store import Store as HandStore
from soulread.model.relational.bayes import (
    PLAYER_SETTINGS,
    PRIOR_SETTINGS,
    Correction,
    correct,
    log_likelihoods,
)
from soulread.model.relational.examples import Games, Question, askable, games_of
from soulread.streams import stream
from soulread.tasks import Values, kept_as

SPLITS = "random", "time"
TEST_SHARE = 0.2
QUESTIONS = Question.OUTCOME, Question.ACTION
EVERYBODY = "tree, everybody"  # the paper's way: told from the examples of all players
ALL = 0  # training games: all that there are


@lru_cache(maxsize=1)
def read_games(store: str) -> Games:
    """All hands of a store as arrays."""
    with HandStore.open(store, read_only=True) as source:
        return games_of([hand for _, hand in source.find()])


def split_games(games: Games, split: str, seed: int) -> NDArray[np.bool_]:
    """``[hands]`` which games are the test part."""
    test = np.zeros(games.num_hands, np.bool_)
    count = round(TEST_SHARE * games.num_hands)
    if split == "time":
        test[games.roster.order[games.num_hands - count :]] = True
    elif split == "random":
        test[stream(seed, "test games").permutation(games.num_hands)[:count]] = True
    else:
        raise SoulreadError(f"split={split}; expected one of {', '.join(SPLITS)}")
    return test


def training_games(
    games: Games, test: NDArray[np.bool_], player: int, size: int, split: str, seed: int
) -> NDArray[np.int64]:
    """The numbers of ``size`` training games of a player (0: all): drawn, or the last ones in time."""
    seated = (games.roster.players == player).any(axis=1) & ~test
    in_time = games.roster.order[seated[games.roster.order]]
    if split == "random":
        in_time = stream(seed, "training games", games.roster.names[player]).permutation(in_time)
    found: NDArray[np.int64] = in_time if size == ALL else in_time[-size:]
    return found


def fit_priors(
    games: Games, test: NDArray[np.bool_], players: Sequence[int], learner: str, most: int, seed: int
) -> dict[Question, Correction]:
    """Priors from the training part, without the decisions of some players. Types must be set before."""
    chosen = np.flatnonzero(~test[games.decisions.hand] & ~np.isin(games.player, players))
    return {
        question: correct(
            games, chosen, question, learner=learner, settings=PRIOR_SETTINGS, most=most, seed=seed
        )
        for question in QUESTIONS
    }


def fit_player(
    games: Games,
    training: NDArray[np.int64],
    player: int,
    question: Question,
    prior: Correction,
    learner: str,
    everybody: NDArray[np.int64] | None,
    seed: int,
) -> Correction:
    """The correction of a prior by the decisions of a player in some training games."""
    return fit_decisions(
        games, decisions_of(games, training, player), question, prior, learner, everybody, seed
    )


def decisions_of(games: Games, training: NDArray[np.int64], player: int) -> NDArray[np.intp]:
    """The numbers of a player's decisions in some games."""
    return np.flatnonzero(np.isin(games.decisions.hand, training) & (games.player == player))


def fit_decisions(
    games: Games,
    chosen: NDArray[np.intp],
    question: Question,
    prior: Correction,
    learner: str,
    everybody: NDArray[np.int64] | None,
    seed: int,
) -> Correction:
    """The correction of a prior by some decisions."""
    return correct(
        games,
        chosen,
        question,
        [prior],
        learner=learner,
        settings=PLAYER_SETTINGS[question],
        everybody=everybody,
        seed=seed,
    )


@kept_as("soulread.reproduce.relational:judge_group")
def judge_group(
    store: str, split: str, model: str, players: Sequence[str], sizes: Sequence[int], most: int, seed: int
) -> Values:
    """A task: fit a prior without some players, then judge it and the models of each of these players.

    ``uninformed`` and ``prior`` are ``[players, questions]``, ``model`` is ``[players, questions, sizes]``,
    all mean log-probabilities in nats; ``games`` ``[players, sizes]`` how many training games there were,
    ``tests`` ``[players, questions]`` how many decisions were judged.
    """
    games = read_games(store)
    test = split_games(games, split, seed)
    games.learn_types(~test)
    numbers = [games.number_of(name) for name in players]
    learner = "tree" if model == EVERYBODY else model
    priors = fit_priors(games, test, numbers, learner, most, seed)
    everybody = None
    if model == EVERYBODY:
        everybody = np.flatnonzero(~test[games.decisions.hand] & ~np.isin(games.player, numbers))
    shape = len(players), len(QUESTIONS)
    found = {
        "uninformed": np.full(shape, np.nan),
        "prior": np.full(shape, np.nan),
        "model": np.full((*shape, len(sizes)), np.nan),
        "games": np.zeros((len(players), len(sizes))),
        "tests": np.zeros(shape),
    }
    for p, player in enumerate(numbers):
        own = np.flatnonzero(test[games.decisions.hand] & (games.player == player))
        training = [training_games(games, test, player, size, split, seed) for size in sizes]
        found["games"][p] = [part.size for part in training]
        for q, question in enumerate(QUESTIONS):
            judged = askable(games, own, question)
            found["tests"][p, q] = judged.size
            if judged.size == 0:
                continue
            found["uninformed"][p, q] = log_likelihoods([], games, judged, question).mean()
            prior = priors[question]
            found["prior"][p, q] = log_likelihoods([prior], games, judged, question).mean()
            for s, part in enumerate(training):
                learned = fit_player(games, part, player, question, prior, learner, everybody, seed)
                likely = log_likelihoods([prior, learned], games, judged, question)
                found["model"][p, q, s] = likely.mean()
    return found
