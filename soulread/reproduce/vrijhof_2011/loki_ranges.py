"""How good are the ranges that Loki's models predict, and are they calibrated? Our own question to V11.

Models are judged on cards that were really held (`soulread.reproduce.kit.range_scores`), from three sources:

    ring       our own simulation: six Lokis of different styles at `ring-limit:6`
    heads-up   our own simulation: players of other kinds, by rules of thumb or fitted to real players
    people     hands from files (``--data``): the players with the most hands, in the order of time

In simulations the judge also knows the cards of hands that were folded or won without a showdown. So one can
see how much hands that are shown differ from all hands. The models see what a spectator sees.

A sample behind an interval is a match, or a player of the files: hands of one player are not independent.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache, partial
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from soulread.estimate import Estimate
from soulread.games.named import parse_game
from soulread.hands.store import Query
from soulread.hands.store import Store as HandStore
from soulread.play.agent import Agent
from soulread.play.catalogue.known import parse_agent
from soulread.play.match.live import LiveHand
from soulread.play.match.matches import Match
from soulread.report.figures import Curve, Figure, Panel
from soulread.reproduce.kit.calibration import (
    BINS,
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
from soulread.reproduce.kit.range_scores import (
    BASE_RATE,
    CLASSES,
    EXPONENTS,
    FOLDED,
    KINDS,
    MODELS,
    ROUNDS,
    SHOWN,
    Judged,
)
from soulread.reproduce.kit.report import Claim, Measure, Report, ResultTable, count_samples
from soulread.reproduce.kit.verdict import above, all_of, any_of, below, within
from soulread.tasks import Json, Task, TaskResult, Values, in_turn, kept_as

VERSION = 3  # raise it when models, agents or scores change under the same names
RING, HEADS_UP, PEOPLE = "ring", "heads-up", "people"
RING_GAME = "ring-limit:6"
STYLES = "tight-passive", "tight-aggressive", "loose-passive", "loose-aggressive", "medium", "loose"
PAIRS = (10, 0), (17, 6), (25, 12), (31, 3)
"""Who meets heads-up: the number of a player by rules, and of one fitted to a real player."""

GOM, SOM, DAVIDSON, THRESHOLDS = "gom", "som", "som, davidson", "som, thresholds"
NAMES = tuple(MODELS)
KNOWN = 0, 50, 200, 1000  # hands known before, at least
_MOST_PROBABLE = 1e-9  # a model that gave an action no chance at all is charged as if it gave this much


@dataclass(frozen=True)
class Setup:
    """Sizes of the experiment."""

    matches: int
    hands: int  # of a match
    players: int  # of the files
    hands_each: int | None  # of a player of the files; None: all
    read: int | None  # hands of the files; None: all
    seed: int

    @classmethod
    def of(cls, options: Options) -> "Setup":
        """Twenty matches of 1,000 hands and 24 players; quick: four of 60, and 6 players of up to 200."""
        quick = options.quick
        return cls(
            matches=options.matches or (4 if quick else 20),
            hands=options.hands or (60 if quick else 1000),
            players=6 if quick else 24,
            hands_each=options.hands or (200 if quick else None),
            read=6000 if quick else None,
            seed=options.seed,
        )

    def match(self, source: str, number: int) -> Task:
        """A match of the ring, or of a pair of players heads-up."""
        game, agents = RING_GAME, [f"loki:model=gom,use=RB,style={style}" for style in STYLES]
        if source == HEADS_UP:
            rule, person = PAIRS[number % len(PAIRS)]
            game, agents = "limit", [f"rule:number={rule}", f"person:number={person}"]
        parameters: dict[str, Json] = {
            "game": game,
            "agents": agents,
            "hands": self.hands,
            "seed": self.seed,
            "number": number,
        }
        return Task(judge_match, parameters, VERSION)

    def person(self, hands: Path, player: int) -> Task:
        """All hands of one player of the files; ``player`` 0 has the most."""
        parameters: dict[str, Json] = {"store": str(hands), "player": player, "hands": self.hands_each}
        return Task(judge_person, parameters, VERSION)


# Tasks.


@kept_as("soulread.reproduce.loki_ranges:judge_match")
def judge_match(game: str, agents: Sequence[str], hands: int, seed: int, number: int) -> Values:
    """A task: play a match and judge the models of every player; see `Judged.values` for the arrays."""
    rules = parse_game(game)
    match = Match(rules, tuple(_agent(text, game, seat) for seat, text in enumerate(agents)), hands)
    judged = [Judged(label) for label in match.labels]

    def judge(played: LiveHand) -> None:
        dealer, spectator = played.seen_by_dealer(), played.seen_by(None)
        for one in judged:
            one.add(dealer, spectator)

    match.play(seed, number, record=judge)
    found = [one.values() for one in judged]
    return {name: np.concatenate([values[name] for values in found]) for name in found[0]}


@lru_cache(maxsize=len(STYLES))
def _agent(text: str, game: str, seat: int) -> Agent:
    return parse_agent(text).make(parse_game(game))


@kept_as("soulread.reproduce.loki_ranges:judge_person")
def judge_person(store: str, player: int, hands: int | None) -> Values:
    """A task: judge the models of one player of a store in the order of time, up to so many hands."""
    with HandStore.open(store, read_only=True) as source:
        name = source.players()[player].name
        found = [hand for _, hand in source.find(Query(player=name))]
    found.sort(key=lambda hand: hand.time or _NO_TIME)
    judged = Judged(name)
    for hand in found[:hands]:
        judged.add(hand)
    return judged.values()


_NO_TIME = datetime.fromtimestamp(0, UTC)


# The experiment.


def ranges(options: Options) -> Report:
    """Judge the models on simulations, and on people if there are data."""
    setup = Setup.of(options)
    sources: dict[str, list[Task]] = {
        name: [setup.match(name, number) for number in range(setup.matches)] for name in (RING, HEADS_UP)
    }
    people = hands_of(options, setup.read)
    if people is not None:
        with HandStore.open(people, read_only=True) as store:
            count = min(setup.players, len(store.players()))
        sources[PEOPLE] = [setup.person(people, player) for player in range(count)]
    results = {result.task.key: result for result in options.run(in_turn(list(sources.values())))}
    found = {
        name: Found([results[task.key] for task in tasks if task.key in results])
        for name, tasks in sources.items()
    }
    found = {name: source for name, source in found.items() if source.results}
    return Report(
        name="loki-ranges",
        title="ranges that Loki's models predict, judged by the cards",
        source="our own question to the models of Billings et al. (1998, 1999) and Davidson et al. (2000)",
        settings={
            "ring": f"{setup.matches} matches of {setup.hands:,} hands at {RING_GAME}: {', '.join(STYLES)}",
            "heads-up": f"as many, of players by rules and fitted players: {PAIRS}",
            "people": ", ".join(Path(path).name for path in options.data) or "no --data",
            "players": setup.players,
            "hands of a player": setup.hands_each or "all",
            "seed": setup.seed,
        },
        tables=tuple(table for make in _TABLES for table in make(found) if table.measures),
        claims=tuple(claim for name, source in found.items() for claim in _claims(name, source)),
        figures=_figures(found),
        seconds=sum(result.seconds for result in results.values()),
        notes=(
            "A nat is a factor of 2.7 in the chance of the cards that were held. Even chances gain 0.",
            "Models are told apart by tables re-weighted by triples, where they do not say thresholds.",
            "What others do after the player's last action tells nothing about the player's cards. So after "
            "that action hands that are shown can be judged like all others that were not folded.",
        ),
    )


def _model(name: str) -> int:
    return NAMES.index(name)


def _where(values: Array, condition: NDArray[np.bool_]) -> Array:
    return np.where(condition, values, np.nan)


def last_gain(result: TaskResult, model: str) -> Array:
    """``[hands]`` nats after the player's last action in the hand."""
    last = result["last"].astype(np.int64)
    found: Array = result["gains"][np.arange(last.size), _model(model), last]
    return found


def shown_gain(model: str, less: str | None = None) -> Pick:
    """Nats on the cards shown, after the last action; ``less`` takes off those of another model."""

    def pick(result: TaskResult) -> Array:
        gain = last_gain(result, model) - (0.0 if less is None else last_gain(result, less))
        return _where(gain, result["fate"] == SHOWN)

    return pick


def softened_gain(model: str, at: int) -> Pick:
    """The same with chances to the power of ``EXPONENTS[at]``."""
    return lambda result: _where(result["tempered"][:, _model(model), at], result["fate"] == SHOWN)


def covered(model: str, mass: float) -> Pick:
    """Whether the shown cards lie in the likeliest holdings that have this mass; ties count in part."""

    def pick(result: TaskResult) -> Array:
        return _where(share_covered(result["likelier"][:, _model(model)], mass), result["fate"] == SHOWN)

    return pick


def loss(column: str, less: str | None = None) -> Pick:
    """Nats lost on an action with more than one choice; ``less`` takes off those of another model."""

    def one(result: TaskResult, name: str) -> Array:
        row = 0 if name == BASE_RATE else 1 + _model(name)
        action = result["action action"].astype(np.int64)
        chance = result["action chances"][np.arange(action.size), row, action]
        return _where(-np.log(np.maximum(chance, _MOST_PROBABLE)), result["action legal"].sum(axis=1) > 1)

    return lambda result: one(result, column) - (0.0 if less is None else one(result, less))


# Tables.


def _table(
    title: str, unit: str, measures: Sequence[Measure], note: str = "", digits: int = 3
) -> Iterator[ResultTable]:
    yield ResultTable(
        title, unit, tuple(measures), count_samples(measures, "matches or players"), note, digits
    )


Sources: TypeAlias = Mapping[str, Found]


def _gains(sources: Sources) -> Iterator[ResultTable]:
    measures = [
        Measure(f"{name} ({source.count(SHOWN):,} shown)", model, source.mean(shown_gain(model)))
        for name, source in sources.items()
        for model in NAMES
    ]
    note = "log P(cards) after the player's last action, beyond even chances."
    yield from _table("gain on cards shown", "nats per hand", measures, note, 2)
    measures = []
    for name, source in sources.items():
        for fate, words in enumerate(("folded", "not folded, not shown", "shown")):
            if source.count(fate):
                row = f"{name}: {words} ({source.count(fate):,})"
                measures += [
                    Measure(row, model, source.mean(_fated(model, fate))) for model in (GOM, SOM, DAVIDSON)
                ]
    note = "In simulations the judge knows all cards. After a fold the fold counts as well."
    yield from _table("gain by how the hand ended", "nats per hand", measures, note, 2)
    measures = []
    for name, source in sources.items():
        for round in range(ROUNDS):
            measures += [
                Measure(f"{name}: {_ROUND_NAMES[round]}", model, source.mean(_at_round(model, round)))
                for model in NAMES
            ]
    yield from _table("gain on cards shown, by the round so far", "nats per hand", measures, "", 2)


_ROUND_NAMES = "before the flop", "flop", "turn", "river"


def _fated(model: str, fate: int) -> Pick:
    return lambda result: _where(last_gain(result, model), result["fate"] == fate)


def _at_round(model: str, round: int) -> Pick:
    return lambda result: _where(result["gains"][:, _model(model), round], result["fate"] == SHOWN)


def _learning(sources: Sources) -> Iterator[ResultTable]:
    measures = []
    for name, source in sources.items():
        for low, high in _spans():
            row = f"{name}: {_span_text(low, high)}"
            found = [source.mean(_known(model, low, high)) for model in (GOM, SOM, DAVIDSON)]
            if found[0] is not None:
                measures += [
                    Measure(row, model, each) for model, each in zip((GOM, SOM, DAVIDSON), found, strict=True)
                ]
    yield from _table(
        "gain on cards shown, by hands of the player known before", "nats per hand", measures, "", 2
    )


def _spans() -> list[tuple[int, int | None]]:
    return list(zip(KNOWN, [*KNOWN[1:], None], strict=True))


def _span_text(low: int, high: int | None) -> str:
    return f"{low:,} or more" if high is None else f"{low:,} to {high - 1:,}"


def _known(model: str, low: int, high: int | None) -> Pick:
    def pick(result: TaskResult) -> Array:
        known = result["known"]
        return _where(
            last_gain(result, model),
            (result["fate"] == SHOWN) & (known >= low) & (known < (np.inf if high is None else high)),
        )

    return pick


def _softened(sources: Sources) -> Iterator[ResultTable]:
    measures = [
        Measure(f"{name}: {model}", f"{power:g}", source.mean(softened_gain(model, at)))
        for name, source in sources.items()
        for model in NAMES
        for at, power in enumerate(EXPONENTS)
    ]
    note = "Every chance of a table to this power: 1 is the model itself, less is more careful, 0 gains 0."
    yield from _table("gain on cards shown, of tables to a power", "nats per hand", measures, note, 2)


def _coverage(sources: Sources) -> Iterator[ResultTable]:
    measures = [
        Measure(f"{name}: {model}", f"likeliest {mass:.0%}", percent(source.mean(covered(model, mass))))
        for name, source in sources.items()
        for model in NAMES
        for mass in COVERED
    ]
    note = "How often the cards shown lie in the smallest set of holdings that has this mass."
    yield from _table("calibration of ranges", "% of hands shown", measures, note, 1)


def _strengths(sources: Sources) -> Iterator[ResultTable]:
    measures = []
    for name, source in sources.items():
        for kind, (low, high) in enumerate(pairwise(CLASSES)):
            row = f"{name}: {low:.0%} to {high:.0%}"
            measures.append(Measure(row, "shown", percent(source.mean(_in_class(kind)))))
            measures += [
                Measure(row, model, percent(source.mean(_expected_class(model, kind)))) for model in NAMES
            ]
    note = "Classes of the holding among all that the board leaves, the weakest first, at the last action."
    yield from _table("strength of cards shown, and as predicted", "% of hands shown", measures, note, 1)


def _in_class(kind: int) -> Pick:
    return lambda result: _where((result["strength"] == kind).astype(float), result["fate"] == SHOWN)


def _expected_class(model: str, kind: int) -> Pick:
    return lambda result: _where(result["classes"][:, _model(model), kind], result["fate"] == SHOWN)


def _bias(sources: Sources) -> Iterator[ResultTable]:
    """How hands that are shown differ from all that were in at the same point."""
    measures = []
    for name, source in sources.items():
        if not source.count(FOLDED):
            continue
        for round in range(ROUNDS):
            for words, shown in (("all", None), ("shown later", True), ("never shown", False)):
                row = f"{name}: {_ROUND_NAMES[round]}, {words}"
                measures.append(Measure(row, "truth", percent(source.mean(placed(0, round, shown)))))
                measures += [
                    Measure(row, model, percent(source.mean(placed(1 + _model(model), round, shown))))
                    for model in (GOM, SOM, DAVIDSON)
                ]
    note = (
        "Share of holdings that are weaker, after the round's last action; of hands not folded in the round."
    )
    yield from _table("hands shown and all hands: mean strength", "% of holdings", measures, note, 1)


def placed(row: int, round: int, shown: bool | None = None) -> Pick:
    """Mean strength after a round, of hands that went on: the truth (row 0) or as a model expects."""

    def pick(result: TaskResult) -> Array:
        went_on = (result["fate"] != FOLDED) | (result["last"] > round)
        if shown is not None:
            went_on &= (result["fate"] == SHOWN) == shown
        return _where(result["places"][:, row, round], went_on)

    return pick


def _told(sources: Sources) -> Iterator[ResultTable]:
    """What each kind of action told the models about the cards."""
    bounds = ((0.0, 0.5, "weaker half"), (0.5, 0.75, "next quarter"), (0.75, 1.01, "best quarter"))
    measures = []
    for name, source in sources.items():
        for kind, verb in enumerate(KINDS):
            for low, high, words in bounds:
                row = f"{name}: {verb}, {words}"
                found = [source.mean(_by_step(model, kind, low, high)) for model in NAMES]
                if found[0] is not None:
                    measures += [Measure(row, model, each) for model, each in zip(NAMES, found, strict=True)]
    note = "By the strength of the cards really held, in all hands whose cards the judge knows."
    yield from _table("gain by one action", "nats per action", measures, note, 2)


def _by_step(model: str, kind: int, low: float, high: float) -> Pick:
    def pick(result: TaskResult) -> Array:
        place = result["step place"]
        wanted = (result["step kind"] == kind) & (place >= low) & (place < high)
        return _where(result["step gains"][:, _model(model)], wanted)

    return pick


def _losses(sources: Sources) -> Iterator[ResultTable]:
    measures = [
        Measure(name, column, source.mean(loss(column)))
        for name, source in sources.items()
        for column in (BASE_RATE, *NAMES)
    ]
    note = (
        "-log of the chance of the action taken, where there was a choice. The base rate is the player's own "
        "so far, among the same legal actions, whatever the round and the bets to call."
    )
    yield from _table("log-loss of actions", "nats per action", measures, note)


def _raises(sources: Sources) -> Iterator[ResultTable]:
    measures = []
    for name, source in sources.items():
        for low in range(BINS):
            for model in (GOM, SOM, DAVIDSON):
                predicted, observed = (source.mean(raising(model, low, what)) for what in (True, False))
                if predicted is not None:
                    row = f"{name}: {10 * low} to {10 * low + 10}%"
                    measures.append(Measure(row, f"{model}, predicted", 100 * predicted.mean))
                    measures.append(Measure(row, f"{model}, observed", percent(observed)))
    yield from _table("chance of a bet or raise, predicted and observed", "%", measures, "", 1)


def raising(model: str, low: int, predicted: bool) -> Pick:
    """Predicted chances to raise of one tenth, or whether a raise came where they were predicted."""

    def pick(result: TaskResult) -> Array:
        chance = result["action chances"][:, 1 + _model(model), 2]
        wanted = (result["action legal"][:, 2] > 0) & in_tenth(chance, low)
        return _where(chance if predicted else (result["action action"] == 2).astype(float), wanted)

    return pick


def raise_error(source: Found, model: str) -> Estimate:
    """The mean distance between predicted and observed chances to raise, over the tenths, 0 to 1.

    A distance is no mean over tasks, so its error is that of the jackknife, which leaves out each task once.
    """
    count = len(source.results)
    whole = _distance(source, model)
    if count < 2:
        return Estimate(whole, math.nan, 1)
    parts = np.array(
        [_distance(Found([*source.results[:i], *source.results[i + 1 :]]), model) for i in range(count)]
    )
    return Estimate(whole, math.sqrt((count - 1) * float(parts.var())), count)


def _distance(source: Found, model: str) -> float:
    total, off = 0, 0.0
    for low in range(BINS):
        predicted, came = (source.all(raising(model, low, what)) for what in (True, False))
        seen = ~np.isnan(predicted)
        if seen.any():
            total += int(seen.sum())
            off += abs(float((predicted[seen] - came[seen]).sum()))
    return off / total if total else math.nan


_TABLES: tuple[Callable[[Sources], Iterator[ResultTable]], ...] = (
    *(_gains, _learning, _softened, _coverage, _strengths, _bias, _told, _losses, _raises),
)


# Claims: our own questions.


def _claims(name: str, source: Found) -> Iterator[Claim]:
    def text(number: Estimate | None, unit: str = "nats") -> str:
        return "nothing shown" if number is None else f"{number.text(2)} {unit}"

    for model in (GOM, SOM):
        gain = source.mean(shown_gain(model))
        yield Claim.judged(
            f"{name}: {model} knows more of the cards shown than that all are alike",
            above(gain),
            text(gain),
            _TOO_SURE,
        )
    powers = [source.mean(softened_gain(SOM, at)) for at in range(len(EXPONENTS))]
    best = int(np.argmax([-np.inf if power is None else power.mean for power in powers]))
    yield Claim.judged(
        f"{name}: softened to some power, som does",
        any_of(above(power) for power in powers),
        f"{text(powers[best])} at {EXPONENTS[best]:g}",
    )
    for mine, other, words in (
        (SOM, GOM, "som is ahead of gom on cards shown"),
        (DAVIDSON, SOM, "davidson's contexts are ahead of the 12, for som"),
        (SOM, THRESHOLDS, "triples are ahead of thresholds, for som"),
    ):
        more = source.mean(shown_gain(mine, other))
        yield Claim.judged(f"{name}: {words}", above(more), text(more))
    for model in (SOM, DAVIDSON):
        shares = {mass: source.mean(covered(model, mass)) for mass in COVERED}
        yield Claim.judged(
            f"{name}: the ranges of {model} are calibrated, to within {CALIBRATED:.0%} at {_masses()}",
            all_of(within(share, mass - CALIBRATED, mass + CALIBRATED) for mass, share in shares.items()),
            "; ".join(
                f"the likeliest {mass:.0%} hold {text(percent(share), '%')}" for mass, share in shares.items()
            ),
            _why_not(shares),
        )
    for mine, other in ((GOM, BASE_RATE), (SOM, GOM), (SOM, BASE_RATE), (DAVIDSON, SOM)):
        less = source.mean(loss(mine, other))
        yield Claim.judged(
            f"{name}: {mine} foresees actions better than {_the(other)}",
            below(less),
            f"log-loss {'not measured' if less is None else less.text(3)} nats more",
        )
    for model in (SOM, DAVIDSON):
        off = raise_error(source, model)
        yield Claim.judged(
            f"{name}: the chances to raise of {model} are calibrated, to within {CALIBRATED:.0%} on average",
            below(off, CALIBRATED),
            f"off by {off.scaled(100).text(1)} points",
        )
    if source.count(FOLDED):
        apart = source.mean(_shown_less_all)
        yield Claim.judged(
            f"{name}: after the flop, hands shown later are as strong as all, to within {CALIBRATED:.0%}",
            within(apart, -CALIBRATED, CALIBRATED),
            "nothing shown" if apart is None else f"{apart.scaled(100).text(1)} points of strength more",
        )


def _shown_less_all(result: TaskResult) -> Array:
    """Strength after the flop of hands shown later, less the mean of all of the match that went on."""
    everybody = placed(0, 1)(result)
    mean = np.nanmean(everybody) if (~np.isnan(everybody)).any() else np.nan
    return placed(0, 1, shown=True)(result) - mean


def _masses() -> str:
    return ", ".join(f"{mass:.0%}" for mass in COVERED)


def _the(column: str) -> str:
    return f"the {column}" if column == BASE_RATE else column


_TOO_SURE = (
    "Tables are too sure: fewer of the cards shown lie among the likeliest holdings than should. The table "
    "of powers says how much less they should be believed, that of single actions where it comes from."
)
_TOO_CAREFUL = (
    "Tables are too careful: more of the cards shown lie among the likeliest holdings than should. These "
    "players keep closer to their bars than spread and doubt allow, which were chosen on hands of people."
)


def _why_not(shares: Mapping[float, Estimate | None]) -> str:
    """In which direction ranges are off."""
    off = sum(share.mean - mass for mass, share in shares.items() if share is not None)
    return _TOO_CAREFUL if off > 0 else _TOO_SURE


# Figures.


def _figures(sources: Sources) -> tuple[Figure, ...]:
    if not sources:
        return ()
    return (
        Figure(
            "calibration",
            "Share of cards shown among the likeliest holdings of a given mass; calibrated ranges lie on the "
            "diagonal, too sure ones below it.",
            tuple(
                coverage_panel(name, source, {m: partial(covered, m) for m in _DRAWN}, "share of cards shown")
                for name, source in sources.items()
            ),
            columns=len(sources),
        ),
        Figure(
            "raises",
            "Observed share of bets and raises where they were predicted with a chance, in tenths; 95% "
            "intervals.",
            tuple(
                reliability_panel(
                    name,
                    source,
                    {model: partial(raising, model) for model in (GOM, SOM, DAVIDSON)},
                    "predicted chance to raise",
                )
                for name, source in sources.items()
            ),
            columns=len(sources),
        ),
        Figure(
            "powers",
            "Gain on cards shown if every chance is taken to a power; 1 is the model itself. 95% intervals.",
            tuple(_power_panel(name, source) for name, source in sources.items()),
            columns=len(sources),
        ),
    )


_DRAWN = GOM, SOM, DAVIDSON, THRESHOLDS


def _power_panel(name: str, source: Found) -> Panel:
    curves = []
    for model in _DRAWN:
        found = [source.mean(softened_gain(model, at)) for at in range(len(EXPONENTS))]
        gains = [each for each in found if each is not None and each.n > 1]
        if len(gains) == len(EXPONENTS):
            curves.append(
                Curve(
                    model,
                    EXPONENTS,
                    tuple(each.mean for each in gains),
                    tuple(each.interval[0] for each in gains),
                    tuple(each.interval[1] for each in gains),
                )
            )
    return Panel(name, "power", "nats per hand shown", tuple(curves))
