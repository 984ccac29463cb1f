"""Bayes-relational models of real players, judged by their predictions (Ponsen et al. 2008, Figures 1 and 2).

`soulread.reproduce.ponsen_2008.player_models` cuts the games into a training and a test part. A player is
judged on the player's own decisions in the test part, by the mean log-probability of what happened:

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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from soulread.errors import SoulreadError
from soulread.estimate import Estimate
from soulread.hands.store import Store as HandStore
from soulread.model.relational.examples import Question
from soulread.report.figures import Curve, Figure, Level, Panel
from soulread.reproduce.kit.data import hands_of
from soulread.reproduce.kit.experiment import RunOptions
from soulread.reproduce.kit.figures import curve_of
from soulread.reproduce.kit.report import Claim, Measure, Report, ResultTable, worded
from soulread.reproduce.kit.task_grid import TaskGrid
from soulread.reproduce.kit.verdict import above, all_of
from soulread.reproduce.ponsen_2008.changed_player import (
    AFTER,
    BEFORE,
    SOON,
    ChangeScores,
    change_claims,
    change_tables,
    gains_by_way,
    judge_change,
)
from soulread.reproduce.ponsen_2008.player_models import (
    ALL,
    EVERYBODY,
    QUESTIONS,
    SPLITS,
    TEST_SHARE,
    judge_group,
)
from soulread.reproduce.ponsen_2008.split_scores import PRIOR, UNINFORMED, SplitScores
from soulread.tasks import Json, Task

VERSION = 3  # raise it when models change under the same names
LEAST_GAMES = 2300  # of a player, as in the paper
GROUPS = 2
LEARNERS = "tree", "propositional", "boosted"
MODELS = (*LEARNERS, EVERYBODY)
SIZES = (50, 100, 200, 400, 800, 1600, 3200, ALL)  # training games
CHANGE = "time", "a player who changes"  # the place of these tasks
COMPARED = (200, 1600, ALL)  # sizes at which other learners than trees are judged
TREES = "tree", EVERYBODY  # ours, and the paper's own method: judged at all sizes
SOURCE = (
    "Ponsen, Ramon, Croonenborghs, Driessens & Tuyls, Bayes-Relational Learning of Opponent Models from "
    "Incomplete Information in No-Limit Poker, AAAI 2008, Figures 1 and 2 (no numbers are printed)"
)


@dataclass(frozen=True)
class RelationalSetup:
    """Sizes of the experiment."""

    players: int | None  # None: all
    sizes: tuple[int, ...]
    groups: int
    most: int  # decisions of a prior, for each question before and after the flop
    read: int | None  # hands; None: all
    seed: int

    @classmethod
    def of(cls, options: RunOptions) -> "RelationalSetup":
        """All players and training sizes; quick: 4 players of the first 20,000 hands, three sizes."""
        sizes = options.sizes(
            players=(4, None),
            sizes=((200, 800, ALL), SIZES),
            groups=(GROUPS, GROUPS),
            most=(10_000, 50_000),
            hands=(20_000, None),
        )
        read = sizes.pop("hands")
        return cls(**sizes, read=read)

    def task(self, store: Path, split: str, model: str, players: Sequence[str]) -> Task:
        """Fit the prior of a group of players, and judge it and the models of each of them."""
        parameters: dict[str, Json] = {
            "store": str(store),
            "split": split,
            "model": model,
            "players": list(players),
            "sizes": [size for size in self.sizes if model in TREES or size in COMPARED],
            "most": self.most,
            "seed": self.seed,
        }
        return Task(judge_group, parameters, VERSION)

    @property
    def changes(self) -> tuple[int, ...]:
        """Games since a change of player after which models are judged."""
        return tuple(size for size in AFTER if self.players is None or size in (0, SOON))

    def change(self, store: Path, players: Sequence[str]) -> Task:
        """Judge models of players who become another one of the group."""
        parameters: dict[str, Json] = {
            "store": str(store),
            "players": list(players),
            "before": BEFORE,
            "after": list(self.changes),
            "most": self.most,
            "seed": self.seed,
        }
        return Task(judge_change, parameters)


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


def relational(options: RunOptions) -> Report:
    """Fit priors and players' models, and judge them on the test part."""
    setup = RelationalSetup.of(options)
    if not options.data:
        raise SoulreadError(
            "bayes-relational needs hands of no-limit hold'em: name files with --data; docs/methods/"
            "relational.md says where such hands can be had"
        )
    store = hands_of(options, setup.read, limit=False)
    if store is None:
        raise SoulreadError("the hands have not been read yet; run the experiment without --finished")
    players = players_of_store(store, options.data)[: setup.players]
    groups = [players[group :: setup.groups] for group in range(setup.groups)]
    grid = TaskGrid(
        {
            **{
                (split, model): [setup.task(store, split, model, group) for group in groups]
                for model in MODELS
                for split in SPLITS
            },
            CHANGE: [setup.change(store, group) for group in groups],
        }
    )
    grid.run(options, [task for tasks in grid.cells.values() for task in tasks])
    found = {
        split: SplitScores(
            {model: grid.at((split, model)) for model in MODELS if grid.is_whole((split, model))}, setup.sizes
        )
        for split in SPLITS
        if grid.is_whole((split, "tree"))
    }
    changed = [ChangeScores(grid.at(CHANGE), setup.changes)] if grid.is_whole(CHANGE) else []
    return Report(
        name="bayes-relational",
        title="outcomes and actions of real players, predicted",
        source=SOURCE,
        settings={
            "data": options.data_names,
            "players": len(players),
            "groups with a prior of their own": setup.groups,
            "test part": f"{TEST_SHARE:.0%} of the games",
            "decisions of a prior": setup.most,
            "seed": setup.seed,
        },
        tables=(
            *(table for split, part in found.items() for table in _tables(split, part)),
            *(table for scores in changed for table in change_tables(scores)),
        ),
        claims=(
            *(
                claim
                for split, part in found.items()
                for question in QUESTIONS
                for claim in _claims(part, question, f"{question}, {split} split")
            ),
            *(claim for scores in changed for claim in change_claims(scores)),
        ),
        figures=(
            *(_figure(question, found) for question in QUESTIONS if found),
            *(_change_figure(scores) for scores in changed),
        ),
        seconds=grid.seconds,
        notes=(
            "Nats for each decision at which more than one thing was possible; higher is better. Intervals "
            "are over players.",
            "tree: relational tests. propositional: the same tree learner, every test with one literal and "
            "no variable carried down. boosted: gradient boosting on counts of players. 'everybody': the "
            "tree tells the player's examples from those of all players, as in the paper; the others tell "
            "them from draws of the prior in the player's own situations.",
        ),
    )


def _tables(split: str, part: SplitScores) -> Iterator[ResultTable]:
    """Log-likelihoods by training size, and gains over the prior."""
    sample = f"{len(part.all('games'))} players"
    for question in QUESTIONS:
        likely, gains = [], []
        for model in part.results:
            for row in (UNINFORMED, PRIOR):
                shown = "tree" if row == UNINFORMED else model
                likely.append(Measure(row, model, part.mean(question, shown, row)))
            for size in part.sizes:
                row = f"{part.size_name(size)} games"
                likely.append(Measure(row, model, part.mean(question, model, size)))
                gains.append(Measure(row, model, part.gain(question, model, size)))
        yield ResultTable(f"log-likelihood of the {question}, {split} split", "nats", likely, sample)
        title = f"gain of the player's model over its prior, {question}, {split} split"
        yield ResultTable(title, "nats", gains, sample)


def _claims(part: SplitScores, question: Question, where: str) -> Iterator[Claim]:
    """The claims of the paper, and ours on relational tests."""

    def text(number: Estimate | None) -> str:
        return worded(number, 4, "nats")

    gain = part.gain(question, "tree", PRIOR, UNINFORMED)
    yield Claim.judged(f"the prior is better than uninformed ({where})", above(gain), text(gain))
    last = part.sizes[-1]
    for model in part.results:
        best, begins = part.gain(question, model, last), part.begins(question, model)
        since = "at no size" if begins is None else f"from {part.size_name(begins)} games on"
        yield Claim.judged(
            f"{model}: the player's model is better than the prior ({where})",
            above(best),
            f"with all games {text(best)}; beyond the interval {since}",
        )
    later = [size for size in part.sizes if size == ALL or size >= 200]
    for model in (name for name in TREES if name in part.results):
        steps = [part.gain(question, model, after, before) for before, after in pairwise(later)]
        whole = part.gain(question, model, later[-1], later[0])
        whose = "" if model == "tree" else f"{model}: "
        yield Claim.judged(
            f"{whose}from 200 games on the likelihood grows with every step of the training set ({where})",
            all_of([above(whole), *(above(step) for step in steps)]),
            f"{text(whole)} from {part.size_name(later[0])} games to all; step by step "
            + ", ".join(worded(step, 4) for step in steps),
        )
    for other in ("propositional", "boosted"):
        if other in part.results:
            lead = part.gain(question, "tree", last, last, than=other)
            words = f"relational trees predict better than {other} ones (ours; {where})"
            yield Claim.judged(words, above(lead), f"{text(lead)} ahead")


_GAINING = "tree", EVERYBODY, "boosted"  # whose gains are drawn
_GAMES = "training games of the player"


def _figure(question: Question, found: Mapping[str, SplitScores]) -> Figure:
    """Log-likelihoods as in the paper, and below them what the player's own games add to the prior."""
    number = {Question.OUTCOME: 1, Question.ACTION: 2}[question]
    given = "action, board and betting" if question is Question.OUTCOME else "outcome, board and betting"
    worst = [value.mean for part in found.values() if (value := part.mean(question, "tree", UNINFORMED))]
    caption = (
        f"Figure {number} of the paper: predicting the {question}, given {given}; means over players. The "
        f"uninformed distribution is far below, at {np.mean(worst):.2f} nats. Second row: the gain of the "
        "player's model over its prior, with 95% intervals over players."
    )
    panels = [_likelihoods(question, split, part) for split, part in found.items()]
    panels += [_gains(question, split, part) for split, part in found.items()]
    return Figure(f"figure-{number}", caption, tuple(panels), columns=len(found))


def _likelihoods(question: Question, split: str, part: SplitScores) -> Panel:
    curves, levels = [], []
    for model in sorted(part.results, key=lambda name: name not in _GAINING):  # same colours in both rows
        points = [(size, part.mean(question, model, size)) for size in part.sizes]
        known = [(size, value.mean) for size, value in points if value is not None]
        x, y = _games(part, (size for size, _ in known)), tuple(mean for _, mean in known)
        curves.append(Curve(f"model, {model}", x, y))
        prior = part.mean(question, model, PRIOR)
        if model in _GAINING and prior is not None:
            levels.append(Level(f"prior, {model}", prior.mean))
    y_label = "log-likelihood, nats per decision"
    return Panel(f"{split} split", _GAMES, y_label, tuple(curves), tuple(levels), logarithmic=True)


def _gains(question: Question, split: str, part: SplitScores) -> Panel:
    curves = []
    for model in (name for name in _GAINING if name in part.results):
        every = [(size, part.gain(question, model, size)) for size in part.sizes]
        known = [(size, gain) for size, gain in every if gain is not None and gain.n > 1]
        x = _games(part, (size for size, _ in known))
        points = zip(x, (gain for _, gain in known), strict=True)
        curves.append(curve_of(f"model, {model}", points))
    levels = (Level("prior", 0.0),)
    return Panel(f"{split} split", _GAMES, "gain, nats per decision", tuple(curves), levels, logarithmic=True)


def _change_figure(scores: ChangeScores) -> Figure:
    """What models know of the new player, by the games since the change."""
    caption = (
        "A player who becomes another one: what models know of the new one, as gain over the prior, with 95% "
        "intervals over players."
    )
    panels = []
    for question in QUESTIONS:
        ways = gains_by_way(scores, question).items()
        curves = tuple(curve_of(way, points) for way, points in ways if len(points) > 1)
        levels = (Level("prior", 0.0),)
        x, y = "games since the change", "gain, nats per decision"
        panels.append(Panel(str(question), x, y, curves, levels, logarithmic=True))
    return Figure("changed-player", caption, tuple(panels), columns=2)


def _games(part: SplitScores, sizes: Iterable[int]) -> tuple[float, ...]:
    return tuple(part.most_games if size == ALL else float(size) for size in sizes)
