"""A coach: what each decision of a player cost, against an equilibrium and against the opponent as they play.

A yardstick is an opponent whose strategy is known. At a decision the player is in a private state s, at a
betting node. The opponent holds t as often as the deal and the opponent's plan y up to the node say:

    met(s) = sum over t of  P(s, t) y(t)

With q the value of an action in sequence form (`soulread.solvers.best_response`), in which chance and the
opponent's plan are factors, an action is worth q / met(s) chips: what the player wins in the whole hand, on
average, if the opponent plays the yardstick and the player goes on as well as one can against it. The cost of
a decision is the best action's worth less that of the one taken, so it is never negative. Averaged over
hands, the costs of all decisions add up to what the player wins less from the yardstick than is possible.

Against an equilibrium the best is what the equilibrium wins, and wherever the equilibrium comes, going on as
well as one can is going on as it does. An equilibrium as an opponent never comes to some places, and then
says nothing about what it holds there. The coach then takes all holdings as the deal has them, and says so.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from soulread.cards.deck import NUM_CARDS
from soulread.cards.equity import equity
from soulread.cards.preflop import NUM_RUNOUTS, preflop_table
from soulread.cards.ranges import HAND_CELLS, Range, hand_index
from soulread.encoding import keys
from soulread.errors import SoulreadError
from soulread.games.poker import FOLD, PokerGame, PokerState, PokerView
from soulread.hands.hand import Hand
from soulread.hands.record import decisions
from soulread.play.agent import Agent, Believer, Frequency
from soulread.play.catalogue.entry import where_tables_reach
from soulread.play.opponents.rated import known_strategy
from soulread.play.tabular import strategy_played
from soulread.seqform.compile import SequenceGame
from soulread.seqform.lookup import BlindLookup, fits_card_by_card
from soulread.seqform.payoff import FactoredPayoff, trace_ancestors
from soulread.seqform.source import Source, Tell
from soulread.seqform.strategy import Behaviour, in_precision, plan_from_behaviour
from soulread.seqform.tabular import TabularStrategy
from soulread.seqform.treeplex import Floats, Ints
from soulread.solvers.best_response import best_values
from soulread.solvers.equilibria import find_equilibrium

RARELY = 1e-6  # how often an opponent must come to a place for the opponent's holdings there to mean anything


@dataclass(frozen=True)
class WeighedAction:
    """An action the player could take."""

    action: int  # the game's number
    name: str  # "call", "raise"
    value: float  # chips won in the whole hand
    chance: float  # how often one should take it: as the equilibrium does, or the best answer to the agent


@dataclass(frozen=True)
class WeighedDecision:
    """The actions of one decision against one yardstick; see the module."""

    actions: tuple[WeighedAction, ...]
    taken: int
    reached: bool = True  # whether the yardstick ever comes here as the opponent
    followed: bool = True  # whether one who does as one should ever comes here; else chances mean nothing

    JSON = keys("actions taken best cost reached followed")

    @property
    def best(self) -> int:
        """The best action; ties go to the first."""
        return max(self.actions, key=lambda one: one.value).action

    @property
    def cost(self) -> float:
        """Chips that the action taken is worth less than the best one."""
        worth = {one.action: one.value for one in self.actions}
        return max(worth.values()) - worth[self.taken]


@dataclass(frozen=True)
class PotOdds:
    """The price of a call, and how often a hand of hold'em wins at a showdown; ties count half."""

    needed: float  # share of the pot that makes the call pay for itself, if nobody bets any more
    any_cards: float  # share that the hand wins from one opponent with any two cards


@dataclass(frozen=True)
class CoachedDecision:
    """One decision of the player. What cannot be told is None, or empty."""

    betting: str
    round: int
    name: str  # what the player did: "call"
    equilibrium: WeighedDecision | None = None
    agent: WeighedDecision | None = None  # against the opponent as they played in this hand
    believed: tuple[Frequency, ...] = ()  # how often the agent thinks that the player acts so here
    odds: PotOdds | None = None


@dataclass(frozen=True)
class CoachedHand:
    """What the coach tells of one hand. ``cost`` is chips given up against the equilibrium."""

    id: str
    decisions: tuple[CoachedDecision, ...]
    agent: str = ""  # the agent's name
    remark: str = ""  # what the agent says of its play

    JSON = keys("id decisions agent remark cost")

    @property
    def cost(self) -> float | None:
        """Chips that all decisions cost against the equilibrium; None if there is none to measure with."""
        costs = [one.equilibrium.cost for one in self.decisions if one.equilibrium is not None]
        return sum(costs) if len(costs) == len(self.decisions) else None


@dataclass(frozen=True, eq=False)
class PlayedAgent:
    """What is known of an opponent in a hand that has just ended, before the opponent learns from it."""

    name: str
    strategy: TabularStrategy | None = None  # what was played; None if the agent cannot say
    frequencies: tuple[Frequency, ...] = ()  # what it believes of the player
    remark: str = ""


def look_at(agent: Agent, game: PokerGame, seat: int) -> PlayedAgent:
    """What an agent played in ``seat``, and what it believes; to be asked before `Agent.observe`."""
    strategy = None
    if where_tables_reach(game) is None:
        asked = known_strategy if fits_card_by_card(game) else strategy_played
        strategy = asked(agent, game, seat)
    if not isinstance(agent, Believer):
        return PlayedAgent(agent.name, strategy)
    return PlayedAgent(agent.name, strategy, agent.belief().frequencies, agent.sentence())


class Coach:
    """Weighs the decisions of finished hands of one game; see the module.

    Where there is no equilibrium to compare with, ``game`` and ``equilibrium`` are None, and pot odds are all
    there is.
    """

    def __init__(
        self, poker: PokerGame, game: SequenceGame | None = None, equilibrium: TabularStrategy | None = None
    ) -> None:
        self.poker = poker
        self.game = game
        self.equilibrium = equilibrium
        self._kept: dict[tuple[int, bool], ActionWorth] = {}  # by seat, and whether it is of the agent

    @classmethod
    def of(cls, source: Source, tell: Tell | None = None) -> "Coach":
        """The coach with the equilibrium of a game, which is solved if need be."""
        return cls(source.poker, source.compile(tell), find_equilibrium(source, tell))

    @property
    def scope(self) -> str:
        """What the coach can tell, in a sentence."""
        if self.game is None:
            return (
                f"The coach has no equilibrium of {self.poker.name} to compare with. It tells the price of a "
                "call and how often your hand wins, but no costs."
            )
        brackets = "In brackets: chips that each action wins in the hand."
        if self.game.abstract:
            return (
                f"The coach sees cards as {self.game.name} does. Its costs are exact in this abstraction, "
                f"and estimates with real cards. {brackets}"
            )
        return f"The coach's costs are exact. {brackets}"

    def review(self, hand: Hand, player: str, agent: PlayedAgent | None = None) -> CoachedHand:
        """Weigh every decision of ``player``, whose cards must be known, in a finished hand.

        ``agent`` is what is known of the only opponent.
        """
        seat = hand.seat_of(player)
        found = tuple(
            self._decision(state, action, agent)
            for state, action in decisions(self.poker, hand.actions, hand.board, hand.hole)
            if state.player == seat
        )
        return CoachedHand(hand.id, found, *(() if agent is None else (agent.name, agent.remark)))

    def _decision(self, state: PokerState, action: int, agent: PlayedAgent | None) -> CoachedDecision:
        view = state.view(state.player)
        made = CoachedDecision(view.betting, view.round, _word(state, action))
        if self.game is None or self.equilibrium is None:
            return replace(made, odds=pot_odds(view))
        names = [_word(state, one) for one in view.legal]
        other = 1 - view.seat
        worth = self._worth(view.seat, False, self.equilibrium.behaviours[other])
        made = replace(
            made,
            equilibrium=worth.weigh(view, names, action, self.equilibrium.behaviours[view.seat]),
        )
        if agent is None:
            return made
        places = view.public, view.betting
        believed = tuple(one for one in agent.frequencies if one.seat == view.seat and one.history in places)
        made = replace(made, believed=believed)
        if agent.strategy is None:
            return made
        theirs = behaviour_in(self.game, self.equilibrium, agent.strategy, other)
        if theirs is None:
            return made
        worth = self._worth(view.seat, True, theirs)
        return replace(made, agent=worth.weigh(view, names, action))

    def _worth(self, seat: int, of_agent: bool, opponent: Behaviour) -> "ActionWorth":
        """The worth of a seat's actions; kept until the opponent plays something else."""
        assert self.game is not None
        assert self.equilibrium is not None
        kept = self._kept.get((seat, of_agent))
        if kept is None or not (kept.opponent is opponent or np.array_equal(kept.opponent, opponent)):
            kept = self._kept[seat, of_agent] = ActionWorth(self.game, self.equilibrium, seat, opponent)
        return kept


@dataclass(frozen=True, eq=False)
class ActionWorth:
    """What every action of ``seat`` is worth against an opponent's behaviour; see the module.

    ``layout`` is any strategy of the game: it tells where nodes and private states have their sequences.
    """

    game: SequenceGame
    layout: TabularStrategy
    seat: int
    opponent: Behaviour
    _led_to: dict[int, tuple[Floats, Floats]] = field(default_factory=dict)  # by node

    def weigh(
        self, view: PokerView, names: Sequence[str], taken: int, answer: Behaviour | None = None
    ) -> WeighedDecision:
        """The actions in view, called ``names``. ``answer`` is what to do; without it, the best action."""
        node, state = self.layout.place(view)
        values, reached = self.values(node, state, view.actions)
        if answer is None:
            chances, followed = (np.arange(values.size) == np.argmax(values)).astype(np.float64), True
        else:
            chances = answer[self._actions(node, state)].astype(np.float64)
            followed = self._comes(answer, node, state) > RARELY
        weighed = zip(view.legal, names, values.tolist(), chances.tolist(), strict=True)
        return WeighedDecision(tuple(WeighedAction(*one) for one in weighed), taken, reached, followed)

    def _comes(self, answer: Behaviour, node: int, state: int) -> float:
        """How often one who plays ``answer`` comes to a node in a state, if the opponent lets it happen."""
        sequence = self._rows_before(self.seat, node)[state]
        return float(plan_from_behaviour(self.game.trees[self.seat], answer)[sequence])

    def _rows_before(self, seat: int, node: int) -> Ints:
        """``[states]``: a seat's last sequence before a node, by the private state there."""
        betting = self.layout.betting
        layout = betting.layout(self.layout.lookup.num_states)
        r, level = int(betting.arrays.round[node]), int(layout.last_round[seat, node])
        rows: Ints = layout.last_sequence[seat, node] + self._ancestors[r][level + 1]
        return rows

    def values(self, node: int, state: int, path: Sequence[tuple[int, int]]) -> tuple[Floats, bool]:
        """``[actions]`` in chips a hand, and whether the opponent ever comes here; ``path`` leads here."""
        q, plan = self._usual
        met, dealt = self._met(node, state, plan)
        reached = met > RARELY * dealt
        if not reached:
            if node not in self._led_to:
                self._led_to[node] = self._against(self._led(path))
            q, plan = self._led_to[node]
            met, _ = self._met(node, state, plan)
        return q[self._actions(node, state)].astype(np.float64) / met, reached

    def _actions(self, node: int, state: int) -> slice:
        """Where the sequences of a decision are."""
        first, width = self.layout.sequence(node, state), int(self.layout.arrays.width[node])
        return slice(first, first + len(self.layout.betting.actions[node]) * width, width)

    @cached_property
    def _usual(self) -> tuple[Floats, Floats]:
        return self._against(self.opponent)

    @cached_property
    def _payoff(self) -> FactoredPayoff:
        if not isinstance(self.game.payoff, FactoredPayoff):
            raise SoulreadError(f"{self.game.name!r} is not a betting tree times private states")
        return self.game.payoff

    def _against(self, opponent: Behaviour) -> tuple[Floats, Floats]:
        """The value of each own sequence if one goes on as well as one can, and the opponent's plan."""
        tree, theirs = self.game.trees[self.seat], self.game.trees[1 - self.seat]
        plan = plan_from_behaviour(theirs, in_precision(opponent, self._payoff.dtype))
        q = self._payoff.gradient(self.seat, plan)
        best_values(tree.arrays, q, np.empty(tree.num_sets, dtype=np.int32))
        return q, plan

    def _met(self, node: int, state: int, plan: Floats) -> tuple[float, float]:
        """The chance of a state and of an opponent who plays to the node; and that of the state alone."""
        r = int(self.layout.betting.arrays.round[node])
        dealt = self._payoff.reach[r][state].astype(np.float64)
        return float(dealt @ plan[self._rows_before(1 - self.seat, node)]), float(dealt.sum())

    @cached_property
    def _ancestors(self) -> tuple[Ints, ...]:
        return trace_ancestors(self._payoff.parent_state)

    def _led(self, path: Sequence[tuple[int, int]]) -> Behaviour:
        """The opponent, who takes the actions of a path with every holding, and else plays as ever."""
        led = np.array(self.opponent)
        betting, node = self.layout.betting, 0
        for seat, action in path:
            chosen = betting.actions[node].index(action)
            if seat != self.seat:
                first, width = self.layout.sequence(node, 0), int(self.layout.arrays.width[node])
                led[first : first + len(betting.actions[node]) * width] = 0
                led[first + chosen * width : first + (chosen + 1) * width] = 1
            node = int(betting.arrays.child[node, chosen])
        return Behaviour(led)


def behaviour_in(
    game: SequenceGame, layout: TabularStrategy, strategy: TabularStrategy, seat: int
) -> Behaviour | None:
    """A strategy's behaviour in the private states of a compiled game; None if its states are others.

    ``layout`` is any strategy of the game.
    """
    if strategy.lookup == game.lookup:
        return strategy.behaviours[seat]
    if not isinstance(strategy.lookup, BlindLookup):
        return None
    spread = np.ones(game.trees[seat].num_sequences)
    for node in strategy.betting.decisions(seat).tolist():
        first, width = layout.sequence(node, 0), int(layout.arrays.width[node])
        chances = strategy.probabilities(node, 0)
        spread[first : first + chances.size * width] = np.repeat(chances, width)
    return Behaviour(spread)


def _word(state: PokerState, action: int) -> str:
    """ "check", "call", "bet" or so, without an amount."""
    return state.action_name(action).split()[0]


def pot_odds(view: PokerView) -> PotOdds | None:
    """The price of a call in hold'em, and the hand against any two cards; None if there is no such call."""
    if view.rules.hole_cards != 2 or len(view.rules.deck) != NUM_CARDS or FOLD not in view.legal:
        return None
    if view.board:
        won = equity(view.hole, Range.all(), view.board).value
    else:
        table, own = preflop_table(), HAND_CELLS[hand_index(*view.hole)]
        won = table.half_wins[own].sum() / (2 * NUM_RUNOUTS * table.pairs[own].sum())
    return PotOdds(view.to_call / (view.pot + view.to_call), float(won))
