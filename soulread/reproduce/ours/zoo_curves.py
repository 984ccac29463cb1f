"""Gain against hands, by family: what soul wins beyond the equilibrium as a match goes on.

The axis of hands is logarithmic. Hands are put together in bins that grow by a third, and a point stands at
the last hand of its bin. Each panel has the equilibrium (zero), what a best response gains and what a perfect
read gains within the budget, where these are known, and the promise as a dashed line.
"""

from collections.abc import Iterator, Sequence

from soulread.report.figures import Curve, Figure, Level, Panel
from soulread.reproduce.kit.figures import curve_of
from soulread.reproduce.ours.zoo_claims import MILLIBETS
from soulread.reproduce.ours.zoo_matches import ZooMatches
from soulread.reproduce.ours.zoo_records import STEP

GROWTH = 4 / 3
LEAST = 1.0  # mb/g; a limit below this is the line of the equilibrium


def bins(hands: int) -> Iterator[tuple[int, int]]:
    """The bins of a match: hands ``first`` to ``last`` (not included), in whole steps."""
    first = 0
    while first < hands:
        last = min(hands, max(first + STEP, STEP * round(GROWTH * first / STEP)))
        yield first, last
        first = last


def curves_of(found: ZooMatches, player: str, former: Sequence[str] = ()) -> tuple[Figure, ...]:
    """One figure with a panel for each family that was met; none if nobody was."""
    panels = [panel for family in found.families if (panel := _panel(found, player, family, former)).curves]
    caption = (
        f"Gain of {player} over the equilibrium as a match goes on, by family, with 95% intervals; the "
        "promise is dashed."
    )
    return (Figure("curves", caption, tuple(panels)),) if panels else ()


def _panel(found: ZooMatches, player: str, family: str, former: Sequence[str]) -> Panel:
    members = found.members(family)
    hands = max(found.hands_of(opponent) for opponent in members)

    def curve(label: str, name: str, promised: bool = False) -> Curve:
        points = [(part[1], found.curve(name, family, *part, promised=promised)) for part in bins(hands)]
        return curve_of(label, points)

    curves = [
        curve(f"{player}, won", player),
        curve(f"{player}, promised", player, promised=True),
        *(curve(name, name) for name in former),
    ]
    levels = [Level("equilibrium", 0.0)]
    for label, name in (("best response", "ceiling"), ("perfect read within the budget", "within")):
        most = found.most(family, name)
        if most is not None and most >= LEAST:
            levels.append(Level(label, most))
    met = sum(found.gain(player, opponent) is not None for opponent in members)
    return Panel(
        f"{family} ({met})",
        "hands",
        f"gain over the equilibrium, {MILLIBETS}",
        tuple(one for one in curves if one.x),
        tuple(levels),
        logarithmic=True,
    )
