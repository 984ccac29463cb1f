"""Leaks of a player who always calls: where, how surely, and what they are worth.

The player is watched from the seat of the opponent; cards that are folded stay hidden.
"""

import soulread as sr
from soulread.report.figures import BarPanel, Bars, Figure

study = sr.leaks("leduc", "always-call", hands=1000)
for leak in study.leaks[:3]:
    print(
        f"{leak.history}: action {leak.action} {leak.frequency:.0%}, the equilibrium {leak.equilibrium:.0%}"
    )
assert study.leaks[0].certain
rows = study.leaks[:6]
names = tuple(f"seat {leak.player}: {leak.history}" for leak in rows)
bars = (
    Bars("the player", tuple(leak.frequency for leak in rows)),
    Bars("equilibrium", tuple(leak.equilibrium for leak in rows)),
)
figure = Figure("leaks", "leaks", (BarPanel("Leduc: how often", "share", names, bars),))
