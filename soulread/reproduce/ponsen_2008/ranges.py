"""Ranges of no-limit players, judged by the cards they held: shown ones, and folded ones where known.

Hands come from files (``--data``). Where folded cards are not known they are hands of *people*. A source of
which *all cards are known*, such as Pluribus' matches, is judged apart. Each source is cut in time: models
learn from the first part of the hands as a spectator saw them, and nothing of the second part reaches priors
or models. In the second part each hand of a player is judged after the player's last action that was no fold.

    uniform        all holdings that the board leaves are alike
    showdown       the classes of starting hands as often as they were shown in the first part
    prior          a model of players in general
    player         the prior, taught by the player's own hands of the first part

Where all cards are known, the relational prior is the one that comes with soulread, which was learned from
people.

The gain of a model is log P(cards) - log 1/N in nats, so a uniform range gains 0. Calibration is judged in
two ways: how often the cards lie among the likeliest holdings that have a mass (it should be that often), and
how often a player holds one of the best quarter of hands where that was predicted with a chance.

Samples behind intervals are players.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from soulread.cards.ranges import CELL_SIZES, HAND_CELLS, HAND_MASKS, NUM_HANDS, cards_mask, hand_index
from soulread.estimate import Estimate
from soulread.games.poker import FOLD, PokerGame, PokerView
from soulread.hands.hand import Hand, Sight
from soulread.hands.record import decisions, public_view
from soulread.hands.referee import game_of_holdem
from soulread.hands.store import Query
from soulread.hands.store import Store as HandStore
from soulread.model import strength_tables as completed
from soulread.model.base import CardReader
from soulread.model.relational import bayes as relational
from soulread.model.relational.bayes import default_prior, fit_prior
from soulread.model.relational.examples import Question
from soulread.model.relational.model import RelationalModel
from soulread.model.strength_tables import CompletedModel, learn_prior
from soulread.report.figures import Figure
from soulread.reproduce.kit.calibration import (
    CALIBRATED,
    COVERED,
    Array,
    Found,
    Pick,
    coverage_panel,
    in_tenth,
    percent,
    reliability_panel,
    share_covered,
)
from soulread.reproduce.kit.data import hands_of
from soulread.reproduce.kit.experiment import Options
from soulread.reproduce.kit.range_scores import FOLDED, SHOWN, UNSEEN, gain_of, likelier_than, places_on
from soulread.reproduce.kit.report import Claim, Measure, Report, ResultTable, count_samples
from soulread.reproduce.kit.verdict import Condition, above, all_of, within
from soulread.tasks import Json, Task, TaskResult, Values, kept_as

VERSION = 4  # raise it when models or scores change under the same names
SHOWDOWN = "showdown"
MODELS = (SHOWDOWN, "completed prior", "completed player", "relational prior", "relational player")
PEOPLE, KNOWN = "people", "all cards known"
TOP = 0.75  # from which place on a hand is one of the best quarter


@dataclass(frozen=True)
class Setup:
    """Sizes of the experiment."""

    players: int  # with the most hands
    learned: int  # hands of a player to learn from, at most
    judged: int  # hands of a player to judge, at most
    prior: int  # hands that priors learn from, at most
    read: int | None  # hands of each file

    @classmethod
    def of(cls, options: Options) -> "Setup":
        """All hands of 20 players; quick: 6 players, a few hundred hands each."""
        if options.quick:
            return cls(6, 200, 60, 400, 4000)
        return cls(20, options.hands or 2000, 1000, 4000, None)


# Hands ---------------------------------------------------------------------------------------------


def spectator(hand: Hand) -> Hand:
    """The hand as somebody saw it who was dealt no cards: only shown cards are known."""
    shown = [sight is Sight.SHOWN for sight in hand.sights]
    return replace(
        hand,
        hole=tuple(cards if seen else None for cards, seen in zip(hand.hole, shown, strict=True)),
        sights=tuple(Sight.SHOWN if seen else Sight.UNSEEN for seen in shown),
        observer=None,
    )


def cut_of(store: HandStore, share: float) -> int:
    """The number of the last hand of the first part."""
    return int(share * len(store))


# Models --------------------------------------------------------------------------------------------


class ShownClasses:
    """Holdings as likely as the class of their two cards was among hands shown, whatever was done."""

    def __init__(self, hands: Sequence[Hand]) -> None:
        seen = CELL_SIZES / NUM_HANDS * 169 / 2  # a little of even chances, so that nothing is impossible
        for hand in hands:
            for cards, sight in zip(hand.hole, hand.sights, strict=True):
                if sight is Sight.SHOWN and cards is not None and len(cards) == 2:
                    seen[HAND_CELLS[hand_index(*cards)]] += 1
        self._weights = (seen / CELL_SIZES)[HAND_CELLS]

    def holdings(self, view: PokerView, seat: int) -> NDArray[np.float64]:
        """How likely each holding is: the same for every seat."""
        weights = np.where((HAND_MASKS & cards_mask((*view.hole, *view.board))) == 0, self._weights, 0.0)
        found: NDArray[np.float64] = weights / weights.sum()
        return found


@lru_cache(maxsize=2)
def priors_of(store: str, cut: int, most: int, shipped: bool = False) -> "Priors":
    """What players in general do, from hands of the first part; the last ones, if there are too many.

    ``shipped``: relational trees are those that come with soulread, learned from other players.
    """
    with HandStore.open(store, read_only=True) as source:
        hands = [spectator(hand) for number, hand in source.find(Query()) if number <= cut][-most:]
    trees = default_prior() if shipped else fit_prior(hands, questions=(Question.PLAY,))
    return Priors(ShownClasses(hands), learn_prior(hands), trees)


@dataclass(frozen=True)
class Priors:
    """Models of nobody in particular."""

    shown: ShownClasses
    completed: completed.StrengthPrior
    relational: relational.RelationalPrior


def models_of(priors: Priors, game: PokerGame, hands: Sequence[Hand], player: str) -> dict[str, CardReader]:
    """All models of a player, by the names `MODELS`; ``hands`` are the player's own of the first part."""
    return {
        SHOWDOWN: priors.shown,
        "completed prior": CompletedModel(game, priors.completed),
        "completed player": CompletedModel(game, priors.completed).fit(hands, player),
        "relational prior": RelationalModel(game, priors.relational),
        "relational player": RelationalModel(game, priors.relational).fit(hands, player),
    }


# Tasks ---------------------------------------------------------------------------------------------


@kept_as("soulread.reproduce.relational_ranges:judge_player")
def judge_player(
    store: str, player: str, cut: int, learned: int, judged: int, prior: int, shipped: bool = False
) -> Values:
    """A task: learn from a player's hands up to number ``cut``, and judge those after it.

    The arrays have a row for each hand whose cards the judge knows: ``fate``; ``gains [models]`` in nats;
    ``likelier [models, 2]`` the mass of likelier holdings and of those as likely; ``top [models]`` the chance
    of one of the best quarter, and ``is_top`` whether it was one; ``round`` of the last action.
    """
    with HandStore.open(store, read_only=True) as source:
        found = list(source.find(Query(player=player)))
    first = [spectator(hand) for number, hand in found if number <= cut][-learned:]
    second = [hand for number, hand in found if number > cut]
    priors = priors_of(store, cut, prior, shipped)
    models: dict[str, CardReader] | None = None
    rows: list[tuple[float, ...]] = []
    for hand in second:
        seat = hand.seat_of(player)
        hole = hand.hole[seat]
        if hole is None or len(hole) != 2 or len(rows) >= judged:
            continue
        last = last_view(hand, seat)
        if last is None:
            continue
        view, fate = last
        if models is None:
            models = models_of(priors, view.game, first, player)
        holding = hand_index(*hole)
        tables = [model.holdings(view, seat) for model in models.values()]
        place = places_on(view.board, view.game.num_players)
        best = place >= TOP
        row = [float(fate), float(view.round), float(best[holding])]
        for chances in tables:
            row += [gain_of(chances, holding), *likelier_than(chances, holding), float(chances[best].sum())]
        rows.append(tuple(row))
    names = tuple(models or ())
    array = np.array(rows, float).reshape(len(rows), 3 + 4 * len(names))
    parts = array[:, 3:].reshape(len(rows), len(names), 4)
    return {
        "fate": array[:, 0],
        "round": array[:, 1],
        "is_top": array[:, 2],
        "gains": parts[:, :, 0],
        "likelier": parts[:, :, 1:3],
        "top": parts[:, :, 3],
        "learned": float(len(first)),
    }


def last_view(hand: Hand, seat: int) -> tuple[PokerView, int] | None:
    """What is public after a seat's last action that was no fold, and how the hand ended for the seat.

    None if the seat did nothing but fold.
    """
    view, folded = None, False
    for state, action in decisions(game_of_holdem(hand), hand.actions, hand.board, hand.hole):
        if state.player == seat:
            folded = action == FOLD
            if not folded:
                view = replace(public_view(state.apply(action)), players=hand.players)
    if view is None:
        return None
    return view, FOLDED if folded else SHOWN if hand.sights[seat] is Sight.SHOWN else UNSEEN


# The experiment ------------------------------------------------------------------------------------


def ranges(options: Options) -> Report:
    """Judge ranges on all files that were given."""
    setup = Setup.of(options)
    sources: dict[str, list[Task]] = {}
    for path in map(Path, options.data):
        store = hands_of(replace(options, data=(str(path),)), setup.read, limit=False)
        if store is not None:
            name, tasks = _tasks(store, setup)
            sources.setdefault(name, []).extend(tasks)
    results = {
        result.task.key: result
        for result in options.run(task for tasks in sources.values() for task in tasks)
    }
    found = {
        name: Found([results[task.key] for task in tasks if task.key in results and _any(results[task.key])])
        for name, tasks in sources.items()
    }
    found = {name: source for name, source in found.items() if source.results}
    return Report(
        name="relational-ranges",
        title="ranges of no-limit players, judged by the cards they held",
        source="our own question to the models of Ponsen et al. (2008)",
        settings={
            "data": ", ".join(Path(path).name for path in options.data) or "no --data",
            "players": setup.players,
            "hands to learn from": setup.learned,
            "hands judged": setup.judged,
            "hands of priors": setup.prior,
            "first part": "80% of the hands of people; half where all cards are known",
        },
        tables=tuple(table for table in _tables(found) if table.measures),
        claims=tuple(claim for name, source in found.items() for claim in _claims(name, source)),
        figures=_figures(found),
        seconds=sum(result.seconds for result in results.values()),
        notes=(
            "A nat is a factor of 2.7 in the chance of the cards that were held. Even chances gain 0.",
            "A hand is judged after the player's last action that was no fold. Of people only shown cards "
            "are known, and these are not like the others; so only the source with all cards tells whether "
            "ranges are calibrated.",
        ),
    )


def _any(result: TaskResult) -> bool:
    return bool(result["fate"].size)


def _tasks(path: Path, setup: Setup) -> tuple[str, list[Task]]:
    """The kind of a source, and a task for each of its players."""
    with HandStore.open(path, read_only=True) as store:
        names = [player.name for player in store.players()[: setup.players]]
        _, sample = next(iter(store.find(Query(player=names[0]))))
        known = all(cards is not None for cards in sample.hole)
        cut = cut_of(store, 0.5 if known else 0.8)
    tasks = []
    for name in names:
        parameters: dict[str, Json] = {
            "store": str(path),
            "player": name,
            "cut": cut,
            "learned": setup.learned,
            "judged": setup.judged,
            "prior": setup.prior,
            "shipped": known,
        }
        tasks.append(Task(judge_player, parameters, VERSION))
    return KNOWN if known else PEOPLE, tasks


def _used(source: Found) -> tuple[str, ...]:
    """The models that were judged, by their order."""
    return MODELS[: source.results[0]["gains"].shape[1]]


def _fated(values: Array, result: TaskResult, fates: Sequence[int]) -> Array:
    return np.where(np.isin(result["fate"], fates), values, np.nan)


ALL = FOLDED, UNSEEN, SHOWN


def gain(model: int, fates: Sequence[int] = (SHOWN,), less: int | None = None) -> Pick:
    """Nats on the cards held, of hands that ended so; ``less`` takes off those of another model."""

    def pick(result: TaskResult) -> Array:
        own = result["gains"][:, model]
        return _fated(own if less is None else own - result["gains"][:, less], result, fates)

    return pick


def covered(model: int, mass: float, fates: Sequence[int] = ALL) -> Pick:
    """Whether the cards lie in the likeliest holdings that have this mass; ties count in part."""

    def pick(result: TaskResult) -> Array:
        return _fated(share_covered(result["likelier"][:, model], mass), result, fates)

    return pick


def top(model: int, low: int, predicted: bool) -> Pick:
    """Chances of one of the best quarter that lie in one tenth, or whether it was one there."""

    def pick(result: TaskResult) -> Array:
        chance = result["top"][:, model]
        return np.where(in_tenth(chance, low), chance if predicted else result["is_top"], np.nan)

    return pick


def _tables(sources: Mapping[str, Found]) -> Iterator[ResultTable]:
    fates = {"shown": (SHOWN,), "folded": (FOLDED,), "won unseen": (UNSEEN,), "all": ALL}
    measures = [
        Measure(f"{name}: {words} ({_count(source, chosen):,})", model, source.mean(gain(number, chosen)))
        for name, source in sources.items()
        for words, chosen in fates.items()
        if _count(source, chosen)
        for number, model in enumerate(_used(source))
    ]
    note = "log P(cards) beyond even chances, after the player's last action that was no fold."
    yield ResultTable("gain", "nats per hand", tuple(measures), count_samples(measures, "players"), note, 3)
    measures = [
        Measure(f"{name}: {model}", f"likeliest {mass:.0%}", percent(source.mean(covered(number, mass))))
        for name, source in sources.items()
        for number, model in enumerate(_used(source))
        for mass in COVERED
    ]
    note = "How often the cards lie in the smallest set of holdings that has this mass."
    yield ResultTable(
        "calibration", "% of hands", tuple(measures), count_samples(measures, "players"), note, 1
    )


def _count(source: Found, fates: Sequence[int]) -> int:
    return sum(source.count(fate) for fate in fates)


def _claims(name: str, source: Found) -> Iterator[Claim]:
    used = _used(source)

    def text(number: Estimate | None) -> str:
        return "nothing shown" if number is None else f"{number.text(3)} nats"

    for number, model in enumerate(used):
        found = source.mean(gain(number))
        yield Claim.judged(
            f"{name}: {model} knows more of cards shown than that all are alike", above(found), text(found)
        )
    for mine, other in (
        ("completed prior", SHOWDOWN),
        ("completed player", "completed prior"),
        ("relational prior", SHOWDOWN),
        ("relational player", "relational prior"),
        ("relational player", "completed player"),
    ):
        if mine in used and other in used:
            more = source.mean(gain(used.index(mine), less=used.index(other)))
            yield Claim.judged(f"{name}: {mine} is ahead of {other} on cards shown", above(more), text(more))
    if name == KNOWN:
        for number, model in enumerate(used):
            yield _calibrated(source, number, model)


def _calibrated(source: Found, number: int, model: str) -> Claim:
    shares = {mass: source.mean(covered(number, mass)) for mass in COVERED}
    conditions: list[Condition] = [
        within(share, mass - CALIBRATED, mass + CALIBRATED) for mass, share in shares.items()
    ]
    return Claim.judged(
        f"with all cards known, ranges of {model} are calibrated to within {CALIBRATED:.0%} at "
        + ", ".join(f"{mass:.0%}" for mass in COVERED),
        all_of(conditions),
        "; ".join(
            f"the likeliest {mass:.0%} hold "
            + ("nothing" if share is None else f"{share.scaled(100).text(1)} %")
            for mass, share in shares.items()
        ),
    )


def _figures(sources: Mapping[str, Found]) -> tuple[Figure, ...]:
    if not sources:
        return ()
    return (
        Figure(
            "coverage",
            "Share of hands whose cards are among the likeliest holdings of a given mass. Calibrated ranges "
            "lie on the diagonal, too sure ones below it.",
            tuple(
                coverage_panel(
                    name,
                    source,
                    {model: partial(covered, number) for number, model in enumerate(_used(source))},
                    "share of hands",
                )
                for name, source in sources.items()
            ),
            columns=len(sources),
        ),
        Figure(
            "reliability",
            "How often a player held one of the best quarter of hands, where that was predicted with a "
            "chance, in tenths; 95% intervals over players.",
            tuple(
                reliability_panel(
                    name,
                    source,
                    {model: partial(top, number) for number, model in enumerate(_used(source))},
                    "predicted chance of the best quarter",
                )
                for name, source in sources.items()
            ),
            columns=len(sources),
        ),
    )
