"""Hand strength and potential on a flop: ahead now, and what may come.

The example that the papers on Loki print: ace of diamonds, queen of clubs on 3h 4c Jh.
"""

import soulread as sr
from soulread.report.figures import BarPanel, Bars, Figure

flops = {"AdQc": "3h4cJh", "AhKh": "Qh7h2c", "9s8s": "7d6h2c", "2c2d": "KsQsJd"}
ahead = tuple(sr.strength(hole, board).value for hole, board in flops.items())
better = tuple(sr.potential(hole, board).ppot for hole, board in flops.items())
for hole, hs, ppot in zip(flops, ahead, better, strict=True):
    print(f"{hole}: ahead {hs:.3f}, potential {ppot:.3f}")
assert abs(ahead[0] - 0.585) < 0.001
groups = tuple(f"{hole} on {board}" for hole, board in flops.items())
panel = BarPanel("Strength and potential", "chance", groups, (Bars("HS", ahead), Bars("PPot", better)))
figure = Figure("strength", "strength and potential", (panel,))
