"""portfolio: answers that were made beforehand, and chosen by what each would have won so far.

    portfolio                     in Kuhn and Leduc; in limit hold'em over 5-5-5-5 buckets
    portfolio:risk=100            answers of at most 100 mb/g of exploitability
    portfolio:5-5-5-5:quick,explore=0.05,hidden=own

After Bard, Johanson, Burch & Bowling, "Online implicit agent modelling", AAMAS 2013: there is no model of the
opponent. The members are the equilibrium and a response to each archetype (`soulread.respond.archetypes`),
solved once. After each hand the agent estimates what every member would have won in it, with all cards that
it might have held counted (`soulread.respond.offpolicy`), and notes by how much that is more than what the
equilibrium would have won.

The equilibrium is left only when this says so. The *lower end* of a member is the mean of its differences,
less ``sure`` standard errors. The member with the highest lower end leads, if that end is above ``least``;
otherwise the equilibrium leads. A hand is played by the leader, except that with chance ``explore`` one of
the members is drawn, all equally likely: without that, members that do what the leader never does could not
be judged. A member is played for a whole hand. To leave the equilibrium in vain costs little, as the risk of
each member is certified, and a wrong choice is undone by the hands that follow.

What the agent tells is an interval that holds at all times with 95% chance (`soulread.estimate.Watch`).
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from soulread.estimate import Unit, Watch
from soulread.games.poker import PokerGame, PokerView
from soulread.hands.hand import Hand
from soulread.options import option, verify
from soulread.play.agent import Belief, Stance
from soulread.play.entry import AgentEntry, AgentSpec, cards_option, source_for, where_tables_reach
from soulread.respond.archetypes import Member, find_members
from soulread.respond.offpolicy import HIDDEN, OffPolicy, action_values
from soulread.seqform.compile import SequenceGame, poker_of
from soulread.seqform.source import Buckets, Tell
from soulread.seqform.strategy import draw_index, in_precision, plan_from_behaviour
from soulread.seqform.tabular import TabularStrategy, tabular
from soulread.words import plural

DEFAULT_ABSTRACTION = "5-5-5-5"


@dataclass(frozen=True, slots=True)
class Settings:
    """What the members may risk, how they are judged and when the equilibrium is left."""

    risk: float = option(100.0, "budget: most exploitability of a member, in mb/g of the abstraction")
    explore: float = option(0.1, "share of the hands in which any member may be played, equally often")
    sure: float = option(2.5, "standard errors by which a member must be better than the equilibrium")
    least: float = option(
        0.0, "mb/g by which a member must surely be better than the equilibrium to be played"
    )
    hidden: str = option(
        "range",
        "where the opponent's cards stayed hidden: range (all our cards count) or own (ours only; no bias)",
    )
    cards: Buckets | None = cards_option(DEFAULT_ABSTRACTION)

    def __post_init__(self) -> None:
        verify(
            "portfolio",
            (not 0 <= self.risk <= 1e6, f"risk={self.risk}; it must not be negative"),
            (not 0 < self.explore <= 1, f"explore={self.explore}; it lies above 0 and is at most 1"),
            (not 0 <= self.sure <= 100, f"sure={self.sure}; it must not be negative"),
            (not self.least >= 0, f"least={self.least}; it must not be negative"),
            (self.hidden not in HIDDEN, f"hidden={self.hidden}; expected one of {', '.join(HIDDEN)}"),
        )


class PortfolioAgent:
    """Plays the member of a portfolio that would surely have won most; see the top of the module.

    ``members`` begin with the equilibrium. ``leader`` is the number of the member played in most hands,
    ``weights`` are the chances of all members in the next hand.
    """

    def __init__(
        self,
        name: str,
        game: SequenceGame,
        members: tuple[Member, ...],
        settings: Settings | None = None,
    ) -> None:
        self.name = name
        self.game = game
        self.members = members
        self.settings = settings = Settings() if settings is None else settings
        first = tabular(game, members[0].behaviours)
        self._strategies = [replace(first, behaviours=member.behaviours) for member in members]
        self._judge = OffPolicy(
            self._strategies, settings.hidden, worth=action_values(game, members[0].behaviours)
        )
        rules = poker_of(game).rules
        self._chip = Unit.MILLIBETS.per_chip(rules.small_bet, rules.big_blind)
        plans = (
            plan_from_behaviour(tree, in_precision(behaviour, game.payoff.dtype))
            for tree, behaviour in zip(game.trees, members[0].behaviours, strict=True)
        )
        self.game_value = game.value(*plans)
        self.reset()

    def reset(self) -> None:
        """Forget the opponent."""
        self.num_hands = 0
        self.leader = 0
        self._member: int | None = None  # that of the present hand, once it was drawn
        self._watches = [Watch() for _ in self.members]  # gain over the equilibrium
        self._won = np.zeros(len(self.members))  # beyond the value of the game, in all hands together
        self._judged = 0

    @property
    def weights(self) -> NDArray[np.float64]:
        """``[members]``: the chance of each to play the next hand."""
        count = len(self.members)
        weights = np.full(count, self.settings.explore / count)
        weights[self.leader] += 1 - self.settings.explore
        return weights

    @property
    def exploiting(self) -> bool:
        """Whether another member than the equilibrium leads."""
        return self.leader > 0

    @property
    def gains(self) -> list[Watch]:
        """By member: chips per hand that it would have won more than the equilibrium, with an interval."""
        return self._watches

    @property
    def expected(self) -> float:
        """Chips per hand beyond the value of the game that the agent's play would have won so far.

        It is 0 while the equilibrium leads.
        """
        return float(self.weights @ self._won) / self._judged if self.exploiting else 0.0

    @property
    def worst_case(self) -> float:
        """Chips per hand, beyond the game's value, that are certain in the abstraction; never positive."""
        return -float(self.weights @ [member.risk for member in self.members])

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        """Draw an action of the hand's member, which is drawn first; takes one double of ``rng`` for each."""
        if self._member is None:
            self._member = draw_index(self.weights, rng.random())
        return self._strategies[self._member].draw(view, rng.random())

    def played(self, seat: int) -> TabularStrategy:
        """The member of the present hand; the equilibrium, if the agent has not acted in it."""
        return self._strategies[self._member or 0]

    def observe(self, hand: Hand) -> None:
        """Judge all members by a hand, and choose the leader of the next one."""
        found = self._judge.estimates(hand, self.weights)
        self._member = None
        self.num_hands += 1
        if found is None:  # somebody else has acted in our place
            return
        self._judged += 1
        self._won += found - (self.game_value if hand.eyewitness == 0 else -self.game_value)
        for watch, difference in zip(self._watches, found - found[0], strict=True):
            watch.add(difference)
        ends = [watch.mean - self.settings.sure * watch.standard_error for watch in self._watches[1:]]
        self.leader = int(np.argmax([self.settings.least / self._chip, *ends]))

    def stance(self, seat: int) -> Stance | None:
        """What it expects; as there is no model of the opponent, the equilibrium stands for one."""
        return Stance(self.expected, self._strategies[0], self._strategies[0], self.game_value)

    def belief(self, view: PokerView | None = None) -> Belief:
        """What the agent expects to win and risks; it believes nothing about single actions or cards."""
        return Belief(expected=self.expected, worst_case=self.worst_case)

    def sentence(self) -> str:
        """Which member leads, what it would have won more than the equilibrium, and what it risks."""
        risk = f"at worst it loses {-self.worst_case * self._chip:.0f} mb/g"
        if not self.exploiting:
            return f"it plays the equilibrium; no other answer is surely better so far; {risk}"
        watch = self._watches[self.leader]
        low, high = (end * self._chip for end in watch.interval)
        return (
            f"it plays the answer to {self.members[self.leader].name} opponents, which would have won "
            f"{watch.mean * self._chip:.0f} mb/g more than the equilibrium ({low:.0f} to {high:.0f}, 95%, "
            f"{plural(watch.n, 'hand')}); {risk}"
        )


def _portfolio(spec: AgentSpec, game: PokerGame, tell: Tell | None) -> PortfolioAgent:
    settings: Settings = spec.options
    source = source_for(spec, game, settings.cards, DEFAULT_ABSTRACTION)
    compiled = source.compile(tell)
    rules = poker_of(compiled).rules
    budget = settings.risk / Unit.MILLIBETS.per_chip(rules.small_bet, rules.big_blind)
    return PortfolioAgent(spec.text, compiled, find_members(source, budget, tell), settings)


PORTFOLIO = AgentEntry(
    "portfolio",
    "chooses among answers made beforehand by what each would have won so far; their risk is certified",
    _portfolio,
    Settings,
    where_tables_reach,
    form="portfolio[:CARDS][,OPTION=VALUE]",
    examples=("portfolio", "portfolio:risk=50,explore=0.5,hidden=own"),
)
