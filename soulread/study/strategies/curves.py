"""Curves of counter-strategies against one opponent: winnings and exploitability.

A response wins more from its model than from the modelled player: it also exploits chance, and the model's
assumptions where it saw nothing. So the study cuts the hands of a log into parts, in the order they were
played. For each part, it values the responses to a model of the *other* parts against the player's actions in
this one. The mean over the parts is the *held-out* worth.

In the held-out part the player's strategy is the frequency of each action seen there, and the equilibrium
where nothing was seen. At sets that were seen this is unbiased, since the response knows nothing of these
hands. At the others it makes the player better than in truth. So the held-out worth errs on the low
side, and more so the fewer hands there are. It is also the worth of responses to a part of the hands only.
Its interval, from resampled hands, says how much the luck of the held-out hands matters, not how far it is
too low. Where folded hands are missing from a log, they are missing from the held-out part too, and the worth
is too good on that account.
"""

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soulread.encoding import keys, plain_data
from soulread.errors import SoulreadError
from soulread.estimate import Estimate, Unit
from soulread.hands.hand import Hand, Sight
from soulread.model.counted import FrequencyModel
from soulread.observe.paths import PathReader
from soulread.observe.private import PrivateCounts
from soulread.play.catalogue.entry import AgentSpec
from soulread.play.match.watch import observe_play
from soulread.play.tabular import behaviours_in, strategy_of
from soulread.report.figures import Curve, Figure, Panel
from soulread.report.shown import ShownTable
from soulread.respond.confidence import parse_confidence
from soulread.respond.counter import CounterPair, CounterStrategy
from soulread.respond.curves import (
    PAPER_PS,
    Frontier,
    ResponseFamily,
    data_biased_family,
    frontier,
    mixture_family,
    nash_family,
)
from soulread.seqform.compile import SequenceGame, poker_of
from soulread.seqform.source import Tell
from soulread.seqform.strategy import Behaviours, in_precision, plan_from_behaviour
from soulread.seqform.tabular import tabular
from soulread.seqform.treeplex import Ints
from soulread.solvers.equilibria import abstraction_checksum
from soulread.solvers.strategy_files import Strategy
from soulread.words import plural

METHODS = {"rnr": "restricted Nash response", "dbr": "data biased response", "mix": "mixture"}
SELF = "self"
DEFAULT_CONFIDENCE = "0-10"
DEFAULT_PARTS = 2
_RESAMPLES = 100  # of the hands of a part


@dataclass(frozen=True, eq=False)
class Subject:
    """The opponent of a curve, with the model and its observations. Pairs are of seats 0 and 1."""

    name: str
    models: Behaviours
    observations: tuple[NDArray[np.float64], NDArray[np.float64]] | None = (
        None  # [num_sets] each; `None` means that the model is the opponent's true strategy
    )
    observed_games: int | None = None  # games in which the opponent's cards are known
    hidden_games: int = 0  # games in which the opponent's cards stayed hidden
    against: str | None = None  # whom the opponent played while being watched
    seed: int | None = None  # of those games
    real: Behaviours | None = None  # how the opponent plays, where that is known
    parts: "tuple[HeldOutPart, ...]" = ()  # of the games, each held out once

    @property
    def source(self) -> str:
        """How the opponent was observed, in words."""
        if self.observed_games is None:
            return "who is known exactly"
        words = "seen in " + plural(self.observed_games, "game")
        if self.against is not None:
            words += f" against {self.against}, seed {self.seed}"
        if self.hidden_games:
            words += f", and {self.hidden_games:,} more in which the cards stayed hidden"
        return words


@dataclass(frozen=True, eq=False)
class HeldOutPart:
    """A part of the recorded games, and the opponent as all other games show it."""

    others: Subject
    num_hands: int  # in which the opponent's cards are known
    hands: tuple[Ints, Ints]  # by seat: [actions] number of the hand in which each action was taken
    sequences: tuple[Ints, Ints]  # by seat: [actions]

    def strategies(self, game: SequenceGame, default: Behaviours, times: NDArray[np.int64]) -> Behaviours:
        """The opponent's strategies in this part if its hands came up so many ``times [num_hands]``."""
        counts = PrivateCounts(game)
        for seat, tree in enumerate(game.trees):
            weights = times[self.hands[seat]].astype(np.float64)
            table = np.bincount(self.sequences[seat], weights, minlength=tree.num_sequences)
            counts.add_table(seat, table.astype(np.float64), self.num_hands)
        return FrequencyModel(game, default).fit_counts(counts).strategies


def known_subject(game: SequenceGame, agent: AgentSpec, tell: Tell | None = None) -> Subject:
    """An agent that plays from a table and is known exactly: the model is its strategy."""
    real = behaviours_in(agent, game, tell)
    return Subject(agent.text, real, real=real)


def watched_subject(
    game: SequenceGame,
    agent: AgentSpec,
    games: int,
    against: AgentSpec | None,
    seed: int = 0,
    tell: Tell | None = None,
) -> Subject:
    """An agent that plays from a table and is watched for ``games`` games, all cards seen.

    ``against`` is the agent it plays against meanwhile; None means a copy of itself.
    """
    real = behaviours_in(agent, game, tell)
    observed = tabular(game, real)
    other = observed if against is None else strategy_of(against, poker_of(game), tell)
    counts = observe_play(game, observed, other, games, seed)
    name = SELF if against is None else against.text
    return replace(_learnt(counts, agent.text), against=name, seed=seed, real=real)


def recorded_subject(
    game: SequenceGame,
    hands: Iterable[Hand],
    player: str,
    shown_only: bool = False,
    parts: int = DEFAULT_PARTS,
) -> Subject:
    """A player of recorded hands; ``shown_only`` leaves out cards that were not shown to everybody.

    Each of ``parts`` parts is held out once; with 0 none is.
    """
    if parts < 0 or parts == 1:
        raise SoulreadError(f"{parts} parts; a part is held out of at least 2, and 0 holds out none")
    played: list[Hand] = []
    for hand in hands:
        if player in hand.players:
            if shown_only and hand.sights[hand.seat_of(player)] is not Sight.SHOWN:
                hand = replace(hand, hole=(None,) * hand.num_players)
            played.append(hand)
    subject = _learnt(_counted(game, played, player), player)
    if parts and len(played) >= parts:
        cuts = [len(played) * k // parts for k in range(parts + 1)]
        made = tuple(_part(game, played, player, first, end) for first, end in itertools.pairwise(cuts))
        return replace(subject, parts=made)
    return subject


def _counted(game: SequenceGame, hands: Iterable[Hand], player: str) -> PrivateCounts:
    counts = PrivateCounts(game)
    for hand in hands:
        counts.add(hand, hand.seat_of(player))
    return counts


def _part(game: SequenceGame, hands: Sequence[Hand], player: str, first: int, end: int) -> HeldOutPart:
    """The hands from ``first`` to before ``end``, held out."""
    others = _learnt(_counted(game, [*hands[:first], *hands[end:]], player), player)
    reader = PathReader(game)
    numbers: tuple[list[int], list[int]] = ([], [])
    sequences: tuple[list[int], list[int]] = ([], [])
    known = 0
    for hand in hands[first:end]:
        seat = hand.seat_of(player)
        hole = hand.hole[seat]
        if hole is None or len(hole) < reader.poker.rules.hole_cards:
            continue
        path = reader.sequences(seat, hole, hand.board, hand.actions)
        numbers[seat].extend([known] * len(path))
        sequences[seat].extend(path)
        known += 1
    return HeldOutPart(
        others,
        known,
        (np.array(numbers[0], dtype=np.int32), np.array(numbers[1], dtype=np.int32)),
        (np.array(sequences[0], dtype=np.int32), np.array(sequences[1], dtype=np.int32)),
    )


def _learnt(counts: PrivateCounts, name: str) -> Subject:
    model = FrequencyModel(counts.game).fit_counts(counts)
    return Subject(
        name,
        model.strategies,
        (model.observations(0), model.observations(1)),
        sum(map(counts.num_hands, (0, 1))),
        sum(map(counts.num_hidden, (0, 1))),
    )


_TRUST = {
    "rnr": "numbers: p, trust in the model\n(0: equilibrium, 1: best response)",
    "dbr": "numbers: P_max, greatest trust in the model",
    "mix": "numbers: p, share of hands played\nby the best response",
}


@dataclass(frozen=True, eq=False, repr=False)
class CurveStudy(ShownTable):
    """A frontier, the opponent it is about and, if they were kept, its strategies."""

    LINE = "{it.title}"
    TABLE = "points"

    game: str  # its name
    subject: Subject
    method: str  # a key of METHODS
    confidence: str | None  # of a data biased response
    small_bet: int | None
    frontier: Frontier
    strategies: tuple[Strategy, ...] = ()  # one for each point
    held_out: tuple[
        Estimate, ...
    ] = ()  # one for each point, in chips per hand; empty if nothing was held out

    JSON = keys(
        "game method confidence small_bet",
        opponent="subject.name",
        source="subject.source",
        observed_games="subject.observed_games",
        hidden_games="subject.hidden_games",
        against="subject.against",
        seed="subject.seed",
        held_out_parts=lambda study: len(study.subject.parts),
        points="_points",
    )

    def plot(self) -> Figure:
        """Return the curve of exploitation over exploitability, in the unit of the study."""
        points = self.frontier.points
        curves = [("against the model", [point.against_model for point in points])]
        if self.subject.observations is not None and self.subject.real is not None:
            real = [point.against_opponent or 0.0 for point in points]
            curves.append((f"against {self.subject.name}", real))
        if self.held_out:
            curves.append(("in held-out hands", [worth.mean for worth in self.held_out]))
        panel = Panel(
            f"{self.game}: {METHODS[self.method]} to {self.subject.name}",
            f"exploitability ({self.unit.value})",
            f"exploitation ({self.unit.value})",
            tuple(
                Curve(
                    label,
                    tuple(point.exploitability * self.scale for point in points),
                    tuple(amount * self.scale for amount in won),
                    texts=tuple(f"{point.p:g}" for point in points),
                )
                for label, won in curves
            ),
            texts_label=_TRUST[self.method],
        )
        return Figure("curve", self.title, (panel,))

    @property
    def unit(self) -> Unit:
        """The unit of amounts: mb/g, or chips where the game has no small bet."""
        return Unit.CHIPS if self.small_bet is None else Unit.MILLIBETS

    @property
    def scale(self) -> float:
        """The factor from chips per hand to the unit."""
        return self.unit.per_chip(self.small_bet or 1, self.small_bet or 1)

    @property
    def title(self) -> str:
        """Game, method and opponent, in one line."""
        trust = "" if self.confidence is None else f", confidence {self.confidence}"
        return f"{self.game}: {METHODS[self.method]} to {self.subject.name}{trust}, {self.subject.source}"

    @property
    def _points(self) -> list[dict[str, Any]]:
        """The points in chips per hand, and in mb/g where the game has a small bet."""
        records = []
        for i, point in enumerate(self.frontier.points):
            scaled = {
                name: None if self.small_bet is None or amount is None else amount * self.scale
                for name in ("against_model", "against_opponent", "exploitability", "gap")
                for amount in [getattr(point, name)]
            }
            record = {**plain_data(point), Unit.MILLIBETS.value: scaled}
            if self.held_out:
                worth = self.held_out[i]
                record["held_out"] = worth
                record[Unit.MILLIBETS.value] = {**scaled, "held_out": worth.scaled(self.scale)}
            records.append(record)
        return records


def study_curve(
    game: SequenceGame,
    equilibrium: Behaviours,
    subject: Subject,
    method: str = "rnr",
    ps: Sequence[float] = PAPER_PS,
    *,
    confidence: str = DEFAULT_CONFIDENCE,
    precision: float | None = None,
    keep: bool = False,
    tell: Tell | None = None,
) -> CurveStudy:
    """The curve of a method against an opponent, at the parameters ``ps`` between 0 and 1.

    ``equilibrium`` has the behaviours of both seats and is the answer at p = 0. ``precision`` is in chips per
    hand. With ``keep`` the result also has the strategy of each point.
    """
    verify_method(method, confidence, subject.observations is not None)

    def progress(seat: int, p: float, response: CounterStrategy) -> None:
        if tell is not None:
            tell(f"{game.name}: seat {seat}, p = {p:g} after {plural(response.iterations, 'iteration')}")

    def answers(to: Subject, kept: bool) -> Frontier:
        return frontier(
            game,
            _family(method, confidence, equilibrium, to),
            to.models,
            ps,
            opponent=to.real,
            precision=precision,
            equilibrium=equilibrium,
            keep=kept,
            progress=progress,
        )

    held_out = [
        _held_out(game, equilibrium, part, answers(part.others, True).responses)
        for part in subject.parts
        if part.num_hands
    ]
    made = answers(subject, keep)
    trust = confidence if method == "dbr" else None
    return CurveStudy(
        game=game.name,
        subject=subject,
        method=method,
        confidence=trust,
        small_bet=game.small_bet,
        frontier=replace(made, responses=()),
        strategies=tuple(
            Strategy.from_behaviours(
                game,
                pair.behaviours,
                method,
                {"p": p, "confidence": trust, "opponent": subject.name, "source": subject.source},
                abstraction_checksum(game),
            )
            for p, pair in zip(ps, made.responses, strict=keep)
        ),
        held_out=tuple(_mean(worths) for worths in zip(*held_out, strict=True)),
    )


def _family(method: str, confidence: str, equilibrium: Behaviours, subject: Subject) -> ResponseFamily:
    if method == "mix":
        return mixture_family(equilibrium)
    if method == "dbr":
        return data_biased_family(parse_confidence(confidence), dict(enumerate(subject.observations or ())))
    return nash_family()


def _held_out(
    game: SequenceGame, equilibrium: Behaviours, part: HeldOutPart, responses: Sequence[CounterPair]
) -> list[Estimate]:
    """The winnings of each response from the opponent of a part of the hands, in chips per hand.

    All that a response wins is linear in the opponent's plan, so one gradient serves all resamples.
    """
    costs = [
        np.stack([game.payoff.gradient(seat, pair.plans[1 - seat]) for pair in responses]) for seat in (0, 1)
    ]

    def worth(times: NDArray[np.int64]) -> NDArray[np.float64]:
        behaviours = part.strategies(game, equilibrium, times)
        lost = np.zeros(len(responses))
        for tree, cost, behaviour in zip(game.trees, costs, behaviours, strict=True):
            plan = plan_from_behaviour(tree, in_precision(behaviour, np.float64))
            lost += cost.astype(np.float64) @ plan / 2
        return -lost

    rng = np.random.default_rng(0)
    n = part.num_hands
    found = worth(np.ones(n, dtype=np.int64))
    again = np.stack([worth(rng.multinomial(n, np.full(n, 1 / n))) for _ in range(_RESAMPLES)])
    errors = again.std(axis=0, ddof=1)
    return [Estimate(float(mean), float(error), n) for mean, error in zip(found, errors, strict=True)]


def _mean(worths: Sequence[Estimate]) -> Estimate:
    """The mean over parts of the hands."""
    error = math.hypot(*(worth.standard_error for worth in worths)) / len(worths)
    return Estimate(sum(worth.mean for worth in worths) / len(worths), error, sum(w.n for w in worths))


def verify_method(method: str, confidence: str, observed: bool) -> None:
    """Raise unless the method and the confidence exist, and "dbr" has an opponent who was ``observed``."""
    parse_confidence(confidence)
    if method not in METHODS:
        raise SoulreadError(f"method {method!r}; expected one of {', '.join(METHODS)}")
    if method == "dbr" and not observed:
        raise SoulreadError("a data biased response trusts what was observed; say how many observed games")
