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

The draw comes from the cards of the seat that translates and from the betting so far. So it is the same until
the hand is over, nobody else knows it, and a strategy over a tree stays one strategy.
"""

import hashlib
from collections.abc import Callable, Iterable

import numpy as np

from soulread.errors import SoulreadError
from soulread.games.bets import effective_stack
from soulread.games.poker import CALL, FOLD, PokerView, raises_among
from soulread.seqform.betting import BettingTree

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
        stacks = _stacks(view)
        dead = view.pot - sum(view.spent)
        spent = [min(forced, stack) for forced, stack in zip(_forced(view), stacks, strict=True)]
        effective = min(stacks)
        node, ahead = 0, False
        for step, (seat, action) in enumerate(actions):
            if not self.betting.actions[node]:
                return OVER
            if ahead:  # a call is in the tree already; a raise that goes on like this changes nothing
                ahead = action > CALL
                spent[seat] = min(stacks[seat], max(spent) if action == CALL else action)
                continue
            high = max(spent)
            pot = 2 * high + dead
            found = self.choices(node, action, (action - high) / pot, action >= effective, 0.5 / pot)
            if not found:
                return OVER
            place = found[0][0] if len(found) == 1 or draw(step) < found[0][1] else found[1][0]
            before, node = node, int(self.betting.arrays.child[node, place])
            called = action > CALL and self.betting.actions[before][place] == CALL
            ahead = called and self.betting.arrays.round[node] != self.betting.arrays.round[before]
            if action != FOLD:
                spent[seat] = min(stacks[seat], high if action == CALL else action)
        return OVER if ahead or not self.betting.actions[node] else node

    def real(self, view: PokerView, node: int, position: int) -> int:
        """The action at the table that an action of the tree stands for; always a legal one."""
        action = self.betting.actions[node][position]
        if action == FOLD:
            return FOLD if FOLD in view.legal else CALL
        raises = raises_among(view.legal)
        if action == CALL or not raises:
            return CALL
        if action >= self._all_in:
            return max(raises[0], min(raises[-1], min(_stacks(view))))
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


def _stacks(view: PokerView) -> list[int]:
    """Chips of each seat when the hand began, but for dead ones."""
    assert view.stacks is not None
    return [left + spent for left, spent in zip(view.stacks, view.spent, strict=True)]


def _forced(view: PokerView) -> list[int]:
    rules = view.game.rules
    return [rules.ante + blind for blind in rules.blinds]


def _uniform(view: PokerView, step: int) -> float:
    """A number from [0, 1) for an action of the hand, from the seat's cards and the betting up to it."""
    seen = repr((view.hole, view.actions[: step + 1])).encode()
    digest = hashlib.blake2b(seen, digest_size=8).digest()
    return int(np.frombuffer(digest, dtype="<u8")[0]) / 2.0**64
