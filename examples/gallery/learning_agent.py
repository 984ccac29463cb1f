"""An agent that learns, hand by hand: DBBR against a player who is too tight.

It plays the equilibrium for 100 hands, then what it has seen. One match is one sample.
"""

import numpy as np

import soulread as sr
from soulread.report.figures import Curve, Figure, Panel

curves = []
for agent in ("dbbr:T=100", "equilibrium"):
    result = sr.duel("leduc", agent, "skew:tight=0.5", hands=800, duplicate=True, seed=4)
    total = np.cumsum(result.profits[0, :, 0])[::20]
    curves.append(Curve(agent, tuple(float(20 * i) for i in range(len(total))), tuple(map(float, total))))
    print(f"{agent}: {total[-1]:+.0f} chips")
figure = Figure("learning", "learning", (Panel("Leduc: won so far", "hands", "chips", tuple(curves)),))
