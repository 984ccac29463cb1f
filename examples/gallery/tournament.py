"""A tournament: every agent plays every other one.

The crosstable says who wins from whom, the total bankroll who wins most.
"""

import soulread as sr

found = sr.tournament("kuhn", ["equilibrium", "random", "always-call", "always-raise"], hands=100, matches=3)
print(f"the winner is {found.winner}")
figure = found.plot()
