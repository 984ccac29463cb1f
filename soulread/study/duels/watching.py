"""Watching a match: what happens in each hand, what the agents believe, promise and why they chose.

    play_matches(game, agents, hands, onlookers=[MatchWatcher(tell)])

``tell`` is called with one event after another: `HandDealt`, then `ActionTaken` for each action, then
`HandEnded`. A watcher sees all cards: it sits behind the dealer, not at the table. Agents are asked about
themselves only, each with its own view (`soulread.play.match.reasons`), so a match that is watched is the
match that is not.

The equilibrium beside a decision is the one that the agent itself starts from. If it knows none, it is the
solved one in games of few cards, and elsewhere that of another agent at the table.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from soulread.cards.deck import RANKS, cards_name
from soulread.cards.ranges import HAND_CELLS, NUM_HANDS, class_name
from soulread.encoding import keys
from soulread.games.poker import CALL, FOLD, PokerGame, PokerView
from soulread.play.agent import Agent, Believer, Frequency
from soulread.play.catalogue.entry import where_cards_are_few
from soulread.play.match.live import LiveHand
from soulread.play.match.promise import expectation_of
from soulread.play.match.reasons import Chances, chances_at, reasons_of
from soulread.seqform.source import Source
from soulread.solvers.equilibria import find_equilibrium

LEAST = 0.0005  # chance below which a class of holdings is left out of an event

_CELLS = [class_name(cell) for cell in range(169)]


@dataclass(frozen=True)
class HandDealt:
    """A hand begins. Lists are by seat; cards are texts such as "KhQs"."""

    match: int  # from 1 up
    hand: int  # of the match, from 1 up
    game: str
    players: tuple[str, ...]
    hole: tuple[str, ...]
    stacks: tuple[int, ...] | None  # before the blinds; None where nobody runs out
    pot: int

    JSON = keys(event=lambda _: "deal", **keys("*"))


@dataclass(frozen=True)
class ActionForecast:
    """How often an agent believed that the player would act in this way here, and what others usually do."""

    by: str
    believed: Mapping[str, float]  # by action
    equilibrium: Mapping[str, float]  # of the player whom the agent expects before it knows anything


@dataclass(frozen=True)
class ActionTaken:
    """A player has acted. Actions are texts: "fold", "check", "call", "bet", "raise"; amounts are chips.

    In no-limit "bet to 12" and "raise to 12" mean 12 chips of the player over the whole hand.

    ``probabilities`` are those of the player's own strategy in this place with these cards, ``values`` what
    it took its actions to be worth beyond folding, ``equilibrium`` what the equilibrium does here with these
    cards; each is empty where nobody can tell. ``expected``, ``gain`` and ``worst_case`` are a hand's, as in
    `Reasons`. ``ranges`` has, by opponent, how likely each class of holdings is to the player.
    """

    match: int
    hand: int
    player: str
    seat: int
    round: int
    board: str
    hole: str
    pot: int  # before the action
    to_call: int
    action: str
    seconds: float
    probabilities: Mapping[str, float]
    values: Mapping[str, float]
    errors: Mapping[str, float]  # standard errors of the values, where they are estimates
    equilibrium: Mapping[str, float]
    expected: float | None
    gain: float | None
    worst_case: float | None
    ranges: Mapping[str, Mapping[str, float]]
    foreseen: tuple[ActionForecast, ...]
    sentence: str
    stood_in: str

    JSON = keys(event=lambda _: "action", **keys("*"))


@dataclass(frozen=True)
class HandEnded:
    """A hand is over. ``won`` and ``total`` are chips by player, in this hand and in all so far."""

    match: int
    hand: int
    board: str
    won: Mapping[str, int]
    total: Mapping[str, int]

    JSON = keys(event=lambda _: "end", **keys("*"))


Frequencies = dict[tuple[int, str], list[Frequency]]  # by seat and public history
Event = HandDealt | ActionTaken | HandEnded


class MatchWatcher:
    """An onlooker that tells of everything that happens, as events."""

    def __init__(self, tell: Callable[[Event], None]) -> None:
        self._tell = tell
        self._match = 0
        self._hand = 0
        self._total: dict[str, int] = {}
        self._beliefs: dict[str, Frequencies] = {}  # when the hand began, by player

    def begin(self, hand: LiveHand, agents: Sequence[Agent]) -> None:
        """Tell who sits where, with which cards."""
        self._match += hand.id == "0"
        self._hand = int(hand.id) + 1
        state, game = hand.state, hand.game
        self._beliefs = {
            name: _frequencies(agent, hand.view(seat))
            for seat, (name, agent) in enumerate(zip(hand.players, agents, strict=True))
        }
        seats = range(game.num_players)
        hole = tuple(cards_name(state.view(seat).hole) for seat in seats)
        pot = state.view(0).pot
        self._tell(HandDealt(self._match, self._hand, game.name, hand.players, hole, game.rules.stacks, pot))

    def act(
        self, hand: LiveHand, agents: Sequence[Agent], view: PokerView, action: int, seconds: float
    ) -> None:
        """Tell what a player did, and why."""
        reasons = reasons_of(agents[view.seat], view)
        names = hand.players
        self._tell(
            ActionTaken(
                match=self._match,
                hand=self._hand,
                player=names[view.seat],
                seat=view.seat,
                round=view.round,
                board=cards_name(view.board),
                hole=cards_name(view.hole),
                pot=view.pot,
                to_call=view.to_call,
                action=action_text(action, view),
                seconds=seconds,
                probabilities=_by_text(reasons.probabilities, view),
                values=_by_text(reasons.values, view),
                errors=_by_text(reasons.errors, view),
                equilibrium=_by_text(reasons.equilibrium or _equilibrium(agents, view), view),
                expected=reasons.expected,
                gain=reasons.gain,
                worst_case=reasons.worst_case,
                ranges={
                    names[seat]: classes_of(view.game, weights) for seat, weights in reasons.ranges.items()
                },
                foreseen=tuple(self._foreseen(names, view)),
                sentence=reasons.sentence,
                stood_in=reasons.stood_in,
            )
        )

    def end(self, hand: LiveHand, agents: Sequence[Agent]) -> None:
        """Tell who won."""
        won = dict(zip(hand.players, hand.payoffs, strict=True))
        self._total = {name: self._total.get(name, 0) + chips for name, chips in sorted(won.items())}
        board = cards_name(hand.end.view(0).board)
        self._tell(HandEnded(self._match, self._hand, board, won, dict(self._total)))

    def _foreseen(self, names: Sequence[str], view: PokerView) -> list[ActionForecast]:
        """How often the others believed, when the hand began, that the seat in view acts in each way."""
        found = []
        board = cards_name(view.board)
        for name in names:
            told = self._beliefs[name]
            here = told.get((view.seat, f"{board}|{view.betting}")) or told.get((view.seat, view.betting))
            if here and name != names[view.seat]:
                believed = {frequency.action: frequency.believed for frequency in here}
                usual = {frequency.action: frequency.equilibrium for frequency in here}
                found.append(ActionForecast(name, _by_text(believed, view), _by_text(usual, view)))
        return found


def _frequencies(agent: Agent, view: PokerView) -> Frequencies:
    """How often an agent believes that others act in each way, as it sees its own cards."""
    found: Frequencies = {}
    if isinstance(agent, Believer):
        for frequency in agent.belief(view).frequencies:
            found.setdefault((frequency.seat, frequency.history), []).append(frequency)
    return found


def _equilibrium(agents: Sequence[Agent], view: PokerView) -> Chances:
    """What the equilibrium does at a view: the solved one, or that of somebody at the table; else empty."""
    if where_cards_are_few(view.game) is None:
        return chances_at(find_equilibrium(Source(view.game)), view)
    for seat, agent in enumerate(agents):
        expectation = expectation_of(agent, seat)
        if expectation is not None:
            return chances_at(expectation.equilibrium, view)
    return {}


def action_text(action: int, view: PokerView) -> str:
    """An action in words: "fold", "check", "call", "bet", "raise", or in no-limit "raise to 12"."""
    if action == FOLD:
        return "fold"
    if action == CALL:
        return "call" if view.to_call else "check"
    first = not view.to_call and (view.round > 0 or not any(view.rules.blinds))
    verb = "bet" if first else "raise"
    return verb if view.rules.raise_sizes is not None else f"{verb} to {action}"


def classes_of(game: PokerGame, weights: NDArray[np.float64]) -> Mapping[str, float]:
    """The chance of each class of holdings, likeliest first: "AKs" in hold'em, else ranks such as "K"."""
    if weights.size == NUM_HANDS:
        chances = np.bincount(HAND_CELLS, weights, minlength=len(_CELLS))
        found = dict(zip(_CELLS, chances.tolist(), strict=True))
    else:
        found = {}
        for cards, weight in zip(game.holdings, weights.tolist(), strict=True):
            name = "".join(RANKS[card >> 2] for card in cards[::-1])
            found[name] = found.get(name, 0.0) + weight
    likely = sorted(found.items(), key=lambda item: -item[1])
    return {name: chance for name, chance in likely if chance >= LEAST}


def _by_text(found: Mapping[int, float], view: PokerView) -> Mapping[str, float]:
    return {action_text(action, view): float(value) for action, value in found.items()}
