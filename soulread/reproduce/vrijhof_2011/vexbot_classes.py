"""Which betting sequences should Vexbot put together? (Billings et al. 2004, as Vrijhof 2011, VI, tells it)

"There is a lot of room for improving the context tree abstractions, to obtain higher correlations among
grouped sequences." So the correlations are computed (`soulread.model.vexbot.correlation`), of players whose
strategies are known, for each grouping of `soulread.model.vexbot.classes`.

The public play of both players is known without luck, but for the deals, which are the same for everybody.
Beside this stands what a model with each grouping does not know yet after some hands, from hands that were
played. Groupings were chosen on opponents of the zoo that are for choosing. The claims are judged on others,
and a sample is an opponent.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

import numpy as np

from soulread.cards.arrays import deal
from soulread.errors import SoulreadError
from soulread.estimate import Estimate
from soulread.games.named import parse_game
from soulread.hands.hand import Hand
from soulread.model.vexbot.classes import GROUPINGS, LEVELS, contexts
from soulread.model.vexbot.context_table import equilibrium_defaults
from soulread.model.vexbot.correlation import (
    KINDS,
    DrawnDeals,
    departures_of,
    draw_deals,
    measure,
    nats_lost,
    public_play,
)
from soulread.model.vexbot.model import ContextTree, Defaults
from soulread.play.agent import Agent
from soulread.play.catalogue.known import parse_agent
from soulread.play.match.live import play_hand
from soulread.play.opponents.rated import known_strategy
from soulread.play.opponents.zoo import equilibrium_text, zoo
from soulread.reproduce.kit.experiment import RunOptions, published
from soulread.reproduce.kit.means import Array
from soulread.reproduce.kit.report import Claim, Measure, Report, ResultTable, listed
from soulread.reproduce.kit.task_grid import TaskGrid
from soulread.reproduce.kit.verdict import above, below
from soulread.seqform.source import parse_source
from soulread.seqform.tabular import TabularStrategy
from soulread.seqform.treeplex import Ints
from soulread.solvers.equilibria import find_equilibrium
from soulread.streams import stream
from soulread.tasks import Json, Task, Values, kept_as

NAME = "vexbot-classes"
FAMILIES = "bent", "rules"  # of the zoo: their strategies are known and do not change
ROLES = "choosing", "judging"
OLD, NEW = "raises", "lead"
AFTER = 50, 200, 1000  # hands after which a model is asked
SOON = 200  # hands after which the claims are judged
VERSION = 1  # raise it when models or measures change


@dataclass(frozen=True)
class ClassesSetup:
    """Sizes of the experiment."""

    game: str
    deals: int
    hands: int
    opponents: int | None  # of each role, from each family; None: all
    seed: int

    @classmethod
    def of(cls, options: RunOptions) -> "ClassesSetup":
        """All players of two families, 1,000 deals and hands; quick: three of each role and family, 200."""
        sizes = options.sizes(deals=(200, 1000), hands=(200, 1000), opponents=(3, None))
        return cls("limit", **sizes)

    @property
    def players(self) -> dict[str, dict[str, str]]:
        """By role, the texts of the players by name."""
        game = parse_game(self.game)
        found: dict[str, dict[str, str]] = {}
        for role in ROLES:
            every = [zoo(game, role, family)[: self.opponents] for family in FAMILIES]
            found[role] = {each.label: each.agent for each in chain(*every)}
        return found

    @property
    def after(self) -> tuple[int, ...]:
        """The hands after which models are asked."""
        return tuple(hands for hands in AFTER if hands <= self.hands)

    def task(self, agent: str) -> Task:
        """A task that computes `study_groupings`."""
        parameters: dict[str, Json] = {
            "game": self.game,
            "agent": agent,
            "deals": self.deals,
            "after": list(self.after),
            "seed": self.seed,
        }
        return Task(study_groupings, parameters, VERSION)


@kept_as("soulread.reproduce.vexbot_classes:study_groupings")
def study_groupings(game: str, agent: str, deals: int, after: Sequence[int], seed: int) -> Values:
    """How the departures of a player from the equilibrium correlate, and what models know after some hands.

    ``correlation`` and ``explained`` are ``[groupings, kinds, LEVELS]``, ``spread [kinds]``; ``lost
    [groupings, after, 2]`` are nats a hand that a model does not know of actions and of hands shown.
    """
    rules = parse_game(game)
    table = _table(game, deals, seed)
    player = parse_agent(agent).make(rules)
    strategy = known_strategy(player, rules, 0)
    if strategy is None:
        raise SoulreadError(f"{agent!r} does not say which strategy it plays")
    states = table.deals.states(strategy.lookup), table.states
    play = public_play(strategy, table.equilibrium, table.deals, states)
    default = public_play(table.equilibrium, table.equilibrium, table.deals, (table.states, table.states))
    shape = len(GROUPINGS), len(KINDS), LEVELS
    correlation, explained, spread = np.zeros(shape), np.zeros(shape), np.zeros(len(KINDS))
    for k, kind in enumerate(KINDS):
        for g, grouping in enumerate(GROUPINGS.values()):
            found = contexts(rules, grouping)
            departures = departures_of(play, default, kind, found)
            classes = list(found.decision if kind != "showdown" else found.showdown.reshape(LEVELS, -1))
            measured = measure(departures, classes)
            correlation[g, k], explained[g, k] = measured.correlation, measured.explained
            spread[k] = measured.spread
    lost = np.zeros((len(GROUPINGS), len(after), 2))
    trees = [ContextTree(rules, table.defaults, grouping=grouping) for grouping in GROUPINGS.values()]
    for number, hand in enumerate(_hands(rules.name, agent, max(after), seed), start=1):
        for g, tree in enumerate(trees):
            tree.update(hand)
            if number in after:
                lost[g, list(after).index(number)] = nats_lost((tree.tables(0), tree.tables(1)), play, rules)
    return {"correlation": correlation, "explained": explained, "spread": spread, "lost": lost}


@dataclass(frozen=True, eq=False)
class _Table:
    """What the tasks of a process share."""

    equilibrium: TabularStrategy
    defaults: Defaults
    deals: DrawnDeals
    states: Ints  # of the equilibrium


@lru_cache(maxsize=1)
def _table(game: str, deals: int, seed: int) -> _Table:
    rules = parse_game(game)
    source = parse_source(equilibrium_text(rules).replace("equilibrium", game, 1))
    equilibrium = find_equilibrium(source)
    drawn = draw_deals(rules, deals, stream(seed, "deals"))
    defaults = equilibrium_defaults(source.compile(), equilibrium.behaviours)
    return _Table(equilibrium, defaults, drawn, drawn.states(equilibrium.lookup))


def _hands(game: str, agent: str, count: int, seed: int) -> Iterator[Hand]:
    """Hands of a player as an equilibrium sees them that sits in alternating seats."""
    rules = parse_game(game)
    players: list[Agent] = [parse_agent(text).make(rules) for text in (equilibrium_text(rules), agent)]
    cards, *own = (stream(seed, agent, key) for key in ("cards", "observer", "player"))
    for number in range(count):
        seated = [(number + seat) % 2 for seat in (0, 1)]
        hand = play_hand(
            rules,
            [players[k] for k in seated],
            deal(cards, rules.rules.deck, rules.num_cards),
            [own[k] for k in seated],
            [("observer", "player")[k] for k in seated],
        )
        yield hand.seen_by(seated.index(0))


class GroupingGrid(TaskGrid[tuple[str, str]]):
    """The results by role and player."""

    def samples(self, role: str, name: str) -> Array | None:
        """A value of all players of a role, ``[players, ...]``; None if there are none."""
        found = [self.at(place)[0][name] for place in self.finished if place[0] == role]
        return np.stack(found) if found else None


def classes(options: RunOptions) -> Report:
    """Measure the correlations of both groupings, and what models with them lose."""
    setup = ClassesSetup.of(options)
    if not options.stored_only:
        _table(setup.game, setup.deals, setup.seed)
    grid = GroupingGrid(
        {
            (role, name): [setup.task(agent)]
            for role, agents in setup.players.items()
            for name, agent in agents.items()
        }
    )
    grid.run(options)
    return Report(
        name=NAME,
        title="which betting sequences Vexbot puts together",
        source=f"{published('vrijhof2011')['source']}, section VI",
        settings={
            "deals": setup.deals,
            "hands": setup.hands,
            "players": "; ".join(
                f"{role} {sum(place[0] == role for place in grid.finished)}" for role in ROLES
            ),
            "seed": setup.seed,
            **{name: _worded(grouping.decisions) for name, grouping in GROUPINGS.items()},
            **{f"{name}, showdowns": _worded(grouping.showdowns) for name, grouping in GROUPINGS.items()},
        },
        tables=tuple(_tables(setup, grid)),
        claims=tuple(_claims(setup, grid)),
        seconds=grid.seconds,
        notes=(
            "A sample is a player. Groupings and their weights were chosen on the players for choosing; "
            "claims are judged on the others.",
            "Level 1 is the finest of the classes, level 0 each sequence by itself.",
        ),
    )


def _worded(levels: tuple[tuple[str, ...], ...]) -> str:
    return "; ".join(f"{level} {' '.join(names) or 'all'}" for level, names in enumerate(levels, start=1))


def _tables(setup: ClassesSetup, grid: GroupingGrid) -> Iterator[ResultTable]:
    for role in ROLES:
        correlation, explained, spread, lost = (
            grid.samples(role, name) for name in ("correlation", "explained", "spread", "lost")
        )
        if correlation is None or explained is None or spread is None or lost is None:
            continue
        for title, unit, values in (
            ("correlation of a sequence with the others of its class", "correlation", correlation),
            ("spread that the class explains", "share", explained),
        ):
            measures = [
                Measure(f"level {level}", f"{kind}, {name}", Estimate.of(values[:, g, k, level]))
                for level in range(1, LEVELS)
                for k, kind in enumerate(KINDS)
                for g, name in enumerate(GROUPINGS)
            ]
            yield ResultTable.counted(f"{title}, players for {role}", unit, measures, "players", digits=2)
        measures = [
            Measure(f"level {level}", f"{kind}, {name}", strength)
            for g, name in enumerate(GROUPINGS)
            for k, kind in enumerate(KINDS)
            for level, strength in enumerate(_strengths(explained[:, g, k], spread[:, k]))
        ]
        yield ResultTable(
            f"observations that coarser classes are worth, players for {role}",
            "observations",
            measures,
            digits=0,
        )
        measures = [
            Measure(f"after {hands:,} hands", f"{what}, {name}", Estimate.of(lost[:, g, at, w]))
            for at, hands in enumerate(setup.after)
            for w, what in enumerate(("actions", "hands shown"))
            for g, name in enumerate(GROUPINGS)
        ]
        yield ResultTable.counted(
            f"what a model does not know, players for {role}", "nats/h", measures, "players"
        )


def _strengths(explained: Array, spread: Array) -> Array:
    """``[LEVELS]`` the strengths of the mean player: one over what each level explains beyond the coarser."""
    known = (explained * spread[:, None]).mean(axis=0)
    found: Array = 1 / np.maximum(-np.diff(np.append(known, 0.0)), 1e-12)
    return found


def _claims(setup: ClassesSetup, grid: GroupingGrid) -> Iterator[Claim]:
    new, old = (list(GROUPINGS).index(name) for name in (NEW, OLD))
    correlation, lost = (grid.samples("judging", name) for name in ("correlation", "lost"))
    for k, kind in enumerate(KINDS):
        more = mine = None
        if correlation is not None:
            levels = correlation[:, :, k, 1:].mean(axis=2)  # [players, groupings]
            more, mine = Estimate.of(levels[:, new] - levels[:, old]), Estimate.of(levels[:, new])
        yield Claim.judged(
            f"Higher correlations among grouped sequences are to be had: {kind}s, by who led in the round "
            "before (mean over the levels)",
            above(more),
            "not computed" if more is None or mine is None else f"{mine.text()}, more by {more.text()}",
        )
    if SOON in setup.after:
        at = setup.after.index(SOON)
        less = {
            what: None if lost is None else Estimate.of(lost[:, new, at, w] - lost[:, old, at, w])
            for w, what in enumerate(("actions", "hands shown"))
        }
        yield Claim.of_all(
            f"A model with these classes misses less of a player after {SOON} hands (ours)",
            less,
            below,
            listed(less) + " nats/h",
        )
