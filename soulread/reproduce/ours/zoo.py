"""The zoo: soul and other exploiters against opponents that no settings were chosen on.

Only opponents for judging play here (`soulread.play.opponents.zoo`). The code that chooses settings is
another program, `benchmarks/choose_soul.py`, and it meets only the opponents for choosing.

Every player meets every opponent in duplicate matches, all players with the same cards. What counts is the
*gain over the equilibrium*: what a player wins more than the equilibrium does against the same opponent.
Luck is taken off by computing what the strategies of both win from each other, hand by hand
(`soulread.play.match.judges`); with ``--aivat`` by AIVAT in duplicate matches, with ``--no-aivat`` not at
all. The raw figures stand beside.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from soulread.estimate import Estimate, Unit
from soulread.games.named import parse_game
from soulread.play.agent import Agent
from soulread.play.catalogue.known import parse_agent
from soulread.play.exploiters.soul import Settings as SoulSettings
from soulread.play.match.aivat import aivat_for
from soulread.play.opponents.deceivers import DeceiverOptions
from soulread.play.opponents.person import Person
from soulread.play.opponents.rated import asked_behaviours
from soulread.play.opponents.rule_player import RulePlayer
from soulread.play.opponents.zoo import CARDS, ZooOpponent, equilibrium_text, zoo
from soulread.play.tabular import TabularAgent
from soulread.report.figures import Curve, Figure, Level, Panel
from soulread.reproduce.kit.experiment import Options
from soulread.reproduce.kit.limit_table import OURS_START, SHOWN
from soulread.reproduce.kit.report import Claim, Measure, Report, ResultTable
from soulread.reproduce.kit.verdict import Number, above, agrees, all_of, at_least
from soulread.reproduce.ours.zoo_found import Found, Kept, Luck, average, meeting_task, some_of_each
from soulread.seqform.abstract import has_abstraction
from soulread.seqform.compile import SequenceGame
from soulread.seqform.source import Source, parse_buckets, with_cards
from soulread.seqform.strategy import Behaviours, in_precision, plan_from_behaviour
from soulread.solvers.exploitability import best_response_values
from soulread.tasks import Task, Values, kept_as

EQUILIBRIUM, SOUL = "equilibrium", "soul"
DBBR = "dbbr, paper", "dbbr, ours"
EXPLOITER = DBBR[-1]
"""What regret compares with, beside the equilibrium: the best of today's exploiters on bent equilibria."""

MILLIBETS = Unit.MILLIBETS.value

LEAST_SHARE = 0.7  # of the best dbbr's gain on bent equilibria
MOST_HARM = 20.0  # mb/g below the equilibrium against any opponent
MOST_LOST = 10.0  # mb/g below the equilibrium against another equilibrium
NEAR = 50.0  # mb/g: a promise is told apart from the result to within this, or nothing is said

ROLES = (
    "Every opponent here is one for judging. The program that chooses settings of soul is "
    "benchmarks/choose_soul.py, and it meets only the opponents for choosing. Settings of dbbr were chosen "
    "for the experiment dbbr-table."
)


@dataclass(frozen=True)
class Setup:
    """Game and sizes of the experiment."""

    game: str
    hands: int
    matches: int
    seed: int
    each: int | None  # opponents of a family at most; None: all of them
    luck: Luck

    @classmethod
    def of(cls, options: Options) -> "Setup":
        """In full all opponents; quick: a few of each family, in shorter and fewer matches."""
        game = parse_game(options.game or "leduc")
        large = has_abstraction(game)
        hands = (1000 if options.quick else 3000) if large else (500 if options.quick else 1000)
        matches = (1 if options.quick else 3) if large else (3 if options.quick else 10)
        return cls(
            game=game.name,
            hands=options.hands or hands,
            matches=options.matches or matches,
            seed=options.seed,
            each=(2 if large else 3) if options.quick else None,
            luck={None: Luck.WORTH, True: Luck.AIVAT, False: Luck.RAW}[options.aivat],
        )

    @cached_property
    def opponents(self) -> tuple[ZooOpponent, ...]:
        """The opponents for judging; of a family that has too many, some that are spread over its list."""
        return some_of_each(zoo(parse_game(self.game), role="judging"), self.each)

    @cached_property
    def players(self) -> dict[str, str]:
        """Who meets them, by name: the equilibrium, soul, and the other exploiters that can sit there."""
        game = parse_game(self.game)
        large = has_abstraction(game)
        cards = f"{CARDS}," if large else ""
        every = 100 if large else 50
        texts = {
            EQUILIBRIUM: equilibrium_text(game),
            SOUL: f"soul:{CARDS}" if large else "soul",
            DBBR[0]: f"dbbr:{cards}T={min(1000, self.hands // 3)},k={every},prior=5,method=shift",
            DBBR[1]: f"dbbr:{cards}T={OURS_START},k={every},{SHOWN}",
            "dbr": f"dbr:{cards}T=200,k=400" if large else "dbr",
            "learner": "learner",
            "rwywe": "rwywe:every=10",
        }
        return {name: text for name, text in texts.items() if parse_agent(text).entry.refuses(game) is None}

    @property
    def budget(self) -> float:
        """What soul may risk, in mb/g."""
        settings = parse_agent(self.players[SOUL]).options
        assert isinstance(settings, SoulSettings)
        return settings.risk

    def match(self, player: str, opponent: ZooOpponent, number: int) -> Task:
        """Match ``number`` against an opponent, who has cards of its own and the same for every player."""
        return meeting_task(
            self.game, self.players[player], opponent, self.hands, self.seed, number, self.luck
        )

    @property
    def tasks(self) -> list[Task]:
        """Ceilings, then matches: the first of every pairing before the second of any.

        Families take turns, so that a run that is cut short has met some of each.
        """
        turns: dict[str, int] = defaultdict(int)
        ranks = {}
        for opponent in self.opponents:
            ranks[opponent] = turns[opponent.family]
            turns[opponent.family] += 1
        in_turn = sorted(ranks, key=lambda opponent: ranks[opponent])
        return [
            *(ceiling_task(self.game, opponent.agent) for opponent in in_turn),
            *(
                self.match(player, opponent, number)
                for number in range(self.matches)
                for opponent in in_turn
                for player in self.players
            ),
        ]


def ceiling_task(game: str, agent: str) -> Task:
    """A task that computes `ceiling`."""
    return Task(ceiling, {"game": game, "agent": agent})


@kept_as("soulread.reproduce.zoo:ceiling")
def ceiling(game: str, agent: str) -> Values:
    """What a best response wins from an opponent, chips per hand as a mean over the seats.

    NaN if the opponent is no table over the private states of the game, or of the abstraction `CARDS`. In
    an abstraction the best response is that over its private states.
    """
    rules = parse_game(game)
    source = with_cards(rules, parse_buckets(CARDS)) if has_abstraction(rules) else Source(rules)
    compiled = source.compile()
    behaviours = _behaviours(parse_agent(agent).make(rules), compiled)
    if behaviours is None:
        return {"ceiling": math.nan}
    first, second = (
        plan_from_behaviour(tree, in_precision(behaviour, compiled.payoff.dtype))
        for tree, behaviour in zip(compiled.trees, behaviours, strict=True)
    )
    return {"ceiling": sum(best_response_values(compiled, (first, second))) / 2}


def _behaviours(agent: Agent, game: SequenceGame) -> Behaviours | None:
    """Both seats' behaviours of an opponent who never changes; None if they are not known in ``game``."""
    if isinstance(agent, TabularAgent):
        behaviours = agent.strategy.behaviours
        sizes = tuple(tree.num_sequences for tree in game.trees)
        return behaviours if tuple(behaviour.size for behaviour in behaviours) == sizes else None
    if isinstance(agent, RulePlayer | Person) and not game.abstract:
        return asked_behaviours(agent, game)
    return None


def judge_zoo(options: Options) -> Report:
    """Play everybody against everybody, and judge what soul is meant to reach."""
    setup = Setup.of(options)
    tasks = setup.tasks
    if not options.stored_only:
        _prepare(setup, options)
    results = list(options.run(tasks))
    found = Found(setup.game, setup.hands, setup.players, setup.opponents, results)
    luck = setup.luck.value
    tables = [
        _by_opponent(found, luck),
        _by_family(found, luck),
        *([_by_family(found, "raw", raw=True)] if found.luckless else []),
        _worst(found, luck),
        _shares(found),
        _regrets(found),
        _losses(found, setup),
        _promises(found),
    ]
    return Report(
        name=f"zoo-{setup.game.replace(':', '-')}",
        title=f"soul and other exploiters against the zoo of {setup.game}",
        source="our own: opponents for judging, on which no settings were chosen",
        settings={
            "game": setup.game,
            "opponents": len(setup.opponents),
            "matches": setup.matches,
            "hands": setup.hands,
            "seed": setup.seed,
            "luck": luck,
            **setup.players,
        },
        tables=tuple(table for table in tables if table.measures),
        claims=_claims(found, setup),
        figures=_figures(found),
        seconds=sum(result.seconds for result in results),
        notes=(
            ROLES,
            "A mean over a family counts its opponents alike, and the mean over all counts the families "
            "alike. Its interval is about the luck in these matches, not about other opponents.",
        ),
    )


def _prepare(setup: Setup, options: Options) -> None:
    """Solve once what every process needs."""
    game = parse_game(setup.game)
    parse_agent(setup.players[EQUILIBRIUM]).make(game, options.tell)
    if setup.luck is Luck.AIVAT:
        aivat_for(game, options.tell)


# Tables: mb/g unless they say otherwise


def _others(found: Found) -> list[str]:
    """The players who are compared with the equilibrium."""
    return [player for player in found.players if player != EQUILIBRIUM]


def family_gain(found: Found, player: str, family: str, raw: bool = False) -> Estimate | None:
    """The mean gain over the equilibrium against the opponents of a family."""
    return average(found.gain(player, opponent, raw=raw) for opponent in found.members(family))


def _by_opponent(found: Found, luck: str) -> ResultTable:
    measures = [
        Measure(_name(opponent), player, found.gain(player, opponent))
        for opponent in found.opponents
        for player in _others(found)
    ]
    note = "What a player won more than the equilibrium against the same opponent with the same cards."
    return ResultTable(
        f"gain over the equilibrium by opponent, {luck}",
        MILLIBETS,
        tuple(measures),
        found.sample,
        note,
        digits=0,
    )


def _by_family(found: Found, luck: str, raw: bool = False) -> ResultTable:
    measures = []
    for family in found.families:
        row = f"{family} ({_met(found, family)})"
        won = average(found.won(EQUILIBRIUM, opponent, raw=raw) for opponent in found.members(family))
        measures.append(Measure(row, "the equilibrium won", won))
        measures += [
            Measure(row, player, family_gain(found, player, family, raw)) for player in _others(found)
        ]
    measures += [
        Measure(
            f"all {len(found.families)} families",
            player,
            average(family_gain(found, player, family, raw) for family in found.families),
        )
        for player in _others(found)
    ]
    return ResultTable(
        f"mean gain over the equilibrium by family, {luck}",
        MILLIBETS,
        tuple(measures),
        found.sample,
        "In brackets the number of opponents.",
        digits=1,
    )


def _met(found: Found, family: str) -> str:
    """How many opponents of a family soul has met: "3", or "1 of 3" in a run that is not finished."""
    members = found.members(family)
    met = sum(found.gain(SOUL, opponent) is not None for opponent in members)
    return f"{met}" if met == len(members) else f"{met} of {len(members)}"


def worst_opponent(found: Found, player: str, family: str | None = None) -> ZooOpponent | None:
    """The opponent with the least gain, of a family or of all; None if nobody was met."""
    gains = {
        opponent: gain.mean
        for opponent in (found.opponents if family is None else found.members(family))
        if (gain := found.gain(player, opponent)) is not None
    }
    return min(gains, key=lambda opponent: gains[opponent], default=None)


def _worst(found: Found, luck: str) -> ResultTable:
    measures = []
    places = [(SOUL, family) for family in found.families]
    for player, family in [*places, *((player, None) for player in _others(found))]:
        opponent = worst_opponent(found, player, family)
        if opponent is None:
            continue
        row = f"{player}: {_name(opponent)}"
        if family is None:
            row = f"worst of all for {row}"
        measures += [
            Measure(row, "gain", found.gain(player, opponent)),
            Measure(row, "won", found.won(player, opponent)),
            Measure(row, "equilibrium", found.won(EQUILIBRIUM, opponent)),
        ]
    return ResultTable(f"the worst opponents, {luck}", MILLIBETS, tuple(measures), found.sample, digits=1)


def _shares(found: Found) -> ResultTable:
    measures = [
        Measure(f"{family} ({known})", player, None if share is None else 100 * share)
        for family in found.families
        if (known := sum(found.ceiling(opponent) is not None for opponent in found.members(family)))
        for player in found.players
        for share in (found.share(player, family),)
    ]
    return ResultTable(
        "share of what a best response wins",
        "%",
        tuple(measures),
        note="In brackets the number of opponents whose best response is known; in limit hold'em it is that "
        "of the abstraction. No share where it wins next to nothing.",
        digits=0,
    )


def _regrets(found: Found) -> ResultTable:
    measures = [
        Measure(
            family,
            player,
            average(found.regret(player, EXPLOITER, opponent) for opponent in found.members(family)),
        )
        for family in found.families
        for player in found.players
    ]
    return ResultTable(
        f"regret against the better of equilibrium and {EXPLOITER!r}, chosen afterwards",
        MILLIBETS,
        tuple(measures),
        found.sample,
        "What the one that did better against an opponent won more. Below zero: the player beat both.",
        digits=1,
    )


def struck(opponent: ZooOpponent) -> int | None:
    """The hand, counted from 0, in which a deceiver strikes; None for any other opponent."""
    options = parse_agent(opponent.agent).options
    return options.hands if isinstance(options, DeceiverOptions) else None


def after_strike(found: Found, player: str, opponent: ZooOpponent) -> Estimate | None:
    """What a player won from a deceiver after it struck; None if the match is too short."""
    first = struck(opponent)
    return None if first is None else found.won(player, opponent, first=first)


def _losses(found: Found, setup: Setup) -> ResultTable:
    measures = []
    players = [player for player in (EQUILIBRIUM, SOUL, EXPLOITER, "dbr") if player in found.players]
    for family in ("equilibria", "deceivers"):
        for opponent in found.members(family):
            row = _name(opponent)
            measures += [Measure(row, player, found.won(player, opponent)) for player in players]
            if family == "deceivers":
                measures += [
                    Measure(f"{row}, struck", player, after_strike(found, player, opponent))
                    for player in players
                ]
    return ResultTable(
        "won from other equilibria and from deceivers",
        MILLIBETS,
        tuple(measures),
        found.sample,
        f"Struck: in the hands after the strike. The budget of soul is {setup.budget:.0f} {MILLIBETS}.",
        digits=1,
    )


def family_kept(found: Found, player: str, family: str) -> Kept | None:
    """Promise and result of a player as means over a family; None if it promised nothing there."""
    parts = [kept for opponent in found.members(family) if (kept := found.kept(player, opponent))]
    if not parts:
        return None
    return Kept(
        Estimate.average([part.promised for part in parts]),
        Estimate.average([part.won for part in parts]),
        Estimate.average([part.difference for part in parts]),
        sum(part.promising for part in parts) / len(parts),
    )


def _promises(found: Found) -> ResultTable:
    measures = []
    for player in _others(found):
        for family in found.families:
            kept = family_kept(found, player, family)
            if kept is not None:
                row = f"{player}: {family}"
                measures += [
                    Measure(row, "promised", kept.promised),
                    Measure(row, "won", kept.won),
                    Measure(row, "won less promised", kept.difference),
                    Measure(row, "hands with a promise, %", 100 * kept.promising),
                ]
    return ResultTable(
        "gain over the equilibrium, promised and won, in hands with a promise",
        MILLIBETS,
        tuple(measures),
        found.sample,
        digits=0,
    )


# Claims


def _claims(found: Found, setup: Setup) -> tuple[Claim, ...]:
    bent = [family for family in found.families if family == "bent"]
    rivals = {
        rival: gain.mean
        for rival in DBBR
        for family in bent
        if (gain := family_gain(found, rival, family)) is not None
    }
    rival = max(rivals, key=lambda name: rivals[name], default=EXPLOITER)
    gain, theirs = (average(family_gain(found, who, family) for family in bent) for who in (SOUL, rival))
    excess = average(found.excess(SOUL, rival, LEAST_SHARE, opponent) for opponent in found.members("bent"))
    return (
        gains_on_average({family: family_gain(found, SOUL, family) for family in found.families}),
        keeps_up(rival, gain, theirs, excess),
        does_no_harm({_name(opponent): found.gain(SOUL, opponent) for opponent in found.opponents}),
        spares_equilibria(
            {opponent.label: found.gain(SOUL, opponent) for opponent in found.members("equilibria")}
        ),
        stays_within(
            setup.budget,
            {opponent.label: after_strike(found, SOUL, opponent) for opponent in found.members("deceivers")},
        ),
        keeps_promises(
            {
                family: kept.difference
                for family in found.families
                if (kept := family_kept(found, SOUL, family)) is not None
            }
        ),
    )


def gains_on_average(families: Mapping[str, Estimate | None]) -> Claim:
    """Claim that soul gains over the equilibrium in the mean over the families, whose gains are in mb/g."""
    mean = average(families.values())
    return Claim.judged(
        "soul wins more than the equilibrium, as a mean over the families",
        above(mean),
        f"{_text(mean)} {MILLIBETS}; {_listed(families)}",
    )


def keeps_up(rival: str, gain: Estimate | None, theirs: Estimate | None, excess: Estimate | None) -> Claim:
    """Claim that soul has 70% of a rival's gain on bent equilibria; ``excess`` is what it has beyond that.

    All in mb/g, as means over the family.
    """
    share = ""
    if gain is not None and theirs is not None and theirs.mean > 0:
        share = f", {gain.mean / theirs.mean:.0%}"
    return Claim.judged(
        f"On bent equilibria soul gains at least {LEAST_SHARE:.0%} of what the best dbbr does ({rival})",
        at_least(excess),
        f"{_text(gain)} of {_text(theirs)}{share}; beyond {LEAST_SHARE:.0%} {_text(excess)} {MILLIBETS}",
    )


def does_no_harm(gains: Mapping[str, Estimate | None]) -> Claim:
    """Claim that against no opponent soul wins 20 mb/g less than the equilibrium; gains in mb/g.

    The end of each interval that is worst for soul must be above that.
    """
    return Claim.judged(
        f"Against no opponent is soul more than {MOST_HARM:.0f} {MILLIBETS} below the equilibrium",
        all_of(at_least(gain, -MOST_HARM) for gain in gains.values()),
        _lowest(gains, -MOST_HARM),
    )


def spares_equilibria(gains: Mapping[str, Estimate | None]) -> Claim:
    """Claim that soul loses at most 10 mb/g by its reads of other equilibria; gains over its own in mb/g.

    Its own equilibrium loses nothing to another one of the same game.
    """
    return Claim.judged(
        f"Reading other equilibria costs soul at most {MOST_LOST:.0f} {MILLIBETS}, against each of them",
        all_of(at_least(gain, -MOST_LOST) for gain in gains.values()),
        _lowest(gains, -MOST_LOST),
    )


def stays_within(budget: float, won: Mapping[str, Estimate | None]) -> Claim:
    """Claim that no deceiver wins more than the budget after its strike; what soul won, in mb/g."""
    return Claim.judged(
        f"After their strike deceivers win at most the budget of {budget:.0f} {MILLIBETS} from soul",
        all_of(at_least(each, -budget) for each in won.values()),
        _lowest(won, -budget),
    )


def keeps_promises(differences: Mapping[str, Number]) -> Claim:
    """Claim that promise and result agree in every family; what was won less what was promised, mb/g.

    An interval without zero speaks against it, one with zero and within 50 mb/g for it.
    """
    return Claim.judged(
        f"What soul promised and what it won agree in every family, to within {NEAR:.0f} {MILLIBETS}",
        all_of(agrees(each, NEAR) for each in differences.values()),
        f"won less promised: {_listed(differences)} {MILLIBETS}" if differences else "nothing was promised",
    )


def _text(number: Number) -> str:
    if number is None:
        return "not measured"
    return number.text(1) if isinstance(number, Estimate) else f"{number:.1f}"


def _listed(numbers: Mapping[str, Number]) -> str:
    return ", ".join(f"{name} {_text(number)}" for name, number in numbers.items()) or "not measured"


def _lowest(numbers: Mapping[str, Estimate | None], bound: float) -> str:
    """How many intervals are on which side of a bound, and the lowest mean."""
    known = {name: number for name, number in numbers.items() if number is not None}
    if not known:
        return "not measured"
    clear = sum(number.interval[0] >= bound for number in known.values())
    below = sum(number.interval[1] < bound for number in known.values())
    worst = min(known, key=lambda name: known[name].mean)
    return (
        f"of {len(numbers)}, {clear} with the whole interval above {bound:.0f}, {below} below it; the least: "
        f"{worst} {_text(known[worst])} {MILLIBETS}"
    )


def _name(opponent: ZooOpponent) -> str:
    return f"{opponent.family}: {opponent.label}"


# Figures


def _figures(found: Found) -> tuple[Figure, ...]:
    figures = []
    gains = [panel for family in found.families if (panel := _gain_panel(found, family)).curves]
    if gains:
        figures.append(
            Figure(
                "gains",
                "Gain over the equilibrium by opponent, with 95% intervals; each family in the order of what "
                "soul gains.",
                tuple(gains),
            )
        )
    promises = [
        panel
        for player in (SOUL, EXPLOITER)
        if player in found.players and len((panel := _promise_panel(found, player)).curves) > 1
    ]
    if promises:
        figures.append(
            Figure(
                "promises",
                "Promised and won, a point for each opponent, with 95% intervals.",
                tuple(promises),
            )
        )
    return tuple(figures)


def _gain_panel(found: Found, family: str) -> Panel:
    shown = [player for player in (SOUL, EXPLOITER, "dbr", DBBR[0]) if player in found.players]
    gains = {
        opponent: gain
        for opponent in found.members(family)
        if (gain := found.gain(SOUL, opponent)) is not None
    }
    order = sorted(gains, key=lambda opponent: gains[opponent].mean)
    curves = []
    for i, player in enumerate(shown):
        points = [
            (number + 0.18 * (i - (len(shown) - 1) / 2), gain)
            for number, opponent in enumerate(order)
            if (gain := found.gain(player, opponent)) is not None
        ]
        if points:
            curves.append(_points(player, [x for x, _ in points], [gain for _, gain in points]))
    return Panel(
        family,
        "opponents, by what soul gains",
        f"gain over the equilibrium, {MILLIBETS}",
        tuple(curves),
        (Level("equilibrium", 0.0),),
        names=tuple(opponent.label for opponent in order),
    )


def _promise_panel(found: Found, player: str) -> Panel:
    curves, means = [], []
    for family in found.families:
        parts = [kept for opponent in found.members(family) if (kept := found.kept(player, opponent))]
        if parts:
            promised = [part.promised.mean for part in parts]
            means += promised
            curves.append(_points(family, promised, [part.won for part in parts]))
    ends = min([0.0, *means]), max([0.0, *means])
    return Panel(
        player,
        f"promised gain over the equilibrium, {MILLIBETS}",
        f"won, {MILLIBETS}",
        (*curves, Curve("as promised", ends, ends)),
    )


def _points(label: str, x: Sequence[float], estimates: Sequence[Estimate]) -> Curve:
    """Points with intervals; without, if one has a single sample only."""
    curve = Curve(label, tuple(x), tuple(estimate.mean for estimate in estimates), points=True)
    if any(estimate.n < 2 for estimate in estimates):
        return curve
    ends = [estimate.interval for estimate in estimates]
    return replace(curve, low=tuple(low for low, _ in ends), high=tuple(high for _, high in ends))
