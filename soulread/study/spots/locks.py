"""Answers to an opponent who is locked at some decisions of a spot: a curve, and the advice.

The study solves the spot, turns reads into locks (`soulread.respond.locks.reads`), answers them at several
degrees of trust (`soulread.respond.locks.trust`), and chooses one answer:

* the one with the trust that was asked for; or
* the one with the most trust that costs at most what may be risked; or
* for reads that were counted, the trust that their numbers allow; or else
* the one with the most trust that costs, if the reads are wrong, no more than it gains if they are right.

It then shows at one decision which hands play differently than in the equilibrium. A class of hands counts as
often as it comes there in the equilibrium.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soulread.cards.deck import cards_name
from soulread.cards.ranges import HAND_CELLS, class_name
from soulread.encoding import keys
from soulread.errors import SoulreadError
from soulread.games.spot import PLAYER_NAMES
from soulread.games.unit import ChipUnit
from soulread.machine import verify_room
from soulread.report.figures import Curve, Figure, Level, Panel
from soulread.report.shown import ShownTable
from soulread.respond.locks.reads import (
    Locked,
    Read,
    lock_reads,
    mark_reads,
    places_of,
    settled,
    verify_reads,
    villain_of,
)
from soulread.respond.locks.trust import TRUSTS, Answer, Baseline, LockCurve, find_baseline, trust_curve
from soulread.seqform.board_payoff import spot_game
from soulread.seqform.reach import arrivals, by_hand
from soulread.seqform.spot import Place, Spot, action_word
from soulread.seqform.strategy import Behaviour, Plans
from soulread.solvers.cfr.run import Check
from soulread.solvers.cfr.stops import Stops

ACCURACY = 0.001  # of the pot: the gap to which games are solved
MOST_ITERATIONS = 2000
_CHANGES = 10  # classes of hands that are named

Tell = Callable[[str], None]


@dataclass(frozen=True)
class HandChange:
    """The frequencies of one class of hands in the equilibrium and in the answer."""

    name: str  # "AKs"
    share: float  # of all hands that come to the decision
    before: tuple[float, ...]  # [actions]
    after: tuple[float, ...]

    JSON = keys("share before after", hand="name")

    @property
    def change(self) -> float:
        """Part of the decisions that become other ones, 0 to 1."""
        return sum(abs(a - b) for a, b in zip(self.after, self.before, strict=True)) / 2


@dataclass(frozen=True)
class Changes:
    """The frequencies at a decision in the equilibrium and in the answer."""

    path: str
    actions: tuple[str, ...]
    before: tuple[float, ...]  # [actions] of the whole range
    after: tuple[float, ...]
    hands: tuple[HandChange, ...]  # those that change most, the most first

    JSON = keys("actions before after hands", at="path")


class AnsweredSpot:
    """What studies of a read in a spot have in common: the spot, and who sits where."""

    spot: Spot
    curve: LockCurve

    @property
    def villain(self) -> str:
        """Where the player sits who was read."""
        return PLAYER_NAMES[self.curve.villain]

    @property
    def hero(self) -> str:
        """Where the player sits who answers."""
        return PLAYER_NAMES[self.curve.hero]

    @property
    def stakes(self) -> str:
        """Board, pot and stacks, in words."""
        pot, stack = map(self.spot.unit.text, (self.spot.betting.pot, self.spot.betting.stack))
        return f"{cards_name(self.spot.board)}, pot {pot}, stacks {stack}{self.spot.rake_text}"


@dataclass(frozen=True, eq=False, repr=False)
class LockStudy(AnsweredSpot, ShownTable):
    """Locks of a spot, the gains and costs of every degree of trust in them, and the chosen answer."""

    LINE = "{it.spot.name}, trust {it.chosen.trust:g}: {it.why}"
    TABLE = "curve"

    spot: Spot
    baseline: Baseline
    method: str
    locked: tuple[Locked, ...]
    curve: LockCurve
    chosen: Answer
    why: str  # how it was chosen, in words
    changes: Changes

    JSON = keys(
        "hero villain method changes",
        board=lambda study: cards_name(study.spot.board),
        pot=lambda study: study.spot.unit.of(study.spot.betting.pot),
        stack=lambda study: study.spot.unit.of(study.spot.betting.stack),
        unit="spot.unit.name",
        kind="curve.kind",
        locks=lambda study: [_lock_record(study.spot, locked) for locked in study.locked],
        curve="_points",
        chosen=lambda study: {**study.point(study.chosen), "why": study.why},
    )

    def plot(self) -> Figure:
        """Return the gain of each degree of trust over its cost."""
        points = [self.point(answer) for answer in self.curve.answers]
        costs = tuple(point["cost"] for point in points)
        start = self.point(self.curve.equilibrium)["at_least"]
        chosen, name = self.point(self.chosen), self.spot.unit.name
        panel = Panel(
            self.title,
            f"cost if the read is wrong ({name}, worst case)",
            f"gain if the read is right ({name})",
            (
                Curve(
                    "equilibrium elsewhere",
                    costs,
                    tuple(point["gain"] for point in points),
                    texts=tuple(f"{point['trust']:g}" for point in points),
                ),
                Curve("what hurts most elsewhere", costs, tuple(p["at_least"] - start for p in points)),
                Curve(
                    f"advice: trust {chosen['trust']:.3g}", (chosen["cost"],), (chosen["gain"],), points=True
                ),
            ),
            levels=(Level("equilibrium", 0.0),),
            texts_label="numbers: trust",
        )
        return Figure("locks", self.title, (panel,))

    @property
    def title(self) -> str:
        """The spot and the players, in one line."""
        return f"{self.stakes}: {self.hero} against locks of {self.villain}"

    @property
    def _points(self) -> list[dict[str, float]]:
        return [
            {
                **self.point(answer),
                "iterations": answer.response.iterations,
                "seconds": answer.response.seconds,
            }
            for answer in self.curve.answers
        ]

    def point(self, answer: Answer) -> dict[str, float]:
        """An answer in the spot's unit; gains and costs are beyond the equilibrium's."""
        curve, of = self.curve, self.spot.unit.of
        return {
            "trust": answer.trust,
            "if_right": of(answer.if_right),
            "at_least": of(answer.at_least),
            "worst": of(answer.worst),
            "gain": of(curve.gain(answer)),
            "cost": of(curve.cost(answer)),
            "gap": of(answer.response.gap),
        }


@dataclass(frozen=True, eq=False)
class DialStop:
    """One position between the equilibrium and the answer with the most trust, at the decision shown."""

    trust: float
    gain: float  # won beyond the equilibrium if the locks are right, in the spot's unit
    cost: float  # lost at most beyond the equilibrium if they are wrong
    at_least: float  # won beyond the equilibrium if right, and the rest is what hurts most
    frequencies: tuple[float, ...]  # [actions] of the whole range
    hands: tuple[HandChange, ...]  # every class that comes there, the one that changes most first


def dial(study: LockStudy, between: int = 3) -> tuple[DialStop, ...]:
    """The positions of a dial over all answers of a study, with so many mixtures between two of them.

    Each has its own exact worst case.
    """
    spot, curve, baseline = study.spot, study.curve, study.baseline
    place = spot.find(study.changes.path)
    tree, before = curve.game.trees[curve.hero], baseline.behaviours[curve.hero]
    found = []
    for answer in curve.dial(between):
        after = settled(tree, answer.response.plan, baseline.engine.behaviours[curve.hero])
        after = before if answer is curve.equilibrium else after
        _, frequencies, hands = _compared(spot, place, baseline.plans, before, after)
        found.append(
            DialStop(
                answer.trust,
                spot.unit.of(curve.gain(answer)),
                spot.unit.of(curve.cost(answer)),
                spot.unit.of(answer.at_least - curve.equilibrium.at_least),
                frequencies,
                tuple(hands),
            )
        )
    return tuple(found)


def _lock_record(spot: Spot, locked: Locked) -> dict[str, Any]:
    """A locked decision for JSON."""
    read, node = locked.read, spot.node(locked.place)
    names = [action_word(action) for action in node.actions]
    return {
        "at": spot.path(locked.place),
        "hands": None if read.hands is None else str(read.hands),
        "frequencies": read.frequencies,
        "intervals": read.intervals(),
        "n": read.n,
        "source": read.source,
        "confidence": read.confidence,
        "equilibrium": dict(zip(names, locked.before, strict=True)),
        "locked": dict(zip(names, locked.after, strict=True)),
    }


def study_locks(
    spot: Spot,
    reads: Sequence[Read],
    *,
    trust: float | None = None,
    risk: float | None = None,
    kind: str = "c",
    method: str = "shift",
    trusts: Sequence[float] = TRUSTS,
    stops: Stops | None = None,
    at: str | None = None,
    tell: Tell | None = None,
) -> LockStudy:
    """The curve of trust in reads of one player, and the answer to play.

    ``trust`` (0 to 1) and ``risk`` (beyond the equilibrium's worst case, in the spot's unit) choose the
    answer; given both, trust goes no further than the risk allows. ``kind`` and what the values mean:
    `soulread.respond.locks.trust`. ``method`` turns frequencies of a range into hands: shift, l1 or l2.
    ``stops`` are those of each solve; by default a gap of 0.1% of the pot. ``at`` is the path of the decision
    whose changes are shown; by default the last own decision before the first lock, or else the first own one
    after it.
    """
    for name, number in (("trust", trust), ("risk", risk)):
        if number is not None and not (number >= 0 and (name == "risk" or number <= 1)):
            most = "; it lies between 0 and 1"
            if name == "risk":
                most = f" {spot.unit.name}; it must not be negative"
            raise SoulreadError(f"a {name} of {number!r}{most}")
    verify_reads(spot, reads)  # before anything is solved
    villain = villain_of(spot, reads)
    spot = mark_reads(spot, reads)
    stops = stops or Stops(gap=ACCURACY * spot.betting.pot, iterations=MOST_ITERATIONS)
    say, of = tell or (lambda text: None), spot.unit.of

    def told(check: Check) -> str:
        return f"{check.iteration} iterations, gap {of(check.exploitability):.2f} {spot.unit.name}"

    verify_room(f"{spot.name} with locks", _bytes_needed(spot, villain, kind, len(trusts)))
    place = shown_place(spot, places_of(spot, reads[0])[0], 1 - villain, at)
    baseline = find_baseline(
        spot_game(spot),
        stops,
        lambda check: say(f"equilibrium: {told(check)}"),
    )
    locked = lock_reads(spot, reads, baseline.plans, baseline.behaviours, method)
    wanted = {*trusts, *([] if trust is None else [trust])}
    curve = trust_curve(
        baseline,
        villain,
        [one.lock for one in locked],
        [one for one in sorted(wanted) if trust is None or risk is not None or one <= max(trust, *trusts)],
        kind,
        stops,
        lambda t, check: say(f"trust {t:g}: {told(check)}"),
    )
    chosen, why = _choose(curve, reads, trust, risk, spot.unit)
    return LockStudy(
        spot,
        baseline,
        method,
        tuple(locked),
        curve,
        chosen,
        why,
        changes_of(spot, baseline, curve, chosen, place),
    )


def _bytes_needed(spot: Spot, villain: int, kind: str, points: int) -> int:
    """Bytes of the solver's arrays, the treeplexes, and an answer for each point of the curve."""
    size = np.dtype(spot.dtype).itemsize
    sequences, sets = spot.num_sequences, spot.num_sets
    kinds = 6 * sequences[villain] if kind == "p" else 0
    answers = (points + 2) * sequences[1 - villain]
    return size * (8 * sum(sequences) + kinds + answers) + 4 * sum(sets)


def _choose(
    curve: LockCurve, reads: Sequence[Read], trust: float | None, risk: float | None, unit: ChipUnit
) -> tuple[Answer, str]:
    if risk is not None:
        allowed = curve
        why = f"the most trust that costs at most {risk:g} {unit.name} in the worst case"
        if trust is not None:
            upto = tuple(answer for answer in curve.answers if answer.trust <= trust)
            allowed = LockCurve(curve.game, curve.villain, curve.kind, curve.locks, upto)
            why += f", and no more than {trust:g}"
        return allowed.within(risk * unit.parts), why
    if trust is not None:
        answer = next(answer for answer in curve.answers if answer.trust == trust)
        return answer, "the trust that was asked for"
    if any(read.n is not None for read in reads):
        return curve.answers[-1], "as much trust at each lock as its number of decisions allows"
    return curve.even(), "the most trust that costs no more, if wrong, than it gains if right"


def shown_place(spot: Spot, locked: Place, hero: int, at: str | None) -> Place:
    """The decision whose changes are shown."""
    if at is not None:
        place = spot.find("" if at == "start" else at)
        if spot.node(place).player != hero:
            raise SoulreadError(
                f"{PLAYER_NAMES[1 - hero]} decides at {at!r}; name a decision of {PLAYER_NAMES[hero]}"
            )
        return place
    words = spot.path(locked).split()
    for end in range(len(words) - 1, -1, -1):
        try:
            place = spot.find(" ".join(words[:end]))
        except SoulreadError:  # a card comes there
            continue
        if spot.node(place).player == hero:
            return place
    for action in spot.node(locked).actions:
        try:
            place = spot.find(" ".join([*words, action_word(action)]))
        except SoulreadError:
            continue
        if spot.node(place).player == hero:
            return place
    raise SoulreadError(
        f"{PLAYER_NAMES[hero]} decides nothing before or right after the lock; name a decision to look at"
    )


def changes_of(spot: Spot, baseline: Baseline, curve: LockCurve, chosen: Answer, place: Place) -> Changes:
    hero = curve.hero
    tree = curve.game.trees[hero]
    after = settled(tree, chosen.response.plan, baseline.engine.behaviours[hero])
    return compare(spot, place, baseline.plans, baseline.behaviours[hero], after)


def compare(spot: Spot, place: Place, plans: Plans, before: Behaviour, after: Behaviour) -> Changes:
    """The changes between two behaviours of the player to act; ``plans`` say which hands come there."""
    first, second, hands = _compared(spot, place, plans, before, after)
    return Changes(
        spot.path(place),
        tuple(action_word(action) for action in spot.node(place).actions),
        first,
        second,
        tuple(hand for hand in hands[:_CHANGES] if hand.change > 0),
    )


def _compared(
    spot: Spot, place: Place, plans: Plans, before: Behaviour, after: Behaviour
) -> tuple[tuple[float, ...], tuple[float, ...], list[HandChange]]:
    """The frequencies of the range in both behaviours, and every class of hands, the most changed first."""
    weights = arrivals(spot, place, plans)
    tables = [_by_hand(spot, place, behaviour) for behaviour in (before, after)]
    total = weights.sum()
    found = []
    for cell in np.unique(HAND_CELLS[weights > 0]).tolist():
        own = np.where(cell == HAND_CELLS, weights, 0.0)
        share = own / own.sum()
        one, two = (_tuple(np.nan_to_num(table) @ share) for table in tables)
        found.append(HandChange(class_name(cell), float(own.sum() / total), one, two))
    found.sort(key=lambda hand: -hand.change * hand.share)
    first, second = (_tuple(np.nan_to_num(table) @ (weights / total)) for table in tables)
    return first, second, found


def _by_hand(spot: Spot, place: Place, behaviour: Behaviour) -> NDArray[np.float64]:
    """``[actions, 1326]`` at a place."""
    node = spot.node(place)
    table = np.asarray(behaviour[spot.rows(place)], dtype=np.float64).reshape(len(node.actions), -1)
    return by_hand(spot, place, node.player, table)


def _tuple(values: NDArray[np.float64]) -> tuple[float, ...]:
    return tuple(float(value) for value in values)
