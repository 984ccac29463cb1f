"""The profile of one player in a store, for a coach: style, statistics, sure deviations, ranges and results.

`soulread.study.profile.deviations` defines "sure", `soulread.study.profile.population` the players of the
comparison, and `soulread.study.hands.luck` the luck that is taken out of the results. Where there are too few
hands, the profile says so and no more. Every number comes with the query that finds its hands
(`soulread.hands.claims`): the same condition decides what is counted and what the query finds.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from soulread.encoding import keys, plain_data
from soulread.errors import SoulreadError
from soulread.estimate import Estimate
from soulread.hands.claims import ClaimQuery, ClaimSource
from soulread.hands.facts import NO_TIME, POSITIONS, Facts, join_facts
from soulread.hands.hand import Cards, Hand
from soulread.hands.played import cards_of
from soulread.hands.statistics import Occasions
from soulread.hands.store import EVERYTHING, PlayKind, Query, Store, default_store, kind_records
from soulread.report.shown import ShownTable
from soulread.seqform.source import Buckets, Tell
from soulread.study.baseline.charts import ChartStudy, study_charts
from soulread.study.hands.luck import AllInLuck, won_without_luck
from soulread.study.players.remarks import PlayerRemarks, remarks_of
from soulread.study.profile.advice import MEANINGS, Meaning
from soulread.study.profile.counter import DEFAULT_CARDS, DEFAULT_TRUST, CounterStudy, find_counter
from soulread.study.profile.deviations import LEVEL, RESULTS, SureDeviation, sure_deviations
from soulread.study.profile.model_ranges import study_model
from soulread.study.profile.population import LEAST_REGULARS, REGULAR_HANDS, TESTED, PoolStanding, Population
from soulread.study.profile.ranges_by_line import LineRange, ranges_of, with_queries
from soulread.words import plural

MOST_DEVIATIONS = 10
MOST_EXAMPLES = 3  # hands for each deviation
MOST_RECORDS = 50_000  # hands whose cards are looked at: the last ones
_SURE_TIGHT, _SURE_LOOSE = 40.0, 60.0  # percentiles that an interval must not cross


@dataclass(frozen=True)
class Example:
    """A hand in which a deviation can be seen."""

    number: int  # in the store
    hand: Hand
    won: int  # chips, by the player

    JSON = keys("number", id="hand.id")


@dataclass(frozen=True, eq=False)
class Finding:
    """A sure deviation, in words."""

    deviation: SureDeviation
    title: str  # what the player does
    sentence: str
    use: str
    cost: str
    examples: tuple[Example, ...]
    query: ClaimQuery  # its occasions
    also: tuple[ClaimQuery, ...]  # those of each position in which it is sure by itself

    JSON = keys(
        "*deviation sentence query",
        also_queries="also",
        how_to_use_it="use",
        what_it_costs="cost",
        hands="examples",
    )


@dataclass(frozen=True)
class Remark:
    """Something far from the regulars that is no sure deviation."""

    standing: PoolStanding
    sentence: str
    query: ClaimQuery

    JSON = keys("sentence query")


@dataclass(frozen=True)
class StatisticLine:
    """A statistic of the player among the regulars, and its occasions."""

    standing: PoolStanding
    query: ClaimQuery

    JSON = keys("*standing query")


@dataclass(frozen=True)
class PlayingStyle:
    """The style of a player in a sentence; ``kind`` is a word for it, empty if that is not sure."""

    sentence: str
    kind: str = ""
    told: tuple[PoolStanding, ...] = ()  # the statistics in the sentence

    JSON = keys("sentence", kind=lambda style: style.kind or None)


@dataclass(frozen=True)
class Result:
    """The result of some hands in bb/100, as won and with the luck of all-ins taken out."""

    name: str
    hands: int
    won: Estimate
    adjusted: Estimate
    query: ClaimQuery | None = None

    JSON = keys("name hands too_few query", bb_per_100="won", without_all_in_luck="adjusted")

    @property
    def too_few(self) -> bool:
        """Whether the interval says nothing: more than 100 bb/100 to either side."""
        return not self.adjusted.half_width <= 100


@dataclass(frozen=True, eq=False, repr=False)
class ProfileStudy(ShownTable):
    """The whole profile of a player."""

    LINE = "{it.player}, {it.hands:,} hands beside {it.regulars} regulars"
    TABLE = "statistics"

    player: str
    room: str
    store: str
    kind: PlayKind  # the one of which the player has the most hands; nothing else is looked at
    other_kinds: tuple[tuple[PlayKind, int], ...]  # hands of each that are left out
    hands: int
    first: datetime | None
    last: datetime | None
    games: tuple[str, ...]
    regulars: int  # players compared with
    regular_hands: int  # that each of them has at least
    style: PlayingStyle
    standings: tuple[PoolStanding, ...]  # of `TESTED`, over all positions
    findings: tuple[Finding, ...]
    remarks: tuple[Remark, ...]  # what is far from the pool and is no sure deviation
    more_findings: int  # sure deviations that are not shown
    tested: int
    level: float
    results: tuple[Result, ...]  # all hands first, then by position
    luck: AllInLuck
    charts: ChartStudy  # beside the equilibria that are known
    ranges: tuple[LineRange, ...]
    counter: CounterStudy | None
    counter_note: str  # why there is no counter-strategy
    source: ClaimSource  # the hands that all claims are about
    written: PlayerRemarks  # the owner's note and labels
    recent: tuple[str, ...] = ()  # words that leave the hands whose cards were looked at, if not all were

    JSON = keys(
        "player room kind hands first last games regulars regular_hands query remarks tested level results "
        "ranges counter counter_queries counter_note",
        note="written.note",
        labels="written.labels",
        luck=lambda study: {**plain_data(study.luck), "queries": study.luck_queries},
        style=lambda study: {**plain_data(study.style), "queries": [*map(study.claim, study.style.told)]},
        statistics=lambda study: [StatisticLine(found, study.claim(found)) for found in study.standings],
        deviations="findings",
        more_deviations="more_findings",
        other_kinds=lambda study: kind_records(study.other_kinds),
        beside_the_equilibrium="charts",
    )

    @property
    def comparable(self) -> bool:
        """Whether there are regular players enough to compare with."""
        return self.regulars >= LEAST_REGULARS

    @property
    def query(self) -> ClaimQuery:
        """All hands of the profile."""
        return self.source.hands(self.hands)

    def claim(self, found: PoolStanding) -> ClaimQuery:
        """The occasions of a statistic."""
        return claim_of(self.source, found)

    @property
    def luck_queries(self) -> tuple[ClaimQuery, ClaimQuery]:
        """The all-ins before the river, and those of them with all cards known."""
        words = "showdown", "all-in-before-river", *self.recent
        return (
            self.source.hands(self.luck.all_ins, *words),
            self.source.hands(self.luck.known, *words, "all-seen"),
        )

    @property
    def counter_queries(self) -> tuple[ClaimQuery, ...]:
        """The hands behind the counter-strategies, and those of them in which cards are known."""
        if self.counter is None:
            return ()
        words = "players=2", "heads-up-limit"
        hands = [self.source.hands(self.counter.hands, *words)]
        if self.counter.curve is not None and self.counter.curve.held_out:
            hands.append(self.source.hands(self.counter.curve.held_out[0].n, *words, "seen"))
        return tuple(hands)

    @property
    def claims(self) -> tuple[ClaimQuery, ...]:
        """The hands behind every number of the profile, each once."""
        found = [self.query, *map(self.claim, self.standings)]
        for finding in self.findings:
            found += [finding.query, *finding.also]
        found += [remark.query for remark in self.remarks]
        found += [self.claim(one) for one in self.style.told]
        found += self.luck_queries
        found += [self.source.hands(habit.n, *habit.words) for habit in self.charts.habits]
        asked = [result.query for result in self.results]
        asked += [query for line in self.ranges for query in (line.query, line.seen_query)]
        found += [query for query in asked if query is not None]
        return tuple(dict.fromkeys([*found, *self.counter_queries]))


def study_profile(
    store: Store,
    player: str,
    query: Query = EVERYTHING,
    *,
    least: int = REGULAR_HANDS,
    modelled: bool = True,
    cards: Buckets | None = DEFAULT_CARDS,
    trust: float = DEFAULT_TRUST,
    population: Population | None = None,
    most: int = MOST_DEVIATIONS,
    tell: Tell | None = None,
) -> ProfileStudy:
    """The profile of a player, beside everybody with at least ``least`` hands.

    It is about one kind of game: limit or no-limit, cash or tournament. Without a query that narrows it, that
    is the kind of which the player has the most hands.

    If ``modelled``, a model of the player gives the ranges of hands whose cards were not seen, if there are
    hands enough of no-limit hold'em. Where there are hands enough of heads-up limit hold'em,
    counter-strategies in the card abstraction ``cards`` are valued (None leaves them out); ``trust`` is the
    most that DBR trusts its model, 0 to 1. ``population`` is that of the same hands, counted before with this
    player in it; ``most`` is how many deviations are told. ``tell`` is told what is going on.
    """
    if least < 1:
        raise SoulreadError(f"regulars of {least} hands; a regular has at least one hand")
    if not 0 <= trust <= 1:
        raise SoulreadError(f"a trust of {trust:g}; it lies between 0 and 1")
    found = store.player(player, query.room)
    number = found.number
    kinds_played = store.play_kinds(replace(query, player=player))
    if not kinds_played:
        raise SoulreadError(f"there are no such hands of {player!r} in {store.name!r}")
    (kind, _), *other_kinds = kinds_played
    query = query.of_kind(kind)
    counter, counter_note = find_counter(store, player, query, cards, trust, tell)
    charts = study_charts(store, player, query, cards=None if counter is None else cards, tell=tell)
    if tell is not None:
        tell("comparing")
    own = join_facts([facts for _, facts in store.facts(query, players=[number])])
    if population is None:
        population = Population(lambda: store.facts(query), [number], least)
    row, others, spreads, standings = population.rank(number)
    deviations, tested = sure_deviations(population, row, others, spreads) if spreads else ((), 0)
    source = ClaimSource(player, query, None if store.name == str(default_store()) else store.name)
    last = np.sort(own.seats["hand"])[-MOST_RECORDS:]
    records = dict(store.numbered(last.tolist()))
    looked_at = own.take(np.flatnonzero(np.isin(own.seats["hand"], list(records))))
    recent = () if last.size == own.seats.size else (f"number>={last[0]}",)
    results, luck = _results(own, records, source)
    unseen = study_model(records, player) if modelled else None
    times = own.seats["time"][own.seats["time"] != NO_TIME]
    kinds = store.kinds
    return ProfileStudy(
        player=player,
        room=found.room,
        store=store.name,
        kind=kind,
        other_kinds=tuple(other_kinds),
        hands=int(own.seats.size),
        first=datetime.fromtimestamp(int(times.min()), UTC) if times.size else None,
        last=datetime.fromtimestamp(int(times.max()), UTC) if times.size else None,
        games=tuple(
            f"{kinds[played].game}, big blind {kinds[played].stakes_name}"
            for played in np.unique(own.seats["kind"]).tolist()
        ),
        regulars=int(others.size),
        regular_hands=least,
        style=describe_style(standings, int(others.size)),
        standings=standings,
        findings=tuple(_finding(deviation, own, records, source) for deviation in deviations[:most]),
        remarks=tuple(remarks(standings, deviations, source)),
        more_findings=max(0, len(deviations) - most),
        tested=tested,
        level=LEVEL,
        results=results,
        luck=luck,
        charts=charts,
        ranges=with_queries(ranges_of(looked_at, cards_seen(records, player), unseen), source, *recent),
        counter=counter,
        counter_note=counter_note,
        source=source,
        written=remarks_of(store, player, query.room),
        recent=recent,
    )


# Style --------------------------------------------------------------------------------------------


def describe_style(standings: Sequence[PoolStanding], regulars: int) -> PlayingStyle:
    """The style in a sentence: looseness by VPIP, boldness by PFR before the flop and aggression after it."""
    by_name = {TESTED[found.scope.statistic].name: found for found in standings}
    loose, bold, early = by_name["VPIP"], by_name["aggression frequency"], by_name["PFR"]
    if loose.percentiles is None or regulars < LEAST_REGULARS:
        return PlayingStyle(
            f"There are {plural(regulars, 'regular player')} to compare with. A style is told from "
            f"{LEAST_REGULARS} on."
        )
    if loose.too_few and bold.too_few:
        return PlayingStyle("Too few hands for a style.")
    words = [
        _side(loose, ("very tight", "tight", "loose", "very loose"), "neither tight nor loose", "VPIP"),
        _side(early, ("raises very little", "raises little", "raises much", "raises very much"), "", "PFR"),
        _side(
            bold,
            ("very passive", "passive", "aggressive", "very aggressive"),
            "neither passive nor aggressive",
            "aggression frequency",
        ),
    ]
    first = f"{words[0][0].upper()}{words[0][1:]}"
    before = f"; before the flop the player {words[1]}" if words[1] else ""
    kind = _KINDS.get((_decided(loose), _decided(bold)), "")
    told = tuple(found for found, word in zip((loose, early, bold), words, strict=True) if word)
    return PlayingStyle(f"{first}{before}; after the flop {words[2]}.", kind, told)


_KINDS = {
    (-1, -1): "a nit: waits for strong hands, and even those seldom bet by themselves",
    (-1, 1): "tight-aggressive: few hands, and those played hard",
    (1, 1): "loose-aggressive: many hands, and many bets",
    (1, -1): "loose-passive: many hands, few bets; what players call a fish or a calling station",
}


def _decided(found: PoolStanding) -> int:
    """-1 or 1 if the whole interval is on one side of the middle of the pool; else 0."""
    if found.percentiles is None:
        return 0
    low, high = found.percentiles
    return -1 if high < _SURE_TIGHT else 1 if low > _SURE_LOOSE else 0


def _side(found: PoolStanding, words: Sequence[str], middle: str, name: str) -> str:
    """A word for a percentile, with the numbers behind it."""
    if found.rate is None or found.percentile is None or found.percentiles is None:
        return f"not known ({name}: no chances)"
    low, high = found.percentiles
    below = min(99, max(1, round(found.percentile)))
    numbers = f"{name} {found.rate:.0%}, above {below} of 100 regulars"
    if found.too_few:
        return f"not known yet ({name}: too few hands)"
    side = _decided(found)
    if not side:
        return f"{middle} ({numbers})" if middle else ""
    extreme = high < 15 or low > 85
    return f"{words[(0 if extreme else 1) if side < 0 else (3 if extreme else 2)]} ({numbers})"


# Deviations in words ------------------------------------------------------------------------------


def claim_of(source: ClaimSource, found: PoolStanding) -> ClaimQuery:
    """The occasions behind a standing."""
    scope = found.scope
    return source.occasions(TESTED[scope.statistic].name, found.n, found.count, *scope.words)


def _finding(
    deviation: SureDeviation, own: Facts, records: Mapping[int, Hand], source: ClaimSource
) -> Finding:
    found = deviation.standing
    meaning = MEANINGS[TESTED[found.scope.statistic].name]
    where = "" if found.scope.position is None else f" in {POSITIONS[found.scope.position]}"
    more = deviation.direction > 0
    assert found.rate is not None
    sentence = (
        f"{'More' if more else 'Less'} often than three of four regulars the player {meaning.does}{where}: "
        f"{_rate(found.rate)} ({_rate(found.interval[0])} to {_rate(found.interval[1])}), "
        f"the middle half of regulars {_rate(found.zone[0])} to {_rate(found.zone[1])}."
    )
    if deviation.also:
        places = ", ".join(POSITIONS[other.scope.position or 0] for other in deviation.also)
        sentence += f" Sure by itself in {places}."
    return Finding(
        deviation,
        f"{meaning.does[:1].upper()}{meaning.does[1:]}{where}",
        sentence,
        _use(meaning, more, deviation.cost),
        _cost_text(deviation.cost),
        _examples(deviation, own, records, source.player),
        claim_of(source, found),
        tuple(claim_of(source, other) for other in deviation.also),
    )


def _use(meaning: Meaning, more: bool, cost: Estimate | None) -> str:
    """The advice, unless players who do the same win by it: then nobody should be told to punish it."""
    if cost is not None and cost.interval[0] > 0:
        return (
            "Leave it alone: players who do this win more by it, so what is usually said against it "
            "does not fit here."
        )
    return meaning.more if more else meaning.less


def remarks(
    standings: Sequence[PoolStanding], deviations: Sequence[SureDeviation], source: ClaimSource
) -> Iterator[Remark]:
    """What is far from the regulars and not among the deviations, in sentences.

    These are results, such as how often showdowns are won, which nobody does on purpose and which are not
    tested; and statistics at which the player surely is among the outer tenth, but not surely outside of what
    the middle half does once all tests are taken into account.
    """
    told = {deviation.standing.scope.statistic for deviation in deviations}
    for found in standings:
        name = TESTED[found.scope.statistic].name
        if found.rate is None or found.percentile is None or found.percentiles is None:
            continue
        result = name in RESULTS
        low, high = (found.percentile, found.percentile) if result else found.percentiles
        far = found.percentile >= 95 or found.percentile <= 5 if result else low > 90 or high < 10
        if found.too_few or found.scope.statistic in told or not far:
            continue
        side = "above" if found.percentile > 50 else "below"
        part = found.percentile if found.percentile > 50 else 100 - found.percentile
        why = "it is a result, and may be luck" if result else "no sure deviation when all tests are counted"
        sentence = (
            f"{name} {_rate(found.rate)} ({_rate(found.interval[0])} to {_rate(found.interval[1])}, "
            f"n = {found.n:,.0f}) is {side} {min(99, round(part))} of 100 regulars: {why}."
        )
        yield Remark(found, sentence, claim_of(source, found))


def _rate(rate: float) -> str:
    """A rate in percent; small ones with a digit more."""
    return f"{rate:.1%}" if rate < 0.1 else f"{rate:.0%}"


def _cost_text(cost: Estimate | None) -> str:
    """The cost of a deviation, in words."""
    if cost is None:
        return "What it costs is not known."
    low, high = cost.interval
    numbers = f"{cost.mean:+.1f} bb/100 ({low:+.1f} to {high:+.1f})"
    if high < 0:
        return f"It costs: regulars who play like this win less in this spot, {numbers}."
    if low > 0:
        return f"It seems to pay: regulars who play like this win more in this spot, {numbers}. Be careful."
    return f"What it costs is not clear: {numbers} for regulars who play like this in this spot."


def _examples(
    deviation: SureDeviation, own: Facts, records: Mapping[int, Hand], player: str
) -> tuple[Example, ...]:
    """Hands that show the deviation: those with cards first, then the latest."""
    scope = deviation.standing.scope
    had, took = Occasions(own).of(TESTED[scope.statistic])
    rows = np.unique(took) if deviation.direction > 0 else np.setdiff1d(had, took)
    if scope.position is not None:
        rows = rows[own.seats["position"][rows] == scope.position]
    found = []
    for number in sorted(own.seats["hand"][rows].tolist(), reverse=True):
        hand = records.get(number)
        if hand is not None:
            seat = hand.seat_of(player)
            found.append((hand.hole[seat] is None, Example(number, hand, hand.payoffs[seat])))
            if len(found) >= 500:
                break
    found.sort(key=lambda pair: pair[0])
    return tuple(example for _, example in found[:MOST_EXAMPLES])


# Cards and results --------------------------------------------------------------------------------


def cards_seen(records: Mapping[int, Hand], player: str) -> dict[int, Cards]:
    """The player's hole cards, where both were seen."""
    seen: dict[int, Cards] = {}
    for number, hand in records.items():
        cards = cards_of(hand, hand.seat_of(player))
        if cards is not None:
            seen[number] = cards
    return seen


def _results(
    own: Facts, records: Mapping[int, Hand], source: ClaimSource
) -> tuple[tuple[Result, ...], AllInLuck]:
    """bb/100 in all hands and by position, as won and without the luck of all-ins."""
    seats = own.seats
    won = seats["won"] / np.maximum(seats["big_blind"], 1)
    adjusted, luck = won_without_luck(seats, records, source.player)
    groups: list[tuple[str, NDArray[np.int64], tuple[str, ...]]] = [("all hands", np.arange(won.size), ())]
    for code, name in enumerate(POSITIONS):
        rows = np.flatnonzero(seats["position"] == code)
        if rows.size:
            groups.append((name, rows, (f"position:{name}",)))
    results = tuple(
        Result(
            name,
            int(rows.size),
            _per_100(won[rows]),
            _per_100(adjusted[rows]),
            source.hands(int(rows.size), *words),
        )
        for name, rows, words in groups
    )
    return results, luck


def _per_100(amounts: NDArray[np.float64]) -> Estimate:
    return Estimate.of(amounts).scaled(100.0)
