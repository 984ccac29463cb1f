"""Ranges as players write them: how large they are, and how they fare.

The wider the range, the less it wins against any hand.
"""

import soulread as sr
from soulread.report.figures import BarPanel, Bars, Figure

texts = ("QQ+,AK", "77+,ATs+,KQs,AQo+", "22+,A2s+,KTs+,QTs+,JTs,ATo+,KJo+")
shares = tuple(100 * sr.equity(text).value for text in texts)
for text, share in zip(texts, shares, strict=True):
    print(f"{text}: equity {share:.1f}% against any hand")
assert shares == tuple(sorted(shares, reverse=True))
panel = BarPanel(
    "Equity of ranges against any hand", "%", ("3-bet", "raise", "call"), (Bars("equity", shares),)
)
figure = Figure("ranges", "ranges", (panel,))
