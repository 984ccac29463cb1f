"""A read of a river, locked: what it wins if right, and what it costs if wrong.

One frequency is believed; every degree of trust has its answer.
"""

import soulread as sr

spot = sr.spot("Td9d6hQc2s", "22+,A2s+,KTs+,QJo", "99+,ATs+,KQs,QJs", 20, 60)
study = sr.lock(spot, "bet60: fold 65%", trust=0.75)
print(study)
figure = study.plot()
