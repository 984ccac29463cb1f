"""A hand that is played step by step, by a loop over agents, a socket, a person or a browser.

    hand = LiveHand(game, players, cards)
    while not hand.over:
        hand.act(somebody(hand.view(hand.to_act)))
    hand.seen_by(0)

`play_hand` is the loop over agents. An `Onlooker` is told of everything that happens in it.
"""

import time
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from soulread.errors import IllegalAction, SoulreadError
from soulread.games.base import TERMINAL
from soulread.games.poker import PokerGame, PokerState, PokerView
from soulread.hands.hand import Hand
from soulread.hands.record import seen_by, seen_by_dealer
from soulread.play.agent import Agent
from soulread.words import plural


class LiveHand:
    """One hand that is being played. Cards are dealt automatically, in the order given.

    ``players`` says who sits where, seat 0 first. ``cards`` has all cards that the hand may need, which is
    ``game.num_cards`` of them.
    """

    def __init__(
        self, game: PokerGame, players: Sequence[str], cards: Sequence[int], *, id: str = "", table: str = ""
    ) -> None:
        names = tuple(players) or game.seat_names
        if len(names) != game.num_players or len(set(names)) < len(names):
            raise SoulreadError(
                f"players {names!r}; {game.name!r} has {game.num_players} seats, no two named alike"
            )
        if len(cards) < game.num_cards:
            raise SoulreadError(
                f"{plural(len(cards), 'card')}; a hand of {game.name!r} may need {game.num_cards}"
            )
        self.players = names
        self.id = id
        self.table = table
        self._cards = cards
        self._state = self._dealt(game.start())

    @property
    def game(self) -> PokerGame:
        """The game that is played."""
        return self._state.game

    @property
    def over(self) -> bool:
        """Whether the hand has ended."""
        return self._state.player == TERMINAL

    @property
    def to_act(self) -> int:
        """The seat whose turn it is; negative once the hand is over."""
        return self._state.player

    def view(self, seat: int) -> PokerView:
        """All that ``seat`` may know at present."""
        return self._state.view(seat, self.players)

    def act(self, action: int) -> None:
        """Let the seat whose turn it is act; an illegal action raises `IllegalAction` and changes nothing."""
        self._state = self._dealt(self._state.apply(action))

    @property
    def payoffs(self) -> tuple[int, ...]:
        """Chips each seat won; only once the hand is over."""
        return self._state.payoffs()

    def seen_by(self, observer: int | None) -> Hand:
        """The record of the finished hand as a seat saw it; with None, as a spectator saw it."""
        return seen_by(self._state, observer, self.players, id=self.id, table=self.table)

    def seen_by_dealer(self) -> Hand:
        """The record of the finished hand with everybody's cards."""
        return seen_by_dealer(self._state, self.players, id=self.id, table=self.table)

    @property
    def state(self) -> PokerState:
        """The present state, with everybody's cards, for the runner of the table."""
        return self._state

    @property
    def end(self) -> PokerState:
        """The last state of a finished hand, with everybody's cards, for the runner of the table."""
        if not self.over:
            raise SoulreadError(f"the hand is not over after {self._state.betting!r}")
        return self._state

    def _dealt(self, state: PokerState) -> PokerState:
        while due := state.cards_due:
            dealt = len(state.cards)
            state = state.deal(self._cards[dealt : dealt + due])
        return state


class Onlooker(Protocol):
    """Is told of hands while agents play them. It sees all cards, so it is no player and tells none."""

    def begin(self, hand: LiveHand, agents: Sequence[Agent]) -> None:
        """Cards were dealt, and ``agents[seat]`` sit in the seats."""

    def act(
        self, hand: LiveHand, agents: Sequence[Agent], view: PokerView, action: int, seconds: float
    ) -> None:
        """The agent in ``view.seat`` took so many seconds to choose ``action``; the hand has gone on."""

    def end(self, hand: LiveHand, agents: Sequence[Agent]) -> None:
        """The hand is over; no agent has been told of it."""


def play_hand(
    game: PokerGame,
    agents: Sequence[Agent],
    cards: Sequence[int],
    streams: Sequence[np.random.Generator],
    players: Sequence[str] = (),
    *,
    id: str = "",
    onlookers: Sequence[Onlooker] = (),
) -> LiveHand:
    """Play one hand with ``agents[seat]`` in each seat and return it, finished.

    Cards are dealt in the order given; ``streams[seat]`` has the random draws of each agent.
    """
    hand = LiveHand(game, players, cards, id=id)
    for onlooker in onlookers:
        onlooker.begin(hand, agents)
    while (seat := hand.to_act) >= 0:
        view = hand.view(seat)
        began = time.perf_counter()
        action = agents[seat].act(view, streams[seat])
        seconds = time.perf_counter() - began
        try:
            hand.act(action)
        except IllegalAction as error:
            raise IllegalAction(f"agent {agents[seat].name!r} in seat {seat}: {error}") from None
        for onlooker in onlookers:
            onlooker.act(hand, agents, view, action, seconds)
    for onlooker in onlookers:
        onlooker.end(hand, agents)
    return hand
