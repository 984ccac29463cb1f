"""Relational trees the slow way: bindings are enumerated, gains counted example by example."""

import math
from itertools import combinations, permutations

from soulread.model.relational.language import ANYBODY, NONE, OWN, PAIR, Language, QueryKind
from soulread.model.relational.tree import Examples, Tree
from soulread.model.situation import IN, MOST, NUM_MASKS, NUM_NUMBERS, NUM_SIZES


def has(examples: Examples, m: int, seat: int, what: int) -> bool:
    """Whether another player has a property."""
    rows, i = examples.rows, examples.row[m]
    if what < NUM_MASKS:
        return bool(int(rows.masks[i, what]) >> seat & 1)
    relation, turned = divmod(what - NUM_MASKS, 2)
    p = int(rows.actor[i])
    return linked(examples, m, relation, p, seat) if turned else linked(examples, m, relation, seat, p)


def linked(examples: Examples, m: int, relation: int, x: int, y: int) -> bool:
    """Whether "x ... y" holds."""
    return bool(int(examples.rows.relations[examples.row[m], relation, y]) >> x & 1)


def literal(examples: Examples, m: int, kind: int, a: int, b: int, variables: int, q: int, r: int) -> bool:
    """Whether one test holds for a choice of Q and R."""
    rows, i = examples.rows, examples.row[m]
    if kind == QueryKind.TABLE:
        return bool(rows.numbers[i, a] >= b)
    if kind == QueryKind.OWN:
        return bool(int(rows.masks[i, a]) >> int(rows.actor[i]) & 1)
    if kind == QueryKind.ACTION:
        return bool(examples.action[m] == a)
    if kind == QueryKind.SIZE:
        return bool(examples.action[m] == 2 and examples.size[m] >= a)
    if kind == QueryKind.OUTCOME:
        return bool(examples.outcome[m] == a)
    if kind == QueryKind.CARD:
        return bool(examples.outcome[m] == 2 and examples.cards[m, a] >= b)
    if kind == QueryKind.SOME:
        return all(has(examples, m, q, what) for what in (a, b) if what != NONE)
    if kind == QueryKind.BOUND:
        return has(examples, m, q, a)
    if kind == QueryKind.BOUND_R:
        return has(examples, m, r, a)
    pair = True
    if a != ANYBODY:
        relation, turned = divmod(a, 2)
        pair = linked(examples, m, relation, *((q, r) if turned else (r, q)))
    return pair and (kind != QueryKind.LINK or b == NONE or has(examples, m, r, b))


Query = list[tuple[int, int, int, int]]  # kind, a, b, variables bound before


def satisfied(examples: Examples, m: int, query: Query) -> bool:
    """Whether some choice of Q and R satisfies all tests of a query."""
    i = examples.row[m]
    p = int(examples.rows.actor[i])
    others = [seat for seat in range(10) if int(examples.rows.masks[i, IN]) >> seat & 1 and seat != p]
    bound = sum(kind in (QueryKind.SOME, QueryKind.LINK) for kind, *_ in query)
    choices = permutations(others, bound) if bound else [()]
    for choice in choices:
        q, r = (*choice, -1, -1)[:2]
        if all(literal(examples, m, *test, q, r) for test in query):
            return True
    return False


def naive_leaf(tree: Tree, examples: Examples, m: int) -> int:
    """The leaf that an example reaches: the query is the conjunction of the tests on yes-branches."""
    node = 0
    query: list[tuple[int, int, int, int]] = []
    while tree.kind[node] != QueryKind.LEAF:
        bound = sum(kind in (QueryKind.SOME, QueryKind.LINK) for kind, *_ in query)
        test = int(tree.kind[node]), int(tree.a[node]), int(tree.b[node]), bound
        if satisfied(examples, m, [*query, test]):
            query = [*query, test]
            node = int(tree.yes[node])
        else:
            node = int(tree.no[node])
    return node


def all_tests(language: Language, bound: int) -> list[tuple[int, int, int]]:
    """Every test that may stand at a node with so many variables bound."""
    found = [(QueryKind.TABLE, number, b) for number in range(NUM_NUMBERS) for b in range(1, MOST + 1)]
    found += [(QueryKind.OWN, own, NONE) for own in OWN]
    if language.action:
        found += [(QueryKind.ACTION, action, NONE) for action in range(3)]
    if language.sizes:
        found += [(QueryKind.SIZE, size, NONE) for size in range(1, NUM_SIZES)]
    if language.outcome:
        found += [(QueryKind.OUTCOME, outcome, NONE) for outcome in range(3)]
        found += [(QueryKind.CARD, fact, b) for fact in language.cards for b in range(1, 20)]
    players = language.players
    if bound == 0:
        found += [(QueryKind.SOME, a, NONE) for a in players]
        found += [(QueryKind.SOME, a, b) for a, b in combinations(players, 2)]
    elif bound == 1:
        found += [(QueryKind.BOUND, a, NONE) for a in players]
        found += [(QueryKind.LINK, pair, b) for pair in (*PAIR, ANYBODY) for b in (NONE, *players)]
    else:
        found += [(QueryKind.BOUND, a, NONE) for a in players] + [
            (QueryKind.BOUND_R, a, NONE) for a in players
        ]
        found += [(QueryKind.BETWEEN, pair, NONE) for pair in PAIR]
    return [(int(kind), a, b) for kind, a, b in found]


def naive_gain(examples: Examples, members: list[int], query: Query, test: tuple[int, int, int]) -> float:
    """What a test adds to the log-likelihood of the labels of some examples."""
    bound = sum(kind in (QueryKind.SOME, QueryKind.LINK) for kind, *_ in query)
    sides = [satisfied(examples, m, [*query, (*test, bound)]) for m in members]

    def likelihood(chosen: list[int]) -> float:
        total = 0.0
        for part in set(examples.part.tolist()):
            weights = [
                sum(examples.weight[m] for m in chosen if examples.part[m] == part and examples.label[m] == k)
                for k in (0, 1)
            ]
            total += sum(w * math.log(w / sum(weights)) for w in weights if w > 0)
        return total

    yes = [m for m, side in zip(members, sides, strict=True) if side]
    no = [m for m, side in zip(members, sides, strict=True) if not side]
    return likelihood(yes) + likelihood(no) - likelihood(members)


def smoothed_by_hand(path: list[tuple[float, float]], smooth: float) -> float:
    """The probability at the end of a path of (ones, zeros) from the root on."""
    p = 0.5
    for one, zero in path:
        p = (one + smooth * p) / (one + zero + smooth)
    return p
