"""What counter-strategies win from an opponent against what they risk: computed, printed and drawn."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.estimate import Unit
from soulread.model.frequency import FrequencyModel
from soulread.observe.hand import Hand
from soulread.observe.private import PrivateCounts
from soulread.play.solved import opponent_behaviours
from soulread.play.watch import observe_play, tabular_opponent
from soulread.report.figures import Curve, Figure, Panel, draw
from soulread.report.tables import console, new_table, titled
from soulread.respond.confidence import parse_confidence
from soulread.respond.counter import CounterStrategy
from soulread.respond.curves import (
    PAPER_PS,
    DataBiased,
    Family,
    Frontier,
    Mixture,
    Pair,
    RestrictedNash,
    frontier,
)
from soulread.solve.equilibria import abstraction_checksum, find_equilibrium, tabular
from soulread.solve.files import Strategy
from soulread.solve.named import Playable, Tell, small_bet

METHODS = {"rnr": "restricted Nash response", "dbr": "data biased response", "mix": "mixture"}
SELF = "self"


@dataclass(frozen=True, eq=False)
class Subject:
    """Whom a curve is about, and what is known of him. Pairs are of seats 0 and 1."""

    name: str
    models: Pair
    observations: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None  # None: the model is he
    observed_games: int | None = None  # those that taught something
    hidden_games: int = 0  # those in which his cards stayed hidden
    against: str | None = None  # whom he played while he was watched
    seed: int | None = None  # of those games
    real: Pair | None = None  # how he plays, where that is known

    @property
    def source(self) -> str:
        """How he is known, in words."""
        if self.observed_games is None:
            return "who is known exactly"
        words = f"seen in {self.observed_games:,} games"
        if self.against is not None:
            words += f" against {self.against}, seed {self.seed}"
        if self.hidden_games:
            words += f", and {self.hidden_games:,} more in which his cards stayed hidden"
        return words


def known_subject(playable: Playable, text: str, tell: Tell | None = None) -> Subject:
    """An agent that plays from a table, as he is."""
    real = opponent_behaviours(text, playable, tell)
    return Subject(text, real, real=real)


def watched_subject(
    playable: Playable, text: str, games: int, against: str = "probe", seed: int = 0, tell: Tell | None = None
) -> Subject:
    """An agent that plays from a table, learnt from games with all cards, ``against`` another or "self"."""
    real = opponent_behaviours(text, playable, tell)
    observed = tabular(playable, real)
    other = observed if against == SELF else tabular_opponent(against, playable, tell)
    counts = observe_play(playable, observed, other, games, seed)
    return replace(_learnt(playable, counts, text), against=against, seed=seed, real=real)


def recorded_subject(
    playable: Playable, hands: Iterable[Hand], player: str, shown_only: bool = False
) -> Subject:
    """A player of recorded hands; ``shown_only`` forgets those of his cards that no showdown revealed."""
    counts = PrivateCounts(playable.game, playable.lookup, playable.poker)
    for hand in hands:
        if player in hand.players:
            known = hand if hand.showdown or not shown_only else replace(hand, hole=(None, None))
            counts.add(known, hand.seat_of(player))
    return _learnt(playable, counts, player)


def _learnt(playable: Playable, counts: PrivateCounts, name: str) -> Subject:
    first, second = (FrequencyModel(playable.game, seat, playable.lookup).fit(counts) for seat in (0, 1))
    return Subject(
        name,
        (first.strategy(), second.strategy()),
        (first.observations, second.observations),
        sum(map(counts.num_hands, (0, 1))),
        sum(map(counts.num_hidden, (0, 1))),
    )


@dataclass(frozen=True, eq=False)
class CurveReport:
    """A frontier, whom it is about and, where they were kept, its strategies."""

    game: str
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
        """How many of the unit a chip per hand is."""
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


def report_curve(
    game: str,
    playable: Playable,
    subject: Subject,
    method: str = "rnr",
    ps: Sequence[float] = PAPER_PS,
    *,
    confidence: str = "0-10",
    precision: float | None = None,
    keep: bool = False,
    tell: Tell | None = None,
) -> CurveReport:
    """The curve of a method against an opponent, in ``playable``, the game that the text ``game`` names.

    ``precision`` is in chips per hand; ``keep`` keeps the strategies.
    """
    verify_method(method, confidence, subject.observations is not None)
    equilibrium = find_equilibrium(game, tell).behaviours
    family: Family = RestrictedNash()
    if method == "mix":
        family = Mixture(equilibrium)
    elif method == "dbr":
        family = DataBiased(parse_confidence(confidence), dict(enumerate(subject.observations or ())))

    def progress(seat: int, p: float, response: CounterStrategy) -> None:
        if tell is not None:
            tell(f"{game}: seat {seat}, p = {p:g} after {response.iterations:,} iterations")

    made = frontier(
        playable.game,
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
    return CurveReport(
        game=game,
        subject=subject,
        method=method,
        confidence=trust,
        small_bet=small_bet(game),
        frontier=replace(made, responses=()),
        strategies=tuple(
            Strategy.from_behaviours(
                playable.game,
                pair.behaviours,
                method,
                {"p": p, "confidence": trust, "opponent": subject.name, "source": subject.source},
                abstraction_checksum(playable),
            )
            for p, pair in zip(ps, made.responses, strict=keep)
        ),
    )


def verify_method(method: str, confidence: str, observed: bool) -> None:
    """Raise unless there are such a method and confidence, and what they need to know of the opponent."""
    parse_confidence(confidence)
    if method not in METHODS:
        raise SoulreadError(f"method {method!r}; expected one of {', '.join(METHODS)}")
    if method == "dbr" and not observed:
        raise SoulreadError("a data biased response trusts what was observed; say how many observed games")


def print_curve(report: CurveReport) -> None:
    """One row per parameter."""
    real = () if report.subject.real is None else ("from the opponent",)
    parameter = "P_max" if report.method == "dbr" else "p"
    table = new_table(parameter, "wins from the model", *real, "loses at worst", "gap", "seconds")
    for point in report.frontier.points:
        amounts = point.against_model, point.against_opponent, point.exploitability, point.gap
        cells = [f"{amount * report.scale:,.2f}" for amount in amounts if amount is not None]
        table.add_row(f"{point.p:g}", *cells, f"{point.seconds:.1f}")
    console.print(titled(report.title, table))
    console.print(
        f"{report.unit.value}, the mean of both seats, beyond the value of the game; exact but for the gap "
        "to which the restricted game was solved.",
        style="dim",
    )
    if report.subject.hidden_games:
        console.print(_HIDDEN, style="dim")


_HIDDEN = (
    "Only hands in which his cards are known teach: seen from the table he folds less, and holds better "
    "cards, than he does."
)


def draw_curve(report: CurveReport, path: Path) -> None:
    """Exploitation over exploitability, to a file whose suffix says the format."""
    points = report.frontier.points
    curves = [("against the model", [point.against_model for point in points])]
    if report.subject.observations is not None and report.subject.real is not None:
        real = [point.against_opponent or 0.0 for point in points]
        curves.append((f"against {report.subject.name}", real))
    panel = Panel(
        f"{report.game}: {METHODS[report.method]} to {report.subject.name}",
        f"exploitability ({report.unit.value})",
        f"exploitation ({report.unit.value})",
        tuple(
            Curve(
                label,
                tuple(point.exploitability * report.scale for point in points),
                tuple(amount * report.scale for amount in won),
                texts=tuple(f"{point.p:g}" for point in points),
            )
            for label, won in curves
        ),
    )
    draw(Figure("curve", report.title, (panel,)), [path])
