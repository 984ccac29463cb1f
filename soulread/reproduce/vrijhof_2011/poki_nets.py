"""The worth of nets to Poki: what it wins with each predictor of its opponents' actions. Our question to V11.

Section V of the thesis judges nets by how often they foretell an action. What they bring in play it does not
tell. Poki's weight tables and play-outs ask for chances of actions (`soulread.play.search.loki`):

    tables      frequencies of Davidson's contexts, which slide from generic ones to the opponent's own
    net         a net of many players that follows each opponent
    softened    the same net, its triples made more careful by the mistakes it makes (the confusion matrix)
    competing   tables and nets with memories of different length

*Rings.* Two of a version sit with eight players of very different styles: four older Lokis, and four who are
no Lokis. All versions are dealt the same cards in the same seatings, so what is compared is won with the same
cards from the same players.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from soulread.estimate import Estimate, Unit
from soulread.reproduce.kit.experiment import RunOptions
from soulread.reproduce.kit.report import Claim, Measure, Report, ResultTable, worded
from soulread.reproduce.kit.rings import Ring, RingResult, paired, play_rings
from soulread.reproduce.kit.verdict import above
from soulread.reproduce.vrijhof_2011.loki_modelling import EXTREMES, STYLES

TABLES, NET, SOFTENED, COMPETING = VERSIONS = "tables", "net", "softened", "competing"
PAIRS = (NET, TABLES), (SOFTENED, NET), (SOFTENED, TABLES), (COMPETING, TABLES)
SOURCE = "Opponent modelling in poker (thesis), section V (no numbers of matches in the thesis)"
BETS = Unit.SMALL_BETS.value


@dataclass(frozen=True)
class NetsSetup:
    """Sizes of the experiment."""

    matches: int
    hands: int
    playouts: int
    seed: int

    @classmethod
    def of(cls, options: RunOptions) -> "NetsSetup":
        """In full long matches, so that every predictor can learn; quick: few and short ones."""
        return cls(**options.sizes(matches=(4, 20), hands=(40, 300), playouts=(60, 100)))

    def ring(self, version: str) -> Ring:
        """Two of a version among eight others."""
        others = {style: f"loki:model=old,use=none,style={style}" for style in STYLES}
        others |= {text: text for text in EXTREMES}
        versions = {version: f"poki:predict={version},playouts={self.playouts}", **others}
        return Ring(version, versions, (version, version, *others))


def nets(options: RunOptions) -> Report:
    """Play the rings and compare the versions."""
    setup = NetsSetup.of(options)
    wanted = {setup.ring(version): setup.matches for version in VERSIONS}
    found, seconds = play_rings(options, wanted, setup.hands, setup.seed)
    return Report(
        name="poki-nets",
        title="what nets are worth to Poki",
        source=SOURCE,
        settings={
            "matches": setup.matches,
            "hands": setup.hands,
            "rotations": 10,
            "play-outs": setup.playouts,
            "seed": setup.seed,
            **{version: setup.ring(version).versions[version] for version in VERSIONS},
        },
        tables=(_table(found),) if found else (),
        claims=tuple(claims(found)),
        seconds=seconds,
        notes=(
            "Every deal is played ten times, once for each rotation of the seats, and all versions are dealt "
            "the same cards. Agents forget everything before each rotation; a match is a sample.",
        ),
    )


def more(found: Mapping[str, RingResult], version: str, other: str) -> Estimate | None:
    """How much more a version won than another one with the same cards, sb/h; None if neither has played."""
    return paired(found, {version: (version, 1.0), other: (other, -1.0)})


def _table(found: Mapping[str, RingResult]) -> ResultTable:
    measures = [Measure(version, "won", result.won_by(version)) for version, result in found.items()]
    measures += [
        Measure(f"{version} more than {other}", "won", more(found, version, other))
        for version, other in PAIRS
    ]
    sample = " or ".join(dict.fromkeys(result.sample for result in found.values()))
    return ResultTable("won per hand by two among eight others", BETS, measures, sample)


def claims(found: Mapping[str, RingResult]) -> Iterator[Claim]:
    """Whether each predictor helps; all are ours."""
    for version, other in PAIRS:
        gap = more(found, version, other)
        text = f"Poki wins more with {version} than with {other} (ours)"
        yield Claim.judged(text, above(gap), worded(gap, unit=BETS))
