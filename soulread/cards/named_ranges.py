"""Ranges that have a name: what players of six-handed no-limit hold'em open, call and raise, by position.

They are *approximations of our own*, for a first look at a spot: cash tables without antes, stacks of about
100 big blinds, raises to 2 or 3 big blinds, three-bets to about three times that in position and four times
out of it. They were written by hand. Each begins with how often the position commonly does it. Hands were
then taken in the order in which they play well there: first pairs, suited aces and suited high cards, then
suited hands that make straights, offsuit high cards last. Callers leave out the hands that they three-bet. No
solver found them and no player was counted for them; a range read from a player's hands (`soulread read`) is
better.
"""

from collections.abc import Mapping
from dataclasses import dataclass

POSITIONS = {
    "utg": "under the gun, first of six",
    "hj": "the hijack",
    "co": "the cutoff",
    "btn": "the button",
    "sb": "the small blind",
    "bb": "the big blind",
}

_OPENS = {
    "utg": "55+, A2s+, K9s+, QTs+, J9s+, T9s, 98s, ATo+, KJo+",
    "hj": "44+, A2s+, K8s+, Q9s+, J9s+, T9s, 98s, 87s, 76s, ATo+, KJo+, QJo",
    "co": "22+, A2s+, K5s+, Q8s+, J8s+, T8s+, 97s+, 87s, 76s, 65s, A8o+, KTo+, QTo+, JTo",
    "btn": (
        "22+, A2s+, K2s+, Q3s+, J5s+, T6s+, 96s+, 85s+, 75s+, 64s+, 53s+, 43s, A2o+, K8o+, Q9o+, J9o+, "
        "T8o+, 98o"
    ),
    "sb": "22+, A2s+, K2s+, Q4s+, J6s+, T6s+, 96s+, 85s+, 75s+, 64s+, 54s, A3o+, K8o+, Q9o+, J9o+, T9o",
}

_CALLS_OF_A_THREE_BET = {
    "utg": "TT-77, AQs-AJs, A5s-A4s, KQs-KTs, QJs, JTs, T9s, AQo",
    "hj": "TT-66, AQs-ATs, A5s-A4s, KQs-KTs, QJs, JTs, T9s, 98s, AQo",
    "co": "JJ-55, AQs-A9s, A5s-A3s, KQs-KTs, QJs-QTs, JTs, T9s, 98s, 87s, 76s, AQo, AJo, KQo",
    "btn": (
        "JJ-33, AQs-A6s, A4s-A2s, KQs-K9s, QJs-Q9s, JTs-J9s, T9s-T8s, 98s, 87s, 76s, 65s, 54s, AQo-ATo, "
        "KQo-KJo, QJo"
    ),
    "sb": "JJ-44, AQs-A7s, A4s-A3s, KQs-K9s, QJs-QTs, JTs-J9s, T9s, 98s, 87s, 76s, 65s, AQo-AJo, KQo",
}

_THREE_BETS = {
    ("btn", "utg"): "JJ+, AQs+, A5s-A4s, KQs, AKo",
    ("btn", "hj"): "JJ+, AJs+, A5s-A3s, KQs, KJs, AKo, AQo:0.5",
    ("btn", "co"): "TT+, AJs+, A5s-A2s, KTs+, QJs, 76s, 65s, AQo+, AJo:0.5, KQo:0.5",
    ("sb", "utg"): "TT+, AQs+, A5s-A4s, KJs+, QJs:0.5, AKo, AQo:0.5",
    ("sb", "hj"): "TT+, AJs+, A5s-A4s, KTs+, QJs, JTs:0.5, AQo+",
    ("sb", "co"): "99+, ATs+, A5s-A4s, KTs+, QTs+, JTs, T9s, AJo+, KQo",
    ("sb", "btn"): "88+, A8s+, A5s-A3s, K9s+, QTs+, JTs, T9s, 98s, 87s, ATo+, KJo+",
    ("bb", "utg"): "QQ+, AKs, A5s-A4s, KQs:0.5, AKo",
    ("bb", "hj"): "JJ+, AQs+, A5s-A4s, KQs, K6s:0.5, AKo",
    ("bb", "co"): "JJ+, AQs+, A5s-A3s, KJs+, K6s-K5s, T8s:0.5, 76s:0.5, 65s:0.5, AKo, AQo:0.5",
    ("bb", "btn"): (
        "TT+, AJs+, A5s-A2s, KTs+, K7s-K5s, QJs, J8s, T8s, 97s, 86s, 75s, 64s, AQo+, AJo:0.5, A5o-A4o, "
        "KQo:0.5"
    ),
    ("bb", "sb"): (
        "TT+, AJs+, A5s-A2s, KJs+, K5s-K3s, QJs, Q6s-Q5s, J7s, T7s, 96s, 85s, 74s, AQo+, A5o-A4o, KQo, K8o"
    ),
}

_CALLS = {
    ("btn", "utg"): "TT-55, AJs-ATs, KJs-KTs, QJs-QTs, JTs, T9s, 98s, AQo",
    ("btn", "hj"): "TT-44, ATs-A9s, KTs, QJs-QTs, JTs, T9s, 98s, 87s, 76s, AQo:0.5, AJo",
    ("btn", "co"): (
        "99-22, ATs-A6s, K9s, QTs-Q9s, JTs-J9s, T9s-T8s, 98s, 87s, 54s, AJo:0.5, ATo, KQo:0.5, KJo"
    ),
    ("bb", "utg"): (
        "JJ-22, AQs-A6s, A3s-A2s, KQs:0.5, KJs-K9s, QTs+, J9s+, T8s+, 97s+, 87s, 76s, 65s, 54s, AQo-AJo, KQo"
    ),
    ("bb", "hj"): (
        "TT-22, AJs-A6s, A3s-A2s, KJs-K7s, K6s:0.5, Q9s+, J9s+, T8s+, 97s+, 86s+, 75s+, 65s, 54s, "
        "AQo-ATo, KJo+, QJo"
    ),
    ("bb", "co"): (
        "TT-22, AJs-A6s, A2s, KTs-K7s, K4s-K2s, Q6s+, J7s+, T9s, T8s:0.5, T7s, 96s+, 86s+, 76s:0.5, 75s, "
        "65s:0.5, 64s, 54s, AQo:0.5, AJo-A9o, KTo+, QTo+, JTo"
    ),
    ("bb", "btn"): (
        "99-22, ATs-A6s, K9s-K8s, K4s-K2s, QTs-Q2s, JTs-J9s, J7s-J4s, T9s, T7s-T6s, 98s, 96s-95s, 87s, "
        "85s, 76s, 74s, 65s, 63s, 54s, 53s, 43s, AJo:0.5, ATo-A6o, A3o-A2o, KQo:0.5, KJo-K9o, Q9o+, J9o+, "
        "T8o+, 98o, 87o"
    ),
    ("bb", "sb"): (
        "99-22, ATs-A6s, KTs-K6s, K2s, QTs-Q7s, Q4s-Q2s, J8s+, J6s-J3s, T8s+, T6s-T4s, 97s+, 95s, 86s+, "
        "84s, 75s+, 63s+, 53s+, 43s, AJo-A6o, A3o-A2o, KJo-K9o, K7o-K5o, Q8o+, J8o+, T8o+, 97o+, 87o, 76o"
    ),
}


@dataclass(frozen=True)
class NamedRange:
    """A range that has a name."""

    name: str
    text: str
    about: str


def _named() -> dict[str, NamedRange]:
    found = [
        NamedRange(f"{seat}-open", text, f"{POSITIONS[seat]} raises before anybody has bet")
        for seat, text in _OPENS.items()
    ]
    for table, word, does in ((_CALLS, "call", "calls"), (_THREE_BETS, "3bet", "three-bets")):
        found += [
            NamedRange(f"{seat}-{word}-{opener}", text, f"{POSITIONS[seat]} {does} a raise of {opener}")
            for (seat, opener), text in table.items()
        ]
    found += [
        NamedRange(f"{seat}-call-3bet", text, f"{POSITIONS[seat]} calls a three-bet after an own raise")
        for seat, text in _CALLS_OF_A_THREE_BET.items()
    ]
    return {one.name: one for one in found}


NAMED_RANGES: Mapping[str, NamedRange] = _named()
