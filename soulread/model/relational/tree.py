"""A relational probability tree, in the manner of TILDE (Blockeel & De Raedt, 1998).

A tree tells two kinds of weighted examples apart: those of a distribution D (label 1) and those of another
one (label 0). Every leaf ends with one more question, the same everywhere: which *part* an example belongs to
(which action it has, say). So a leaf has, for each part, the weights w1 and w0 of the two kinds, and the
probability

    p = (w1 + s p_above) / (w1 + w0 + s),      p_above = that of the node above, 1/2 above the root,

so a leaf with few examples leans on the nodes above it; s is `SMOOTH`. The odds of a part, log(p / (1 - p)),
are all that equation 4 needs.

**Growing.** At a node every test of the language (`soulread.model.relational.language`) is tried. Its gain is
what it adds to the log-likelihood of the labels,

    gain = L(yes) + L(no) - L(node),       L = sum over the parts of w1 log(w1 / w) + w0 log(w0 / w),

and the first one of the largest gain is taken, if that is at least `least_gain` and both sides have at least
`least_leaf` weight. Parts are needed because both kinds are mixed in the same situations: a test of the
situation alone tells nothing about the label, but with the action it may tell all. Nothing is drawn at
random: the same examples give the same tree.

**Variables.** Each example carries the players that Q and R may be: a set of seats for Q, and for each of
these a set of seats for R. A test that holds narrows these sets down the yes-branch. So an existential query
costs a few operations on bits, whatever its length.

**Pruning.** Some games are held out while the tree grows. Afterwards every subtree that does not predict
their labels better than its root alone would is cut off. A whole tree that does not predict them better than
1/2 does is thrown away: its odds are 0. So it is where there are too few games to hold one out. Otherwise all
examples, the held-out ones too, fill the leaves.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.cards.deck import MAX_PLAYERS
from soulread.cards.scales.card_facts import NUM_CARD_FACTS, PLACES
from soulread.errors import SoulreadError
from soulread.kernel import kernel
from soulread.model.relational.language import ANYBODY, NONE, OWN, PAIR, TABLE, Language, Outcome, QueryKind
from soulread.model.relational.sentences import Asked, conditions_of
from soulread.model.situation import IN, MOST, NUM_MASKS, NUM_SIZES, FactRows

SMOOTH = 4.0
LEAST_GAIN = 4.0  # nats
LEAST_LEAF = 15.0  # weight
DEPTH = 14
HELD_OUT = 0.25  # share of the games that prune
_MULTIPLIER = 2654435761  # of Knuth's hash: which games are held out


class Examples(NamedTuple):
    """Weighted examples; what one example says of its decision is in row ``row`` of ``rows``."""

    rows: FactRows
    row: NDArray[np.int64]  # [n]
    action: NDArray[np.uint8]  # [n] 0 fold, 1 check or call, 2 raise
    size: NDArray[np.uint8]  # [n] class of a raise
    outcome: NDArray[np.uint8]  # [n] `Outcome`
    cards: NDArray[np.uint8]  # [n, 8] facts of the cards, where they are shown
    part: NDArray[np.uint8]  # [n] what a leaf tells apart
    label: NDArray[np.uint8]  # [n] 1: of the distribution that is learned; 0: of the other one
    weight: NDArray[np.float64]  # [n]
    group: NDArray[np.int64]  # [n] number of the game

    @property
    def size_of(self) -> int:
        """How many there are."""
        return int(self.row.size)

    def take(self, chosen: NDArray[np.int64]) -> "Examples":
        """Some of the examples."""
        return Examples._make((self.rows, *(column[chosen] for column in self[1:])))


class Tree(NamedTuple):
    """A tree; node 0 is the root."""

    kind: NDArray[np.int64]  # [nodes] `QueryKind`; LEAF
    a: NDArray[np.int64]  # [nodes] parameters of the test
    b: NDArray[np.int64]
    yes: NDArray[np.int64]  # [nodes] node below; -1 at a leaf
    no: NDArray[np.int64]
    odds: NDArray[np.float64]  # [nodes, parts] log(p / (1 - p))
    ones: NDArray[np.float64]  # [nodes, parts] weight of the examples with label 1
    zeros: NDArray[np.float64]

    @property
    def num_leaves(self) -> int:
        """How many leaves the tree has."""
        return int((self.kind == QueryKind.LEAF).sum())

    @property
    def num_parts(self) -> int:
        """How many parts a leaf tells apart."""
        return int(self.odds.shape[1])

    def probability(self, node: int, part: int = 0) -> float:
        """The probability of label 1 of a part at a node."""
        return float(1 / (1 + np.exp(-self.odds[node, part])))


@dataclass(frozen=True)
class GrowthSettings:
    """How trees are grown."""

    smooth: float = SMOOTH
    least_gain: float = LEAST_GAIN
    least_leaf: float = LEAST_LEAF
    depth: int = DEPTH
    held_out: float = HELD_OUT

    def __post_init__(self) -> None:
        if not (self.smooth > 0 and self.least_leaf >= 0 and self.depth >= 0 and 0 <= self.held_out < 1):
            raise SoulreadError(
                f"{self!r}: smooth must be positive, least_leaf and depth not negative, held_out below 1"
            )


def stump(parts: int = 1) -> Tree:
    """A tree that knows nothing: its odds are 0 everywhere."""
    return _tree([[QueryKind.LEAF, 0, NONE, -1, -1, np.zeros(parts), np.zeros(parts)]], SMOOTH)


def _tree(nodes: list[list[Any]], smooth: float) -> Tree:
    """A tree of nodes: kind, a, b, yes, no, and the weights of both labels by part."""
    kind, a, b, yes, no = (np.array([node[k] for node in nodes], np.int64) for k in range(5))
    ones, zeros = (np.array([node[k] for node in nodes], np.float64) for k in (5, 6))
    return Tree(kind, a, b, yes, no, smoothed(yes, no, ones, zeros, smooth), ones, zeros)


def smoothed(
    yes: NDArray[np.int64],
    no: NDArray[np.int64],
    ones: NDArray[np.float64],
    zeros: NDArray[np.float64],
    smooth: float,
) -> NDArray[np.float64]:
    """Log-odds ``[nodes, parts]`` from weights; each node leans on the one above."""
    above = np.full(ones.shape, 0.5)
    odds = np.zeros(ones.shape)
    for node in range(len(ones)):  # parents come first
        p = (ones[node] + smooth * above[node]) / (ones[node] + zeros[node] + smooth)
        odds[node] = np.log(p) - np.log1p(-p)
        for child in (yes[node], no[node]):
            if child >= 0:
                above[child] = p
    return odds


# Growing ------------------------------------------------------------------------------------------


class _Bound(NamedTuple):
    """Which players Q and R may be, for the examples of a node."""

    variables: int  # how many are bound
    q: NDArray[np.uint16]  # [n] set of seats
    r: NDArray[np.uint16]  # [n, 10] for each seat of Q a set of seats; [0, 10] while R is not bound


def grow(
    examples: Examples,
    language: Language,
    settings: GrowthSettings = GrowthSettings(),  # noqa: B008, it never changes
    parts: int | None = None,
) -> Tree:
    """A tree that tells labels apart, pruned on held-out games; see the top of the module.

    ``parts`` is how many parts there are; without it, as many as the examples have.
    """
    parts = int(examples.part.max()) + 1 if parts is None and examples.size_of else parts or 1
    if examples.size_of == 0:
        return stump(parts)
    if settings.held_out == 0:
        return _grown(examples, language, settings, parts)
    apart = held_out_games(examples, settings)
    full = _grown(examples.take(np.flatnonzero(~apart)), language, settings, parts)
    pruned = prune(full, examples.take(np.flatnonzero(apart)), settings.smooth)
    return stump(parts) if pruned is None else fill(pruned, examples, settings.smooth)


def held_out_games(examples: Examples, settings: GrowthSettings) -> NDArray[np.bool_]:
    """``[n]`` whether the game of an example is one of those that prune."""
    return np.asarray((examples.group * _MULTIPLIER % 2**32) < settings.held_out * 2**32)


def _grown(examples: Examples, language: Language, settings: GrowthSettings, parts: int) -> Tree:
    count = examples.size_of
    base = players_of(examples.rows, examples.row)
    nodes: list[list[Any]] = []
    waiting = [
        (
            -1,
            True,
            0,
            np.arange(count),
            _Bound(0, np.zeros(count, np.uint16), np.zeros((0, MAX_PLAYERS), np.uint16)),
        )
    ]
    while waiting:
        parent, is_yes, depth, members, bound = waiting.pop()
        number = len(nodes)
        if parent >= 0:
            nodes[parent][3 if is_yes else 4] = number
        zeros, ones = by_part(examples, members, parts).T
        nodes.append([int(QueryKind.LEAF), 0, NONE, -1, -1, ones, zeros])
        if depth >= settings.depth or (ones + zeros).sum() < 2 * settings.least_leaf:
            continue
        best = _best_test(examples, members, bound, base, language, settings, np.stack([zeros, ones], 1))
        if best is None:
            continue
        kind, a, b = best
        nodes[number][:3] = [int(kind), int(a), int(b)]
        sides = np.zeros(members.size, np.bool_)
        narrowed_q, narrowed_r = _route(examples, members, bound, base, kind, a, b, sides)
        after = variables_after(kind, bound.variables) if language.relational else 0
        yes, no = np.flatnonzero(sides), np.flatnonzero(~sides)
        for side, is_yes_side in ((no, False), (yes, True)):
            if is_yes_side and after:
                carried = _Bound(after, narrowed_q[yes], narrowed_r[yes] if after == 2 else narrowed_r[:0])
            else:
                carried = _Bound(
                    bound.variables, bound.q[side], bound.r[side] if bound.variables == 2 else bound.r
                )
            waiting.append((number, is_yes_side, depth + 1, members[side], carried))
    return _tree(nodes, settings.smooth)


def by_part(examples: Examples, members: NDArray[np.int64], parts: int) -> NDArray[np.float64]:
    """``[parts, 2]`` weight of some examples by part and label."""
    place = 2 * examples.part[members].astype(np.int64) + examples.label[members]
    sums = np.bincount(place, examples.weight[members], minlength=2 * parts)
    return sums.astype(np.float64).reshape(parts, 2)


@kernel
def variables_after(kind: int, variables: int) -> int:
    """How many variables are bound on the yes-branch of a test."""
    if kind in (7, 9):  # Kind.SOME, Kind.LINK
        return min(variables + 1, 2)
    return variables


def players_of(rows: FactRows, row: NDArray[np.int64]) -> NDArray[np.uint16]:
    """``[NUM_PLAYER, n]`` for each property the other players in the hand that have it, as sets of seats."""
    count = NUM_MASKS + 2 * rows.relations.shape[1]
    found = np.zeros((count, row.size), np.uint16)
    _fill_players(rows, row, found)
    return found


@kernel
def _fill_players(rows: FactRows, row: NDArray[np.int64], found: NDArray[np.uint16]) -> None:
    for i in range(row.size):
        for k in range(found.shape[0]):
            found[k, i] = players_with(rows, row[i], k)


@kernel
def others(rows: FactRows, i: int) -> np.int64:
    """The players in the hand of row i other than the one who decides."""
    return np.int64(rows.masks[i, IN] & ~(np.int64(1) << rows.actor[i]))


@kernel
def players_with(rows: FactRows, i: int, what: int) -> np.int64:
    """The other players of row i that have a property of `soulread.model.relational.language.PLAYER`."""
    if what < NUM_MASKS:
        return np.int64(rows.masks[i, what]) & others(rows, i)
    relation, turned = (what - NUM_MASKS) >> 1, (what - NUM_MASKS) & 1
    return related(rows, i, relation, turned, rows.actor[i]) & others(rows, i)


@kernel
def related(rows: FactRows, i: int, relation: int, turned: int, seat: int) -> np.int64:
    """The seats x with "x ... seat", or with "seat ... x" if turned."""
    if turned == 0:
        return np.int64(rows.relations[i, relation, seat])
    found = np.int64(0)
    for x in range(rows.relations.shape[2]):
        found |= (np.int64(rows.relations[i, relation, x]) >> seat & 1) << x
    return found


@kernel
def partners(rows: FactRows, i: int, pair: int, q: int) -> np.int64:
    """The players R of row i in relation ``pair`` to Q, different from P and Q."""
    rest = others(rows, i) & ~(np.int64(1) << q)
    return rest if pair == ANYBODY else rest & related(rows, i, pair >> 1, pair & 1, q)


def _best_test(
    examples: Examples,
    members: NDArray[np.int64],
    bound: _Bound,
    base: NDArray[np.uint16],
    language: Language,
    settings: GrowthSettings,
    total: NDArray[np.float64],
) -> tuple[int, int, int] | None:
    """The test of the largest gain, or None; the first one of equals. ``total`` is ``[parts, 2]``."""
    tests: list[NDArray[np.int64]] = []
    sums: list[NDArray[np.float64]] = []  # [tests, 2 * parts] weight of the yes side by part and label
    parts = len(total)
    weight = examples.weight[members]
    place = 2 * examples.part[members].astype(np.int64) + examples.label[members]
    row = examples.row[members]
    plain = _plain_sums(examples, members, place, parts)
    for kind, a, bounds, table in _plain_tests(language, plain):
        tests.append(np.stack([np.full(bounds.size, kind), np.full(bounds.size, a), bounds], axis=1))
        sums.append(table)
    if language.players:
        sets = np.ascontiguousarray(base[:, members])
        chosen = np.array(language.players, np.int64)
        if bound.variables == 0 or not language.relational:
            pairs = language.relational and language.conjunctions
            tests.append(_some_tests(chosen, pairs))
            table = np.zeros((len(tests[-1]), 2 * parts))
            _sum_some(sets, chosen, pairs, place, weight, table)
        elif bound.variables == 1:
            links = np.array([*PAIR, ANYBODY], np.int64)
            linked = [(QueryKind.LINK, link, what) for link in links for what in (NONE, *chosen)]
            tests += [_listed(QueryKind.BOUND, chosen), np.array(linked, np.int64)]
            table = np.zeros((chosen.size + len(linked), 2 * parts))
            _sum_bound(sets, chosen, bound.q, place, weight, table)
            _sum_links(examples.rows, row, sets, links, chosen, bound.q, place, weight, table[chosen.size :])
        else:
            tests += [
                _listed(QueryKind.BOUND, chosen),
                _listed(QueryKind.BOUND_R, chosen),
                _listed(QueryKind.BETWEEN, np.array(PAIR)),
            ]
            table = np.zeros((2 * chosen.size + len(PAIR), 2 * parts))
            _sum_both(examples.rows, row, sets, chosen, len(PAIR), bound.r, place, weight, table)
        sums.append(table)
    if not tests:
        return None
    every, found = np.concatenate(tests), np.concatenate(sums).reshape(-1, parts, 2)
    rest = np.maximum(total - found, 0.0)
    gains = likelihood(found) + likelihood(rest) - likelihood(total[None])
    enough = np.minimum(found.sum(axis=(1, 2)), rest.sum(axis=(1, 2))) >= max(settings.least_leaf, 1e-9)
    gains = np.where(enough, gains, -1.0)
    best = int(np.argmax(gains > gains.max() - 1e-9))
    if gains[best] < settings.least_gain:
        return None
    kind, a, b = (int(value) for value in every[best])
    return kind, a, b


def likelihood(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Log-likelihood of the labels of sides with these weights ``[n, parts, 2]``."""
    both = np.broadcast_to(sums.sum(axis=2, keepdims=True), sums.shape)
    shares = np.divide(sums, both, out=np.ones(sums.shape), where=sums > 0)
    found: NDArray[np.float64] = (sums * np.log(shares)).sum(axis=(1, 2))
    return found


def _listed(kind: QueryKind, values: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.stack([np.full(values.size, int(kind)), values, np.full(values.size, NONE)], axis=1)


def _some_tests(chosen: NDArray[np.int64], pairs: bool) -> NDArray[np.int64]:
    listed = [(QueryKind.SOME, a, NONE) for a in chosen]
    if pairs:
        listed += [(QueryKind.SOME, a, b) for n, a in enumerate(chosen) for b in chosen[n + 1 :]]
    return np.array(listed, np.int64)


class _Plain(NamedTuple):
    """Weights by part and label of every value that a test without variables may ask about."""

    table: NDArray[np.float64]  # [numbers, 16, 2 * parts]
    own: NDArray[np.float64]  # [masks, 2 * parts]
    action: NDArray[np.float64]  # [3, 2 * parts]
    size: NDArray[np.float64]  # [sizes, 2 * parts] of raises
    outcome: NDArray[np.float64]  # [3, 2 * parts]
    cards: NDArray[np.float64]  # [facts, 20, 2 * parts] of shown cards


def _plain_sums(
    examples: Examples, members: NDArray[np.int64], place: NDArray[np.int64], parts: int
) -> _Plain:
    found = _Plain(
        np.zeros((len(TABLE), MOST + 1, 2 * parts)),
        np.zeros((NUM_MASKS, 2 * parts)),
        np.zeros((3, 2 * parts)),
        np.zeros((NUM_SIZES, 2 * parts)),
        np.zeros((len(Outcome), 2 * parts)),
        np.zeros((NUM_CARD_FACTS, PLACES, 2 * parts)),
    )
    _sum_plain(examples, members, place, found)
    return found


def _plain_tests(
    language: Language, sums: _Plain
) -> Iterator[tuple[int, int, NDArray[np.int64], NDArray[np.float64]]]:
    """Tests without variables: kind, first parameter, second parameters, weights of the yes sides."""
    if language.table:
        for number in TABLE:
            yield QueryKind.TABLE, number, np.arange(1, MOST + 1), _at_least(sums.table[number])
        for own in OWN:
            yield QueryKind.OWN, own, np.array([NONE]), sums.own[own][None]
    if language.action:
        for action in range(3):
            yield QueryKind.ACTION, action, np.array([NONE]), sums.action[action][None]
    if language.sizes:
        for size, row in enumerate(_at_least(sums.size), start=1):
            yield QueryKind.SIZE, size, np.array([NONE]), row[None]
    if language.outcome:
        for outcome in Outcome:
            yield QueryKind.OUTCOME, int(outcome), np.array([NONE]), sums.outcome[outcome][None]
        for fact in language.cards:
            yield QueryKind.CARD, fact, np.arange(1, PLACES), _at_least(sums.cards[fact])


def _at_least(histogram: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights of values 1 or more, 2 or more and so on."""
    return np.ascontiguousarray(histogram[::-1].cumsum(axis=0)[::-1][1:])


@kernel
def _sum_plain(
    examples: Examples, members: NDArray[np.int64], place: NDArray[np.int64], found: _Plain
) -> None:
    rows = examples.rows
    for n in range(members.size):
        m, at = members[n], place[n]
        i, weight = examples.row[m], examples.weight[m]
        for number in range(rows.numbers.shape[1]):
            found.table[number, rows.numbers[i, number], at] += weight
        for mask in range(rows.masks.shape[1]):
            if np.int64(rows.masks[i, mask]) >> rows.actor[i] & 1:
                found.own[mask, at] += weight
        found.action[examples.action[m], at] += weight
        if examples.action[m] == 2:
            found.size[examples.size[m], at] += weight
        found.outcome[examples.outcome[m], at] += weight
        if examples.outcome[m] == 2:
            for fact in range(examples.cards.shape[1]):
                found.cards[fact, examples.cards[m, fact], at] += weight


@kernel
def _sum_some(
    sets: NDArray[np.uint16],
    chosen: NDArray[np.int64],
    pairs: bool,
    place: NDArray[np.int64],
    weight: NDArray[np.float64],
    table: NDArray[np.float64],
) -> None:
    row = chosen.size
    for k in range(chosen.size):
        first = sets[chosen[k]]
        for i in range(first.size):
            if first[i]:
                table[k, place[i]] += weight[i]
        if pairs:
            for other in range(k + 1, chosen.size):
                second = sets[chosen[other]]
                for i in range(first.size):
                    if first[i] & second[i]:
                        table[row, place[i]] += weight[i]
                row += 1


@kernel
def _sum_bound(
    sets: NDArray[np.uint16],
    chosen: NDArray[np.int64],
    q: NDArray[np.uint16],
    place: NDArray[np.int64],
    weight: NDArray[np.float64],
    table: NDArray[np.float64],
) -> None:
    for k in range(chosen.size):
        for i in range(q.size):
            if sets[chosen[k], i] & q[i]:
                table[k, place[i]] += weight[i]


@kernel
def _sum_links(
    rows: FactRows,
    row: NDArray[np.int64],
    sets: NDArray[np.uint16],
    links: NDArray[np.int64],
    chosen: NDArray[np.int64],
    q: NDArray[np.uint16],
    place: NDArray[np.int64],
    weight: NDArray[np.float64],
    table: NDArray[np.float64],
) -> None:
    for i in range(q.size):
        for n in range(links.size):
            reached = np.int64(0)  # the players that R may be, whichever Q is
            for seat in range(MAX_PLAYERS):
                if np.int64(q[i]) >> seat & 1:
                    reached |= partners(rows, row[i], links[n], seat)
            if reached == 0:
                continue
            row_at = n * (chosen.size + 1)
            table[row_at, place[i]] += weight[i]
            for k in range(chosen.size):
                if reached & np.int64(sets[chosen[k], i]):
                    table[row_at + 1 + k, place[i]] += weight[i]


@kernel
def _sum_both(
    rows: FactRows,
    row: NDArray[np.int64],
    sets: NDArray[np.uint16],
    chosen: NDArray[np.int64],
    pairs: int,
    r: NDArray[np.uint16],
    place: NDArray[np.int64],
    weight: NDArray[np.float64],
    table: NDArray[np.float64],
) -> None:
    for i in range(row.size):
        first, second = np.int64(0), np.int64(0)
        for seat in range(MAX_PLAYERS):
            if r[i, seat]:
                first |= np.int64(1) << seat
                second |= np.int64(r[i, seat])
        for k in range(chosen.size):
            if first & np.int64(sets[chosen[k], i]):
                table[k, place[i]] += weight[i]
            if second & np.int64(sets[chosen[k], i]):
                table[chosen.size + k, place[i]] += weight[i]
        for pair in range(pairs):
            for seat in range(MAX_PLAYERS):
                if np.int64(r[i, seat]) & partners(rows, row[i], pair, seat):
                    table[2 * chosen.size + pair, place[i]] += weight[i]
                    break


def _route(
    examples: Examples,
    members: NDArray[np.int64],
    bound: _Bound,
    base: NDArray[np.uint16],
    kind: int,
    a: int,
    b: int,
    sides: NDArray[np.bool_],
) -> tuple[NDArray[np.uint16], NDArray[np.uint16]]:
    """Fill in who goes to the yes side; returns what Q and R may be there."""
    q = bound.q.copy()
    r = bound.r.copy() if bound.variables == 2 else np.zeros((members.size, MAX_PLAYERS), np.uint16)
    _route_kernel(examples, members, bound.variables, kind, a, b, q, r, sides)
    return q, r


@kernel
def _route_kernel(
    examples: Examples,
    members: NDArray[np.int64],
    variables: int,
    kind: int,
    a: int,
    b: int,
    q: NDArray[np.uint16],
    r: NDArray[np.uint16],
    sides: NDArray[np.bool_],
) -> None:
    for n in range(members.size):
        m = members[n]
        sides[n], q[n] = _example_passes(kind, a, b, variables, examples, m, np.int64(q[n]), r[n])


# Asking -------------------------------------------------------------------------------------------


@kernel
def passes(
    kind: int,
    a: int,
    b: int,
    variables: int,
    rows: FactRows,
    i: int,
    action: int,
    size: int,
    outcome: int,
    cards: NDArray[np.uint8],
    q: np.int64,
    r: NDArray[np.uint16],
) -> tuple[bool, np.int64]:
    """Whether an example passes a test, and what Q may then be; ``r`` is narrowed in place if it does."""
    if kind == 1:  # TABLE
        return rows.numbers[i, a] >= b, q
    if kind == 2:  # OWN
        return np.int64(rows.masks[i, a]) >> rows.actor[i] & 1 == 1, q
    if kind == 3:  # ACTION
        return action == a, q
    if kind == 4:  # SIZE
        return action == 2 and size >= a, q
    if kind == 5:  # OUTCOME
        return outcome == a, q
    if kind == 6:  # CARD
        return outcome == 2 and cards[a] >= b, q
    if kind == 7:  # SOME
        found = players_with(rows, i, a)
        if b >= 0:
            found &= players_with(rows, i, b)
        return found != 0, found if found != 0 else q
    if kind == 8 and variables == 1:  # BOUND
        found = q & players_with(rows, i, a)
        return found != 0, found if found != 0 else q
    if kind == 9:  # LINK
        allowed = others(rows, i) if b < 0 else players_with(rows, i, b)
        found = np.int64(0)
        for seat in range(MAX_PLAYERS):
            r[seat] = 0
            if q >> seat & 1:
                r[seat] = partners(rows, i, a, seat) & allowed
                if r[seat]:
                    found |= np.int64(1) << seat
        return found != 0, found if found != 0 else q
    # R is bound: the test is on pairs of Q and R.
    mask = np.int64(0)
    if kind != 11:
        mask = players_with(rows, i, a)
    found = np.int64(0)
    for seat in range(MAX_PLAYERS):
        if r[seat] and _partners_left(kind, a, mask, rows, i, seat, r):
            found |= np.int64(1) << seat
    if found == 0:
        return False, q
    for seat in range(MAX_PLAYERS):
        if r[seat]:
            r[seat] = _partners_left(kind, a, mask, rows, i, seat, r)
    return True, found


@kernel
def _example_passes(
    kind: int,
    a: int,
    b: int,
    variables: int,
    examples: Examples,
    m: int,
    q: np.int64,
    r: NDArray[np.uint16],
) -> tuple[bool, np.int64]:
    """`passes` for the m-th of some examples."""
    row, action, size = examples.row[m], examples.action[m], examples.size[m]
    outcome, cards = examples.outcome[m], examples.cards[m]
    return passes(kind, a, b, variables, examples.rows, row, action, size, outcome, cards, q, r)


@kernel
def _partners_left(
    kind: int, a: int, mask: np.int64, rows: FactRows, i: int, seat: int, r: NDArray[np.uint16]
) -> np.int64:
    """The players R that are left beside one Q after a test on Q (8), on R (10) or on both (11)."""
    left = np.int64(r[seat])
    if kind == 8:
        return left if mask >> seat & 1 else np.int64(0)
    if kind == 10:
        return left & mask
    return left & partners(rows, i, a, seat)


@kernel
def leaf_of(
    tree: Tree,
    root: int,
    rows: FactRows,
    i: int,
    action: int,
    size: int,
    outcome: int,
    cards: NDArray[np.uint8],
    r: NDArray[np.uint16],
) -> int:
    """The leaf that an example reaches from ``root``; ``r`` is room for ten numbers."""
    node, variables, q = root, 0, np.int64(0)
    while tree.kind[node] != 0:
        kind = tree.kind[node]
        held, q = passes(
            kind, tree.a[node], tree.b[node], variables, rows, i, action, size, outcome, cards, q, r
        )
        if held:
            variables = variables_after(kind, variables)
            node = tree.yes[node]
        else:
            node = tree.no[node]
    return node


@kernel
def _count(tree: Tree, examples: Examples, ones: NDArray[np.float64], zeros: NDArray[np.float64]) -> None:
    """Add the weights of examples to all nodes they pass."""
    r = np.zeros(MAX_PLAYERS, np.uint16)
    for m in range(examples.row.size):
        node, variables, q = 0, 0, np.int64(0)
        while True:
            if examples.label[m]:
                ones[node, examples.part[m]] += examples.weight[m]
            else:
                zeros[node, examples.part[m]] += examples.weight[m]
            kind = tree.kind[node]
            if kind == 0:
                break
            held, q = _example_passes(kind, tree.a[node], tree.b[node], variables, examples, m, q, r)
            if held:
                variables = variables_after(kind, variables)
                node = tree.yes[node]
            else:
                node = tree.no[node]


@kernel
def _odds(tree: Tree, examples: Examples, found: NDArray[np.float64]) -> None:
    r = np.zeros(MAX_PLAYERS, np.uint16)
    for m in range(examples.row.size):
        leaf = leaf_of(
            tree,
            0,
            examples.rows,
            examples.row[m],
            examples.action[m],
            examples.size[m],
            examples.outcome[m],
            examples.cards[m],
            r,
        )
        found[m] = tree.odds[leaf, examples.part[m]]


class Forest(NamedTuple):
    """Several trees whose log-odds are added, in one set of arrays for kernels."""

    tree: Tree
    roots: NDArray[np.int64]  # [trees]


def join(trees: Sequence[Tree]) -> Forest:
    """Trees one after another; without any, the forest says 0."""
    if not trees:
        return Forest(stump(), np.zeros(0, np.int64))
    sizes = [tree.kind.size for tree in trees]
    roots = np.cumsum([0, *sizes[:-1]])
    moved = [
        tree._replace(
            yes=np.where(tree.yes >= 0, tree.yes + root, -1), no=np.where(tree.no >= 0, tree.no + root, -1)
        )
        for tree, root in zip(trees, roots, strict=True)
    ]
    columns = [np.concatenate(column) for column in zip(*moved, strict=True)]
    return Forest(Tree(*columns), roots)


@kernel
def score(
    forest: Forest,
    rows: FactRows,
    i: int,
    action: int,
    size: int,
    outcome: int,
    cards: NDArray[np.uint8],
    r: NDArray[np.uint16],
    scores: NDArray[np.float64],
) -> None:
    """Fill in the sums ``[parts]`` of the log-odds of all parts in all trees; ``r`` is room for ten numbers.

    The tests must not ask about the parts themselves, which is so in the questions of
    `soulread.model.relational.examples`: one walk down a tree serves all parts.
    """
    scores[:] = 0.0
    for root in forest.roots:
        leaf = leaf_of(forest.tree, root, rows, i, action, size, outcome, cards, r)
        for part in range(scores.size):
            scores[part] += forest.tree.odds[leaf, part]


def odds_of(tree: Tree, examples: Examples) -> NDArray[np.float64]:
    """Log-odds ``[n]`` of label 1 of every example."""
    found = np.zeros(examples.size_of)
    _odds(tree, examples, found)
    return found


# Pruning ------------------------------------------------------------------------------------------


def fill(tree: Tree, examples: Examples, smooth: float = SMOOTH) -> Tree:
    """The same tree with the weights of other examples."""
    ones, zeros = np.zeros(tree.odds.shape), np.zeros(tree.odds.shape)
    _count(tree, examples, ones, zeros)
    odds = smoothed(tree.yes, tree.no, ones, zeros, smooth)
    return tree._replace(odds=odds, ones=ones, zeros=zeros)


def prune(tree: Tree, held_out: Examples, smooth: float = SMOOTH) -> Tree | None:
    """Cut off what does not predict the labels of held-out examples better than its root alone.

    None if the whole tree does not predict them better than 1/2 does.
    """
    ones, zeros = np.zeros(tree.odds.shape), np.zeros(tree.odds.shape)
    _count(tree, held_out, ones, zeros)
    log_one, log_zero = -np.logaddexp(0, -tree.odds), -np.logaddexp(0, tree.odds)
    alone = (ones * log_one + zeros * log_zero).sum(axis=1)
    below = alone.copy()
    cut = tree.kind == QueryKind.LEAF
    for node in range(tree.kind.size - 1, -1, -1):  # children come after their parents
        if not cut[node]:
            split = below[tree.yes[node]] + below[tree.no[node]]
            if split > alone[node] + 1e-12:
                below[node] = split
            else:
                cut[node] = True
    if below[0] <= -np.log(2) * held_out.weight.sum() + 1e-9:
        return None
    return _kept(tree, cut, smooth)


def _kept(tree: Tree, cut: NDArray[np.bool_], smooth: float) -> Tree:
    """The tree with some nodes made leaves, numbered anew."""
    nodes: list[list[Any]] = []
    waiting = [(0, -1, True)]
    while waiting:
        old, parent, is_yes = waiting.pop()
        number = len(nodes)
        if parent >= 0:
            nodes[parent][3 if is_yes else 4] = number
        ends = bool(cut[old])
        kind = int(QueryKind.LEAF) if ends else int(tree.kind[old])
        a, b = (0, NONE) if ends else (int(tree.a[old]), int(tree.b[old]))
        nodes.append([kind, a, b, -1, -1, tree.ones[old], tree.zeros[old]])
        if not ends:
            waiting += [(int(tree.no[old]), number, False), (int(tree.yes[old]), number, True)]
    return _tree(nodes, smooth)


# Words --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rule:
    """A leaf in words: when one comes to it, and what it says of each part."""

    conditions: tuple[str, ...]  # all of them hold
    ones: tuple[float, ...]  # [parts] weight of the examples with label 1
    zeros: tuple[float, ...]
    probabilities: tuple[float, ...]  # [parts] of label 1
    others: bool = False  # whether a condition speaks of another player, Q or R

    def text(self, parts: Sequence[str] = ("",)) -> str:
        """The rule as a sentence: p of label 1 of each of ``parts``, and n of both labels."""
        rows = zip(parts, self.probabilities, self.ones, self.zeros, strict=False)
        told = ", ".join(
            f"{name} p = {p:.3f} (n = {one:,.1f} to {zero:,.1f})".strip()
            for name, p, one, zero in rows
            if one + zero > 0
        )
        return f"if {' and '.join(self.conditions) or 'anything'}: {told}"


def rules_of(tree: Tree, *, holding: bool = False) -> list[Rule]:
    """Every leaf of a tree in words, from the top of the tree down its yes-branches first.

    ``holding``: the tree is about a holding, shown or not; else cards are known only if they are shown.
    """
    found = []
    waiting: list[tuple[int, int, tuple[Asked, ...]]] = [(0, 0, ())]
    while waiting:
        node, variables, so_far = waiting.pop()
        if tree.kind[node] == QueryKind.LEAF:
            chances = tuple(tree.probability(node, part) for part in range(tree.num_parts))
            ones, zeros = tuple(tree.ones[node].tolist()), tuple(tree.zeros[node].tolist())
            others = any(test.kind >= QueryKind.SOME for test in so_far)
            found.append(Rule(conditions_of(so_far, holding=holding), ones, zeros, chances, others))
            continue
        asked = Asked(int(tree.kind[node]), int(tree.a[node]), int(tree.b[node]), variables)
        waiting.append((int(tree.no[node]), variables, (*so_far, asked._replace(holds=False))))
        waiting.append((int(tree.yes[node]), variables_after(asked.kind, variables), (*so_far, asked)))
    return found


# Files --------------------------------------------------------------------------------------------

_COLUMNS = ("kind", "a", "b", "yes", "no", "odds", "ones", "zeros")


def tree_arrays(tree: Tree, prefix: str) -> dict[str, NDArray[Any]]:
    """The arrays of a tree by name, for a file."""
    return {f"{prefix}.{name}": column for name, column in zip(_COLUMNS, tree, strict=True)}


def tree_from(arrays: Mapping[str, NDArray[Any]], prefix: str) -> Tree:
    """The opposite of `tree_arrays`; a tree that is not whole is refused."""
    try:
        columns = [arrays[f"{prefix}.{name}"] for name in _COLUMNS]
    except KeyError as error:
        raise SoulreadError(f"the tree {prefix!r} has no array {error.args[0]!r}") from None
    whole = [np.ascontiguousarray(column, np.int64) for column in columns[:5]]
    real = [np.ascontiguousarray(column, np.float64) for column in columns[5:]]
    tree = Tree(whole[0], whole[1], whole[2], whole[3], whole[4], real[0], real[1], real[2])
    count = tree.kind.size
    inner = np.flatnonzero(tree.kind != QueryKind.LEAF)
    below = np.concatenate([tree.yes[inner], tree.no[inner]])
    if (
        count == 0
        or any(column.shape != (count,) for column in tree[:5])
        or tree.odds.ndim != 2
        or any(column.shape != (count, tree.odds.shape[1]) for column in tree[5:])
        or not np.isin(tree.kind, list(QueryKind)).all()
        or not np.isfinite(tree.odds).all()
        or (below.size and (below.min() < 1 or below.max() >= count))
        or (tree.yes[inner] <= inner).any()
        or (tree.no[inner] <= inner).any()
    ):
        raise SoulreadError(f"the tree {prefix!r} is not whole")
    return tree
