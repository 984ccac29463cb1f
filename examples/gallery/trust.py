"""Trust in a read: what an answer wins, and what it risks.

The read comes from 300 hands without a folded card. All numbers are exact.
"""

import soulread as sr
from soulread.api.given import behaviours_of
from soulread.report.figures import Curve, Figure, Panel

hands = sr.watch("leduc", "loose:0.5", hands=300, seed=1)
read = sr.fit("tilts", "leduc", hands, player="loose:0.5")
truth = behaviours_of("loose:0.5", sr.compiled("leduc"))
trusts = (0, 0.25, 0.5, 0.75, 0.9, 1)
answers = [sr.best_response("leduc", read, trust) for trust in trusts]
gains = tuple(answer.exploitation(truth) for answer in answers)
risks = tuple(answer.exploitability for answer in answers)
for trust, gain, risk in zip(trusts, gains, risks, strict=True):
    print(f"trust {trust:4}: wins {gain:.2f}, risks {risk:.2f}")
assert risks[0] < 0.01 < risks[-1]
curves = (Curve("wins", trusts, gains), Curve("risks", trusts, risks))
figure = Figure("trust", "trust in a read", (Panel("Leduc: an answer by trust", "trust", "chips/h", curves),))
