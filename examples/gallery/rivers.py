"""The same spot on several rivers: how often each action is right.

Boards are solved one by one; the result has a row for each.
"""

import soulread as sr

study = sr.boards(
    ["Td9d6hQc2s", "Td9d6hQc2d", "Td9d6hQc8c", "Td9d6hQcQs"],
    oop="22+,A2s+,KTs+,QJo",
    ip="99+,ATs+,KQs",
    pot=20,
    stack=60,
)
print(study)
figure = study.plot()
