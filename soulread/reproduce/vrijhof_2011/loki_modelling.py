"""Loki with and without models of opponents, in rings of ten (Billings, Papp, Schaeffer & Szafron 1998).

Section III of the thesis tells of five versions of Loki at one table. Three are older: tight, medium and
loose players who take everybody for a usual player. GOM reads what each opponent does by the habits of a
usual player, SOM by the opponent's own habits. The thesis prints no numbers. Its findings are that both beat
the older versions by far, and that SOM is further ahead of GOM where styles differ much.

*Rings.*

    five versions     two of each version, as in 1998
    style for style   SOM, GOM and the older version, each tight, medium and loose (ours)
    four styles       one SOM, one GOM, and two of each of four styles, all older versions
    extremes          one SOM, one GOM, and two of each of four players who are no Lokis and differ much more

Before the flop models change nothing: Loki's bars are its style's. So the tight version is ahead of the
others by its style alone, whatever it believes. What a model is worth is told style for style.

The Lokis of a ring bet alike, so that only models and styles differ. There are three sets of rings:

    1998         rules, and tables re-weighted by thresholds (``use=none``): what Loki had in 1998
    triples      rules, and tables re-weighted by triples (``use=R``)
    simulation   tables re-weighted by triples, and simulation (``use=RS``), where more depends on the models:
                 play-outs also ask them what the others will do
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from soulread.estimate import Estimate, Unit
from soulread.report.figures import Figure, Panel
from soulread.reproduce.kit.experiment import RunOptions
from soulread.reproduce.kit.figures import curve_of
from soulread.reproduce.kit.report import Claim, Measure, Report, ResultTable, worded
from soulread.reproduce.kit.rings import Ring, RingResult, play_rings
from soulread.reproduce.kit.verdict import UNKNOWN, above, all_of

SOM, GOM = "SOM", "GOM"
BY_STYLE = "tight", "medium", "loose"
OLD = tuple(f"old {style}" for style in BY_STYLE)
STYLES = "tight-passive", "tight-aggressive", "loose-passive", "loose-aggressive"
EXTREMES = "always-call", "random", "plain:style=tight-passive", "plain:style=loose-aggressive"
SOURCE = (
    "Opponent modelling in poker (thesis), section III, on Billings, Papp, Schaeffer & Szafron, "
    "Opponent Modeling in Poker, AAAI 1998 (no numbers in the thesis)"
)
BETS = Unit.SMALL_BETS.value


class RingSet(NamedTuple):
    """The rings in which all Lokis bet alike."""

    name: str
    versions: Ring  # that of 1998
    by_style: Ring
    styles: Ring
    extremes: Ring

    @property
    def rings(self) -> tuple[Ring, ...]:
        """All of them."""
        return self.versions, self.by_style, self.styles, self.extremes


def rings(use: str, name: str) -> RingSet:
    """The rings whose Lokis bet by ``use``."""
    models = {SOM: f"loki:model=som,{use}", GOM: f"loki:model=gom,{use}"}
    old = {version: f"loki:model=old,{use},style={version.removeprefix('old ')}" for version in OLD}
    alike = {
        f"{model} {style}": f"loki:model={model.lower()},{use},style={style}"
        for model in (SOM, GOM)
        for style in BY_STYLE
    }
    styles = {style: f"loki:model=old,{use},style={style}" for style in STYLES}
    extremes = {text: text for text in EXTREMES}
    return RingSet(
        name,
        Ring(f"{name}, five versions", {**models, **old}, (SOM, GOM, *OLD) * 2),
        Ring(f"{name}, style for style", {**alike, **old}, (*alike, *OLD)),
        Ring(f"{name}, four styles", {**models, **styles}, (SOM, GOM, *STYLES * 2)),
        Ring(f"{name}, extremes", {**models, **extremes}, (SOM, GOM, *EXTREMES * 2)),
    )


def style_for_style(model: str, other: str) -> dict[str, float]:
    """Weights of versions: how much more a model wins than another one, as a mean over styles."""
    share = 1 / len(BY_STYLE)
    return {f"{name} {style}": sign * share for name, sign in ((model, 1), (other, -1)) for style in BY_STYLE}


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
    def sets(self) -> tuple[RingSet, ...]:
        """The sets of rings, the one that simulates last."""
        return (
            rings("use=none", "1998"),
            rings("use=R", "triples"),
            rings(f"use=RS,playouts={self.playouts}", "simulation"),
        )


def modelling(options: RunOptions) -> Report:
    """Play the rings and judge what the thesis found."""
    setup = ModellingSetup.of(options)
    sets = setup.sets
    counts = (setup.matches, setup.matches, setup.simulated)
    wanted = {ring: count for one, count in zip(sets, counts, strict=True) for ring in one.rings}
    found, seconds = play_rings(options, wanted, setup.hands, setup.seed)
    return Report(
        name="loki-modelling",
        title="models of opponents in rings of ten",
        source=SOURCE,
        settings={
            "matches": setup.matches,
            "matches with simulation": setup.simulated,
            "hands": setup.hands,
            "rotations": "as many as seats",
            "play-outs": setup.playouts,
            "seed": setup.seed,
            **{name: text for ring in sets[0].rings for name, text in ring.versions.items() if name != text},
        },
        tables=tuple(_table(name, result) for name, result in found.items()),
        claims=tuple(claim for one in sets for claim in claims(found, one)),
        figures=tuple(_figures(found)) if found else (),
        seconds=seconds,
        notes=(
            "A match of n hands is played with the same cards once for each rotation of seats; who sits "
            "where is drawn anew for every match. Agents forget everything before each rotation.",
            "Style for style: SOM, GOM and the older version, each as a mean over tight, medium and loose.",
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
            if model in result.versions and model != version
        ]
    if SOM not in result.versions:
        measures += [
            Measure(
                f"{model} less {other}, style for style",
                "won",
                result.estimate(style_for_style(model, other)),
            )
            for model, other in ((SOM, "old"), (GOM, "old"), (SOM, GOM))
        ]
    return ResultTable(f"{name}: won per hand", BETS, measures, result.sample)


def claims(found: Mapping[str, RingResult], one: RingSet) -> Iterator[Claim]:
    """The claims of the thesis on a set of rings."""
    how = one.name
    for model in (SOM, GOM):
        more = None
        if one.by_style.name in found:
            more = found[one.by_style.name].estimate(style_for_style(model, "old"))
        text = f"{model} wins more than the older version of its style ({how})"
        yield Claim.judged(text, above(more), worded(more, unit=BETS))
    for model in (SOM, GOM):
        condition, evidence = UNKNOWN, worded(None)
        if one.versions.name in found:
            result = found[one.versions.name]
            older = [version for version in one.versions.versions if version not in (SOM, GOM)]
            gaps = {version: result.difference(model, version) for version in older}
            condition = all_of(above(gap) for gap in gaps.values())
            evidence = "; ".join(f"{gap.text()} over {name}" for name, gap in gaps.items()) + f" {BETS}"
        yield Claim.judged(f"{model} wins more than each older version ({how})", condition, evidence)
    leads: dict[str, Estimate | None] = {}
    for ring in (one.versions, one.styles, one.extremes):
        lead = leads[ring.name] = found[ring.name].difference(SOM, GOM) if ring.name in found else None
        text = f"SOM wins more than GOM ({ring.name})"
        yield Claim.judged(text, above(lead), worded(lead, unit=BETS))
    for ring, where in ((one.styles, "styles differ"), (one.extremes, "they differ very much")):
        usual, lead = leads[one.versions.name], leads[ring.name]
        more = None if usual is None or lead is None else lead.minus(usual)
        text = f"SOM is further ahead of GOM where {where} ({how})"
        yield Claim.judged(text, above(more), worded(more, unit=BETS))


def _figures(found: Mapping[str, RingResult]) -> Iterator[Figure]:
    """Winnings over the hands of a match, and SOM's lead over GOM."""
    caption = "Win rates up to a hand of the match, with 95% intervals."
    label = "won so far, small bets per hand"
    alone = {name: {version: {version: 1.0} for version in found[name].versions} for name in found}
    yield Figure("hands", caption, tuple(_panel(name, found[name], label, alone[name]) for name in found))
    label = "lead of SOM over GOM so far, sb/h"
    panels = tuple(
        _panel(name, result, label, {"SOM - GOM": _lead(result)}) for name, result in found.items()
    )
    yield Figure("lead", "How far SOM is ahead of GOM, with 95% intervals.", panels)


def _lead(result: RingResult) -> dict[str, float]:
    """Weights of versions that make SOM's lead over GOM."""
    return {SOM: 1.0, GOM: -1.0} if SOM in result.versions else style_for_style(SOM, GOM)


def _panel(name: str, result: RingResult, y_label: str, curves: Mapping[str, Mapping[str, float]]) -> Panel:
    drawn = []
    for label, weights in curves.items():
        points = [(float(hands), won) for hands, won in result.so_far(weights)]
        drawn.append(curve_of(label, points))
    return Panel(name, "hands of the match", y_label, tuple(drawn))
