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

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from soulread.estimate import Unit
from soulread.report.figures import Figure, Panel
from soulread.reproduce.kit.experiment import RunOptions
from soulread.reproduce.kit.figures import curve_of
from soulread.reproduce.kit.report import Claim, Measure, Report, ResultTable, worded
from soulread.reproduce.kit.rings import Ring, RingResult, play_rings
from soulread.reproduce.kit.verdict import UNKNOWN, above, all_of

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
class ModellingSetup:
    """Sizes of the experiment."""

    matches: int
    hands: int
    playouts: int
    seed: int

    @classmethod
    def of(cls, options: RunOptions) -> "ModellingSetup":
        """In full long matches, so that SOM can learn; quick: few and short ones."""
        return cls(**options.sizes(matches=(3, 20), hands=(40, 300), playouts=(60, 100)))

    @property
    def simulated(self) -> int:
        """Matches of the rings that simulate."""
        return max(1, self.matches // 3)

    @property
    def pairs(self) -> tuple[tuple[Ring, Ring], ...]:
        """The pairs of rings, the one that simulates last."""
        return (
            rings("use=none", "1998"),
            rings("use=R", "triples"),
            rings(f"use=RS,playouts={self.playouts}", "simulation"),
        )


def modelling(options: RunOptions) -> Report:
    """Play the rings and judge what the thesis found."""
    setup = ModellingSetup.of(options)
    pairs = setup.pairs
    counts = (setup.matches, setup.matches, setup.simulated)
    wanted = {ring: count for pair, count in zip(pairs, counts, strict=True) for ring in pair}
    found, seconds = play_rings(options, wanted, setup.hands, setup.seed)
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
            **{name: text for ring in pairs[0] for name, text in ring.versions.items()},
        },
        tables=tuple(_table(name, result) for name, result in found.items()),
        claims=tuple(claim for pair in pairs for claim in claims(found, *pair)),
        figures=tuple(_figures(found)) if found else (),
        seconds=seconds,
        notes=(
            "A match of n hands is played ten times with the same cards, once for each rotation of seats; "
            "who sits where is drawn anew for every match. Agents forget everything before each rotation.",
        ),
    )


def _table(name: str, result: RingResult) -> ResultTable:
    hands = result.won.shape[1]
    measures = []
    for version in result.versions:
        measures.append(Measure(version, "won", result.won_by(version)))
        if hands > 1:
            later = result.part(hands // 2, hands)
            measures.append(Measure(version, "in the second half", later.won_by(version)))
        measures += [
            Measure(version, f"less than {model}", result.difference(model, version))
            for model in (SOM, GOM)
            if model != version
        ]
    return ResultTable(f"{name}: won per hand", BETS, measures, result.sample)


def claims(found: Mapping[str, RingResult], first: Ring, second: Ring) -> Iterator[Claim]:
    """The claims of the thesis on two rings: that of five versions, and that of four styles."""
    how = first.name.partition(",")[0]
    for model in (SOM, GOM):
        condition, evidence = UNKNOWN, worded(None)
        if first.name in found:
            result = found[first.name]
            older = [version for version in first.versions if version not in (SOM, GOM)]
            gaps = {version: result.difference(model, version) for version in older}
            condition = all_of(above(gap) for gap in gaps.values())
            evidence = "; ".join(f"{gap.text()} over {name}" for name, gap in gaps.items()) + f" {BETS}"
        yield Claim.judged(f"{model} wins more than each older version ({how})", condition, evidence)
    leads = [
        found[ring.name].difference(SOM, GOM) if ring.name in found else None for ring in (first, second)
    ]
    for ring, lead in zip((first, second), leads, strict=True):
        text = f"SOM wins more than GOM ({ring.name})"
        yield Claim.judged(text, above(lead), worded(lead, unit=BETS))
    more = None if leads[0] is None or leads[1] is None else leads[1].minus(leads[0])
    text = f"SOM is further ahead of GOM where styles differ much ({how})"
    yield Claim.judged(text, above(more), worded(more, unit=BETS))


def _figures(found: Mapping[str, RingResult]) -> Iterator[Figure]:
    """Winnings over the hands of a match, and SOM's lead over GOM."""
    caption = "Win rates up to a hand of the match, with 95% intervals."
    label = "won so far, small bets per hand"
    alone = {name: {version: {version: 1.0} for version in found[name].versions} for name in found}
    yield Figure("hands", caption, tuple(_panel(name, found[name], label, alone[name]) for name in found))
    lead = {"SOM - GOM": {SOM: 1.0, GOM: -1.0}}
    label = "lead of SOM over GOM so far, sb/h"
    panels = tuple(_panel(name, result, label, lead) for name, result in found.items())
    yield Figure("lead", "How far SOM is ahead of GOM, with 95% intervals.", panels)


def _panel(name: str, result: RingResult, y_label: str, curves: Mapping[str, Mapping[str, float]]) -> Panel:
    drawn = []
    for label, weights in curves.items():
        points = [(float(hands), won) for hands, won in result.so_far(weights)]
        drawn.append(curve_of(label, points))
    return Panel(name, "hands of the match", y_label, tuple(drawn))
