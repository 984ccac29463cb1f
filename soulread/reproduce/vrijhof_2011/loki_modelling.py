"""Loki with and without models of opponents, in rings of ten (Billings, Papp, Schaeffer & Szafron 1998).

Section III of the thesis tells of five versions of Loki at one table. Three are older: tight, medium and
loose players who take everybody for a usual player. GOM reads what each opponent does by the habits of a
usual player, SOM by the opponent's own habits. The thesis prints no numbers. Its findings are that both beat
the older versions by far, and that SOM is further ahead of GOM where styles differ much.

*Rings.* The first has two of each version, as in 1998. In the second are one SOM, one GOM, and two of each
of four very different styles, all older versions. All agents of a ring bet alike, so that only the models
differ. There are three pairs of rings:

    1998         rules, and tables re-weighted by thresholds (``use=none``): what Loki had in 1998
    triples      rules, and tables re-weighted by triples (``use=R``)
    simulation   tables re-weighted by triples, and simulation (``use=RS``), where more depends on the models:
                 play-outs also ask them what the others will do
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from soulread.estimate import Estimate, Unit
from soulread.report.figures import Curve, Figure, Panel
from soulread.reproduce.kit.experiment import Options
from soulread.reproduce.kit.report import Claim, Measure, Report, ResultTable
from soulread.reproduce.kit.rings import Ring, RingResult, found_in
from soulread.reproduce.kit.verdict import UNKNOWN, Condition, above, all_of
from soulread.tasks import Task, TaskResult

SOM, GOM = "SOM", "GOM"
OLD = "old tight", "old medium", "old loose"
STYLES = "tight-passive", "tight-aggressive", "loose-passive", "loose-aggressive"
SOURCE = (
    "Opponent modelling in poker (thesis), section III, on Billings, Papp, Schaeffer & Szafron, "
    "Opponent Modeling in Poker, AAAI 1998 (no numbers in the thesis)"
)
BETS = Unit.SMALL_BETS.value


def rings(use: str, name: str) -> tuple[Ring, Ring]:
    """The ring of 1998 and the one of very different styles, whose agents all bet by ``use``."""
    models = {SOM: f"loki:model=som,{use}", GOM: f"loki:model=gom,{use}"}
    old = {version: f"loki:model=old,{use},style={version.removeprefix('old ')}" for version in OLD}
    styles = {style: f"loki:model=old,{use},style={style}" for style in STYLES}
    return (
        Ring(f"{name}, five versions", {**models, **old}, (SOM, GOM, *OLD) * 2),
        Ring(f"{name}, four styles", {**models, **styles}, (SOM, GOM, *STYLES * 2)),
    )


@dataclass(frozen=True)
class Setup:
    """Sizes of the experiment."""

    matches: int
    hands: int
    simulated: int  # matches of the rings that simulate
    playouts: int
    seed: int

    @classmethod
    def of(cls, options: Options) -> "Setup":
        """In full long matches, so that SOM can learn; quick: few and short ones."""
        matches = options.matches or (3 if options.quick else 20)
        return cls(
            matches=matches,
            hands=options.hands or (40 if options.quick else 300),
            simulated=max(1, matches // 3),
            playouts=60 if options.quick else 100,
            seed=options.seed,
        )

    @property
    def pairs(self) -> tuple[tuple[Ring, Ring], ...]:
        """The pairs of rings, the one that simulates last."""
        return (
            rings("use=none", "1998"),
            rings("use=R", "triples"),
            rings(f"use=RS,playouts={self.playouts}", "simulation"),
        )

    @property
    def all_rings(self) -> tuple[tuple[Ring, int], ...]:
        """Every ring and the number of its matches."""
        *by_rules, simulating = self.pairs
        return (
            *((ring, self.matches) for pair in by_rules for ring in pair),
            *((ring, self.simulated) for ring in simulating),
        )

    @property
    def tasks(self) -> list[Task]:
        """The first match of every ring before the second of any."""
        return [
            ring.task(self.hands, self.seed, number)
            for number in range(self.matches)
            for ring, matches in self.all_rings
            if number < matches
        ]

    def found(self, results: Sequence[TaskResult]) -> dict[str, RingResult]:
        """What was won in each ring, by its name."""
        return found_in(self.all_rings, results, self.hands, self.seed)


def modelling(options: Options) -> Report:
    """Play the rings and judge what the thesis found."""
    setup = Setup.of(options)
    results = list(options.run(setup.tasks))
    found = setup.found(results)
    return Report(
        name="loki-modelling",
        title="models of opponents in rings of ten",
        source=SOURCE,
        settings={
            "matches": setup.matches,
            "matches with simulation": setup.simulated,
            "hands": setup.hands,
            "rotations": 10,
            "play-outs": setup.playouts,
            "seed": setup.seed,
            **{name: text for ring in setup.pairs[0] for name, text in ring.versions.items()},
        },
        tables=tuple(_table(name, result) for name, result in found.items()),
        claims=tuple(claim for pair in setup.pairs for claim in claims(found, *pair)),
        figures=_figures(found),
        seconds=sum(result.seconds for result in results),
        notes=(
            "A match of n hands is played ten times with the same cards, once for each rotation of seats; "
            "who sits where is drawn anew for every match. Agents forget everything before each rotation.",
        ),
    )


def _table(name: str, result: RingResult) -> ResultTable:
    half = result.won.shape[1] // 2
    measures = []
    for version in result.versions:
        measures.append(Measure(version, "won", result.won_by(version)))
        if half:
            later = result.part(half, result.won.shape[1])
            measures.append(Measure(version, "in the second half", later.won_by(version)))
        measures += [
            Measure(version, f"less than {model}", result.difference(model, version))
            for model in (SOM, GOM)
            if model != version
        ]
    return ResultTable(f"{name}: won per hand", BETS, tuple(measures), result.sample)


def older(ring: Ring) -> tuple[str, ...]:
    """The versions of a ring that have no model of what opponents do."""
    return tuple(version for version in ring.versions if version not in (SOM, GOM))


def claims(found: dict[str, RingResult], first: Ring, second: Ring) -> tuple[Claim, ...]:
    """What the thesis says of two rings: that of five versions, and that of four styles."""
    how = first.name.partition(",")[0]
    made = [_beats(found, first, model, how) for model in (SOM, GOM)]
    made += [_ahead(found, ring) for ring in (first, second)]
    leads = [found[ring.name].difference(SOM, GOM) for ring in (first, second) if ring.name in found]
    more = leads[1].minus(leads[0]) if len(leads) == 2 else None
    made.append(
        Claim.judged(
            f"SOM is further ahead of GOM where styles differ much ({how})",
            above(more),
            _text(more),
        )
    )
    return tuple(made)


def _beats(found: dict[str, RingResult], ring: Ring, model: str, how: str) -> Claim:
    """Claim that a model wins more than every older version of the ring."""
    result = found.get(ring.name)
    condition: Condition = UNKNOWN
    evidence = _text(None)
    if result is not None:
        gaps = {version: result.difference(model, version) for version in older(ring)}
        condition = all_of(above(gap) for gap in gaps.values())
        evidence = "; ".join(f"{gap.text()} over {version}" for version, gap in gaps.items()) + f" {BETS}"
    return Claim.judged(f"{model} wins more than each older version ({how})", condition, evidence)


def _ahead(found: dict[str, RingResult], ring: Ring) -> Claim:
    result = found.get(ring.name)
    gap = None if result is None else result.difference(SOM, GOM)
    return Claim.judged(f"SOM wins more than GOM ({ring.name})", above(gap), _text(gap))


def _text(number: Estimate | None) -> str:
    return "not measured" if number is None else f"{number.text()} {BETS}"


def _figures(found: dict[str, RingResult]) -> tuple[Figure, ...]:
    """How winnings develop with the hands of a match, and SOM's lead over GOM."""
    made = []
    names = list(found)
    if names:
        panels = tuple(
            Panel(
                name,
                "hands of the match",
                "won so far, small bets per hand",
                tuple(_curve(found[name], version, {version: 1.0}) for version in found[name].versions),
            )
            for name in names
        )
        made.append(Figure("hands", "Win rates up to a hand of the match, with 95% intervals.", panels))
        lead = {SOM: 1.0, GOM: -1.0}
        panels = tuple(
            Panel(
                name,
                "hands of the match",
                "lead of SOM over GOM so far, sb/h",
                (_curve(found[name], "SOM - GOM", lead),),
            )
            for name in names
        )
        made.append(Figure("lead", "How far SOM is ahead of GOM, with 95% intervals.", panels))
    return tuple(made)


def _curve(result: RingResult, label: str, weights: dict[str, float]) -> Curve:
    points = result.so_far(weights)
    x = tuple(float(hands) for hands, _ in points)
    y = tuple(estimate.mean for _, estimate in points)
    ends = [estimate.interval for _, estimate in points]
    if not all(math.isfinite(end) for pair in ends for end in pair):
        return Curve(label, x, y)
    return Curve(label, x, y, tuple(low for low, _ in ends), tuple(high for _, high in ends))
