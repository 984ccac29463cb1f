"""A river solved with real cards: what to bet, hand by hand.

Both ranges, a pot, two stacks and a menu of sizes; then any decision can be asked for.
"""

import soulread as sr

spot = sr.spot("Td9d6hQc2s", "22+,A2s+,KTs+,QJo", "99+,ATs+,KQs", 20, 60, iterations=60)
print(spot)
figure = spot.at("").plot()
