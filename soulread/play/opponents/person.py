"""Players fitted to real people: `person:number=3` plays heads-up as one real player of limit hold'em did.

A person looks at two things: in which *situation* it is to act, which everybody sees, and the rating of its
hand (`soulread.play.opponents.rating.later_of`, 0 to 1). In each situation the scores of calling and of
raising are lines through given values at the `KNOTS` of the rating, and the chances are

    chance of an action = exp(score) / sum of exp(score) over the legal actions

Folding has score 0. If there is nothing to call, checking has score 0 instead. ``people.json`` holds the
scores; `benchmarks/fit_people.py` made it from the IRC poker database, and nothing else may change it.
Persons are numbered, and have no names. ``docs/methods/opponents.md`` tells how they were fitted, and the
facts about them.

Situations (`situation`): before the flop by the raises so far, afterwards by round, raises in the round, who
acts last, and who raised last in the round before. A game with fewer rounds uses those of the first and of
the last round.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soulread.errors import DamagedFile, SoulreadError
from soulread.games.poker import CALL, FOLD, RAISE, PokerGame, PokerView
from soulread.options import Options, option
from soulread.play.catalogue.entry import AgentEntry, AgentSpec, where_tables_reach
from soulread.play.opponents.rated import ScalePlayer
from soulread.play.opponents.rating import Later, Ratings, later_of
from soulread.seqform.source import Tell

KNOTS = (0.0, 0.3, 0.5, 0.7, 0.85, 1.0)
"""Ratings at which the scores are given; between them the scores are lines."""

NOBODY, SELF, OTHER = range(3)
"""The player who raised last in the round before."""

_PREFLOP = 6
_POSTFLOP = 15
NUM_SITUATIONS = _PREFLOP + 3 * _POSTFLOP
FILE = "people.json"


def situation(street: int, raises: int, facing: bool, last: bool, before: int, acted: bool) -> int:
    """The number of a situation, from 0 to `NUM_SITUATIONS` - 1.

    ``street`` is 0 before the flop and 3 on the river. ``raises`` counts bets and raises of this round,
    without blinds. ``facing`` says whether there is something to call, ``last`` whether nobody acts after
    this seat in the round if all call. ``before`` says who raised last in the round before (`NOBODY`,
    `SELF`, `OTHER`), and ``acted`` whether this seat has already acted in this round.
    """
    if street == 0:
        if raises == 0:
            return 0 if facing else 1
        return (3 if acted else 2) if raises == 1 else min(raises, 3) + 2
    base = _PREFLOP + _POSTFLOP * (street - 1)
    if not facing:
        return base + 3 * last + before
    if raises <= 1:
        return base + 6 + 3 * last + before
    return base + 12 + last if raises == 2 else base + 14


def situation_name(number: int) -> str:
    """A situation in words: "flop, first to act, raised last before"."""
    if number < _PREFLOP:
        words = ("first in", "may check", "faces a raise", "called and was raised", "faces two raises")
        return f"preflop, {(*words, 'faces three raises')[number]}"
    street, place = divmod(number - _PREFLOP, _POSTFLOP)
    name = ("flop", "turn", "river")[street]
    where = ("first", "last")
    if place < 12:
        facing, rest = divmod(place, 6)
        last, before = divmod(rest, 3)
        who = ("nobody raised before", "raised last before", "the other raised last before")[before]
        return f"{name}, {('to bet', 'faces a bet')[facing]}, {where[last]} to act, {who}"
    if place < 14:
        return f"{name}, faces a raise, {where[place - 12]} to act"
    return f"{name}, faces two raises or more"


def street_of(game: PokerGame, round: int) -> int:
    """The round of hold'em whose situations a round of a game uses: the last round is always the river."""
    return 3 if round == len(game.rules.board_cards) - 1 else min(round, 2)


def situation_of(view: PokerView) -> int:
    """The situation of the seat to act in a game of two."""
    *earlier, now = view.betting.split("/")
    seat, rules = view.to_act, view.rules
    facing = view.spent[seat] < max(view.spent)
    own = view.actions[len(view.actions) - len(now) :]
    before = NOBODY
    if earlier and "r" in earlier[-1]:
        start = sum(map(len, earlier[:-1]))
        raisers = [who for who, action in view.actions[start : start + len(earlier[-1])] if action >= RAISE]
        before = SELF if raisers[-1] == seat else OTHER
    street = street_of(view.game, view.round)
    last = seat != rules.first[view.round]
    return situation(street, now.count("r"), facing, last, before, any(who == seat for who, _ in own))


def chances(
    scores: NDArray[np.float64] | Sequence[Sequence[float]], rating: float, facing: bool
) -> list[float]:
    """Chances of fold, call and raise with all three allowed; ``scores`` is ``[2, knots]``: call, raise."""
    k = 0
    while k < len(KNOTS) - 2 and rating >= KNOTS[k + 1]:
        k += 1
    part = min(1.0, max(0.0, (rating - KNOTS[k]) / (KNOTS[k + 1] - KNOTS[k])))
    call, up = (row[k] + part * (row[k + 1] - row[k]) for row in scores)
    weights = [1.0, math.exp(call), math.exp(up)] if facing else [0.0, 1.0, math.exp(up)]
    total = sum(weights)
    return [weight / total for weight in weights]


@dataclass(frozen=True)
class People:
    """The content of ``people.json``."""

    made_by: str  # the script
    seed: int
    scores: tuple[tuple[tuple[tuple[float, ...], ...], ...], ...]  # [persons][situations][2][knots]
    facts: tuple[dict[str, Any], ...]  # [persons] what the data and the fit say about each


def _file_text() -> str:
    return resources.files("soulread.play.opponents").joinpath(FILE).read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def load_people() -> People:
    """The fitted persons that soulread ships."""
    try:
        content = json.loads(_file_text())
        scores = tuple(
            tuple(tuple(tuple(value / 100 for value in row) for row in rows) for rows in person["scores"])
            for person in content["people"]
        )
        facts = tuple(
            {name: value for name, value in person.items() if name != "scores"}
            for person in content["people"]
        )
        people = People(content["made_by"], content["seed"], scores, facts)
    except (ValueError, KeyError, TypeError) as error:
        raise DamagedFile(f"{FILE} of soulread cannot be read: {error}; install soulread again") from None
    if any(np.shape(person) != (NUM_SITUATIONS, 2, len(KNOTS)) for person in scores):
        raise DamagedFile(f"{FILE} of soulread has the wrong shape; install soulread again")
    return people


@dataclass(frozen=True)
class PersonOptions(Options):
    """Options of `person`."""

    number: int = option(0, "which person this is, from 0")

    def __post_init__(self) -> None:
        last = len(load_people().scores) - 1
        if not 0 <= self.number <= last:
            raise SoulreadError(f"number={self.number}; persons are 0 to {last}")


class Person(ScalePlayer):
    """Plays as a real player did."""

    def __init__(self, name: str, scores: Sequence[Sequence[Sequence[float]]], later: Later) -> None:
        self.name = name
        self._scores = scores
        self._later = later
        self._found: dict[tuple[int, str], Sequence[Sequence[float]]] = {}  # by seat and betting

    def probabilities(self, view: PokerView) -> dict[int, float]:
        """The chance of each legal action of the seat to act, which must be the one in view."""
        key = view.to_act, view.betting
        scores = self._found.get(key)
        if scores is None:
            scores = self._found[key] = self._scores[situation_of(view)]
        found = chances(scores, self._later(view.hole, view.board), FOLD in view.choices)
        return _among(view.choices, found)

    def chances(self, view: PokerView, rating: Ratings) -> dict[int, Ratings]:
        """The chance of each legal action at the public state of ``view``, for hands of the given ratings."""
        scores = self._scores[situation_of(view)]
        call, up = (np.exp(np.interp(rating, KNOTS, row)) for row in scores)
        weights = [np.ones_like(up), call, up] if FOLD in view.choices else [np.zeros_like(up), up**0, up]
        total = np.sum(weights, axis=0)
        return _among(view.choices, [weight / total for weight in weights])


def _among(choices: Sequence[int], found: Sequence[Any]) -> dict[int, Any]:
    """Chances of fold, call and raise, with those that are not legal taken out."""
    total = 1.0 if RAISE in choices else found[FOLD] + found[CALL]
    return {action: found[action] / total for action in choices}


def _person(spec: AgentSpec, game: PokerGame, tell: Tell | None) -> Person:
    return Person(spec.text, load_people().scores[spec.options.number], later_of(game, tell))


PERSON = AgentEntry(
    "person",
    "plays as a real player of limit hold'em did, fitted to public actions and shown hands",
    _person,
    PersonOptions,
    where_tables_reach,
    examples=("person:number=3",),
)
