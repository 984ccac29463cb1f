"""The zoo: soul and other exploiters against opponents that no settings were chosen on.

Only opponents for judging play here (`soulread.play.opponents.zoo`). The code that chooses settings is
another program, `benchmarks/choose_soul.py`, and it meets only the opponents for choosing.

Every player meets every opponent in duplicate matches, all players with the same cards. What counts is the
*gain over the equilibrium*: what a player wins more than the equilibrium does against the same opponent.
Luck is taken off by computing what the strategies of both win from each other, hand by hand
(`soulread.play.match.judges`); with ``--aivat`` by AIVAT in duplicate matches, with ``--no-aivat`` not at
all. The raw figures stand beside.
"""

from dataclasses import dataclass
from functools import cached_property

from soulread.games.named import parse_game
from soulread.play.catalogue.known import parse_agent
from soulread.play.exploiters.soul import SoulOptions
from soulread.play.match.aivat import aivat_for
from soulread.play.opponents.zoo import CARDS, ZooOpponent, equilibrium_text, zoo
from soulread.reproduce.kit.experiment import RunOptions
from soulread.reproduce.kit.limit_table import OURS_START, SHOWN
from soulread.reproduce.kit.means import average
from soulread.reproduce.kit.report import Claim, Report
from soulread.reproduce.ours.zoo_claims import (
    LEAST_SHARE,
    does_no_harm,
    gains_on_average,
    keeps_promises,
    keeps_up,
    spares_equilibria,
    stays_within,
)
from soulread.reproduce.ours.zoo_matches import EQUILIBRIUM, LuckRemoval, ZooMatches, some_of_each
from soulread.reproduce.ours.zoo_tables import DBBR, EXPLOITER, SOUL, figures_of, name_of, tables_of
from soulread.seqform.abstract import has_abstraction
from soulread.tasks import Task, in_turn

ROLES = (
    "Every opponent here is one for judging. The program that chooses settings of soul is "
    "benchmarks/choose_soul.py, and it meets only the opponents for choosing. Settings of dbbr were chosen "
    "for the experiment dbbr-table."
)


@dataclass(frozen=True)
class ZooSetup:
    """Game and sizes of the experiment."""

    game: str
    hands: int
    matches: int
    seed: int
    each: int | None  # opponents of a family at most; None: all of them
    luck: LuckRemoval

    @classmethod
    def of(cls, options: RunOptions) -> "ZooSetup":
        """In full all opponents; quick: a few of each family, in shorter and fewer matches."""
        game = parse_game(options.game or "leduc")
        if has_abstraction(game):
            sizes = options.sizes(hands=(1000, 3000), matches=(1, 3), each=(2, None))
        else:
            sizes = options.sizes(hands=(500, 1000), matches=(3, 10), each=(3, None))
        luck = {None: LuckRemoval.WORTH, True: LuckRemoval.AIVAT, False: LuckRemoval.RAW}[options.aivat]
        return cls(game.name, luck=luck, **sizes)

    @cached_property
    def opponents(self) -> tuple[ZooOpponent, ...]:
        """The opponents for judging; of a family that has too many, some that are spread over its list."""
        return some_of_each(zoo(parse_game(self.game), role="judging"), self.each)

    @cached_property
    def players(self) -> dict[str, str]:
        """The players by name: the equilibrium, soul, and the other exploiters that know the game."""
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
        """The risk budget of soul, in mb/g."""
        settings = parse_agent(self.players[SOUL]).options
        assert isinstance(settings, SoulOptions)
        return settings.risk

    @property
    def matches_of_all(self) -> ZooMatches:
        """Every player against every opponent."""
        return ZooMatches(
            self.game, self.players, self.opponents, self.hands, self.matches, self.seed, self.luck
        )

    @property
    def tasks(self) -> list[Task]:
        """Ceilings, then matches: the first of every pairing before the second of any."""
        found = self.matches_of_all
        return [*found.ceilings, *in_turn(list(found.grid.cells.values()))]


def judge_zoo(options: RunOptions) -> Report:
    """Play everybody against everybody, and judge what soul is meant to reach."""
    setup = ZooSetup.of(options)
    found, tasks = setup.matches_of_all, setup.tasks
    if not options.stored_only:  # solve once what every process needs
        game = parse_game(setup.game)
        parse_agent(setup.players[EQUILIBRIUM]).make(game, options.tell)
        if setup.luck is LuckRemoval.AIVAT:
            aivat_for(game, options.tell)
    found.grid.run(options, tasks)
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
            "luck": setup.luck.value,
            **setup.players,
        },
        tables=tuple(table for table in tables_of(found, setup.luck.value, setup.budget) if table.measures),
        claims=_claims(found, setup),
        figures=figures_of(found),
        seconds=found.grid.seconds,
        notes=(
            ROLES,
            "A mean over a family counts its opponents alike, and the mean over all counts the families "
            "alike. Its interval is about the luck in these matches, not about other opponents.",
        ),
    )


def _claims(found: ZooMatches, setup: ZooSetup) -> tuple[Claim, ...]:
    bent = found.members("bent")
    gains = {rival: found.family_gain(rival, "bent") for rival in DBBR}
    known = {rival: gain.mean for rival, gain in gains.items() if gain is not None}
    rival = max(known, key=lambda name: known[name], default=EXPLOITER)
    excess = average(found.excess(SOUL, rival, LEAST_SHARE, opponent) for opponent in bent)
    return (
        gains_on_average({family: found.family_gain(SOUL, family) for family in found.families}),
        keeps_up(rival, found.family_gain(SOUL, "bent"), found.family_gain(rival, "bent"), excess),
        does_no_harm({name_of(opponent): found.gain(SOUL, opponent) for opponent in found.opponents}),
        spares_equilibria(
            {opponent.label: found.gain(SOUL, opponent) for opponent in found.members("equilibria")}
        ),
        stays_within(
            setup.budget,
            {
                opponent.label: found.won_after_strike(SOUL, opponent)
                for opponent in found.members("deceivers")
            },
        ),
        keeps_promises(
            {
                family: kept.difference
                for family in found.families
                if (kept := found.family_kept(SOUL, family)) is not None
            }
        ),
    )
