"""What counter-strategies win from an opponent against what they risk: computed, printed and drawn."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from soulread.errors import SoulreadError
from soulread.estimate import Unit
from soulread.model.frequency import FrequencyModel
from soulread.play.solved import opponent_behaviours
from soulread.play.watch import observe_play, tabular_opponent
from soulread.report.figures import Curve, Figure, Panel, draw
from soulread.report.tables import console, new_table, titled
from soulread.respond.confidence import parse_confidence
from soulread.respond.counter import CounterStrategy
from soulread.respond.curves import PAPER_PS, DataBiased, Family, Frontier, Mixture, RestrictedNash, frontier
from soulread.solve.equilibria import find_equilibrium, tabular
from soulread.solve.named import Tell, compile_playable, small_bet

METHODS = {"rnr": "restricted Nash response", "dbr": "data biased response", "mix": "mixture"}
SELF = "self"


@dataclass(frozen=True, eq=False)
class CurveReport:
    """A frontier, whom it is about and what the model was learnt from."""

    game: str
    opponent: str
    method: str  # a key of METHODS
    confidence: str | None  # of a data biased response
    observed_games: int | None  # None: the model is the opponent himself
    against: str | None  # whom he played while he was watched
    seed: int
    small_bet: int | None
    frontier: Frontier

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
        words = f"{self.game}: {METHODS[self.method]} to {self.opponent}"
        if self.confidence is not None:
            words += f", confidence {self.confidence}"
        if self.observed_games is None:
            return words + ", who is known exactly"
        return words + f", seen in {self.observed_games:,} games against {self.against}"

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        own = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        del own["frontier"]
        return {**own, "points": self.frontier.as_dict(self.small_bet)["points"]}


def report_curve(
    game: str,
    opponent: str,
    method: str = "rnr",
    ps: Sequence[float] = PAPER_PS,
    *,
    observed_games: int | None = None,
    against: str = "probe",
    confidence: str = "0-10",
    precision: float | None = None,
    seed: int = 0,
    tell: Tell | None = None,
) -> CurveReport:
    """The curve of a method against an opponent, both given by their texts.

    With ``observed_games`` the model is his frequencies over so many games, all cards known, ``against``
    another agent or "self"; without, it is the opponent himself. ``precision`` is in chips per hand.
    """
    if method not in METHODS:
        raise SoulreadError(f"method {method!r}; expected one of {', '.join(METHODS)}")
    if method == "dbr" and observed_games is None:
        raise SoulreadError("a data biased response trusts what was observed; say how many observed games")
    trust = parse_confidence(confidence)
    playable = compile_playable(game, tell)
    real = opponent_behaviours(opponent, playable, tell)
    equilibrium = find_equilibrium(game, tell).behaviours
    models, seen = real, None
    if observed_games is not None:
        observed = tabular(playable, real)
        other = observed if against == SELF else tabular_opponent(against, playable, tell)
        counts = observe_play(playable, observed, other, observed_games, seed)
        first, second = (FrequencyModel(playable.game, seat, playable.lookup).fit(counts) for seat in (0, 1))
        models = first.strategy(), second.strategy()
        seen = first.observations, second.observations
    family: Family
    if method == "mix":
        family = Mixture(equilibrium)
    elif method == "dbr" and seen is not None:
        family = DataBiased(trust, dict(enumerate(seen)))
    else:
        family = RestrictedNash()

    def progress(seat: int, p: float, response: CounterStrategy) -> None:
        if tell is not None:
            tell(f"{game}: seat {seat}, p = {p:g} after {response.iterations:,} iterations")

    made = frontier(
        playable.game,
        family,
        models,
        ps,
        opponent=real,
        precision=precision,
        equilibrium=equilibrium,
        progress=progress,
    )
    return CurveReport(
        game=game,
        opponent=opponent,
        method=method,
        confidence=confidence if method == "dbr" else None,
        observed_games=observed_games,
        against=None if observed_games is None else against,
        seed=seed,
        small_bet=small_bet(game),
        frontier=made,
    )


def print_curve(report: CurveReport) -> None:
    """One row per parameter."""
    parameter = "P_max" if report.method == "dbr" else "p"
    table = new_table(
        parameter, "wins from the model", "from the opponent", "loses at worst", "gap", "seconds"
    )
    for point in report.frontier.points:
        amounts = point.against_model, point.against_opponent, point.exploitability, point.gap
        cells = ["" if amount is None else f"{amount * report.scale:,.2f}" for amount in amounts]
        table.add_row(f"{point.p:g}", *cells, f"{point.seconds:.1f}")
    console.print(titled(report.title, table))
    console.print(
        f"{report.unit.value}, the mean of both seats, beyond the value of the game; exact but for the gap "
        "to which the restricted game was solved.",
        style="dim",
    )


def draw_curve(report: CurveReport, path: Path) -> None:
    """Exploitation over exploitability, to a file whose suffix says the format."""
    points = report.frontier.points
    risk = tuple(point.exploitability * report.scale for point in points)
    model = Curve("against the model", risk, tuple(point.against_model * report.scale for point in points))
    curves = [model]
    if report.observed_games is not None:
        real = tuple((point.against_opponent or 0.0) * report.scale for point in points)
        curves.append(Curve(f"against {report.opponent}", risk, real))
    panel = Panel(
        METHODS[report.method],
        f"exploitability ({report.unit.value})",
        f"exploitation ({report.unit.value})",
        tuple(curves),
    )
    draw(Figure("curve", report.title, (panel,)), [path])
