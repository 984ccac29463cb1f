"""A duel: two agents, the same cards from both seats.

Duplicate matches take out most of the luck of the cards; the interval says how much is left.
"""

import soulread as sr

result = sr.duel("leduc", "equilibrium", "always-raise", hands=2000, duplicate=True, seed=1)
won = result.estimate(0, sr.Unit.MILLIBETS)
print(f"the equilibrium wins {won.text(0)} mb/g from always-raise")
assert won.interval[0] > 0
figure = result.plot()
