"""Methods that approach an equilibrium, after the same number of iterations.

The gap is exact: how much a best response wins. What comes close is an average over the iterations, and how
they are weighed matters.
"""

import soulread as sr
from soulread.report.figures import Curve, Figure, Panel

steps = (10, 30, 100, 300)
curves = []
for method in ("cfr", "cfr+", "dcfr"):
    gaps = tuple(sr.solve("kuhn", method, iterations=number).gap for number in steps)
    curves.append(Curve(method, tuple(map(float, steps)), gaps))
    print(f"{method}: {gaps[0]:.4f} after {steps[0]} iterations, {gaps[-1]:.5f} after {steps[-1]}")
panel = Panel("Kuhn poker", "iterations", "exploitability, chips/h", tuple(curves), logarithmic=True)
figure = Figure("solvers", "methods", (panel,))
