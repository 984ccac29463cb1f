"""Reward and risk of an opponent who is known exactly.

Restricted Nash responses at four trusts: a little risk buys
most of the reward.
"""

import soulread as sr

curve = sr.curve("leduc", "loose", trust=(0, 0.5, 0.9, 1))
for point in curve.frontier.points:
    print(f"wins {point.against_model:.2f}, risks {point.exploitability:.2f}")
assert curve.frontier.points[-1].exploitability > 1
figure = curve.plot()
