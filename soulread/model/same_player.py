"""Is somebody still the player who was seen before? A test by public actions, for any game and any model.

Hands of earlier matches help only if the same player sits there again. A name may be somebody else's now, may
be shared, and its owner may have changed. Two forecasts of the player's public actions are compared in a new
match, decision by decision:

    before   frequencies in all hands, those of earlier matches and those of this one so far
    anew     frequencies in this match alone

Of each hand both give a chance to what the player did, before they learn from it. As in
`soulread.model.bayes.mixture`, a detector (Page's cumulative sum) adds up how much better the second one was:

    c  <-  max(0, c + log(anew) - log(before))

For a player of whom ``before`` is right, anew / before is 1 in the mean, so c exceeds log(n / a) within n
hands with a probability of about a at most. Once c is above that, with a = `FALSE_ALARM`, earlier matches
do not count any more.

A chance of an action comes from the counts at the same public history, where sizes of raises do not matter.
Where these are few, it comes from all decisions of the round with or without a bet to call, and else all
actions are equally likely. Cards are not looked at, so a change that shows in shown cards alone is missed.
"""

import math
from collections import defaultdict
from collections.abc import Iterator
from typing import TypeVar

from soulread.games.poker import CALL, FOLD
from soulread.hands.hand import Hand

FALSE_ALARM = 0.02  # probability that the same player is taken for somebody else in a match, about
_PRIOR = 3.0  # decisions that a coarser forecast is worth

History = tuple[int, str]  # seat, betting so far
Situation = tuple[int, int, bool]  # seat, round, whether there is a bet to call
Place = TypeVar("Place")
Decision = tuple[History, Situation, int]  # and what was done: 0 fold, 1 call or check, 2 raise


def decisions_of(hand: Hand, seat: int) -> Iterator[Decision]:
    """The decisions of a seat that had a choice, with what was done."""
    letters, number, bets = "", 0, _forced(hand)
    turns = [len(part) for part in _rounds(hand.betting)]
    for actor, action in hand.actions:
        while turns[number] == 0:
            number, letters, bets = number + 1, f"{letters}/", False
        turns[number] -= 1
        done = 0 if action == FOLD else 1 if action == CALL else 2
        if actor == seat:
            yield (seat, letters), (seat, number, bets), done
        letters += "fcr"[done]
        bets = bets or done == 2


def _forced(hand: Hand) -> bool:
    """Whether there is a bet to call before anybody has acted."""
    paid = [0] * hand.num_players
    for post in hand.posts:
        paid[post.seat] += post.amount
    return min(paid) < max(paid)


def _rounds(betting: str) -> list[str]:
    """The letters of each round, without sizes."""
    return ["".join(letter for letter in part if letter in "fcr") for part in betting.split("/")]


class ActionCounts:
    """How often a player took each action, by history and by kind of situation."""

    def __init__(self) -> None:
        self._histories: defaultdict[History, list[int]] = defaultdict(_nothing)
        self._situations: defaultdict[Situation, list[int]] = defaultdict(_nothing)

    def add(self, decision: Decision) -> None:
        """Count a decision."""
        history, situation, done = decision
        self._histories[history][done] += 1
        self._situations[situation][done] += 1

    def join(self, other: "ActionCounts") -> None:
        """Count all that another has counted too."""
        _join(self._histories, other._histories)
        _join(self._situations, other._situations)

    def __bool__(self) -> bool:
        return bool(self._situations)

    def of(self, decision: Decision) -> tuple[list[int], list[int]]:
        """The counts at the history of a decision, and in all situations like it."""
        return self._histories.get(decision[0], _NOTHING), self._situations.get(decision[1], _NOTHING)


def _join(mine: dict[Place, list[int]], more: dict[Place, list[int]]) -> None:
    for place, counts in more.items():
        mine[place] = [sum(both) for both in zip(mine.get(place, _NOTHING), counts, strict=True)]


def _nothing() -> list[int]:
    return [0, 0, 0]


_NOTHING = _nothing()


def forecast(decision: Decision, *known: ActionCounts) -> float:
    """The chance of what was done, by the counts together."""
    done = decision[2]
    pairs = [counts.of(decision) for counts in known]
    coarse = [sum(parts) for parts in zip(*(pair[1] for pair in pairs), strict=True)]
    fine = [sum(parts) for parts in zip(*(pair[0] for pair in pairs), strict=True)]
    usual = (coarse[done] + _PRIOR / 3) / (sum(coarse) + _PRIOR)
    return float((fine[done] + _PRIOR * usual) / (sum(fine) + _PRIOR))


class SamePlayerTest:
    """The test of one player, match by match; see the module.

    ``same`` says whether earlier matches count; they do not until there are some. ``sum`` is c in the present
    match.
    """

    def __init__(self) -> None:
        self._before, self._present = ActionCounts(), ActionCounts()
        self.same = False
        self.begin()

    def begin(self) -> None:
        """A new match begins: the last one is one of the earlier ones now."""
        if not self.same:
            self._before = ActionCounts()
        self._before.join(self._present)
        self.same = self.same or bool(self._present)
        self._present = ActionCounts()
        self._hands, self.sum = 0, 0.0

    def add(self, hand: Hand, seat: int) -> bool:
        """Take note of a hand in which the player had ``seat``; whether earlier matches cease to count."""
        self._hands += 1
        for decision in decisions_of(hand, seat):
            if self.same:
                better = forecast(decision, self._present) / forecast(decision, self._before, self._present)
                self.sum = max(0.0, self.sum + math.log(better))
            self._present.add(decision)
        if not self.same or self.sum <= math.log(self._hands / FALSE_ALARM):
            return False
        self.same = False
        return True
