"""Situations the slow way: every fact worked out from the list of actions by the rule engine."""

from collections.abc import Sequence

from soulread.games.poker import CALL, FOLD, PokerState
from soulread.games.walk import UNLIMITED
from soulread.model import situation as facts


def classed(value: float, bounds: Sequence[float]) -> int:
    return sum(value > bound + 1e-12 for bound in bounds)


def bits(seats: Sequence[int]) -> int:
    return sum(1 << seat for seat in set(seats))


def naive_facts(path: Sequence[tuple[PokerState, int]], state: PokerState, types: Sequence[int]):
    """Masks, relations and numbers of the decision in ``state``, which the decisions of ``path`` led to."""
    seats = range(len(state.spent))
    me, rules, big = state.player, state.rules, state.rules.big_blind
    start = rules.stacks or [UNLIMITED] * len(seats)
    dead = state.game.dead or [0] * len(seats)
    chips = [stack - lost for stack, lost in zip(start, dead, strict=True)]
    live = [seat for seat in seats if not state.folded[seat]]
    steps = []  # round, seat, what was done
    for before, action in path:
        kind = "fold" if action == FOLD else "raise"
        if action == CALL:
            kind = "call" if before.to_call else "check"
        steps.append((before.round, before.player, kind, before))
    now = [step for step in steps if step[0] == state.round]
    earlier = [step for step in steps if step[0] < state.round]

    def who(part, kind):
        return [seat for _, seat, did, _ in part if did == kind]

    def last_raiser(round):
        raisers = [seat for at, seat, did, _ in steps if at == round and did == "raise"]
        return raisers[-1] if raisers else None

    leader = last_raiser(state.round - 1) if state.round else None
    all_in = [seat for seat in seats if state.spent[seat] >= chips[seat]]
    asked = [seat for seat in state._queue if seat != me]
    masks = [0] * facts.NUM_MASKS
    for name, members in {
        facts.IN: live,
        facts.ALL_IN: all_in,
        facts.TO_ACT: asked,
        facts.CHECKED: who(now, "check"),
        facts.CALLED: who(now, "call"),
        facts.RAISED: who(now, "raise"),
        facts.LAST_RAISER: who(now, "raise")[-1:],
        facts.CALLED_BEFORE: who(earlier, "call"),
        facts.RAISED_BEFORE: who(earlier, "raise"),
        facts.LEADER: [] if leader is None else [leader],
        facts.BLIND: [seat for seat in seats if rules.blinds[seat]],
        facts.SHORT: [seat for seat in seats if chips[seat] < 50 * big],
        facts.COMMITTED: [seat for seat in live if 0 < chips[seat] - state.spent[seat] < state.pot],
    }.items():
        masks[name] = bits(members)
    for place, members in zip(facts.TYPES, types, strict=True):
        masks[place] = members
    relations = [[0] * 10 for _ in range(facts.NUM_RELATIONS)]
    raised_at = {seat: n for n, (_, seat, did, _) in enumerate(steps) if did == "raise"}
    for q in seats:
        for r in seats:
            caught = False
            for at, (round, seat, did, _) in enumerate(steps):
                if q in raised_at and at > raised_at[q] and seat == r and did == "call":
                    since = [
                        s for n, (x, s, d, _) in enumerate(steps) if n < at and x == round and d == "raise"
                    ]
                    caught |= since[-1:] == [q]
            for relation, true in (
                (facts.AFTER, r > q),
                (facts.COVERS, chips[r] > chips[q]),
                (facts.RAISED_OVER, q != r and raised_at.get(r, -1) > raised_at.get(q, 10**6)),
                (facts.CALLED_RAISE, caught),
            ):
                relations[relation][q] |= true << r
    owed, pot = state.to_call, state.pot
    last = [before for _, _, did, before in now if did == "raise"][-1:]
    size = over = 0
    if last:
        after = now[[n for n, step in enumerate(now) if step[2] == "raise"][-1] + 1 :]
        raiser = who(now, "raise")[-1]
        total = (after[0][3] if after else state).spent[raiser]
        high = max(last[0].rules.opening if last[0].round == 0 else 0, *last[0].spent)
        size, over = total - high, last[0].pot + high - last[0].spent[raiser]
    mine = [did for _, seat, did, _ in steps if seat == me][-1:]
    board = state.board
    ranks = [card >> 2 for card in board]
    suits = [card & 3 for card in board]
    runs = [{12, 0, 1, 2, 3}] + [set(range(low, low + 5)) for low in range(9)]
    n = len(seats)
    place = 6 - (n - 1 - me) if n - 1 - me <= 3 else 2
    if n == 2:
        place = 1 if me == 0 else 6
    elif me < 2:
        place = me
    calls = 0
    for _, _, did, _ in now:
        calls = 0 if did == "raise" else calls + (did == "call")
    numbers = {
        facts.ROUND: state.round,
        facts.DEALT: n,
        facts.LEFT: len(live),
        facts.BEHIND: len(asked),
        facts.LATER: sum(seat > me and seat not in all_in for seat in live),
        facts.POSITION: place,
        facts.RAISES: len(who(now, "raise")),
        facts.CALLERS: calls,
        facts.PREFLOP_RAISES: sum(at == 0 and did == "raise" for at, _, did, _ in steps),
        facts.ODDS: classed(owed / (pot + owed), facts.BOUNDS[facts.ODDS]),
        facts.BET: classed(size / max(1, over), facts.BOUNDS[facts.BET]),
        facts.TO_CALL: classed(owed / big, facts.BOUNDS[facts.TO_CALL]),
        facts.POT: classed(pot / big, facts.BOUNDS[facts.POT]),
        facts.STACK: classed((chips[me] - state.spent[me]) / max(1, pot), facts.BOUNDS[facts.STACK]),
        facts.OWN: {"check": 1, "call": 2, "raise": 3}[mine[0]] if mine else 0,
        facts.LED: sum(last_raiser(round) == me for round in range(state.round)),
        facts.PAIRS: len(ranks) - len(set(ranks)),
        facts.SUITS: max((suits.count(suit) for suit in suits), default=0),
        facts.STRAIGHT: max((len(run & set(ranks)) for run in runs), default=0) if ranks else 0,
        facts.HIGH_CARD: max(ranks, default=0),
    }
    return masks, relations, [min(numbers[name], facts.MOST) for name in range(facts.NUM_NUMBERS)]
