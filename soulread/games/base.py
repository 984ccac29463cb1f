"""The contract between games and algorithms: a `Game` starts a hand, a `State` is one point of the hand.

States never change: `State.apply` returns the next one, so a tree walk keeps no undo stack. Chance
is a player like any other (`CHANCE`), with probabilities beside its actions. What a seat may know
is in `State.information` (a label, the same for all states the seat cannot tell apart) and
`State.view` (the same knowledge as an object an agent can use); neither reveals more.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, Self

CHANCE = -1
TERMINAL = -2


class State(Protocol):
    """One point of a hand."""

    @property
    def player(self) -> int:
        """The player to move: a seat, `CHANCE` or `TERMINAL`."""

    def legal_actions(self) -> Sequence[int]:
        """The legal actions of the seat to act, ascending; empty at chance and at the end."""

    def chance_outcomes(self) -> Sequence[tuple[int, float]]:
        """The moves of chance with probabilities that sum to one; empty elsewhere."""

    def apply(self, action: int) -> Self:
        """The state after ``action``; raises `IllegalAction` and leaves this state as it was."""

    def payoffs(self) -> tuple[float, ...]:
        """Net chips won by each seat; only at the end of a hand. They sum to zero."""

    def information(self, seat: int) -> str:
        """Everything ``seat`` has seen so far, as a label; states it cannot tell apart have the same one."""

    def public(self) -> str:
        """Everything that every seat has seen so far, as a label."""

    def view(self, seat: int, players: Sequence[str] = ()) -> "View":
        """The view of an agent in ``seat``; ``players`` are the names by seat, seat 0 first."""

    def action_name(self, action: int) -> str:
        """A word or letter for an action that is legal here, as a person would write it."""


class Game(Protocol):
    """Rules of a game, stateless and shared by all its hands."""

    @property
    def name(self) -> str:
        """The name of the game in messages, tables and files."""

    @property
    def num_players(self) -> int:
        """Number of seats."""

    def start(self) -> State:
        """The state before anything was dealt."""


@dataclass(frozen=True, slots=True)
class View:
    """The knowledge of one seat. Games add fields; none may depend on what the seat has not seen."""

    game: "Game"
    players: tuple[str, ...]  # who sits where: a label for each seat, no two alike
    seat: int  # whose view this is
    legal: Sequence[int]  # what this seat may do; empty unless it is to act
    information: str  # everything this seat has seen, as a label
    public: str  # everything every seat has seen, as a label


def seat_names(num_players: int) -> tuple[str, ...]:
    """Labels for seats whose players have no names: "seat 0", "seat 1" and so on."""
    return tuple(f"seat {seat}" for seat in range(num_players))
