"""Push or fold with eight big blinds, the small blind against the big one.

The equilibrium of a game with one decision each, exact for it.
"""

import soulread as sr

charts = sr.push_fold(8)
print(charts)
figure = charts.plot()
