"""Three models of the same hands, and what an answer to each wins.

One set of hands is one sample: before a difference is believed, other seeds have to agree.
"""

import soulread as sr
from soulread.api.given import behaviours_of
from soulread.report.figures import BarPanel, Bars, Figure

player, trusts = "tight:0.5", (0.5, 1.0)
hands = sr.watch("leduc", player, hands=300, seed=2)
truth = behaviours_of(player, sr.compiled("leduc"))
names = ("tilts", "deviation", "frequency")
won: dict[str, list[float]] = {}
for name in names:
    model = sr.fit(name, "leduc", hands, player=player)
    won[name] = [sr.best_response("leduc", model, trust).exploitation(truth) for trust in trusts]
    print(f"{name}: {won[name][0]:.2f} with trust 0.5, {won[name][1]:.2f} with trust 1")
bars = tuple(Bars(f"trust {trust}", tuple(won[name][i] for name in names)) for i, trust in enumerate(trusts))
figure = Figure("models", "models", (BarPanel("Leduc: won from a tight player", "chips/h", names, bars),))
