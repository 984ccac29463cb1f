"""Equities of starting hands against any other hand, exact.

All boards and all opponents' holdings are counted.
"""

import soulread as sr
from soulread.report.figures import BarPanel, Bars, Figure

hands = ("AA", "KK", "AKs", "JTs", "22", "72o")
shares = tuple(100 * sr.equity(hand).value for hand in hands)
print(", ".join(f"{hand} {share:.1f}%" for hand, share in zip(hands, shares, strict=True)))
assert shares == tuple(sorted(shares, reverse=True))
panel = BarPanel("Equity against any hand", "%", hands, (Bars("equity", shares),))
figure = Figure("equities", "equities", (panel,))
