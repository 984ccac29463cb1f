"""Curves of counter-strategies against one opponent: what they win, and what they risk for it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.estimate import Unit
from soulread.hands import Hand, Sight
from soulread.model.frequency import FrequencyModel
from soulread.observe.private import PrivateCounts
from soulread.play.entry import AgentSpec
from soulread.play.tabular import behaviours_in, strategy_of
from soulread.play.watch import observe_play
from soulread.respond.confidence import parse_confidence
from soulread.respond.counter import CounterStrategy
from soulread.respond.curves import (
    PAPER_PS,
    DataBiased,
    Family,
    Frontier,
    Mixture,
    RestrictedNash,
    frontier,
)
from soulread.seqform.compile import SequenceGame, poker_of
from soulread.seqform.source import Tell
from soulread.seqform.strategy import Behaviours
from soulread.seqform.tabular import tabular
from soulread.solve.equilibria import abstraction_checksum
from soulread.solve.files import Strategy
from soulread.words import plural

METHODS = {"rnr": "restricted Nash response", "dbr": "data biased response", "mix": "mixture"}
SELF = "self"
DEFAULT_CONFIDENCE = "0-10"


@dataclass(frozen=True, eq=False)
class Subject:
    """The opponent a curve is about, and what is known about that opponent. Pairs are of seats 0 and 1."""

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

    @property
    def source(self) -> str:
        """How the opponent is known, in words."""
        if self.observed_games is None:
            return "who is known exactly"
        words = "seen in " + plural(self.observed_games, "game")
        if self.against is not None:
            words += f" against {self.against}, seed {self.seed}"
        if self.hidden_games:
            words += f", and {self.hidden_games:,} more in which the cards stayed hidden"
        return words


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
    game: SequenceGame, hands: Iterable[Hand], player: str, shown_only: bool = False
) -> Subject:
    """A player of recorded hands; ``shown_only`` leaves out cards that were not shown to everybody."""
    counts = PrivateCounts(game)
    for hand in hands:
        if player in hand.players:
            seat = hand.seat_of(player)
            if shown_only and hand.sights[seat] is not Sight.SHOWN:
                hand = replace(hand, hole=(None,) * hand.num_players)
            counts.add(hand, seat)
    return _learnt(counts, player)


def _learnt(counts: PrivateCounts, name: str) -> Subject:
    model = FrequencyModel(counts.game).fit_counts(counts)
    return Subject(
        name,
        model.strategies,
        (model.observations(0), model.observations(1)),
        sum(map(counts.num_hands, (0, 1))),
        sum(map(counts.num_hidden, (0, 1))),
    )


@dataclass(frozen=True, eq=False)
class CurveStudy:
    """A frontier, the opponent it is about and, if they were kept, its strategies."""

    game: str  # its name
    subject: Subject
    method: str  # a key of METHODS
    confidence: str | None  # of a data biased response
    small_bet: int | None
    frontier: Frontier
    strategies: tuple[Strategy, ...] = ()  # one for each point

    @property
    def unit(self) -> Unit:
        """mb/g, or chips where the game has no small bet."""
        return Unit.CHIPS if self.small_bet is None else Unit.MILLIBETS

    @property
    def scale(self) -> float:
        """What a number in chips per hand is multiplied by to get it in the unit."""
        return self.unit.per_chip(self.small_bet or 1, self.small_bet or 1)

    @property
    def title(self) -> str:
        """What was computed, in one line."""
        trust = "" if self.confidence is None else f", confidence {self.confidence}"
        return f"{self.game}: {METHODS[self.method]} to {self.subject.name}{trust}, {self.subject.source}"

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "game": self.game,
            "opponent": self.subject.name,
            "source": self.subject.source,
            "observed_games": self.subject.observed_games,
            "hidden_games": self.subject.hidden_games,
            "against": self.subject.against,
            "seed": self.subject.seed,
            "method": self.method,
            "confidence": self.confidence,
            "small_bet": self.small_bet,
            "points": self.frontier.as_dict(self.small_bet)["points"],
        }


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
    family: Family = RestrictedNash()
    if method == "mix":
        family = Mixture(equilibrium)
    elif method == "dbr":
        family = DataBiased(parse_confidence(confidence), dict(enumerate(subject.observations or ())))

    def progress(seat: int, p: float, response: CounterStrategy) -> None:
        if tell is not None:
            tell(f"{game.name}: seat {seat}, p = {p:g} after {plural(response.iterations, 'iteration')}")

    made = frontier(
        game,
        family,
        subject.models,
        ps,
        opponent=subject.real,
        precision=precision,
        equilibrium=equilibrium,
        keep=keep,
        progress=progress,
    )
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
    )


def verify_method(method: str, confidence: str, observed: bool) -> None:
    """Raise unless the method and the confidence exist, and "dbr" has an opponent who was ``observed``."""
    parse_confidence(confidence)
    if method not in METHODS:
        raise SoulreadError(f"method {method!r}; expected one of {', '.join(METHODS)}")
    if method == "dbr" and not observed:
        raise SoulreadError("a data biased response trusts what was observed; say how many observed games")
