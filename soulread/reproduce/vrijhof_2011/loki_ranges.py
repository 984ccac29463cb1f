"""The ranges that Loki's models predict: are they good, and are they calibrated? Our own question to V11.

Models are judged on cards that were really held (`soulread.reproduce.kit.ranges.scores`), from three sources:

    ring       our own simulation: six Lokis of different styles at `ring-limit:6`
    heads-up   our own simulation: players of other kinds, by rules of thumb or fitted to real players
    people     hands from files (``--data``): the players with the most hands, in the order of time

In simulations the judge also knows the cards of hands that were folded or won without a showdown. So one can
see how much hands that are shown differ from all hands. The models see what a spectator sees.

A sample behind an interval is a match, or a player of the files: hands of one player are not independent.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import numpy as np

from soulread.estimate import Estimate
from soulread.games.named import parse_game
from soulread.hands.store import Query
from soulread.hands.store import Store as HandStore
from soulread.play.match.live import LiveHand
from soulread.play.match.matches import Match
from soulread.reproduce.kit.data import hands_of
from soulread.reproduce.kit.experiment import RunOptions
from soulread.reproduce.kit.ranges.calibration import (
    CALIBRATED,
    COVERED,
    Array,
    Pick,
    TaskMeans,
    calibrated,
    named_pick,
    sources_of,
)
from soulread.reproduce.kit.ranges.scores import BASE_RATE, EXPONENTS, FOLDED, Judged
from soulread.reproduce.kit.report import Claim, Report, worded
from soulread.reproduce.kit.rings import seated_agent
from soulread.reproduce.kit.task_grid import TaskGrid
from soulread.reproduce.kit.verdict import above, any_of, below, within
from soulread.reproduce.vrijhof_2011.loki_range_scores import (
    DAVIDSON,
    GOM,
    SOM,
    THRESHOLDS,
    covered,
    loss,
    placed,
    raise_error,
    shown_gain,
    softened_gain,
)
from soulread.reproduce.vrijhof_2011.loki_range_tables import figures_of, tables_of
from soulread.tasks import Json, Task, TaskResult, Values, kept_as

VERSION = 4  # raise it when models, agents or scores change under the same names
RING, HEADS_UP, PEOPLE = "ring", "heads-up", "people"
RING_GAME = "ring-limit:6"
STYLES = "tight-passive", "tight-aggressive", "loose-passive", "loose-aggressive", "medium", "loose"
PAIRS = (10, 0), (17, 6), (25, 12), (31, 3)
"""The pairs that meet heads-up: numbers of a player by rules, and of one fitted to a real player."""


@dataclass(frozen=True)
class LokiRangesSetup:
    """Sizes of the experiment."""

    matches: int
    hands: int  # of a match
    players: int  # of the files
    hands_each: int | None  # of a player of the files; None: all
    read: int | None  # hands of the files; None: all
    seed: int

    @classmethod
    def of(cls, options: RunOptions) -> "LokiRangesSetup":
        """Twenty matches of 1,000 hands and 24 players; quick: four of 60, and 6 players of up to 200."""
        each = (options.hands or 200, options.hands)
        sizes = options.sizes(
            matches=(4, 20), hands=(60, 1000), players=(6, 24), hands_each=each, read=(6000, None)
        )
        return cls(**sizes)

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


@kept_as("soulread.reproduce.loki_ranges:judge_match")
def judge_match(game: str, agents: Sequence[str], hands: int, seed: int, number: int) -> Values:
    """A task: play a match and judge the models of every player; see `Judged.values` for the arrays."""
    rules = parse_game(game)
    match = Match(rules, tuple(seated_agent(text, game, seat) for seat, text in enumerate(agents)), hands)
    judged = [Judged(label) for label in match.labels]

    def judge(played: LiveHand) -> None:
        dealer, spectator = played.seen_by_dealer(), played.seen_by(None)
        for one in judged:
            one.add(dealer, spectator)

    match.play(seed, number, record=judge)
    found = [one.values() for one in judged]
    return {name: np.concatenate([values[name] for values in found]) for name in found[0]}


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


def _count_players(hands: Path) -> int:
    with HandStore.open(hands, read_only=True) as store:
        return len(store.players())


def ranges(options: RunOptions) -> Report:
    """Judge the models on simulations, and on people if there are data."""
    setup = LokiRangesSetup.of(options)
    sources: dict[str, list[Task]] = {
        name: [setup.match(name, number) for number in range(setup.matches)] for name in (RING, HEADS_UP)
    }
    people = hands_of(options, setup.read, only_named=True)
    if people is not None:
        count = int(options.fact("players with hands", partial(_count_players, people)))
        sources[PEOPLE] = [setup.person(people, player) for player in range(min(setup.players, count))]
    grid = TaskGrid(sources)
    grid.run(options)
    found = sources_of(grid)
    return Report(
        name="loki-ranges",
        title="ranges that Loki's models predict, judged by the cards",
        source="our own question to the models of Billings et al. (1998, 1999) and Davidson et al. (2000)",
        settings={
            "ring": f"{setup.matches} matches of {setup.hands:,} hands at {RING_GAME}: {', '.join(STYLES)}",
            "heads-up": f"as many, of players by rules and fitted players: {PAIRS}",
            "people": options.data_names or "no --data",
            "players": setup.players,
            "hands of a player": setup.hands_each or "all",
            "seed": setup.seed,
        },
        tables=tuple(table for table in tables_of(found) if table.measures),
        claims=tuple(claim for name, source in found.items() for claim in _claims(name, source)),
        figures=figures_of(found),
        seconds=grid.seconds,
        notes=(
            "A nat is a factor of 2.7 in the chance of the cards that were held. Even chances gain 0.",
            "Models are told apart by tables re-weighted by triples, where they do not say thresholds.",
            "What others do after the player's last action tells nothing about the player's cards. So after "
            "that action hands that are shown can be judged like all others that were not folded.",
        ),
    )


def _claims(name: str, source: TaskMeans) -> Iterator[Claim]:
    def text(number: Estimate | None) -> str:
        return worded(number, 2, "nats", "nothing shown")

    for model in (GOM, SOM):
        gain = source.mean(shown_gain(model))
        words = f"{model} knows more of the cards shown than that all are alike"
        yield Claim.judged(f"{name}: {words}", above(gain), text(gain), _TOO_SURE)
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
        words = f"{name}: the ranges of {model} are calibrated, to within {CALIBRATED:.0%}"
        yield calibrated(words, shares, 2, _why_not(shares))
    for mine, other in ((GOM, BASE_RATE), (SOM, GOM), (SOM, BASE_RATE), (DAVIDSON, SOM)):
        less = source.mean(loss(mine, other))
        yield Claim.judged(
            f"{name}: {mine} foresees actions better than {f'the {other}' if other == BASE_RATE else other}",
            below(less),
            f"log-loss {worded(less)} nats more",
        )
    for model in (SOM, DAVIDSON):
        off = raise_error(source, model)
        yield Claim.judged(
            f"{name}: the chances to raise of {model} are calibrated, to within {CALIBRATED:.0%} on average",
            below(off, CALIBRATED),
            f"off by {off.scaled(100).text(1)} points",
        )
    if source.count(FOLDED):
        apart = source.mean(_shown_less_all())
        yield Claim.judged(
            f"{name}: after the flop, hands shown later are as strong as all, to within {CALIBRATED:.0%}",
            within(apart, -CALIBRATED, CALIBRATED),
            "nothing shown" if apart is None else f"{apart.scaled(100).text(1)} points of strength more",
        )


@named_pick
def _shown_less_all() -> Pick:
    """Strength after the flop of hands shown later, less the mean of all of the match that went on."""

    def pick(result: TaskResult) -> Array:
        everybody = placed(0, 1)(result)
        mean = np.nanmean(everybody) if (~np.isnan(everybody)).any() else np.nan
        return placed(0, 1, shown=True)(result) - mean

    return pick


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
