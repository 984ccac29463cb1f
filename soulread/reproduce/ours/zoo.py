"""The zoo: soul and other exploiters against opponents that no settings were chosen on.

Only opponents for judging play here (`soulread.play.opponents.zoo`). The code that chooses settings is
another program, `benchmarks/choose_soul.py`, and it meets only the opponents for choosing.

Every player meets every opponent, all players with the same cards. What counts is the *gain over the
equilibrium*: what a player wins more than the equilibrium does against the same opponent. Luck is taken off
by computing what the strategies of both win from each other, hand by hand (`soulread.play.match.judges`);
with ``--aivat`` by AIVAT in duplicate matches, with ``--no-aivat`` not at all.

In limit hold'em deceivers strike, and changing opponents change, after 1,000 hands. Matches with these two
families are twice as long as the others.
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from soulread.errors import SoulreadError
from soulread.estimate import Estimate
from soulread.games.named import parse_game
from soulread.play.catalogue.known import parse_agent
from soulread.play.exploiters.soul import SoulOptions
from soulread.play.match.aivat import aivat_for
from soulread.play.match.judges import LuckRemoval
from soulread.play.opponents.zoo import CARDS, ZooOpponent, equilibrium_text, zoo
from soulread.reproduce.kit.experiment import RunOptions
from soulread.reproduce.kit.limit_table import OURS_START, SHOWN
from soulread.reproduce.kit.matches import VERSION
from soulread.reproduce.kit.report import Claim, Report
from soulread.reproduce.ours.zoo_claims import (
    LEAST_SHARE,
    TIMES,
    does_no_harm,
    gains_on_average,
    harms_in_no_family,
    keeps_promises,
    keeps_up,
    learns_faster,
    promises_closely,
    spares_equilibria,
    stays_within,
)
from soulread.reproduce.ours.zoo_curves import curves_of
from soulread.reproduce.ours.zoo_matches import (
    EQUILIBRIUM,
    LEARNING,
    MOVING,
    WINDOWS,
    ZooMatches,
    pooled,
    some_of_each,
)
from soulread.reproduce.ours.zoo_records import KeptMatches, Records, joined, relabelled
from soulread.reproduce.ours.zoo_tables import DBBR, EXPLOITER, SOUL, figures_of, name_of, tables_of
from soulread.seqform.abstract import has_abstraction
from soulread.tasks import Task, in_turn

ROLES = (
    "Every opponent here is one for judging. The program that chooses settings of soul is "
    "benchmarks/choose_soul.py, and it meets only the opponents for choosing. Settings of dbbr were chosen "
    "for the experiment dbbr-table."
)
LONGER = "changing", "deceivers"  # families whose matches are twice as long in limit hold'em


@dataclass(frozen=True)
class ZooSetup:
    """Game and sizes of the experiment."""

    game: str
    hands: int
    matches: int
    seed: int
    each: int | None  # opponents of a family at most; None: all of them
    luck: LuckRemoval
    longer: tuple[str, ...] = ()  # families whose matches are twice as long
    named: tuple[str, ...] = ()  # the only players beside the equilibrium; empty: all
    only: tuple[str, ...] = ()  # families or labels of opponents that are played at all; empty: all
    kept: KeptMatches | None = None
    beside: tuple[tuple[str, KeptMatches], ...] = ()  # results of other versions of soul, by label

    @classmethod
    def of(cls, options: RunOptions) -> "ZooSetup":
        """In full all opponents; quick: a few of each family, in shorter and fewer matches."""
        game = parse_game(options.game or "leduc")
        if has_abstraction(game):
            sizes = options.sizes(hands=(300, 1000), matches=(1, 1), each=(2, None))
        else:
            sizes = options.sizes(hands=(500, 1000), matches=(3, 10), each=(3, None))
        luck = {None: LuckRemoval.WORTH, True: LuckRemoval.AIVAT, False: LuckRemoval.RAW}[options.aivat]
        kept = _read_kept(options, game.name, luck)
        if kept is not None and options.matches is None:
            sizes["matches"] = max(sizes["matches"], kept.matches)
        setup = cls(
            game.name,
            luck=luck,
            longer=LONGER if has_abstraction(game) and options.hands is None and not options.quick else (),
            named=options.players,
            only=options.only,
            kept=kept,
            beside=tuple(_read_beside(text, game.name) for text in options.beside),
            **sizes,
        )
        setup.verify()
        return setup

    def verify(self) -> None:
        """Raise unless all players and opponents that are named exist."""
        for name in self.named:
            if name not in self._every_player:
                known = ", ".join(repr(player) for player in self._every_player)
                raise SoulreadError(f"{name!r} does not play in the zoo of {self.game}; known are {known}")
        there = {text for opponent in self.opponents for text in (opponent.family, opponent.label)}
        for text in self.only:
            if text not in there:
                raise SoulreadError(f"{text!r} is neither a family nor an opponent of the zoo of {self.game}")
        taken = {label for label, _ in self.beside} & set(self._every_player)
        if taken:
            raise SoulreadError(
                f"{min(taken)!r} is a player of the zoo; results beside it need another label"
            )

    @cached_property
    def opponents(self) -> tuple[ZooOpponent, ...]:
        """The opponents for judging; of a family that has too many, some that are spread over its list."""
        return some_of_each(zoo(parse_game(self.game), role="judging"), self.each)

    @cached_property
    def players(self) -> dict[str, str]:
        """The players by name: the equilibrium, soul, and the other exploiters that know the game."""
        wanted = (EQUILIBRIUM, *(self.named or self._every_player))
        return {name: text for name, text in self._every_player.items() if name in wanted}

    @cached_property
    def _every_player(self) -> dict[str, str]:
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
        settings = parse_agent(self.players.get(SOUL, SOUL)).options
        assert isinstance(settings, SoulOptions)
        return settings.risk

    @cached_property
    def matches_of_all(self) -> ZooMatches:
        """Every player against every opponent."""
        limits = {} if self.kept is None else self.kept.limits
        return ZooMatches(
            self.game,
            self.players,
            self.opponents,
            self.hands,
            self.matches,
            self.seed,
            self.luck,
            longer=dict.fromkeys(self.longer, 2 * self.hands),
            kept=self._records,
            limits=limits,
            budget=self.budget,
        )

    @property
    def _records(self) -> Records:
        """The matches of files: of our players only those of the right length."""
        long = {opponent.agent: 1 + (opponent.family in self.longer) for opponent in self.opponents}
        own: Records = {
            (player, agent): [record for record in found if record.hands == self.hands * long[agent]]
            for (player, agent), found in (self.kept.records if self.kept is not None else {}).items()
            if player in self.players and agent in long
        }
        others = [relabelled(kept, SOUL, label) for label, kept in self.beside]
        beside: Records = {place: found for place, found in joined(others).items() if place[1] in long}
        return {place: found for place, found in (own | beside).items() if found}

    @property
    def tasks(self) -> list[Task]:
        """Limits, then matches: the first of every pairing before the second of any."""
        found = self.matches_of_all
        chosen = {
            opponent.agent
            for opponent in self.opponents
            if not self.only or opponent.family in self.only or opponent.label in self.only
        }
        cells = [tasks for (_, agent), tasks in found.missing.items() if agent in chosen]
        return [*found.ceilings, *(in_turn(cells) if cells else ())]


def _read_kept(options: RunOptions, game: str, luck: LuckRemoval) -> KeptMatches | None:
    """The file of matches that need not be played again; None if there is none yet."""
    if options.kept is None:
        return None
    if luck is not LuckRemoval.WORTH:
        raise SoulreadError("matches are kept in files with the strategies valued; leave out --aivat")
    path = Path(options.kept)
    if not path.exists():
        return None
    kept = KeptMatches.read(path)
    if (kept.game, kept.seed) != (game, options.seed):
        raise SoulreadError(
            f"{str(path)!r} holds matches of {kept.game} with seed {kept.seed}, not of {game} with seed "
            f"{options.seed}"
        )
    if kept.version != VERSION and not options.stored_only:
        raise SoulreadError(
            f"{str(path)!r} holds matches of version {kept.version}, and agents of version {VERSION} play "
            "differently; choose another file, or report on it with --finished"
        )
    return kept


def _read_beside(text: str, game: str) -> tuple[str, KeptMatches]:
    """``"LABEL=FILE"``: results of another version of soul."""
    label, equals, path = text.partition("=")
    if not label or not equals or not path:
        raise SoulreadError(f"{text!r} names no results to stand beside; write LABEL=FILE")
    kept = KeptMatches.read(Path(path))
    if kept.game != game:
        raise SoulreadError(f"{path!r} holds matches of {kept.game}, not of {game}")
    return label, kept


def judge_zoo(options: RunOptions) -> Report:
    """Play everybody against everybody, and judge what soul is meant to reach."""
    setup = ZooSetup.of(options)
    found, tasks = setup.matches_of_all, setup.tasks
    if not options.stored_only and tasks:  # solve once what every process needs
        game = parse_game(setup.game)
        parse_agent(setup.players[EQUILIBRIUM]).make(game, options.tell)
        if setup.luck is LuckRemoval.AIVAT:
            aivat_for(game, options.tell)
    version = VERSION if setup.kept is None else setup.kept.version
    found.grid.run(options, tasks if version == VERSION else ())
    _keep(found, setup, options)
    former = [label for label, _ in setup.beside]
    return Report(
        name=f"zoo-{setup.game.replace(':', '-')}",
        title=f"soul and other exploiters against the zoo of {setup.game}",
        source="our own: opponents for judging, on which no settings were chosen",
        settings={
            "game": setup.game,
            "opponents": len(setup.opponents),
            "matches": setup.matches,
            "hands": setup.hands,
            **{f"hands, {family}": 2 * setup.hands for family in setup.longer},
            "seed": setup.seed,
            "version": version,
            "luck": setup.luck.value,
            **setup.players,
        },
        tables=tuple(table for table in tables_of(found, setup.budget, former) if table.measures),
        claims=_claims(found, setup),
        figures=(*curves_of(found, SOUL, former), *figures_of(found)),
        seconds=found.seconds,
        notes=(
            ROLES,
            "A mean over a family counts its opponents alike, and the mean over all counts the families "
            "alike. A match is one sample. With several matches for each opponent intervals are about the "
            "luck in these matches, not about other opponents; with one match each the samples are the "
            "opponents of a family.",
            "The equilibrium is valued against the strategy that the opponent played in the same hand; only "
            f"the {LEARNING} opponents meet it in matches of its own.",
        ),
    )


def _keep(found: ZooMatches, setup: ZooSetup, options: RunOptions) -> None:
    """Write the file of kept matches, if there is anything new."""
    if options.kept is None:
        return
    if setup.kept is None and not found.records:
        raise SoulreadError(f"{options.kept!r} does not exist, and no match of this experiment is finished")
    if setup.kept is None or found.grid.results:
        found.keep(VERSION).write(Path(options.kept))


def _claims(found: ZooMatches, setup: ZooSetup) -> tuple[Claim, ...]:
    families = {family: found.family_gain(SOUL, family) for family in found.families}
    tenths = {
        f"{family}, tenth {tenth}": less
        for family in found.families
        for tenth, less in found.less_promised(SOUL, family).items()
    }
    claims = [gains_on_average(families)]
    if set(DBBR) <= set(found.players):
        claims.append(_keeps_up(found))
    claims += [
        does_no_harm(
            {name_of(opponent): found.gain(SOUL, opponent, after_look=True) for opponent in found.opponents}
        ),
        spares_equilibria(_at_any_time(found), min(MOVING, setup.hands)),
        stays_within(setup.budget, _after_strikes(found)),
        keeps_promises(tenths),
        promises_closely(tenths),
        harms_in_no_family(families),
    ]
    for label, _ in setup.beside:
        claims += [
            learns_faster(
                label,
                window.after,
                {
                    family: pooled(
                        found.excess(SOUL, label, TIMES, opponent, window)
                        for opponent in found.members(family)
                    )
                    for family in found.families
                },
                *(
                    {family: found.gain_in(player, family, window) for family in found.families}
                    for player in (SOUL, label)
                ),
            )
            for window in WINDOWS[:2]
        ]
    return tuple(claims)


def _keeps_up(found: ZooMatches) -> Claim:
    """The claim on soul and the better dbbr."""
    bent = found.members("bent")
    gains = {rival: found.family_gain(rival, "bent") for rival in DBBR}
    known = {rival: gain.mean for rival, gain in gains.items() if gain is not None}
    rival = max(known, key=lambda name: known[name], default=EXPLOITER)
    excess = pooled(found.excess(SOUL, rival, LEAST_SHARE, opponent) for opponent in bent)
    return keeps_up(rival, found.family_gain(SOUL, "bent"), found.family_gain(rival, "bent"), excess)


def _at_any_time(found: ZooMatches) -> dict[str, Estimate | None]:
    """Gains from every equilibrium in every hundred hands; with one match each, means over the family."""
    members = found.members("equilibria")
    gains = {f"{one.label}, to hand": found.moving_gains(SOUL, [one]) for one in members}
    if any(gain.n < 2 for part in gains.values() for gain in part.values()):
        gains = {"the mean of the family, to hand": found.moving_gains(SOUL, members)}
    return {f"{name} {last:,}": gain for name, part in gains.items() for last, gain in part.items()}


def _after_strikes(found: ZooMatches) -> dict[str, Estimate | None]:
    """What soul won from each deceiver after its strike; with one match each, the mean over deceivers."""
    won = {one.label: found.won_after_strike(SOUL, one) for one in found.members("deceivers")}
    if any(estimate is not None and estimate.n < 2 for estimate in won.values()):
        return {"the mean of the deceivers": pooled(won.values())}
    return won
