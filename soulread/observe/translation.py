"""From a real hand of a no-limit game to a node of a betting tree with few raises, and back.

A tree has a menu of raises (`soulread.games.bets`), a real hand any raise at all. The translator walks the
tree beside the hand. Calls and folds are themselves. A raise is measured as a part of the pot after a call,

    x = (total - largest total before) / (pot after a call)

and goes to one of the two raises A < B of the menu around it. The pseudo-harmonic mapping (Ganzfried and
Sandholm, IJCAI 2013) takes A with the probability

    f(x) = (B - x) (1 + A) / ((B - A) (1 + x))

which leaves little to be gained by sizes between those of the menu. `nearest` takes A if f(x) is at least a
half. A is 0, a call or check, where the raise is below the least of the menu; one above the largest is the
largest. Whoever puts in the smaller stack is all-in in the tree too. Parts of the pot are compared, not
chips, so stacks of the real hand may differ from those of the tree.

Where a raise counts as a call that ends the round, the tree is ahead of the table: the other player has to
answer, and calls.

At the table a draw decides. It comes from the cards of the seat that translates and from the betting so far.
So it is the same until the hand is over, nobody else knows it, and a strategy over a tree stays one strategy.
Whoever learns from hands draws nothing: `on_tree` gives every way that a hand may have taken through the
tree, with its probability. There a raise that is not for the stack counts as all-in only if that is the
nearer size, and then wholly. With nothing between the pot and all-in of 100 big blinds, f takes one raise in
eight of 1.25 pots for all-in, and a player who never went all-in would be learnt as one who does.
"""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from soulread.errors import SoulreadError
from soulread.games.bets import effective_stack
from soulread.games.poker import CALL, FOLD, PokerView, raises_among
from soulread.hands.hand import ForcedBet, Hand
from soulread.hands.record import posts_of, stakes_of, verify_hand, verify_variant
from soulread.seqform.betting import BettingTree
from soulread.seqform.compile import SequenceGame, betting_of, poker_of

OVER = -1
"""In place of a node: nobody acts in the tree, which is over or ahead of the table. The answer is to call."""

Choices = list[tuple[int, float]]  # positions among the actions of a node, each with its probability


def harmonic(low: float, high: float, part: float) -> float:
    """f(x) of the module: the probability that a raise of ``part`` of the pot counts as ``low``."""
    if part <= low:
        return 1.0
    if part >= high:
        return 0.0
    return (high - part) * (1 + low) / ((high - low) * (1 + part))


class Translator:
    """Finds the node of a tree for the betting of real hands, and real actions for those of the tree."""

    def __init__(self, betting: BettingTree, nearest: bool = False) -> None:
        rules = betting.poker.rules
        if rules.raise_sizes is not None or rules.stacks is None:
            raise SoulreadError(f"{betting.name!r} is no no-limit game; its hands need no translation")
        self.betting = betting
        self.nearest = nearest
        self._all_in = effective_stack(rules)

    def part(self, node: int, total: int) -> float:
        """A raise of the tree as a part of the pot after a call."""
        high = int(self.betting.chips_in[node].max())
        return (total - high) / (2 * high)

    def choices(self, node: int, action: int, part: float, all_in: bool, grain: float = 0.0) -> Choices:
        """What a real action may stand for at a node; none if the tree has nothing of the kind.

        For a raise, ``part`` is its part of the pot, and ``all_in`` says whether it is for the smaller stack.
        Parts that differ by ``grain`` are the same, as whole chips cannot tell them apart.
        """
        actions = self.betting.actions[node]
        if action in (FOLD, CALL):
            return [(actions.index(action), 1.0)] if action in actions else []
        raises = [place for place, legal in enumerate(actions) if legal > CALL]
        if not raises:
            return []
        parts = [self.part(node, actions[place]) for place in raises]
        if all_in or part >= parts[-1]:
            return [(raises[-1], 1.0)]
        above = next(k for k, other in enumerate(parts) if other > part)
        places, sizes = [actions.index(CALL), *raises], [0.0, *parts]
        for place, size in zip(raises, parts, strict=True):
            if abs(size - part) <= grain:
                return [(place, 1.0)]
        chance = harmonic(sizes[above], sizes[above + 1], part)
        if self.nearest:
            chance = float(chance >= 0.5)
        return [one for one in ((places[above], chance), (places[above + 1], 1 - chance)) if one[1] > 0]

    def node(self, view: PokerView) -> int:
        """The node of a seat's view, or `OVER`."""
        return self.walk(view, view.actions, lambda step: _uniform(view, step))

    def walk(self, view: PokerView, actions: Iterable[tuple[int, int]], draw: Callable[[int], float]) -> int:
        """The node after (seat, action) pairs at the table of a view, or `OVER`.

        ``draw`` gives the number from [0, 1) that decides where the action of that number goes.
        """
        table = _table_of(view)
        place = table.start
        for step, (seat, action) in enumerate(actions):
            found = self._after(table, place, seat, action)
            if not found:
                return OVER
            first = len(found) == 1 or draw(step) < found[0].chance
            place = found[0].place if first else found[1].place
        return OVER if place.ahead or not self.betting.actions[place.node] else place.node

    def ways(self, seen: PokerView | Hand) -> list["Way"]:
        """Every way through the tree of what was seen of a hand, with its probability.

        A way ends early where the tree is over, or where what happens next says nothing in the tree.
        """
        table = _table_of(seen)
        ended: list[Way] = []
        going = [(table.start, Way((), 0, 1.0))]
        for seat, action in seen.actions:
            following = []
            for place, way in going:
                found = self._after(table, place, seat, action, learning=True)
                if not found:
                    ended.append(way)
                for step in found:
                    taken = way.actions if step.action is None else (*way.actions, (seat, step.action))
                    over = step.place.ahead or not self.betting.actions[step.place.node]
                    node = OVER if over else step.place.node
                    following.append((step.place, Way(taken, node, way.chance * step.chance)))
            going = following
        return [*(way._replace(node=OVER) for way in ended), *(way for _, way in going)]

    def _after(
        self, table: "_Table", place: "_Place", seat: int, action: int, learning: bool = False
    ) -> list["_Step"]:
        """Where an action at the table may lead in the tree; nowhere if the tree has nothing of the kind."""
        if not self.betting.actions[place.node]:
            return []
        high = max(place.spent)
        if action == FOLD:
            spent = place.spent
        else:
            put_in = min(table.stacks[seat], high if action == CALL else action)
            spent = (put_in, place.spent[1]) if seat == 0 else (place.spent[0], put_in)
        if place.ahead:  # a call is in the tree already; a raise that goes on like this changes nothing
            return [] if action == FOLD else [_Step(_Place(place.node, action > CALL, spent), None, 1.0)]
        pot = 2 * high + table.dead
        all_in = action >= min(table.stacks)
        steps = []
        found = self.choices(place.node, action, (action - high) / pot, all_in, 0.5 / pot)
        if learning and len(found) == 2 and self.betting.actions[place.node][found[1][0]] >= self._all_in:
            found = [(found[0][0] if found[0][1] >= 0.5 else found[1][0], 1.0)]
        for position, chance in found:
            node = int(self.betting.arrays.child[place.node, position])
            taken = self.betting.actions[place.node][position]
            rounds = self.betting.arrays.round
            ahead = action > CALL and taken == CALL and rounds[node] != rounds[place.node]
            steps.append(_Step(_Place(node, bool(ahead), spent), taken, chance))
        return steps

    def real(self, view: PokerView, node: int, position: int) -> int:
        """The action at the table that an action of the tree stands for; always a legal one."""
        action = self.betting.actions[node][position]
        if action == FOLD:
            return FOLD if FOLD in view.legal else CALL
        raises = raises_among(view.legal)
        if action == CALL or not raises:
            return CALL
        if action >= self._all_in:
            return max(raises[0], min(raises[-1], min(_table_of(view).stacks)))
        own, high = int(self.betting.chips_in[node].max()), max(view.spent)
        pot = 2 * high + view.pot - sum(view.spent)
        total = high + ((action - own) * pot + own) // (2 * own)
        return max(raises[0], min(raises[-1], total))

    def chances(self, view: PokerView, node: int, probabilities: Iterable[float]) -> dict[int, float]:
        """The probability of each action at the table, from those of the actions of a node."""
        found: dict[int, float] = {}
        for position, chance in enumerate(probabilities):
            action = self.real(view, node, position)
            found[action] = found.get(action, 0.0) + float(chance)
        return found


class Way(NamedTuple):
    """One way of a hand through a tree."""

    actions: tuple[tuple[int, int], ...]  # (seat, action of the tree)
    node: int  # where somebody acts next, or `OVER`
    chance: float


class _Place(NamedTuple):
    """Where a hand stands: in the tree, and at the table."""

    node: int
    ahead: bool  # whether the tree is: somebody has yet to answer a raise that counts as a call
    spent: tuple[int, int]  # chips of each seat at the table


class _Step(NamedTuple):
    """One of the places that an action leads to."""

    place: _Place
    action: int | None  # of the tree; None: it was there before
    chance: float


class _Table(NamedTuple):
    """What a hand for two begins with, in chips of the table."""

    stacks: tuple[int, ...]  # without dead chips
    start: _Place
    dead: int  # chips in the pot that count towards no call


def _table_of(seen: PokerView | Hand) -> _Table:
    """From what a seat sees, or from a record."""
    assert seen.stacks is not None
    if isinstance(seen, PokerView):
        rules = seen.game.rules
        stacks = tuple(left + spent for left, spent in zip(seen.stacks, seen.spent, strict=True))
        forced, dead = [rules.ante + blind for blind in rules.blinds], seen.pot - sum(seen.spent)
    else:
        forced, dead_of = [0, 0], [0, 0]
        for post in seen.posts:
            (dead_of if post.kind is ForcedBet.DEAD_BLIND else forced)[post.seat] += post.amount
        stacks, dead = tuple(s - d for s, d in zip(seen.stacks, dead_of, strict=True)), sum(dead_of)
    first, second = (min(put_in, stack) for put_in, stack in zip(forced, stacks, strict=True))
    return _Table(stacks, _Place(0, False, (first, second)), dead)


@lru_cache(maxsize=8)
def translator_of(betting: BettingTree) -> Translator:
    """The translator of a tree that has a menu of raises; made once."""
    return Translator(betting)


def on_tree(game: SequenceGame, hand: Hand) -> list[tuple[Hand, float]]:
    """A hand as it looks in a compiled game: itself, or its ways through a tree of few raises.

    Each way is a record of the compiled game, with its probability; together these are one. What was won, and
    who sat where, are those of the table. A hand of another game is a `SoulreadError`.
    """
    poker, betting = poker_of(game), betting_of(game)
    if betting.bets is None:
        verify_hand(poker, hand)
        return [(hand, 1.0)]
    verify_variant(poker, hand)
    if hand.stacks is None:
        raise SoulreadError(f"a hand of {hand.game!r} without stacks says nothing about {game.name!r}")
    stakes, posts = stakes_of(poker), posts_of(poker)
    return [
        (
            replace(
                hand,
                stakes=stakes,
                stacks=poker.rules.stacks,
                posts=posts,
                actions=way.actions,
                betting=_betting_after(betting, way),
            ),
            way.chance,
        )
        for way in translator_of(betting).ways(hand)
    ]


def _betting_after(betting: BettingTree, way: Way) -> str:
    """The betting of a way, as in ACPC."""
    node = 0
    for _, action in way.actions:
        node = int(betting.arrays.child[node, betting.actions[node].index(action)])
    return betting.betting[node]


def _uniform(view: PokerView, step: int) -> float:
    """A number from [0, 1) for an action of the hand, from the seat's cards and the betting up to it."""
    seen = repr((view.hole, view.actions[: step + 1])).encode()
    digest = hashlib.blake2b(seen, digest_size=8).digest()
    return int(np.frombuffer(digest, dtype="<u8")[0]) / 2.0**64
