"""The worth of triples and simulation to Loki (Billings, Peña, Schaeffer & Szafron 1999).

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

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from soulread.estimate import Estimate, Unit
from soulread.report.figures import BarPanel, Figure
from soulread.reproduce.kit.experiment import RunOptions
from soulread.reproduce.kit.figures import bars_of
from soulread.reproduce.kit.report import Claim, Measure, Report, ResultTable, worded
from soulread.reproduce.kit.rings import Ring, RingResult, paired, play_rings
from soulread.reproduce.kit.verdict import above, agrees, all_of

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


@dataclass(frozen=True)
class TriplesSetup:
    """Sizes of the experiment."""

    matches: int
    hands: int
    playouts: int
    seed: int

    @classmethod
    def of(cls, options: RunOptions) -> "TriplesSetup":
        """In full as many deals as in 1999 (2,500, played ten times); quick: 80."""
        return cls(**options.sizes(matches=(8, 100), hands=(10, 25), playouts=(200, 500)))

    def agent(self, use: str) -> str:
        """The text of a version."""
        limit = f",playouts={self.playouts}" if "S" in use else ""
        return f"loki:model=gom,use={use}{limit}"

    def ring(self, change: str) -> Ring:
        """Two of a changed version among eight of the base version; the control among eight of R."""
        use, other, among = ("RS", "R", "R") if change == CONTROL else (change, BASE, "none")
        versions = {change: self.agent(use), other: self.agent(among)}
        return Ring(change, versions, (change,) * CHANGED + (other,) * UNCHANGED)


def triples(options: RunOptions) -> Report:
    """Play the rings and judge what the thesis found."""
    setup = TriplesSetup.of(options)
    wanted = {setup.ring(change): setup.matches for change in (*CHANGES, CONTROL)}
    found, seconds = play_rings(options, wanted, setup.hands, setup.seed)
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
        tables=_tables(found) if found else (),
        claims=tuple(claims(found)),
        figures=(_figure(found),) if found else (),
        seconds=seconds,
        notes=(
            "Every deal is played ten times, once for each rotation of the seats. The base version wins "
            "nothing among its like, so what a version wins is its gain.",
        ),
    )


def gain(found: Mapping[str, RingResult], weights: Mapping[str, float]) -> Estimate | None:
    """A sum of gains of versions, deal by deal, sb/h; None if a version has not played."""
    return paired(found, {change: (change, weight) for change, weight in weights.items()})


def _tables(found: Mapping[str, RingResult]) -> tuple[ResultTable, ...]:
    gains = [Measure(BASE, "gain", 0.0)]
    gains += [Measure(change, "gain", gain(found, {change: 1.0})) for change in found]
    sums = [Measure(name, "sum", gain(found, weights)) for name, weights in SUMS.items()]
    sample = " or ".join(dict.fromkeys(result.sample for result in found.values()))
    note = (
        f"{CHANGED} of a version among {UNCHANGED} of the base version; {CONTROL!r} among {UNCHANGED} of R."
    )
    return (
        ResultTable("gain over the base version in the same seats", BETS, gains, sample, note),
        ResultTable("sums of gains, deal by deal", BETS, sums, sample),
    )


def claims(found: Mapping[str, RingResult]) -> Iterator[Claim]:
    """The claims of the thesis, judged by the gains."""
    gains = {change: gain(found, {change: 1.0}) for change in ("R", "B", "S", "RS", CONTROL)}
    words = {change: worded(number, unit=BETS) for change, number in gains.items()}
    for change in ("R", "B", "S"):
        yield Claim.judged(f"{change} helps", above(gains[change]), words[change])
    leads = {change: gain(found, {"S": 1.0, change: -1.0}) for change in ("R", "B")}
    evidence = "; ".join(f"{worded(lead, unit=BETS)} more than {change}" for change, lead in leads.items())
    yield Claim.judged("S helps most", all_of(above(lead) for lead in leads.values()), evidence)
    both = gain(found, SUMS["B and R together, beyond their sum"])
    yield Claim.judged(
        f"B and R are nearly independent: together they gain their sum, to within {MARGIN} {BETS}",
        agrees(both, MARGIN),
        f"{worded(both, unit=BETS)} beyond the sum",
    )
    yield Claim.judged(
        "S also helps among players who re-weight by triples (ours, the control)",
        above(gains[CONTROL]),
        f"{words[CONTROL]}; among the base version RS gains {words['RS']}",
    )


def _figure(found: Mapping[str, RingResult]) -> Figure:
    bars = bars_of("gain over the base version", [result.won_by(change) for change, result in found.items()])
    panel = BarPanel("changes to Loki", "gain, small bets per hand", tuple(found), (bars,))
    return Figure("gains", "Gains of two among eight of the base version, with 95% intervals.", (panel,))
