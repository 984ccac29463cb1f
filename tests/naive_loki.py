"""Slow twins of the kernels of Loki's models: one holding at a time, from the definitions."""

from collections.abc import Sequence

from soulread.cards.deck import FULL_DECK
from soulread.cards.evaluate import evaluate
from soulread.cards.ranges import HAND_CARDS, HAND_CELLS, hand_index

FLOOR, LEAST = 0.01, 1e-6


def ramp(value: float, mu: float, sigma: float) -> float:
    if value >= mu + sigma:
        return 1.0
    if value <= mu - sigma:
        return 0.0
    return 0.5 + (value - mu) / (2 * sigma)


def triple(value: float, bars: Sequence[Sequence[float]], may_fold: bool, may_raise: bool) -> list[float]:
    stay = ramp(value, *bars[0]) if may_fold else 1.0
    above = min(stay, ramp(value, *bars[1])) if may_raise else 0.0
    legal = [may_fold, True, may_raise]
    plain = [1 - stay, stay - above, above]
    return [(1 - FLOOR) * chance + FLOOR * ok / sum(legal) for chance, ok in zip(plain, legal, strict=True)]


def doubted(
    plain: Sequence[float], rates: Sequence[float], doubt: float, may_fold: bool, may_raise: bool
) -> list[float]:
    """A triple, part of which is drawn by frequencies: folds that are not legal are calls, and raises too."""
    fold, raised = rates
    usual = [fold * may_fold, 0.0, min(raised, 1 - fold * may_fold) * may_raise]
    usual[1] = 1 - sum(usual)
    return [(1 - doubt) * one + doubt * other for one, other in zip(plain, usual, strict=True)]


def quantile(values: Sequence[float], q: float) -> float:
    """The value of the first possible holding, from the lowest, with which their number exceeds q of all."""
    possible = sorted(value for value in values if value >= 0)
    for number, value in enumerate(possible, 1):
        if number > q * len(possible):
            return value
    return possible[-1]


def bars(values: Sequence[float], fold: float, raised: float, spread: float) -> list[list[float]]:
    found = []
    for q in (fold, 1 - raised):
        begin, end = ramp_ends(q, spread)
        inside = max(begin, 0.0), min(end, 1.0)
        low, high = (quantile(values, place) for place in inside)
        slope = (high - low) / max(inside[1] - inside[0], 1e-9)
        low, high = low - slope * (inside[0] - begin), high + slope * (end - inside[1])
        found.append([(low + high) / 2, (high - low) / 2])
    return found


def ramp_ends(q: float, s: float) -> tuple[float, float]:
    """By bisection: the ramp from a to a + 2 s whose mean over 0 to 1 is 1 - q."""
    low, high = -2 * s, 1.0
    for _ in range(100):
        middle = (low + high) / 2
        if ramp_mean(middle, s) > 1 - q:
            low = middle
        else:
            high = middle
    return low, low + 2 * s


def ramp_mean(a: float, s: float) -> float:
    def below(x: float) -> float:
        """The area under the ramp left of x."""
        if x <= a:
            return 0.0
        return (x - a) ** 2 / (4 * s) if x < a + 2 * s else s + x - (a + 2 * s)

    return below(1.0) - below(0.0)


def reweigh(
    weights: Sequence[float],
    values: Sequence[float],
    bars: Sequence[Sequence[float]],
    action: int,
    may_fold: bool,
    may_raise: bool,
    by: str,
    doubt: float = 0.0,
) -> list[float]:
    after = []
    possible = [h for h, value in enumerate(values) if value >= 0]
    total = sum(weights[h] for h in possible)
    triples = [triple(value, bars, may_fold, may_raise) for value in values]
    rates = [sum(weights[h] * triples[h][kind] for h in possible) / total for kind in (0, 2)]
    for weight, value in zip(weights, values, strict=True):
        if by == "triples":
            plain = triple(value, bars, may_fold, may_raise)
            after.append(weight * doubted(plain, rates, doubt, may_fold, may_raise)[action])
        elif action == 1 and not may_fold:
            after.append(weight)
        else:
            above = ramp(value, *bars[1 if action == 2 else 0])
            after.append(weight * (FLOOR + (1 - FLOOR) * (1 - above if action == 0 else above)))
    return [max(weight, LEAST * max(after)) for weight in after]


def paths(hole: Sequence[int], board: Sequence[int], weights: Sequence[float]) -> list[list[float]]:
    """[now, then] over all holdings and all next cards."""
    table = [[0.0] * 3 for _ in range(3)]
    for h, (a, b) in enumerate(HAND_CARDS.tolist()):
        if weights[h] == 0 or {a, b} & {*hole, *board}:
            continue
        now = _compare(hole, (a, b), board)
        left = [card for card in FULL_DECK if card not in {a, b, *hole, *board}]
        for card in left if len(board) < 5 else ():
            table[now][_compare(hole, (a, b), (*board, card))] += weights[h]
        if len(board) == 5:
            table[now][now] += weights[h]
    return table


def _compare(ours: Sequence[int], theirs: Sequence[int], board: Sequence[int]) -> int:
    mine, other = evaluate((*ours, *board)), evaluate((*theirs, *board))
    return 0 if mine > other else 1 if mine == other else 2


def roll_out(
    uniforms: Sequence[Sequence[float]], players: int, stays: Sequence[bool]
) -> dict[int, list[float]]:
    """Incomes in small bets of each class, deal by deal; a class that folds is rated as if it stayed in."""
    found: dict[int, list[float]] = {}
    deck = list(FULL_DECK)
    blind = 1.5 / players
    for row in uniforms:
        for i, uniform in enumerate(row):
            j = i + int(uniform * (52 - i))
            deck[i], deck[j] = deck[j], deck[i]
        board = deck[:5]
        holes = [deck[5 + 2 * p : 7 + 2 * p] for p in range(players)]
        classes = [int(HAND_CELLS[hand_index(*hole)]) for hole in holes]
        for p in range(players):
            playing = [o for o in range(players) if o == p or stays[classes[o]]]
            pot = sum(1 if o in playing else blind for o in range(players))
            values = [evaluate((*holes[o], *board)) for o in playing]
            mine = evaluate((*holes[p], *board))
            won = pot / values.count(mine) if mine == max(values) else 0.0
            found.setdefault(classes[p], []).append(won - 1)
    return found
