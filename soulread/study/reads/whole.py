"""Answers to a whole player: every decision of a spot on all its streets, read from a player's hands.

The decisions of a spot that are alike are one kind (`soulread.study.spots.player_counts`, on boards of any
texture). Of each kind the player's counts are taken from the narrowest situation in which the player has 30
decisions: with the same initiative, else any, else in any position. The *prior* of the player's frequencies
is learned from everybody else in the same situation (`soulread.study.reads.pool_counts`): the pool's own
frequencies, or those of the equilibrium of this spot, each with the spread that the players of the pool have
around them. A pool with less than 30 decisions in a situation says nothing of it, and the equilibrium takes
its place.

**The rest of the player.** Decisions that the player was seen to make less than 30 times are the *rest*; with
``paths`` the rest is everything else. A lock says nothing of the rest, so other tools assume that it is
perfect. Here it is a choice:

* ``read``: like all others, what was counted on top of the prior;
* ``pool``: the prior alone, as if the player was never seen there;
* ``perfect``: the player does what hurts most there. What is promised is then told for a rest that plays the
  equilibrium.

The answer, its interval, what is lost at most and which decisions the gain comes from:
`soulread.respond.locks.whole`.

**Trust.** What is believed already weighs what was counted against what is usual. So all of it is trusted at
once: with the probability `TRUST` the player is as believed, and else anybody (kind "p" of
`soulread.respond.locks.trust`). Of all answers that win as much from the player as believed, this one has the
best worst case. 0.925 is the least of seven numbers with which an answer won at least what hard locks of the
same counts win, after 50, 200 and 1,000 hands, on each of eight rivers that `soulread reproduce whole-locks`
does not report. With a ``confidence`` each decision has a trust of its own instead, such as n / (50 + n),
where n counts the player's decisions and, with a pool, those that the pool counts like: this wins less and
risks less.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soulread.cards.deck import cards_name
from soulread.encoding import keys, plain_data
from soulread.errors import SoulreadError
from soulread.games.spot import PLAYER_NAMES
from soulread.games.unit import ChipUnit
from soulread.hands.store import EVERYTHING, Query, Store
from soulread.model.deviation.model import METHODS
from soulread.options import Bounds
from soulread.report.figures import Curve, Figure, Level, Panel
from soulread.report.shown import ShownTable
from soulread.respond.confidence import Confidence, parse_confidence
from soulread.respond.locks.trust import TRUSTS, Answer, Baseline, LockCurve, find_baseline, trust_curve
from soulread.respond.locks.whole import (
    DRAWS,
    USES,
    KindRead,
    PlayerBelief,
    PlayerFrame,
    PlayerRead,
    Promise,
    believe,
    gain_parts,
    gains,
    most_behind,
    villain_nodes,
    with_rest,
)
from soulread.seqform.board_payoff import spot_game
from soulread.seqform.spot import Place, Spot
from soulread.solvers.cfr.run import Check
from soulread.solvers.cfr.stops import Stops
from soulread.study.reads.pool_counts import (
    CLASSES,
    LEAST_OF_POOL,
    STRENGTH,
    PoolDecisions,
    fit_spread,
    fit_strength,
    narrowest,
    pool_decisions,
    words_of,
)
from soulread.study.spots.from_hands import HandSpot
from soulread.study.spots.locks import (
    ACCURACY,
    MOST_ITERATIONS,
    AnsweredSpot,
    Changes,
    Tell,
    changes_of,
    shown_place,
)
from soulread.study.spots.player_counts import LEAST, SpotSituation, situation_at

Array = NDArray[np.float64]

PRIORS = "pool", "equilibrium"
CONFIDENCE = "curve:50"  # of a decision by its number, for those who want to risk little
CERTAIN = "1-step"  # what is believed of a decision of which anything is known
TRUST = 0.925


@dataclass(frozen=True, eq=False)
class SeenKind:
    """One kind of decision of a spot, with what the player and everybody else did in situations like it."""

    situation: SpotSituation
    nodes: tuple[tuple[int, int], ...]  # street, counted from that of the spot, and node
    path: str  # to the first of these decisions
    counts: Array  # [words] of the player
    others: Array  # [players, words] of everybody else

    @property
    def words(self) -> tuple[str, ...]:
        """The actions that are told apart."""
        return words_of(self.situation)


def kinds_of(
    spot: Spot,
    villain: int,
    decisions: PoolDecisions,
    player: int | None = None,
    *,
    initiative: str | None = None,
    least: int = LEAST,
) -> tuple[SeenKind, ...]:
    """The kinds of decisions of the ``villain`` in a spot, with the counts of a player (number) of a store.

    ``initiative`` is who raised last before the spot, as the villain sees it; None if unknown. Without a
    ``player`` everybody's counts are those of others.
    """
    nodes: dict[SpotSituation, list[tuple[int, int]]] = {}
    chosen: dict[SpotSituation, SpotSituation] = {}
    for street, node in villain_nodes(spot, villain):
        place = _first_place(spot, street, node)
        situation = replace(situation_at(spot, place, initiative, CLASSES), texture=None)
        if situation not in chosen:
            chosen[situation] = narrowest(decisions, situation, player, least)
        nodes.setdefault(chosen[situation], []).append((street, node))
    found = []
    for situation, members in nodes.items():
        players, table = decisions.counts(situation)
        own = players == (-1 if player is None else player)
        path = spot.path(_first_place(spot, *members[0]))
        found.append(SeenKind(situation, tuple(members), path, table[own].sum(axis=0), table[~own]))
    return tuple(found)


def _first_place(spot: Spot, street: int, node: int) -> Place:
    """The first place of a decision, on the first board of its street."""
    return spot.place(street, node, next(cards for cards in spot.boards.cards if len(cards) == street))


def empty_read(kinds: Sequence[SeenKind], villain: int) -> PlayerRead:
    """The kinds of decisions of a player, with nothing seen."""
    return PlayerRead(
        villain,
        tuple(
            KindRead(kind.path or "start", kind.words, kind.nodes, np.zeros(len(kind.words)), STRENGTH)
            for kind in kinds
        ),
    )


def read_of(kinds: Sequence[SeenKind], frame: PlayerFrame, prior: str = "pool") -> PlayerRead:
    """What is believed of the player in a spot, with the prior of the pool or of the equilibrium."""
    Bounds(choices=PRIORS).verify("prior", prior)
    found = []
    for k, kind in enumerate(kinds):
        mean: Array | None = None
        if prior == "pool" and kind.others.sum() >= LEAST_OF_POOL:
            mean, strength = fit_spread(kind.others)
        else:
            strength = fit_strength(kind.others, frame.usual(k))
        found.append(KindRead(kind.path or "start", kind.words, kind.nodes, kind.counts, strength, mean))
    return PlayerRead(frame.villain, tuple(found))


def named_kinds(
    spot: Spot, kinds: Sequence[SeenKind], paths: Sequence[str] = (), least: int = LEAST
) -> tuple[int, ...]:
    """The kinds that are not the rest: those at ``paths``, or else those seen often enough."""
    if not paths:
        return tuple(k for k, kind in enumerate(kinds) if kind.counts.sum() >= least)
    found = []
    for path in paths:
        place = spot.find(path)
        here = (place.street, place.node)
        k = next((k for k, kind in enumerate(kinds) if here in kind.nodes), None)
        if k is None:
            raise SoulreadError(
                f"{PLAYER_NAMES[spot.node(place).player]} decides at {path!r}, or there is no choice; name a "
                "decision of the player who is read"
            )
        found.append(k)
    return tuple(dict.fromkeys(found))


@dataclass(frozen=True)
class KindRow:
    """One kind of decision, as it is told."""

    path: str  # to its first decision
    decisions: int  # of the spot's betting
    situation: str
    words: tuple[str, ...]
    n: int  # decisions of the player
    players: int  # of the pool, with a decision
    strength: float  # decisions that the prior counts like
    use: str  # read, pool or perfect
    confidence: float
    reached: float  # how often the player decides so in a hand of the equilibrium
    equilibrium: tuple[float, ...]  # [words]
    counted: tuple[float, ...] | None  # [words] of the player; None if never seen
    believed: tuple[float, ...]  # [words]
    low: tuple[float, ...]  # [words] 2.5% of the draws are below
    high: tuple[float, ...]  # [words]
    gain: float  # of the expected gain that comes from here, in the spot's unit

    JSON = keys(
        "decisions situation n players strength use confidence reached gain",
        at=lambda row: row.path or "start",
        actions=lambda row: [
            {
                "action": word,
                "equilibrium": row.equilibrium[i],
                "counted": None if row.counted is None else row.counted[i],
                "believed": row.believed[i],
                "low": row.low[i],
                "high": row.high[i],
            }
            for i, word in enumerate(row.words)
        ],
    )


@dataclass(frozen=True, eq=False)
class WholePoint:
    """One answer: what it promises and what it may cost, beyond the equilibrium and in the spot's unit."""

    answer: Answer
    promise: Promise
    cost: float  # the worst case, below that of the equilibrium
    behind: float  # at most so far behind the equilibrium's, against anybody
    least: float  # against a player who is as believed where something is, and elsewhere what hurts most
    worst: float  # against what hurts most everywhere, beyond half the pot
    gap: float  # how far the answer may be from the best of its kind

    JSON = keys(
        "cost behind least worst gap",
        trust="answer.trust",
        gain="promise.mean",
        low="promise.low",
        high="promise.high",
        losing="promise.losing",
    )


@dataclass(frozen=True, eq=False, repr=False)
class WholeStudy(AnsweredSpot, ShownTable):
    """A whole player in a spot, the answers to what is believed, and the chosen one."""

    LINE = "{it.player} in {it.spot.name}, trust {it.chosen.answer.trust:g}: {it.why}"
    TABLE = "decisions"

    spot: Spot
    player: str
    prior: str
    rest: str
    baseline: Baseline
    curve: LockCurve
    belief: PlayerBelief
    decisions: tuple[KindRow, ...]  # in the order of play
    entry: float  # what the answer wins from a player without leaks: a part of the gain, mostly below 0
    points: tuple[WholePoint, ...]
    chosen: WholePoint
    why: str  # how it was chosen, in words
    changes: Changes

    JSON = keys(
        "player hero villain prior rest decisions entry changes",
        board=lambda study: cards_name(study.spot.board),
        pot=lambda study: study.spot.unit.of(study.spot.betting.pot),
        stack=lambda study: study.spot.unit.of(study.spot.betting.stack),
        unit="spot.unit.name",
        kind="curve.kind",
        draws=lambda study: len(study.belief.plans),
        curve="points",
        chosen=lambda study: {**plain_data(study.chosen), "why": study.why},
    )

    @property
    def title(self) -> str:
        """The spot and the players, in one line."""
        return f"{self.stakes}: {self.hero} against {self.player}, who is {self.villain}"

    def plot(self) -> Figure:
        """Return the gain of each degree of trust with its interval, over its cost, in the spot's unit."""
        costs = tuple(point.cost for point in self.points)
        chosen, name = self.chosen, self.spot.unit.name
        panel = Panel(
            self.title,
            f"cost against what hurts most ({name})",
            f"gain from the player ({name})",
            (
                Curve(
                    "expected, with 95% of the draws",
                    costs,
                    tuple(point.promise.mean for point in self.points),
                    low=tuple(point.promise.low for point in self.points),
                    high=tuple(point.promise.high for point in self.points),
                ),
                Curve("advice", (chosen.cost,), (chosen.promise.mean,), points=True),
            ),
            levels=(Level("equilibrium", 0.0),),
        )
        return Figure("whole", self.title, (panel,))


def study_whole(
    spot: Spot,
    kinds: Sequence[SeenKind],
    villain: int,
    *,
    player: str = "the player",
    prior: str = "pool",
    rest: str = "read",
    paths: Sequence[str] = (),
    trust: float | None = None,
    risk: float | None = None,
    confidence: Confidence | None = None,
    methods: Sequence[str] = METHODS,
    trusts: Sequence[float] = TRUSTS,
    draws: int = DRAWS,
    seed: int = 0,
    stops: Stops | None = None,
    at: str | None = None,
    tell: Tell | None = None,
) -> WholeStudy:
    """The answer to a whole player of whom ``kinds`` say what was seen (`kinds_of`).

    ``prior``, ``rest`` and ``confidence`` are explained at the top of the module; ``paths`` name the
    decisions that are not the rest. ``trust`` and ``risk`` choose the answer, as in
    `soulread.study.spots.locks`; by default it is that of `TRUST`, or with a ``confidence`` the one that
    follows it. ``methods`` turn frequencies into hands.
    """
    Bounds(choices=PRIORS).verify("prior", prior)
    Bounds(choices=USES).verify("rest", rest)
    for name, number in (("trust", trust), ("risk", risk)):
        if number is not None and not (number >= 0 and (name == "risk" or number <= 1)):
            unit = f" {spot.unit.name}; it must not be negative"
            most = "; it lies between 0 and 1" if name == "trust" else unit
            raise SoulreadError(f"a {name} of {number!r}{most}")
    named = named_kinds(spot, kinds, paths)
    if not named and rest == "perfect":
        raise SoulreadError(
            f"no decision of {player} was seen {LEAST} times in a situation like one of this spot, so all of "
            "the player would be perfect; take the rest as the pool (pool) or as read (read)"
        )
    stops = stops or Stops(gap=ACCURACY * spot.betting.pot, iterations=MOST_ITERATIONS)
    say, of = tell or (lambda text: None), spot.unit.of

    def progress(check: Check) -> str:
        return f"{check.iteration} iterations, gap {of(check.exploitability):.2f} {spot.unit.name}"

    node = kinds[0].nodes[0]
    place = shown_place(spot, _first_place(spot, *node), 1 - villain, at)
    baseline = find_baseline(
        spot_game(spot),
        stops,
        lambda check: say(f"equilibrium: {progress(check)}"),
    )
    frame = PlayerFrame(spot, baseline, empty_read(kinds, villain))
    read = with_rest(read_of(kinds, frame, prior), rest, named)
    say(f"{draws} draws of {player}")
    function = parse_confidence(CERTAIN) if confidence is None else confidence
    belief = believe(frame, read, function, draws=draws, methods=methods, seed=seed)
    wanted = TRUST if confidence is None and risk is None else None
    wanted = wanted if trust is None else trust
    curve = trust_curve(
        baseline,
        villain,
        belief.locks,
        sorted({*trusts, *([] if wanted is None else [wanted])}),
        "p" if confidence is None else "c",
        stops,
        lambda t, check: say(f"trust {t:g}: {progress(check)}"),
    )
    answer, why = _chosen(curve, trust, risk, spot.unit)
    entry, *parts = gain_parts(curve, answer, belief)
    return WholeStudy(
        spot,
        player,
        prior,
        rest,
        baseline,
        curve,
        belief,
        tuple(
            _row(kind, k, belief, of(part.chips))
            for k, (kind, part) in enumerate(zip(kinds, parts, strict=True))
        ),
        of(entry.chips),
        tuple(point_of(curve, one, belief, spot.unit) for one in curve.answers),
        point_of(curve, answer, belief, spot.unit),
        why,
        changes_of(spot, baseline, curve, answer, place),
    )


def point_of(curve: LockCurve, answer: Answer, belief: PlayerBelief, unit: ChipUnit) -> WholePoint:
    """What an answer promises and costs, in ``unit``."""
    of = unit.of
    return WholePoint(
        answer,
        Promise.of(gains(curve, answer, belief) / unit.parts),
        of(max(0.0, curve.cost(answer))),
        of(most_behind(curve, answer)),
        of(answer.at_least - curve.equilibrium.at_least),
        of(answer.worst),
        of(answer.response.gap),
    )


def _chosen(curve: LockCurve, trust: float | None, risk: float | None, unit: ChipUnit) -> tuple[Answer, str]:
    if risk is not None:
        upto = tuple(answer for answer in curve.answers if trust is None or answer.trust <= trust)
        why = f"the most trust that costs at most {risk:g} {unit.name} in the worst case"
        return replace(curve, answers=upto).within(risk * unit.parts), why
    if trust is not None:
        return next(one for one in curve.answers if one.trust == trust), "the trust that was asked for"
    if curve.kind == "p":
        answer = next(one for one in curve.answers if one.trust == TRUST)
        return answer, "which wins what hard locks win, for a part of their risk"
    return curve.answers[-1], "as much trust at each decision as its number of decisions allows"


def _row(kind: SeenKind, k: int, belief: PlayerBelief, gain: float) -> KindRow:
    read, n = belief.read.kinds[k], float(kind.counts.sum())
    interval = belief.interval(k)
    return KindRow(
        kind.path,
        len(kind.nodes),
        str(kind.situation),
        kind.words,
        int(n),
        int((kind.others.sum(axis=1) > 0).sum()),
        read.strength,
        read.use,
        belief.confidence[k],
        float(belief.frame.reach[k]),
        _tuple(belief.frame.usual(k)),
        _tuple(kind.counts / n) if n else None,
        _tuple(belief.mean(k)),
        _tuple(interval[:, 0]),
        _tuple(interval[:, 1]),
        gain,
    )


def _tuple(values: Array) -> tuple[float, ...]:
    return tuple(float(value) for value in values)


def study_stored(
    store: Store,
    spot: Spot,
    player: str,
    *,
    villain: int | None = None,
    taken: HandSpot | None = None,
    query: Query = EVERYTHING,
    tell: Tell | None = None,
    **settings: Any,
) -> WholeStudy:
    """`study_whole` of a player of a store; the pool is everybody else in it.

    ``villain`` says where the player sits (0 or 1): by default where the hand has the player that the spot
    was ``taken`` from, or else in position. ``settings`` are those of `study_whole`.
    """
    if taken is not None and query.room is None:
        query = replace(query, room=taken.hand.room)
    if villain is None:
        villain = 1 if taken is None else taken.player_of(player)
    number = store.player_number(player, query.room)
    if tell is not None:
        tell("counting")
    decisions = pool_decisions(store, query)
    initiative = None if taken is None else taken.initiative(villain)
    kinds = kinds_of(spot, villain, decisions, number, initiative=initiative)
    if not any(kind.counts.sum() for kind in kinds):
        raise SoulreadError(
            f"{player!r} was never seen heads-up in a situation like those of {PLAYER_NAMES[villain]} here"
        )
    return study_whole(spot, kinds, villain, player=player, tell=tell, **settings)
