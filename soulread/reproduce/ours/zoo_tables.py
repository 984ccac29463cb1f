"""The tables and figures of the zoo; mb/g unless they say otherwise."""

from collections.abc import Iterator

from soulread.play.opponents.zoo import ZooOpponent
from soulread.report.figures import Curve, Figure, Level, Panel
from soulread.reproduce.kit.figures import curve_of
from soulread.reproduce.kit.means import average
from soulread.reproduce.kit.report import Measure, ResultTable, measures_of
from soulread.reproduce.ours.zoo_claims import MILLIBETS
from soulread.reproduce.ours.zoo_matches import EQUILIBRIUM, ZooMatches

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


def tables_of(found: ZooMatches, luck: str, budget: float) -> Iterator[ResultTable]:
    """All tables; ``luck`` says in words what is done about luck, ``budget`` is that of soul."""
    yield _by_opponent(found, luck)
    yield _by_family(found, luck)
    if found.luckless:
        yield _by_family(found, "raw", raw=True)
    yield _worst(found, luck)
    yield _shares(found)
    yield _regrets(found)
    yield _losses(found, budget)
    yield _promises(found)


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
        won = average(found.won(EQUILIBRIUM, opponent, raw=raw) for opponent in members)
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


def _shares(found: ZooMatches) -> ResultTable:
    measures = [
        Measure(f"{family} ({known})", player, None if share is None else 100 * share)
        for family in found.families
        if (known := sum(found.ceiling(opponent) is not None for opponent in found.members(family)))
        for player in found.players
        for share in (found.share(player, family),)
    ]
    note = (
        "In brackets the number of opponents whose best response is known; in limit hold'em it is that "
        "of the abstraction. No share where it wins next to nothing."
    )
    return ResultTable("share of what a best response wins", "%", measures, note=note, digits=0)


def _regrets(found: ZooMatches) -> ResultTable:
    measures = measures_of(
        found.families,
        found.players,
        lambda family, player: average(
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
