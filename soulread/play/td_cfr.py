"""TD-CFR as an agent: the algorithm of `soulread.respond.td_cfr` at a table with real cards."""

from dataclasses import dataclass

import numpy as np

from soulread.games.poker import PokerGame, PokerView
from soulread.hands.hand import Hand
from soulread.hands.record import verify_hand
from soulread.observe.paths import PathReader
from soulread.play.entry import AgentEntry, AgentSpec, cards_option, source_for, where_tables_reach
from soulread.respond.td_cfr import Ending, Settings, TdCfr
from soulread.seqform.source import Buckets, Tell
from soulread.seqform.strategy import draw_action

DEFAULT_ABSTRACTION = "5-5-5-5"  # in limit hold'em


class TdCfrAgent:
    """TD-CFR at a table with real cards; ``learner`` is what it has learned."""

    def __init__(self, name: str, learner: TdCfr) -> None:
        self.name = name
        self.learner = learner
        self._paths = PathReader(learner.game)

    def reset(self) -> None:
        """Forget everything."""
        self.learner.reset()

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        """Draw an action of the policy, or with probability xi any; takes one double of ``rng``."""
        learner = self.learner
        node = learner.betting.decision(view.betting)
        chances = learner.chances(node, learner.lookup.state(view.hole, view.board))
        return view.legal[draw_action(chances, 0, 1, chances.size, rng.random())]

    def observe(self, hand: Hand) -> None:
        """Learn from a hand as its seat saw it."""
        verify_hand(self._paths.poker, hand)
        own = hand.eyewitness
        last = [self._last_sequence(hand, seat) for seat in (own, hand.opponent)]
        self.learner.learn(Ending(own, (last[0], last[1]), hand.payoffs[own]))

    def _last_sequence(self, hand: Hand, seat: int) -> int:
        """The last sequence of a seat; 0 if it never acted, -1 if its cards were not seen."""
        hole = hand.hole[seat]
        if hole is None:
            return -1
        return self._paths.last(seat, hole, hand.board, hand.actions)


@dataclass(frozen=True, slots=True)
class Options(Settings):
    """The settings of the algorithm, and the card abstraction."""

    cards: Buckets | None = cards_option(DEFAULT_ABSTRACTION)


def _td_cfr(spec: AgentSpec, game: PokerGame, tell: Tell | None) -> TdCfrAgent:
    source = source_for(spec, game, spec.options.cards, DEFAULT_ABSTRACTION)
    return TdCfrAgent(spec.text, TdCfr(source.compile(tell), spec.options))


TD_CFR = AgentEntry(
    "td-cfr",
    "learns regrets by temporal differences while it plays (Tansey 2013): a baseline",
    _td_cfr,
    Options,
    where_tables_reach,
    form="td-cfr[:CARDS][,OPTION=VALUE]",
    examples=("td-cfr",),
)
