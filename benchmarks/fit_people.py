"""Fits the players `person:number=N` to people of the IRC poker database: makes play/opponents/people.json.

    python benchmarks/fit_people.py DATA... [--write]

DATA are months of the database as `soulread.hands.formats.irc` reads them (folders or .tgz). Names that are
programs by their own account are left out. Without --write nothing is written; the fit is only judged.

A player's chances depend on the situation and on the rating of the hand (`soulread.play.opponents.person`).
The hand is hidden unless it was shown. So the likelihood of what a player did in a hand is the mean over
`HOLDINGS` sampled holdings of the product of the chances of all decisions; of a shown hand it is the product
itself. Its maximum is found by L-BFGS: the gradient weighs each holding with its posterior, as the E-step of
EM does.

    scores of a player = population by situation and number of players left (2, 3 to 4, more)
                       + the player's deviation by round and bets to call + by situation

Both deviations are held small and smooth by a quadratic penalty. One deviation serves decisions with two,
three and four players left; decisions with more have their own, which only says what hands came to the flop.
What is shipped is the player with two players left.

How strong the penalty is, is chosen on 60 to 80% of each player's hands in order of time, with the fit on
those before. The report is on the last 20%, with the fit on the first 80%. What is shipped is fitted to all
hands. The report has mean log-losses (nats a decision) of public actions: of the player's fit, of the
population's fit, of the player's frequencies by situation (with 5 decisions of the population's added), and
of the population's frequencies; and how much better than a random hand the shown cards were predicted (nats a
shown hand).
"""

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from soulread.abstraction.tables import load_features
from soulread.cards.arrays import hand_of
from soulread.cards.isomorphism import all_boards
from soulread.cards.ranges import HAND_CARDS
from soulread.games.poker import CALL, RAISE
from soulread.hands.formats.base import Skipped
from soulread.hands.formats.irc import read_irc
from soulread.hands.hand import Hand, Sight
from soulread.kernel import kernel
from soulread.play.opponents import person as person_module
from soulread.play.opponents.person import (
    FILE,
    KNOTS,
    NOBODY,
    NUM_SITUATIONS,
    OTHER,
    SELF,
    situation,
    situation_name,
)
from soulread.play.opponents.rating import hole_ranks, look_up_later

Array = NDArray[Any]

SEED = 15
HOLDINGS = 40  # sampled for each hand, evenly by rank before the flop
PEOPLE = 32
MOST_SEATS = 6  # hands with more players dealt in are left out
FEWEST = {"few": 400, "heads-up": 100, "shown": 100}  # hands of a player with at most 4 dealt in
PROGRAMS = "bot", "loki", "poki"  # parts of names
PENALTIES = 0.03, 0.1, 0.3, 1.0, 3.0
CLASSES = 3  # of the number of players left: 2, 3 to 4, more
GROUPS = 12  # round and bets to call
BOUND = 6.0  # of scores
SCALE = 100  # of scores in the file
PSEUDO = 5.0


@dataclass(frozen=True, eq=False)
class Decisions:
    """Decisions of some players' hands, hand after hand."""

    first: np.ndarray  # [hands + 1] first decision of each hand
    person: np.ndarray  # [hands]
    when: np.ndarray  # [hands] share of the person's hands before it, 0 to 1
    shown: np.ndarray  # [hands]
    rating: np.ndarray  # [hands, HOLDINGS + 1, 4] the last holding is the one that was shown
    situation: np.ndarray  # [decisions] situation + NUM_SITUATIONS * class
    street: np.ndarray  # [decisions]
    facing: np.ndarray  # [decisions]
    may_raise: np.ndarray  # [decisions]
    action: np.ndarray  # [decisions]

    def some(self, mask: np.ndarray) -> "Decisions":
        """The hands of a mask."""
        counts = np.diff(self.first)
        inside = np.repeat(mask, counts)
        first = np.concatenate([[0], np.cumsum(counts[mask])])
        hands = (getattr(self, name)[mask] for name in ("person", "when", "shown", "rating"))
        rest = (
            getattr(self, name)[inside] for name in ("situation", "street", "facing", "may_raise", "action")
        )
        return Decisions(first, *hands, *rest)


def main() -> int:
    paths = [text for text in sys.argv[1:] if text != "--write"]
    if not paths:
        print(__doc__)
        return 2
    hands, tally = read_all(paths)
    print(f"{len(hands):,} hands read; skipped: {dict(tally)}")
    names = choose_people(hands)
    data = gather(hands, names)
    print(
        f"{len(names)} people, {len(data.person):,} hands of theirs, {int(data.shown.sum()):,} shown, "
        f"{len(data.action):,} decisions, {int((data.situation < NUM_SITUATIONS).sum()):,} with two left"
    )
    text = fit_all(data, len(names))
    print(f"{len(text):,} bytes")
    if "--write" in sys.argv:
        Path(person_module.__file__).with_name(FILE).write_text(text, encoding="utf-8")
    return 0


def fit_all(data: Decisions, count: int) -> str:
    """Choose the penalty, judge the fit, and give the content of the file of people fitted to all hands."""
    early = data.some(data.when < 0.6)
    middle = data.some((data.when >= 0.6) & (data.when < 0.8))
    population = fit_population(early, np.zeros(_SHAPE))
    losses = {}
    for penalty in PENALTIES:
        scores = fit_people(early, population, count, penalty)
        logs = [predicted(middle.some(middle.person == i), own) for i, own in enumerate(scores)]
        losses[penalty] = -float(np.concatenate(logs).mean())
        print(
            f"penalty {penalty}: {losses[penalty]:.4f} nats a decision from 60 to 80% of the hands",
            flush=True,
        )
    penalty = min(losses, key=lambda p: losses[p])
    train = data.some(data.when < 0.8)
    population = fit_population(train, population)
    scores = fit_people(train, population, count, penalty)
    facts = judge(train, data.some(data.when >= 0.8), population, scores)
    shipped = fit_people(data, fit_population(data, population), count, penalty)
    people = [
        {**describe(data.some(data.person == i)), **facts[i], "scores": for_file(shipped[i])}
        for i in range(count)
    ]
    content = {"made_by": "benchmarks/fit_people.py", "seed": SEED, "penalty": penalty, "people": people}
    return json.dumps(content, separators=(",", ":")).replace('{"hands"', '\n{"hands"') + "\n"


def fit_people(data: Decisions, population: np.ndarray, count: int, penalty: float) -> list[np.ndarray]:
    """The scores of each player."""
    return [fit_person(data.some(data.person == i), population, penalty) for i in range(count)]


def read_all(paths: Sequence[str]) -> tuple[list[Hand], Counter[str]]:
    """Hands in which both blinds were posted, nobody ran out, and at most `MOST_SEATS` played."""
    found: list[Hand] = []
    tally: Counter[str] = Counter()
    for path in paths:
        for hand in read_irc(path):
            if isinstance(hand, Skipped):
                tally[hand.reason] += 1
            elif hand.num_players > MOST_SEATS:
                tally[f"more than {MOST_SEATS} players"] += 1
            elif hand.stacks is not None or len(hand.posts) != 2:
                tally["all-in or unusual blinds"] += 1
            else:
                found.append(hand)
    return sorted(found, key=lambda hand: hand.time.timestamp() if hand.time else 0.0), tally


def choose_people(hands: Sequence[Hand]) -> list[str]:
    """The players with the most hands of two to four, of those with enough shown and heads-up."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for hand in hands:
        for name, sight in zip(hand.players, hand.sights, strict=True):
            if hand.num_players <= 4:
                counts[name] += Counter(
                    {"few": 1, "heads-up": hand.num_players == 2, "shown": sight is Sight.SHOWN}
                )
    enough = [
        name
        for name, count in counts.items()
        if all(count[key] >= least for key, least in FEWEST.items())
        and not any(part in name.lower() for part in PROGRAMS)
    ]
    chosen = sorted(enough, key=lambda name: (-counts[name]["few"], name))[:PEOPLE]
    return [chosen[i] for i in np.random.default_rng(SEED).permutation(len(chosen))]


def decisions_of(hand: Hand, seat: int) -> Iterator[tuple[int, int, bool, bool, int]]:
    """Situation with class, street, facing, may raise and action of each decision of a seat."""
    spent = [0] * hand.num_players
    for post in hand.posts:
        spent[post.seat] += post.amount
    alive = set(range(hand.num_players))
    actions = iter(hand.actions)
    street = raises = 0
    raiser, before = None, None
    acted = False
    for letter in hand.betting:
        if letter == "/":
            street, raises, acted, raiser, before = street + 1, 0, False, None, raiser
            continue
        who, action = next(actions)
        top = max(spent)
        if who == seat:
            facing = spent[seat] < top
            initiative = NOBODY if before is None else SELF if before == seat else OTHER
            number = situation(street, raises, facing, seat == max(alive), initiative, acted)
            left = 0 if len(alive) == 2 else 1 if len(alive) <= 4 else 2
            may_raise = raises < (4 if street else 3) or action == RAISE  # some tables had no limit
            yield number + left * NUM_SITUATIONS, street, facing, may_raise, action
            acted = True
        if letter == "f":
            alive.discard(who)
        else:
            raised = action == RAISE
            spent[who] = top + raised * hand.stakes.small_bet * (1 if street < 2 else 2)
            raises += raised
            raiser = who if raised else raiser


def gather(hands: Sequence[Hand], names: Sequence[str]) -> Decisions:
    """All decisions of the named players, with the ratings of what they may have held."""
    rng = np.random.default_rng(SEED)
    features, lookup = load_features(), all_boards().lookup
    ranks = hole_ranks(features)
    order = np.argsort(ranks)
    number = {name: i for i, name in enumerate(names)}
    rows: list[tuple[int, int, bool, bool, int]] = []
    first, person, shown, boards, held = [0], [], [], [], []
    for hand in hands:
        for seat, name in enumerate(hand.players):
            if name in number:
                made = list(decisions_of(hand, seat))
                if made:
                    rows += made
                    first.append(len(rows))
                    person.append(number[name])
                    cards = hand.hole[seat]
                    shown.append(cards is not None)
                    held.append(-1 if cards is None else hand_of(*cards))
                    boards.append([*hand.board, *(-1,) * (5 - len(hand.board))])
    rating = np.zeros((len(person), HOLDINGS + 1, 4), dtype=np.float32)
    fill_ratings(
        lookup,
        features.flop_hs2,
        features.turn_hs2,
        features.river,
        ranks,
        order,
        HAND_CARDS.astype(np.int64),
        np.array(boards),
        np.array(held),
        rng.random(len(person)),
        rating,
    )
    people = np.array(person)
    when = np.zeros(len(people))
    for i in range(len(names)):
        own = np.flatnonzero(people == i)
        when[own] = np.arange(own.size) / own.size
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    numbers, street, facing, may_raise, action = columns
    return Decisions(
        np.array(first),
        people,
        when,
        np.array(shown),
        rating,
        numbers,
        street,
        facing.astype(np.int64),
        may_raise.astype(np.int64),
        action,
    )


@kernel
def fill_ratings(
    lookup: Any,
    flop: Array,
    turn: Array,
    river: Array,
    ranks: Array,
    order: Array,
    cards: Array,
    boards: Array,
    held: Array,
    shift: Array,
    rating: Array,
) -> None:
    """Ratings of holdings spread evenly over those that the board leaves, and of the one that was shown."""
    alive = np.empty(order.size, dtype=np.int64)
    holdings = rating.shape[1] - 1
    for i in range(boards.shape[0]):
        a, b, c, d, e = boards[i]
        count = 0
        for hand in order:
            clash = False
            for card in boards[i]:
                clash = clash or card == cards[hand, 0] or card == cards[hand, 1]
            if not clash:
                alive[count] = hand
                count += 1
        for m in range(holdings + 1):
            if m < holdings:
                hand = alive[int((m + shift[i]) / holdings * count)]
            else:
                hand = held[i]
            if hand < 0:
                continue
            rating[i, m, 0] = ranks[hand]
            if a >= 0:
                rating[i, m, 1] = look_up_later(lookup, flop, turn, river, hand, a, b, c, -1, -1)
            if d >= 0:
                rating[i, m, 2] = look_up_later(lookup, flop, turn, river, hand, a, b, c, d, -1)
            if e >= 0:
                rating[i, m, 3] = look_up_later(lookup, flop, turn, river, hand, a, b, c, d, e)


@kernel
def chance_of(theta: Array, knots: Array, x: float, facing: bool, may_raise: bool, out: Array) -> Any:
    """Chances of fold, call, raise into ``out``; the knot below and the part of the way to the next."""
    k = 0
    while k < knots.size - 2 and x >= knots[k + 1]:
        k += 1
    t = (x - knots[k]) / (knots[k + 1] - knots[k])
    call = theta[0, k] + t * (theta[0, k + 1] - theta[0, k]) if facing else 0.0
    out[0] = 1.0 if facing else 0.0
    out[1] = np.exp(call)
    out[2] = np.exp(theta[1, k] + t * (theta[1, k + 1] - theta[1, k])) if may_raise else 0.0
    total = out[0] + out[1] + out[2]
    for a in range(3):
        out[a] /= total
    return k, t


@kernel
def likelihood(
    theta: Array,
    knots: Array,
    first: Array,
    situation: Array,
    street: Array,
    facing: Array,
    may_raise: Array,
    action: Array,
    rating: Array,
    shown: Array,
    gradient: Array,
) -> float:
    """Log-likelihood of all hands; adds its derivative to ``gradient``."""
    total = 0.0
    holdings = rating.shape[1] - 1
    most = 1
    for i in range(first.size - 1):
        most = max(most, first[i + 1] - first[i])
    log = np.empty(holdings)
    p = np.empty((holdings, most, 3))
    knot = np.empty((holdings, most), dtype=np.int64)
    part = np.empty((holdings, most))
    for i in range(first.size - 1):
        start, count = first[i], first[i + 1] - first[i]
        low, high = (holdings, holdings + 1) if shown[i] else (0, holdings)
        best = -np.inf
        for m in range(high - low):
            value = 1.0
            for j in range(count):
                d = start + j
                x = rating[i, low + m, street[d]]
                knot[m, j], part[m, j] = chance_of(
                    theta[situation[d]], knots, x, facing[d], may_raise[d], p[m, j]
                )
                value *= p[m, j, action[d]]
            log[m] = np.log(value)
            best = max(best, log[m])
        mass = 0.0
        for m in range(high - low):
            log[m] = np.exp(log[m] - best)
            mass += log[m]
        total += best + np.log(mass / (high - low))
        for m in range(high - low):
            w = log[m] / mass
            for j in range(count):
                d = start + j
                s, k, t = situation[d], knot[m, j], part[m, j]
                if facing[d]:
                    g = w * ((action[d] == 1) - p[m, j, 1])
                    gradient[s, 0, k] += (1 - t) * g
                    gradient[s, 0, k + 1] += t * g
                if may_raise[d]:
                    g = w * ((action[d] == 2) - p[m, j, 2])
                    gradient[s, 1, k] += (1 - t) * g
                    gradient[s, 1, k + 1] += t * g
    return total


@kernel
def fill_predicted(
    theta: Array,
    knots: Array,
    first: Array,
    situation: Array,
    street: Array,
    facing: Array,
    may_raise: Array,
    action: Array,
    rating: Array,
    out: Array,
) -> None:
    """Log of the chance of each decision given those before it in the hand; cards are hidden."""
    holdings = rating.shape[1] - 1
    w = np.empty(holdings)
    p = np.empty(3)
    for i in range(first.size - 1):
        w[:] = 1.0 / holdings
        for d in range(first[i], first[i + 1]):
            chance = 0.0
            for m in range(holdings):
                chance_of(theta[situation[d]], knots, rating[i, m, street[d]], facing[d], may_raise[d], p)
                w[m] *= p[action[d]]
                chance += w[m]
            w /= chance
            out[d] = np.log(chance)


@kernel
def fill_shown(
    theta: Array,
    knots: Array,
    first: Array,
    situation: Array,
    street: Array,
    facing: Array,
    may_raise: Array,
    action: Array,
    rating: Array,
    shown: Array,
    out: Array,
) -> None:
    """Log of how many times likelier the shown hand became by the player's actions, for shown hands."""
    holdings = rating.shape[1] - 1
    p = np.empty(3)
    for i in range(first.size - 1):
        if not shown[i]:
            continue
        mean = 0.0
        for m in range(holdings + 1):
            value = 1.0
            for d in range(first[i], first[i + 1]):
                chance_of(theta[situation[d]], knots, rating[i, m, street[d]], facing[d], may_raise[d], p)
                value *= p[action[d]]
            if m < holdings:
                mean += value / holdings
            else:
                out[i] = np.log(value / mean)


_KNOTS = np.array(KNOTS)
_SHAPE = CLASSES * NUM_SITUATIONS, 2, len(KNOTS)


def _columns(data: Decisions) -> tuple[Array, Array, Array, Array, Array, Array, Array]:
    return data.first, data.situation, data.street, data.facing, data.may_raise, data.action, data.rating


def predicted(data: Decisions, scores: np.ndarray) -> np.ndarray:
    """``[decisions]`` log-chances of public actions."""
    out = np.zeros(data.action.size)
    fill_predicted(scores, _KNOTS, *_columns(data), out)
    return out


def fit_population(data: Decisions, start: np.ndarray) -> np.ndarray:
    """Scores ``[classes * situations, 2, knots]`` of everybody together, held smooth a little."""

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        theta, gradient = flat.reshape(_SHAPE), np.zeros(_SHAPE)
        value = likelihood(theta, _KNOTS, *_columns(data), data.shown, gradient)
        rough, slope = penalty_of(theta, 0.02, 0.2)
        bent = np.diff(theta, 2, axis=-1)
        rough += 0.5 * (bent**2).sum()
        slope = slope + np.stack(
            [np.convolve(row, (1, -2, 1)) for row in bent.reshape(-1, bent.shape[-1])]
        ).reshape(_SHAPE)
        return rough - value, (slope - gradient).ravel()

    found = minimize(
        loss,
        start.ravel(),
        jac=True,
        method="L-BFGS-B",
        bounds=[(-BOUND, BOUND)] * int(np.prod(_SHAPE)),
        options={"maxiter": 80, "maxcor": 20},
    )
    return found.x.reshape(_SHAPE)


def penalty_of(u: np.ndarray, size: float, steps: float) -> tuple[float, np.ndarray]:
    """``size`` * sum of squares + ``steps`` * that of the differences between knots; and its derivative."""
    change = np.diff(u, axis=-1)
    gradient = 2 * size * u
    gradient[..., 1:] += 2 * steps * change
    gradient[..., :-1] -= 2 * steps * change
    return size * (u**2).sum() + steps * (change**2).sum(), gradient


def group_of(number: int) -> int:
    """Round and bets to call (0, 1, more) of a situation."""
    if number < 6:
        return (1, 0, 1, 2, 2, 2)[number]
    street, place = divmod(number - 6, 15)
    return 3 * (street + 1) + (0 if place < 6 else 1 if place < 12 else 2)


_GROUP = np.array([group_of(number) for number in range(NUM_SITUATIONS)])


def fit_person(data: Decisions, population: np.ndarray, penalty: float) -> np.ndarray:
    """Scores of one player: the population's and the player's deviations."""
    groups, own = (2, GROUPS, 2, len(KNOTS)), (2, NUM_SITUATIONS, 2, len(KNOTS))
    cut = int(np.prod(groups))

    def scores(flat: np.ndarray) -> np.ndarray:
        by_group, by_situation = flat[:cut].reshape(groups), flat[cut:].reshape(own)
        deviation = by_group[:, _GROUP] + by_situation
        bent: np.ndarray = population + np.concatenate([deviation[0], deviation[0], deviation[1]])
        return bent

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        gradient = np.zeros(_SHAPE)
        value = likelihood(scores(flat), _KNOTS, *_columns(data), data.shown, gradient)
        few, more, many = gradient.reshape(CLASSES, *own[1:])
        by_situation = np.stack([few + more, many])
        by_group = np.zeros(groups)
        for number, group in enumerate(_GROUP):
            by_group[:, group] += by_situation[:, number]
        rough_g, slope_g = penalty_of(flat[:cut].reshape(groups), penalty, 4 * penalty)
        rough_s, slope_s = penalty_of(flat[cut:].reshape(own), 3 * penalty, 12 * penalty)
        slope = np.concatenate([(slope_g - by_group).ravel(), (slope_s - by_situation).ravel()])
        return rough_g + rough_s - value, slope

    found = minimize(
        loss, np.zeros(cut + int(np.prod(own))), jac=True, method="L-BFGS-B", options={"maxiter": 40}
    )
    result: np.ndarray = np.clip(scores(found.x), -BOUND, BOUND)
    return result


def frequencies(data: Decisions, prior: np.ndarray | None = None) -> np.ndarray:
    """``[may raise, classes * situations, 3]`` of the actions; of a prior, `PSEUDO` decisions are added."""
    counts = np.zeros((2, CLASSES * NUM_SITUATIONS, 3))
    np.add.at(counts, (data.may_raise, data.situation, data.action), 1.0)
    counts += 0.01 if prior is None else PSEUDO * prior
    total = counts.sum(axis=-1, keepdims=True)
    rates: np.ndarray = counts / total
    return rates


def judge(
    train: Decisions, late: Decisions, population: np.ndarray, scores: Sequence[np.ndarray]
) -> list[dict[str, float]]:
    """The report on the last hands of each player, printed, and what of it is kept."""
    everybody = frequencies(train)
    table, kept, all_losses, shown_all = [], [], [], []
    for i, own in enumerate(scores):
        past, test = train.some(train.person == i), late.some(late.person == i)
        places = test.may_raise, test.situation, test.action
        losses = np.stack(
            [
                -predicted(test, own),
                -predicted(test, population),
                -np.log(frequencies(past, everybody)[places]),
                -np.log(everybody[places]),
            ]
        )
        seen = []
        for theta in (own, population):
            out = np.zeros(test.person.size)
            fill_shown(theta, _KNOTS, *_columns(test), test.shown, out)
            seen.append(out[test.shown])
        two = test.situation < NUM_SITUATIONS
        all_losses.append(np.stack([losses.mean(axis=1), losses[:, two].mean(axis=1)]))
        shown_all.append([values.mean() for values in seen])
        table.append(
            (
                i,
                losses.shape[1],
                int(two.sum()),
                *losses.mean(axis=1),
                *losses[:, two].mean(axis=1),
                int(test.shown.sum()),
                *shown_all[-1],
            )
        )
        kept.append(
            {"loss": round(float(losses[0].mean()), 3), "shown_gain": round(float(seen[0].mean()), 3)}
        )
    print(
        "person, decisions, with two left | loss of all: fit, population, own and population's frequencies | "
        "two left: the same | shown hands, gain of fit and population"
    )
    for row in table:
        print(" ".join(f"{v:.3f}" if isinstance(v, float) else f"{v:6d}" for v in row))
    means = np.mean(all_losses, axis=0)
    print(
        "mean of players, all decisions:",
        means[0].round(4),
        " two left:",
        means[1].round(4),
        " shown:",
        np.mean(shown_all, axis=0).round(3),
    )
    for label, base in (("population", 1), ("own frequencies", 2), ("population's frequencies", 3)):
        gain = np.array([loss[0, base] - loss[0, 0] for loss in all_losses])
        half = 1.96 * gain.std(ddof=1) / np.sqrt(gain.size)
        print(
            f"better than {label}: {gain.mean():.4f} +- {half:.4f} nats a decision, "
            f"{int((gain > 0).sum())} of {gain.size} players"
        )
    return kept


def describe(data: Decisions) -> dict[str, object]:
    """What the data says of a player: numbers, and actions by round and bets to call, two players left."""
    two = data.situation < NUM_SITUATIONS
    counts = np.zeros((GROUPS, 3), dtype=np.int64)
    np.add.at(counts, (_GROUP[data.situation[two]], data.action[two]), 1)
    return {
        "hands": int(data.person.size),
        "shown": int(data.shown.sum()),
        "decisions": int(two.sum()),
        "actions": counts.tolist(),
    }


def for_file(scores: np.ndarray) -> list[list[list[int]]]:
    """The scores with two players left, in hundredths; what can never matter is 0."""
    table = np.rint(SCALE * scores[:NUM_SITUATIONS]).astype(int)
    for number in range(NUM_SITUATIONS):
        if number == 1 or "to bet" in situation_name(number):
            table[number, CALL - 1] = 0
    listed: list[list[list[int]]] = table.tolist()
    return listed


if __name__ == "__main__":
    sys.exit(main())
