"""Ponsen, a player of no-limit hold'em who reads every opponent (after Ponsen et al., 2008); 2 to 10 seats.

    ponsen                                   the same on every machine
    ponsen:playouts=1000,sizes=0.5/1         quicker, with fewer sizes of raises
    ponsen:budget=0.5                        by the clock: as many play-outs as half a second allows

It keeps a model of each opponent. The model starts from a prior and learns from every hand in which the
opponent was dealt in, whether the cards were shown or not. ``learner`` names the kind of model:

    table    completed tables (`soulread.model.strength_tables`), which learn from each hand at once
    tree     Bayes-relational trees (`soulread.model.relational.model`), grown anew after 20, 40, 80 ... hands
             from the last `LAST_HANDS`, so that growing takes a bounded time

Before a decision each model says what its player may hold now. Then hands are played out
(`soulread.play.search.nolimit_rollout`): holdings are drawn from these ranges, and what opponents do with
them from their models. The agent takes the action that wins most: a fold, a call, or a raise of some size.

A decision ends after `PLAYOUTS` play-outs, or when it is clear. A budget, in seconds, holds for the whole
decision: ranges and play-outs. Learning happens between hands.
"""

from collections import OrderedDict, deque
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.games.poker import FOLD, PokerGame, PokerView
from soulread.hands.hand import Hand
from soulread.model.base import CardReader
from soulread.model.relational.bayes import default_prior as relational_prior
from soulread.model.relational.bayes import load_prior
from soulread.model.relational.model import RelationalModel
from soulread.model.relational.player_types import TypeBook
from soulread.model.strength_tables import CompletedModel
from soulread.options import Options, option
from soulread.play.agent import HandByHand
from soulread.play.catalogue.entry import AgentEntry, AgentSpec
from soulread.play.opponents.plain import PlainHabits, habits_of
from soulread.play.search.formula import PlayStyle, parse_style
from soulread.play.search.nolimit_rollout import Policy, actions_of, refuses, simulate_decision
from soulread.play.search.outlook import Limits, Outlook, PlayoutOptions
from soulread.play.search.playout_agent import MOST_PLAYERS, PlayerModels, PlayoutAgent
from soulread.play.search.table_trees import TableTrees, table_trees
from soulread.seqform.source import Tell
from soulread.words import plural

LEARNERS = "table", "tree"
FIRST_HANDS, LAST_HANDS = 20, 400  # before trees are grown first, and from which they are grown
PLAYOUTS = 100_000  # of a decision, unless a budget is given
MARGIN = 1.0  # standard errors by which a dearer action must be ahead


def _read_sizes(text: str) -> tuple[float, ...]:
    try:
        sizes = tuple(float(part) for part in text.split("/"))
    except ValueError:
        sizes = ()
    if not sizes or not all(0 < size < 1000 for size in sizes):
        raise SoulreadError(
            f"{text!r} are no sizes; write parts of the pot with a slash between, as in 0.5/1/2"
        )
    return sizes


@dataclass(frozen=True)
class PonsenOptions(PlayoutOptions, Options):
    """Options of `ponsen`."""

    usual: ClassVar[int] = PLAYOUTS
    budget: float = option(
        0.0, "seconds of a decision; 0: only the number of play-outs counts", low=0, below=np.inf
    )
    playouts: int = option(
        0, f"play-outs of a decision at most; 0: {PLAYOUTS}, or unlimited with a budget", low=0
    )
    sizes: tuple[float, ...] = option(
        (0.5, 1.0, 2.0),
        "raises that are compared, in pots, besides all-in",
        lambda text, _: _read_sizes(text),
    )
    learner: str = option("table", "models of opponents: table or tree", choices=LEARNERS)
    prior: str = option("", "file with what trees believe of a stranger; without it the one of soulread")
    learn: int = option(
        1, "1: learn how each opponent plays; 0: believe the prior of everybody", choices=(0, 1)
    )
    style: PlayStyle = option(
        PlayStyle(), "how it goes on in play-outs: a style of plain", lambda text, _: parse_style(text)
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.prior and self.learner != "tree":
            raise SoulreadError("prior is for learner=tree")


class OpponentTables:
    """Completed tables of all opponents."""

    def __init__(self, game: PokerGame) -> None:
        self.game = game
        self.tables = PlayerModels(lambda: CompletedModel(game))

    def forget(self) -> None:
        """Forget all players."""
        self.tables.known.clear()

    def of(self, player: str) -> CardReader:
        """The model of a player, which reads the cards; for a player never seen, that of the prior."""
        return self.tables.of(player)

    def observe(self, hand: Hand) -> None:
        """Learn about all who were dealt in but the observer."""
        self.tables.observe(hand)

    def policy(self, view: PokerView, own: PlainHabits) -> Policy:
        """The policy of everybody in play-outs, by tables; ``own`` are our habits."""
        models = [self.tables.of(player) for player in view.players]
        sizes = np.array([np.cumsum(model.size_chances, axis=1) for model in models])
        return Policy(own, np.array([model.chances for model in models]), sizes)

    def trees(self, view: PokerView) -> TableTrees | None:
        """The trees of the seats that are played by trees, or None."""
        return None

    def types(self, view: PokerView) -> tuple[int, int, int, int]:
        """The loose, tight, aggressive and passive seats; tables know no types."""
        return 0, 0, 0, 0

    def sentence(self) -> str:
        """How well the others are known."""
        return self.tables.sentence(lambda model: model.seen)


class OpponentTrees(OpponentTables):
    """Relational trees, grown anew whenever twice as many hands of a player are known.

    The tables stay those of strangers; nobody is played by them.
    """

    def __init__(self, game: PokerGame, prior: str = "") -> None:
        super().__init__(game)
        self.prior = load_prior(prior) if prior else relational_prior()
        self._stranger = RelationalModel(game, self.prior)
        self.forget()

    def forget(self) -> None:
        """Believe the prior of everybody."""
        self._hands: OrderedDict[str, deque[Hand]] = OrderedDict()
        self._seen: dict[str, int] = {}
        self._models: dict[str, RelationalModel] = {}
        self._book = TypeBook(self.prior.bounds)

    def of(self, player: str) -> RelationalModel:
        """The model of a player."""
        return self._models.get(player, self._stranger)

    def observe(self, hand: Hand) -> None:
        """Remember the hand, and grow the trees of those for whom it is time."""
        self._book.update(hand)
        for seat, player in enumerate(hand.players):
            if seat == hand.observer:
                continue
            hands = self._hands.pop(player, deque(maxlen=LAST_HANDS))
            hands.append(hand)
            self._hands[player] = hands
            count = self._seen[player] = self._seen.get(player, 0) + 1
            doublings, rest = divmod(count, FIRST_HANDS)
            if doublings and rest == 0 and doublings & (doublings - 1) == 0:
                model = RelationalModel(self.game, self.prior).fit(hands, player)
                _ = model.play  # grown here, not within a decision
                self._models[player] = model
        while len(self._hands) > MOST_PLAYERS:
            gone, _ = self._hands.popitem(last=False)
            self._models.pop(gone, None)

    def trees(self, view: PokerView) -> TableTrees | None:
        """The trees of everybody but us."""
        return table_trees(
            [None if seat == view.seat else self.of(name).play for seat, name in enumerate(view.players)]
        )

    def types(self, view: PokerView) -> tuple[int, int, int, int]:
        """The loose, tight, aggressive and passive seats."""
        return self._book.types(view.players)

    def sentence(self) -> str:
        """How well the others are known."""
        if not self._hands:
            return "knows nobody yet"
        return f"has trees of {plural(len(self._models), 'player')} of {len(self._hands)}"


class Ponsen(HandByHand, PlayoutAgent):
    """Plays out hands against models of its opponents."""

    def __init__(self, name: str, game: PokerGame, options: PonsenOptions) -> None:
        super().__init__(name, game, refuses(game))
        self.options = options
        tree = options.learner == "tree"
        self.opponents = OpponentTrees(game, options.prior) if tree else OpponentTables(game)
        if options.by_clock:
            self.warm_up()

    def reset(self) -> None:
        """Forget all opponents."""
        self.opponents.forget()
        self.outlook = None

    def observe(self, hand: Hand) -> None:
        """Learn about all who were dealt in but us."""
        if self.options.learn:
            self.opponents.observe(hand)

    def holdings(self, view: PokerView, seat: int) -> NDArray[np.float64]:
        """``[1326]`` how likely the opponent in ``seat`` holds each holding."""
        return self.opponents.of(view.players[seat]).holdings(view, seat)

    def sentence(self) -> str:
        """How well it knows the others."""
        return self.opponents.sentence()

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        """The action that wins most in play-outs."""
        if len(view.legal) == 1:
            return view.legal[0]
        self.outlook = self.simulate(view, self.options.limits, rng)
        return self.outlook.careful(FOLD in view.legal, MARGIN)

    def simulate(
        self, view: PokerView, limits: Limits, rng: np.random.Generator, also: tuple[int, ...] = ()
    ) -> Outlook:
        """The values of a call and of raises of several sizes; ``also`` are more raises that are legal."""
        begun = self.clock()
        call, *raises = actions_of(view, self.options.sizes)
        actions = call, *sorted({*raises, *also})
        habits = habits_of(self.options.style, len(view.folded))
        tables, policy = self.tables(view), self.opponents.policy(view, habits)
        trees, types = self.opponents.trees(view), self.opponents.types(view)
        return simulate_decision(
            view, actions, tables, policy, self._before, limits, rng, begun, self.clock, types, trees
        )


def _make(spec: AgentSpec, game: PokerGame, tell: Tell | None) -> Ponsen:
    return Ponsen(spec.text, game, spec.options)


PONSEN = AgentEntry(
    "ponsen",
    "no-limit hold'em: models of each opponent, and play-outs with several raise sizes; 2 to 10 seats",
    _make,
    PonsenOptions,
    refuses,
    examples=("ponsen:playouts=200", "ponsen:playouts=100,sizes=0.5/1,learner=tree,style=tight"),
)
