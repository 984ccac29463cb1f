"""How fast a player is read: what a careful answer wins after 10 to 1,000 hands.

Trust 0.75 in what the hands say; the dotted line is what could be won by who knew the player.
"""

import soulread as sr
from soulread.api.given import behaviours_of
from soulread.report.figures import Curve, Figure, Level, Panel

player, numbers = "loose:0.5", (10, 30, 100, 300, 1000)
hands = sr.watch("leduc", player, hands=max(numbers), seed=5)
truth = behaviours_of(player, sr.compiled("leduc"))
gains = []
for number in numbers:
    read = sr.fit("tilts", "leduc", hands[:number], player=player)
    gains.append(sr.best_response("leduc", read, 0.75).exploitation(truth))
    print(f"{number:5,} hands: {gains[-1]:.2f} chips a hand")
most = sr.exploitability("leduc", player)
curve = Curve("won", tuple(map(float, numbers)), tuple(gains))
level = Level("all that can be won", most)
panel = Panel("Leduc: a read after n hands", "hands", "chips/h", (curve,), (level,), logarithmic=True)
figure = Figure("reading", "reading", (panel,))
