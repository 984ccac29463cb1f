"""A habit in the sample hands: who folds to continuation bets.

Points are players, bars 95% intervals; the one who stands apart was made so.
"""

import tempfile
from pathlib import Path

import soulread as sr
from soulread.report.figures import Curve, Figure, Panel

NAMES = ("AmberOtter", "BrassBadger", "CopperCrane", "DuskyDolphin", "RileyRiver")
with tempfile.TemporaryDirectory() as folder:
    sr.sample_hands(Path(folder) / "hands")
    sr.import_hands(Path(folder) / "hands.db", Path(folder) / "hands")
    rows = [
        next(
            row
            for row in sr.stats(Path(folder) / "hands.db", name).to_rows()
            if row["name"] == "fold to c-bet flop"
        )
        for name in NAMES
    ]
for row in rows:
    print(f"{row['player']}: {row['value']:.0%} ({row['low']:.0%} to {row['high']:.0%}), n = {row['n']}")
shares, lows, highs = (tuple(float(row[key]) for row in rows) for key in ("value", "low", "high"))
points = Curve("", tuple(map(float, range(len(NAMES)))), shares, lows, highs, points=True)
figure = Figure(
    "habit", "habit", (Panel("Folds to a continuation bet on the flop", "", "share", (points,), names=NAMES),)
)
