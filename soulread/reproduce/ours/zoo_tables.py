"""The tables and figures of the zoo; mb/g unless they say otherwise."""

from collections.abc import Iterator, Sequence

from soulread.play.match.judges import LuckRemoval
from soulread.play.opponents.zoo import ZooOpponent
from soulread.report.figures import Curve, Figure, Level, Panel
from soulread.reproduce.kit.figures import curve_of
from soulread.reproduce.kit.means import average
from soulread.reproduce.kit.report import Measure, ResultTable, measures_of
from soulread.reproduce.ours.zoo_claims import MILLIBETS, TIMES
from soulread.reproduce.ours.zoo_matches import EQUILIBRIUM, WINDOWS, ZooMatches, pooled

SOUL = "soul"
DBBR = "dbbr, paper", "dbbr, ours"
EXPLOITER = DBBR[-1]
"""The rival in regret, beside the equilibrium: the best of today's exploiters on bent equilibria."""


def name_of(opponent: ZooOpponent) -> str:
    """Family and label of an opponent."""
    return f"{opponent.family}: {opponent.label}"


def _others(found: ZooMatches) -> list[str]:
    """The players who are compared with the equilibrium."""
    return [player for player in found.players if player != EQUILIBRIUM]


def tables_of(found: ZooMatches, budget: float, former: Sequence[str] = ()) -> Iterator[ResultTable]:
    """All tables; ``budget`` is that of soul, ``former`` names other versions of it."""
    luck = found.luck.value
    yield _by_opponent(found, luck)
    yield _by_family(found, luck)
    if found.luck is LuckRemoval.AIVAT:
        yield _by_family(found, "raw", raw=True)
    yield _by_time(found)
    yield _shares(found)
    for name in former:
        yield _compared(found, name)
    yield _worst(found, luck)
    if EXPLOITER in found.players:
        yield _regrets(found)
    yield _losses(found, budget)
    yield _lowest_times(found)
    yield _promises(found)
    yield _tenths(found)


def _by_opponent(found: ZooMatches, luck: str) -> ResultTable:
    names = {name_of(opponent): opponent for opponent in found.opponents}
    measures = measures_of(names, _others(found), lambda row, player: found.gain(player, names[row]))
    note = "What a player won more than the equilibrium against the same opponent with the same cards."
    title = f"gain over the equilibrium by opponent, {luck}"
    return ResultTable(title, MILLIBETS, measures, found.sample, note, digits=0)


def _by_family(found: ZooMatches, luck: str, raw: bool = False) -> ResultTable:
    measures, others = [], _others(found)
    for family in found.families:
        members = found.members(family)
        met = sum(found.gain(SOUL, opponent) is not None for opponent in members)
        row = f"{family} ({met})" if met == len(members) else f"{family} ({met} of {len(members)})"
        won = pooled(found.won(EQUILIBRIUM, opponent, raw=raw) for opponent in members)
        measures.append(Measure(row, "the equilibrium won", won))
        measures += [Measure(row, player, found.family_gain(player, family, raw)) for player in others]
    row = f"all {len(found.families)} families"
    for player in others:
        gains = (found.family_gain(player, family, raw) for family in found.families)
        measures.append(Measure(row, player, average(gains)))
    title = f"mean gain over the equilibrium by family, {luck}"
    note = "In brackets the number of opponents."
    return ResultTable(title, MILLIBETS, measures, found.sample, note, digits=1)


def worst_opponent(found: ZooMatches, player: str, family: str | None = None) -> ZooOpponent | None:
    """The opponent with the least gain, of a family or of all; None if nobody was met."""
    gains = {
        opponent: gain.mean
        for opponent in (found.opponents if family is None else found.members(family))
        if (gain := found.gain(player, opponent)) is not None
    }
    return min(gains, key=lambda opponent: gains[opponent], default=None)


def _worst(found: ZooMatches, luck: str) -> ResultTable:
    measures = []
    places = [(SOUL, family) for family in found.families]
    for player, family in [*places, *((player, None) for player in _others(found))]:
        opponent = worst_opponent(found, player, family)
        if opponent is not None:
            row = f"{'worst of all for ' if family is None else ''}{player}: {name_of(opponent)}"
            measures += [
                Measure(row, "gain", found.gain(player, opponent)),
                Measure(row, "won", found.won(player, opponent)),
                Measure(row, "equilibrium", found.won(EQUILIBRIUM, opponent)),
            ]
    return ResultTable(f"the worst opponents, {luck}", MILLIBETS, measures, found.sample, digits=1)


def _by_time(found: ZooMatches) -> ResultTable:
    measures = []
    for player in _others(found):
        name = "" if len(_others(found)) == 1 else f"{player}: "
        for family in found.families:
            measures += [
                Measure(f"{name}{family}", f"after {window.after:,}", found.gain_in(player, family, window))
                for window in WINDOWS
            ]
        for window in WINDOWS:
            gains = (found.gain_in(player, family, window) for family in found.families)
            measures.append(
                Measure(
                    f"{name}all {len(found.families)} families", f"after {window.after:,}", average(gains)
                )
            )
    title = "gain over the equilibrium after so many hands, by family"
    return ResultTable(title, MILLIBETS, measures, found.sample, _WINDOWS, digits=1)


_WINDOWS = "After: the means of " + ", ".join(
    f"hands {window.first:,} to {window.last:,} ({window.after:,})" for window in WINDOWS
)


def _shares(found: ZooMatches) -> ResultTable:
    measures = []
    for family in found.families:
        known = sum(
            limits is not None and limits.ceiling == limits.ceiling
            for limits in map(found.limits, found.members(family))
        )
        row = f"{family} ({known})"
        for player in _others(found) if known else ():
            name = "" if len(_others(found)) == 1 else f"{player}, "
            for title, window in (
                *((f"after {window.after:,}", window) for window in WINDOWS),
                ("mean of the match", None),
            ):
                share = found.share(player, family, window)
                measures.append(Measure(row, f"{name}{title}", None if share is None else 100 * share))
        for title, limit in (("the best response gains, mb/g", "ceiling"), ("within the budget", "within")):
            most = found.most(family, limit) if known else None
            if most is not None:
                measures.append(Measure(row, title, most))
    note = (
        "Share of what a best response gains over the equilibrium. In brackets the number of opponents whose "
        "best response is known; in limit hold'em it is that of the abstraction. No share where it gains "
        "next to nothing. Within the budget: what a perfect read gains, in mb/g, where it is known. "
        f"{_WINDOWS}."
    )
    return ResultTable("share of what a best response gains", "%", measures, note=note, digits=0)


def _compared(found: ZooMatches, former: str) -> ResultTable:
    measures = []
    for family in found.families:
        for window in WINDOWS[:2]:
            excess = pooled(
                found.excess(SOUL, former, TIMES, opponent, window) for opponent in found.members(family)
            )
            measures += [
                Measure(family, f"{former}, {window.after}", found.gain_in(former, family, window)),
                Measure(family, f"soul, {window.after}", found.gain_in(SOUL, family, window)),
                Measure(family, f"soul less {TIMES} {former}, {window.after}", excess),
            ]
    title = f"gain over the equilibrium beside {former!r}"
    note = f"Differences are paired by opponent and match, with the same cards. {_WINDOWS}."
    return ResultTable(title, MILLIBETS, measures, found.sample, note, digits=1)


def _lowest_times(found: ZooMatches) -> ResultTable:
    measures = []
    members = found.members("equilibria")
    for row, opponents in (("mean of the family", members), *((one.label, [one]) for one in members)):
        gains = found.moving_gains(SOUL, opponents)
        if gains:
            last = min(gains, key=lambda hand: gains[hand].mean)
            measures += [
                Measure(row, "lowest mean of 100 hands", gains[last]),
                Measure(row, "at hand", float(last)),
            ]
    title = "other equilibria: the time at which soul gains least"
    note = "The lowest of many means is low by chance too, the more so for a single match."
    return ResultTable(title, MILLIBETS, measures, found.sample, note, digits=1)


def _tenths(found: ZooMatches) -> ResultTable:
    measures = [
        Measure(family, str(tenth), less)
        for family in found.families
        for tenth, less in found.less_promised(SOUL, family).items()
    ]
    title = "won less promised, by tenths of the match"
    note = "Beyond the equilibrium, all hands of a tenth. Below zero: the promise was too high."
    return ResultTable(title, MILLIBETS, measures, found.sample, note, digits=0)


def _regrets(found: ZooMatches) -> ResultTable:
    measures = measures_of(
        found.families,
        found.players,
        lambda family, player: pooled(
            found.regret(player, EXPLOITER, opponent) for opponent in found.members(family)
        ),
    )
    title = f"regret against the better of equilibrium and {EXPLOITER!r}, chosen afterwards"
    note = "What the one that did better against an opponent won more. Below zero: the player beat both."
    return ResultTable(title, MILLIBETS, measures, found.sample, note, digits=1)


def _losses(found: ZooMatches, budget: float) -> ResultTable:
    measures = []
    players = [player for player in (EQUILIBRIUM, SOUL, EXPLOITER, "dbr") if player in found.players]
    for opponent in (*found.members("equilibria"), *found.members("deceivers")):
        row = name_of(opponent)
        measures += [Measure(row, player, found.won(player, opponent)) for player in players]
        if opponent.family == "deceivers":
            measures += [
                Measure(f"{row}, struck", player, found.won_after_strike(player, opponent))
                for player in players
            ]
    title = "won from other equilibria and from deceivers"
    note = f"Struck: in the hands after the strike. The budget of soul is {budget:.0f} {MILLIBETS}."
    return ResultTable(title, MILLIBETS, measures, found.sample, note, digits=1)


def _promises(found: ZooMatches) -> ResultTable:
    measures = []
    for player in _others(found):
        for family in found.families:
            kept = found.family_kept(player, family)
            if kept is not None:
                row = f"{player}: {family}"
                measures += [
                    Measure(row, "promised", kept.promised),
                    Measure(row, "won", kept.won),
                    Measure(row, "won less promised", kept.difference),
                    Measure(row, "hands with a promise, %", 100 * kept.promising),
                ]
    title = "gain over the equilibrium, promised and won, in hands with a promise"
    return ResultTable(title, MILLIBETS, measures, found.sample, digits=0)


def figures_of(found: ZooMatches) -> tuple[Figure, ...]:
    """Gains by opponent, and promises against what came of them; without those that have no points."""
    gains = [panel for family in found.families if (panel := _gain_panel(found, family)).curves]
    promises = [
        panel
        for player in (SOUL, EXPLOITER)
        if player in found.players and len((panel := _promise_panel(found, player)).curves) > 1
    ]
    gain = (
        "Gain over the equilibrium by opponent, with 95% intervals; each family in the order of what soul "
        "gains."
    )
    promise = "Promised and won, a point for each opponent, with 95% intervals."
    drawn = Figure("gains", gain, tuple(gains)), Figure("promises", promise, tuple(promises))
    return tuple(figure for figure in drawn if figure.panels)


def _gain_panel(found: ZooMatches, family: str) -> Panel:
    shown = [player for player in (SOUL, EXPLOITER, "dbr", DBBR[0]) if player in found.players]
    gains = {
        opponent: gain
        for opponent in found.members(family)
        if (gain := found.gain(SOUL, opponent)) is not None
    }
    order = sorted(gains, key=lambda opponent: gains[opponent].mean)
    curves = []
    for i, player in enumerate(shown):
        points = [
            (number + 0.18 * (i - (len(shown) - 1) / 2), gain)
            for number, opponent in enumerate(order)
            if (gain := found.gain(player, opponent)) is not None
        ]
        if points:
            curves.append(curve_of(player, points, alone=True))
    return Panel(
        family,
        "opponents, by what soul gains",
        f"gain over the equilibrium, {MILLIBETS}",
        tuple(curves),
        (Level("equilibrium", 0.0),),
        names=tuple(opponent.label for opponent in order),
    )


def _promise_panel(found: ZooMatches, player: str) -> Panel:
    curves, means = [], []
    for family in found.families:
        parts = [kept for opponent in found.members(family) if (kept := found.kept(player, opponent))]
        if parts:
            points = [(part.promised.mean, part.won) for part in parts]
            means += [x for x, _ in points]
            curves.append(curve_of(family, points, alone=True))
    ends = min([0.0, *means]), max([0.0, *means])
    return Panel(
        player,
        f"promised gain over the equilibrium, {MILLIBETS}",
        f"won, {MILLIBETS}",
        (*curves, Curve("as promised", ends, ends)),
    )
