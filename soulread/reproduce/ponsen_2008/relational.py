"""How well Bayes-relational models predict real players (Ponsen et al. 2008, Figures 1 and 2).

Of all games a fifth is the *test part*: drawn at random, as in the paper, or the last fifth in time. Nothing
of these games is used but to judge: not by priors, not by players' models, not by the types of players, whose
bounds and counts come from the other games alone. As a game has several players, the same games are test
games for everybody.

A player is judged on the player's own decisions in the test part, by the mean log-probability of what
happened:

    outcome   P(outcome | board, betting, action): lose, win, or the two cards (Figure 1)
    action    P(action | board, betting, outcome) (Figure 2)

Where only one thing was possible nothing is judged: the outcome after a fold is sure.

    uninformed    everything possible is equally likely
    prior         learned from the training games, without any decision of the players it is a prior for
    model         the prior, corrected by n training games of the player: n drawn at random, or the last n

Priors are made for groups of players (`GROUPS`), so that a prior never knows the player it is judged on. A
sample behind an interval is a player.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.estimate import Estimate
from soulread.hands.store import Store as HandStore
from soulread.model.relational.bayes import (
    PLAYER_SETTINGS,
    PRIOR_SETTINGS,
    Correction,
    correct,
    log_likelihoods,
)
from soulread.model.relational.examples import Games, Question, askable, games_of
from soulread.report.figures import Curve, Figure, Level, Panel
from soulread.reproduce.kit.data import hands_of
from soulread.reproduce.kit.experiment import Options
from soulread.reproduce.kit.report import Claim, Measure, Report, ResultTable
from soulread.reproduce.kit.verdict import above, all_of
from soulread.streams import stream
from soulread.tasks import Json, Task, TaskResult, Values, kept_as

VERSION = 3  # raise it when models change under the same names
SPLITS = "random", "time"
TEST_SHARE = 0.2
LEAST_GAMES = 2300  # of a player, as in the paper
GROUPS = 2
QUESTIONS = Question.OUTCOME, Question.ACTION
LEARNERS = "tree", "propositional", "boosted"
EVERYBODY = "tree, everybody"  # the paper's way: told from the examples of all players
MODELS = (*LEARNERS, EVERYBODY)
SIZES = (50, 100, 200, 400, 800, 1600, 3200, 0)  # training games; 0: all
ALL = 0
COMPARED = (200, 1600, ALL)  # sizes at which other learners than the tree are judged
SOURCE = (
    "Ponsen, Ramon, Croonenborghs, Driessens & Tuyls, Bayes-Relational Learning of Opponent Models from "
    "Incomplete Information in No-Limit Poker, AAAI 2008, Figures 1 and 2 (no numbers are printed)"
)


@dataclass(frozen=True)
class Setup:
    """Sizes of the experiment."""

    players: int | None  # None: all
    sizes: tuple[int, ...]
    groups: int
    most: int  # decisions of a prior, for each question before and after the flop
    read: int | None  # hands; None: all
    seed: int

    @classmethod
    def of(cls, options: Options) -> "Setup":
        """All players and training sizes; quick: 4 players of the first 20,000 hands, three sizes."""
        quick = options.quick
        return cls(
            players=4 if quick else None,
            sizes=(200, 800, ALL) if quick else SIZES,
            groups=GROUPS,
            most=10_000 if quick else 50_000,
            read=options.hands or (20_000 if quick else None),
            seed=options.seed,
        )

    def task(self, store: Path, split: str, model: str, players: Sequence[str]) -> Task:
        """Fit the prior of a group of players, and judge it and the models of each of them."""
        sizes = [size for size in self.sizes if model == "tree" or size in COMPARED]
        parameters: dict[str, Json] = {
            "store": str(store),
            "split": split,
            "model": model,
            "players": list(players),
            "sizes": list(sizes),
            "most": self.most,
            "seed": self.seed,
        }
        return Task(judge_group, parameters, VERSION)


# Games and their parts ------------------------------------------------------------------------------


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
    chosen = np.flatnonzero(np.isin(games.decisions.hand, training) & (games.player == player))
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


def players_of_store(store: Path, data: Sequence[str]) -> list[str]:
    """Whom to judge: players an index beside the data names, else all with more than `LEAST_GAMES` games.

    An index is a JSON file of the same name up to its first dot, with an object ``players``.
    """
    with HandStore.open(store, read_only=True) as source:
        many = [player.name for player in source.players() if player.hands > LEAST_GAMES]
        everyone = [player.name for player in source.players()]
    named: list[str] = []
    for path in map(Path, data):
        index = path.with_name(path.name.partition(".")[0] + ".json")
        if path.is_file() and index.is_file():
            try:
                named += list(json.loads(index.read_text(encoding="utf-8"))["players"])
            except (ValueError, KeyError, TypeError):
                raise SoulreadError(f"{str(index)!r} is no index of players") from None
    if named:
        return [name for name in everyone if name in named]
    return many or everyone[:4]


# The experiment -------------------------------------------------------------------------------------


def relational(options: Options) -> Report:
    """Fit priors and players' models, and judge them on the test part."""
    setup = Setup.of(options)
    if not options.data:
        raise SoulreadError(
            "bayes-relational needs hands of no-limit hold'em: name files with --data; docs/methods/"
            "relational.md says where such hands can be had"
        )
    store = hands_of(options, setup.read, limit=False)
    if store is None:
        raise SoulreadError("the hands have not been read yet; run the experiment without --finished")
    players = players_of_store(store, options.data)[: setup.players]
    tasks = {
        (split, model): [
            setup.task(store, split, model, players[group :: setup.groups]) for group in range(setup.groups)
        ]
        for model in MODELS
        for split in SPLITS
    }
    results = {
        result.task.key: result
        for result in options.run([task for group in tasks.values() for task in group])
    }
    found = {}
    for split in SPLITS:
        finished = {
            model: [results[task.key] for task in tasks[split, model]]
            for model in MODELS
            if all(task.key in results for task in tasks[split, model])
        }
        if "tree" in finished:
            found[split] = Found(finished, setup.sizes)
    return Report(
        name="bayes-relational",
        title="outcomes and actions of real players, predicted",
        source=SOURCE,
        settings={
            "data": ", ".join(Path(path).name for path in options.data),
            "players": len(players),
            "groups with a prior of their own": setup.groups,
            "test part": f"{TEST_SHARE:.0%} of the games",
            "decisions of a prior": setup.most,
            "seed": setup.seed,
        },
        tables=tuple(table for split, part in found.items() for table in part.tables(split)),
        claims=tuple(claim for split, part in found.items() for claim in part.claims(split)),
        figures=tuple(_figure(question, found) for question in QUESTIONS) if found else (),
        seconds=sum(result.seconds for result in results.values()),
        notes=(
            "Nats for each decision at which more than one thing was possible; higher is better. Intervals "
            "are over players.",
            "tree: relational tests. propositional: the same tree learner, every test with one literal and "
            "no variable carried down. boosted: gradient boosting on counts of players. 'everybody': the "
            "tree tells the player's examples from those of all players, as in the paper; the others tell "
            "them from draws of the prior in the player's own situations.",
        ),
    )


class Found:
    """The finished models of a split; a player is a sample."""

    def __init__(self, results: Mapping[str, Sequence[TaskResult]], sizes: Sequence[int]) -> None:
        self.results = dict(results)
        self.sizes = tuple(sizes)

    @property
    def models(self) -> tuple[str, ...]:
        """Those that are finished."""
        return tuple(self.results)

    def _all(self, name: str, model: str = "tree") -> NDArray[np.float64]:
        return np.concatenate([result[name] for result in self.results[model]])

    def _mean(self, values: NDArray[np.float64]) -> Estimate | None:
        known = values[~np.isnan(values)]
        return Estimate.of(known) if known.size else None

    def uninformed(self, question: Question) -> Estimate | None:
        """Mean over players."""
        return self._mean(self._all("uninformed")[:, QUESTIONS.index(question)])

    def prior(self, question: Question, model: str) -> Estimate | None:
        """Mean over players."""
        return self._mean(self._all("prior", model)[:, QUESTIONS.index(question)])

    def model(self, question: Question, model: str, size: int) -> Estimate | None:
        """Mean over players."""
        return self._mean(self._of_model(question, model, size))

    def _of_model(self, question: Question, model: str, size: int) -> NDArray[np.float64]:
        listed = self.results[model][0].task.parameters["sizes"]
        assert isinstance(listed, list)
        if size not in listed:
            return np.full(len(self._all("games")), np.nan)
        found: NDArray[np.float64] = self._all("model", model)[
            :, QUESTIONS.index(question), listed.index(size)
        ]
        return found

    def gain(self, question: Question, model: str, size: int) -> Estimate | None:
        """What the player's model gains over its own prior, player by player."""
        prior = self._all("prior", model)[:, QUESTIONS.index(question)]
        return self._mean(self._of_model(question, model, size) - prior)

    def lead(self, question: Question, first: str, second: str, size: int) -> Estimate | None:
        """How far one model is ahead of another, player by player."""
        return self._mean(self._of_model(question, first, size) - self._of_model(question, second, size))

    def prior_gain(self, question: Question, model: str) -> Estimate | None:
        """What the prior gains over the uninformed distribution."""
        q = QUESTIONS.index(question)
        return self._mean(self._all("prior", model)[:, q] - self._all("uninformed", model)[:, q])

    @property
    def most_games(self) -> float:
        """Mean number of training games where all are used."""
        return float(self._all("games").max(axis=1).mean())

    def size_name(self, size: int) -> str:
        """A training size in words."""
        return f"all ({self.most_games:,.0f} on average)" if size == ALL else f"{size:,}"

    def begins(self, question: Question, model: str) -> int | None:
        """The smallest size from which on the model is above its prior beyond the interval; None: never."""
        first: int | None = None
        for size in self.sizes:
            gain = self.gain(question, model, size)
            if gain is None:
                continue
            if gain.interval[0] > 0:
                first = size if first is None else first
            else:
                first = None
        return first

    def tables(self, split: str) -> tuple[ResultTable, ...]:
        """Log-likelihoods by training size, and gains over the prior."""
        players = len(self._all("games"))
        made = []
        for question in QUESTIONS:
            likely, gains = [], []
            for model in self.models:
                likely.append(Measure("uninformed", model, self.uninformed(question)))
                likely.append(Measure("prior", model, self.prior(question, model)))
                for size in self.sizes:
                    row = f"{self.size_name(size)} games"
                    likely.append(Measure(row, model, self.model(question, model, size)))
                    gains.append(Measure(row, model, self.gain(question, model, size)))
            sample = f"{players} players"
            title = f"log-likelihood of the {question}, {split} split"
            made.append(ResultTable(title, "nats", tuple(likely), sample))
            title = f"gain of the player's model over its prior, {question}, {split} split"
            made.append(ResultTable(title, "nats", tuple(gains), sample))
        return tuple(made)

    def claims(self, split: str) -> tuple[Claim, ...]:
        """What the paper says, and what relational tests are worth."""
        made = []
        for question in QUESTIONS:
            where = f"{question}, {split} split"
            gain = self.prior_gain(question, "tree")
            made.append(
                Claim.judged(f"the prior is better than uninformed ({where})", above(gain), _text(gain))
            )
            for model in self.models:
                best = self.gain(question, model, self.sizes[-1])
                begins = self.begins(question, model)
                since = "at no size" if begins is None else f"from {self.size_name(begins)} games on"
                made.append(
                    Claim.judged(
                        f"{model}: the player's model is better than the prior ({where})",
                        above(best),
                        f"with all games {_text(best)}; beyond the interval {since}",
                    )
                )
            later = [size for size in self.sizes if size == ALL or size >= 200]
            steps = [
                self._mean(self._of_model(question, "tree", after) - self._of_model(question, "tree", before))
                for before, after in pairwise(later)
            ]
            whole = self._mean(
                self._of_model(question, "tree", later[-1]) - self._of_model(question, "tree", later[0])
            )
            made.append(
                Claim.judged(
                    f"from 200 games on the likelihood grows with the training set ({where})",
                    all_of([above(whole), *(above(step, -0.005) for step in steps)]),
                    f"{_text(whole)} from {self.size_name(later[0])} games to all",
                )
            )
            for other in ("propositional", "boosted"):
                if other not in self.models:
                    continue
                lead = self.lead(question, "tree", other, self.sizes[-1])
                made.append(
                    Claim.judged(
                        f"relational trees predict better than {other} ones (ours; {where})",
                        above(lead),
                        f"{_text(lead)} ahead",
                    )
                )
        return tuple(made)


def _text(number: Estimate | None) -> str:
    return "not measured" if number is None else f"{number.text(4)} nats"


_GAINING = "tree", "boosted"  # whose gains are drawn


def _figure(question: Question, found: Mapping[str, Found]) -> Figure:
    """Log-likelihoods as in the paper, and below them what the player's own games add to the prior."""
    number = {Question.OUTCOME: 1, Question.ACTION: 2}[question]
    given = "action, board and betting" if question is Question.OUTCOME else "outcome, board and betting"
    worst = [value.mean for part in found.values() for value in (part.uninformed(question),) if value]
    caption = (
        f"Figure {number} of the paper: predicting the {question}, given {given}; means over players. The "
        f"uninformed distribution is far below, at {np.mean(worst):.2f} nats. Second row: the gain of the "
        "player's model over its prior, with 95% intervals over players."
    )
    panels = [_likelihoods(question, split, part) for split, part in found.items()]
    panels += [_gains(question, split, part) for split, part in found.items()]
    return Figure(f"figure-{number}", caption, tuple(panels), columns=len(found))


def _likelihoods(question: Question, split: str, part: Found) -> Panel:
    curves = []
    for model in sorted(part.models, key=lambda name: name not in _GAINING):  # same colours in both rows
        values = {size: part.model(question, model, size) for size in part.sizes}
        known = {size: value for size, value in values.items() if value is not None}
        curves.append(
            Curve(f"model, {model}", _games(part, known), tuple(value.mean for value in known.values()))
        )
    levels = [
        Level(f"prior, {learner}", value.mean)
        for learner in _GAINING
        if learner in part.models
        for value in (part.prior(question, learner),)
        if value is not None
    ]
    y_label = "log-likelihood, nats per decision"
    return Panel(f"{split} split", _GAMES, y_label, tuple(curves), tuple(levels), logarithmic=True)


def _gains(question: Question, split: str, part: Found) -> Panel:
    curves = []
    for model in _GAINING:
        if model not in part.models:
            continue
        values = {size: part.gain(question, model, size) for size in part.sizes}
        known = {size: value for size, value in values.items() if value is not None and value.n > 1}
        bounds = [value.interval for value in known.values()]
        curves.append(
            Curve(
                f"model, {model}",
                _games(part, known),
                tuple(value.mean for value in known.values()),
                tuple(low for low, _ in bounds),
                tuple(high for _, high in bounds),
            )
        )
    levels = (Level("prior", 0.0),)
    return Panel(f"{split} split", _GAMES, "gain, nats per decision", tuple(curves), levels, logarithmic=True)


_GAMES = "training games of the player"


def _games(part: Found, sizes: Iterable[int]) -> tuple[float, ...]:
    return tuple(part.most_games if size == ALL else float(size) for size in sizes)
