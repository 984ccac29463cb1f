"""`Hand`: one finished hand as one observer saw it, with what stayed hidden left out."""

from dataclasses import dataclass

from soulread.cards.deck import cards_name
from soulread.errors import SoulreadError
from soulread.games.poker import PokerState


@dataclass(frozen=True, slots=True)
class Hand:
    """A finished hand. Seats are positions: 0 is the first seat after the button.

    ``game`` is the text `soulread.games.parse_game` reads: rules, stacks, blinds and antes of this hand.
    ``hole`` holds each seat's cards, or None where the observer never saw them. ``observer`` is the seat
    the hand was seen from, or None for someone who sees only what is public.
    """

    game: str
    players: tuple[str, ...]
    observer: int | None
    hole: tuple[tuple[int, ...] | None, ...]
    board: tuple[int, ...]
    actions: tuple[tuple[int, int], ...]
    betting: str
    showdown: bool
    payoffs: tuple[int, ...]

    def seat_of(self, player: str) -> int:
        """The seat ``player`` had in this hand."""
        if player not in self.players:
            raise SoulreadError(f"{player!r} is not in this hand; its players are {', '.join(self.players)}")
        return self.players.index(player)

    @property
    def eyewitness(self) -> int:
        """The observer's seat; raises `SoulreadError` if the hand was seen by nobody at the table."""
        if self.observer is None:
            raise SoulreadError(
                f"hand {self.betting!r} was seen by nobody at the table; say whose seat it is"
            )
        return self.observer

    def verify_rules(self, name: str) -> None:
        """Raise unless this is a hand of the game ``name``, whatever its abstraction."""
        if self.game.partition(":")[0] != name.partition(":")[0]:
            raise SoulreadError(f"a hand of {self.game!r} says nothing about {name!r}")

    def __str__(self) -> str:
        hole = "|".join("" if cards is None else cards_name(cards) for cards in self.hole)
        won = "|".join(f"{amount:+d}" for amount in self.payoffs)
        return f"{self.game} {self.betting} {hole} {cards_name(self.board)} {won} {'|'.join(self.players)}"


def seen_by(state: PokerState, observer: int | None, players: tuple[str, ...]) -> Hand:
    """What ``observer`` saw of a finished hand: the own cards, and those shown down.

    At a showdown every seat that has not folded shows its cards; otherwise nobody does.
    """
    if len(players) != state.rules.num_players:
        raise SoulreadError(f"{len(players)} names for {state.rules.num_players} seats: {players!r}")
    shown = tuple(
        state.hole(seat) if seat == observer or (state.showdown and not state.folded[seat]) else None
        for seat in range(state.rules.num_players)
    )
    return Hand(
        game=state.rules.name,
        players=players,
        observer=observer,
        hole=shown,
        board=state.board,
        actions=state.actions,
        betting=state.betting,
        showdown=state.showdown,
        payoffs=state.payoffs(),
    )
