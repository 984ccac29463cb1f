"""What triples and simulation are worth to Loki (Billings, Peña, Schaeffer & Szafron 1999).

Section IV of the thesis tells of three changes to Loki: R re-weights tables by triples, B draws actions from
triples, S simulates. Its findings are that each helps, S most, and that B and R are nearly independent. It
prints no numbers.

*Rings.* Two agents of a changed version sit with eight of the base version, as in 1999 (Peña's thesis tells
it so). All use the generic model: nobody learns, so every deal is an independent sample, and what R, B and S
are worth is not mixed with how fast an agent learns. All versions are dealt the same cards in the same
seatings. In a ring of ten base versions every agent wins nothing as a mean over the rotations, so what a
version wins *is* its gain over what the base version would have won in its seats.

*Control* (ours). A gain may say more about the base version than about the change: whoever bluffs wins from
players who fold too much. So RS also sits with eight of R, who differ from the base version only in how they
read others. RS differs from these by S alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from soulread.estimate import Estimate, Unit
from soulread.report.figures import BarPanel, Bars, Figure
from soulread.reproduce.kit.experiment import Options
from soulread.reproduce.kit.report import Claim, Measure, Report, ResultTable
from soulread.reproduce.kit.rings import Ring, RingResult, found_in, paired
from soulread.reproduce.kit.verdict import above, agrees, all_of
from soulread.tasks import Task, TaskResult

BASE = "base"
CHANGES = "R", "B", "S", "RB", "RS", "BS", "RBS"
CONTROL = "RS among R"
CHANGED, UNCHANGED = 2, 8  # seats
MARGIN = 0.05  # sb/h: B and R are nearly independent if together they gain this much more or less, or less
SOURCE = (
    "Opponent modelling in poker (thesis), section IV, on Billings, Peña, Schaeffer & Szafron, Using "
    "Probabilistic Knowledge and Simulation to Play Poker, AAAI 1999 (no numbers in the thesis)"
)
BETS = Unit.SMALL_BETS.value


@dataclass(frozen=True)
class Setup:
    """Sizes of the experiment."""

    matches: int
    hands: int
    playouts: int
    seed: int

    @classmethod
    def of(cls, options: Options) -> "Setup":
        """In full as many deals as in 1999 (2,500, played ten times); quick: 80."""
        return cls(
            matches=options.matches or (8 if options.quick else 100),
            hands=options.hands or (10 if options.quick else 25),
            playouts=200 if options.quick else 500,
            seed=options.seed,
        )

    def agent(self, use: str) -> str:
        """The text of a version."""
        limit = f",playouts={self.playouts}" if "S" in use else ""
        return f"loki:model=gom,use={use}{limit}"

    def ring(self, change: str) -> Ring:
        """Two of a changed version among eight of the base version."""
        versions = {change: self.agent(change), BASE: self.agent("none")}
        return Ring(change, versions, (change,) * CHANGED + (BASE,) * UNCHANGED)

    @property
    def control(self) -> Ring:
        """Two of RS among eight of R."""
        versions = {CONTROL: self.agent("RS"), "R": self.agent("R")}
        return Ring(CONTROL, versions, (CONTROL,) * CHANGED + ("R",) * UNCHANGED)

    @property
    def all_rings(self) -> tuple[Ring, ...]:
        """The rings of all versions, and the control."""
        return (*(self.ring(change) for change in CHANGES), self.control)

    @property
    def tasks(self) -> list[Task]:
        """The first match of every ring before the second of any."""
        return [
            ring.task(self.hands, self.seed, number)
            for number in range(self.matches)
            for ring in self.all_rings
        ]

    def found(self, results: Sequence[TaskResult]) -> dict[str, RingResult]:
        """What was won in the ring of each version."""
        rings = [(ring, self.matches) for ring in self.all_rings]
        return found_in(rings, results, self.hands, self.seed)


def triples(options: Options) -> Report:
    """Play the rings and judge what the thesis found."""
    setup = Setup.of(options)
    results = list(options.run(setup.tasks))
    found = setup.found(results)
    return Report(
        name="loki-triples",
        title="re-weighting by triples (R), acting by triples (B) and simulation (S)",
        source=SOURCE,
        settings={
            "matches": setup.matches,
            "deals of a match": setup.hands,
            "rotations": CHANGED + UNCHANGED,
            "seed": setup.seed,
            "base": setup.agent("none"),
            "all changes": setup.agent("RBS"),
        },
        tables=(_gains(found), _sums(found)) if found else (),
        claims=claims(found),
        figures=(_figure(found),) if found else (),
        seconds=sum(result.seconds for result in results),
        notes=(
            "Every deal is played ten times, once for each rotation of the seats. The base version wins "
            "nothing among its like, so what a version wins is its gain.",
        ),
    )


def gain(found: Mapping[str, RingResult], weights: Mapping[str, float]) -> Estimate | None:
    """A sum of gains of versions, deal by deal, sb/h; None if a version has not played."""
    return paired(found, {change: (change, weight) for change, weight in weights.items()})


def _gains(found: Mapping[str, RingResult]) -> ResultTable:
    measures = [Measure(BASE, "gain", 0.0)]
    measures += [Measure(change, "gain", gain(found, {change: 1.0})) for change in found]
    sample = " or ".join(dict.fromkeys(result.sample for result in found.values()))
    note = (
        f"{CHANGED} of a version among {UNCHANGED} of the base version; {CONTROL!r} among {UNCHANGED} of R."
    )
    return ResultTable("gain over the base version in the same seats", BETS, tuple(measures), sample, note)


SUMS = {
    "B and R together, beyond their sum": {"RB": 1.0, "R": -1.0, "B": -1.0},
    "S more than R": {"S": 1.0, "R": -1.0},
    "S more than B": {"S": 1.0, "B": -1.0},
    "R more, beside S": {"RS": 1.0, "S": -1.0},
    "B more, beside S": {"BS": 1.0, "S": -1.0},
    "R and B more, beside S": {"RBS": 1.0, "S": -1.0},
    "S more, beside R and B": {"RBS": 1.0, "RB": -1.0},
    "RS less, among R than among the base version": {"RS": 1.0, CONTROL: -1.0},
}
"""Sums of gains that the claims rest on, or that say more."""


def _sums(found: Mapping[str, RingResult]) -> ResultTable:
    measures = tuple(Measure(name, "sum", gain(found, weights)) for name, weights in SUMS.items())
    sample = " or ".join(dict.fromkeys(result.sample for result in found.values()))
    return ResultTable("sums of gains, deal by deal", BETS, measures, sample)


def claims(found: Mapping[str, RingResult]) -> tuple[Claim, ...]:
    """What the thesis says, judged by the gains."""
    made = [
        Claim.judged(f"{change} helps", above(number), _text(number))
        for change in ("R", "B", "S")
        for number in (gain(found, {change: 1.0}),)
    ]
    leads = {change: gain(found, {"S": 1.0, change: -1.0}) for change in ("R", "B")}
    evidence = "; ".join(f"{_text(lead)} more than {change}" for change, lead in leads.items())
    made.append(Claim.judged("S helps most", all_of(above(lead) for lead in leads.values()), evidence))
    both = gain(found, SUMS["B and R together, beyond their sum"])
    made.append(
        Claim.judged(
            f"B and R are nearly independent: together they gain their sum, to within {MARGIN} {BETS}",
            agrees(both, MARGIN),
            f"{_text(both)} beyond the sum",
        )
    )
    control = gain(found, {CONTROL: 1.0})
    made.append(
        Claim.judged(
            "S also helps among players who re-weight by triples (ours, the control)",
            above(control),
            f"{_text(control)}; among the base version RS gains {_text(gain(found, {'RS': 1.0}))}",
        )
    )
    return tuple(made)


def _text(number: Estimate | None) -> str:
    return "not measured" if number is None else f"{number.text()} {BETS}"


def _figure(found: Mapping[str, RingResult]) -> Figure:
    gains = {change: result.won_by(change) for change, result in found.items()}
    errors = tuple(gains[change].half_width if gains[change].n > 1 else 0.0 for change in gains)
    bars = Bars("gain over the base version", tuple(gains[change].mean for change in gains), errors)
    panel = BarPanel("changes to Loki", "gain, small bets per hand", tuple(gains), (bars,))
    return Figure("gains", "Gains of two among eight of the base version, with 95% intervals.", (panel,))
