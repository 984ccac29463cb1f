"""Reads: believed frequencies of an opponent at decisions of a spot, and the strategy that follows.

A `Read` gives frequencies at one decision, for the whole range or for some hands: "folds 60% to a bet of 60%
of the pot". In text:

    bet60: fold 60%                        after the bet of 60% of the pot
    check bet60%: fold 45%, raise 15%      after a check and a bet; what is left is for the actions not named
    start: check 100%                      at the first decision
    bet60: QQ+,AKs: raise 100%             these hands only
    check check *: bet 70%                 on every card that may come

"bet" and "raise" without a number mean all bets or raises together. Actions that are not named, and the sizes
of a group, share what they have in the proportions of the equilibrium.

Frequencies say nothing about single hands. `lock_reads` therefore starts from an equilibrium and moves it
until it has these frequencies (`soulread.model.deviation.fit_range`). A hand counts as often as it comes to
the decision (`soulread.seqform.reach`). The result are locks (`soulread.solvers.restricted`).
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from soulread.cards.deck import NUM_CARDS, card_name
from soulread.cards.ranges import Range, parse_range
from soulread.errors import ParseError, SoulreadError
from soulread.estimate import wilson_interval
from soulread.games.spot import PLAYER_NAMES, Node
from soulread.model.deviation.fit_range import fit_frequencies
from soulread.seqform.reach import arrivals, by_orbit
from soulread.seqform.spot import Mark, Place, Spot, action_word
from soulread.seqform.strategy import Behaviour, Behaviours, Plan, Plans, behaviour_from_plan
from soulread.seqform.treeplex import Treeplex
from soulread.solvers.restricted import Lock

ANY_CARD = "*"
START = "start"
GROUPS = "bet", "raise"
_SUM = 2e-3  # how far frequencies that name every action may be from summing to one; they are then scaled
_THIN = 1e-6  # a set that is reached less often than this has no average worth the name
_EXAMPLE = "write for example 'bet60: fold 60%, raise 10%'"


@dataclass(frozen=True)
class Read:
    """The believed frequencies of an opponent's actions at one decision."""

    path: str  # as `Spot.find` reads it; a star stands for any card, and "" for the first decision
    frequencies: Mapping[str, float]  # 0 to 1, by action
    hands: Range | None = None  # None means the whole range
    confidence: float = 1.0  # trust in this read alone, 0 to 1
    n: int | None = None  # decisions from which it was counted
    source: str = ""  # where these were, in words

    def __post_init__(self) -> None:
        if not self.frequencies:
            raise SoulreadError(f"the lock at {self.where!r} says nothing; {_EXAMPLE}")
        for word, frequency in self.frequencies.items():
            if not 0 <= frequency <= 1:
                raise SoulreadError(
                    f"the lock at {self.where!r} has {word} {100 * frequency:g}%; it lies between 0% and 100%"
                )
        if not 0 <= self.confidence <= 1:
            raise SoulreadError(
                f"the lock at {self.where!r} has a confidence of {self.confidence!r}; it lies between 0 and 1"
            )

    @property
    def where(self) -> str:
        """The path, or "start"."""
        return self.path or START

    @property
    def words(self) -> str:
        """The frequencies in words: "fold 60%, raise 10%"."""
        return ", ".join(f"{word} {100 * share:.4g}%" for word, share in self.frequencies.items())

    def intervals(self) -> dict[str, tuple[float, float]]:
        """The 95% interval (Wilson's) of each frequency; empty if the read was not counted."""
        if not self.n:
            return {}
        return {word: wilson_interval(share * self.n, self.n) for word, share in self.frequencies.items()}

    def __str__(self) -> str:
        hands = "" if self.hands is None else f" {self.hands}:"
        return f"{self.where}:{hands} {self.words}"


def parse_read(text: str) -> Read:
    """Parse a read such as "bet60: fold 60%"; see the top of the module."""
    parts = [part.strip() for part in text.split(":")]
    if not 2 <= len(parts) <= 3 or not parts[-1]:
        raise ParseError(f"{text!r} is not a lock; {_EXAMPLE}")
    path = " ".join(parts[0].split())
    return Read(
        "" if path == START else path,
        _parse_frequencies(parts[-1], text),
        parse_range(parts[1]) if len(parts) == 3 else None,
    )


def _parse_frequencies(words: str, text: str) -> dict[str, float]:
    found: dict[str, float] = {}
    tokens = words.replace(",", " ").split()
    if not tokens or len(tokens) % 2:
        raise ParseError(f"{words!r} in {text!r} are no frequencies; {_EXAMPLE}")
    for word, number in zip(tokens[::2], tokens[1::2], strict=True):
        if not re.fullmatch(r"(\d+(\.\d*)?|\.\d+)%?", number):
            raise ParseError(f"{number!r} after {word!r} in {text!r} is no frequency; {_EXAMPLE}")
        if word.lower() in found:
            raise ParseError(f"{word!r} comes twice in {text!r}")
        found[word.lower()] = float(number.rstrip("%")) / (100 if number.endswith("%") else 1)
    return found


# Where reads are.


def places_of(spot: Spot, read: Read) -> list[Place]:
    """The decisions that a read is about, isomorphic ones once."""
    found: dict[tuple[int, int, int], Place] = {}
    for path in _paths(spot, read.path.split()):
        try:
            place = spot.find(path)
        except ParseError as error:
            raise ParseError(f"the lock at {read.where!r} is on a node that is not there: {error}") from None
        found.setdefault(place[:3], place)
    return list(found.values())


def _paths(spot: Spot, words: Sequence[str]) -> Iterator[str]:
    """All paths that a path with stars stands for."""
    if ANY_CARD not in words:
        yield " ".join(words)
        return
    at = list(words).index(ANY_CARD)
    taken = {card_name(card) for card in spot.board} | set(words)
    for name in map(card_name, range(NUM_CARDS)):
        if name not in taken:
            yield from _paths(spot, [*words[:at], name, *words[at + 1 :]])


def mark_reads(spot: Spot, reads: Sequence[Read]) -> Spot:
    """The spot with marks, so that suits are taken for the same only where the reads are the same too."""
    marks = []
    for read in reads:
        numbers = np.ones(len(spot.ranges[0].weights)) if read.hands is None else read.hands.weights
        words = read.path.split()
        cards = [word for word in words if _is_card(word)]
        name = f"{' '.join('card' if _is_card(word) else word for word in words)}: {read.words}"
        if cards and ANY_CARD in words:
            places = [spot.find(path) for path in _paths(spot, words)]
        elif cards:
            places = places_of(spot, read)
        else:
            marks += [] if read.hands is None else [Mark(name, (), numbers)]
            continue
        marks += [Mark(name, place.cards, numbers) for place in places]
    return replace(spot, marks=(*spot.marks, *marks)) if marks else spot


def _is_card(word: str) -> bool:
    return len(word) == 2 and word[0].upper() in "23456789TJQKA" and word[1].lower() in "cdhs"


def villain_of(spot: Spot, reads: Sequence[Read]) -> int:
    """The one player whom all reads are about."""
    if not reads:
        raise SoulreadError(f"nothing is locked; {_EXAMPLE}")
    found = {spot.node(place).player: read for read in reads for place in places_of(spot, read)[:1]}
    if len(found) > 1:
        raise SoulreadError(
            f"the locks are of both players ({found[0].where!r} of {PLAYER_NAMES[0]}, {found[1].where!r} of "
            f"{PLAYER_NAMES[1]}); lock the decisions of one of them"
        )
    return next(iter(found))


def verify_reads(spot: Spot, reads: Sequence[Read]) -> None:
    """Raise unless every read is of a decision, actions and hands that are there, and its frequencies fit."""
    villain_of(spot, reads)
    for read in reads:
        for place in places_of(spot, read)[:1]:
            node = spot.node(place)
            target_frequencies(spot, node, read, np.full(len(node.actions), 1 / len(node.actions)))
            if read.hands is not None and not (read.hands.weights * spot.live[node.player]).any():
                raise SoulreadError(_no_hands(read, node.player))


def _no_hands(read: Read, player: int) -> str:
    return (
        f"the lock at {read.where!r} is of {read.hands}, but {PLAYER_NAMES[player]} has none of these hands "
        "there"
    )


# From frequencies to hands.


@dataclass(frozen=True, eq=False)
class Locked:
    """One decision that is locked, as it was in the equilibrium and as it is now."""

    read: Read
    place: Place
    lock: Lock  # with the confidence of the read
    weights: NDArray[np.float64] = field(repr=False)  # [width] how often each orbit comes here
    before: NDArray[np.float64]  # [actions] frequencies of the equilibrium, over the hands locked
    after: NDArray[np.float64]  # [actions]


def settled(tree: Treeplex, average: Plan, current: Behaviour) -> Behaviour:
    """The behaviour of an average plan; where that hardly ever comes, the ``current`` one of the solver.

    An average says nothing about sets it does not reach. The solver's last iteration does: it has learnt
    there from what the opponent does.
    """
    behaviour = behaviour_from_plan(tree, average)
    for block, sets, rows in tree.blocks():
        thin = average[tree.parent_sequence[sets]] < _THIN
        if thin.any():
            table = behaviour[rows].reshape(len(tree.actions[block]), -1)
            table[:, thin] = current[rows].reshape(table.shape)[:, thin]
    return behaviour


def lock_reads(
    spot: Spot, reads: Sequence[Read], plans: Plans, behaviours: Behaviours, method: str = "shift"
) -> list[Locked]:
    """Locks of an opponent who deviates from an equilibrium by what the reads say, and else plays it.

    ``plans`` and ``behaviours`` (see `settled`) are the equilibrium. Two reads may be of one decision if they
    are about different hands.
    """
    player = villain_of(spot, reads)
    found: dict[int, Locked] = {}
    for read in reads:
        for place in places_of(spot, read):
            made = _lock(spot, read, place, player, plans, behaviours[player], method)
            other = found.get(made.lock.block)
            if other is not None:
                made = replace(made, lock=_joined(other, made))
            found[made.lock.block] = made
    if not found:
        raise SoulreadError("no hand that is locked can come to its decision")
    return list(found.values())


def _joined(first: Locked, second: Locked) -> Lock:
    both = (first.lock.confidence > 0) & (second.lock.confidence > 0)
    if both.any():
        raise SoulreadError(
            f"two locks at {second.read.where!r} are of the same hands; name other hands, or give one lock"
        )
    take = second.lock.confidence > 0
    return Lock(
        first.lock.block,
        np.where(take, second.lock.model, first.lock.model),
        np.maximum(first.lock.confidence, second.lock.confidence),
    )


def _lock(
    spot: Spot, read: Read, place: Place, player: int, plans: Plans, behaviour: Behaviour, method: str
) -> Locked:
    node = spot.node(place)
    width = spot.width(place.board, player)
    table = np.asarray(behaviour[spot.rows(place)], dtype=np.float64).reshape(len(node.actions), width)
    table = table / table.sum(axis=0)
    meant = np.ones(len(spot.ranges[0].weights)) if read.hands is None else read.hands.weights > 0
    chosen = by_orbit(spot, place, player, meant.astype(np.float64)) > 0
    weights = by_orbit(spot, place, player, arrivals(spot, place, plans)) * chosen
    if not chosen.any():
        raise SoulreadError(_no_hands(read, player))
    if not weights.any():
        weights = chosen.astype(np.float64)
    before = table @ (weights / weights.sum())
    after = target_frequencies(spot, node, read, before)
    model = fit_frequencies(table, weights, after, method)
    model = np.maximum(model, 0)
    model /= model.sum(axis=0)
    lock = Lock(spot.block(place), model, np.where(chosen, read.confidence, 0.0))
    return Locked(read, place, lock, weights, before, after)


def target_frequencies(
    spot: Spot, node: Node, read: Read, before: NDArray[np.float64]
) -> NDArray[np.float64]:
    """``[actions]``: how often each action is taken, if ``before`` is how often the equilibrium takes it."""
    target = np.zeros(len(node.actions))
    named: set[int] = set()
    for word, share in read.frequencies.items():
        group = _group(spot, node, word, read)
        again = named.intersection(group)
        if again:
            raise SoulreadError(
                f"the lock at {read.where!r} names {action_word(node.actions[min(again)])} twice: "
                f"{read.words}"
            )
        named.update(group)
        target[group] = share * _proportions(before[group])
    rest = [i for i in range(len(node.actions)) if i not in named]
    total = math.fsum(read.frequencies.values())
    if total > 1 + _SUM or (not rest and total < 1 - _SUM):
        what = "more than" if total > 1 else "not to"
        names = ", ".join(map(str, node.actions))
        raise SoulreadError(
            f"the frequencies of the lock at {read.where!r} ({read.words}) sum to {100 * total:g}%, "
            f"{what} 100%; {PLAYER_NAMES[node.player]} may {names}"
        )
    if rest:
        target[rest] = max(0.0, 1 - total) * _proportions(before[rest])
    return np.asarray(target / target.sum())


def _group(spot: Spot, node: Node, word: str, read: Read) -> list[int]:
    """The actions that a word means."""
    if word in GROUPS:
        group = [i for i, action in enumerate(node.actions) if action.kind == word]
        if group:
            return group
    try:
        return [spot.find_action(node, word, read.where)]
    except ParseError as error:
        raise ParseError(f"the lock at {read.where!r} is on an action that is not there: {error}") from None


def _proportions(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    total = float(shares.sum())
    if total > _THIN:
        return np.asarray(shares / total)
    return np.full(shares.size, 1 / max(shares.size, 1))
